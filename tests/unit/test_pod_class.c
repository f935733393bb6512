/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod is to a disruption, at the borders of each rule. */
#include <support/disrupting.h>

#include <karp/lifecycle.h>

enum {
    TERMINAL = KARP_POD_TERMINAL,
    TERMINATING = KARP_POD_TERMINATING,
    ACTIVE = KARP_POD_ACTIVE,
    BOUND = KARP_POD_BOUND,
    DAEMON = KARP_POD_OF_DAEMON_SET,
    MOVES = KARP_POD_RESCHEDULABLE | KARP_POD_CURRENTLY_RESCHEDULABLE,
    LATER = KARP_POD_RESCHEDULABLE,
    PROTECTED = KARP_POD_DO_NOT_DISRUPT,
    FREE = KARP_POD_DISRUPTABLE,
    EVICTABLE = KARP_POD_EVICTABLE,
    STUCK = KARP_POD_STUCK,
    DRAINS = KARP_POD_DRAINABLE | KARP_POD_WAITING_EVICTION,
    WAITS = KARP_POD_PROVISIONABLE,
    USUAL = ACTIVE | BOUND | MOVES | FREE | EVICTABLE | DRAINS
};

#define OWNER(api, kind)                                                                                               \
    ",\"ownerReferences\":[{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\",\"name\":\"o\",\"uid\":\"o\"}]"
#define GOING(time) ",\"deletionTimestamp\":\"2026-01-05T" time "Z\""
#define MARKED(value) ",\"annotations\":{\"karpenter.sh/do-not-disrupt\":\"" value "\"}"
#define LABEL(value) ",\"labels\":{\"app\":\"" value "\"}"
#define TOLERATES(more) ",\"tolerations\":[{" more "}]"
#define WAITING ",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\"}]"

static const struct row {
    const char *metadata, *spec, *status;
    uint32_t bits;
} rows[] = {
    { "", "", "", USUAL },
    { "", "", ",\"phase\":\"Succeeded\"", TERMINAL | BOUND | FREE | KARP_POD_DRAINABLE },
    { "", "", ",\"phase\":\"Failed\"", TERMINAL | BOUND | FREE | KARP_POD_DRAINABLE },
    /* deletion */
    { GOING("12:00:30"), "", "", TERMINATING | BOUND | FREE | DRAINS },
    { GOING("11:59:00"), "", "", TERMINATING | BOUND | FREE | DRAINS }, /* a minute ago, not more */
    { GOING("11:58:59"), "", "", TERMINATING | BOUND | FREE | STUCK },
    { GOING("12:00:30") OWNER("apps/v1", "StatefulSet"), "", "", TERMINATING | BOUND | MOVES | FREE | DRAINS },
    /* owners */
    { OWNER("apps/v1", "StatefulSet"), "", "", USUAL },
    { OWNER("apps/v1", "ReplicaSet"), "", "", USUAL },
    { OWNER("apps/v1", "DaemonSet"), "", "", ACTIVE | BOUND | DAEMON | FREE | EVICTABLE | DRAINS },
    { OWNER("apps/v1beta1", "DaemonSet"), "", "", USUAL },
    { OWNER("v1", "Node"), "", "", ACTIVE | BOUND | FREE },
    /* the annotation */
    { MARKED("true"), "", "", ACTIVE | BOUND | LATER | PROTECTED | DRAINS },
    { MARKED("1h"), "", ",\"startTime\":\"2026-01-05T11:00:01Z\"", ACTIVE | BOUND | LATER | PROTECTED | DRAINS },
    { MARKED("1h"), "", ",\"startTime\":\"2026-01-05T11:00:00Z\"", USUAL },
    { MARKED("1h"), "", "", ACTIVE | BOUND | LATER | PROTECTED | DRAINS },
    { MARKED("1h"), "", ",\"startTime\":\"1700-01-01T00:00:00Z\"", USUAL },
    { MARKED("no"), "", "", USUAL },
    { MARKED("true"), "", ",\"phase\":\"Failed\"", TERMINAL | BOUND | PROTECTED | FREE | KARP_POD_DRAINABLE },
    /* the taint of nodes that are disrupted */
    { "", TOLERATES("\"operator\":\"Exists\""), "", ACTIVE | BOUND | MOVES | FREE },
    { "", TOLERATES("\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\""), "",
      ACTIVE | BOUND | MOVES | FREE },
    { "", TOLERATES("\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Exists\",\"effect\":\"NoExecute\""), "", USUAL },
    { "", TOLERATES("\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Equal\",\"value\":\"x\""), "", USUAL },
    /* budgets */
    { LABEL("none"), "", "", USUAL | KARP_POD_PDB_BLOCKED },
    { LABEL("never"), "", "",
      (USUAL | KARP_POD_PDB_BLOCKED | KARP_POD_PDB_CLOSED) & ~(uint32_t)KARP_POD_CURRENTLY_RESCHEDULABLE },
    { LABEL("some"), "", "", USUAL },
    { LABEL("two"), "", "", (USUAL | KARP_POD_PDB_MULTIPLE) & ~(uint32_t)KARP_POD_CURRENTLY_RESCHEDULABLE },
    { LABEL("none") MARKED("true"), "", "",
      ACTIVE | BOUND | LATER | PROTECTED | DRAINS }, /* nobody would ask the budget */
    /* any of several tolerations */
    { "",
      TOLERATES(
          "\"key\":\"other\",\"operator\":\"Exists\"},{\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Exists\""),
      "", ACTIVE | BOUND | MOVES | FREE },
    { "",
      TOLERATES(
          "\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Exists\"},{\"key\":\"other\",\"operator\":\"Exists\""),
      "", ACTIVE | BOUND | MOVES | FREE },
    { "", TOLERATES("\"key\":\"karpenter.sh/disrupted\",\"operator\":\"Equal\""), "", ACTIVE | BOUND | MOVES | FREE },
};

