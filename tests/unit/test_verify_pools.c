/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier on launches: which pools may start them, their types, limits, minValues and reservations. */
#include "verifying.h"

#define LAUNCHED(types, more) "{\"launches\":[" LAUNCH(A, types, more) "]}"
#define RULE(key, operator, values) "{\"key\":\"" key "\",\"operator\":\"" operator"\",\"values\":[" values "]}"
#define LEAST(key, operator, values, least)                                                                            \
    "{\"key\":\"" key "\",\"operator\":\"" operator"\",\"values\":[" values "],\"minValues\":" least "}"
#define TYPE_KEY "node.kubernetes.io/instance-type"
#define POOL_LIKE(meta, labels, conditions)                                                                            \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default" meta "}, spec: {template: {" labels     \
    "spec: {nodeClassRef: {group: karpenter.kwok.sh, "                                                                 \
    "kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: [" conditions "]}}\n"
#define READY "{type: Ready, status: 'True'}"
#define TYPES_WORLD(settings, types)                                                                                   \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: " settings                              \
    "\ncatalogues:\n- instanceTypes:\n" types "objects:\n" POOL
/* One entry of so many cpus with offerings of its own. */
#define SIZED(name, cpu, offerings)                                                                                    \
    "  - {name: " name ", capacity: {cpu: '" cpu                                                                       \
    "', memory: 16Gi, pods: '10'}, labels: {node.kubernetes.io/instance-type: [" name "], "                            \
    "topology.kubernetes.io/zone: [a, b], karpenter.sh/capacity-type: [on-demand, reserved]}, offerings: [" offerings  \
    "]}\n"
#define ON_DEMAND(more) "{zone: a, capacityType: on-demand, price: 1" more "}"

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static const struct check pools[] = {
    { HEAD POOL_LIKE("", "", READY) POD("a", "1", ""), LAUNCHED("\"m\"", ""), "" },
    { HEAD POOL_LIKE("", "", "") POD("a", "1", ""), LAUNCHED("\"m\"", ""), "POOL_UNUSABLE launch new-1\n" },
    { HEAD POOL_LIKE("", "", "{type: Ready, status: Unknown}") POD("a", "1", ""), LAUNCHED("\"m\"", ""),
      "POOL_UNUSABLE launch new-1\n" },
    { HEAD POOL_LIKE(", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [f]", "", READY) POD("a", "1", ""),
      LAUNCHED("\"m\"", ""), "POOL_UNUSABLE launch new-1\n" },
    /* a static pool starts no node for pods, not even one that wants no nodes */
    { HEAD OWN_POOL("replicas: 0, ", ", requirements: []", "True") POD("a", "1", ""), LAUNCHED("\"m\"", ""),
      "POOL_UNUSABLE launch new-1\n" },
    /* labels of the template hold for each of its nodes; the pool's name and class are its own, whatever they say */
    { HEAD POOL_LIKE("", "metadata: {labels: {team: x}}, ", READY) POD("a", "1", ", nodeSelector: {team: x}"),
      LAUNCHED("\"m\"", ""), "" },
    { HEAD POOL_LIKE("", "metadata: {labels: {team: x}}, ", READY) POD("a", "1", ", nodeSelector: {team: z}"),
      LAUNCHED("\"m\"", ""), "REQUIREMENTS pod default/a\n" },
    { HEAD POOL_LIKE("", "metadata: {labels: {karpenter.sh/nodepool: other}}, ", READY)
          POD("a", "1", ", nodeSelector: {karpenter.sh/nodepool: default}"),
      LAUNCHED("\"m\"", ""), "" },
    { HEAD POOL_LIKE("", "metadata: {labels: {karpenter.kwok.sh/kwoknodeclass: other}}, ", READY)
          POD("a", "1", ", nodeSelector: {karpenter.kwok.sh/kwoknodeclass: default}"),
      LAUNCHED("\"m\"", ""), "" },
};

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define TWICE                                                                                                          \
    TYPES_WORLD("{}", SIZED("m", "4", ON_DEMAND("")) SIZED("k", "16", ON_DEMAND("")) SIZED("m", "8", ON_DEMAND("")))
