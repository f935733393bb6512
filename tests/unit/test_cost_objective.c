/* SPDX-License-Identifier: Apache-2.0 */
/* What an objective says beside its kind: preferences, weights, the price of spot, how dear listed types may be. */
#include "planning.h"

#include <karp/certificate.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/objective.h>
#include <math.h>
#include <string.h>

/* An entry of so many CPUs with these offerings, and one offering of a capacity type at a price. */
#define SIZED(name, cpus, offerings)                                                                                   \
    "  - {name: " name ", capacity: {cpu: '" cpus                                                                      \
    "', memory: 64Gi, pods: '110'}, labels: {node.kubernetes.io/instance-type: [" name                                 \
    "], topology.kubernetes.io/zone: [a], karpenter.sh/capacity-type: [on-demand, spot]}, offerings: [" offerings      \
    "]}\n"
#define OFFER(kind, price) "{zone: a, capacityType: " kind ", price: " price "}"
#define READY                                                                                                          \
    "status: {conditions: [{type: Ready, status: 'True'}, {type: ValidationSucceeded, status: 'True'}, "               \
    "{type: NodeClassReady, status: 'True'}]}"
/* A pool of that weight for one type. */
#define POOL_OF(name, weight, type)                                                                                    \
    "- {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " name "}, spec: {weight: " weight               \
    ", template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, "               \
    "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [" type "]}]}}}, " READY "}\n"
#define PENDING "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}"
#define POD_OF(name, cpu, more)                                                                                        \
    "- {apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default, uid: u-" name "}, spec: {" more      \
    "containers: [{name: c, resources: {requests: {cpu: '" cpu "'}}}]}, " PENDING "}\n"
#define HEAD(types)                                                                                                    \
    "apiVersion: karp/v1\nkind: Snapshot\nnow: 2026-06-01T00:00:00Z\ncatalogues:\n- instanceTypes:\n" types "objects:" \
    "\n"

typedef struct asked {
    karp_context *context;
    karp_snapshot *snapshot;
    karp_decision *decision;
    karp_error error;
    karp_cost cost;
    karp_objective objective;
} asked;

static void begin(asked *a, const char *yaml)
{
    *a = (asked){ .error = { .size = sizeof a->error }, .cost = { .size = sizeof a->cost } };
    karp_objective_init(&a->objective, sizeof a->objective);
    a->objective.kind = KARP_OBJECTIVE_COST;
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

static karp_options options_of(const asked *a)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.objective = &a->objective;
    return options;
}

static karp_status try(asked *a)
{
    karp_options options = options_of(a);
    karp_decision_unref(a->decision);
    a->decision = NULL;
    return karp_provision(a->snapshot, &options, &a->decision, &a->error);
}

/* The plan; its proof holds, and no verifier finds anything. */
static void ask(asked *a)
{
    karp_verification *checked = NULL;
    assert_int_equal(try(a), KARP_OK);
    assert_int_equal(karp_decision_cost(a->decision, &a->cost), KARP_OK);
    assert_int_equal(a->cost.flags, a->objective.flags);
    assert_int_equal(karp_verify_decision(a->snapshot, a->decision, &checked, &a->error), KARP_OK);
    assert_int_equal(karp_verification_count(checked), 0);
    karp_verification_free(checked);
    const karp_certificate *proof = karp_decision_certificate(a->decision);
    karp_options options = options_of(a);
    if (proof == NULL) return;
    karp_status status = karp_certificate_check(a->snapshot, &options, proof, &a->error);
    if (status != KARP_OK) print_message("%s\n", a->error.message);
    assert_int_equal(status, KARP_OK);
    assert_true(a->cost.bound <= a->cost.cost + 1e-9);
}

static karp_launch launch_of(const asked *a, size_t index)
{
    karp_launch launch = { .size = sizeof launch };
    assert_int_equal(karp_decision_launch(a->decision, index, &launch), KARP_OK);
    return launch;
}

static bool is(karp_str text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.ptr, word, text.len) == 0;
}

