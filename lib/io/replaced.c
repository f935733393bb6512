/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes drift when the NodePool or node class that they were launched from is replaced, as in a cluster: their
 * NodeClaims get the condition Drifted.
 */
#include <base/labels.h>
#include <io/replaced.h>

#include <io/convert.h>
#include <karp/library.h>
#include <stdio.h>

karp_status io_note_replaced(karp_reader *reader, uint32_t number, const tree *before)
{
    const io_deferred *w = &reader->deferred[number];
    io_replaced *all = &reader->replaced;
    if (w->info->kind != IO_KIND_NODE_POOL && w->info->kind != IO_KIND_NODE_CLASS) return KARP_OK;
    /* What counts is the object that nodes were launched from: the first. */
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].number == number) return KARP_OK;
    }
    if (!grow(reader->context, (void **)&all->list, &all->capacity, all->count + 1, sizeof *all->list))
        return io_reader_nomem(reader);
    all->list[all->count++] = (io_earlier){ number, before };
    return KARP_OK;
}

void io_replaced_moved(karp_reader *reader, const uint32_t *moved)
{
    io_replaced *all = &reader->replaced;
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint32_t number = moved[all->list[i].number];
        if (number != IO_NONE) all->list[kept++] = (io_earlier){ number, all->list[i].before };
    }
    all->count = kept;
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

/* Terms that select what the cloud has: nodes drift if they select something else, which the input does not show. */
static bool is_selector(karp_str field) { return str_ends(field, "SelectorTerms") || str_ends(field, "selectorTerms"); }

/* Whether a field of `a` other than a selector differs in `b`. *selects: whether a selector does. */
static bool fields_differ(const tree *a, const tree *b, bool *selects)
{
    bool differ = false;
    for (size_t i = 0; i < tree_count(a); i++) {
        const tree_member *m = tree_member_at(a, i);
        const tree *other = tree_find_str(b, tree_member_name(m));
        if (other != NULL && tree_equal(m->value, other)) continue;
        if (is_selector(tree_member_name(m))) *selects = true;
        else differ = true;
    }
    return differ;
}

bool io_class_changed(const tree *before, const tree *after, bool *selects)
{
    bool differ = fields_differ(before, after, selects);
    return fields_differ(after, before, selects) || differ;
}

static karp_node_class_ref class_ref(const io_deferred *w)
{
    karp_str api = tree_get_text(w->root, "apiVersion");
    return (karp_node_class_ref){ str_before(api, '/'), tree_get_text(w->root, "kind"), w->name };
}

/* Lists the node classes whose static fields changed. */
static karp_status list_classes(karp_reader *reader, karp_node_class_ref *out, size_t *count)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->replaced.count && status == KARP_OK; i++) {
        const io_deferred *w = &reader->deferred[reader->replaced.list[i].number];
        if (w->info->kind != IO_KIND_NODE_CLASS || w->gone) continue;
        const tree *before = tree_get(reader->replaced.list[i].before, "spec"), *after = tree_get(w->root, "spec");
        bool selects = false;
        if (io_class_changed(before, after, &selects)) out[(*count)++] = class_ref(w);
        else if (selects)
            status = io_warn(reader,
                             "%.*s %.*s: its selector terms change; whether its nodes drift depends on what the cloud "
                             "has for them",
                             (int)tree_get_text(w->root, "kind").len, tree_get_text(w->root, "kind").ptr,
                             (int)w->name.len, w->name.ptr);
    }
    return status;
}

/* ---- the earlier NodePools --------------------------------------------------------------------------------------- */

static karp_status add_earlier(karp_reader *reader, io_filler *filler, trees *t)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->replaced.count && status == KARP_OK; i++) {
        const io_deferred *w = &reader->deferred[reader->replaced.list[i].number];
        if (w->info->kind != IO_KIND_NODE_POOL) continue;
        const io_place place = io_place_whole(&w->place);
        tree *root = tree_deep_copy(t, reader->replaced.list[i].before, false);
        if (reader->mode.old) io_rename_old(t, w->info, root);
        if (filler->fill) io_fill_pool(reader, t, root);
        status = t->status ? io_reader_nomem(reader) : io_object_add(reader, w->info, root, &place);
    }
    return status;
}

/* A snapshot with nothing but the earlier NodePools. */
static karp_status earlier_pools(karp_reader *reader, io_filler *filler, karp_snapshot **out)
{
    karp_builder *own = reader->builder;
    karp_status status = karp_builder_new(reader->context, &reader->builder, &reader->error);
    if (status) {
        reader->builder = own;
        return status;
    }
    trees t = trees_on(reader->context);
    status = add_earlier(reader, filler, &t);
    if (status == KARP_OK) status = karp_builder_finish(reader->builder, out, &reader->error);
    trees_free(&t);
    karp_builder_free(reader->builder);
    reader->builder = own;
    return status;
}