static void add_budget(cluster *c, const char *name, const char *values, const char *spec, int allowed)
{
    add(c,
        ",{\"apiVersion\":\"policy/"
        "v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{"
        "\"selector\":{\"matchExpressions\":"
        "[{\"key\":\"app\",\"operator\":\"In\",\"values\":[%s]}]},%s},\"status\":{\"disruptionsAllowed\":%d}}",
        name, values, spec, allowed);
}

static void test_bits(void **state)
{
    cluster *c = *state;
    const size_t count = sizeof rows / sizeof *rows;
    uint32_t bits = 0;
    cluster_begin(c, 1, "");
    add_pool(c, "pool", "", "");
    add_node(c, "n", 1, "on-demand", "");
    add_budget(c, "b-none", "\"none\"", "\"maxUnavailable\":1", 0);
    add_budget(c, "b-never", "\"never\"", "\"maxUnavailable\":0", 0);
    add_budget(c, "b-some", "\"some\",\"two\"", "\"maxUnavailable\":1", 1);
    add_budget(c, "b-two", "\"two\"", "\"maxUnavailable\":1", 1);
    for (size_t i = 0; i < count; i++) {
        const char *running = strstr(rows[i].status, "phase") != NULL ? "" : ",\"phase\":\"Running\"";
        add(c,
            ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"default\"%s},"
            "\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\"}]%s},"
            "\"status\":{\"x\":0%s%s}}",
            i, rows[i].metadata, rows[i].spec, running, rows[i].status);
    }
    add(c, ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"w\",\"namespace\":\"default\"},\"spec\":{"
           "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Pending\"" WAITING "}}");
    cluster_ready(c);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(karp_pod_flags(c->snapshot, i, 0, &bits), KARP_OK);
        if (bits != rows[i].bits) fail_msg("row %zu: 0x%x instead of 0x%x", i, (unsigned)bits, (unsigned)rows[i].bits);
    }
    assert_int_equal(karp_pod_flags(c->snapshot, count, 0, &bits), KARP_OK);
    assert_int_equal(bits, ACTIVE | MOVES | FREE | EVICTABLE | DRAINS | WAITS);
    assert_int_equal(karp_pod_flags(c->snapshot, count + 1, 0, &bits), KARP_E_NOT_FOUND);
    assert_int_equal(karp_pod_flags(NULL, 0, 0, &bits), KARP_E_INVALID);
    /* A second earlier the hour is not over. */
    assert_int_equal(karp_pod_flags(c->snapshot, 14, INT64_C(1767614399000000000), &bits), KARP_OK);
    assert_true((bits & PROTECTED) != 0);
    assert_string_equal(karp_pod_budget(c->snapshot, 26, 0).ptr, "b-some");
    assert_string_equal(karp_pod_budget(c->snapshot, 26, 1).ptr, "b-two");
    assert_null(karp_pod_budget(c->snapshot, 26, 2).ptr);
    assert_null(karp_pod_budget(c->snapshot, 0, 0).ptr);
    assert_null(karp_pod_budget(c->snapshot, count + 1, 0).ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bits) };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
