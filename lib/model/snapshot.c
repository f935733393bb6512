/* SPDX-License-Identifier: Apache-2.0 */
#include <base/bisect.h>
#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/builder.h>
#include <model/device_index.h>
#include <model/frame.h>
#include <model/reuse_pods.h>
#include <model/store_pods.h>

#include <karp/inspect.h>

typedef karp_status (*prepare_step)(karp_snapshot *, karp_error *);

/* Each step uses the results of earlier ones, so the order matters. */
static const prepare_step steps[] = {
    prepare_buffers, prepare_words, prepare_facts,         prepare_names,          prepare_catalogues, prepare_tables,
    prepare_devices, prepare_units, prepare_table_vectors, prepare_classes,        prepare_queue,      prepare_groups,
    prepare_daemons, prepare_bound, prepare_nodes,         prepare_pool_templates, prepare_pdbs,
};

/* The steps for a snapshot that has taken over the frame of another. */
static const prepare_step steps_of_pods[] = { prepare_names,    prepare_queue,  prepare_groups,
                                              continue_daemons, continue_nodes, prepare_pdbs };

/* Releases everything that was made from the store. */
static void release_blocks(karp_snapshot *s)
{
    void *blocks[] = { s->facts_block, s->by_name,    s->pod_rank,    s->pod_class,   s->class_sizes, s->classes,
                       s->queue,       s->queue_rank, s->queue_falls, s->queue_class, s->pending,     s->plain,
                       s->pod_node,    s->bound,      s->nodes,       s->node_sets,   s->node_of_name };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) block_unref(blocks[i]);
    if (s->remaining == NULL) return;
    block_unref(s->remaining->nodes);
    block_unref(s->remaining->of_name);
}

static void snapshot_free(karp_snapshot *s)
{
    karp_context *context = s->context;
    release_blocks(s);
    if (s->frame == NULL) { /* it was not finished */
        algebra_free(&s->algebra);
        device_index_free(s->devices);
        forget_catalogues(s);
    }
    frame_release(s->frame);
    if (s->raw.context != NULL) store_free(&s->raw); /* an empty one has no context: the builder kept the store */
    arena_free(&s->data);
    mem_free(context, s, sizeof *s);
    context_unref(context);
}

static karp_snapshot *snapshot_new(karp_context *context)
{
    karp_snapshot *s = mem_zalloc(context, sizeof *s);
    if (s == NULL) return NULL;
    s->context = context_ref(context);
    atomic_init(&s->references, 1);
    arena_init(&s->data, context);
    s->algebra.context = context;
    words_init(&s->algebra.sets, context); /* so that it can be freed before it is filled */
    return s;
}

static karp_status run_steps(karp_snapshot *s, const prepare_step *list, size_t count, karp_error *error)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = list[i](s, error);
    return status;
}

/* Prepares the snapshot. Takes over data of the snapshot before, if only pods have changed. */
static karp_status prepare(karp_snapshot *s, karp_error *error)
{
    bool taken = false;
    karp_status status = s->reused == NULL ? KARP_OK : frame_take_over(s, &taken, error);
    if (status != KARP_OK) return status;
    if (taken) return run_steps(s, steps_of_pods, sizeof steps_of_pods / sizeof *steps_of_pods, error);
    struct frame *frame = frame_new(s->context);
    if (frame == NULL) return fail_nomem(error);
    status = run_steps(s, steps, sizeof steps / sizeof *steps, error);
    if (status == KARP_OK) frame_fill(frame, s);
    else frame_release(frame);
    return status;
}

