/* SPDX-License-Identifier: Apache-2.0 */
/* Launch decisions for the least cost, by the ids of the specification (C-…), on clusters small enough to count by
 * hand. */
#include "planning.h"

#include <karp/certificate.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/objective.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <support/fault.h>

/* An entry of so many CPUs at a price, in one zone; `kind` is a capacity type. */
#define SIZED(name, cpus, price, kind)                                                                                 \
    "  - {name: " name ", capacity: {cpu: '" cpus                                                                      \
    "', memory: 64Gi, pods: '110'}, labels: {node.kubernetes.io/instance-type: [" name                                 \
    "], topology.kubernetes.io/zone: [a], karpenter.sh/capacity-type: [" kind                                          \
    "]}, offerings: [{zone: a, capacityType: " kind ", price: " price "}]}\n"

/* Karpenter fills a node until nothing fits: eight pods of 2 CPUs are one node of 16 at $9, where four of 4 cost $4. */
#define SMALL_AND_BIG SIZED("big", "16", "9.0", "on-demand") SIZED("small", "4", "1.0", "on-demand")
#define EIGHT_PODS                                                                                                     \
    POD("a", "2", "")                                                                                                  \
    POD("b", "2", "")                                                                                                  \
    POD("c", "2", "") POD("d", "2", "") POD("e", "2", "") POD("f", "2", "") POD("g", "2", "") POD("h", "2", "")
#define WORLD SNAPSHOT("{}", SMALL_AND_BIG) EIGHT_PODS

typedef struct asked {
    karp_context *context;
    karp_snapshot *snapshot;
    karp_decision *decision;
    karp_error error;
    karp_cost cost;
} asked;

static void begin(asked *a, const char *yaml)
{
    *a = (asked){ .error = { .size = sizeof a->error }, .cost = { .size = sizeof a->cost } };
    assert_int_equal(karp_context_new(NULL, &a->context, &a->error), KARP_OK);
    karp_status status = world_of(a->context, "case", yaml, &a->snapshot, &a->error);
    if (status != KARP_OK) print_message("%s\n", a->error.message);
    assert_int_equal(status, KARP_OK);
}

static void end(asked *a)
{
    karp_decision_unref(a->decision);
    karp_snapshot_unref(a->snapshot);
    karp_context_unref(a->context);
}

static karp_objective for_cost(void)
{
    karp_objective objective;
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    return objective;
}

static karp_status try(asked *a, const karp_objective *objective)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.objective = objective;
    karp_decision_unref(a->decision);
    a->decision = NULL;
    return karp_provision(a->snapshot, &options, &a->decision, &a->error);
}

/* The plan, which the verifier has to accept (C-1), with its figures. */
static void ask(asked *a, const karp_objective *objective)
{
    karp_verification *checked = NULL;
    assert_int_equal(try(a, objective), KARP_OK);
    assert_int_equal(karp_decision_cost(a->decision, &a->cost), KARP_OK);
    assert_true(a->cost.cost <= a->cost.compatible_cost);
    assert_int_equal(karp_verify_decision(a->snapshot, a->decision, &checked, &a->error), KARP_OK);
    for (size_t i = 0; i < karp_verification_count(checked); i++) {
        karp_finding f = { .size = sizeof f };
        assert_int_equal(karp_verification_at(checked, i, &f), KARP_OK);
        print_message("%.*s\n", (int)f.detail.len, f.detail.ptr);
    }
    assert_int_equal(karp_verification_count(checked), 0);
    karp_verification_free(checked);
}

static void cheaper_than_karpenter(void **state)
{
    (void)state;
    asked a;
    begin(&a, WORLD);
    karp_objective objective = for_cost();
    ask(&a, &objective);
    assert_true(a.cost.compatible_cost == 9 && a.cost.cost == 4);
    assert_int_equal(a.cost.compatible_launches, 1);
    assert_int_equal(karp_decision_launch_count(a.decision), 4);
    assert_int_equal(karp_decision_unschedulable_count(a.decision), 0); /* C-2 */
    assert_int_equal(a.cost.effort, KARP_EFFORT_100MS);
    assert_int_equal(a.cost.stopped, 0);
    end(&a);
}

