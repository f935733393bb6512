/* SPDX-License-Identifier: Apache-2.0 */
/* Launch decisions of random worlds, judged by the plain reference scheduler and by the verifier. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#include <property/plans.h>
#include <property/worlds.h>
#include <reference/reference.h>

static void compare(const fuzz_world *w, karp_str plan)
{
    char *reference = reference_plan(w->tree, ".");
    if (reference == NULL) {
        fprintf(stderr, "%s\n", reference_error());
        broken("what the library decides the reference decides");
    }
    char *difference = plans_difference(reference, plan.ptr);
    if (difference != NULL) {
        fprintf(stderr, "%s", difference);
        broken("library and reference decide alike");
    }
    free(reference);
}

static size_t count_findings(const fuzz_world *w, const karp_decision *decision)
{
    karp_verification *found = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_verify_decision(w->snapshot, decision, &found, &error);
    check_result(status, found, &error);
    if (found == NULL) return 0;
    size_t count = karp_verification_count(found);
    for (size_t i = 0; i < count; i++) {
        karp_finding row = { .size = sizeof row };
        karp_verification_at(found, i, &row);
        fprintf(stderr, "%s %s: %s\n", karp_finding_name(row.code), row.object.ptr, row.detail.ptr);
    }
    karp_verification_free(found);
    return count;
}

/* Karpenter breaks constraints, and the verifier says so, where it leaves a moving pod whose volume is gone out of its
 * bookkeeping of topology (S-Q2), confuses two of them by their hashes (S-Q3) or takes a contradiction for a wish that
 * the label be absent (S-Q37). With those off nothing may be left to say. */
static void verify(const fuzz_world *w, const karp_decision *decision)
{
    if (count_findings(w, decision) == 0) return;
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.flip_quirks = (uint64_t)1 << (2 - 1) | (uint64_t)1 << (3 - 1) | (uint64_t)1 << (37 - 1);
    karp_decision *sound = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_provision(w->snapshot, &options, &sound, &error);
    check_result(status, sound, &error);
    if (status == KARP_OK && count_findings(w, sound) > 0)
        broken("a decision keeps every constraint, S-Q2, S-Q3 and S-Q37 apart");
    karp_decision_unref(sound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world w;
    fuzz_world_open(&w, world_make_from(data, size));
    karp_decision *decision = NULL;
    karp_text plan = { NULL, 0, NULL };
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = w.snapshot == NULL ? KARP_E_LIMIT : karp_provision(w.snapshot, NULL, &decision, &error);
    if (w.snapshot != NULL) check_result(status, decision, &error);
    if (status == KARP_OK) {
        status = karp_write_plan(w.context, decision, NULL, NULL, &plan, &error);
        check_result(status, plan.ptr, &error);
    }
    if (status == KARP_OK) {
        compare(&w, (karp_str){ plan.ptr, plan.len });
        verify(&w, decision);
    }
    karp_text_free(&plan);
    karp_decision_unref(decision);
    fuzz_world_close(&w);
    return 0;
}
