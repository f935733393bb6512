/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for the least cost on random worlds: never dearer than Karpenter's, no worse before the verifier, the same every time. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/objective.h>

#include <property/worlds.h>

enum { EFFORT = 2000 };

static karp_decision *decide(const fuzz_world *w, uint64_t effort, karp_cost *cost)
{
    karp_options options;
    karp_objective objective;
    karp_decision *decision = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_options_init(&options, sizeof options);
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    objective.effort = effort;
    options.objective = &objective;
    karp_status status = karp_provision(w->snapshot, &options, &decision, &error);
    check_result(status, decision, &error);
    *cost = (karp_cost){ .size = sizeof *cost };
    if (decision != NULL && karp_decision_cost(decision, cost) != KARP_OK)
        broken("a plan for the least cost has figures");
    return decision;
}

static size_t count_findings(const fuzz_world *w, const karp_decision *decision)
{
    karp_verification *found = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_verify_decision(w->snapshot, decision, &found, &error);
    check_result(status, found, &error);
    size_t count = found == NULL ? 0 : karp_verification_count(found);
    karp_verification_free(found);
    return count;
}

static void compare(const fuzz_world *w, const karp_decision *plain, const karp_decision *cheap,
                    const karp_decision *again)
{
    char one[KARP_DIGEST_TEXT], other[KARP_DIGEST_TEXT];
    karp_decision_hash(cheap, one);
    karp_decision_hash(again, other);
    if (strcmp(one, other) != 0) broken("the same plan every time");
    if (count_findings(w, cheap) > count_findings(w, plain)) broken("a plan for the least cost keeps every constraint");
    if (karp_decision_unschedulable_count(cheap) > karp_decision_unschedulable_count(plain))
        broken("every pod that Karpenter places is placed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world w;
    karp_cost none, much, same;
    fuzz_world_open(&w, world_make_from(data, size));
    if (w.snapshot != NULL) {
        karp_decision *plain = decide(&w, KARP_EFFORT_NONE, &none), *cheap = decide(&w, EFFORT, &much);
        karp_decision *again = decide(&w, EFFORT, &same);
        if (plain != NULL && cheap != NULL && again != NULL) {
            if (much.cost > none.cost || much.compatible_cost != none.cost)
                broken("never dearer than Karpenter's plan");
            compare(&w, plain, cheap, again);
        }
        karp_decision_unref(again);
        karp_decision_unref(cheap);
        karp_decision_unref(plain);
    }
    fuzz_world_close(&w);
    return 0;
}