/* ---- the conditions ---------------------------------------------------------------------------------------------- */

/* A claim whose condition Drifted changes. */
typedef struct change_of_drift {
    karp_str claim;
    karp_str reason; /* NULL = it has not drifted any more */
} change_of_drift;

typedef struct changes_of_drift {
    karp_reader *reader;
    karp_advice *advice; /* owns texts */
    change_of_drift *list;
    size_t count, capacity;
    io_table index; /* claim -> index in list */
} changes_of_drift;

static karp_status add_change(changes_of_drift *all, karp_str claim, karp_str reason)
{
    if (io_table_get(&all->index, claim) != IO_NONE) return KARP_OK;
    if (!grow(all->reader->context, (void **)&all->list, &all->capacity, all->count + 1, sizeof *all->list) ||
        !io_table_put(&all->index, claim, (uint32_t)all->count))
        return io_reader_nomem(all->reader);
    all->list[all->count++] = (change_of_drift){ claim, reason };
    return KARP_OK;
}

static karp_status add_advice(changes_of_drift *all)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < karp_advice_action_count(all->advice) && status == KARP_OK; i++) {
        karp_action action = { .size = sizeof action };
        status = karp_advice_action(all->advice, i, &action);
        if (status) break;
        bool set = action.kind == KARP_ACTION_SET_CONDITION;
        status = add_change(all, action.object, set ? action.value : (karp_str){ NULL, 0 });
    }
    return status;
}

static bool requires_key(const tree *requirements, karp_str key)
{
    for (size_t i = 0; i < tree_count(requirements); i++) {
        if (equal_str(tree_get_text(tree_item(requirements, i), "key"), key)) return true;
    }
    return false;
}

/* Whether the NodePool requires a label now that it did not require before and that the claim's object does not have.
 * Labels that were filled in do not count: Karpenter sees the object as it is stored. */
static bool lacks_label(const tree *claim, const tree *before, const tree *after)
{
    const tree *labels = tree_get(tree_get(claim, "metadata"), "labels");
    const tree *had = tree_get(io_template_spec(before), "requirements"),
               *has = tree_get(io_template_spec(after), "requirements");
    for (size_t i = 0; i < tree_count(has); i++) {
        karp_str key = tree_get_text(tree_item(has, i), "key"), op = tree_get_text(tree_item(has, i), "operator");
        bool negative = str_is(op, "NotIn") || str_is(op, "DoesNotExist");
        if (!negative && !requires_key(had, key) && tree_find_str(labels, key) == NULL) return true;
    }
    return false;
}

static karp_status add_claims_of(changes_of_drift *all, const io_earlier *pool)
{
    karp_reader *reader = all->reader;
    const io_deferred *p = &reader->deferred[pool->number];
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_CLAIM || w->gone || w->root == NULL) continue;
        const tree *labels = tree_get(tree_get(w->root, "metadata"), "labels");
        if (equal_str(tree_get_text(labels, LABEL_NODE_POOL), p->name) && lacks_label(w->root, pool->before, p->root))
            status = add_change(all, w->name, str("RequirementsDrifted"));
    }
    return status;
}

static tree *condition_tree(trees *t, karp_str reason, int64_t now)
{
    char at[KARP_VALUE_TEXT];
    karp_time_format(now, at);
    tree *condition = tree_new(t, TREE_MAP);
    tree_set_text(t, condition, "type", str("Drifted"));
    tree_set_text(t, condition, "status", str("True"));
    tree_set_text(t, condition, "reason", reason);
    tree_set_text(t, condition, "lastTransitionTime", str(at));
    return condition;
}

/* The kept text of the claim gets the condition, too, for the dump. */
static karp_status keep_condition(karp_reader *reader, io_kept *kept, karp_str reason)
{
    tree *root = NULL;
    tree_fault fault;
    trees t = trees_on(reader->context);
    karp_status status = tree_parse(&t, kept->text, reader->limits.nesting, &root, NULL, &fault);
    tree *place = tree_get(root, "status"), *list = tree_new(&t, TREE_LIST);
    const tree *had = tree_get(place, "conditions");
    for (size_t i = 0; i < tree_count(had); i++) {
        tree *one = tree_item(had, i);
        if (!str_is(tree_get_text(one, "type"), "Drifted")) tree_append(&t, list, one);
    }
    if (reason.ptr) tree_append(&t, list, condition_tree(&t, reason, reader->asked.now));
    if (place == NULL && root != NULL) tree_set(&t, root, "status", place = tree_new(&t, TREE_MAP));
    if (place != NULL) tree_set(&t, place, "conditions", list);
    karp_str *text = status || t.status ? NULL : arena_alloc(&reader->keep, sizeof *text);
    if (text) *text = io_keep_json(reader, root);
    kept->with_drift = text && text->ptr ? text : NULL;
    trees_free(&t);
    return kept->with_drift ? KARP_OK : io_reader_nomem(reader);
}

