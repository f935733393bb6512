/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier on plans written by hand: a good one, and one for each thing that can be wrong. */
#include "verifying.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/io.h>
#include <support/fault.h>

static const struct check checks[] = {
    /* good ones */
    { BOTH POD("a", "1", "") POD("b", "1", ""), "{\"launches\":[" LAUNCH(AB, "\"m\"", "") "]}", "" },
    { BOTH NODE("n1", "a", "4", "") POD("a", "1", ""), "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "" },
    { BOTH POD("a", "1", ""), "{\"unschedulable\":[{\"pod\":" A "}]}", "" },
    /* A daemon that asks for devices takes no room while such pods are refused, on a node as on a type. */
    { BOTH NODE("n1", "a", "4", "") DEVICE_DAEMON("3") POD("a", "2", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "" },
    { BOTH DEVICE_DAEMON("3") POD("a", "2", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "" },
    { DEVICES NODE("n1", "a", "4", "") DEVICE_DAEMON("3") POD("a", "2", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "RESOURCES node n1\n" },
    { BOTH POD("a", "1", ""), "{\"ignored\":[{\"pod\":" A "}]}", "" },
    { BOTH POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: a}"),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "]}", "" },
    { BOTH LABELLED("a", "app: x", ANTI("topology.kubernetes.io/zone"))
          LABELLED("b", "app: x", ANTI("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "," LAUNCH(B, "\"m\"", ZONE_IN("b")) "]}", "" },
    { BOTH LABELLED("a", "app: x", WITH("topology.kubernetes.io/zone"))
          LABELLED("b", "app: x", WITH("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "," LAUNCH(B, "\"m\"", ZONE_IN("a")) "]}", "" },
    { BOTH LABELLED("a", "app: x", SPREAD("topology.kubernetes.io/zone"))
          LABELLED("b", "app: x", SPREAD("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "," LAUNCH(B, "\"m\"", ZONE_IN("b")) "]}", "" },
    { BOTH PORT("a", "80") PORT("b", "81"), "{\"launches\":[" LAUNCH(AB, "\"m\"", "") "]}", "" },
    /* pods */
    { BOTH POD("a", "1", ""), "{}", "POD_MISSING pod default/a\n" },
    { BOTH POD("a", "1", ""), "{\"unschedulable\":[{\"pod\":" A "}],\"ignored\":[{\"pod\":" A "}]}",
      "POD_TWICE pod default/a\n" },
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(A "," A, "\"m\"", "") "]}", "POD_TWICE pod default/a\n" },
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(AB, "\"m\"", "") "]}", "POD_UNKNOWN pod default/b\n" },
    { BOTH NODE("n1", "a", "4", "") RUNNING("b", "n1", "app: x", ""), "{\"launches\":[" LAUNCH(B, "\"m\"", "") "]}",
      "POD_NOT_PENDING pod default/b\n" },
    /* where to */
    { BOTH POD("a", "1", ""), "{\"placements\":[{\"node\":\"n9\",\"pods\":[" A "]}]}", "NODE_UNKNOWN node n9\n" },
    { BOTH POD("a", "1", ""),
      "{\"launches\":[{\"id\":\"new-1\",\"nodePool\":\"other\",\"pods\":[" A "],\"instanceTypes\":[\"m\"]}]}",
      "POOL_UNKNOWN launch new-1\n" },
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "," LAUNCH("", "\"m\"", "") "]}",
      "NO_PODS launch new-1\n" },
    /* types */
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(A, "", "") "]}", "NO_TYPES launch new-1\n" },
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(A, "\"x\"", "") "]}", "TYPE_UNKNOWN launch new-1\n" },
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("z")) "]}",
      "TYPE_REQUIREMENTS launch new-1\nTYPE_OFFERING launch new-1\n" },
    { BOTH POD("a", "1", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", SPOT) "]}",
      "TYPE_REQUIREMENTS launch new-1\nTYPE_OFFERING launch new-1\n" },
    { BOTH POD("a", "5", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "TYPE_RESOURCES launch new-1\n" },
    /* A daemon for nodes with a label that the pool does not give comes to none of them. */
    { BOTH PICKY_DAEMON("3", "nowhere: x") POD("a", "2", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "" },
    { BOTH PICKY_DAEMON("3", "karpenter.sh/nodepool: default") POD("a", "2", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "TYPE_RESOURCES launch new-1\n" },
    { BOTH PICKY_DAEMON("3", "karpenter.sh/nodepool: other") POD("a", "2", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "" },
    { BOTH DAEMON("2", "90") POD("a", "3", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}",
      "TYPE_RESOURCES launch new-1\n" },
    { BOTH DAEMON("1", "80") PORT("a", "80"), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}",
      "TYPE_HOST_PORT launch new-1\n" },
    /* requirements */
    { BOTH POD("a", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "{\"key\":\"karpenter.sh/nodepool\",\"operator\":\"Exists\"}") "]}",
      "POOL_REQUIREMENTS launch new-1\n" },
    { BOTH POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: a}"),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "REQUIREMENTS pod default/a\n" },
    { BOTH POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: a}"),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("b")) "]}", "REQUIREMENTS pod default/a\n" },
    { BOTH NODE("n1", "b", "4", "") POD("a", "1", ", nodeSelector: {topology.kubernetes.io/zone: a}"),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "REQUIREMENTS pod default/a\n" },
    { BOTH NODE("n1", "b", "4", "taints: [{key: t, effect: NoSchedule}]") POD("a", "1", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "TAINTS pod default/a\n" },
    { BOTH NODE("n1", "b", "4", "taints: [{key: t, effect: PreferNoSchedule}]") POD("a", "1", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "" },
    /* ports, room, volumes */
    { BOTH PORT("a", "80") PORT("b", "80"), "{\"launches\":[" LAUNCH(AB, "\"m\"", "") "]}",
      "HOST_PORT pod default/b\n" },
    { BOTH NODE("n1", "b", "4", "") POD("a", "3", "") POD("b", "2", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" AB "]}]}", "RESOURCES node n1\n" },
    { BOTH DAEMON("2", "90") NODE("n1", "b", "4", "") POD("a", "3", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "RESOURCES node n1\n" },
    { BOTH NODE("n1", "b", "4", "") BOUND_CLAIM("a") POD("a", "1", USES_CLAIM),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "VOLUME pod default/a\n" },
    { BOTH BOUND_CLAIM("a") POD("a", "1", USES_CLAIM), "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "]}", "" },
    { BOTH BOUND_CLAIM("a") POD("a", "1", USES_CLAIM), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}",
      "VOLUME pod default/a\n" },
    { BOTH NODE("n1", "a", "4", "") "- {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: "
                                    "{drivers: [{name: d, nodeID: n1, allocatable: {count: 0}}]}}\n" BOUND_CLAIM("a")
                                        POD("a", "1", USES_CLAIM),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "VOLUME_LIMIT node n1\n" },
    /* topology */
    { BOTH LABELLED("a", "app: x", SPREAD("topology.kubernetes.io/zone"))
          LABELLED("b", "app: x", SPREAD("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(AB, "\"m\"", ZONE_IN("a")) "]}", "SPREAD pod default/a\n" },
    { BOTH LABELLED("a", "app: x", SPREAD("kubernetes.io/hostname"))
          LABELLED("b", "app: x", SPREAD("kubernetes.io/hostname")),
      "{\"launches\":[" LAUNCH(AB, "\"m\"", "") "]}", "SPREAD pod default/a\n" },
    { BOTH LABELLED("a", "app: x", SPREAD("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "SPREAD pod default/a\n" },
    { BOTH NODE("n1", "a", "4", "") RUNNING("b", "n1", "app: x", "")
          LABELLED("a", "app: x", SPREAD("topology.kubernetes.io/zone")),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "SPREAD pod default/a\n" },
    { BOTH LABELLED("a", "app: x", WITH("topology.kubernetes.io/zone"))
          LABELLED("b", "app: x", WITH("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "," LAUNCH(B, "\"m\"", ZONE_IN("b")) "]}",
      "AFFINITY pod default/b\n" },
    { BOTH LABELLED("a", "app: w", WITH("kubernetes.io/hostname")), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}",
      "AFFINITY pod default/a\n" },
    { BOTH NODE("n1", "a", "4", "") RUNNING("b", "n1", "app: x", "")
          LABELLED("a", "app: x", WITH("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("b")) "]}", "AFFINITY pod default/a\n" },
    { BOTH LABELLED("a", "app: x", ANTI("kubernetes.io/hostname"))
          LABELLED("b", "app: x", ANTI("kubernetes.io/hostname")),
      "{\"launches\":[" LAUNCH(AB, "\"m\"", "") "]}", "ANTI_AFFINITY pod default/a\nANTI_AFFINITY pod default/b\n" },
    { BOTH NODE("n1", "a", "4", "") RUNNING("b", "n1", "app: z", ANTI("kubernetes.io/hostname"))
          LABELLED("a", "app: x", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" A "]}]}", "ANTI_AFFINITY pod default/a\n" },
    { BOTH NODE("n1", "a", "4", "") RUNNING("b", "n1", "app: x", "")
          LABELLED("a", "app: z", ANTI("topology.kubernetes.io/zone")),
      "{\"launches\":[" LAUNCH(A, "\"m\"", ZONE_IN("a")) "]}", "ANTI_AFFINITY pod default/a\n" },
};

/* Worlds with a pool of their own. */
static const struct check pool_checks[] = {
    { HEAD OWN_POOL("limits: {cpu: '6'}, ", ", requirements: []", "True") POD("a", "1", "") POD("b", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "," LAUNCH(B, "\"m\"", "") "]}", "LIMITS nodepool default\n" },
    { HEAD OWN_POOL("limits: {cpu: '8'}, ", ", requirements: []", "True") POD("a", "1", "") POD("b", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "," LAUNCH(B, "\"m\"", "") "]}", "" },
    { HEAD OWN_POOL("limits: {nodes: '1'}, ", ", requirements: []", "True") POD("a", "1", "") POD("b", "1", ""),
      "{\"profile\":\"karp\",\"launches\":[" LAUNCH(A, "\"m\"", "") "," LAUNCH(B, "\"m\"", "") "]}",
      "LIMITS nodepool default\n" },
    { HEAD OWN_POOL("limits: {nodes: '1'}, ", ", requirements: []", "True") POD("a", "1", "") POD("b", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "," LAUNCH(B, "\"m\"", "") "]}",
      "" }, /* Karpenter does not count them in one round */
    { HEAD OWN_POOL("", ", requirements: [{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 2}]",
                    "True") POD("a", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "MIN_VALUES launch new-1\n" },
    { HEAD OWN_POOL("", ", requirements: []", "False") POD("a", "1", ""), "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}",
      "POOL_UNUSABLE launch new-1\n" },
    { HEAD OWN_POOL("replicas: 2, ", ", requirements: []", "True") POD("a", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "POOL_UNUSABLE launch new-1\n" },
    { HEAD OWN_POOL("", ", taints: [{key: t, effect: NoSchedule}], requirements: []", "True") POD("a", "1", ""),
      "{\"launches\":[" LAUNCH(A, "\"m\"", "") "]}", "TAINTS pod default/a\n" },
    /* A pod on a node that the constraint does not look at tells it of no domain. */
    { HEAD OWN_POOL("", ", requirements: []", "False") NODE("n1", "a", "4", "") NODE("n2", "c", "4", "")
          LABELLED("a", "app: x", ON_N1) LABELLED("b", "app: x", ON_N1) LABELLED("c", "app: x", ""),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" AB "]},{\"node\":\"n2\",\"pods\":[\"default/c\"]}]}", "" },
    { HEAD OWN_POOL("", ", requirements: []", "False") NODE("n1", "a", "4", "") NODE("n2", "c", "4", "")
          LABELLED("a", "app: x", SPREAD("topology.kubernetes.io/zone"))
              LABELLED("b", "app: x", SPREAD("topology.kubernetes.io/zone")),
      "{\"placements\":[{\"node\":\"n1\",\"pods\":[" AB "]}]}", "SPREAD pod default/a\n" },
    /* Pods come to tolerate what a pool only asks to be avoided: such a taint hides no node from the constraint. */
    { HEAD OWN_POOL("", ", taints: [" SOFT "], requirements: []", "False") NODE("n1", "a", "4", "")
          NODE("n2", "c", "4", "taints: [" SOFT "]") NODE("n3", "c", "4", "") RUNNING("r", "n2", "app: x", "")
              LABELLED("a", "app: x", HONOR) LABELLED("b", "app: x", HONOR),
      KARP ",\"placements\":[{\"node\":\"n1\",\"pods\":[" AB "]}]}", "" },
    { HEAD OWN_POOL("", ", requirements: []", "False") NODE("n1", "a", "4", "")
          NODE("n2", "c", "4", "taints: [" SOFT "]") NODE("n3", "c", "4", "") RUNNING("r", "n2", "app: x", "")
              LABELLED("a", "app: x", HONOR) LABELLED("b", "app: x", HONOR),
      KARP ",\"placements\":[{\"node\":\"n1\",\"pods\":[" AB "]}]}", "SPREAD pod default/a\n" },
    /* A budget that has nothing to spare keeps its pod on a node that goes; Karpenter does not count. */
    { BOTH LEAVING BUDGET("minAvailable: 1") RUNNING("a", "n1", "app: x", ""), "{}", "POD_MISSING pod default/a\n" },
    { BOTH LEAVING BUDGET("minAvailable: 1") RUNNING("a", "n1", "app: x", ""), KARP "}", "" },
    { BOTH LEAVING BUDGET("minAvailable: 50%") RUNNING("a", "n1", "app: x", ""), KARP "}", "" },
    { BOTH LEAVING BUDGET("minAvailable: 1") RUNNING("a", "n1", "app: x", "") RUNNING("b", "n1", "app: x", ""),
      KARP ",\"unschedulable\":[{\"pod\":" A "}]}", "POD_MISSING pod default/b\n" },
    { BOTH LEAVING BUDGET("maxUnavailable: 1%") RUNNING("a", "n1", "app: x", ""), KARP "}",
      "POD_MISSING pod default/a\n" },
    { BOTH LEAVING BUDGET("maxUnavailable: 0") RUNNING("a", "n1", "app: x", ""), "{}", "" },
};

static void test_checks(void **state)
{
    (void)state;
    verify_each(checks, sizeof checks / sizeof *checks);
}

static void test_pools(void **state)
{
    (void)state;
    verify_each(pool_checks, sizeof pool_checks / sizeof *pool_checks);
}

static void test_memory(void **state)
{
    (void)state;
    static const char world[] = BOTH DAEMON("1", "90") NODE("n1", "a", "4", "")
        RUNNING("c", "n1", "app: x", ANTI("kubernetes.io/hostname"))
            LABELLED("a", "app: x", SPREAD("topology.kubernetes.io/zone"))
                LABELLED("b", "app: x", WITH("topology.kubernetes.io/zone"));
    static const char plan[] = "{\"launches\":[" LAUNCH(
        A, "\"m\"", ZONE_IN("b")) "],\"placements\":[{\"node\":\"n1\",\"pods\":[" B "]}]}";
    char text[4096];
    karp_error error;
    for (size_t at = 1;; at++) {
        fault f = { 0 };
        karp_error_init(&error, sizeof error);
        karp_context *context = fault_context(&f);
        assert_non_null(context);
        fault_arm(&f, at, false);
        karp_status status = findings(context, world, plan, text, sizeof text, &error);
        bool refused = f.refused > 0;
        karp_context_unref(context);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        assert_int_equal(status, refused ? KARP_E_NOMEM : KARP_OK);
        if (!refused) break;
    }
    assert_string_equal(text, "ANTI_AFFINITY pod default/b\n");
}

static void test_bad_plans(void **state)
{
    (void)state;
    static const struct bad {
        const char *plan;
        karp_status status;
        const char *field;
    } bad[] = {
        { "", KARP_E_SYNTAX, "" },
        { "{", KARP_E_SYNTAX, "" },
        { "[]", KARP_E_INVALID, "" },
        { "{} {}", KARP_E_SYNTAX, "" },
        { "{\"kind\":\"Pod\"}", KARP_E_INVALID, "kind" },
        { "{\"launches\":{}}", KARP_E_INVALID, "launches" },
        { "{\"launches\":[{\"id\":\"x\"}]}", KARP_E_INVALID, "launches[0].nodePool" },
        { "{\"launches\":[{\"nodePool\":\"x\",\"pods\":[1]}]}", KARP_E_INVALID, "launches[0].pods[0]" },
        { "{\"placements\":[{\"pods\":[]}]}", KARP_E_INVALID, "placements[0].node" },
        { "{\"unschedulable\":[{}]}", KARP_E_INVALID, "unschedulable[0].pod" },
        { "{\"profile\":\"x\"}", KARP_E_INVALID, "profile" },
    };
    char text[4096];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        karp_context *context = NULL;
        karp_error error;
        karp_error_init(&error, sizeof error);
        assert_int_equal(karp_context_new(NULL, &context, NULL), KARP_OK);
        assert_int_equal(findings(context, BOTH, bad[i].plan, text, sizeof text, &error), bad[i].status);
        assert_string_equal(error.field, bad[i].field);
        assert_string_equal(error.document, "plan");
        karp_context_unref(context);
    }
}

static void test_calls(void **state)
{
    (void)state;
    karp_verification *found = NULL;
    karp_finding row = { .size = sizeof row };
    karp_plan plan = { .size = sizeof plan };
    assert_int_equal(karp_verify(NULL, &plan, &found, NULL), KARP_E_INVALID);
    assert_int_equal(karp_verify_decision(NULL, NULL, &found, NULL), KARP_E_INVALID);
    assert_int_equal(karp_verification_count(NULL), 0);
    assert_int_equal(karp_verification_at(NULL, 0, &row), KARP_E_INVALID);
    karp_verification_free(NULL);
    karp_plan_document_free(NULL);
    assert_string_equal(karp_finding_name(0), "UNKNOWN");
    assert_string_equal(karp_finding_name(KARP_FINDING_ANTI_AFFINITY), "ANTI_AFFINITY");
    assert_string_equal(karp_finding_name(KARP_FINDING_GROUP + 1), "UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks),    cmocka_unit_test(test_pools), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_bad_plans), cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
