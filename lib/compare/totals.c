/* SPDX-License-Identifier: Apache-2.0 */
/* What the plan of a design comes to: nodes, cost, use, and where each pod is. */
#include <compare/comparison.h>

#include <base/bisect.h>
#include <base/sort.h>
#include <io/write_launch.h>

#include <karp/columns.h>
#include <karp/inspect.h>

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Adds a node to the group of that name. false = out of memory. */
static bool add_to_group(karp_context *context, design_groups *g, karp_str name, double price)
{
    bisection b = bisect(g->count);
    while (bisecting(&b)) bisect_step(&b, compare_str(g->items[b.at].name, name) < 0);
    size_t at = b.at;
    if (at == g->count || !equal_str(g->items[at].name, name)) {
        if (!grow(context, (void **)&g->items, &g->room, g->count + 1, sizeof *g->items)) return false;
        memmove(&g->items[at + 1], &g->items[at], (g->count - at) * sizeof *g->items);
        g->items[at] = (karp_design_group){ .name = name };
        g->count++;
    }
    g->items[at].nodes++;
    g->items[at].price += price;
    return true;
}

static void count_node(summed_design *d, karp_str pool, karp_str zone, karp_str capacity_type, karp_str type,
                       double price)
{
    karp_str names[GROUPINGS] = { pool, zone, capacity_type, type };
    d->totals.nodes++;
    d->totals.price += price;
    if (str_is(capacity_type, "spot")) d->totals.spot_price += price;
    for (size_t i = 0; i < GROUPINGS; i++) {
        bool none = i == OF_CAPACITY_TYPES && capacity_type.len == 0;
        if (!none && !add_to_group(d->context, &d->groups[i], names[i], price)) keep_failure(&d->status, KARP_E_NOMEM);
    }
}

static void count_nodes(summed_design *d, const karp_decision *of)
{
    for (size_t i = 0; i < karp_decision_node_count(of); i++) {
        karp_node_use n = { .size = sizeof n };
        keep_failure(&d->status, karp_decision_node(of, i, &n));
        if (n.marked) continue;
        d->totals.cpu_requested += n.cpu_requested;
        d->totals.cpu_allocatable += n.cpu_allocatable;
        d->totals.memory_requested += n.memory_requested;
        d->totals.memory_allocatable += n.memory_allocatable;
        count_node(d, n.node_pool, n.zone, n.capacity_type, n.instance_type, n.price);
    }
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static size_t add_words(summed_design *d, const char *before, const karp_str *words, size_t count)
{
    size_t start = d->texts.len;
    strbuf_adds(&d->texts, before);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) strbuf_addc(&d->texts, ' ');
        strbuf_addstr(&d->texts, words[i]);
    }
    strbuf_add(&d->texts, "", 1);
    return start;
}

static void add_place(summed_design *d, karp_str pod, size_t text, size_t group)
{
    if (!grow(d->context, (void **)&d->places, &d->place_room, d->place_count + 1, sizeof *d->places))
        keep_failure(&d->status, KARP_E_NOMEM);
    else d->places[d->place_count++] = (design_place){ pod, text, group };
}

static void add_pods(summed_design *d, const uint32_t *pods, size_t count, size_t text, size_t group)
{
    for (size_t i = 0; i < count; i++) add_place(d, karp_decision_pod_name(d->design.plan, pods[i]), text, group);
    d->totals.pods_placed += count;
}

static void count_launches(summed_design *d)
{
    static const karp_str of_pool = { "of pool", 7 };
    for (size_t i = 0; i < karp_decision_launch_count(d->design.plan); i++) {
        karp_launch l = { .size = sizeof l };
        keep_failure(&d->status, karp_decision_launch(d->design.plan, i, &l));
        karp_str words[] = { l.choice.instance_type, l.choice.zone, l.choice.capacity_type, of_pool, l.node_pool };
        size_t text = add_words(d, "new ", words, 5), group = add_words(d, "new ", words + 2, 3);
        add_pods(d, l.pods, l.pod_count, text, group);
        d->totals.launches++;
        d->totals.cpu_requested += resource_amount(l.requests, l.request_count, "cpu");
        d->totals.memory_requested += resource_amount(l.requests, l.request_count, "memory");
        d->totals.cpu_allocatable += resource_amount(l.allocatable, l.allocatable_count, "cpu");
        d->totals.memory_allocatable += resource_amount(l.allocatable, l.allocatable_count, "memory");
        count_node(d, l.node_pool, l.choice.zone, l.choice.capacity_type, l.choice.instance_type, l.choice.price);
    }
}

