/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier on spread, pod affinity and anti-affinity: what can be said for certain, and what Karpenter is let off
 * with. */
#include "verifying.h"

#define REQUIRED_TERMS(terms)                                                                                          \
    "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" terms "]}}"
#define EXPRESSION(text) "{matchExpressions: [{" text "}]}"
#define REQUIRED(expression) ", affinity: {" REQUIRED_TERMS(EXPRESSION(expression)) "}"
#define TERM(key, more) "{topologyKey: " key more "}"
#define TO_X ", labelSelector: {matchLabels: {app: x}}"
#define AFFINE(terms) "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
#define AVERSE(terms) "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" terms "]}"
#define PREFERS(terms)                                                                                                 \
    "podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: " terms "}]}"
#define MIND(what) ", affinity: {" what "}"
#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define ON_NODE(pods) "\"placements\":[{\"node\":\"n1\",\"pods\":[" pods "]}]}"
#define PLACED(pods) "{" ON_NODE(pods)
#define LAUNCHED(pods, more) "{\"launches\":[" LAUNCH(pods, "\"m\"", more) "]}"
#define EACH(of_a, of_b) "{\"launches\":[" LAUNCH(A, "\"m\"", of_a) "," LAUNCH(B, "\"m\"", of_b) "]}"
#define ZONES(operator, values) "{\"key\":\"" ZONE "\",\"operator\":\"" operator"\",\"values\":[" values "]}"
#define HERE BOTH NODE("n1", "a", "4", "")
#define ANY_ZONE ZONES("In", "\"a\",\"b\"")
#define OF_NAMESPACE(name, space, labels, more)                                                                        \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: " space ", uid: u-" name ", labels: {" labels \
    "}}, spec: {nodeName: n1, containers: [{name: c, resources: "                                                      \
    "{requests: {cpu: 100m}}}]" more "}, status: {phase: Running}}\n"
#define SPACE(name, labels) "- {apiVersion: v1, kind: Namespace, metadata: {name: " name ", labels: {" labels "}}}\n"

/* a node whose zone only the older name of the key states */
#define OLD_ZONE(zone)                                                                                                 \
    BOTH "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, "                   \
         "failure-domain.beta.kubernetes.io/zone: " zone "}}, status: {allocatable: {cpu: '4', pods: '10'}}}\n"

/* ---- affinity ---------------------------------------------------------------------------------------------------- */

