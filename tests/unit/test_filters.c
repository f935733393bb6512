/* SPDX-License-Identifier: Apache-2.0 */
/* Node filters of spread constraints: which nodes count for a pod with several terms, and which constraints are counted
 * as one. */
#include "deciding.h"

#include <stdio.h>

#define Q(n) (UINT64_C(1) << ((n)-1))
#define ZONE "topology.kubernetes.io/zone"
#define CAPACITY "karpenter.sh/capacity-type"
#define ARCH "kubernetes.io/arch"
#define IN(key, values) "{key: " key ", operator: In, values: [" values "]}"
#define MATCH(expressions) "{matchExpressions: [" expressions "]}"
#define TERMS(list)                                                                                                    \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" list "]}}}, "
#define SPREAD(key, more)                                                                                              \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key ", whenUnsatisfiable: DoNotSchedule" more             \
    ", labelSelector: {matchLabels: {app: x}}}], "

static void decides(deciding d, const char *expected)
{
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), expected);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARP, 0), expected);
    deciding_free(&d);
}

/* ---- which nodes count ------------------------------------------------------------------------------------------- */

/* A full node in a zone, with a pod that the constraint counts if it counts the node. */
#define FULL(name, zone, labels, more)                                                                                 \
    NODE(name, ZONE ": " zone ", " labels, "1", more) BOUND("on-" name, "app: x", name, REQUESTS("cpu: 1"))
#define EITHER TERMS(MATCH(IN(CAPACITY, "on-demand")) ", " MATCH(IN(CAPACITY, "spot") ", " IN(ARCH, "amd64")))
/* The zone is the first by name of those with the fewest. */
#define GOES(zone, policy, ...)                                                                                        \
    decides(decide_on(NULL, CASES "world.yaml",                                                                        \
                      __VA_ARGS__ POD("a", "app: x", EITHER SPREAD(ZONE, policy) REQUESTS("cpu: 2")), NULL),           \
            "default " zone " on-demand: a")

/* A node counts that some term accepts, all of whose expressions hold there. */
static void terms(void **state)
{
    (void)state;
    GOES("z1", "", FULL("n1", "z2", CAPACITY ": on-demand", ""));
    GOES("z2", "", FULL("n1", "z1", CAPACITY ": on-demand", ""));
    GOES("z2", "", FULL("n1", "z1", CAPACITY ": spot, " ARCH ": amd64", ""));
    GOES("z1", "", FULL("n1", "z1", CAPACITY ": spot, " ARCH ": arm64", ""));
    GOES("z1", "", FULL("n1", "z1", CAPACITY ": spot", ""));
    GOES("z1", "", FULL("n1", "z1", ARCH ": amd64", ""));
    GOES("z3", "",
         FULL("n1", "z1", CAPACITY ": on-demand", "") FULL("n2", "z2", CAPACITY ": spot, " ARCH ": amd64", ""));
    GOES("z2", "",
         FULL("n1", "z1", CAPACITY ": on-demand", "") FULL("n2", "z2", CAPACITY ": spot, " ARCH ": arm64", ""));
    /* when terms are no matter, each node counts */
    GOES("z2", ", nodeAffinityPolicy: Ignore", FULL("n1", "z1", CAPACITY ": spot, " ARCH ": arm64", ""));
    GOES("z3", ", nodeAffinityPolicy: Ignore",
         FULL("n1", "z1", CAPACITY ": on-demand", "") FULL("n2", "z2", CAPACITY ": spot, " ARCH ": arm64", ""));
}

/* Taints count when it is asked for, and beside the terms. */
static void taints(void **state)
{
    (void)state;
#define TAINTED ", taints: [{key: t, effect: NoSchedule}]"
    GOES("z2", "", FULL("n1", "z1", CAPACITY ": on-demand", TAINTED));
    GOES("z1", ", nodeTaintsPolicy: Honor", FULL("n1", "z1", CAPACITY ": on-demand", TAINTED));
    GOES("z2", ", nodeTaintsPolicy: Honor", FULL("n1", "z1", CAPACITY ": on-demand", ""));
    GOES("z1", ", nodeTaintsPolicy: Honor", FULL("n1", "z1", CAPACITY ": spot", ""));
    GOES("z1", ", nodeTaintsPolicy: Honor, nodeAffinityPolicy: Ignore", FULL("n1", "z1", CAPACITY ": spot", TAINTED));
    GOES("z2", ", nodeTaintsPolicy: Honor, nodeAffinityPolicy: Ignore", FULL("n1", "z1", CAPACITY ": spot", ""));
}