#define TIERED(operator)                                                                                               \
    TYPES_WORLD(                                                                                                       \
        "{}",                                                                                                          \
        SIZED(                                                                                                         \
            "m", "4",                                                                                                  \
            "{requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}, "                          \
            "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, {key: example.com/tier, operator: " \
            operator"}], price: 1}"))

#define BOUNDED(operator, number)                                                                                      \
    TYPES_WORLD("{}", "  - {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, requirements: [{key: "            \
                      "node.kubernetes.io/instance-type, operator: In, values: [m]}, "                                 \
                      "{key: level, operator: "                                                                        \
                      operator", values: ['" number "']}], offerings: [" ON_DEMAND("") "]}\n")

static const struct check types[] = {
    /* one of the types of a name is enough */
    { TWICE POD("a", "3", ""), LAUNCHED("\"m\"", ""), "" },
    { TWICE POD("a", "6", ""), LAUNCHED("\"m\"", ""), "" },
    { TWICE POD("a", "9", ""), LAUNCHED("\"m\"", ""), "TYPE_RESOURCES launch new-1\n" },
    { TWICE POD("a", "9", ""), LAUNCHED("\"k\",\"m\"", ""), "TYPE_RESOURCES launch new-1\n" },
    /* what an offering asks of a label that nobody states: only its absence is certain */
    { TIERED("In, values: [gold]") POD("a", "1", ""), LAUNCHED("\"m\"", ""),
      "TYPE_OFFERING launch new-1\nTYPE_OFFERING launch new-1\n" },
    { TIERED("In, values: [gold]") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("example.com/tier", "In", "\"gold\"")),
      "" },
    { TIERED("NotIn, values: [gold]") POD("a", "1", ""), LAUNCHED("\"m\"", ""), "" },
    { TIERED("DoesNotExist") POD("a", "1", ""), LAUNCHED("\"m\"", ""), "" },
    /* a type may bound a label instead of stating it */
    { BOUNDED("Gt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "In", "\"6\"")), "" },
    { BOUNDED("Gt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "In", "\"5\"")),
      "TYPE_REQUIREMENTS launch new-1\n" },
    { BOUNDED("Lt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "In", "\"4\"")), "" },
    { BOUNDED("Lt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "In", "\"5\"")),
      "TYPE_REQUIREMENTS launch new-1\n" },
    { BOUNDED("Lt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "Lt", "\"3\"")), "" },
    { BOUNDED("Lt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "Gte", "\"4\"")), "" },
    { BOUNDED("Lt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "Gte", "\"5\"")),
      "TYPE_REQUIREMENTS launch new-1\n" },
    { BOUNDED("Gt", "5") POD("a", "1", ""), LAUNCHED("\"m\"", RULE("level", "Lte", "\"5\"")),
      "TYPE_REQUIREMENTS launch new-1\n" },
    /* an offering that is sold out */
    { TYPES_WORLD("{}", SIZED("m", "4", ON_DEMAND(", available: false"))) POD("a", "1", ""), LAUNCHED("\"m\"", ""),
      "TYPE_OFFERING launch new-1\nTYPE_OFFERING launch new-1\n" },
    /* of two offerings one gives less */
    { TYPES_WORLD("{}", SIZED("m", "4", ON_DEMAND(", capacityOverride: {cpu: '2'}"))) POD("a", "3", ""),
      LAUNCHED("\"m\"", ""), "TYPE_RESOURCES launch new-1\n" },
    { TYPES_WORLD(
          "{}",
          SIZED("m", "4", ON_DEMAND(", capacityOverride: {cpu: '2'}") ", {zone: b, capacityType: on-demand, price: 1}"))
          POD("a", "3", ""),
      LAUNCHED("\"m\"", ""), "" },
};

/* ---- minValues --------------------------------------------------------------------------------------------------- */

#define AT_LEAST_TWO HEAD OWN_POOL("", ", requirements: [{key: " TYPE_KEY ", operator: Exists, minValues: 2}]", "True")
#define TWO_TYPES TYPES_WORLD("{}", TYPE("m", "1", "") TYPE("k", "1", ""))