static const struct check affinity[] = {
    /* an older name of the key says where a node is in profile karp alone (S-Q34) */
    { OLD_ZONE("a") RUNNING("r", "n1", "app: x", "") LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X)))),
      KARP ",\"launches\":[" LAUNCH(A, "\"m\"", ZONES("In", "\"a\"")) "]}", "" },
    { OLD_ZONE("b") RUNNING("r", "n1", "app: x", "") LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X)))),
      KARP ",\"launches\":[" LAUNCH(A, "\"m\"", ZONES("In", "\"a\"")) "]}", "AFFINITY pod default/a\n" },
    { OLD_ZONE("a") RUNNING("r", "n1", "app: x", "") LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X)))),
      LAUNCHED(A, ZONES("In", "\"a\"")), "AFFINITY pod default/a\n" },
    { HERE RUNNING("r", "n1", "app: x", "") LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X)))), PLACED(A), "" },
    /* a term that selects nobody by having no selector is not judged; nor one on a key that stands for another (S-Q34)
     */
    { HERE LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, "")))), PLACED(A), "" },
    { HERE LABELLED("a", "app: w", MIND(AFFINE(TERM("failure-domain.beta.kubernetes.io/zone", TO_X)))), PLACED(A), "" },
    { HERE LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X)))), PLACED(A), "AFFINITY pod default/a\n" },
    /* an unsound selector selects nobody */
    { HERE RUNNING("r", "n1", "app: x", "") LABELLED(
          "a", "app: w",
          MIND(AFFINE(TERM(ZONE, ", labelSelector: {matchExpressions: [{key: app, operator: Exists, values: [x]}]}")))),
      PLACED(A), "AFFINITY pod default/a\n" },
    { HERE RUNNING("r", "n1", "app: x", "")
          LABELLED("a", "app: w",
                   MIND(AFFINE(TERM(ZONE, ", labelSelector: {matchExpressions: [{key: app, operator: Exists}]}")))),
      PLACED(A), "" },
    { HERE RUNNING("r", "n1", "app: x", "") LABELLED(
          "a", "tier: w",
          MIND(AFFINE(TERM(ZONE, ", labelSelector: {matchExpressions: [{key: app, operator: DoesNotExist}]}")))),
      LAUNCHED(A, ZONES("In", "\"a\"")), "" }, /* it selects itself */
    { HERE RUNNING("r", "n1", "app: x", "") LABELLED(
          "a", "app: w",
          MIND(AFFINE(TERM(ZONE, ", labelSelector: {matchExpressions: [{key: app, operator: In, values: [v, x]}]}")))),
      PLACED(A), "" },
    { HERE RUNNING("r", "n1", "app: x", "")
          LABELLED("a", "app: w",
                   MIND(AFFINE(TERM(
                       ZONE, ", labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: [w, v]}]}")))),
      PLACED(A), "" },
    { HERE RUNNING("r", "n1", "app: x", "")
          LABELLED("a", "app: w",
                   MIND(AFFINE(TERM(
                       ZONE, ", labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: [w, x]}]}")))),
      PLACED(A), "AFFINITY pod default/a\n" },
    /* whose namespaces: its own, those named, those selected, which have to be there */
    { HERE OF_NAMESPACE("r", "other", "app: x", "") LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X)))), PLACED(A),
      "AFFINITY pod default/a\n" },
    { HERE OF_NAMESPACE("r", "other", "app: x", "")
          LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X ", namespaces: [third, other]")))),
      PLACED(A), "" },
    { HERE SPACE("other", "team: z") OF_NAMESPACE("r", "other", "app: x", "")
          LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X ", namespaceSelector: {matchLabels: {team: z}}")))),
      PLACED(A), "" },
    { HERE SPACE("third", "") SPACE("other", "team: q") OF_NAMESPACE("r", "other", "app: x", "")
          LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X ", namespaceSelector: {matchLabels: {team: z}}")))),
      PLACED(A), "AFFINITY pod default/a\n" },
    { HERE SPACE("third", "team: z") OF_NAMESPACE("r", "other", "app: x", "")
          LABELLED("a", "app: w", MIND(AFFINE(TERM(ZONE, TO_X ", namespaceSelector: {}")))),
      PLACED(A), "AFFINITY pod default/a\n" },
    /* a zone of which only the choice is known is not one that others are in for certain; the first pod has to know its
       own */
    { BOTH LABELLED("a", "app: x", MIND(AFFINE(TERM(ZONE, TO_X)))), LAUNCHED(A, ZONES("In", "\"a\"")), "" },
    { BOTH LABELLED("a", "app: x", MIND(AFFINE(TERM(ZONE, TO_X)))), LAUNCHED(A, ANY_ZONE), "AFFINITY pod default/a\n" },
    { BOTH LABELLED("a", "app: x", MIND(AFFINE(TERM(ZONE, TO_X)))), LAUNCHED(A, ZONES("NotIn", "\"c\"")),
      "AFFINITY pod default/a\n" },
    /* Which of several terms a pod was placed by is not known: they may have started in different zones. */
    { BOTH LABELLED("a", "app: x", MIND(AFFINE(TERM(ZONE, TO_X))))
          LABELLED("b", "app: x", MIND(AFFINE(TERM(ZONE, TO_X)))),
      EACH(ZONES("In", "\"a\""), ZONES("In", "\"b\"")), "AFFINITY pod default/b\n" },
    { BOTH LABELLED(
          "a", "app: x",
          MIND(AFFINE(TERM(ZONE, TO_X)) ", " REQUIRED_TERMS(EXPRESSION(
              "key: " ZONE ", operator: In, values: [a]") ", " EXPRESSION("key: " ZONE ", operator: In, values: [b]"))))
          LABELLED("b", "app: x",
                   MIND(AFFINE(TERM(ZONE, TO_X)) ", " REQUIRED_TERMS(EXPRESSION(
                       "key: " ZONE
                       ", operator: In, values: [a]") ", " EXPRESSION("key: " ZONE ", operator: In, values: [b]")))),
      EACH(ZONES("In", "\"a\""), ZONES("In", "\"b\"")), "" },
};

