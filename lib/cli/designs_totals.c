/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"

#include <base/memory.h>
#include <base/sort.h>
#include <string.h>

#include <karp/columns.h>
#include <karp/library.h>

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

bool design_group_add(const cli_options *options, design_groups *g, karp_str name, double price)
{
    size_t at = 0;
    while (at < g->count && compare_str(g->items[at].name, name) < 0) at++;
    if (at == g->count || !equal_str(g->items[at].name, name)) {
        if (!grow(options->context, (void **)&g->items, &g->room, g->count + 1, sizeof *g->items)) return false;
        memmove(&g->items[at + 1], &g->items[at], (g->count - at) * sizeof *g->items);
        g->items[at] = (design_group){ .name = name };
        g->count++;
    }
    g->items[at].nodes++;
    g->items[at].price += price;
    return true;
}

static karp_status count_node(design *d, karp_str pool, karp_str zone, karp_str capacity_type, karp_str type,
                              double price)
{
    d->nodes++;
    d->price += price;
    if (str_is(capacity_type, "spot")) d->spot_price += price;
    bool ok = design_group_add(&d->options, &d->pools, pool, price) &&
              design_group_add(&d->options, &d->zones, zone, price) &&
              (capacity_type.len == 0 || design_group_add(&d->options, &d->capacity_types, capacity_type, price)) &&
              design_group_add(&d->options, &d->types, type, price);
    return ok ? KARP_OK : KARP_E_NOMEM;
}

static double amount(const karp_resource *list, size_t count, const char *name)
{
    double value = 0;
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].name, name)) (void)karp_quantity_double(list[i].text, &value);
    }
    return value;
}

static karp_status count_nodes(design *d)
{
    for (size_t i = 0; i < karp_decision_node_count(d->plan); i++) {
        karp_node_use n = { .size = sizeof n };
        karp_status status = karp_decision_node(d->plan, i, &n);
        if (status != KARP_OK) return status;
        if (n.marked) continue;
        d->cpu_requested += n.cpu_requested;
        d->cpu_allocatable += n.cpu_allocatable;
        d->memory_requested += n.memory_requested;
        d->memory_allocatable += n.memory_allocatable;
        status = count_node(d, n.node_pool, n.zone, n.capacity_type, n.instance_type, n.price);
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static size_t add_words(design *d, const char *before, const karp_str *words, size_t count, bool *ok)
{
    size_t start = d->texts.len;
    *ok = *ok && text_add(&d->options, &d->texts, before, strlen(before));
    for (size_t i = 0; i < count && *ok; i++)
        *ok = (i == 0 || text_add(&d->options, &d->texts, " ", 1)) &&
              text_add(&d->options, &d->texts, words[i].ptr, words[i].len);
    *ok = *ok && text_add(&d->options, &d->texts, "", 1);
    return start;
}

static bool add_place(design *d, karp_str pod, size_t text, size_t group)
{
    if (!grow(d->options.context, (void **)&d->places, &d->place_room, d->place_count + 1, sizeof *d->places))
        return false;
    d->places[d->place_count++] = (design_place){ pod, text, group };
    return true;
}

static bool add_pods(design *d, const uint32_t *pods, size_t count, size_t text, size_t group)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) ok = add_place(d, karp_decision_pod_name(d->plan, pods[i]), text, group);
    d->placed += count;
    return ok;
}

