/* SPDX-License-Identifier: Apache-2.0 */
#include <decision/node_rows.h>
#include <base/money.h>

#include <base/bisect.h>

/* The name of the node's type, if its NodePool has the type, is faster than the label. */
static uint32_t instance_type_label(const karp_snapshot *s, const state_node *n)
{
    if (n->type == NO_ID) return label_get(n->labels, s->known.instance_type);
    return s->tables[s->pool_table[n->pool]].types[n->type].name;
}

double offering_price(const karp_snapshot *s, uint32_t pool, uint32_t type, uint32_t zone, uint32_t capacity_type,
                      uint32_t reservation)
{
    if (type == NO_ID) return 0;
    const type_table *t = &s->tables[s->pool_table[pool]];
    const instance_type *y = &t->types[type];
    uint32_t first = NO_ID;
    for (uint32_t i = y->offering_first; i < y->offering_first + y->offering_count; i++) {
        const offering *o = &t->offerings[i];
        if (o->zone != zone || o->capacity_type != capacity_type) continue;
        if (reservation == NO_ID || o->reservation == reservation) return o->price;
        if (first == NO_ID) first = i;
    }
    return first != NO_ID ? t->offerings[first].price : 0;
}

double node_price(const karp_snapshot *s, const state_node *n)
{
    return offering_price(s, n->pool, n->type, n->zone, n->capacity_type, NO_ID);
}

/* Factors from the vectors' units to cores and bytes. */
struct shown_units {
    double cpu, memory;
};

static struct shown_units units_of(const karp_snapshot *s)
{
    return (struct shown_units){ amount_double(s->units[RESOURCE_CPU]), amount_double(s->units[RESOURCE_MEMORY]) };
}

/* Adds up cores and bytes for display, for which doubles are exact enough. */
static void add_requests(const karp_snapshot *s, struct shown_units units, uint32_t pod_number, karp_node_use *row)
{
    const int64_t *r = s->classes[s->pod_class[pod_number]].requests;
    row->cpu_requested += (double)r[RESOURCE_CPU] * units.cpu;
    row->memory_requested += (double)r[RESOURCE_MEMORY] * units.memory;
}

/* Rows are mostly made in the order of nodes. */
static void read_ahead(const karp_snapshot *s, uint32_t number)
{
    enum { AHEAD = 8 };
    if (number + AHEAD * 2 < s->node_count) {
        __builtin_prefetch(&s->nodes[number + AHEAD * 2]);
        __builtin_prefetch(&s->nodes[number + AHEAD * 2].pods);
    }
    if (number + AHEAD < s->node_count) {
        __builtin_prefetch(s->nodes[number + AHEAD].allocatable.items);
        __builtin_prefetch(s->nodes[number + AHEAD].pods);
    }
}

/* The index of the node's first arrival, or where it would be. */
static size_t first_arrival(const node_changes *changes, uint32_t number)
{
    bisection b = bisect(changes->arrival_count);
    while (bisecting(&b)) bisect_step(&b, changes->arrivals[b.at].node < number);
    return b.at;
}

void node_row(const karp_snapshot *s, const node_changes *changes, uint32_t number, karp_node_use *row)
{
    const state_node *n = &s->nodes[number];
    struct shown_units units = units_of(s);
    read_ahead(s, number);
    *row = (karp_node_use){ .size = sizeof *row };
    row->node = name_of(s, n->name);
    row->node_pool = n->managed && n->pool_name != NO_ID ? text_of(s, n->pool_name) : (karp_str){ "", 0 };
    row->instance_type = text_or_none(s, instance_type_label(s, n));
    row->zone = text_or_none(s, n->zone);
    row->capacity_type = text_or_none(s, n->capacity_type);
    row->price = node_price(s, n);
    row->cpu_allocatable = amount_double(resource_list_get(n->allocatable, RESOURCE_CPU));
    row->memory_allocatable = amount_double(resource_list_get(n->allocatable, RESOURCE_MEMORY));
    row->marked = n->marked;
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if (changes->scheduled == NULL || !changes->scheduled[n->pods[i]]) add_requests(s, units, n->pods[i], row);
    }
    for (size_t i = first_arrival(changes, number); i < changes->arrival_count && changes->arrivals[i].node == number;
         i++) {
        add_requests(s, units, changes->arrivals[i].pod, row);
        row->pods_received++;
    }
}

double nodes_price(const karp_snapshot *s, bool marked_too)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (marked_too || !s->nodes[i].marked) sum += node_price(s, &s->nodes[i]);
    }
    return sum;
}

size_t nodes_unpriced(const karp_snapshot *s)
{
    size_t count = 0;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        count += !n->marked && n->managed && n->pool_name != NO_ID && !has_price(node_price(s, n));
    }
    return count;
}
