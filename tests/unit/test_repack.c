/* SPDX-License-Identifier: Apache-2.0 */
/* Repack plans of small clusters whose answers can be worked out by hand. */
#include <support/disrupting.h>

#include <karp/certificate.h>
#include <karp/command.h>
#include <karp/inspect.h>
#include <karp/passes.h>
#include <karp/repack.h>
#include <math.h>

enum { LAST_POLLS = 12 };

static const char any_number[] = ",\"budgets\":[{\"nodes\":\"100%\"}]";
static const char two_at_once[] = ",\"budgets\":[{\"nodes\":\"2\"}]";

static karp_repack_options defaults(void)
{
    karp_repack_options o;
    karp_repack_options_init(&o, sizeof o);
    return o;
}

static void repack(cluster *c, const karp_repack_options *options)
{
    karp_decision_unref(c->decision);
    c->decision = NULL;
    karp_status status = karp_repack(c->snapshot, options, &c->decision, &c->error);
    if (status != KARP_OK) print_message("%s\n", c->error.message);
    assert_int_equal(status, KARP_OK);
}

static karp_repack_cost cost_of(const cluster *c)
{
    karp_repack_cost k = { .size = sizeof k };
    assert_int_equal(karp_decision_repack(c->decision, &k), KARP_OK);
    return k;
}

static karp_repack_step step_at(const cluster *c, size_t index)
{
    karp_repack_step s = { .size = sizeof s };
    assert_int_equal(karp_decision_repack_step(c->decision, index, &s), KARP_OK);
    return s;
}

static size_t steps_of(const cluster *c) { return karp_decision_command_count(c->decision); }

/* What every plan keeps: costs fall from step to step, and the figures agree with each other. */
static void expect_sound(const cluster *c)
{
    karp_repack_cost k = cost_of(c);
    double before = k.before;
    uint64_t evictions = 0;
    for (size_t i = 0; i < steps_of(c); i++) {
        karp_repack_step s = step_at(c, i);
        karp_command m = command_at(c, i);
        assert_int_equal(m.method, KARP_METHOD_REPACK);
        assert_true(s.saving > 0 && s.cost_after < before);
        assert_true(s.saving == m.savings);
        before = s.cost_after;
        evictions += s.evictions;
        assert_true(s.total_evictions == evictions);
    }
    assert_true(before == k.after && evictions == k.evictions);
    double last = k.before + 1;
    for (size_t i = 0; i < karp_decision_repack_point_count(c->decision); i++) {
        karp_repack_point p = { .size = sizeof p };
        assert_int_equal(karp_decision_repack_point(c->decision, i, &p), KARP_OK);
        assert_true(p.cost < last && p.bound <= p.cost + 1e-6);
        last = p.cost;
    }
}