/* C-3: pods that prefer the dear type stay there, unless preferences do not count. */
static void preferences(void **state)
{
    (void)state;
#define PREFERS                                                                                                        \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "             \
    "{matchExpressions: [{key: node.kubernetes.io/instance-type, operator: In, values: [dear]}]}}]}}, "
    asked a;
    begin(&a, HEAD(SIZED("dear", "4", OFFER("on-demand", "2.0")) SIZED("cheap", "4", OFFER("on-demand", "1.0")))
                  POOL_OF("all", "1", "dear, cheap") POD_OF("a", "2", PREFERS) POD_OF("b", "2", PREFERS));
    ask(&a);
    assert_true(a.cost.cost == 2 && a.cost.compatible_cost == 2 && a.cost.bound > 1.9);
    a.objective.flags = KARP_COST_IGNORE_PREFERENCES;
    ask(&a);
    assert_true(a.cost.cost == 1 && a.cost.compatible_cost == 2 && a.cost.bound <= 1);
    const karp_certificate *proof = karp_decision_certificate(a.decision);
    assert_non_null(proof);
    assert_int_equal(proof->ignore_preferences, 1);
    a.objective.effort = KARP_EFFORT_NONE;
    ask(&a);
    assert_true(a.cost.cost == 2 && a.cost.bound <= 1);
    end(&a);
}

/* C-4: the heavier pool is used first, unless money decides. */
static void weights(void **state)
{
    (void)state;
    asked a;
    begin(&a,
          HEAD(SIZED("dear", "4", OFFER("on-demand", "2.0")) SIZED("cheap", "4", OFFER("on-demand", "1.0")))
              POOL_OF("first", "10", "dear") POOL_OF("second", "1", "cheap") POD_OF("a", "2", "") POD_OF("b", "2", ""));
    ask(&a);
    assert_true(a.cost.cost == 2);
    a.objective.flags = KARP_COST_IGNORE_WEIGHTS;
    ask(&a);
    assert_true(a.cost.cost == 1);
    assert_true(is(launch_of(&a, 0).node_pool, "second"));
    end(&a);
}

/* A dear risk of spot makes on-demand the cheaper one, and the launch says so; at its price spot is. */
static void price_of_spot(void **state)
{
    (void)state;
    asked a;
    begin(&a, HEAD(SIZED("t", "4", OFFER("on-demand", "1.0") ", " OFFER("spot", "0.6"))) POOL_OF("all", "1", "t")
                  POD_OF("a", "2", ""));
    ask(&a);
    assert_true(fabs(a.cost.cost - 0.6) < 1e-12);
    assert_true(is(launch_of(&a, 0).choice.capacity_type, "spot"));
    a.objective.spot_factor = 2;
    ask(&a);
    assert_true(fabs(a.cost.compatible_cost - 1.2) < 1e-12 && fabs(a.cost.cost - 1) < 1e-12);
    assert_true(is(launch_of(&a, 0).choice.capacity_type, "on-demand"));
    const karp_certificate *proof = karp_decision_certificate(a.decision);
    assert_true(proof != NULL && proof->spot_factor >= 2);
    a.objective.spot_factor = 0.5;
    ask(&a);
    assert_true(fabs(a.cost.cost - 0.3) < 1e-12);
    end(&a);
}

/* C-8: how much dearer a listed type may be; without a word 0, and 15 % where the launch is spot, whichever search
 * found it. */
