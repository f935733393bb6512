/* SPDX-License-Identifier: Apache-2.0 */
#include <model/frame.h>

#include <base/error.h>
#include <model/device_index.h>
#include <model/extended_resources.h>
#include <model/reuse_pods.h>

struct frame {
    karp_context *context; /* no reference: owners of the frame have one */
    _Atomic uint32_t references;
    arena data;
    algebra algebra;
    karp_catalogue **catalogues; /* those derived by NodeOverlays */
    uint32_t catalogue_count;
    struct device_index *devices;
    struct frame *below; /* one reference; NULL = none. A frame on top of another has only an arena */
    size_t nodes_on_top; /* in this frame and those below, except the lowest: number of nodes that have data here */
};

struct frame *frame_new(karp_context *context)
{
    struct frame *f = mem_zalloc(context, sizeof *f);
    if (f == NULL) return NULL;
    f->context = context;
    atomic_init(&f->references, 1);
    arena_init(&f->data, context);
    return f;
}

void frame_release(struct frame *f)
{
    while (f != NULL && atomic_fetch_sub_explicit(&f->references, 1, memory_order_acq_rel) == 1) {
        struct frame *below = f->below;
        for (uint32_t i = 0; i < f->catalogue_count; i++) karp_catalogue_unref(f->catalogues[i]);
        if (below == NULL) algebra_free(&f->algebra);
        device_index_free(f->devices);
        arena_free(&f->data);
        mem_free(f->context, f, sizeof *f);
        f = below;
    }
}

void frame_fill(struct frame *f, karp_snapshot *s)
{
    f->data = s->data;
    arena_init(&s->data, s->context);
    f->algebra = s->algebra;
    f->catalogues = s->catalogues + s->catalogues_given;
    f->catalogue_count = s->catalogue_count - s->catalogues_given;
    f->devices = s->devices;
    s->frame = f;
}

arena *frame_on_top(karp_snapshot *s, size_t nodes)
{
    struct frame *f = frame_new(s->context);
    if (f == NULL) return NULL;
    f->below = s->frame;
    f->nodes_on_top = f->below->nodes_on_top + nodes;
    s->frame = f;
    return &f->data;
}

bool frame_is_high(const karp_snapshot *s)
{
    enum { FEW = 64 };
    return s->frame->nodes_on_top > FEW + 8 * (size_t)s->node_count;
}

bool frame_gather(karp_snapshot *s, arena *data)
{
    struct frame *f = frame_new(s->context), *lowest = s->frame;
    if (f == NULL) return false;
    while (lowest->below != NULL) lowest = lowest->below;
    atomic_fetch_add_explicit(&lowest->references, 1, memory_order_relaxed);
    f->below = lowest;
    f->nodes_on_top = s->node_count;
    f->data = *data;
    arena_init(data, s->context);
    frame_release(s->frame);
    s->frame = f;
    return true;
}

/* ---- taking over a frame ----------------------------------------------------------------------------------------- */

/* Whether a pod on a node may prevent the node from being added to the cluster state (S-Q35). For a pod with volumes
 * this is known only from the pod that was in its place before; otherwise its class could not be found either. */
static bool may_lose_node(const karp_snapshot *s, uint32_t place)
{
    const karp_snapshot *before = s->reused->before;
    const pod *p = pod_at(&s->raw, place);
    if (p->node == NO_ID || s->raw.volumes.entries[p->volumes].count == 0) return false;
    return place >= before->raw.pods.count || !before->classes[before->pod_class[place]].counts_volumes;
}

static bool pods_on_nodes_changed(const struct reused_pods *k, const store *now)
{
    for (size_t i = 0; i < k->gone_count; i++) {
        if (pod_at(&k->before->raw, k->gone[i])->node != NO_ID) return true;
    }
    for (size_t i = 0; i < k->fresh_count; i++) {
        if (pod_at(now, k->fresh[i])->node != NO_ID) return true;
    }
    return false;
}

/* Whether nodes can be updated for the pods that are on them now. */
static bool nodes_may_stay(const karp_snapshot *s)
{
    enum { FEW = 64 };
    const struct reused_pods *k = s->reused;
    if (s->raw.touched == 0 && !pods_on_nodes_changed(k, &s->raw)) return true;
    if (s->raw.changed_objects.count > FEW + k->before->node_count) return false;
    if (k->before->remaining != NULL) return false;
    for (size_t i = 0; i < k->fresh_count; i++) {
        if (may_lose_node(s, k->fresh[i])) return false;
    }
    return true;
}