/* One type at different prices in three zones, and equal pods that are spread over them and fill a node each. */
static void spread_world(char *into, size_t room, const double prices[3], int pods)
{
    size_t at = (size_t)snprintf(into, room, "%s",
                                 "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\nsettings: {}\n"
                                 "catalogues:\n- instanceTypes:\n");
    at += (size_t)snprintf(into + at, room - at,
                           "  - {name: t, capacity: {cpu: '4', memory: 64Gi, pods: '110'}, labels: "
                           "{node.kubernetes.io/instance-type: [t], topology.kubernetes.io/zone: [a, b, c], "
                           "karpenter.sh/capacity-type: [on-demand]}, offerings: [");
    for (int z = 0; z < 3; z++)
        at += (size_t)snprintf(into + at, room - at, "%s{zone: %c, capacityType: on-demand, price: %.1f}",
                               z > 0 ? ", " : "", 'a' + z, prices[z]);
    at += (size_t)snprintf(into + at, room - at, "]}\nobjects:\n%s", POOL);
    for (int i = 0; i < pods && at < room; i++)
        at += (size_t)snprintf(
            into + at, room - at,
            "- {apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: default, uid: u%d, labels: {app: x}}, "
            "spec: {containers: [{name: c, resources: {requests: {cpu: 3}}}], topologySpreadConstraints: [{maxSkew: 1, "
            "topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: "
            "{app: x}}}]}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
            "Unschedulable}]}}\n",
            i, i);
    assert_true(at < room);
}

/* A pod whose constraint allows several zones is placed in the cheapest: the fourth of four pods in three zones. Of
 * five, two zones have two; one of these two zones is Karpenter's choice. */
static void zones_that_a_spread_allows(void **state)
{
    (void)state;
    static const double prices[][3] = { { 1, 2, 4 }, { 4, 2, 1 }, { 2, 1, 4 }, { 4, 1, 2 }, { 2, 4, 1 }, { 1, 4, 2 } };
    static const double costs[] = { 0, 1, 0, 7, 8 }; /* by number of pods */
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        for (int pods = 1; pods <= 5; pods++) {
            char yaml[8192];
            asked a;
            spread_world(yaml, sizeof yaml, prices[i], pods);
            begin(&a, yaml);
            karp_objective objective = for_cost();
            ask(&a, &objective);
            assert_int_equal(karp_decision_unschedulable_count(a.decision), 0);
            if (pods == 1 || pods == 3 || pods == 4) assert_true(a.cost.cost == costs[pods]);
            else assert_true(a.cost.cost <= (pods == 2 ? 5 : 12)); /* 2 and 5: not the most expensive choice */
            assert_true(a.cost.bound <= a.cost.cost);
            end(&a);
        }
    }
}

/* Without effort the plan is Karpenter's, byte for byte; and a plan of Karpenter's has no figures. */
static void no_effort_is_karpenter_s_plan(void **state)
{
    (void)state;
    asked a;
    char plain[KARP_DIGEST_TEXT], without[KARP_DIGEST_TEXT];
    begin(&a, WORLD);
    assert_int_equal(try(&a, NULL), KARP_OK);
    assert_int_equal(karp_decision_cost(a.decision, &a.cost), KARP_E_NOT_FOUND);
    karp_decision_hash(a.decision, plain);
    karp_objective objective = for_cost();
    objective.effort = KARP_EFFORT_NONE;
    ask(&a, &objective);
    karp_decision_hash(a.decision, without);
    assert_string_equal(plain, without);
    assert_true(a.cost.cost == 9);
    objective.kind = KARP_OBJECTIVE_COMPATIBLE;
    assert_int_equal(try(&a, &objective), KARP_OK);
    assert_int_equal(karp_decision_cost(a.decision, &a.cost), KARP_E_NOT_FOUND);
    end(&a);
}

/* What a node costs beside its price decides against many of them. */
static void nodes_that_cost(void **state)
{
    (void)state;
    asked a;
    begin(&a, WORLD);
    karp_objective objective = for_cost();
    objective.node_cost = 2;
    ask(&a, &objective);
    assert_true(a.cost.compatible_cost == 11 && a.cost.cost == 11);
    objective.node_cost = 1;
    ask(&a, &objective);
    assert_true(a.cost.compatible_cost == 10 && a.cost.cost == 8);
    end(&a);
}

/* C-8: only what costs as much is listed; spot types may cost a little more, for the cloud to choose from. */
static void what_a_launch_lists(void **state)
{
    (void)state;
    asked a;
    begin(&a, SNAPSHOT("{}", SIZED("big", "16", "9.0", "on-demand") SIZED("small", "4", "1.0", "on-demand") SIZED(
                                 "same", "4", "1.0", "on-demand") SIZED("dearer", "4", "1.1", "on-demand")) EIGHT_PODS);
    karp_objective objective = for_cost();
    ask(&a, &objective);
    karp_launch launch = { .size = sizeof launch };
    assert_int_equal(karp_decision_launch(a.decision, 0, &launch), KARP_OK);
    assert_int_equal(launch.instance_type_count, 2);
    end(&a);
    begin(&a, SNAPSHOT("{}", SIZED("big", "16", "9.0", "spot") SIZED("small", "4", "1.0", "spot")
                                 SIZED("little", "4", "1.1", "spot") SIZED("dearer", "4", "1.2", "spot")) EIGHT_PODS);
    ask(&a, &objective);
    assert_int_equal(karp_decision_launch(a.decision, 0, &launch), KARP_OK);
    assert_int_equal(launch.instance_type_count, 2);
    end(&a);
}