/* ---- a node without the label ------------------------------------------------------------------------------------ */

/* On "rack", which no node has, Karpenter may have believed in one (S-Q36). */
#define RACKED MIND(AFFINE(TERM("rack", TO_X)))
static const struct check imagined[] = {
    { HERE LABELLED("a", "app: w", RACKED), PLACED(A), "AFFINITY pod default/a\n" },
    { HERE LABELLED(
          "a", "app: w",
          MIND(AFFINE(TERM("rack", TO_X)) ", " REQUIRED_TERMS(EXPRESSION("key: rack, operator: NotIn, values: [r]")))),
      PLACED(A), "" },
    { HERE LABELLED(
          "a", "app: w",
          MIND(AFFINE(TERM("rack", TO_X)) ", " REQUIRED_TERMS(EXPRESSION("key: rack, operator: NotIn, values: [r]")))),
      KARP "," ON_NODE(A), "AFFINITY pod default/a\n" },
    { HERE LABELLED("a", "app: w", MIND(AFFINE(TERM("rack", TO_X) ", " TERM("rack", ", labelSelector: {}")))),
      PLACED(A), "" },
    { HERE LABELLED("a", "app: w", MIND(AFFINE(TERM("rack", TO_X) ", " TERM("row", ", labelSelector: {}")))), PLACED(A),
      "AFFINITY pod default/a\nAFFINITY pod default/a\n" },
    { HERE LABELLED("a", "app: w",
                    RACKED ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "
                           "ScheduleAnyway, labelSelector: {}}]"),
      PLACED(A), "" },
    { HERE LABELLED("a", "app: w",
                    RACKED ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: row, whenUnsatisfiable: "
                           "ScheduleAnyway, labelSelector: {}}]"),
      PLACED(A), "AFFINITY pod default/a\n" },
    /* the anti-affinity of another is a constraint, too */
    { HERE LABELLED("a", "app: w", RACKED) LABELLED("b", "app: v", MIND(AVERSE(TERM("rack", TO_X)))),
      PLACED(A ",\"default/b\""), "" },
    { HERE LABELLED("a", "app: w", RACKED) LABELLED("b", "app: v", MIND(AVERSE(TERM("row", TO_X)))),
      PLACED(A ",\"default/b\""), "AFFINITY pod default/a\n" },
    /* spread: Karpenter's word for it is taken, and then nothing is counted */
    { HERE LABELLED("a", "app: x", SPREAD("rack")), PLACED(A), "SPREAD pod default/a\n" },
    { HERE LABELLED("a", "app: x", SPREAD("rack") REQUIRED("key: rack, operator: NotIn, values: [r]")), PLACED(A), "" },
    { HERE LABELLED("a", "app: x", SPREAD("rack") REQUIRED("key: rack, operator: NotIn, values: [r]")),
      KARP "," ON_NODE(A), "SPREAD pod default/a\n" },
    { HERE LABELLED("a", "app: x", SPREAD("rack") REQUIRED("key: rack, operator: NotIn, values: [r]"))
          LABELLED("b", "app: x", SPREAD("rack") REQUIRED("key: rack, operator: NotIn, values: [r]")),
      PLACED(AB), "" },
    { BOTH LABELLED("a", "app: x", SPREAD(ZONE)), LAUNCHED(A, ANY_ZONE), "SPREAD pod default/a\n" },
    { BOTH LABELLED("a", "app: x", SPREAD(ZONE)), LAUNCHED(A, ZONES("DoesNotExist", "")),
      "TYPE_REQUIREMENTS launch new-1\nTYPE_OFFERING launch new-1\n" },
};