/* So many nodes of 6 cores, each with one pod of 2 cores that is 3 $/h; not ready yet. */
static void begin_thin_nodes(cluster *c, int nodes, const char *disruption)
{
    cluster_begin(c, 6, "");
    add_pool(c, "pool", "", disruption);
    for (int i = 0; i < nodes; i++) {
        char name[16], pod[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        (void)snprintf(pod, sizeof pod, "p%d", i);
        add_node(c, name, 3, "on-demand", CONSOLIDATABLE);
        add_pod(c, pod, name, "2");
    }
}

static void thin_nodes(cluster *c, int nodes, const char *disruption)
{
    begin_thin_nodes(c, nodes, disruption);
    cluster_ready(c);
}

/* Twelve cores are cheapest on two nodes of spot of 1.50 each, or one of 3. */
static void test_everything_moves(void **state)
{
    cluster *c = *state;
    karp_repack_options o = defaults();
    thin_nodes(c, 6, any_number);
    repack(c, &o);
    karp_repack_cost k = cost_of(c);
    assert_true(k.before == 18 && k.after == 3);
    assert_int_equal(k.evictions, 6);
    assert_int_equal(k.pods, 6);
    expect_sound(c);
    assert_int_equal(karp_decision_kept_count(c->decision), 0);
}

static void test_limits(void **state)
{
    cluster *c = *state;
    karp_repack_options o = defaults();
    thin_nodes(c, 6, any_number);
    o.max_evictions = 2; /* two nodes go, their pods have space on the others */
    repack(c, &o);
    assert_true(cost_of(c).after == 12 && cost_of(c).evictions == 2);
    expect_sound(c);
    o.max_evictions = KARP_REPACK_ANY;
    o.max_evicted_percent = 50;
    repack(c, &o);
    assert_true(cost_of(c).after == 9 && cost_of(c).evictions == 3);
    o.max_evictions = 0;
    repack(c, &o);
    assert_int_equal(steps_of(c), 0);
    assert_true(cost_of(c).after == 18);
    o = defaults();
    o.max_steps = 0;
    repack(c, &o);
    assert_int_equal(steps_of(c), 0);
    o = defaults();
    o.min_saving_per_eviction = 3.01;
    repack(c, &o);
    assert_int_equal(steps_of(c), 0);
    o = defaults();
    o.min_saving = 1000;
    repack(c, &o);
    assert_int_equal(steps_of(c), 0);
}

static void test_budgets(void **state)
{
    cluster *c = *state;
    karp_repack_options o = defaults();
    thin_nodes(c, 6, two_at_once);
    repack(c, &o);
    assert_true(steps_of(c) >= 3);
    for (size_t i = 0; i < steps_of(c); i++) assert_true(command_at(c, i).node_count <= 2);
    assert_true(cost_of(c).after == 3);
    expect_sound(c);
    thin_nodes(c, 6, ",\"budgets\":[{\"nodes\":\"0\"}]");
    repack(c, &o);
    assert_int_equal(steps_of(c), 0);
    expect_kept(c, "n0", "BUDGET");
    o.ignore_budgets = 1;
    repack(c, &o);
    assert_true(cost_of(c).after == 3);
}

static void test_who_stays(void **state)
{
    cluster *c = *state;
    karp_repack_options o = defaults();
    cluster_begin(c, 6, "");
    add_pool(c, "pool", "", any_number);
    add_node(c, "young", 3, "on-demand", "");
    add_pod(c, "p0", "young", "1");
    add_node_with(c, "own", "pool", 3, "on-demand", CONSOLIDATABLE, "", ",\"karpenter.sh/do-not-disrupt\":\"true\"");
    add_pod(c, "p1", "own", "1");
    add_node(c, "empty", 3, "on-demand", CONSOLIDATABLE);
    cluster_ready(c);
    repack(c, &o);
    expect_commands(c, "empty");
    assert_int_equal(step_at(c, 0).evictions, 0);
    expect_kept(c, "own", "NODE_DO_NOT_DISRUPT");
    expect_kept(c, "young", "NOT_CONSOLIDATABLE");
    o.ignore_consolidate_after = 1;
    repack(c, &o);
    expect_sound(c);
    assert_null(kept(c, "young", NULL));
    const karp_str going = { "empty", 5 };
    o.in_progress = &going;
    o.in_progress_count = 1;
    repack(c, &o);
    expect_kept(c, "empty", "IN_QUEUE");
}

/* Three pods at once are more than their PodDisruptionBudget allows: the node stays, and is a place for the others'
 * pods. */
static void test_more_than_a_budget_allows(void **state)
{
    cluster *c = *state;
    karp_repack_options o = defaults();
    cluster_begin(c, 6, "");
    add_pool(c, "pool", "", any_number);
    for (int i = 0; i < 5; i++) {
        char name[16], node[16];
        (void)snprintf(name, sizeof name, "p%d", i);
        (void)snprintf(node, sizeof node, "n%d", i < 3 ? 0 : i);
        if (i == 0 || i > 2) add_node(c, node, 3, "on-demand", CONSOLIDATABLE);
        add_pod_with(c, name, node, "600m", ",\"labels\":{\"app\":\"web\"}", "");
    }
    add(c,
        ",{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{\"name\":\"two\",\"namespace\":"
        "\"default\"},\"spec\":{\"maxUnavailable\":2,\"selector\":{\"matchLabels\":{\"app\":\"web\"}}},"
        "\"status\":{\"disruptionsAllowed\":2}}");
    cluster_ready(c);
    repack(c, &o);
    assert_int_equal(cost_of(c).evictions, 2);
    assert_true(cost_of(c).after == 3);
    expect_kept(c, "n0", "PDB_BLOCKED");
    expect_sound(c);
}

/* The plan's first step as a command: one look after its waiting time. */
static void expect_first_step(cluster *c, const karp_snapshot *later_snapshot, uint32_t phase, uint32_t reason)
{
    karp_step *begun = NULL, *next = NULL;
    karp_command_state s = { .size = sizeof s };
    assert_int_equal(karp_command_begin(c->decision, 0, &begun, &c->error), KARP_OK);
    assert_int_equal(karp_step_state(begun, &s), KARP_OK);
    assert_int_equal(s.method, KARP_METHOD_REPACK);
    assert_true(s.validate_at - s.decided == INT64_C(15000000000));
    c->common.now = s.validate_at;
    assert_int_equal(karp_command_step(later_snapshot, &s, &c->options, NULL, 0, &next, &c->error), KARP_OK);
    assert_int_equal(karp_step_state(next, &s), KARP_OK);
    assert_string_equal(karp_phase_name(s.phase), karp_phase_name(phase));
    assert_string_equal(karp_reason_name(s.reason), karp_reason_name(reason));
    karp_step_free(next);
    karp_step_free(begun);
    c->common.now = 0;
}

/* Steps are validated as commands are, whatever the number of nodes that come and go, empty ones among them. */
static void test_steps_as_commands(void **state)
{
    static cluster later_world;
    void *other = &later_world;
    cluster *c = *state, *w = &later_world;
    karp_repack_options o = defaults();
    begin_thin_nodes(c, 6, any_number);
    add_node(c, "empty", 3, "on-demand", CONSOLIDATABLE);
    cluster_ready(c);
    repack(c, &o);
    assert_string_equal(command_at(c, 0).nodes[0].ptr, "empty");
    expect_first_step(c, c->snapshot, KARP_COMMAND_PHASE_STARTING, KARP_REASON_NONE);
    thin_nodes(c, 6, any_number);
    o.max_steps = 1;
    repack(c, &o);
    assert_true(command_at(c, 0).node_count > 1 && command_at(c, 0).launch_count > 0);
    expect_first_step(c, c->snapshot, KARP_COMMAND_PHASE_STARTING, KARP_REASON_NONE);
    thin_nodes(w, 6, ",\"budgets\":[{\"nodes\":\"0\"}]");
    expect_first_step(c, w->snapshot, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_VALIDATION_BUDGET);
    thin_nodes(w, 1, any_number);
    expect_first_step(c, w->snapshot, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_CHURN);
    begin_thin_nodes(w, 6, any_number);
    for (int i = 0; i < 6; i++) { /* meanwhile there are pods that need a node of 12 cores each */
        char name[16], node[16];
        (void)snprintf(name, sizeof name, "more%d", i);
        (void)snprintf(node, sizeof node, "n%d", i);
        add_pod(w, name, node, "11");
    }
    cluster_ready(w);
    expect_first_step(c, w->snapshot, KARP_COMMAND_PHASE_GIVEN_UP, KARP_REASON_SCHEDULING);
    assert_int_equal(cluster_tear_down(&other), 0);
}

/* The cluster costs 18. A full repack is proven to come to 3, the least of its curve; whoever moves two pods loses two
 * nodes at most. */
static void test_certificate(void **state)
{
    cluster *c = *state;
    karp_repack_options o = defaults();
    thin_nodes(c, 6, any_number);
    repack(c, &o);
    assert_null(karp_decision_certificate(c->decision));
    o.certificate = 1;
    repack(c, &o);
    const karp_certificate *proof = karp_decision_certificate(c->decision);
    assert_non_null(proof);
    assert_true(proof->member_count == 6 && proof->point_count >= 3);
    assert_true(proof->members[0].removable == 1 && proof->members[0].pod_count == 1);
    assert_true(fabs((double)proof->value / KARP_MONEY_PER_DOLLAR - cost_of(c).bound) < 1e-6);
    assert_int_equal(karp_certificate_check(c->snapshot, NULL, proof, &c->error), KARP_OK);

    karp_certificate more = *proof;
    more.value++;
    assert_int_equal(karp_certificate_check(c->snapshot, NULL, &more, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "more than its last point"));
    karp_certificate_point point = proof->points[proof->point_count - 1];
    more = *proof;
    more.points = &point;
    more.point_count = 1;
    assert_int_equal(karp_certificate_check(c->snapshot, NULL, &more, &c->error), KARP_OK);
    point.value++;
    assert_int_equal(karp_certificate_check(c->snapshot, NULL, &more, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "claims"));
    point.value = 0;
    more.value = 0;
    point.part = KARP_CERTIFICATE_WHOLE + 1;
    assert_int_equal(karp_certificate_check(c->snapshot, NULL, &more, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "impossible numbers"));
    more = *proof;
    more.member_count--;
    assert_int_equal(karp_certificate_check(c->snapshot, NULL, &more, &c->error), KARP_E_INVALID);

    karp_str busy = karp_snapshot_node_name(c->snapshot, 0);
    o.in_progress = &busy;
    o.in_progress_count = 1;
    repack(c, &o);
    assert_null(karp_decision_certificate(c->decision));
}

static void test_bad_options(void **state)
{
    cluster *c = *state;
    karp_decision *d = NULL;
    thin_nodes(c, 1, any_number);
    karp_repack_options o = defaults();
    o.max_evicted_percent = -1;
    assert_int_equal(karp_repack(c->snapshot, &o, &d, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "max_evicted_percent"));
    o = defaults();
    o.min_saving = -1;
    assert_int_equal(karp_repack(c->snapshot, &o, &d, &c->error), KARP_E_INVALID);
    o = defaults();
    o.min_saving_per_eviction = 1e300;
    assert_int_equal(karp_repack(c->snapshot, &o, &d, &c->error), KARP_E_INVALID);
    o = defaults();
    o.in_progress_count = 1;
    assert_int_equal(karp_repack(c->snapshot, &o, &d, &c->error), KARP_E_INVALID);
    assert_int_equal(karp_repack(NULL, NULL, &d, &c->error), KARP_E_INVALID);
    decide(c, KARP_METHOD_SINGLE_NODE);
    karp_repack_cost k = { .size = sizeof k };
    assert_int_equal(karp_decision_repack(c->decision, &k), KARP_E_NOT_FOUND);
    c->options.method = KARP_METHOD_REPACK;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "karp_repack()"));
    c->options.method = KARP_METHOD_STATIC_DEPROVISIONING;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "karp_launch_static_pools()"));
    c->options.method = KARP_METHOD_STATIC_DEPROVISIONING + 1;
    assert_int_equal(karp_disrupt(c->snapshot, &c->options, &d, &c->error), KARP_E_INVALID);
    assert_non_null(strstr(c->error.message, "unknown method"));
}

