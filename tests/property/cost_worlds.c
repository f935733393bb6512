/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost_worlds [--from N] [--count N] [--effort STEPS]
 *
 * Plans for the least cost on random worlds with every kind of rule, against what always holds: the
 * verifier accepts them (C-1), every pod that Karpenter's plan places is placed (C-2), they are never dearer (C-5),
 * equal whatever the order of the objects and in several threads (C-6), more effort never makes them dearer (C-7), and
 * none is below the bound, whose certificate holds (C-12, C-13). Exit status: 0 it holds, 1 it does not, 2 trouble.
 */
#include <jansson.h>
#include <karp/certificate.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/objective.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <support/random.h>

#include "worlds.h"

static void check(karp_status status, const karp_error *error)
{
    if (status == KARP_OK) return;
    fprintf(stderr, "cost_worlds: %s: %s %s %s\n", karp_status_name(status), error->object, error->field,
            error->message);
    exit(2);
}

static karp_snapshot *snapshot_of(karp_context *context, const json_t *world)
{
    karp_error error;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    char *text = json_dumps(world, JSON_COMPACT);
    if (text == NULL) exit(2);
    karp_error_init(&error, sizeof error);
    check(karp_reader_new(context, NULL, &reader, &error), &error);
    check(karp_reader_add(reader, (karp_str){ "world", 5 }, (karp_str){ text, strlen(text) }, &error), &error);
    check(karp_reader_finish(reader, &snapshot, &error), &error);
    karp_reader_free(reader);
    free(text);
    return snapshot;
}

/* What else is asked for: nothing in profile karpenter; in profile karp, which has no answers to keep, every
 * combination in turn. */
static karp_objective objective_of(unsigned long seed, uint32_t profile)
{
    static const double costs[] = { 0, 0.02 }, factors[] = { 1, 0.5, 1.6 }, slacks[] = { 0, 0.4 };
    karp_objective objective;
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    if (profile != KARP_PROFILE_KARP) return objective;
    objective.flags = seed % 8;
    objective.node_cost = costs[seed / 8 % 2];
    objective.spot_factor = factors[seed / 16 % 3];
    objective.price_slack = slacks[seed / 48 % 2];
    return objective;
}

static karp_decision *decide(const karp_snapshot *snapshot, unsigned long seed, uint32_t profile, uint64_t effort,
                             karp_cost *cost)
{
    karp_error error;
    karp_options options;
    karp_objective objective = objective_of(seed, profile);
    karp_decision *decision = NULL;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    objective.effort = effort;
    options.profile = profile;
    options.objective = &objective;
    check(karp_provision(snapshot, &options, &decision, &error), &error);
    *cost = (karp_cost){ .size = sizeof *cost };
    check(karp_decision_cost(decision, cost), &error);
    return decision;
}

/* The world at hand, for messages. */
typedef struct trial {
    unsigned long seed;
    uint32_t profile;
    unsigned bad;
} trial;

static void complain(trial *t, const char *what)
{
    printf("# world %lu, profile %s: %s\n", t->seed, t->profile == KARP_PROFILE_KARP ? "karp" : "karpenter", what);
    t->bad++;
}

static size_t count_findings(const karp_snapshot *snapshot, const karp_decision *decision)
{
    karp_verification *found = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    check(karp_verify_decision(snapshot, decision, &found, &error), &error);
    size_t count = karp_verification_count(found);
    karp_verification_free(found);
    return count;
}

static void expect_placed(trial *t, const karp_decision *plain, const karp_decision *cheap)
{
    size_t before = karp_decision_unschedulable_count(plain), i = 0;
    for (size_t k = 0; k < karp_decision_unschedulable_count(cheap); k++) {
        karp_unschedulable mine = { .size = sizeof mine }, theirs = { .size = sizeof theirs };
        (void)karp_decision_unschedulable(cheap, k, &mine);
        bool same = false;
        for (i = 0; i < before && !same; i++) {
            same = karp_decision_unschedulable(plain, i, &theirs) == KARP_OK && theirs.pod == mine.pod;
        }
        if (!same) complain(t, "it leaves a pod that Karpenter's plan places (C-2)");
    }
}

/* Whether Karpenter launches something that no offering serves: then nobody knows the price of its plan. */
static bool unpriced(const karp_decision *decision)
{
    for (size_t i = 0; i < karp_decision_launch_count(decision); i++) {
        karp_launch launch = { .size = sizeof launch };
        if (karp_decision_launch(decision, i, &launch) == KARP_OK && launch.choice.instance_type.len == 0) return true;
    }
    return false;
}

/* The bound is below the plan (C-13), and its certificate proves it (C-12). */
static void expect_bound(trial *t, const karp_snapshot *snapshot, const karp_decision *decision, const karp_cost *cost)
{
    karp_error error;
    karp_options options;
    karp_options_init(&options, sizeof options);
    karp_error_init(&error, sizeof error);
    options.profile = t->profile;
    const karp_certificate *proof = karp_decision_certificate(decision);
    bool ignores = (objective_of(t->seed, t->profile).flags & KARP_COST_IGNORE_PREFERENCES) != 0;
    if (proof == NULL && (unpriced(decision) || ignores)) {
        bool empty = karp_decision_launch_count(decision) == 0;
        if (cost->bound > 0 || (!empty && (cost->gap >= 0 || cost->optimal)))
            complain(t, "it has a bound without a proof (C-12)");
        return;
    }
    if (proof == NULL || cost->bound * KARP_MONEY_PER_DOLLAR > (double)proof->value * (1 + 1e-12) + 1)
        complain(t, "its bound has no certificate (C-12)");
    if (cost->bound > cost->cost * (1 + 1e-12) + 1e-12) complain(t, "it is cheaper than the bound (C-13)");
    if (proof != NULL && karp_certificate_check(snapshot, &options, proof, &error) != KARP_OK) {
        printf("# %s\n", error.message);
        complain(t, "the certificate is refused (C-12)");
    }
}