static void count_placements(summed_design *d)
{
    for (size_t i = 0; i < karp_decision_placement_count(d->design.plan); i++) {
        karp_placement p = { .size = sizeof p };
        keep_failure(&d->status, karp_decision_placement(d->design.plan, i, &p));
        size_t text = add_words(d, "node ", &p.node, 1);
        add_pods(d, p.pods, p.pod_count, text, text);
    }
}

static void count_left(summed_design *d, const karp_decision *of)
{
    size_t refused = karp_decision_unschedulable_count(of), all = refused + karp_decision_ignored_count(of);
    for (size_t i = 0; i < all; i++) {
        karp_unschedulable u = { .size = sizeof u };
        karp_ignored g = { .size = sizeof g };
        keep_failure(&d->status,
                     i < refused ? karp_decision_unschedulable(of, i, &u) : karp_decision_ignored(of, i - refused, &g));
        if (i >= refused && g.code == KARP_REASON_NOT_FOR_KARPENTER) continue;
        karp_str word = str(karp_reason_text(i < refused ? u.code : g.code));
        size_t text = add_words(d, "no node: ", &word, 1);
        add_place(d, karp_decision_pod_name(of, i < refused ? u.pod : g.pod), text, text);
        d->totals.pods_left++;
    }
}

typedef struct node_table {
    karp_table *rows;
    karp_column names, pods, pools, types, zones, capacity_types;
} node_table;

static karp_status read_nodes(const karp_snapshot *snapshot, node_table *t)
{
    karp_error error = { .size = sizeof error };
    const struct {
        const char *name;
        karp_column *column;
    } columns[] = { { "name", &t->names },          { "pods", &t->pods },  { "node_pool", &t->pools },
                    { "instance_type", &t->types }, { "zone", &t->zones }, { "capacity_type", &t->capacity_types } };
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_NODES, &t->rows, &error);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0] && status == KARP_OK; i++) {
        columns[i].column->size = sizeof *columns[i].column;
        status = karp_table_find(t->rows, str(columns[i].name), columns[i].column);
    }
    return status;
}

static karp_str node_name(const node_table *t, size_t row)
{
    return (karp_str){ (const char *)t->names.values + t->names.offsets[row],
                       (size_t)(t->names.offsets[row + 1] - t->names.offsets[row]) };
}

static karp_str word_of(const karp_column *column, size_t row)
{
    uint32_t entry = ((const uint32_t *)column->values)[row];
    const int32_t *at = column->dictionary_offsets;
    return (karp_str){ column->dictionary + at[entry], (size_t)(at[entry + 1] - at[entry]) };
}

static size_t add_new(summed_design *d, const node_table *t, size_t row, size_t *group)
{
    const karp_str words[] = { word_of(&t->types, row), word_of(&t->zones, row), word_of(&t->capacity_types, row),
                               str("of pool"), word_of(&t->pools, row) };
    *group = add_words(d, "new ", words + 2, 3);
    return add_words(d, "new ", words, 5);
}