/* ---- spread ------------------------------------------------------------------------------------------------------ */

/* The zones that types state are domains; one that only rules zones out states none. */
#define ZONED(rule)                                                                                                    \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\ncatalogues:\n- instanceTypes:\n  "  \
    "- {name: m, capacity: {cpu: '4', memory: 16Gi, pods: '10'}, requirements: "                                       \
    "[{key: node.kubernetes.io/instance-type, operator: In, values: [m]}, {key: " ZONE ", " rule                       \
    "}], offerings: [{zone: a, capacityType: on-demand, price: 1}]}\nobjects:\n" POOL
#define TWO_SPREAD LABELLED("a", "app: x", SPREAD(ZONE)) LABELLED("b", "app: x", SPREAD(ZONE))
#define MIN(more)                                                                                                      \
    ", topologySpreadConstraints: [{" more "maxSkew: 1, topologyKey: " ZONE ", whenUnsatisfiable: DoNotSchedule" TO_X  \
    "}]"
#define THREE(more)                                                                                                    \
    LABELLED("a", "app: x", MIN(more)) LABELLED("b", "app: x", MIN(more)) LABELLED("c", "app: x", MIN(more))
#define TWO_AND_ONE                                                                                                    \
    "{\"launches\":[" LAUNCH(AB, "\"m\"", ZONES("In", "\"a\"")) "," LAUNCH("\"default/c\"", "\"m\"",                   \
                                                                           ZONES("In", "\"b\"")) "]}"
#define TWICE(node) RUNNING("r1-" node, node, "app: x", "") RUNNING("r2-" node, node, "app: x", "")
#define FILLED                                                                                                         \
    BOTH NODE("n1", "a", "4", "") NODE("n2", "b", "4", "") TWICE("n1") TWICE("n2")                                     \
        LABELLED("a", "app: x", SPREAD(ZONE)) LABELLED("b", "app: x", "")
#define ON_ITS_WAY(name, zone)                                                                                         \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name                                          \
    ", labels: {karpenter.sh/nodepool: default, " ZONE ": " zone "}}, spec: {requirements: []}, status: "              \
    "{providerID: " name ", capacity: {cpu: '4', memory: 16Gi, pods: '10'}, allocatable: {cpu: '4', memory: 16Gi, "    \
    "pods: '10'}, conditions: [{type: Launched, status: 'True'}]}}\n"
#define ONE_EACH "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]},{\"node\":\"c1\",\"pods\":[" B "]}]}"

static const struct check spread[] = {
    { ZONED("operator: In, values: [a, b]") TWO_SPREAD, LAUNCHED(AB, ZONES("In", "\"a\"")), "SPREAD pod default/a\n" },
    { ZONED("operator: NotIn, values: [c]") TWO_SPREAD, LAUNCHED(AB, ZONES("In", "\"a\"")), "" },
    /* fewer zones than minDomains: the emptiest counts as empty */
    { BOTH THREE(""), TWO_AND_ONE, "" },
    { BOTH THREE("minDomains: 2, "), TWO_AND_ONE, "" },
    { BOTH THREE("minDomains: 3, "), TWO_AND_ONE, "SPREAD pod default/a\n" },
    /* a zone that is known only since a pod went to a claim that has no Node there was no minimum before */
    { FILLED ON_ITS_WAY("c1", "z"), ONE_EACH, "" },
    { FILLED ON_ITS_WAY("c1", "z") NODE("n3", "z", "4", ""), ONE_EACH, "SPREAD pod default/a\n" },
};

