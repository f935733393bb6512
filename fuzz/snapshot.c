/* SPDX-License-Identifier: Apache-2.0 */
/* The typed door: objects and instance types whose fields the bytes fill, sensible ones and others, decided on. */
#include "typed_objects.h"

#include <stdlib.h>

enum { ROOM = 1 << 17, MOST_OBJECTS = 24 };

static void fill(karp_context *context, karp_builder *b, source *s)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    typed_settings(b, s);
    (void)typed_types(context, b, s, &error);
    for (size_t i = 0; i < MOST_OBJECTS && s->next < s->end; i++) (void)typed_object(b, s, &error);
}

static void decide(karp_context *context, const karp_snapshot *snapshot)
{
    karp_options common;
    karp_options_init(&common, sizeof common);
    common.explain = KARP_EXPLAIN_FULL;
    common.max_steps = MAX_STEPS;
    common.keep_partial = 1;
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    options.max_simulations = MAX_SIMULATIONS;
    for (int disruption = 0; disruption < 2; disruption++) {
        karp_decision *decision = NULL;
        karp_text text = { NULL, 0, NULL };
        karp_error error;
        karp_error_init(&error, sizeof error);
        karp_status status = disruption ? karp_disrupt(snapshot, &options, &decision, &error)
                                        : karp_provision(snapshot, &common, &decision, &error);
        check_result(status, decision, &error);
        if (status == KARP_OK) {
            status = disruption ? karp_write_disruption(context, decision, NULL, &text, &error)
                                : karp_write_plan(context, decision, NULL, NULL, &text, &error);
            check_result(status, text.ptr, &error);
        }
        karp_text_free(&text);
        karp_decision_unref(decision);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = { .next = data, .end = data + size, .room = malloc(ROOM), .size = ROOM };
    meter m = { 0, 0 };
    karp_context *context = metered_context(&m);
    karp_builder *builder = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = s.room == NULL ? KARP_E_NOMEM : karp_builder_new(context, &builder, &error);
    if (status == KARP_OK) {
        fill(context, builder, &s);
        status = karp_builder_finish(builder, &snapshot, &error);
        check_result(status, snapshot, &error);
    }
    if (snapshot != NULL) decide(context, snapshot);
    karp_snapshot_unref(snapshot);
    karp_builder_free(builder);
    karp_context_unref(context);
    free(s.room);
    check_meter(&m);
    return 0;
}