static void bad_objectives(void **state)
{
    (void)state;
    static const double wrong[] = { -1, -0.001, 1e7, HUGE_VAL, -HUGE_VAL, (double)NAN };
    asked a;
    begin(&a, WORLD);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        karp_objective objective = for_cost();
        objective.node_cost = wrong[i];
        assert_int_equal(try(&a, &objective), KARP_E_INVALID);
        assert_non_null(strstr(a.error.message, "node_cost"));
    }
    karp_objective objective = for_cost();
    objective.kind = 2;
    assert_int_equal(try(&a, &objective), KARP_E_INVALID);
    end(&a);
}

/* Stops when asked for the n-th time. */
static int32_t countdown(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

/* C-5, C-6: whenever it is stopped, it is the plan so far, or CANCELED when Karpenter's own was not there yet. */
static void stopped(void **state)
{
    (void)state;
    asked a;
    begin(&a, WORLD);
    bool before = false, after = false;
    for (int n = 0; n < 200 && !after; n++) {
        int left = n;
        karp_objective objective = for_cost();
        karp_options options;
        karp_options_init(&options, sizeof options);
        objective.effort = 2000;
        options.objective = &objective;
        options.should_stop = countdown;
        options.stop_user = &left;
        karp_decision_unref(a.decision);
        a.decision = NULL;
        karp_status status = karp_provision(a.snapshot, &options, &a.decision, &a.error);
        assert_true(status == KARP_OK || status == KARP_E_CANCELED);
        if (status != KARP_OK) continue;
        assert_int_equal(karp_decision_cost(a.decision, &a.cost), KARP_OK);
        assert_true(a.cost.cost <= 9);
        before = before || a.cost.stopped;
        after = !a.cost.stopped;
    }
    assert_true(before && after);
    end(&a);
}

static karp_status with_refusal(fault *f, size_t fail_at)
{
    karp_error error = { .size = sizeof error };
    karp_context *context = fault_context(f);
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_objective objective = for_cost();
    karp_options options;
    karp_options_init(&options, sizeof options);
    objective.effort = 1000;
    options.objective = &objective;
    assert_non_null(context);
    assert_int_equal(world_of(context, "case", WORLD, &snapshot, &error), KARP_OK);
    fault_arm(f, fail_at, false);
    karp_status status = karp_provision(snapshot, &options, &d, &error);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_int_equal(f->live_blocks, 0);
    assert_int_equal(f->wrong_sizes, 0);
    return status;
}

static void refused_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n += 1 + n / 40) {
        fault f = { 0 };
        karp_status status = with_refusal(&f, n);
        if (f.refused == 0) break;
        assert_true(status == KARP_OK || status == KARP_E_NOMEM);
    }
}

/* ---- stopping inside the bound ----------------------------------------------------------------------------------- */

enum { MANY_TYPES = 60, MANY_PODS = 60 };

/* As many shapes of pods as pods, on types of which none replaces another: the simplex has something to do. */
static void many_shapes(char *into, size_t room)
{
    size_t at = (size_t)snprintf(into, room,
                                 "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\ncatalogues:\n"
                                 "- instanceTypes:\n");
    for (int i = 0; i < MANY_TYPES; i++) {
        int cpus = 2 + i % 30, gib = 4 + (i * 37) % 97;
        at += (size_t)snprintf(
            into + at, room - at,
            "  - {name: t%d, capacity: {cpu: '%d', memory: %dGi, pods: '110'}, labels: "
            "{node.kubernetes.io/instance-type: "
            "[t%d], topology.kubernetes.io/zone: [a], karpenter.sh/capacity-type: [on-demand]}, offerings: [{zone: a, "
            "capacityType: on-demand, price: %d.%03d}]}\n",
            i, cpus, gib, i, (cpus * 40 + gib * 5) / 1000, (cpus * 40 + gib * 5) % 1000);
    }
    at += (size_t)snprintf(into + at, room - at, "objects:\n%s", POOL);
    for (int i = 0; i < MANY_PODS; i++) {
        at += (size_t)snprintf(
            into + at, room - at,
            "- {apiVersion: v1, kind: Pod, metadata: {name: p%d, namespace: default, uid: u-%d}, spec: "
            "{containers: [{name: c, resources: {requests: {cpu: %dm, memory: %dMi}}}]}, status: {phase: Pending, "
            "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}}\n",
            i, i, 150 + (i * 211) % 1900, 300 + (i * 997) % 7001);
    }
    assert_true(at < room);
}

typedef struct patience {
    uint64_t polls, stop_at, after; /* asked so far; the poll that says yes, from 1 (0 = none); asked after that */
} patience;

