/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices serve a claim: requests and their limits, constraints, where devices can be reached from, and the end
 * of a search. */
#include "device_documents.h"
#include "planning.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/schedule.h>

#define DEVICES "drivers=gpu.example.com"
#define GOT(pods) "new default " pods " on plain " DEVICES "\n"
#define MODEL(model) SELECT("device.attributes['gpu.example.com'].model == '" model "'")
/* A request of alternatives. */
#define EITHER(name, list) "{name: " name ", firstAvailable: [" list "]}"
#define OR(name, more) "{name: " name ", deviceClassName: gpu" more "}"
#define EVERY ", allocationMode: All"
#define TEN_SHARED(a)                                                                                                  \
    "{name: " a "0, allowMultipleAllocations: true},{name: " a "1},{name: " a "2},{name: " a "3},{name: " a            \
    "4},{name: " a "5},{name: " a "6},{name: " a "7},{name: " a "8},{name: " a "9}"
#define THIRTY TEN_SHARED("a") "," TEN_SHARED("b") "," TEN_SHARED("c")

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void selectors_and_classes(void **state)
{
    (void)state;
#define ALONE(request)                                                                                                 \
    SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, SMALL("d0")) CLAIM("c", request, "") POD("p", "1", CLAIMS("c"))
    assert_plan(ALONE(EXACTLY("r", MODEL("small"))), GOT("p"));
    /* Both the class's selectors and the request's have to hold, each of them. */
    assert_plan(ALONE(EXACTLY("r", MODEL("big"))), "no p DEVICES\n");
    assert_plan(ALONE(EXACTLY("r", ", selectors: [{cel: {expression: 'true'}}, {cel: {expression: 'false'}}]")),
                "no p DEVICES\n");
    /* One that is no CEL, or not even a text. */
    assert_plan(ALONE(EXACTLY("r", SELECT("not valid"))), "no p DEVICES\n");
    assert_plan(ALONE(EXACTLY("r", ", selectors: [{}]")), "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) "- {" API
                                    "kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{}]}}\n" SLICE(
                                        "s", ALL, SMALL("d0")) CLAIM("c", ONE, "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Of alternatives every one must be in order. */
    assert_plan(ALONE(EITHER("r", OR("a", "") "," OR("b", SELECT("not valid")))), "no p DEVICES\n");
    assert_plan(ALONE(EITHER("r", OR("a", "") ",{name: b, deviceClassName: none}")), "no p DEVICES\n");
    /* Too much of CEL, among alternatives and selectors that are in order. */
    assert_plan(ALONE(EITHER("r", OR("a", SELECT("device.driver.matches('x')")) "," OR("b", ""))),
                "no p DRA_NOT_EVALUATED\n");
    assert_plan(ALONE(EXACTLY("r", ", selectors: [{}, {cel: {expression: 'true'}}, {cel: {expression: "
                                   "'device.driver.matches(device.driver)'}}]")),
                "no p DRA_NOT_EVALUATED\n");
}

static void numbers_of_devices(void **state)
{
    (void)state;
    /* None: there is nothing to look for. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS CLAIM("c", EXACTLY("r", ", count: 0"), "") POD("p", "1", CLAIMS("c")),
                "new default p on plain\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}")
                    CLAIM("c", EXACTLY("r", ", count: 0") "," EXACTLY("q", ""), "") POD("p", "1", CLAIMS("c")),
                GOT("p"));
    /* 32 at most, in each alternative, and of all requests. */
#define SHARED_ONE(requests)                                                                                           \
    SNAPSHOT(ON, PLAIN)                                                                                                \
    CLASS SLICE("s", ALL, "{name: d0, allowMultipleAllocations: true}") CLAIM("c", requests, "")                       \
        POD("p", "1", CLAIMS("c"))
    assert_plan(SHARED_ONE(EXACTLY("r", ", count: 1000")), "no p DEVICES\n");
    assert_plan(SHARED_ONE(EITHER("r", OR("a", ", count: 1000") "," OR("b", ", count: 33"))), "no p DEVICES\n");
    assert_plan(SHARED_ONE(EITHER("r", OR("a", ", count: 40") "," OR("b", ", count: 32"))), GOT("p"));
    assert_plan(
        SHARED_ONE(EXACTLY("q", ", count: 20") "," EITHER("r", OR("a", ", count: 13") "," OR("b", ", count: 12"))),
        GOT("p"));
    assert_plan(
        SHARED_ONE(EITHER("r", OR("a", ", count: 20") "," OR("b", ", count: 1")) "," EXACTLY("q", ", count: 13")),
        GOT("p"));
}

/* Mode All takes the cluster's devices and the type's own; a type with too many of its own is left to the cluster's. */
static void all_of_them(void **state)
{
    (void)state;
#define EVERYONE CLAIM("c", EXACTLY("r", EVERY), "") POD("p", "1", CLAIMS("c"))
    assert_plan(SNAPSHOT(ON, TYPE("few", "1", BRINGS("{name: g0}, {name: g1}"))
                                 TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1},{name: g2}"))) CLASS EVERYONE,
                "new default p on few " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("few", "1", BRINGS("{name: g0}"))
                                 TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1}"))) CLASS EVERYONE,
                "new default p on few,many " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1},{name: g2}"))) CLASS EVERYONE,
                "no p DEVICES\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("few", "1", BRINGS("{name: g0}")) TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1}")))
            CLASS SLICE("s", ALL, "{name: d0}") EVERYONE,
        "new default p on few,many " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1}")))
                    CLASS SLICE("s", ALL, "{name: d0}") EVERYONE,
                "no p DEVICES\n");
    /* Beside it a request that takes from the same number: 2 and 30 are no more than 32, 2 and 31 are. */
    assert_plan(
        SNAPSHOT(ON, TYPE("many", "1", BRINGS(THIRTY))) CLASS SLICE("s", ALL, SMALL("d0") "," SMALL("d1"))
            CLAIM("c",
                  EXACTLY("q", ", count: 2" SELECT("'model' in device.attributes['gpu.example.com']")) "," EXACTLY(
                      "r", EVERY SELECT("!('model' in device.attributes['gpu.example.com'])")),
                  "") POD("p", "1", CLAIMS("c")),
        "new default p on many " DEVICES "\n");
    /* Those that match; of none there is nothing to take. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, SMALL("d0") "," BIG("d1"))
                    CLAIM("c", EXACTLY("r", EVERY MODEL("big")), "") CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c"))
                        POD("q", "1", CLAIMS("d")),
                "new default p,q on plain " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("own", "1", BRINGS(SMALL("g0"))))
                    CLASS CLAIM("c", EXACTLY("r", EVERY MODEL("big")), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, TYPE("own", "1", BRINGS(SMALL("g0")))) CLASS SLICE("s", ALL, BIG("d0"))
                    CLAIM("c", EXACTLY("r", EVERY MODEL("big")), "") POD("p", "1", CLAIMS("c")),
                "new default p on own " DEVICES "\n");
    /* Whether a type's own device is among all cannot be told. */
    assert_plan(SNAPSHOT(ON, TYPE("own", "1", BRINGS("{name: g0}")))
                    CLASS CLAIM("c", EXACTLY("r", EVERY MODEL("big")), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Who takes all leaves none for another request. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d1}")
                    CLAIM("c", EXACTLY("r", EVERY) "," EXACTLY("q", ""), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* A pool that is not whole, or not in order, cannot tell what all are. */
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, "devices: [{name: d0}]") EVERYONE,
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE("s", ALL, "{name: d0}, {name: d0}, {name: d1}") EVERYONE,
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE_OF("s1", "pool", "1", "2", ALL, "devices: [{name: d0}]")
                    SLICE_OF("s2", "other", "1", "1", ALL, "devices: [{name: d1}]") CLAIM("c", ONE, "")
                        POD("p", "1", CLAIMS("c")),
                GOT("p"));
    /* A type with counters, or bindings, and no device of its own. */
    assert_plan(
        SNAPSHOT(ON, TYPE("bare", "1",
                          ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, " COUNTERS(
                              "1") "}]}")) CLASS SLICE("s", ALL, "{name: d0}") EVERYONE,
        "new default p on bare " DEVICES "\n");
}