typedef struct patience {
    uint64_t polls, most;
} patience;

static int32_t is_over(void *user)
{
    patience *p = user;
    return ++p->polls > p->most;
}

/* Pods that the steps move have a place each. */
static void expect_places(const cluster *c)
{
    uint64_t placed = 0;
    for (size_t i = 0; i < karp_decision_placement_count(c->decision); i++) {
        karp_placement p = { .size = sizeof p };
        assert_int_equal(karp_decision_placement(c->decision, i, &p), KARP_OK);
        placed += p.pod_count;
    }
    for (size_t i = 0; i < karp_decision_launch_count(c->decision); i++) {
        karp_launch l = { .size = sizeof l };
        assert_int_equal(karp_decision_launch(c->decision, i, &l), KARP_OK);
        placed += l.pod_count;
    }
    assert_int_equal(placed, cost_of(c).evictions);
}

/* So many nodes of 6 cores, each with eight pods of which no two are alike: the scheduler is asked to stop between
 * their classes. */
static void nodes_of_many_classes(cluster *c, int nodes)
{
    cluster_begin(c, 6, "");
    add_pool(c, "pool", "", any_number);
    for (int i = 0; i < 8 * nodes; i++) {
        char name[16], pod[16], cpu[16];
        (void)snprintf(name, sizeof name, "n%d", i / 8);
        (void)snprintf(pod, sizeof pod, "p%d", i);
        (void)snprintf(cpu, sizeof cpu, "%dm", 200 + i);
        if (i % 8 == 0) add_node(c, name, 3, "on-demand", CONSOLIDATABLE);
        add_pod(c, pod, name, cpu);
    }
    cluster_ready(c);
}

