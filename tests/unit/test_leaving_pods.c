/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods of a node that goes are packed anew: not those that are over, kept by their annotation, or held by a
 * budget. */
#include "deciding.h"

#include <stdbool.h>
#include <stdio.h>

#define Q(n) (UINT64_C(1) << ((n)-1))
#define LEAVING                                                                                                        \
    "{apiVersion: v1, kind: Node, metadata: {name: old, deletionTimestamp: \"2026-01-01T00:00:00Z\", finalizers: "     \
    "[karpenter.sh/termination], labels: {kubernetes.io/hostname: old}}, spec: {providerID: \"test://old\"}, "         \
    "status: {capacity: {cpu: 8, memory: 8Gi, pods: 10}, allocatable: {cpu: 8, memory: 8Gi, pods: 10}}}" DOCUMENT

/* Whether the pod is packed anew. `meta`, `spec` and `status` are members, each with a comma before it. */
static bool moves(const char *meta, const char *spec, const char *status, const char *budgets, uint32_t profile)
{
    char pod[2000];
    snprintf(pod, sizeof pod,
             "{apiVersion: karp/v1, kind: Snapshot, now: \"2026-01-01T12:00:00Z\", objects: [{apiVersion: v1, kind: "
             "Pod, metadata: {name: m, namespace: default, uid: u, labels: {app: x}%s}, "
             "spec: {nodeName: old%s, containers: [{name: c, resources: {requests: {cpu: 1}}}]}, status: {phase: "
             "Running%s}}]}" DOCUMENT, /* as it is: nothing is filled in */
             meta, spec, status);
    deciding d = decide_on(NULL, CASES "world.yaml", LEAVING, pod, budgets, NULL);
    const char *words = words_of(&d, profile, 0);
    bool yes = strcmp(words, "default: m") == 0;
    if (!yes) assert_string_equal(words, "");
    deciding_free(&d);
    return yes;
}

static bool goes(const char *meta, const char *spec, const char *status)
{
    return moves(meta, spec, status, "", KARP_PROFILE_KARPENTER);
}

#define OWNER(api, kind) ", ownerReferences: [{apiVersion: " api ", kind: " kind ", name: o, uid: o, controller: true}]"
#define GOES_AWAY ", deletionTimestamp: \"2026-01-01T11:00:00Z\""

static void owners_and_phases(void **state)
{
    (void)state;
    assert_true(goes("", "", ""));
    assert_true(goes(OWNER("apps/v1", "ReplicaSet"), "", ""));
    assert_false(goes(OWNER("apps/v1", "DaemonSet"), "", ""));
    assert_false(goes(OWNER("v1", "Node"), "", ""));
    assert_true(goes(OWNER("v1", "DaemonSet"), "", "")); /* of another group */
    assert_false(goes(GOES_AWAY, "", ""));
    /* A pod of a StatefulSet comes back under its name: it is packed although it ends. */
    assert_true(goes(GOES_AWAY OWNER("apps/v1", "StatefulSet"), "", ""));
}

#define KEEP(value) ", annotations: {karpenter.sh/do-not-disrupt: \"" value "\"}"
#define SINCE(time) ", startTime: \"" time "\""

/* true, or for a time from the start of the pod on; noon is now. */
static void kept_by_annotation(void **state)
{
    (void)state;
    assert_false(goes(KEEP("true"), "", ""));
    assert_true(goes(KEEP("false"), "", ""));
    assert_true(goes(KEEP("soon"), "", ""));
    assert_true(goes(KEEP("0s"), "", SINCE("2026-01-01T11:59:59Z")));
    assert_true(goes(KEEP("-1h"), "", SINCE("2026-01-01T11:59:59Z")));
    assert_false(goes(KEEP("1h"), "", ""));
    assert_false(goes(KEEP("1h"), "", SINCE("2026-01-01T11:00:01Z")));
    assert_true(goes(KEEP("1h"), "", SINCE("2026-01-01T11:00:00Z")));
    assert_false(goes(KEEP("1h"), "", SINCE("2026-01-01T13:00:00Z"))); /* not begun */
    /* One that ends is not kept. */
    assert_true(goes(KEEP("true") GOES_AWAY OWNER("apps/v1", "StatefulSet"), "", ""));
}

#define BUDGET(name, selector, rule)                                                                                   \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name "}, spec: {selector: " selector        \
    ", " rule "}}" DOCUMENT
#define OF_X "{matchLabels: {app: x}}"
#define HELD(rule) moves("", "", "", BUDGET("b", OF_X, rule), KARP_PROFILE_KARPENTER)