static const struct check least_values[] = {
    /* the pool's minValues hold whatever the launch says of the key */
    { AT_LEAST_TWO POD("a", "1", ""), LAUNCHED("\"m\"", RULE(TYPE_KEY, "In", "\"m\"")), "MIN_VALUES launch new-1\n" },
    { AT_LEAST_TWO POD("a", "1", ""), LAUNCHED("\"m\"", LEAST(TYPE_KEY, "In", "\"m\"", "1")),
      "MIN_VALUES launch new-1\n" },
    { TWO_TYPES POD("a", "1", ""), LAUNCHED("\"m\"", LEAST(TYPE_KEY, "Exists", "", "2")), "MIN_VALUES launch new-1\n" },
    { TWO_TYPES POD("a", "1", ""), LAUNCHED("\"m\",\"k\"", LEAST(TYPE_KEY, "Exists", "", "2")), "" },
    { TWO_TYPES POD("a", "1", ""), LAUNCHED("\"m\",\"k\"", LEAST(TYPE_KEY, "Exists", "", "3")),
      "MIN_VALUES launch new-1\n" },
    { TYPES_WORLD("{minValuesPolicy: BestEffort}", TYPE("m", "1", "")) POD("a", "1", ""),
      LAUNCHED("\"m\"", LEAST(TYPE_KEY, "Exists", "", "2")), "" },
};

/* ---- limits ------------------------------------------------------------------------------------------------------ */

#define FULL(name, cpu)                                                                                                \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name                                          \
    ", labels: {karpenter.sh/nodepool: default}}, spec: {requirements: []}, status: {providerID: " name ", "           \
    "nodeName: " name ", capacity: {cpu: '" cpu                                                                        \
    "'}, conditions: [{type: Launched, status: 'True'}, {type: Registered, status: 'True'}, {type: Initialized, "      \
    "status: 'True'}]}}\n"                                                                                             \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name                 \
    ", karpenter.sh/nodepool: default, karpenter.sh/registered: 'true', "                                              \
    "karpenter.sh/initialized: 'true'}}, spec: {providerID: " name "}, status: {capacity: {cpu: '" cpu                 \
    "'}, allocatable: {cpu: '1'}}}\n"
#define LIMITED(limits) HEAD OWN_POOL("limits: {" limits "}, ", ", requirements: []", "True")

#define OTHER_POOL                                                                                                     \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other}, spec: {template: {spec: {nodeClassRef: " \
    "{group: karpenter.kwok.sh, "                                                                                      \
    "kind: KWOKNodeClass, name: default}, requirements: []}}}, status: {conditions: [" READY "]}}\n"
#define HUGE_NODE(name) FULL(name, "4', example.com/big: '150e27")
#define HUGE_TYPE                                                                                                      \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n  "  \
    "- {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10', "                                                      \
    "example.com/big: '150e27'}, labels: {node.kubernetes.io/instance-type: [m]}, offerings: [" ON_DEMAND(             \
        "") "]}\nobjects:\n"
#define LAUNCHED_EACH "{\"launches\":[" LAUNCH(A, "\"m\"", "") "," LAUNCH(B, "\"m\"", "") "]}"