static karp_status keep_all(const changes_of_drift *all)
{
    karp_reader *reader = all->reader;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->kept_count && status == KARP_OK; i++) {
        io_kept *kept = &reader->kept[i];
        uint32_t found = str_is(kept->of->kind, "NodeClaim") ? io_table_get(&all->index, kept->name) : IO_NONE;
        if (found != IO_NONE) status = keep_condition(reader, kept, all->list[found].reason);
    }
    return status;
}

static karp_status set_conditions(const changes_of_drift *all, karp_snapshot **snapshot)
{
    karp_reader *reader = all->reader;
    karp_builder *builder = NULL;
    karp_snapshot *drifted = NULL;
    karp_status status = karp_snapshot_edit(*snapshot, &builder, &reader->error);
    for (size_t i = 0; i < all->count && status == KARP_OK; i++) {
        const change_of_drift *c = &all->list[i];
        const karp_condition condition = { .type = str("Drifted"),
                                           .status = str(c->reason.ptr ? "True" : ""),
                                           .reason = c->reason.ptr ? c->reason : str(""),
                                           .last_transition = reader->asked.now };
        status = karp_builder_set_node_claim_condition(builder, c->claim, &condition, &reader->error);
    }
    if (status == KARP_OK) status = karp_builder_finish(builder, &drifted, &reader->error);
    karp_builder_free(builder);
    if (status) return status;
    karp_snapshot_unref(*snapshot);
    *snapshot = drifted;
    return KARP_OK;
}

static karp_status note_drift(const changes_of_drift *all)
{
    size_t set = 0, first = 0;
    for (size_t i = all->count; i-- > 0;) {
        if (all->list[i].reason.ptr == NULL) continue;
        set++;
        first = i;
    }
    if (set == 0) return KARP_OK;
    const change_of_drift *c = &all->list[first];
    return io_warn(all->reader, "%zu %s, since NodePools or node classes are replaced (%.*s%s: %.*s)", set,
                   set == 1 ? "node drifts" : "nodes drift", (int)c->claim.len, c->claim.ptr, set == 1 ? "" : ", ...",
                   (int)c->reason.len, c->reason.ptr);
}

static karp_status find_changes(changes_of_drift *all, const karp_snapshot *before, const karp_snapshot *snapshot,
                                const karp_node_class_ref *classes, size_t class_count)
{
    karp_reader *reader = all->reader;
    karp_status status = karp_advise_replaced(before, snapshot, 0, classes, class_count, &all->advice, &reader->error);
    if (status == KARP_OK) status = add_advice(all);
    for (size_t i = 0; i < reader->replaced.count && status == KARP_OK; i++) {
        const io_deferred *w = &reader->deferred[reader->replaced.list[i].number];
        if (w->info->kind == IO_KIND_NODE_POOL && !w->gone) status = add_claims_of(all, &reader->replaced.list[i]);
    }
    return status;
}

static karp_status drift(karp_reader *reader, const karp_snapshot *before, const karp_node_class_ref *classes,
                         size_t class_count, karp_snapshot **snapshot)
{
    changes_of_drift all = { .reader = reader };
    io_table_init(&all.index, reader->context);
    karp_status status = find_changes(&all, before, *snapshot, classes, class_count);
    if (status == KARP_OK && all.count > 0) status = note_drift(&all);
    if (status == KARP_OK && all.count > 0) status = keep_all(&all);
    if (status == KARP_OK && all.count > 0) status = set_conditions(&all, snapshot);
    karp_free(reader->context, all.list, all.capacity * sizeof *all.list);
    io_table_free(&all.index);
    karp_advice_free(all.advice);
    return status;
}

karp_status io_drift_replaced(karp_reader *reader, io_filler *filler, karp_snapshot **snapshot)
{
    const io_replaced *all = &reader->replaced;
    karp_snapshot *before = NULL;
    size_t class_count = 0;
    if (all->count == 0) return KARP_OK;
    karp_node_class_ref *classes = karp_alloc(reader->context, all->count * sizeof *classes);
    if (classes == NULL) return io_reader_nomem(reader);
    karp_status status = list_classes(reader, classes, &class_count);
    if (status == KARP_OK) status = earlier_pools(reader, filler, &before);
    if (status == KARP_OK) status = drift(reader, before, classes, class_count, snapshot);
    karp_snapshot_unref(before);
    karp_free(reader->context, classes, all->count * sizeof *classes);
    return status;
}
