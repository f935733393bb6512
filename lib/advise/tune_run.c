/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settles or replays the next designs, with the threads that the context is lent. Designs that are tried together do
 * not depend on each other's results, so that any number of threads gives the same answer.
 */
#include <advise/tune.h>

#include <karp/library.h>

enum { TOGETHER = 16 };

typedef struct tune_try {
    size_t design;
    karp_status status;
    karp_error error;
} tune_try;

typedef struct tune_batch {
    karp_tune *tune;
    const karp_settle_options *settle; /* NULL = designs are replayed */
    const karp_replay_options *replay;
    tune_try tries[TOGETHER];
    size_t count;
} tune_batch;

/* A context of the same memory and limits, which asks for no threads. */
static karp_status context_of_try(karp_tune *t, karp_context **out, karp_error *error)
{
    karp_context_options options = *karp_context_get_options(t->context);
    options.parallel_for = NULL;
    options.should_stop = NULL; /* the allocator asks */
    options.max_memory = 0; /* it counts, too */
    return karp_context_new(&options, out, error);
}

static karp_status settle(karp_context *context, const tune_batch *b, size_t design, karp_error *error)
{
    size_t loads = b->tune->load_count ? b->tune->load_count : 1;
    karp_tune_design sum = { .size = sizeof sum };
    karp_status status = KARP_OK;
    for (size_t i = 0; i < loads && !status; i++) {
        karp_snapshot *snapshot = NULL;
        karp_settlement *settlement = NULL;
        status = tune_make_snapshot(context, b->tune, design, i, &snapshot, error);
        if (!status) status = karp_settle(snapshot, b->settle, &settlement, error);
        if (!status) status = tune_add_settlement(b->tune, &sum, settlement, error);
        karp_settlement_free(settlement);
        karp_snapshot_unref(snapshot);
    }
    if (!status) tune_set_sum(b->tune, design, sum, loads);
    return status;
}

/* The NodePools of the design come after the objects that are replaced anyway. */
static karp_status replay(karp_context *context, const tune_batch *b, size_t design, karp_error *error)
{
    karp_replay_options options = *b->replay;
    karp_text pools = { NULL, 0, NULL }, result = { NULL, 0, NULL };
    size_t bytes = (options.replaced_count + 1) * sizeof *options.replaced;
    karp_replay_document *replaced = mem_alloc(context, bytes);
    if (!replaced) return fail_nomem(error);
    if (options.replaced_count) memcpy(replaced, options.replaced, bytes - sizeof *replaced);
    options.replaced = replaced;
    karp_status status = karp_tune_pools(b->tune, design, &pools, error);
    if (!status && pools.len > 0)
        replaced[options.replaced_count++] = (karp_replay_document){ str("the design"), { pools.ptr, pools.len } };
    if (!status) status = karp_replay(context, &options, NULL, &result, error);
    if (!status) status = karp_tune_set_replay(b->tune, design, (karp_str){ result.ptr, result.len }, error);
    karp_text_free(&result);
    karp_text_free(&pools);
    mem_free(context, replaced, bytes);
    return status;
}

static void try_one(size_t index, void *data)
{
    tune_batch *b = data;
    tune_try *one = &b->tries[index];
    karp_context *context = NULL;
    one->status = context_of_try(b->tune, &context, &one->error);
    if (!one->status) one->status = (b->settle ? settle : replay)(context, b, one->design, &one->error);
    karp_context_unref(context);
}

static karp_status hand_out(tune_batch *b)
{
    karp_status status = KARP_OK;
    while (b->count < TOGETHER && !status) {
        tune_try *one = &b->tries[b->count];
        karp_error_init(&one->error, sizeof one->error);
        status = karp_tune_next_ready(b->tune, &one->design);
        b->count += !status;
    }
    return status == KARP_E_NOT_FOUND || status == KARP_E_STATE ? KARP_OK : status;
}

static karp_status run(tune_batch *b, bool stops, size_t *tried, karp_error *error)
{
    const karp_context_options *lent = karp_context_get_options(b->tune->context);
    karp_status status = hand_out(b);
    if (status) return fail(error, status, "the next design cannot be handed out");
    if (b->count > 1 && lent->parallel_for && !lent->should_stop && !stops)
        lent->parallel_for(b->count, try_one, b, lent->parallel_user);
    else
        for (size_t i = 0; i < b->count; i++) try_one(i, b);
    for (size_t i = 0; i < b->count; i++) {
        if (!b->tries[i].status) continue;
        if (error) *error = b->tries[i].error;
        return karp_context_refusal(b->tune->context, b->tries[i].status, error);
    }
    *tried = b->count;
    return KARP_OK;
}

karp_status karp_tune_settle(karp_tune *tune, const karp_settle_options *options, size_t *tried, karp_error *error)
{
    karp_settle_options own;
    tune_batch b = { .tune = tune, .settle = &own };
    if (!tune || !tried) return fail_null(error, "tune or tried");
    karp_settle_options_init(&own, sizeof own);
    karp_status status = options ? struct_check(options, sizeof own, SIZE_THROUGH(karp_settle_options, progress_user),
                                                &own, "karp_settle_options", error)
                                 : KARP_OK;
    if (status) return status;
    if (!options) own.disrupt = KARP_SETTLE_ALL;
    own.progress = NULL;
    return run(&b, own.common && own.common->should_stop, tried, error);
}

karp_status karp_tune_replay(karp_tune *tune, const karp_replay_options *options, size_t *tried, karp_error *error)
{
    karp_replay_options own;
    tune_batch b = { .tune = tune, .replay = &own };
    if (!tune || !options || !tried) return fail_null(error, "tune, options or tried");
    karp_status status = struct_check(options, sizeof own, SIZE_THROUGH(karp_replay_options, decision), &own,
                                      "karp_replay_options", error);
    if (status) return status;
    own.progress = NULL;
    return run(&b, own.decision && own.decision->should_stop, tried, error);
}