static const struct check limits[] = {
    { LIMITED("cpu: '8'") FULL("n1", "4") POD("a", "1", ""), LAUNCHED("\"m\"", ""), "" },
    { LIMITED("cpu: '8'") FULL("n1", "5") POD("a", "1", ""), LAUNCHED("\"m\"", ""), "LIMITS nodepool default\n" },
    { LIMITED("cpu: '8', memory: 16Gi") FULL("n1", "4") POD("a", "1", ""), LAUNCHED("\"m\"", ""), "" },
    { LIMITED("cpu: '8', memory: 15Gi") FULL("n1", "4") POD("a", "1", ""), LAUNCHED("\"m\"", ""),
      "LIMITS nodepool default\n" },
    /* whatever stands before the launch in the plan */
    { LIMITED("cpu: '3'") NODE("n9", "a", "64", "") POD("a", "1", "") POD("b", "1", ""),
      "{\"placements\":[{\"node\":\"n9\",\"pods\":[" B "]}],\"launches\":[" LAUNCH(A, "\"m\"", "") "]}",
      "LIMITS nodepool default\n" },
    { LIMITED("cpu: '3'") OTHER_POOL POD("a", "1", "") POD("b", "1", ""),
      "{\"launches\":[{\"id\":\"new-1\",\"nodePool\":\"other\",\"pods\":[" B
      "],\"instanceTypes\":[\"m\"]}," LAUNCH(A, "\"m\"", "") "]}",
      "LIMITS nodepool default\n" },
    /* nodes of others, and of those that go, do not count */
    { LIMITED("cpu: '4'") NODE("n9", "a", "64", "") LEAVING POD("a", "1", ""), LAUNCHED("\"m\"", ""), "" },
    /* what cannot be counted is too much: of nodes, and of launches */
    { LIMITED("example.com/big: '1'") HUGE_NODE("n1") HUGE_NODE("n2") POD("a", "1", ""), LAUNCHED("\"m\"", ""),
      "LIMITS nodepool default\n" },
    { HUGE_TYPE OWN_POOL("limits: {example.com/big: 160e27}, ", ", requirements: []", "True") POD("a", "1", "")
          POD("b", "1", ""),
      LAUNCHED_EACH, "LIMITS nodepool default\n" },
    { HUGE_TYPE OWN_POOL("limits: {example.com/big: 160e27}, ", ", requirements: []", "True") POD("a", "1", ""),
      LAUNCHED("\"m\"", ""), "" },
};

/* ---- reservations ------------------------------------------------------------------------------------------------ */

#define KEY "karpenter.k8s.aws/capacity-reservation-id"
#define RESERVING                                                                                                      \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {featureGates: {ReservedCapacity: "     \
    "true}}\nlabels: {reservationID: " KEY ", wellKnown: [" KEY "]}\n"                                                 \
    "catalogues:\n- instanceTypes:\n" SIZED(                                                                           \
        "m", "4",                                                                                                      \
        ON_DEMAND(                                                                                                     \
            "") ", {zone: a, capacityType: reserved, price: 0.1, reservationID: r1, reservationCapacity: 1}, "         \
                "{zone: a, capacityType: reserved, price: 0.1, reservationID: r2, reservationCapacity: 2}") "objects:" \
                                                                                                            "\n" POOL
#define RESERVING_TOO(ready)                                                                                                                                                                                                \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {featureGates: {ReservedCapacity: "                                                                                                          \
    "true}}\nlabels: {reservationID: " KEY ", wellKnown: [" KEY "]}\n"                                                                                                                                                      \
    "catalogues:\n- nodePools: [default]\n  instanceTypes:\n" SIZED("m", "4", "{zone: a, capacityType: reserved, price: 0.1, reservationID: r1, reservationCapacity: 1}") "- nodePools: [other]\n  instanceTypes:\n" SIZED( \
        "o", "4",                                                                                                                                                                                                           \
        "{zone: a, capacityType: reserved, price: 0.1, reservationID: r1, reservationCapacity: 0}") "objects:\n" POOL                                                                                                       \
                                                                                                    "- {apiVersion: "                                                                                                       \
                                                                                                    "karpenter.sh/"                                                                                                         \
                                                                                                    "v1, kind: "                                                                                                            \
                                                                                                    "NodePool, "                                                                                                            \
                                                                                                    "metadata: "                                                                                                            \
                                                                                                    "{name: other}, "                                                                                                       \
                                                                                                    "spec: "                                                                                                                \
                                                                                                    "{template: "                                                                                                           \
                                                                                                    "{spec: "                                                                                                               \
                                                                                                    "{nodeClassRef: "                                                                                                       \
                                                                                                    "{group: "                                                                                                              \
                                                                                                    "karpenter.kwok."                                                                                                       \
                                                                                                    "sh, "                                                                                                                  \
                                                                                                    "kind: "                                                                                                                \
                                                                                                    "KWOKNodeClass, "                                                                                                       \
                                                                                                    "name: default}, "                                                                                                      \
                                                                                                    "requirements: "                                                                                                        \
                                                                                                    "[]}}}, status: "                                                                                                       \
                                                                                                    "{conditions: "                                                                                                         \
                                                                                                    "[{type: Ready, "                                                                                                       \
                                                                                                    "status: '" ready                                                                                                       \
                                                                                                    "'}, {type: "                                                                                                           \
                                                                                                    "ValidationSuccee"                                                                                                      \
                                                                                                    "ded, status: "                                                                                                         \
                                                                                                    "'True'}, "                                                                                                             \
                                                                                                    "{type: "                                                                                                               \
                                                                                                    "NodeClassReady, "                                                                                                      \
                                                                                                    "status: '" ready                                                                                                       \
                                                                                                    "'}]}}\n"