/* The same holds for nodes that are only launched. */
static void launches(void **state)
{
    (void)state;
#define BESIDE_TAINTED(policy, expected)                                                                               \
    decides(decide_on(NULL,                                                                                            \
                      POOL("open", "")                                                                                 \
                          POOL("tainted", ", taints: [{key: t, effect: NoSchedule}], requirements: [{key: " ZONE       \
                                          ", operator: In, values: [z1]}]"),                                           \
                      POD("a", "app: x",                                                                               \
                          "nodeSelector: {karpenter.sh/nodepool: tainted}, tolerations: [{key: t, operator: "          \
                          "Exists}], " REQUESTS("cpu: 2"))                                                             \
                          POD("b", "app: x", SPREAD(ZONE, policy) REQUESTS("cpu: 1")),                                 \
                      NULL),                                                                                           \
            expected)
    BESIDE_TAINTED("", "open z2: b | tainted z1: a");
    BESIDE_TAINTED(", nodeTaintsPolicy: Honor", "open z1: b | tainted z1: a");
    BESIDE_TAINTED(", nodeAffinityPolicy: Ignore", "open z2: b | tainted z1: a");
}

/* Who asks for one host, as a pod may that has to leave its own, counts no pod of another. */
static void hosts(void **state)
{
    (void)state;
#define LEAVING                                                                                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: old, deletionTimestamp: 2026-01-01T00:00:00Z, finalizers: "         \
    "[karpenter.sh/termination], labels: {kubernetes.io/hostname: old}}, spec: {providerID: old}}" DOCUMENT
#define ON_N1(pods, expected)                                                                                          \
    decides(decide_on(NULL, CASES "world.yaml",                                                                        \
                      LEAVING NODE("n1", ZONE ": z1", "4", "") FULL("n2", "z1", "", "") pods BOUND(                    \
                          "a", "app: x", "old",                                                                        \
                          "nodeSelector: {kubernetes.io/hostname: n1}, " SPREAD(ZONE, "") REQUESTS("cpu: 2")),         \
                      NULL),                                                                                           \
            expected)
    ON_N1("", "n1 <- a");
    ON_N1(BOUND("there", "app: x", "n1", REQUESTS("cpu: 1")), "!a REQUIREMENTS");
}

/* ---- many that are selected -------------------------------------------------------------------------------------- */

/* That somebody asks about it makes kinds of the label's values. */
#define AWAY_FROM_NONE                                                                                                 \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "                     \
    "kubernetes.io/hostname, labelSelector: {matchLabels: {kind: none}}}]}}, "

/* Whoever of many kinds of pods it is that runs in the first zone, the constraint counts it. */
static void many_kinds(void **state)
{
    (void)state;
    enum { KINDS = 9 };
    for (int counted = -1; counted < KINDS; counted++) {
        char pods[6000];
        size_t n = 0;
        for (int i = 0; i < KINDS; i++) {
            n += (size_t)snprintf(pods + n, sizeof pods - n,
                                  "{apiVersion: v1, kind: Pod, metadata: {name: w%d, labels: {app: x, kind: k%d}}, "
                                  "spec: {nodeName: %s, containers: []}, status: {phase: Running}}\n---\n",
                                  i, i, i == counted ? "n1" : "n0");
            /* and one between that nobody selects */
            n += (size_t)snprintf(pods + n, sizeof pods - n,
                                  "{apiVersion: v1, kind: Pod, metadata: {name: v%d, labels: {app: v, kind: k%d}}, "
                                  "spec: {nodeName: n1, containers: []}, status: {phase: Running}}\n---\n",
                                  i, i);
        }
        decides(decide_on(NULL, CASES "world.yaml",
                          NODE("n0", CAPACITY ": on-demand", "1", "")
                              NODE("n1", ZONE ": z1, " CAPACITY ": on-demand", "1", ""),
                          pods,
                          POD("a", "app: x", EITHER SPREAD(ZONE, "") REQUESTS("cpu: 2"))
                              POD("b", "", AWAY_FROM_NONE REQUESTS("cpu: 16")),
                          NULL),
                counted < 0 ? "default z1 on-demand: a | default: b" : "default z2 on-demand: a | default: b");
    }
}

/* ---- what is counted as one -------------------------------------------------------------------------------------- */