static void held_by_budgets(void **state)
{
    (void)state;
    assert_false(HELD("maxUnavailable: 0"));
    assert_false(HELD("maxUnavailable: 0%"));
    assert_false(HELD("minAvailable: 100%"));
    assert_true(HELD("maxUnavailable: 1"));
    assert_true(HELD("maxUnavailable: 1%"));
    assert_true(HELD("minAvailable: 1"));
    assert_true(HELD("minAvailable: 99%"));
    assert_true(HELD("minAvailable: \"0%\""));
    /* Of other pods, and two of this one. */
    assert_true(moves("", "", "", BUDGET("b", "{matchLabels: {app: w}}", "maxUnavailable: 0"), KARP_PROFILE_KARPENTER));
    assert_false(moves("", "", "", BUDGET("b", OF_X, "maxUnavailable: 1") BUDGET("c", "{}", "maxUnavailable: 1"),
                       KARP_PROFILE_KARPENTER));
    /* A pod that is not ready, and a budget that lets such pods go. */
#define NOT_READY ", conditions: [{type: Ready, status: \"False\"}]"
#define ALWAYS "unhealthyPodEvictionPolicy: AlwaysAllow"
    assert_true(moves("", "", NOT_READY, BUDGET("b", OF_X, "maxUnavailable: 0, " ALWAYS), KARP_PROFILE_KARPENTER));
    assert_false(moves("", "", NOT_READY, BUDGET("b", OF_X, "maxUnavailable: 0"), KARP_PROFILE_KARPENTER));
    assert_false(moves("", "", "", BUDGET("b", OF_X, "maxUnavailable: 0, " ALWAYS), KARP_PROFILE_KARPENTER));
    /* Who tolerates the end of the node is not evicted, and so not held. */
#define TOLERATES(rest) ", tolerations: [{" rest "}]"
#define DISRUPTED "key: karpenter.sh/disrupted"
    static const struct {
        const char *spec;
        bool yes;
    } rows[] = {
        { TOLERATES("operator: Exists"), true },
        { TOLERATES(DISRUPTED ", operator: Exists"), true },
        { TOLERATES(DISRUPTED ", operator: Exists, effect: NoSchedule"), true },
        { TOLERATES(DISRUPTED ", operator: Exists, effect: NoExecute"), false },
        { TOLERATES("key: other, operator: Exists"), false },
        { TOLERATES(DISRUPTED), true },
        { TOLERATES(DISRUPTED ", value: v"), false },
        { TOLERATES(DISRUPTED ", operator: Gt, value: \"1\""), false },
        { TOLERATES("operator: Equal, effect: NoSchedule"), true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(moves("", rows[i].spec, "", BUDGET("b", OF_X, "maxUnavailable: 0"), KARP_PROFILE_KARPENTER),
                         rows[i].yes);
    }
}

/* Without D-Q22 a budget is held to what it says of the pods that there are: here one. */
static void exact_budgets(void **state)
{
    (void)state;
#define EXACT(rule) moves("", "", "", BUDGET("b", OF_X, rule), KARP_PROFILE_KARP)
    assert_false(EXACT("maxUnavailable: 0"));
    assert_true(EXACT("maxUnavailable: 1"));
    assert_true(EXACT("maxUnavailable: 1%")); /* rounded up: one */
    assert_false(EXACT("maxUnavailable: 00%"));
    assert_false(EXACT("minAvailable: 1"));
    assert_false(EXACT("minAvailable: 2"));
    assert_true(EXACT("minAvailable: 0"));
    assert_false(EXACT("minAvailable: 1%"));
    assert_true(EXACT("minAvailable: 0%"));
    assert_false(EXACT("minAvailable: 200%"));
    /* Neither number nor percentage: it holds nothing. */
    assert_true(EXACT("minAvailable: \"%\""));
    assert_true(EXACT("minAvailable: \"50\""));
    assert_true(EXACT("minAvailable: many%"));
    assert_true(EXACT("minAvailable: \"5:%\""));
    assert_true(EXACT("minAvailable: \"5 %\""));
    assert_true(EXACT("maxUnavailable: \"0000000000%\""));
    assert_false(EXACT("maxUnavailable: \"00000000%\""));
    /* Nothing is said. */
    assert_true(EXACT("unhealthyPodEvictionPolicy: IfHealthyBudget"));
    /* Both are said, which the API does not admit: what Karpenter takes for closed is. */
    assert_false(EXACT("maxUnavailable: 1, minAvailable: 100%"));
    assert_true(moves("", "", NOT_READY, BUDGET("b", OF_X, "minAvailable: 1, " ALWAYS), KARP_PROFILE_KARP));
    assert_false(moves("", "", "", BUDGET("b", OF_X, "minAvailable: 1, " ALWAYS), KARP_PROFILE_KARP));
    assert_true(moves("", "", "", BUDGET("b", "{matchLabels: {app: w}}", "minAvailable: 1"), KARP_PROFILE_KARP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_and_phases),
        cmocka_unit_test(kept_by_annotation),
        cmocka_unit_test(held_by_budgets),
        cmocka_unit_test(exact_budgets),
    };
    return cmocka_run_group_tests_name("leaving_pods", tests, NULL, NULL);
}