static void slack(void **state)
{
    (void)state;
    asked a;
#define THREE(kind)                                                                                                    \
    SIZED("big", "16", OFFER(kind, "9.0"))                                                                             \
    SIZED("small", "4", OFFER(kind, "1.0")) SIZED("near", "4", OFFER(kind, "1.1")) SIZED("far", "4", OFFER(kind, "1.3"))
#define FOUR_PODS POD_OF("a", "2", "") POD_OF("b", "2", "") POD_OF("c", "2", "") POD_OF("d", "2", "")
    static const struct {
        bool spot;
        double given; /* negative = nothing */
        size_t types;
    } cases[] = { { false, -1, 1 }, { true, -1, 2 },  { false, 0.2, 2 },
                  { true, 0, 1 },   { true, 0.5, 3 }, { false, 0.5, 3 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(&a, cases[i].spot ? HEAD(THREE("spot")) POOL_OF("all", "1", "big, small, near, far") FOUR_PODS
                                : HEAD(THREE("on-demand")) POOL_OF("all", "1", "big, small, near, far") FOUR_PODS);
        if (cases[i].given >= 0) a.objective.flags = KARP_COST_PRICE_SLACK;
        a.objective.price_slack = cases[i].given >= 0 ? cases[i].given : 0;
        ask(&a);
        assert_true(a.cost.cost == 2);
        for (size_t k = 0; k < karp_decision_launch_count(a.decision); k++)
            assert_int_equal(launch_of(&a, k).instance_type_count, cases[i].types);
        end(&a);
    }
}

/* C-11: of two plans that cost the same the one with fewer nodes. */
static void fewer_launches(void **state)
{
    (void)state;
    asked a;
    begin(&a, HEAD(SIZED("two", "2", OFFER("on-demand", "1.0")) SIZED("four", "4", OFFER("on-demand", "2.0")))
                  POOL_OF("all", "1", "two, four") FOUR_PODS);
    ask(&a);
    assert_true(a.cost.cost == 4);
    assert_int_equal(karp_decision_launch_count(a.decision), 2);
    end(&a);
}

/* C-9, C-13: what exists takes what it takes in Karpenter's plan, and costs nothing. */
static void existing_nodes(void **state)
{
    (void)state;
    asked a;
    begin(
        &a,
        HEAD(SIZED("t", "4", OFFER("on-demand", "1.0"))) POOL_OF(
            "all", "1",
            "t") "- {apiVersion: v1, kind: Node, metadata: {name: one, uid: one, labels: {kubernetes.io/hostname: one, "
                 "node.kubernetes.io/instance-type: t, topology.kubernetes.io/zone: a, karpenter.sh/capacity-type: "
                 "on-demand}}, spec: {providerID: 'x:///one'}, status: {capacity: {cpu: '4', memory: 64Gi, pods: "
                 "'110'}, "
                 "allocatable: {cpu: '4', memory: 64Gi, pods: '110'}, conditions: [{type: Ready, status: "
                 "'True'}]}}\n" POD_OF("a", "2", ""));
    ask(&a);
    assert_true(a.cost.cost == 0 && a.cost.compatible_cost == 0 && a.cost.gap == 0 && a.cost.optimal == 1);
    assert_int_equal(karp_decision_launch_count(a.decision), 0);
    assert_int_equal(karp_decision_placement_count(a.decision), 1);
    end(&a);
}

/* Nothing costs anything: Karpenter's plan, bound 0, and a warning. */
static void no_prices(void **state)
{
    (void)state;
    asked a;
    begin(&a, HEAD(SIZED("t", "4", OFFER("on-demand", "0"))) POOL_OF("all", "1", "t") POD_OF("a", "2", ""));
    ask(&a);
    assert_true(a.cost.cost == 0 && a.cost.bound == 0 && a.cost.gap == 0);
    assert_int_equal(karp_decision_launch_count(a.decision), 1);
    bool told = false;
    for (size_t i = 0; i < karp_decision_warning_count(a.decision); i++) {
        karp_str text = karp_decision_warning(a.decision, i);
        told = told || (text.len > 11 && memcmp(text.ptr, "no offering", 11) == 0);
    }
    assert_true(told);
    end(&a);
}

/* What is no number, negative or infinite is refused, and the option named. */
static void wrong_numbers(void **state)
{
    (void)state;
    static const double wrong[] = { -1, -1e-300, 1e7, HUGE_VAL, -HUGE_VAL, (double)NAN };
    asked a;
    begin(&a, HEAD(SIZED("t", "4", OFFER("on-demand", "1"))) POOL_OF("all", "1", "t") POD_OF("a", "2", ""));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double *const fields[] = { &a.objective.node_cost, &a.objective.spot_factor, &a.objective.price_slack };
        static const char *const names[] = { "node_cost", "spot_factor", "price_slack" };
        for (size_t f = 0; f < 3; f++) {
            *fields[f] = wrong[i];
            assert_int_equal(try(&a), KARP_E_INVALID);
            assert_non_null(strstr(a.error.message, names[f]));
            *fields[f] = 0;
        }
    }
    a.objective.flags = 8;
    assert_int_equal(try(&a), KARP_E_INVALID);
    assert_non_null(strstr(a.error.message, "flags"));
    end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preferences), cmocka_unit_test(weights),        cmocka_unit_test(price_of_spot),
        cmocka_unit_test(slack),       cmocka_unit_test(fewer_launches), cmocka_unit_test(existing_nodes),
        cmocka_unit_test(no_prices),   cmocka_unit_test(wrong_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