/* Two of each, the ones for z1 and the others for z2, spread over capacity types. When their constraints are one, with
 * the filter of the first, nobody sees where the others of z2 are. */
#define TWO(name, rules)                                                                                               \
    POD(name "-0", "app: x", rules SPREAD(CAPACITY, "") REQUESTS("cpu: 500m"))                                         \
    POD(name "-1", "app: x", rules SPREAD(CAPACITY, "") REQUESTS("cpu: 500m"))
#define OF_A "default z1 on-demand: a-0 | default z1 spot: a-1 | "
#define AS_ONE OF_A "default z2 on-demand: b-0 b-1"
#define APART OF_A "default z2 on-demand: b-0 | default z2 spot: b-1"
#define WORKLOADS(a, b) decide_on(NULL, CASES "world.yaml", TWO("a", a) TWO("b", b), NULL)

static void confused(deciding d)
{
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, 0), AS_ONE);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARPENTER, Q(3)), APART);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARP, Q(3)), AS_ONE);
    assert_string_equal(words_of(&d, KARP_PROFILE_KARP, 0), APART);
    deciding_free(&d);
}

static void apart(deciding d) { decides(d, APART); }

/* To Karpenter the keys that a term speaks of are all there is to it. */
static void shared(void **state)
{
    (void)state;
#define Z1 IN(ZONE, "z1")
#define Z2 IN(ZONE, "z2")
#define AMD IN(ARCH, "amd64")
#define EXISTS "{key: " ARCH ", operator: Exists}"
    confused(WORKLOADS("nodeSelector: {" ZONE ": z1}, ", "nodeSelector: {" ZONE ": z2}, "));
    confused(WORKLOADS(TERMS(MATCH(Z1)), TERMS(MATCH(Z2))));
    confused(WORKLOADS("nodeSelector: {" ZONE ": z1}, ", TERMS(MATCH(Z2))));
    confused(WORKLOADS(TERMS(MATCH(Z1 ", " AMD)), TERMS(MATCH(EXISTS ", " Z2))));
    confused(WORKLOADS("nodeSelector: {" ZONE ": z1}, " TERMS(MATCH(AMD)), TERMS(MATCH(Z2 ", " AMD))));
    apart(WORKLOADS(TERMS(MATCH(Z1)), TERMS(MATCH(Z2 ", " AMD))));
    apart(WORKLOADS(TERMS(MATCH(Z1)), "nodeSelector: {" ZONE ": z2}, " TERMS(MATCH(AMD))));
    apart(WORKLOADS(TERMS(MATCH(Z1 ", " AMD)), TERMS(MATCH(Z2 ", {key: kubernetes.io/os, operator: Exists}"))));
    /* Several terms, in any order. */
    confused(WORKLOADS(TERMS(MATCH(Z1) ", " MATCH(Z1 ", " AMD)), TERMS(MATCH(Z2) ", " MATCH(Z2 ", " AMD))));
    confused(WORKLOADS(TERMS(MATCH(Z1) ", " MATCH(Z1 ", " AMD)), TERMS(MATCH(Z2 ", " AMD) ", " MATCH(Z2))));
    apart(WORKLOADS(TERMS(MATCH(Z1) ", " MATCH(Z1 ", " AMD)), TERMS(MATCH(Z2))));
    apart(WORKLOADS(TERMS(MATCH(Z1) ", " MATCH(Z1 ", " AMD)), TERMS(MATCH(Z2 ", " AMD))));
    /* Terms that look alike cancel in pairs: of two nothing is left, of three one. */
    confused(
        WORKLOADS(TERMS(MATCH(Z1 ", " AMD)), TERMS(MATCH(Z2) ", " MATCH(IN(ZONE, "z2, z4")) ", " MATCH(Z2 ", " AMD))));
    confused(
        WORKLOADS(TERMS(MATCH(Z1)), TERMS(MATCH(Z2) ", " MATCH(IN(ZONE, "z2, z4")) ", " MATCH(IN(ZONE, "z2, z5")))));
    confused(WORKLOADS(TERMS(MATCH(Z1 ", " AMD) ", " MATCH(Z1 ", " EXISTS)),
                       TERMS(MATCH(Z2) ", " MATCH(IN(ZONE, "z2, z4")))));
    apart(WORKLOADS(TERMS(MATCH(Z1)), TERMS(MATCH(Z2) ", " MATCH(IN(ZONE, "z2, z4")))));
    confused(WORKLOADS(TERMS(MATCH(Z1) ", " MATCH(Z1)), TERMS(MATCH(Z2) ", " MATCH(Z2))));
    confused(WORKLOADS(TERMS(MATCH(Z1 ", " AMD) ", " MATCH(Z1) ", " MATCH(Z1 ", " AMD)),
                       TERMS(MATCH(Z2) ", " MATCH(Z2 ", " AMD) ", " MATCH(Z2 ", " AMD))));
}