/* Makes a snapshot from the builder's store. */
static karp_status finish_store(karp_builder *builder, struct reused_pods *kept, karp_snapshot **out, karp_error *error)
{
    karp_snapshot *s = snapshot_new(builder->context);
    store_memory *memory = store_memory_new(builder->context);
    if (s == NULL || memory == NULL) {
        store_memory_unref(memory);
        if (s != NULL) snapshot_free(s);
        return fail_nomem(error);
    }
    /* The store belongs to the builder until all steps have succeeded, so that a failure leaves it unchanged. */
    s->raw = builder->s;
    s->reused = kept;
    size_t own_pods = s->raw.pods.count;
    karp_status status = prepare(s, error);
    builder->s = s->raw;
    s->reused = NULL;
    if (status != KARP_OK) {
        memset(&s->raw, 0, sizeof s->raw);
        store_set_pod_count(&builder->s, own_pods); /* without those of capacity buffers */
        store_memory_unref(memory);
        snapshot_free(s);
        return status;
    }
    builder_take_store(builder, &s->raw);
    store_pods_settle(&s->raw);
    list_free(s->context, &s->raw.changed_objects, sizeof(uint64_t));
    store_share(&s->raw, memory);
    *out = s;
    return KARP_OK;
}

/* The snapshot is made as one that continues no other. */
static void forget_before(karp_builder *builder)
{
    karp_snapshot_unref(builder->before);
    builder->before = NULL;
    builder->alone = false;
}

/* Without what is no longer used, the snapshot is made as one that continues no other. If memory is refused, the store
 * stays as it is. */
static void compact(karp_builder *builder)
{
    if (!store_wasteful(&builder->s) || !store_compact(&builder->s)) return;
    forget_before(builder);
}

static karp_status finish(karp_builder *builder, karp_snapshot **out, karp_error *error)
{
    struct reused_pods kept = { .before = NULL };
    bool ok = builder_ready(builder) && store_close_gaps(&builder->s) &&
              store_remove(&builder->s, builder->removed.items, &builder->removed.count) && store_settle(&builder->s);
    if (ok) compact(builder);
    ok = ok && (builder->before == NULL || reused_pods_find(&kept, builder->before, &builder->s));
    karp_status status = ok ? finish_store(builder, builder->before == NULL ? NULL : &kept, out, error)
                            : fail_nomem(error);
    bool used_up = status == KARP_OK || kept.emptied;
    if (builder->before != NULL) reused_pods_free(&kept, builder->context);
    if (used_up) forget_before(builder);
    return status != KARP_OK ? context_refusal(builder->context, status, error) : KARP_OK;
}

karp_status karp_builder_finish(karp_builder *builder, karp_snapshot **out, karp_error *error)
{
    if (builder == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a builder and a place for the snapshot are needed");
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status : builder_leave(builder, finish(builder, out, error));
}

karp_snapshot *karp_snapshot_ref(const karp_snapshot *snapshot)
{
    karp_snapshot *own = (karp_snapshot *)(uintptr_t)snapshot; /* the count is not part of what is constant */
    if (own != NULL) atomic_fetch_add_explicit(&own->references, 1, memory_order_relaxed);
    return own;
}

karp_snapshot *snapshot_hold(const karp_snapshot *snapshot)
{
    union {
        const karp_snapshot *given;
        karp_snapshot *held;
    } u = { .given = snapshot->lender != NULL ? snapshot->lender : snapshot };
    return karp_snapshot_ref(u.held);
}

bool snapshot_has_one_owner(const karp_snapshot *s)
{
    return atomic_load_explicit(&s->references, memory_order_acquire) == 1;
}

void karp_snapshot_unref(karp_snapshot *snapshot)
{
    if (snapshot == NULL) return;
    if (atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) == 1) snapshot_free(snapshot);
}

static int by_pool_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    return compare_str(pool_name(s, x), pool_name(s, y));
}

uint32_t *pools_by_name(const karp_snapshot *s, arena *a)
{
    size_t count = s->raw.pools.count;
    uint32_t *pools = arena_array(a, count + 1, sizeof *pools);
    for (size_t i = 0; pools && i < count; i++) pools[i] = (uint32_t)i;
    return pools && sort_ids(a->context, pools, count, by_pool_name, s) ? pools : NULL;
}

uint32_t pool_named(const karp_snapshot *s, karp_str name)
{
    uint32_t id = strings_find(&s->raw.names, name.ptr, name.len);
    return id == NO_ID ? NO_ID : store_find(&s->raw, KIND_NODE_POOL, NO_TEXT, id);
}

int64_t karp_snapshot_now(const karp_snapshot *snapshot) { return snapshot->raw.now; }