/* All as an alternative: it is passed by when the counters cannot serve it. */
static void all_as_alternative(void **state)
{
    (void)state;
#define THREE_PARTS(total)                                                                                             \
    TYPE(                                                                                                              \
        "parts", "1",                                                                                                  \
        ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, " COUNTERS(                        \
            total) "}, {driver: gpu.example.com, pool: own, devices: [" PART("a",                                      \
                                                                             "40") "," PART("b",                       \
                                                                                            "40") "," PART("c",        \
                                                                                                           "40") "]}]" \
                                                                                                                 "}")
    assert_plan(SNAPSHOT(ON, THREE_PARTS("120")) CLASS CLAIM("c", EITHER("r", OR("a", EVERY)), "")
                    POD("p", "1", CLAIMS("c")),
                "new default p on parts " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, THREE_PARTS("119")) CLASS CLAIM("c", EITHER("r", OR("a", EVERY)), "")
                    POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, THREE_PARTS("119")) CLASS CLAIM("c", EITHER("r", OR("a", EVERY) "," OR("b", ", count: 2")),
                                                             "") POD("p", "1", CLAIMS("c")),
                "new default p on parts " DEVICES "\n");
    /* The second pod has what the first has left: that all went to the first shows in that it has nothing. */
    assert_plan(SNAPSHOT(ON, THREE_PARTS("120")) CLASS CLAIM("c", EITHER("r", OR("a", EVERY) "," OR("b", "")), "")
                    CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p on parts " DEVICES "\nnew default q on parts " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, THREE_PARTS("120")) CLASS CLAIM("c", EITHER("r", OR("b", "") "," OR("a", EVERY)), "")
                    CLAIM("d", ONE, "") POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default p,q on parts " DEVICES "\n");
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

#define NUMA_KEY "gpu.example.com/numa"
#define MATCH(requests) ", constraints: [{requests: [" requests "], matchAttribute: " NUMA_KEY "}]"

/* A constraint speaks of whole requests, or of one alternative. */
static void constrained_requests(void **state)
{
    (void)state;
#define APART TYPE("apart", "1", BRINGS(NUMA("g0", "0") "," NUMA("g1", "1")))
#define EITHER_TWO EITHER("r", OR("one", ", count: 2") "," OR("two", ", count: 2"))
    assert_plan(SNAPSHOT(ON, APART) CLASS CLAIM("c", EITHER_TWO, MATCH("r/one")) POD("p", "1", CLAIMS("c")),
                "new default p on apart " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, APART) CLASS CLAIM("c", EITHER_TWO, MATCH("r/one, r/two")) POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, APART) CLASS CLAIM("c", EITHER_TWO, MATCH("r")) POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, APART) CLASS CLAIM("c", EITHER_TWO, MATCH("q")) POD("p", "1", CLAIMS("c")),
                "new default p on apart " DEVICES "\n");
    /* The search turns back over a request that the constraint does not speak of, and one that it does. */