static void shuffle_list(json_t *list, uint64_t *seed)
{
    for (size_t n = json_array_size(list); n > 1; n--) {
        size_t k = random_below(seed, n);
        json_t *last = json_incref(json_array_get(list, n - 1)), *other = json_incref(json_array_get(list, k));
        if (json_array_set_new(list, k, last) != 0 || json_array_set_new(list, n - 1, other) != 0) exit(2);
    }
}

static void expect_same_shuffled(trial *t, karp_context *context, json_t *world, uint64_t effort,
                                 const karp_decision *decision)
{
    char before[KARP_DIGEST_TEXT], after[KARP_DIGEST_TEXT];
    uint64_t seed = t->seed;
    karp_cost cost;
    shuffle_list(json_object_get(world, "objects"), &seed);
    shuffle_list(json_object_get(json_object_get(world, "state"), "nodes"), &seed);
    karp_snapshot *snapshot = snapshot_of(context, world);
    karp_decision *again = decide(snapshot, t->seed, t->profile, effort, &cost);
    karp_decision_hash(decision, before);
    karp_decision_hash(again, after);
    if (strcmp(before, after) != 0) complain(t, "another order of objects makes another plan (C-6)");
    karp_decision_unref(again);
    karp_snapshot_unref(snapshot);
}

typedef struct asker {
    const karp_snapshot *snapshot;
    const trial *t;
    uint64_t effort;
    char hash[KARP_DIGEST_TEXT];
} asker;

static void *ask(void *user)
{
    asker *a = user;
    karp_cost cost;
    karp_decision *decision = decide(a->snapshot, a->t->seed, a->t->profile, a->effort, &cost);
    karp_decision_hash(decision, a->hash);
    karp_decision_unref(decision);
    return NULL;
}

/* Two threads ask about one snapshot at the same time. */
static void expect_same_in_threads(trial *t, const karp_snapshot *snapshot, uint64_t effort,
                                   const karp_decision *decision)
{
    char before[KARP_DIGEST_TEXT];
    pthread_t threads[2];
    asker askers[2] = { { .snapshot = snapshot, .t = t, .effort = effort },
                        { .snapshot = snapshot, .t = t, .effort = effort } };
    for (size_t i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, ask, &askers[i]) != 0) exit(2);
    }
    for (size_t i = 0; i < 2; i++) (void)pthread_join(threads[i], NULL);
    karp_decision_hash(decision, before);
    if (strcmp(before, askers[0].hash) != 0 || strcmp(before, askers[1].hash) != 0)
        complain(t, "another thread makes another plan (C-6)");
}

static unsigned try_world(unsigned long seed, uint32_t profile, uint64_t effort, unsigned *saved, unsigned *bounded)
{
    trial t = { seed, profile, 0 };
    karp_context *context = NULL;
    json_t *world = world_make(seed);
    karp_cost none, little, much;
    check(karp_context_new(NULL, &context, NULL), NULL);
    karp_snapshot *snapshot = snapshot_of(context, world);
    karp_decision *plain = decide(snapshot, seed, profile, KARP_EFFORT_NONE, &none);
    karp_decision *quick = decide(snapshot, seed, profile, 1000, &little);
    karp_decision *cheap = decide(snapshot, seed, profile, effort, &much);
    if (little.cost > none.cost || much.cost > none.cost) complain(&t, "it is dearer than Karpenter's (C-5)");
    if (much.cost > little.cost) complain(&t, "more effort made it dearer (C-7)");
    if (much.bound < none.bound) complain(&t, "more effort made the bound lower (C-7)");
    /* Karpenter's plan may have faults of its own, by its quirks. */
    size_t faults = count_findings(snapshot, plain);
    if (count_findings(snapshot, quick) > faults || count_findings(snapshot, cheap) > faults)
        complain(&t, "the verifier refuses it (C-1)");
    expect_bound(&t, snapshot, plain, &none);
    expect_bound(&t, snapshot, cheap, &much);
    *bounded += much.bound > 0;
    expect_placed(&t, plain, quick);
    expect_placed(&t, plain, cheap);
    if (seed % 4 == 0) expect_same_in_threads(&t, snapshot, effort, cheap);
    expect_same_shuffled(&t, context, world, effort, cheap);
    *saved += much.cost < none.cost;
    karp_decision_unref(cheap);
    karp_decision_unref(quick);
    karp_decision_unref(plain);
    karp_snapshot_unref(snapshot);
    json_decref(world);
    karp_context_unref(context);
    return t.bad;
}

int main(int argc, char **argv)
{
    unsigned long from = 1, count = 100, effort = KARP_EFFORT_10MS;
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long number = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--from") == 0) from = number;
        else if (strcmp(argv[i], "--count") == 0) count = number;
        else if (strcmp(argv[i], "--effort") == 0) effort = number;
        else return 2;
    }
    unsigned bad = 0, saved = 0, bounded = 0;
    for (unsigned long seed = from; seed < from + count; seed++) {
        bad += try_world(seed, KARP_PROFILE_KARPENTER, effort, &saved, &bounded);
        bad += try_world(seed, KARP_PROFILE_KARP, effort, &saved, &bounded);
    }
    printf("1..1\n%s 1 - %lu worlds, %u plans cheaper than Karpenter's, %u with a bound (%u bad)\n",
           bad == 0 ? "ok" : "not ok", count, saved, bounded, bad);
    return bad > 0;
}