static karp_status count_launches(design *d)
{
    static const karp_str of_pool = { "of pool", 7 };
    for (size_t i = 0; i < karp_decision_launch_count(d->plan); i++) {
        karp_launch l = { .size = sizeof l };
        karp_status status = karp_decision_launch(d->plan, i, &l);
        if (status != KARP_OK) return status;
        bool ok = true;
        karp_str words[] = { l.choice.instance_type, l.choice.zone, l.choice.capacity_type, of_pool, l.node_pool };
        size_t text = add_words(d, "new ", words, 5, &ok), group = add_words(d, "new ", words + 2, 3, &ok);
        if (!ok || !add_pods(d, l.pods, l.pod_count, text, group)) return KARP_E_NOMEM;
        d->launched++;
        d->cpu_requested += amount(l.requests, l.request_count, "cpu");
        d->memory_requested += amount(l.requests, l.request_count, "memory");
        d->cpu_allocatable += amount(l.allocatable, l.allocatable_count, "cpu");
        d->memory_allocatable += amount(l.allocatable, l.allocatable_count, "memory");
        status = count_node(d, l.node_pool, l.choice.zone, l.choice.capacity_type, l.choice.instance_type,
                            l.choice.price);
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

static karp_status count_placements(design *d)
{
    for (size_t i = 0; i < karp_decision_placement_count(d->plan); i++) {
        karp_placement p = { .size = sizeof p };
        karp_status status = karp_decision_placement(d->plan, i, &p);
        if (status != KARP_OK) return status;
        bool ok = true;
        size_t text = add_words(d, "node ", &p.node, 1, &ok);
        if (!ok || !add_pods(d, p.pods, p.pod_count, text, text)) return KARP_E_NOMEM;
    }
    return KARP_OK;
}

static karp_status count_left(design *d)
{
    size_t refused = karp_decision_unschedulable_count(d->plan), all = refused + karp_decision_ignored_count(d->plan);
    for (size_t i = 0; i < all; i++) {
        karp_unschedulable u = { .size = sizeof u };
        karp_ignored g = { .size = sizeof g };
        karp_status status = i < refused ? karp_decision_unschedulable(d->plan, i, &u)
                                         : karp_decision_ignored(d->plan, i - refused, &g);
        if (status != KARP_OK) return status;
        if (i >= refused && g.code == KARP_REASON_NOT_FOR_KARPENTER) continue;
        const char *reason = karp_reason_text(i < refused ? u.code : g.code);
        karp_str word = str(reason);
        bool ok = true;
        size_t text = add_words(d, "no node: ", &word, 1, &ok);
        if (!ok || !add_place(d, karp_decision_pod_name(d->plan, i < refused ? u.pod : g.pod), text, text))
            return KARP_E_NOMEM;
        d->left++;
    }
    return KARP_OK;
}

static int by_pod(const void *a, const void *b, const void *user)
{
    const design_place *x = a, *y = b;
    (void)user;
    return compare_str(x->pod, y->pod);
}

/* Adds running pods that the plan does not move, so that pods which another design lacks are reported. */
static karp_status add_running(design *d)
{
    static const karp_str name_column = { "name", 4 }, pods_column = { "pods", 4 };
    karp_column names = { .size = sizeof names }, pods = { .size = sizeof pods };
    karp_table *nodes = NULL;
    karp_error error;
    karp_error_init(&error, sizeof error);
    if (d->input.snapshot == NULL) return KARP_OK; /* a design without an input of its own */
    karp_status status = karp_snapshot_table(d->input.snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, &error);
    if (status == KARP_OK) status = karp_table_find(nodes, name_column, &names);
    if (status == KARP_OK) status = karp_table_find(nodes, pods_column, &pods);
    for (size_t i = 0; status == KARP_OK && i < karp_table_row_count(nodes); i++) {
        karp_str name = { (const char *)names.values + names.offsets[i],
                          (size_t)(names.offsets[i + 1] - names.offsets[i]) };
        bool ok = true;
        size_t text = add_words(d, "node ", &name, 1, &ok);
        for (int32_t k = pods.offsets[i]; ok && k < pods.offsets[i + 1]; k++) {
            uint32_t pod = ((const uint32_t *)pods.values)[k];
            ok = add_place(d, karp_snapshot_pod_name(d->input.snapshot, pod), text, text);
        }
        if (!ok) status = KARP_E_NOMEM;
    }
    karp_table_free(nodes);
    return status;
}

/* For a running pod that is moved, the move is kept: it was added first. */
static void keep_first(design *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->place_count; i++) {
        if (kept == 0 || compare_str(d->places[kept - 1].pod, d->places[i].pod) != 0) d->places[kept++] = d->places[i];
    }
    d->place_count = kept;
}

karp_status design_add_up(design *d)
{
    karp_status status = count_nodes(d);
    if (status == KARP_OK) status = count_launches(d);
    if (status == KARP_OK) status = count_placements(d);
    if (status == KARP_OK) status = count_left(d);
    if (status == KARP_OK) status = add_running(d);
    if (status == KARP_OK &&
        !sort_stable(d->options.context, d->places, d->place_count, sizeof *d->places, by_pod, NULL))
        status = KARP_E_NOMEM;
    if (status == KARP_OK) keep_first(d);
    return status;
}

void design_groups_free(const cli_options *options, design_groups *groups)
{
    karp_free(options->context, groups->items, groups->room * sizeof *groups->items);
    *groups = (design_groups){ 0 };
}

void design_free(design *d)
{
    const cli_options *options = &d->options;
    design_groups *groups[] = { &d->pools, &d->zones, &d->capacity_types, &d->types };
    for (size_t i = 0; i < 4; i++) design_groups_free(options, groups[i]);
    karp_free(options->context, d->alone, d->alone_count * sizeof *d->alone);
    karp_free(options->context, d->places, d->place_room * sizeof *d->places);
    text_file_free(options, &d->texts);
    karp_decision_unref(d->plan);
    input_free(options, &d->input);
}