#define NAMED_NUMA(name, node, model)                                                                                  \
    "{name: " name ", attributes: {" NUMA_KEY ": {int: " node "}, model: {string: " model "}}}"
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE(
                    "s", ALL,
                    NAMED_NUMA("d0", "0", "big") "," NAMED_NUMA("d1", "1", "small") "," NAMED_NUMA("d2", "1", "small"))
                    CLAIM("c", EXACTLY("any", "") "," EXACTLY("one", "") "," EXACTLY("big", MODEL("big")),
                          MATCH("one, any")) POD("p", "1", CLAIMS("c")),
                GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE(
                    "s", ALL,
                    NAMED_NUMA("d0", "0", "big") "," NAMED_NUMA("d1", "1", "small") "," NAMED_NUMA("d2", "2", "small"))
                    CLAIM("c", EXACTLY("any", "") "," EXACTLY("one", "") "," EXACTLY("big", MODEL("big")),
                          MATCH("one, any")) POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS SLICE(
                    "s", ALL,
                    NAMED_NUMA("d0", "0", "big") "," NAMED_NUMA("d1", "1", "small") "," NAMED_NUMA("d2", "2", "small"))
                    CLAIM("c", EXACTLY("any", "") "," EXACTLY("one", "") "," EXACTLY("big", MODEL("big")),
                          MATCH("big, any")) POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
}

/* Each of several constraints has to hold: the second as well as the first, and one behind another that is about other
 * requests. */
static void several_constraints(void **state)
{
    (void)state;
#define PLACED_AT(name, node, rack)                                                                                    \
    "{name: " name ", attributes: {" NUMA_KEY ": {int: " node "}, rack: {int: " rack "}}}"
#define BY_BOTH(more) ", constraints: [{matchAttribute: " NUMA_KEY "}, {matchAttribute: gpu.example.com/rack" more "}]"
#define TWO_OF(devices, constraints)                                                                                   \
    SNAPSHOT(ON, PLAIN)                                                                                                \
    CLASS SLICE("s", ALL, devices) CLAIM("c", EXACTLY("r", ", count: 2"), constraints) POD("p", "1", CLAIMS("c"))
    assert_plan(TWO_OF(PLACED_AT("d0", "0", "0") "," PLACED_AT("d1", "0", "0"), BY_BOTH("")), GOT("p"));
    assert_plan(TWO_OF(PLACED_AT("d0", "0", "0") "," PLACED_AT("d1", "0", "1"), BY_BOTH("")), "no p DEVICES\n");
    assert_plan(TWO_OF(PLACED_AT("d0", "0", "0") "," PLACED_AT("d1", "1", "0"), BY_BOTH("")), "no p DEVICES\n");
    assert_plan(TWO_OF(PLACED_AT("d0", "0", "0") "," PLACED_AT("d1", "0", "1") "," PLACED_AT(
                           "d2", "1", "1") "," PLACED_AT("d3", "0", "1"),
                       BY_BOTH("")),
                GOT("p"));
    assert_plan(TWO_OF(PLACED_AT("d0", "0", "0") "," PLACED_AT("d1", "0", "1"), BY_BOTH(", requests: [q]")), GOT("p"));
    assert_plan(
        TWO_OF(PLACED_AT("d0", "0", "0") "," PLACED_AT("d1", "1", "0"),
               ", constraints: [{requests: [q], matchAttribute: gpu.example.com/rack}, {matchAttribute: " NUMA_KEY
               "}]"),
        "no p DEVICES\n");
}

