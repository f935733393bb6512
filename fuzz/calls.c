/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any public calls in any order, on a few builders, snapshots and decisions, with an allocator that may refuse in any
 * of them. Statuses and results agree; what a refused call was given can still be used; the same question has the same
 * answer; whoever goes last, everything is given back.
 */
#include "typed_objects.h"

#include <stdlib.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/columns.h>
#include <karp/inspect.h>

#include <support/fault.h>

enum { ROOM = 1 << 16, MOST_CALLS = 64, BUILDERS = 2, SNAPSHOTS = 3, DECISIONS = 3 };

typedef struct actor {
    source s;
    fault memory;
    karp_context *context;
    karp_builder *builders[BUILDERS];
    karp_snapshot *snapshots[SNAPSHOTS];
    karp_decision *decisions[DECISIONS];
    karp_error error;
} actor;

/* A slot that the bytes choose. */
static karp_builder **some_builder(actor *a) { return &a->builders[draw(&a->s, BUILDERS)]; }
static karp_snapshot **some_snapshot(actor *a) { return &a->snapshots[draw(&a->s, SNAPSHOTS)]; }
static karp_decision **some_decision(actor *a) { return &a->decisions[draw(&a->s, DECISIONS)]; }

static void put_builder(actor *a, karp_builder *fresh)
{
    karp_builder **slot = some_builder(a);
    if (fresh == NULL) return;
    karp_builder_free(*slot);
    *slot = fresh;
}

static void put_snapshot(actor *a, karp_snapshot *fresh)
{
    karp_snapshot **slot = some_snapshot(a);
    if (fresh == NULL) return;
    karp_snapshot_unref(*slot);
    *slot = fresh;
}

static void put_decision(actor *a, karp_decision *fresh)
{
    karp_decision **slot = some_decision(a);
    if (fresh == NULL) return;
    karp_decision_unref(*slot);
    *slot = fresh;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void call_build(actor *a)
{
    karp_builder *fresh = NULL;
    karp_status status = karp_builder_new(a->context, &fresh, &a->error);
    check_result(status, fresh, &a->error);
    if (fresh != NULL) {
        typed_settings(fresh, &a->s);
        (void)typed_types(a->context, fresh, &a->s, &a->error);
    }
    put_builder(a, fresh);
}

static void call_add(actor *a)
{
    karp_builder *b = *some_builder(a);
    for (uint32_t n = draw(&a->s, 8); b != NULL && n > 0; n--) (void)typed_object(b, &a->s, &a->error);
}

static void call_remove(actor *a)
{
    static const char *const kinds[] = {
        "Pod", "Node", "NodePool", "NodeClaim", "DaemonSet", "StorageClass", "PersistentVolumeClaim", "Nothing"
    };
    karp_builder *b = *some_builder(a);
    if (b == NULL) return;
    karp_str kind = fuzz_str(kinds[draw(&a->s, sizeof kinds / sizeof *kinds)]), name = draw_text(&a->s);
    karp_status status = karp_builder_remove(b, kind, fuzz_str("default"), name, &a->error);
    check_result(status, status == KARP_OK ? b : NULL, &a->error);
}

static void call_place(actor *a)
{
    karp_builder *b = *some_builder(a);
    size_t count = 0;
    const karp_str *names = draw_texts(&a->s, &count);
    if (b == NULL) return;
    karp_status status = karp_builder_set_pods_to_place(b, names, count, &a->error);
    check_result(status, status == KARP_OK ? b : NULL, &a->error);
}

/* A builder that could not finish for want of memory is as it was. */
static void call_finish(actor *a)
{
    karp_builder **slot = some_builder(a), *b = *slot;
    karp_snapshot *fresh = NULL;
    if (b == NULL) return;
    karp_status status = karp_builder_finish(b, &fresh, &a->error);
    check_result(status, fresh, &a->error);
    if (status == KARP_E_NOMEM && a->memory.refused > 0) {
        fault_arm(&a->memory, 0, false);
        karp_error_init(&a->error, sizeof a->error);
        status = karp_builder_finish(b, &fresh, &a->error);
        check_result(status, fresh, &a->error);
        if (status == KARP_E_NOMEM) broken("a builder can be finished after a refusal");
    }
    put_snapshot(a, fresh);
    if (draw(&a->s, 2) == 0) return;
    karp_builder_free(b);
    *slot = NULL;
}

static void call_edit(actor *a)
{
    const karp_snapshot *snapshot = *some_snapshot(a);
    karp_builder *fresh = NULL;
    if (snapshot == NULL) return;
    karp_status status = karp_snapshot_edit(snapshot, &fresh, &a->error);
    check_result(status, fresh, &a->error);
    put_builder(a, fresh);
}

static karp_options some_options(actor *a)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.explain = draw(&a->s, 3);
    options.profile = draw(&a->s, 2);
    options.max_steps = MAX_STEPS;
    options.keep_partial = 1;
    return options;
}

static void check_again(actor *a, const karp_snapshot *snapshot, const karp_options *options,
                        const karp_decision *first)
{
    char one[KARP_DIGEST_TEXT] = "", two[KARP_DIGEST_TEXT] = "";
    karp_decision *second = NULL;
    fault_arm(&a->memory, 0, false);
    karp_error_init(&a->error, sizeof a->error);
    karp_status status = karp_provision(snapshot, options, &second, &a->error);
    check_result(status, second, &a->error);
    if (status != KARP_OK) broken("what was answered is answered again");
    karp_decision_hash(first, one);
    karp_decision_hash(second, two);
    if (memcmp(one, two, sizeof one) != 0) broken("the same question has the same answer");
    karp_decision_unref(second);
}