/* ---- anti-affinity ----------------------------------------------------------------------------------------------- */

#define POOLED(requirement) HEAD OWN_POOL("", ", requirements: [{key: " ZONE ", " requirement "}]", "True")
#define AWAY LABELLED("a", "app: v", MIND(AVERSE(TERM(ZONE, TO_X))))
#define TOGETHER EACH(ZONES("In", "\"a\""), ZONES("In", "\"a\""))
#define BARRED "ANTI_AFFINITY pod default/a\n"

#define OVER(name, node, labels, more)                                                                                 \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name ", labels: {" labels   \
    "}}, spec: {nodeName: " node ", containers: "                                                                      \
    "[{name: c, resources: {requests: {cpu: 100m}}}]" more "}, status: {phase: Succeeded}}\n"

#define LEAVING_IN_A                                                                                                   \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: n1, deletionTimestamp: "                        \
    "'2026-01-01T00:00:00Z', finalizers: [f], labels: "                                                                \
    "{karpenter.sh/nodepool: default}}, spec: {requirements: []}, status: {providerID: p1, nodeName: n1, conditions: " \
    "[{type: Launched, status: 'True'}, "                                                                              \
    "{type: Registered, status: 'True'}, {type: Initialized, status: 'True'}]}}\n"                                     \
    "- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" HOST ": n1, " ZONE                                 \
    ": a, karpenter.sh/nodepool: default, karpenter.sh/registered: 'true', "                                           \
    "karpenter.sh/initialized: 'true'}}, spec: {providerID: p1}, status: {capacity: {cpu: '4'}, allocatable: {cpu: "   \
    "'4'}}}\n"

/* `a` keeps away from `b`. A zone that came to be decided after b was placed is not held against a. */
static const struct check anti[] = {
    { BOTH AWAY LABELLED("b", "app: x", ""), TOGETHER, "" },
    { BOTH AWAY LABELLED("b", "app: x", ""), LAUNCHED(AB, ZONES("In", "\"a\"")), BARRED },
    { BOTH AWAY LABELLED("b", "app: x", ", nodeSelector: {" ZONE ": a}"), TOGETHER, BARRED },
    { BOTH AWAY LABELLED("b", "app: x", REQUIRED("key: " ZONE ", operator: In, values: [a]")), TOGETHER, BARRED },
    { BOTH AWAY LABELLED("b", "app: x", REQUIRED("key: " ZONE ", operator: In, values: [a, b]")), TOGETHER, "" },
    { BOTH AWAY LABELLED("b", "app: x", REQUIRED("key: " ZONE ", operator: NotIn, values: [b]")), TOGETHER, "" },
    { BOTH AWAY LABELLED("b", "app: x",
                         MIND(REQUIRED_TERMS(EXPRESSION("key: " ZONE ", operator: In, values: [a]") ", " EXPRESSION(
                             "key: " ZONE ", operator: In, values: [b]")))),
      TOGETHER, "" },
    { POOLED("operator: In, values: [a]") AWAY LABELLED("b", "app: x", ""), TOGETHER, BARRED },
    { POOLED("operator: In, values: [a, b]") AWAY LABELLED("b", "app: x", ""), TOGETHER, "" },
    { POOLED("operator: NotIn, values: [b]") AWAY LABELLED("b", "app: x", ""), TOGETHER, "" },
    /* a pod that runs bars others from its zone, also when that is one of several that a launch may take */
    { HERE RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""),
      LAUNCHED(A, ANY_ZONE), BARRED },
    { BOTH NODE("n1", "b", "4", "") RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X))))
          LABELLED("a", "app: x", ""),
      LAUNCHED(A, ANY_ZONE), BARRED },
    { BOTH NODE("n1", "c", "4", "") RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X))))
          LABELLED("a", "app: x", ""),
      LAUNCHED(A, ANY_ZONE), "" },
    /* a zone without a name is one as any other, and not one of those that a launch may take */
    { BOTH NODE("n1", "''", "4", "") RUNNING("r", "n1", "app: x", "") AWAY, PLACED(A), BARRED },
    { BOTH NODE("n1", "''", "4", "") RUNNING("r", "n1", "app: x", "") AWAY, LAUNCHED(A, ANY_ZONE), "" },
    /* one that is over, or that is to be placed anew, bars nobody from where it was */
    { HERE OVER("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""), PLACED(A), "" },
    { BOTH LEAVING_IN_A RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""),
      "{\"launches\":[" LAUNCH("\"default/r\"", "\"m\"", ZONES("In", "\"b\"")) "," LAUNCH(A, "\"m\"",
                                                                                          ZONES("In", "\"a\"")) "]}",
      "" },
    /* terms that are not judged */
    { HERE RUNNING("r", "n1", "app: x", "") LABELLED("a", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))), PLACED(A),
      BARRED },
    { HERE RUNNING("r", "n1", "app: x", "") LABELLED("a", "app: v", MIND(AVERSE(TERM(ZONE, "")))), PLACED(A), "" },
    { HERE RUNNING("r", "n1", "app: x", "")
          LABELLED("a", "app: v", MIND(AVERSE(TERM("failure-domain.beta.kubernetes.io/zone", TO_X)))),
      PLACED(A), "" },
    /* of pods that run: the first zone that a launch may be in is barred as well as the last */
    { HERE RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""),
      LAUNCHED(A, ANY_ZONE), BARRED },
    { HERE RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""),
      LAUNCHED(A, ZONES("In", "\"b\"")), "" },
    { HERE RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, "")))) LABELLED("a", "app: x", ""), PLACED(A), "" },
    { HERE RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM("failure-domain.beta.kubernetes.io/zone", TO_X))))
          LABELLED("a", "app: x", ""),
      PLACED(A), "" },
};