/* Adds the pods that run on nodes. Those of a node that `known` (NULL = everything is known) lacks are on a new one. */
static void add_running(summed_design *d, const karp_snapshot *of, const karp_snapshot *known)
{
    node_table nodes = { 0 }, before = { 0 };
    karp_status status = read_nodes(of, &nodes);
    if (status == KARP_OK && known != NULL) status = read_nodes(known, &before);
    size_t rows = status == KARP_OK ? karp_table_row_count(nodes.rows) : 0, at = 0;
    size_t known_rows = status == KARP_OK && known != NULL ? karp_table_row_count(before.rows) : 0;
    for (size_t i = 0; i < rows; i++) {
        karp_str name = node_name(&nodes, i);
        while (at < known_rows && compare_str(node_name(&before, at), name) < 0) at++;
        bool is_new = known != NULL && (at == known_rows || !equal_str(node_name(&before, at), name));
        size_t group = 0, text = is_new ? add_new(d, &nodes, i, &group) : add_words(d, "node ", &name, 1);
        for (int32_t k = nodes.pods.offsets[i]; k < nodes.pods.offsets[i + 1]; k++) {
            uint32_t pod = ((const uint32_t *)nodes.pods.values)[k];
            add_place(d, karp_snapshot_pod_name(of, pod), text, is_new ? group : text);
        }
    }
    karp_table_free(nodes.rows);
    karp_table_free(before.rows);
    keep_failure(&d->status, status);
}

/* The cluster after all rounds has the nodes that were launched, and pods that are bound to them. */
static void count_settled(summed_design *d)
{
    const karp_decision *last = karp_settlement_last(d->design.settlement);
    karp_settle_round round = { .size = sizeof round };
    for (size_t i = 0; karp_settlement_round(d->design.settlement, i, &round) == KARP_OK; i++)
        d->totals.launches += round.launches;
    for (size_t i = 0; i < karp_decision_launch_count(d->design.plan); i++) {
        karp_launch l = { .size = sizeof l };
        keep_failure(&d->status, karp_decision_launch(d->design.plan, i, &l));
        d->totals.pods_placed += l.pod_count;
    }
    for (size_t i = 0; i < karp_decision_placement_count(d->design.plan); i++) {
        karp_placement p = { .size = sizeof p };
        keep_failure(&d->status, karp_decision_placement(d->design.plan, i, &p));
        d->totals.pods_placed += p.pod_count;
    }
    size_t left = karp_decision_pods_left(d->design.plan), at_last = karp_decision_pods_left(last);
    d->totals.pods_placed += left > at_last ? left - at_last : 0;
    count_nodes(d, last);
    count_left(d, last);
    add_running(d, karp_settlement_snapshot(d->design.settlement), d->design.snapshot);
}

/* For a running pod that is moved, the move is kept: it was added first. */
static void keep_first(summed_design *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->place_count; i++) {
        if (kept == 0 || compare_str(d->places[kept - 1].pod, d->places[i].pod) != 0) d->places[kept++] = d->places[i];
    }
    d->place_count = kept;
}

static void show_groups(summed_design *d)
{
    karp_design_totals *t = &d->totals;
    const karp_design_group **const lists[] = { &t->node_pools, &t->zones, &t->capacity_types, &t->instance_types };
    size_t *const counts[] = { &t->node_pool_count, &t->zone_count, &t->capacity_type_count, &t->instance_type_count };
    for (size_t i = 0; i < GROUPINGS; i++) {
        *lists[i] = d->groups[i].items;
        *counts[i] = d->groups[i].count;
    }
}

karp_status design_add_up(summed_design *d, karp_error *error)
{
    strbuf_init(&d->texts, d->context);
    if (d->design.settlement != NULL) {
        count_settled(d);
    } else {
        count_nodes(d, d->design.plan);
        count_launches(d);
        count_placements(d);
        count_left(d, d->design.plan);
    }
    /* Pods that the plan does not move, so that pods which another design lacks are reported. */
    if (d->design.snapshot != NULL) add_running(d, d->design.snapshot, NULL);
    bool sorted = !d->texts.failed &&
                  sort_stable(d->context, d->places, d->place_count, sizeof *d->places, by_text, NULL);
    if (!sorted) keep_failure(&d->status, KARP_E_NOMEM);
    if (d->status == KARP_E_NOMEM) return fail_nomem(error);
    if (d->status != KARP_OK) return fail(error, d->status, "the design cannot be added up");
    keep_first(d);
    show_groups(d);
    return KARP_OK;
}
