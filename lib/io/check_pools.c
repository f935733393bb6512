/* SPDX-License-Identifier: Apache-2.0 */
/* NodePools without conditions get those that Karpenter's validation would set. */
#include <io/decode_fields.h>
#include <io/fill.h>
#include <io/unused.h>

#include <string.h>

static bool has_no_conditions(const io_waiting *w)
{
    return w->info->kind == IO_KIND_NODE_POOL && !w->stated &&
           tree_count(tree_get(tree_get(w->root, "status"), "conditions")) == 0;
}

static karp_status add_pool(karp_reader *reader, karp_builder *builder, const io_waiting *w)
{
    io_decoder d;
    karp_node_pool pool;
    arena_release(&reader->scratch, (arena_mark){ NULL, NULL });
    io_decoder_init(&d, &reader->scratch);
    io_decode(&d, &io_node_pool_shape, w->root, &pool);
    /* A failure to decode or add the object is reported later, when it is added. */
    if (d.status) return d.status == KARP_E_NOMEM ? io_reader_nomem(reader) : KARP_OK;
    karp_error error;
    karp_error_init(&error, sizeof error);
    return karp_builder_add_node_pool(builder, &pool, &error) == KARP_E_NOMEM ? io_reader_nomem(reader) : KARP_OK;
}

/* The decision reports which requirement is invalid. */
static karp_status refuse(karp_reader *reader, const io_waiting *w)
{
    trees *t = &reader->trees;
    tree *status = tree_get_or_make(t, w->root, "status"), *conditions = tree_new(t, TREE_LIST);
    int64_t when = io_creation(w->root);
    io_add_condition(t, conditions, "NodeClassReady", "True", "NodeClassReady", when);
    io_add_condition(t, conditions, "ValidationSucceeded", "False", "NodePoolValidationFailed", when);
    io_add_condition(t, conditions, "Ready", "False", "UnhealthyDependents", when);
    tree_set(t, status, "conditions", conditions);
    return t->status ? io_reader_nomem(reader) : KARP_OK;
}

static karp_status check(karp_reader *reader, karp_builder *builder, const karp_settings *settings)
{
    karp_snapshot *snapshot = NULL;
    karp_status status = karp_builder_set_settings(builder, settings, &reader->error);
    for (size_t i = 0; i < reader->waiting_count && !status; i++) {
        if (has_no_conditions(&reader->waiting[i])) status = add_pool(reader, builder, &reader->waiting[i]);
    }
    if (!status) status = karp_builder_finish(builder, &snapshot, &reader->error);
    for (size_t i = 0; i < reader->waiting_count && !status; i++) {
        const io_waiting *w = &reader->waiting[i];
        if (has_no_conditions(w) && karp_snapshot_pool_fault(snapshot, w->name, NULL)) status = refuse(reader, w);
    }
    karp_snapshot_unref(snapshot);
    return status;
}

karp_status io_check_pools(karp_reader *reader, const karp_settings *settings)
{
    karp_builder *builder = NULL;
    bool any = false;
    for (size_t i = 0; i < reader->waiting_count && !any; i++) any = has_no_conditions(&reader->waiting[i]);
    if (!any || reader->options.strict) return KARP_OK;
    karp_status status = karp_builder_new(reader->context, &builder, &reader->error);
    if (!status) status = check(reader, builder, settings);
    karp_builder_free(builder);
    return status;
}