karp_str karp_snapshot_node_name(const karp_snapshot *snapshot, size_t index)
{
    return index < snapshot->node_count ? name_of(snapshot, snapshot->nodes[index].name) : (karp_str){ NULL, 0 };
}

uint32_t state_node_named(const karp_snapshot *s, karp_str name)
{
    bisection b = bisect(s->node_count); /* they are sorted by name */
    while (bisecting(&b)) bisect_step(&b, compare_str(name_of(s, s->nodes[b.at].name), name) < 0);
    return b.at < s->node_count && equal_str(name_of(s, s->nodes[b.at].name), name) ? (uint32_t)b.at : NO_ID;
}

bool pool_usable(const karp_snapshot *s, const node_pool *p)
{
    if (p->replicas >= 0 || p->meta.deletion != KARP_NO_TIME) return false;
    const condition *ready = condition_find(p->conditions, s->known.ready);
    if (ready == NULL || ready->status != s->known.status_true) return false;
    /* The condition Ready combines two others. If one of them is missing, it counts as unknown. */
    return condition_find(p->conditions, s->known.validation_succeeded) != NULL &&
           condition_find(p->conditions, s->known.node_class_ready) != NULL;
}

uint32_t type_of_labels(const karp_snapshot *s, uint32_t pool, label_list labels)
{
    uint32_t name = label_get(labels, s->known.instance_type);
    if (s->pool_table[pool] == NO_ID || name == NO_ID) return NO_ID;
    const type_table *t = &s->tables[s->pool_table[pool]];
    bisection b = bisect(t->type_count);
    while (bisecting(&b)) bisect_step(&b, t->types[t->by_name[b.at]].name < name);
    return b.at < t->type_count && t->types[t->by_name[b.at]].name == name ? t->by_name[b.at] : NO_ID;
}

const instance_type *type_of_node(const karp_snapshot *s, const state_node *n, bool usable)
{
    if (n->pool == NO_ID || (usable && !pool_usable(s, &s->raw.pools.items[n->pool]))) return NULL;
    uint32_t type = type_of_labels(s, n->pool, n->labels);
    return type == NO_ID ? NULL : &s->tables[s->pool_table[n->pool]].types[type];
}

static size_t pods_to_place(const karp_snapshot *s)
{
    if (s->raw.pods_given) return s->place_count;
    size_t n = s->pending_count;
    for (size_t i = s->raw.pods.count; i-- > 0 && (pod_at(&s->raw, i)->flags & POD_VIRTUAL);) n++; /* they come last */
    return n;
}

void karp_snapshot_get_counts(const karp_snapshot *snapshot, karp_snapshot_counts *counts)
{
    karp_snapshot_counts c = { .size = sizeof c,
                               .pods = snapshot->raw.pods.count,
                               .pods_to_place = pods_to_place(snapshot),
                               .pod_classes = snapshot->class_count,
                               .nodes = snapshot->node_count,
                               .node_pools = snapshot->raw.pools.count,
                               .requirement_sets = snapshot->algebra.sets.count };
    for (uint32_t t = 0; t < snapshot->table_count; t++) {
        c.instance_types += snapshot->tables[t].type_count;
        c.offerings += snapshot->tables[t].offering_count;
    }
    struct_give(counts, &c, sizeof c, SIZE_THROUGH(karp_snapshot_counts, requirement_sets));
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

/* Copies everything but the reference count, which other threads may be changing. */
void snapshot_borrow(karp_snapshot *view, const karp_snapshot *from)
{
    const size_t at = offsetof(karp_snapshot, lender);
    memcpy((char *)view + at, (const char *)from + at, sizeof *view - at);
    view->context = from->context;
    if (view->lender == NULL) view->lender = from;
    view->pool_templates = NULL; /* the caller may change NodePools and types */
}

const karp_snapshot *snapshot_remaining(const karp_snapshot *s, bool loses, karp_snapshot *view)
{
    if (!loses || s->remaining == NULL) return s;
    snapshot_borrow(view, s);
    view->nodes = s->remaining->nodes;
    view->node_count = s->remaining->count;
    view->node_of_name = s->remaining->of_name;
    view->lost = s->remaining->lost;
    view->pool_templates = s->pool_templates;
    view->remaining = NULL;
    return view;
}