/* When two values are one. */
static void equal_values(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        bool equal;
    } rows[] = {
        { NUMA_KEY ": {int: 1}", NUMA_KEY ": {int: 1}", true },
        { NUMA_KEY ": {int: 1}", NUMA_KEY ": {int: 2}", false },
        { NUMA_KEY ": {string: a}", NUMA_KEY ": {string: a}", true },
        { NUMA_KEY ": {string: a}", NUMA_KEY ": {string: b}", false },
        { NUMA_KEY ": {bool: true}", NUMA_KEY ": {bool: true}", true },
        { NUMA_KEY ": {bool: true}", NUMA_KEY ": {bool: false}", false },
        { NUMA_KEY ": {bool: true}", NUMA_KEY ": {int: 1}", false },
        { NUMA_KEY ": {version: 1.0.0}", NUMA_KEY ": {version: 1.0.0}", true },
        { NUMA_KEY ": {version: 1.0.0}", NUMA_KEY ": {string: 1.0.0}", false },
        /* A name without a domain is in the driver's; one of the same length, or of another domain, is another. */
        { NUMA_KEY ": {int: 1}", "numa: {int: 1}", true },
        { NUMA_KEY ": {int: 1}", "nums: {int: 1}, numa: {int: 1}", true },
        { NUMA_KEY ": {int: 1}", "nums: {int: 1}", false },
        { NUMA_KEY ": {int: 1}", "numas: {int: 1}", false },
        { NUMA_KEY ": {int: 1}", "gpu.example.org/numa: {int: 1}", false },
        { NUMA_KEY ": {int: 1}", "other: {int: 1}", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[4000];
        snprintf(yaml, sizeof yaml,
                 "%s- {" API "kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, pool: {name: "
                 "pool, generation: 1, resourceSliceCount: 1}, allNodes: true, "
                 "devices: [{name: d0, attributes: {%s}}, {name: d1, attributes: {%s}}]}}\n",
                 SNAPSHOT(ON, PLAIN) CLASS CLAIM("c", EXACTLY("r", ", count: 2"), SAME) POD("p", "1", CLAIMS("c")),
                 rows[i].first, rows[i].second);
        assert_plan(yaml, rows[i].equal ? GOT("p") : "no p DEVICES\n");
    }
    /* A constraint on a name without a domain, or with one that is not, or almost, the driver's. */
#define PAIR(key)                                                                                                      \
    SLICE("s", ALL, "{name: d0, attributes: {" key ": {int: 1}}}, {name: d1, attributes: {" key ": {int: 1}}}")
#define ON_KEY(key)                                                                                                    \
    CLAIM("c", EXACTLY("r", ", count: 2"), ", constraints: [{matchAttribute: " key "}]") POD("p", "1", CLAIMS("c"))
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS PAIR("numa") ON_KEY("numa"), GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS PAIR("numa") ON_KEY("gpu.example.com/numa"), GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS PAIR("gpu.example.com/numa") ON_KEY("numa"), "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS PAIR("numa") ON_KEY("gpu.example.org/numa"), "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) CLASS PAIR("numa") ON_KEY("example.com/numa"), "no p DEVICES\n");
}

/* Devices whose common value only shows when the node runs. */
static void bound_devices(void **state)
{
    (void)state;
#define FOUR(devices, groups)                                                                                          \
    ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, devices: [" devices                    \
    "]}], attributeBindings: [" groups "]}"
#define PLAIN_FOUR "{name: g0}, {name: g1}, {name: g2}, {name: g3}"
#define GROUP_BY(attribute, ids) "{attribute: " attribute ", devices: [" ids "]}"
#define ASKS(n) CLASS CLAIM("c", EXACTLY("r", ", count: " n), SAME) POD("p", "1", CLAIMS("c"))
    /* Two pairs are not four. */
    assert_plan(SNAPSHOT(ON, TYPE("pairs", "1",
                                  FOUR(PLAIN_FOUR, GROUP(ID("g0") "," ID("g2")) "," GROUP(ID("g1") "," ID("g3")))))
                    ASKS("2"),
                "new default p on pairs " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("pairs", "1",
                                  FOUR(PLAIN_FOUR, GROUP(ID("g0") "," ID("g2")) "," GROUP(ID("g1") "," ID("g3")))))
                    ASKS("3"),
                "no p DEVICES\n");
    /* Bound under another attribute, or not at all. */
    assert_plan(SNAPSHOT(ON, TYPE("others", "1",
                                  FOUR(PLAIN_FOUR, GROUP_BY("gpu.example.com/other", ID("g0") "," ID("g1")) "," GROUP(
                                                       ID("g2") "," ID("g3"))))) ASKS("2"),
                "new default p on others " DEVICES "\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("others", "1", FOUR(PLAIN_FOUR, GROUP_BY("gpu.example.com/other", ID("g0") "," ID("g1")))))
            ASKS("2"),
        "no p DEVICES\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("others", "1", FOUR(PLAIN_FOUR, GROUP_BY("gpu.example.com/other", ID("g0") "," ID("g1")))))
            ASKS("1"),
        "no p DEVICES\n");
    /* A value that shows, and bindings, do not go together, in either order. */
    assert_plan(SNAPSHOT(ON, TYPE("mixed", "1", FOUR("{name: g0}," NUMA("g1", "1"), GROUP(ID("g0") "," ID("g1")))))
                    ASKS("2"),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, TYPE("mixed", "1", FOUR(NUMA("g0", "1") ",{name: g1}", GROUP(ID("g0") "," ID("g1")))))
                    ASKS("2"),
                "no p DEVICES\n");
    /* A device that can be had twice is bound to itself if it is to another. */