static int32_t impatient(void *user)
{
    patience *p = user;
    p->after += p->stop_at != 0 && p->polls >= p->stop_at;
    p->polls++;
    return p->stop_at != 0 && p->polls >= p->stop_at;
}

static karp_options patient_options(patience *p, uint64_t stop_at)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    *p = (patience){ .stop_at = stop_at };
    options.should_stop = impatient;
    options.stop_user = p;
    return options;
}

/* The last polls are the bound's own. Whichever says yes, the bound ends there: nobody is asked again, and nothing is
 * left behind. */
static void bound_stopped_anywhere(void **state)
{
    (void)state;
    static char yaml[1 << 16];
    fault f = { 0 };
    patience p;
    karp_error error = { .size = sizeof error };
    karp_context *context = fault_context(&f);
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_bound *bound = NULL;
    many_shapes(yaml, sizeof yaml);
    assert_int_equal(world_of(context, "case", yaml, &snapshot, &error), KARP_OK);
    karp_objective objective = for_cost();
    objective.effort = KARP_EFFORT_10MS;
    karp_options options = patient_options(&p, 0);
    assert_int_equal(karp_provision(snapshot, &options, &d, &error), KARP_OK);
    karp_decision_unref(d);
    uint64_t round = p.polls;
    p.polls = 0;
    options.objective = &objective;
    assert_int_equal(karp_cost_bound(snapshot, &options, &bound, &error), KARP_OK);
    assert_true(karp_bound_value(bound) > 0);
    karp_bound_free(bound);
    uint64_t all = p.polls;
    assert_true(all > round + 20);
    const uint64_t stride = 1 + (all - round) / 8;
    for (uint64_t at = all; at > round; at -= stride < at ? stride : at) {
        size_t blocks = f.live_blocks;
        bound = NULL;
        options = patient_options(&p, at);
        options.objective = &objective;
        assert_int_equal(karp_cost_bound(snapshot, &options, &bound, &error), KARP_E_CANCELED);
        assert_non_null(strstr(error.message, "stopped"));
        assert_null(bound);
        assert_int_equal(p.after, 0);
        assert_int_equal(f.live_blocks, blocks);
    }
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

/* A plan that is stopped inside its bound is Karpenter's, without a bound. */
static void plan_stopped_inside_its_bound(void **state)
{
    (void)state;
    static char yaml[1 << 16];
    asked a;
    patience p;
    bool seen = false;
    many_shapes(yaml, sizeof yaml);
    begin(&a, yaml);
    karp_objective objective = for_cost();
    for (uint64_t at = 1; !seen; at++) {
        karp_options options = patient_options(&p, at);
        options.objective = &objective;
        karp_decision_unref(a.decision);
        a.decision = NULL;
        karp_status status = karp_provision(a.snapshot, &options, &a.decision, &a.error);
        if (status == KARP_E_CANCELED) continue;
        assert_int_equal(status, KARP_OK);
        assert_int_equal(karp_decision_cost(a.decision, &a.cost), KARP_OK);
        assert_int_equal(a.cost.stopped, 1);
        assert_true(a.cost.cost >= a.cost.compatible_cost && a.cost.gap < 0);
        assert_true(!(a.cost.bound > 0) && a.cost.optimal == 0);
        seen = true;
    }
    end(&a);
}

static karp_status bound_with_refusal(fault *f, size_t fail_at)
{
    karp_error error = { .size = sizeof error };
    karp_context *context = fault_context(f);
    karp_snapshot *snapshot = NULL;
    karp_bound *bound = NULL;
    assert_non_null(context);
    assert_int_equal(world_of(context, "case", WORLD, &snapshot, &error), KARP_OK);
    fault_arm(f, fail_at, false);
    karp_status status = karp_cost_bound(snapshot, NULL, &bound, &error);
    assert_true((status == KARP_OK) == (bound != NULL));
    karp_bound_free(bound);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    assert_int_equal(f->live_blocks, 0);
    assert_int_equal(f->wrong_sizes, 0);
    return status;
}

static void bound_without_memory(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        fault f = { 0 };
        karp_status status = bound_with_refusal(&f, n);
        if (f.refused == 0) break;
        assert_true(status == KARP_OK || status == KARP_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheaper_than_karpenter),
        cmocka_unit_test(zones_that_a_spread_allows),
        cmocka_unit_test(no_effort_is_karpenter_s_plan),
        cmocka_unit_test(nodes_that_cost),
        cmocka_unit_test(what_a_launch_lists),
        cmocka_unit_test(bad_objectives),
        cmocka_unit_test(stopped),
        cmocka_unit_test(refused_memory),
        cmocka_unit_test(bound_stopped_anywhere),
        cmocka_unit_test(plan_stopped_inside_its_bound),
        cmocka_unit_test(bound_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
