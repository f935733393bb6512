/* SPDX-License-Identifier: Apache-2.0 */
/* The state nodes after a decision, and what everything costs. */
#include <schedule/report.h>
#include <schedule/scheduler.h>

/* §14.1 of the deprovisioning specification: the first offering of the node's type in its zone and capacity type. */
double node_price(const karp_snapshot *w, const state_node *n)
{
    uint32_t type_name = label_get(n->labels, w->known.instance_type);
    uint32_t zone = label_get(n->labels, w->known.zone), capacity_type = label_get(n->labels, w->known.capacity_type);
    if (n->pool == NO_ID || w->pool_table[n->pool] == NO_ID || type_name == NO_ID) return 0;
    const type_table *t = &w->tables[w->pool_table[n->pool]];
    for (uint32_t i = 0; i < t->type_count; i++) {
        if (t->types[i].name != type_name) continue;
        for (uint32_t o = t->types[i].offering_first; o < t->types[i].offering_first + t->types[i].offering_count;
             o++) {
            if (t->offerings[o].zone == zone && t->offerings[o].capacity_type == capacity_type)
                return t->offerings[o].price;
        }
        return 0;
    }
    return 0;
}

static karp_str label_text(const karp_snapshot *w, const state_node *n, uint32_t key)
{
    uint32_t value = label_get(n->labels, key);
    return value == NO_ID ? (karp_str){ "", 0 } : text_of(w, value);
}

static double in_units(const karp_snapshot *w, uint32_t resource, int64_t value)
{
    return (double)value * amount_double(w->units[resource]);
}

/* Sums of cores and bytes, for showing: doubles do. */
static void add_requests(const karp_snapshot *w, uint32_t pod_number, karp_node_use *row)
{
    const int64_t *r = w->classes[w->pod_class[pod_number]].requests;
    row->cpu_requested += in_units(w, RESOURCE_CPU, r[RESOURCE_CPU]);
    row->memory_requested += in_units(w, RESOURCE_MEMORY, r[RESOURCE_MEMORY]);
}

/* `excluded`, by pod: those that are being scheduled; NULL = none that is on a node. */
static void fill_node(const karp_snapshot *w, const uint8_t *excluded, const state_node *n, karp_node_use *row)
{
    row->size = sizeof *row;
    row->node = name_of(w, n->name);
    row->node_pool = n->managed && n->pool_name != NO_ID ? text_of(w, n->pool_name) : (karp_str){ "", 0 };
    row->instance_type = label_text(w, n, w->known.instance_type);
    row->zone = label_text(w, n, w->known.zone);
    row->capacity_type = label_text(w, n, w->known.capacity_type);
    row->price = node_price(w, n);
    row->cpu_allocatable = amount_double(resource_list_get(n->allocatable, RESOURCE_CPU));
    row->memory_allocatable = amount_double(resource_list_get(n->allocatable, RESOURCE_MEMORY));
    row->marked = n->marked;
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if (excluded == NULL || !excluded[n->pods[i]]) add_requests(w, n->pods[i], row);
    }
}

static bool fill_nodes(const karp_snapshot *w, const uint8_t *excluded, karp_decision *d)
{
    for (uint32_t i = 0; i < w->node_count; i++) {
        karp_node_use *row = list_push(d->context, &d->nodes, sizeof *row);
        if (row == NULL) return false;
        fill_node(w, excluded, &w->nodes[i], row);
        d->cost_before += row->price;
        if (!row->marked) d->cost_after += row->price;
    }
    return true;
}

bool report_nodes_unchanged(const karp_snapshot *w, karp_decision *d) { return fill_nodes(w, NULL, d); }

bool report_nodes(scheduler *s, karp_decision *d)
{
    const karp_snapshot *w = s->snapshot;
    if (!fill_nodes(w, s->pods.excluded, d)) return false;
    bool any = w->node_count > 0 && !s->placement.in_runs; /* runs are of claims */
    for (uint32_t i = 0; i < s->pods.count && any; i++) {
        place at = s->placement.places[s->pods.items[i]];
        if (at.where != PLACE_HOST) continue;
        karp_node_use *row = &d->nodes.items[s->hosts.items[at.target].node];
        add_requests(w, s->pods.items[i], row);
        row->pods_received++;
    }
    for (size_t i = 0; i < d->launches.count; i++) d->cost_after += d->launches.items[i].choice.price;
    return true;
}