/* Who stays says that the search was stopped, and not that a command came first. */
static void expect_stopped_rows(cluster *c)
{
    size_t stopped = 0;
    for (size_t i = 0; i < karp_decision_kept_count(c->decision); i++) {
        karp_kept row = { .size = sizeof row };
        assert_int_equal(karp_decision_kept(c->decision, i, &row), KARP_OK);
        assert_int_not_equal(row.code, KARP_REASON_NOT_REACHED_IN_PASS);
        assert_int_not_equal(row.code, KARP_REASON_NO_CHEAPER_NODE);
        assert_int_not_equal(row.code, KARP_REASON_BUDGET); /* all nodes may go */
        stopped += row.code == KARP_REASON_SEARCH_STOPPED;
    }
    assert_true(stopped > 0 || cost_of(c).evictions > 0); /* where a plan was found, all may go */
}

/* A plan that is stopped after so many polls has places for whom it moves, and costs no less than can be; without
 * keep_partial there is none. Whether the stop came in time: not when only the report was left. */
static bool stopped_after(cluster *c, karp_options *common, uint64_t polls)
{
    karp_repack_options o = defaults();
    patience p = { 0, polls };
    o.common = common;
    common->should_stop = is_over;
    common->stop_user = &p;
    common->keep_partial = 0;
    karp_decision *d = NULL;
    karp_status status = karp_repack(c->snapshot, &o, &d, &c->error);
    if (status == KARP_OK) assert_true(karp_decision_complete(d));
    else assert_true(status == KARP_E_CANCELED && d == NULL);
    karp_decision_unref(d);
    p.polls = 0;
    common->keep_partial = 1;
    repack(c, &o);
    karp_repack_cost k = cost_of(c);
    expect_sound(c);
    expect_places(c);
    assert_true(k.after >= k.bound - 1e-9);
    assert_int_equal(k.stopped, karp_decision_complete(c->decision) == 0);
    if (k.stopped) expect_stopped_rows(c);
    return k.stopped != 0;
}