#define SHARED_FIRST(ids) FOUR("{name: g0, allowMultipleAllocations: true}, {name: g1}", GROUP(ids))
#define ONLY_SHARED                                                                                                    \
    CLASS CLAIM("c", EXACTLY("r", ", count: 2" SELECT("device.allowMultipleAllocations")), SAME)                       \
        POD("p", "1", CLAIMS("c"))
    assert_plan(SNAPSHOT(ON, TYPE("twice", "1", SHARED_FIRST(ID("g0") "," ID("g1")))) ONLY_SHARED,
                "new default p on twice " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, TYPE("twice", "1", SHARED_FIRST(ID("g0") "," ID("g0")))) ONLY_SHARED, "no p DEVICES\n");
}

/* ---- where devices are ------------------------------------------------------------------------------------------- */

#define TERM(key, values) "{matchExpressions: [{key: " key ", operator: In, values: [" values "]}]}"
#define TERMS(list) "nodeSelector: {nodeSelectorTerms: [" list "]}"
#define ZONE "topology.kubernetes.io/zone"
#define NODE(name, labels, more)                                                                                       \
    "- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {kubernetes.io/hostname: " name labels          \
    "}}, spec: {" more "}, "                                                                                           \
    "status: {capacity: {cpu: '4', memory: 8Gi, pods: '10'}, allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, "       \
    "conditions: [{type: Ready, status: 'True'}]}}\n"
#define NODE_CLAIM(name, labels, more)                                                                                 \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name                                          \
    ", labels: {karpenter.sh/nodepool: default" labels                                                                 \
    "}}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}, "                       \
    "status: {providerID: 'kwok://" name                                                                               \
    "', capacity: {cpu: '4', memory: 8Gi, pods: '10'}, allocatable: {cpu: '4', memory: 8Gi, pods: '10'}" more "}}\n"
#define OWNED(name, node)                                                                                              \
    "- {" API "kind: ResourceSlice, metadata: {name: " name                                                            \
    ", ownerReferences: [{apiVersion: v1, kind: Node, name: " node                                                     \
    ", uid: u}]}, spec: {driver: gpu.example.com, pool: {name: pool, generation: 1, "                                  \
    "resourceSliceCount: 1}, allNodes: true, devices: [{name: d0}]}}\n"
#define PENDING(name) CLASS CLAIM("c", ONE, "") POD(name, "1", CLAIMS("c"))

static void reached_from(void **state)
{
    (void)state;
    /* Any term lets a node reach the slice; what is asked of the node then is all of them. */
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", ", " ZONE ": a", "")
                    SLICE("s", TERMS(TERM(ZONE, "a") "," TERM(ZONE, "a, b")), "{name: d0}") PENDING("p"),
                "node n1 p\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", ", " ZONE ": a", "")
                    SLICE("s", TERMS(TERM(ZONE, "a") "," TERM(ZONE, "b")), "{name: d0}") PENDING("p"),
                "no p NOTHING_MATCHED\n");
    assert_plan(SNAPSHOT(ON, PLAIN) SLICE("s", TERMS(TERM(ZONE, "a, b") "," TERM(ZONE, "b")), "{name: d0}")
                    PENDING("p"),
                "new default p on plain zone=b " DEVICES "\n");
    /* By host: only that node, and no new one. */
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", "", "") NODE("n2", "", "")
                    SLICE("s", TERMS(TERM("kubernetes.io/hostname", "n2")), "{name: d0}") PENDING("p"),
                "node n2 p\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", "", "")
                    SLICE("s", TERMS(TERM("kubernetes.io/hostname", "n2")), "{name: d0}") PENDING("p"),
                "no p DEVICES\n");
    /* Where the pod must be is not asked when the device is chosen, and then it is in the wrong place. */
    assert_plan(SNAPSHOT(ON, PLAIN) SLICE_OF("s1", "p1", "1", "1", IN_ZONE("a"), "devices: [{name: d0}]")
                    SLICE_OF("s2", "p2", "1", "1", IN_ZONE("b"), "devices: [{name: d0}]") CLASS CLAIM("c", ONE, "")
                        POD("p", "1", CLAIMS("c") ", nodeSelector: {" ZONE ": b}"),
                "no p DEVICES\n");
    /* All devices that are there, though they cannot be reached from one node. */
    assert_plan(SNAPSHOT(ON, PLAIN) SLICE_OF("s1", "p1", "1", "1", IN_ZONE("a"), "devices: [{name: d0}]")
                    SLICE_OF("s2", "p2", "1", "1", IN_ZONE("b"), "devices: [{name: d0}]")
                        CLASS CLAIM("c", EXACTLY("r", EVERY), "") POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Two slices of one pool may name the same device where no node reaches both. */
#define TWO_ZONES(other)                                                                                               \
    SLICE_OF("s1", "pool", "1", "2", IN_ZONE("a"), "devices: [{name: d0}]")                                            \
    SLICE_OF("s2", "pool", "1", "2", IN_ZONE(other), "devices: [{name: d0}]")
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", ", " ZONE ": a", "") TWO_ZONES("b") PENDING("p"), "node n1 p\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", ", " ZONE ": a", "") TWO_ZONES("a, b") PENDING("p"), "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) TWO_ZONES("b") PENDING("p"), "no p DEVICES\n"); /* a new one might */
}

