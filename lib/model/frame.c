/* SPDX-License-Identifier: Apache-2.0 */
#include <model/frame.h>

#include <base/block.h>
#include <base/error.h>
#include <model/device_world.h>
#include <model/kept_pods.h>
#include <model/prepare.h>
#include <model/scale.h>
#include <stdatomic.h>

struct frame {
    karp_context *context; /* not held: whoever holds the frame holds it */
    _Atomic uint32_t holds;
    arena data;
    algebra algebra;
    karp_catalogue **catalogues; /* those that overlays made */
    uint32_t catalogue_count;
    struct device_world *devices;
};

struct frame *frame_new(karp_context *context)
{
    struct frame *f = mem_zalloc(context, sizeof *f);
    if (f == NULL) return NULL;
    f->context = context;
    atomic_init(&f->holds, 1);
    arena_init(&f->data, context);
    return f;
}

void frame_release(struct frame *f)
{
    if (f == NULL || atomic_fetch_sub_explicit(&f->holds, 1, memory_order_acq_rel) != 1) return;
    for (uint32_t i = 0; i < f->catalogue_count; i++) karp_catalogue_unref(f->catalogues[i]);
    algebra_free(&f->algebra);
    device_world_free(f->devices);
    arena_free(&f->data);
    mem_free(f->context, f, sizeof *f);
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

/* ---- taking over ---------------------------------------------------------------------------------------------------- */

/* Bound pods make out what is left of nodes, and those of DaemonSets stand for them. */
static bool matters_to_nodes(const pod *p) { return p->node != NO_ID || (p->flags & POD_OF_DAEMON_SET); }

static bool pods_matter_to_nodes(const karp_snapshot *s)
{
    const struct kept_pods *k = s->kept;
    for (size_t i = 0; i < k->gone_count; i++) {
        if (matters_to_nodes(pod_at(&k->before->raw, k->gone[i]))) return true;
    }
    for (size_t i = 0; i < k->fresh_count; i++) {
        if (matters_to_nodes(pod_at(&s->raw, k->fresh[i]))) return true;
    }
    return false;
}

/* Whether the amounts of new shapes are counted in the units there are. */
static bool units_hold(const karp_snapshot *s)
{
    const karp_snapshot *before = s->kept->before;
    for (size_t i = before->raw.shapes.count; i < s->raw.shapes.count; i++) {
        if (!units_count(before->units, s->raw.shapes.items[i].requests)) return false;
    }
    return true;
}

static bool may_take_over(const karp_snapshot *s)
{
    const karp_snapshot *before = s->kept->before;
    return s->raw.touched == 0 && before->devices == NULL && s->raw.resources.count == before->raw.resources.count && units_hold(s) && !pods_matter_to_nodes(s);
}

static bool uses_devices(const karp_snapshot *s)
{
    for (size_t i = s->kept->before->raw.shapes.count; i < s->raw.shapes.count; i++) {
        if (s->raw.shapes.items[i].has_claims && s->raw.settings.dra_requests) return true;
    }
    return false;
}

static void take(karp_snapshot *s)
{
    const karp_snapshot *before = s->kept->before;
    struct frame *f = before->frame;
    atomic_fetch_add_explicit(&f->holds, 1, memory_order_relaxed);
    algebra_free(&s->algebra);
    s->frame = f;
    s->known = before->known;
    s->algebra = before->algebra;
    s->algebra.facts = &s->facts;
    s->dims = before->dims;
    s->units = before->units;
    s->nodes = before->nodes;
    s->node_count = before->node_count;
    s->node_sets = before->node_sets;
    s->node_of_name = before->node_of_name;
    s->remaining = before->remaining;
    s->strays = before->strays;
    s->catalogues = before->catalogues;
    s->catalogue_count = before->catalogue_count;
    s->catalogues_given = before->catalogues_given;
    s->pool_catalogues = before->pool_catalogues;
    s->tables = before->tables;
    s->table_count = before->table_count;
    s->pool_names = before->pool_names;
    s->pool_table = before->pool_table;
}

karp_status frame_take_over(karp_snapshot *s, bool *taken, karp_error *error)
{
    *taken = false;
    if (!pods_kept(s) || !may_take_over(s) || uses_devices(s)) return KARP_OK;
    bool fits;
    karp_status status = continue_facts(s, error);
    if (status != KARP_OK) return status;
    if (!interest_holds(s, &fits) || (fits && !continue_classes(s, &fits))) return fail_nomem(error);
    *taken = s->kept->classes = fits;
    if (fits) {
        take(s);
    } else {
        block_release(s->facts_block);
        s->facts_block = NULL;
    }
    return KARP_OK;
}