/* Of many terms, in whatever order they are written, the constraints are one; each that lacks one or has one more is
 * another. */
static void many_terms(void **state)
{
    (void)state;
    static const char *const keys[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
    enum { MOST = sizeof keys / sizeof *keys };
    for (size_t count = 1; count < MOST; count++) {
        for (size_t turn = 0; turn < count; turn += 2) {
            for (size_t more = 0; more < 2; more++) {
                char documents[12000];
                size_t n = 0;
                for (int p = 0; p < 4; p++) {
                    const char *zone = p < 2 ? "z1" : "z2";
                    n += (size_t)snprintf(
                        documents + n, sizeof documents - n,
                        "{apiVersion: v1, kind: Pod, metadata: {name: %s-%d, labels: {app: x}}, spec: {" SPREAD(
                            CAPACITY, "")
                            REQUESTS(
                                "cpu: 500m") ", affinity: {nodeAffinity: "
                                             "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [",
                        p < 2 ? "a" : "b", p % 2);
                    for (size_t i = 0; i < count + (p < 2 ? 0 : more); i++) {
                        const char *key = keys[i < count && p >= 2 ? (i + turn) % count : i];
                        n += (size_t)snprintf(documents + n, sizeof documents - n,
                                              "%s{matchExpressions: [{key: " ZONE
                                              ", operator: In, values: [%s]}, {key: %s, operator: DoesNotExist}]}",
                                              i > 0 ? ", " : "", zone, key);
                    }
                    n += (size_t)snprintf(documents + n, sizeof documents - n, "]}}}}}\n---\n");
                }
                deciding d = decide_on(NULL, CASES "world.yaml", documents, NULL);
                if (more > 0) apart(d);
                else confused(d);
            }
        }
    }
}

/* Tolerations belong to the filter, in any order; of equal ones two are as good as none to Karpenter. */
static void tolerations(void **state)
{
    (void)state;
#define HONOR SPREAD(ZONE, ", nodeTaintsPolicy: Honor")
#define TOLERATES(list) "tolerations: [" list "], "
#define T1 "{key: t, operator: Exists}"
#define T2 "{key: u, operator: Exists}"
    /* `a` does not see the pod on the tainted node, and is in z1 alone. Who shares its constraint finds z2 empty,
     * others do not. */
#define AFTER_A(rules)                                                                                                 \
    decide_on(NULL, CASES "world.yaml",                                                                                \
              FULL("n1", "z2", CAPACITY ": spot", ", taints: [{key: t, effect: NoSchedule}]")                          \
                  POD("a", "app: x", HONOR REQUESTS("cpu: 2")) POD("b", "app: x", rules HONOR REQUESTS("cpu: 1")),     \
              NULL)
#define SEES_IT "default z1: a | default z3: b"
#define DOES_NOT "default z1: a | default z2: b"
    decides(AFTER_A(""), DOES_NOT);
    decides(AFTER_A(TOLERATES(T2)), DOES_NOT);
    decides(AFTER_A(TOLERATES(T1)), SEES_IT);
    decides(AFTER_A(TOLERATES(T1 ", " T2)), SEES_IT);
    decides(AFTER_A(TOLERATES(T1 ", " T1 ", " T1)), SEES_IT);
    deciding twice[] = { AFTER_A(TOLERATES(T1 ", " T1)), AFTER_A(TOLERATES(T1 ", " T2 ", " T1 ", " T2)) };
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        assert_string_equal(words_of(&twice[i], KARP_PROFILE_KARPENTER, 0), DOES_NOT);
        assert_string_equal(words_of(&twice[i], KARP_PROFILE_KARP, 0), SEES_IT);
        deciding_free(&twice[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms),      cmocka_unit_test(taints),      cmocka_unit_test(launches),
        cmocka_unit_test(hosts),      cmocka_unit_test(many_kinds),  cmocka_unit_test(shared),
        cmocka_unit_test(many_terms), cmocka_unit_test(tolerations),
    };
    return cmocka_run_group_tests_name("filters", tests, NULL, NULL);
}