/* Counters of a pool: sets defined once, of the newest generation; and a pool that is out of reach but for them. */
static void pools_with_counters(void **state)
{
    (void)state;
#define SET(value) "sharedCounters: [{name: set, counters: {memory: {value: " value "}}}]"
#define USES(set, counter) "{name: d0, consumesCounters: [{counterSet: " set ", counters: {" counter ": {value: 1}}}]}"
#define OLD(name, rest) SLICE_OF(name, "pool", "1", "2", ALL, rest)
#define NEW(name, count, rest) SLICE_OF(name, "pool", "2", count, ALL, rest)
    assert_plan(SNAPSHOT(ON, PLAIN) NEW("s1", "2", SET("1")) NEW("s2", "2", "devices: [" USES("set", "memory") "]")
                    PENDING("p"),
                GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) NEW("s1", "2", SET("1")) NEW("s2", "2", "devices: [" USES("other", "memory") "]")
                    PENDING("p"),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NEW("s1", "2", SET("1")) NEW("s2", "2", "devices: [" USES("set", "cores") "]")
                    PENDING("p"),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NEW("s1", "3", SET("1"))
                    NEW("s2", "3", "devices: [{name: d1}, " USES("other", "memory") "]")
                        NEW("s3", "3", "devices: [" USES("set", "memory") "]") PENDING("p"),
                "no p DEVICES\n");
    /* Defined twice: not in order, even for what takes from nothing. */
    assert_plan(SNAPSHOT(ON, PLAIN) NEW("s1", "3", SET("1")) NEW("s2", "3", SET("2"))
                    NEW("s3", "3", "devices: [{name: d0}]") PENDING("p"),
                "no p DEVICES\n");
    /* What an older generation says does not count, be it a definition or a use. */
    assert_plan(SNAPSHOT(ON, PLAIN) OLD("s1", SET("1")) NEW("s2", "1", "devices: [" USES("set", "memory") "]")
                    PENDING("p"),
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) OLD("s1", SET("1")) NEW("s2", "2", SET("2"))
                    NEW("s3", "2", "devices: [" USES("set", "memory") "]") PENDING("p"),
                GOT("p"));
    assert_plan(SNAPSHOT(ON, PLAIN) OLD("s1", "devices: [" USES("other", "memory") "]")
                    NEW("s2", "1", "devices: [{name: d0}]") PENDING("p"),
                GOT("p"));
    /* Devices on the slice that defines counters are none. */
    assert_plan(SNAPSHOT(ON, PLAIN) NEW("s1", "1", SET("1") ", devices: [{name: d0}]") PENDING("p"), "no p DEVICES\n");
    /* A pool whose only devices are far away and not whole stands in the way of All while they take from counters. */
#define FAR(device)                                                                                                    \
    SLICE_OF("s2", "pool", "1", "3", "nodeName: n9", "devices: [" device "]")                                          \
    SLICE_OF("s1", "pool", "1", "3", ALL, SET("1")) SLICE_OF("s3", "whole", "1", "1", ALL, "devices: [{name: d1}]")
    assert_plan(SNAPSHOT(ON, PLAIN) FAR(USES("set", "memory")) CLASS EVERYONE, "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) FAR("{name: d0}") CLASS EVERYONE, GOT("p"));
}