/* Stopped anywhere, and at each of the polls before all is decided: then the scheduler is asked for the plan. */
static void test_stopped(void **state)
{
    cluster *c = *state;
    karp_options common;
    karp_objective quick;
    uint64_t too_early = 0, late = 1 << 16;
    nodes_of_many_classes(c, 9);
    karp_options_init(&common, sizeof common);
    karp_objective_init(&quick, sizeof quick);
    quick.effort = 0;
    common.objective = &quick;
    assert_true(stopped_after(c, &common, too_early) && cost_of(c).evictions == 0);
    assert_false(stopped_after(c, &common, late));
    double after = cost_of(c).after;
    while (too_early + 1 < late) {
        uint64_t polls = (too_early + late) / 2;
        if (stopped_after(c, &common, polls)) too_early = polls;
        else late = polls;
    }
    assert_true(cost_of(c).before > after && too_early > LAST_POLLS);
    for (uint64_t i = 0; i < LAST_POLLS; i++) {
        assert_true(stopped_after(c, &common, too_early - i));
        assert_true(cost_of(c).evictions > 0); /* what was admitted before is kept */
    }
    common.should_stop = NULL;
    karp_repack_options o = defaults();
    o.common = &common;
    repack(c, &o);
    assert_true(cost_of(c).after == after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_moves),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_budgets),           cmocka_unit_test(test_who_stays),
        cmocka_unit_test(test_steps_as_commands), cmocka_unit_test(test_more_than_a_budget_allows),
        cmocka_unit_test(test_bad_options),       cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