/* Whether the amounts of new shapes are integers in the existing units. */
static bool units_hold(const karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    for (size_t i = before->raw.shapes.count; i < s->raw.shapes.count; i++) {
        const shape *h = &s->raw.shapes.items[i];
        const beside_requests beside = beside_of(h);
        if (!units_count_requests(before, h->requests) || !units_count_requests(before, beside.newer) ||
            !units_count_requests(before, beside.predicted))
            return false;
    }
    return true;
}

/* Whether changed NodePools were in the same places before and have the same node classes. The frame depends on
 * nothing else of them. */
static bool pools_hold(const karp_snapshot *s)
{
    const store *raw = &s->raw, *was = &s->reused->before->raw;
    if (raw->pools.count != was->pools.count || raw->overlays.count > 0)
        return (raw->touched & UINT32_C(1) << KIND_NODE_POOL) == 0;
    for (size_t i = 0; i < raw->pools.count; i++) {
        const node_pool *a = &raw->pools.items[i], *b = &was->pools.items[i];
        if (a->meta.name != b->meta.name || a->class_group != b->class_group || a->class_kind != b->class_kind)
            return false;
    }
    return true;
}

/* Kinds that the frame does not depend on, or whose data can be updated. */
static const uint32_t kinds_that_may_change = UINT32_C(1) << KIND_NODE | UINT32_C(1) << KIND_NODE_CLAIM |
                                              UINT32_C(1) << KIND_NODE_POOL | UINT32_C(1) << KIND_NODE_CLASS |
                                              UINT32_C(1) << KIND_DAEMON_SET | UINT32_C(1) << KIND_BUDGET |
                                              UINT32_C(1) << KIND_NAMESPACE | UINT32_C(1) << KIND_SELECTING;

static bool may_take_over(const karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    return (s->raw.touched & ~kinds_that_may_change) == 0 && pools_hold(s) && before->devices == NULL &&
           s->raw.resources.count == before->raw.resources.count && units_hold(s) && nodes_may_stay(s);
}

static bool uses_devices(const karp_snapshot *s)
{
    for (size_t i = s->reused->before->raw.shapes.count; i < s->raw.shapes.count; i++) {
        if (s->raw.settings.dra_requests && shape_needs_devices(s, &s->raw.shapes.items[i])) return true;
    }
    return false;
}

static void take(karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    struct frame *f = before->frame;
    atomic_fetch_add_explicit(&f->references, 1, memory_order_relaxed);
    algebra_free(&s->algebra);
    s->frame = f;
    s->algebra = before->algebra;
    s->algebra.facts = &s->facts;
    s->dims = before->dims;
    s->column_of = before->column_of;
    s->resource_of = before->resource_of;
    s->nowhere = before->nowhere;
    s->units = before->units;
    s->catalogues = before->catalogues;
    s->catalogue_count = before->catalogue_count;
    s->catalogues_given = before->catalogues_given;
    s->pool_catalogues = before->pool_catalogues;
    s->tables = before->tables;
    s->table_count = before->table_count;
    s->pool_names = before->pool_names;
    s->pool_table = before->pool_table;
    if ((s->raw.touched & UINT32_C(1) << KIND_NODE_POOL) == 0) s->pool_templates = before->pool_templates;
}

karp_status frame_take_over(karp_snapshot *s, bool *taken, karp_error *error)
{
    *taken = false;
    if (!pods_reused(s) || !may_take_over(s) || uses_devices(s)) return KARP_OK;
    bool fits;
    s->known = s->reused->before->known;
    karp_status status = continue_words(s, error);
    if (status == KARP_OK) status = continue_facts(s, error);
    if (status != KARP_OK) return status;
    if (!interest_holds(s, &fits)) return fail_nomem(error);
    if (fits) status = reused_node_state_find(&s->reused->node_state, s, &fits, error);
    if (status != KARP_OK) return status;
    if (fits && !continue_classes(s, &fits)) return fail_nomem(error);
    *taken = s->reused->classes = fits;
    if (fits) {
        take(s);
    } else {
        block_unref(s->facts_block);
        s->facts_block = NULL;
    }
    return KARP_OK;
}
