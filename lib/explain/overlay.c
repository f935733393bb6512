/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/overlay.h>

#include <base/error.h>
#include <schedule/provision.h>
#include <string.h>

bool overlay_view_init(overlay_view *o, const karp_snapshot *snapshot)
{
    const store *raw = &snapshot->raw;
    memset(o, 0, sizeof *o);
    o->snapshot = snapshot;
    arena_init(&o->data, snapshot->context);
    snapshot_borrow(&o->view, snapshot);
    shape *shapes = arena_array(&o->data, raw->shapes.count + 1, sizeof *shapes);
    node_pool *pools = arena_array(&o->data, raw->pools.count + 1, sizeof *pools);
    pod_class *classes = arena_array(&o->data, snapshot->class_count + (size_t)1, sizeof *classes);
    if (shapes == NULL || pools == NULL || classes == NULL) return false;
    o->view.raw.shapes.items = shapes;
    o->view.raw.pools.items = pools;
    o->view.classes = classes;
    overlay_view_reset(o);
    return true;
}

void overlay_view_free(overlay_view *o) { arena_free(&o->data); }

void overlay_view_reset(overlay_view *o)
{
    const karp_snapshot *s = o->snapshot;
    memcpy(o->view.raw.shapes.items, s->raw.shapes.items, s->raw.shapes.count * sizeof(shape));
    if (s->raw.pools.count > 0)
        memcpy(o->view.raw.pools.items, s->raw.pools.items, s->raw.pools.count * sizeof(node_pool));
    memcpy(o->view.classes, s->classes, s->class_count * sizeof(pod_class));
}

shape *overlay_shape(overlay_view *o, uint32_t number) { return &o->view.raw.shapes.items[number]; }

node_pool *overlay_pool(overlay_view *o, uint32_t number) { return &o->view.raw.pools.items[number]; }

/* Changes the amount of one resource in a list, which stays sorted. */
static bool replace_amount(overlay_view *o, resource_list *list, uint32_t resource, int64_t units)
{
    resource_amount *items = arena_copy(&o->data, list->items, list->count * sizeof *items);
    amount value;
    if (items == NULL) return false;
    (void)amount_mul(o->snapshot->units[resource], (uint64_t)units,
                     &value); /* less than the original request, so it cannot overflow */
    for (uint32_t i = 0; i < list->count; i++) {
        if (items[i].resource == resource) items[i].value = value;
    }
    list->items = items;
    return true;
}

bool overlay_request(overlay_view *o, uint32_t shape_number, uint32_t resource, int64_t units)
{
    const karp_snapshot *s = o->snapshot;
    if (!replace_amount(o, &overlay_shape(o, shape_number)->requests, resource, units)) return false;
    for (uint32_t i = 0; i < s->class_count; i++) {
        if (s->classes[i].shape != shape_number) continue;
        int64_t *vector = arena_copy(&o->data, s->classes[i].requests, s->dims * sizeof *vector);
        if (vector == NULL) return false;
        if (s->column_of[resource] == s->nowhere) vector[s->nowhere] -= units == 0;
        else vector[s->column_of[resource]] = units;
        o->view.classes[i].requests = vector;
    }
    return true;
}

karp_status overlay_decide(const overlay_view *o, const karp_options *options, karp_decision **out, karp_error *error)
{
    static const round_changes none = { .removed_count = 0 };
    return provision_view(&o->view, options, &none, out, error);
}