/* Karpenter forgets a node when the volume of a pod on it is gone (S-Q35): what runs there bars nobody, what runs
 * elsewhere does. */
#define OTHER_NODE                                                                                                     \
    "- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {" HOST ": n2, " ZONE                                 \
    ": b}}, spec: {}, status: {capacity: {cpu: '4', pods: '10'}, allocatable: {cpu: '4', pods: '10'}}}\n"
#define LOST                                                                                                           \
    "- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: e, namespace: default}, spec: {volumeName: "     \
    "gone}, status: {phase: Bound}}\n" OTHER_NODE RUNNING(                                                             \
        "u", "n2", "app: u", ", volumes: [{name: v, persistentVolumeClaim: {claimName: e}}]")
static const struct check lost[] = {
    { HERE LOST RUNNING("r", "n1", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""), PLACED(A),
      BARRED },
    { HERE LOST RUNNING("r", "n2", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""),
      LAUNCHED(A, ZONES("In", "\"b\"")), "" },
    { HERE LOST RUNNING("r", "n2", "app: v", MIND(AVERSE(TERM(ZONE, TO_X)))) LABELLED("a", "app: x", ""),
      KARP ",\"launches\":[" LAUNCH(A, "\"m\"", ZONES("In", "\"b\"")) "]}", BARRED },
};

static void test_affinity(void **state)
{
    (void)state;
    verify_each(affinity, sizeof affinity / sizeof *affinity);
}

static void test_imagined(void **state)
{
    (void)state;
    verify_each(imagined, sizeof imagined / sizeof *imagined);
}

static void test_spread(void **state)
{
    (void)state;
    verify_each(spread, sizeof spread / sizeof *spread);
}

static void test_anti(void **state)
{
    (void)state;
    verify_each(anti, sizeof anti / sizeof *anti);
}

static void test_lost(void **state)
{
    (void)state;
    verify_each(lost, sizeof lost / sizeof *lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_affinity), cmocka_unit_test(test_imagined),
                                        cmocka_unit_test(test_spread), cmocka_unit_test(test_anti),
                                        cmocka_unit_test(test_lost) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
