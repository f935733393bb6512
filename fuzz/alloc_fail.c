/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refused memory: two bytes choose which request is the first to be refused and whether all later ones are too, the
 * others a random world. Reading it and deciding on it ends with the status for refused memory or as it ends otherwise;
 * nothing leaks; and the snapshot still answers as before.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include <property/worlds.h>
#include <support/fault.h>

static karp_status read_world(karp_context *context, const char *text, karp_snapshot **out)
{
    karp_reader *reader = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_reader_new(context, NULL, &reader, &error);
    if (status == KARP_OK) status = karp_reader_add(reader, fuzz_str("world.json"), fuzz_str(text), &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, out, &error);
    karp_reader_free(reader);
    return status;
}

static karp_status decide(karp_context *context, const karp_snapshot *snapshot, karp_text *out)
{
    karp_decision *decision = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.max_steps = MAX_STEPS;
    options.keep_partial = 1;
    karp_status status = karp_provision(snapshot, &options, &decision, &error);
    check_result(status, decision, &error);
    if (status == KARP_OK) status = karp_write_plan(context, decision, NULL, NULL, out, &error);
    karp_decision_unref(decision);
    return status;
}

/* Refuses while reading or while deciding, whichever the request number meets; then decides without refusals. */
static void refuse(fault *f, karp_context *context, const char *text, size_t at, bool keep_failing,
                   const karp_text *expected)
{
    karp_snapshot *snapshot = NULL;
    karp_text plan = { NULL, 0, NULL };
    fault_arm(f, at, keep_failing);
    karp_status status = read_world(context, text, &snapshot);
    if (status == KARP_OK) status = decide(context, snapshot, &plan);
    if (status != KARP_OK && status != KARP_E_NOMEM) broken("refused memory has a status of its own");
    if (status == KARP_E_NOMEM && f->refused == 0) broken("no memory is missing where none was refused");
    fault_arm(f, 0, false);
    if (snapshot != NULL && status != KARP_OK) status = decide(context, snapshot, &plan);
    if (plan.ptr != NULL && (plan.len != expected->len || memcmp(plan.ptr, expected->ptr, plan.len) != 0))
        broken("the answer after a refusal is the same");
    if (snapshot != NULL && status != KARP_OK) broken("the snapshot can be used after a refusal");
    karp_text_free(&plan);
    karp_snapshot_unref(snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    fault f = { 0 };
    json_t *tree = world_make_from(data + 2, size - 2);
    char *text = json_dumps(tree, JSON_COMPACT);
    karp_context *context = fault_context(&f);
    karp_snapshot *snapshot = NULL;
    karp_text plan = { NULL, 0, NULL };
    if (text != NULL && context != NULL && read_world(context, text, &snapshot) == KARP_OK &&
        decide(context, snapshot, &plan) == KARP_OK)
        refuse(&f, context, text, 1 + (size_t)(data[0] * 256 + data[1]) / 2 % (f.calls + 1), data[1] % 2 != 0, &plan);
    karp_text_free(&plan);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    if (f.live_blocks != 0 || f.wrong_sizes != 0) broken("everything is given back");
    free(text);
    json_decref(tree);
    return 0;
}