#define RESERVED RULE("karpenter.sh/capacity-type", "In", "\"reserved\"")
#define BOTH_LAUNCHED(more)                                                                                            \
    "{\"launches\":[" LAUNCH(A, "\"m\"", RESERVED more) "," LAUNCH(B, "\"m\"", RESERVED more) "]}"

static const struct check reservations[] = {
    { RESERVING POD("a", "1", ""), LAUNCHED("\"m\"", RESERVED "," RULE(KEY, "In", "\"r1\"")), "" },
    { RESERVING POD("a", "1", "") POD("b", "1", ""), BOTH_LAUNCHED("," RULE(KEY, "In", "\"r1\"")),
      "RESERVATION reservation r1\n" },
    { RESERVING POD("a", "1", "") POD("b", "1", ""), BOTH_LAUNCHED("," RULE(KEY, "In", "\"r2\"")), "" },
    { RESERVING POD("a", "1", "") POD("b", "1", ""), BOTH_LAUNCHED("," RULE(KEY, "In", "\"r2\",\"r1\"")),
      "RESERVATION reservation r1\n" },
    { RESERVING POD("a", "1", "") POD("b", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", RESERVED "," RULE(KEY, "In", "\"r1\"")) "," LAUNCH(
          B, "\"m\"", RESERVED "," RULE(KEY, "In", "\"r2\"")) "]}",
      "" },
    /* one of which nobody has heard has no room */
    { RESERVING POD("a", "1", ""), LAUNCHED("\"m\"", RESERVED "," RULE(KEY, "In", "\"r9\"")),
      "TYPE_OFFERING launch new-1\nRESERVATION reservation r9\n" },
    /* ruling one out names none */
    { RESERVING POD("a", "1", "") POD("b", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", RESERVED "," RULE(KEY, "In", "\"r1\"")) "," LAUNCH(
          B, "\"m\"", RESERVED "," RULE(KEY, "NotIn", "\"r2\"")) "]}",
      "" },
    { RESERVING POD("a", "1", "") POD("b", "1", ""), BOTH_LAUNCHED("," RULE(KEY, "NotIn", "\"r2\"")), "" },
    /* the least that is said of its room counts, but for what pools say that are not ready */
    { RESERVING_TOO("True") POD("a", "1", ""), LAUNCHED("\"m\"", RESERVED "," RULE(KEY, "In", "\"r1\"")),
      "RESERVATION reservation r1\n" },
    { RESERVING_TOO("False") POD("a", "1", ""), LAUNCHED("\"m\"", RESERVED "," RULE(KEY, "In", "\"r1\"")), "" },
    /* where the cloud has no reservations, nothing is reserved */
    { BOTH POD("a", "1", ""), LAUNCHED("\"m\"", RESERVED), "TYPE_OFFERING launch new-1\n" },
};

static void test_pools(void **state)
{
    (void)state;
    verify_each(pools, sizeof pools / sizeof *pools);
}

static void test_types(void **state)
{
    (void)state;
    verify_each(types, sizeof types / sizeof *types);
}

static void test_least_values(void **state)
{
    (void)state;
    verify_each(least_values, sizeof least_values / sizeof *least_values);
}

static void test_limits(void **state)
{
    (void)state;
    verify_each(limits, sizeof limits / sizeof *limits);
}

static void test_reservations(void **state)
{
    (void)state;
    verify_each(reservations, sizeof reservations / sizeof *reservations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pools),  cmocka_unit_test(test_types),        cmocka_unit_test(test_least_values),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_reservations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