/* Nodes that are there, or on their way. */
static void nodes(void **state)
{
    (void)state;
    /* A slice is there as long as the node that owns it: known, and ready for use. */
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", "", "") OWNED("s", "n1") PENDING("p"), "node n1 p\n");
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", "", "") OWNED("s", "n2") PENDING("p"), "no p DEVICES\n");
#define LABELS(type) ", node.kubernetes.io/instance-type: " type
#define STARTING(type)                                                                                                 \
    NODE("n1", ", karpenter.sh/nodepool: default, karpenter.sh/registered: 'true'" LABELS(type),                       \
         "providerID: 'kwok://k1'")                                                                                    \
    NODE_CLAIM("k1", LABELS(type),                                                                                     \
               ", nodeName: n1, conditions: [{type: Launched, status: 'True'}, {type: Registered, status: 'True'}]")
#define READY(pool, type)                                                                                              \
    NODE("n1",                                                                                                         \
         ", karpenter.sh/nodepool: " pool                                                                              \
         ", karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'" LABELS(type),                           \
         "providerID: 'kwok://k1'")                                                                                    \
    NODE_CLAIM("k1", LABELS(type),                                                                                     \
               ", nodeName: n1, conditions: [{type: Launched, status: 'True'}, {type: Registered, status: 'True'}, "   \
               "{type: Initialized, status: 'True'}]")
    assert_plan(SNAPSHOT(ON, PLAIN) STARTING("plain") OWNED("s", "n1") PENDING("p"), "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN) READY("default", "plain") OWNED("s", "n1") PENDING("p"), "node n1 p\n");
    /* A node that is not ready has what its type brings; later its own slices tell. */
    assert_plan(SNAPSHOT(ON, GPU) STARTING("gpu-1") PENDING("p"), "node n1 p\n");
    assert_plan(SNAPSHOT(ON, GPU) READY("default", "gpu-1") PENDING("p"), "new default p on gpu-1 " DEVICES "\n");
    /* One without a Node yet. */
    assert_plan(SNAPSHOT(ON, GPU) NODE_CLAIM("k1", LABELS("gpu-1"), ", conditions: [{type: Launched, status: 'True'}]")
                    PENDING("p"),
                "node k1 p\n");
    assert_plan(SNAPSHOT(ON, GPU) NODE_CLAIM("k1", LABELS("gpu-1"), ", conditions: [{type: Launched, status: 'True'}]")
                    SLICE("s", "nodeName: k1", "{name: d0}") CLASS CLAIM("c", EXACTLY("r", ", count: 2"), "")
                        POD("p", "1", CLAIMS("c")),
                "no p DEVICES\n");
    /* Of a type that brings nothing, that the pool no longer has, or that is not told. */
    assert_plan(SNAPSHOT(ON, PLAIN) STARTING("plain") PENDING("p"), "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, PLAIN GPU) STARTING("gpu-0") PENDING("p"), "new default p on gpu-1 " DEVICES "\n");
    assert_plan(
        SNAPSHOT(ON, TYPE("bare", "1",
                          ", dynamicResources: {resourceSlices: [{driver: gpu.example.com, pool: own, " COUNTERS(
                              "1") "}]}")) STARTING("bare") PENDING("p"),
        "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, GPU) READY("gone", "gpu-1") PENDING("p"), "new default p on gpu-1 " DEVICES "\n");
    /* Nor one of a pool that is going, or that has no types at all. */
#define OF_POOL(pool)                                                                                                  \
    NODE("n1", ", karpenter.sh/nodepool: " pool ", karpenter.sh/registered: 'true'" LABELS("gpu-1"),                   \
         "providerID: 'kwok://k1'")                                                                                    \
    "- {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: k1, labels: {karpenter.sh/nodepool: " pool      \
        LABELS("gpu-1") "}}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}, "   \
                        "status: {providerID: 'kwok://k1', capacity: {cpu: '4', memory: 8Gi, pods: '10'}, "            \
                        "allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, nodeName: n1, conditions: [{type: "         \
                        "Launched, status: 'True'}, {type: Registered, status: 'True'}]}}\n"
#define SECOND_POOL(name, more, ready)                                                                                 \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name more                                      \
    "}, spec: {template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, "       \
    "requirements: []}}}, "                                                                                            \
    "status: {conditions: [{type: Ready, status: '" ready                                                              \
    "'}, {type: ValidationSucceeded, status: 'True'}, {type: NodeClassReady, status: 'True'}]}}\n"
    assert_plan(SNAPSHOT(ON, GPU) SECOND_POOL("second", "", "True") OF_POOL("second") PENDING("p"), "node n1 p\n");
    assert_plan(SNAPSHOT(ON, GPU) SECOND_POOL(
                    "second", ", deletionTimestamp: 2026-06-01T00:00:00Z, finalizers: [karpenter.sh/termination]",
                    "True") OF_POOL("second") PENDING("p"),
                "new default p on gpu-1 " DEVICES "\n");
    assert_plan(SNAPSHOT(ON, GPU) SECOND_POOL("second", "", "False") OF_POOL("second") PENDING("p"),
                "new default p on gpu-1 " DEVICES "\n");
    assert_plan("apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: " ON
                "\ncatalogues:\n- nodePools: [default]\n  instanceTypes:\n" GPU
                "objects:\n" POOL SECOND_POOL("second", "", "True") OF_POOL("second") PENDING("p"),
                "new default p on gpu-1 " DEVICES "\n");
    /* All of them, on a node: those in reach and those that its type is to bring, unless these are too many. */
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", "", "") CLASS SLICE("s", ALL, "{name: d0}") EVERYONE, "node n1 p\n");
    assert_plan(SNAPSHOT(ON, TYPE("many", "1", BRINGS(THIRTY ",{name: g0}"))) STARTING("many")
                    CLASS SLICE("s", ALL, "{name: d0}") EVERYONE,
                "node n1 p\n");
    assert_plan(SNAPSHOT(ON, TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1}"))) STARTING("many")
                    CLASS SLICE("s", ALL, "{name: d0}") EVERYONE,
                "no p DEVICES\n");
    assert_plan(SNAPSHOT(ON, TYPE("many", "1", BRINGS(THIRTY ",{name: g0},{name: g1},{name: g2}"))) STARTING("many")
                    CLASS SLICE("s", ALL, "{name: d0}") EVERYONE,
                "no p DEVICES\n");
    /* Two at once: each device of the node goes once. */
    assert_plan(SNAPSHOT(ON, GPU) STARTING("gpu-1") CLASS CLAIM("c", ONE, "") CLAIM("d", ONE, "")
                    POD("p", "2", CLAIMS("c")) POD("q", "1", CLAIMS("d")),
                "new default q on gpu-1 " DEVICES "\nnode n1 p\n");
    /* A claim that has its devices goes to a node like any other pod. */
    assert_plan(SNAPSHOT(ON, PLAIN) NODE("n1", ", " ZONE ": a", "") NODE("n2", ", " ZONE ": b", "")
                    HELD("c", "d0", ", " IN_ZONE("b") "}") POD("p", "1", CLAIMS("c")),
                "node n2 p\n");
}

/* ---- the end of a search ----------------------------------------------------------------------------------------- */

typedef struct stopper {
    uint64_t left;
    bool told;
} stopper;

static int stop_at(void *user)
{
    stopper *s = user;
    s->told = s->told || s->left == 0;
    s->left--;
    return s->told;
}

/* A long search asks now and then, and stops when it is told to. */
static void stopped(void **state)
{
    (void)state;
    char yaml[20000];
    /* No two devices are alike: each request is closed to another one. */
#define BUT(id) SELECT("device.attributes['gpu.example.com'].id != " id)
    size_t n = (size_t)snprintf(
        yaml, sizeof yaml,
        "%s- {" API "kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, pool: {name: pool, "
        "generation: 1, resourceSliceCount: 1}, allNodes: true, devices: [",
        SNAPSHOT(ON, PLAIN) CLASS CLAIM(
            "c",
            EXACTLY("r", BUT("0")) "," EXACTLY("s", BUT("1")) "," EXACTLY("t", BUT("2")) "," EXACTLY(
                "u", BUT("3")) "," EXACTLY("v",
                                           BUT("4")) "," EXACTLY("w",
                                                                 BUT("5")) "," EXACTLY("q",
                                                                                       SELECT("device.driver == 'x'")),
            "") POD("p", "1", CLAIMS("c")));
    for (int i = 0; i < 9; i++)
        n += (size_t)snprintf(yaml + n, sizeof yaml - n, "%s{name: d%d, attributes: {id: {int: %d}}}",
                              i > 0 ? ", " : "", i, i);
    snprintf(yaml + n, sizeof yaml - n, "]}}\n");
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error error;
    karp_options options;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    assert_int_equal(karp_context_new(NULL, &context, &error), KARP_OK);
    assert_int_equal(world_of(context, "case", yaml, &snapshot, &error), KARP_OK);
    stopper s;
    options.should_stop = stop_at;
    options.stop_user = &s;
    options.explain = KARP_EXPLAIN_FULL; /* the reasons are searched for as well */
    uint64_t polls = 0;
    for (bool over = false; !over; polls++) {
        karp_decision *d = NULL;
        s = (stopper){ polls, false };
        options.keep_partial = polls % 2;
        karp_status status = karp_provision(snapshot, &options, &d, &error);
        over = !s.told;
        assert_int_equal(status, over || options.keep_partial ? KARP_OK : KARP_E_CANCELED);
        if (status == KARP_OK) assert_int_equal(karp_decision_complete(d), over);
        if (status == KARP_OK) assert_int_equal(karp_decision_unschedulable_count(d), 1);
        karp_decision_unref(d);
    }
    assert_true(polls > 2 * 20); /* some tens of thousands of devices are tried for the pod, and for the reason; every
                                    1,024 somebody is asked */
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors_and_classes),
        cmocka_unit_test(numbers_of_devices),
        cmocka_unit_test(all_of_them),
        cmocka_unit_test(all_as_alternative),
        cmocka_unit_test(constrained_requests),
        cmocka_unit_test(several_constraints),
        cmocka_unit_test(equal_values),
        cmocka_unit_test(bound_devices),
        cmocka_unit_test(reached_from),
        cmocka_unit_test(pools_with_counters),
        cmocka_unit_test(nodes),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests_name("device_search", tests, NULL, NULL);
}