static void call_provision(actor *a)
{
    const karp_snapshot *snapshot = *some_snapshot(a);
    karp_options options = some_options(a);
    karp_decision *fresh = NULL;
    if (snapshot == NULL) return;
    karp_status status = karp_provision(snapshot, &options, &fresh, &a->error);
    check_result(status, fresh, &a->error);
    if (fresh != NULL) check_again(a, snapshot, &options, fresh);
    put_decision(a, fresh);
}

static void call_disrupt(actor *a)
{
    const karp_snapshot *snapshot = *some_snapshot(a);
    karp_options common = some_options(a);
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    options.max_simulations = MAX_SIMULATIONS;
    karp_decision *fresh = NULL;
    if (snapshot == NULL) return;
    karp_status status = karp_disrupt(snapshot, &options, &fresh, &a->error);
    check_result(status, fresh, &a->error);
    put_decision(a, fresh);
}

static void call_explain(actor *a)
{
    const karp_snapshot *snapshot = *some_snapshot(a);
    karp_options options = some_options(a);
    karp_pod_explanation *explanation = NULL;
    if (snapshot == NULL) return;
    karp_str pod = karp_snapshot_pod_name(snapshot, draw(&a->s, 8));
    if (pod.ptr == NULL) return;
    karp_status status = karp_explain_pod(snapshot, &options, pod, &explanation, &a->error);
    check_result(status, explanation, &a->error);
    karp_pod_explanation_free(explanation);
}

/* Of a decision, and of any snapshot: it need not be the decision's. */
static void call_verify(actor *a)
{
    const karp_snapshot *snapshot = *some_snapshot(a);
    const karp_decision *decision = *some_decision(a);
    karp_verification *found = NULL;
    if (snapshot == NULL || decision == NULL) return;
    karp_status status = karp_verify_decision(snapshot, decision, &found, &a->error);
    check_result(status, found, &a->error);
    karp_verification_free(found);
}

static void call_write(actor *a)
{
    const karp_decision *decision = *some_decision(a);
    karp_text text = { NULL, 0, NULL };
    if (decision == NULL) return;
    karp_status status = draw(&a->s, 2) ? karp_write_plan(a->context, decision, NULL, NULL, &text, &a->error)
                                        : karp_write_disruption(a->context, decision, NULL, &text, &a->error);
    check_result(status, text.ptr, &a->error);
    if (text.ptr != NULL && text.ptr[text.len] != '\0') broken("texts end");
    karp_text_free(&text);
}

static void call_table(actor *a)
{
    const karp_decision *decision = *some_decision(a);
    karp_table *table = NULL;
    if (decision == NULL) return;
    karp_status status = karp_decision_table(decision, draw(&a->s, 16), &table, &a->error);
    check_result(status, table, &a->error);
    karp_table_free(table);
}

static void call_release(actor *a)
{
    karp_snapshot **snapshot = some_snapshot(a);
    karp_decision **decision = some_decision(a);
    if (draw(&a->s, 2)) {
        karp_snapshot_unref(*snapshot);
        *snapshot = NULL;
    } else {
        karp_decision_unref(*decision);
        *decision = NULL;
    }
}

/* ---- a sequence -------------------------------------------------------------------------------------------------- */

static void act(actor *a)
{
    typedef void call(actor *);
    static call *const calls[] = { call_build,   call_add,    call_add,   call_add,       call_remove,    call_place,
                                   call_finish,  call_finish, call_edit,  call_provision, call_provision, call_disrupt,
                                   call_explain, call_verify, call_write, call_table,     call_release };
    uint32_t refusal = 0;
    if (draw(&a->s, 4) == 3) {
        refusal = 1 + draw(&a->s, 256);
        refusal *= 1 + draw(&a->s, 8);
    }
    fault_arm(&a->memory, refusal, refusal != 0 && draw(&a->s, 2));
    a->s.used = 0;
    karp_error_init(&a->error, sizeof a->error);
    calls[draw(&a->s, sizeof calls / sizeof *calls)](a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    actor a;
    memset(&a, 0, sizeof a);
    a.s = (source){ .next = data, .end = data + size, .room = malloc(ROOM), .size = ROOM };
    a.context = a.s.room == NULL ? NULL : fault_context(&a.memory);
    for (int i = 0; a.context != NULL && i < MOST_CALLS && a.s.next < a.s.end; i++) act(&a);
    fault_arm(&a.memory, 0, false);
    bool context_first = draw(&a.s, 2);
    if (context_first) karp_context_unref(a.context); /* what was made of it keeps it */
    for (int i = 0; i < BUILDERS; i++) karp_builder_free(a.builders[i]);
    for (int i = 0; i < SNAPSHOTS; i++) karp_snapshot_unref(a.snapshots[i]);
    for (int i = 0; i < DECISIONS; i++) karp_decision_unref(a.decisions[i]);
    if (!context_first) karp_context_unref(a.context);
    if (a.memory.live_blocks != 0 || a.memory.wrong_sizes != 0) broken("everything is given back");
    free(a.s.room);
    return 0;
}
