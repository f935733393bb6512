/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of slices, and which of them a candidate can reach (dra.md D2, D4). */
#include <schedule/device_run.h>

#include <base/bisect.h>
#include <base/sort.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>

bool reaches(scheduler *s, const asking *who, uint32_t set, demand d)
{
    return host_allowed(s, d.host, who->host_text) && set_compatible(&s->algebra, set, d.set, true);
}

/* ---- data shared by all candidates ------------------------------------------------------------------------------- */

static bool current(const scheduler *s, uint32_t slice)
{
    const indexed_slice *w = &s->devices->index->slices[slice];
    return s->devices->slice_in[slice] && w->given->generation == s->devices->pools[w->pool].generation;
}

/* Validates the counter sets of a pool: each is defined only once, and those that devices consume are defined. */
static bool counters_valid(const scheduler *s, const indexed_pool *p, uint8_t *sets, uint8_t *counters)
{
    const struct device_index *w = s->devices->index;
    bool valid = true;
    for (uint32_t i = 0; i < p->slices.count; i++) {
        const indexed_slice *d = &w->slices[p->slices.items[i]];
        if (!d->has_counters || !current(s, p->slices.items[i])) continue;
        for (uint32_t k = 0; k < d->sets.count; k++) {
            if (sets[d->sets.items[k]]) valid = false;
            sets[d->sets.items[k]] = 1;
        }
        for (uint32_t k = 0; k < d->counters.count; k++) counters[d->counters.items[k].id] = 1;
    }
    for (uint32_t i = 0; i < p->slices.count; i++) {
        const indexed_slice *d = &w->slices[p->slices.items[i]];
        if (!d->consumes || !current(s, p->slices.items[i])) continue;
        for (uint32_t k = d->device_first; k < d->device_first + d->device_count; k++) {
            for (uint32_t n = 0; n < w->devices[k].sets.count; n++) {
                if (!sets[w->devices[k].sets.items[n]]) valid = false;
            }
            for (uint32_t n = 0; n < w->devices[k].consumes.count; n++) {
                if (!counters[w->devices[k].consumes.items[n].id]) valid = false;
            }
        }
    }
    return valid;
}

/* Whether two devices of these slices have the same name. `seen` is by identity and is clear afterwards. */
static bool repeated(const struct device_index *w, const uint32_t *slices, uint32_t count, uint8_t *seen)
{
    bool again = false;
    for (uint32_t i = 0; i < count; i++) {
        const indexed_slice *d = &w->slices[slices[i]];
        for (uint32_t k = d->device_first; k < d->device_first + d->device_count; k++) {
            again = again || seen[w->devices[k].identity];
            seen[w->devices[k].identity] = 1;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const indexed_slice *d = &w->slices[slices[i]];
        for (uint32_t k = d->device_first; k < d->device_first + d->device_count; k++) seen[w->devices[k].identity] = 0;
    }
    return again;
}

static void state_pool(scheduler *s, uint32_t pool, uint8_t *sets, uint8_t *counters)
{
    struct devices *d = s->devices;
    const indexed_pool *p = &d->index->pools[pool];
    pool_facts *f = &d->pools[pool];
    int64_t declared = 0, found = 0;
    for (uint32_t i = 0; i < p->slices.count; i++) {
        uint32_t slice = p->slices.items[i];
        int64_t generation = d->index->slices[slice].given->generation;
        if (!d->slice_in[slice] || (f->known && generation <= f->generation)) continue;
        f->known = true;
        f->generation = generation;
        declared = d->index->slices[slice].given->slice_count;
    }
    for (uint32_t i = 0; i < p->slices.count; i++) found += current(s, p->slices.items[i]);
    f->incomplete = found != declared;
    f->invalid = !counters_valid(s, p, sets, counters);
    f->names_differ = !repeated(d->index, p->slices.items, p->slices.count, d->name_seen);
}

/* Whether each slice belongs to one node. Then other nodes cannot reach the pool. */
static bool of_nodes(const scheduler *s, uint32_t pool)
{
    const struct device_index *w = s->devices->index;
    const indexed_pool *p = &w->pools[pool];
    bool all = !s->devices->pools[pool].invalid;
    for (uint32_t i = 0; i < p->slices.count && all; i++) {
        const indexed_slice *d = &w->slices[p->slices.items[i]];
        all = !current(s, p->slices.items[i]) || (!d->given->all_nodes && d->given->node != NO_ID && !d->consumes);
    }
    return all;
}

static int by_node(uint32_t a, uint32_t b, const void *user)
{
    const struct device_index *w = user;
    uint32_t one = w->slices[a].given->node, other = w->slices[b].given->node;
    return one < other ? -1 : one > other;
}

static bool divide_pools(scheduler *s)
{
    struct devices *d = s->devices;
    const struct device_index *w = d->index;
    uint32_t *common = arena_array(&s->round.data, w->pool_count + (size_t)1, sizeof *common);
    uint32_t *slices = arena_array(&s->round.data, w->slice_count + (size_t)1, sizeof *slices);
    if (common == NULL || slices == NULL) return false;
    d->common_pools = (id_list){ common, 0 };
    d->node_slices = (id_list){ slices, 0 };
    for (uint32_t p = 0; p < w->pool_count; p++) {
        id_list all = w->pools[p].slices;
        if (!d->pools[p].known) continue;
        if (!of_nodes(s, p)) {
            common[d->common_pools.count++] = p;
            continue;
        }
        for (uint32_t i = 0; i < all.count; i++) {
            if (current(s, all.items[i])) slices[d->node_slices.count++] = all.items[i];
        }
    }
    return sort_ids(s->context, slices, d->node_slices.count, by_node, w);
}

/* A slice that a Node owns counts only while that node is offered and initialized. */
static bool owner_offered(const scheduler *s, const uint8_t *offered, const resource_slice *slice)
{
    if (slice->owner == NO_ID) return true;
    uint32_t n = store_find(&s->snapshot->raw, KIND_NODE, NO_TEXT, slice->owner);
    return n != NO_ID && offered[n];
}

bool pools_init(scheduler *s)
{
    struct devices *d = s->devices;
    const struct device_index *w = d->index;
    uint8_t *offered = arena_array(&s->round.data, s->snapshot->raw.nodes.count + 1, 1);
    uint8_t *sets = arena_array(&s->round.data, w->set_count + (size_t)w->counter_count + 1, 1);
    d->slice_in = arena_array(&s->round.data, w->slice_count + (size_t)1, 1);
    d->pools = arena_array(&s->round.data, w->pool_count + (size_t)1, sizeof *d->pools);
    d->name_seen = arena_array(&s->round.data, w->identity_count + (size_t)1, 1);
    if (offered == NULL || sets == NULL || d->slice_in == NULL || d->pools == NULL || d->name_seen == NULL)
        return false;
    for (uint32_t h = 0; h < s->hosts.count; h++) {
        const state_node *n = &s->snapshot->nodes[s->hosts.items[h].node];
        if (n->node != NO_ID && n->initialized && bits_test(s->hosts.offered, h)) offered[n->node] = 1;
    }
    for (uint32_t i = 0; i < w->slice_count; i++) d->slice_in[i] = owner_offered(s, offered, w->slices[i].given);
    for (uint32_t p = 0; p < w->pool_count; p++) state_pool(s, p, sets, sets + w->set_count);
    return divide_pools(s);
}

/* ---- views of a candidate ---------------------------------------------------------------------------------------- */

static bool slice_reached(scheduler *s, uint32_t slice, const asking *who, uint32_t set)
{
    const indexed_slice *w = &s->devices->index->slices[slice];
    const resource_slice *g = w->given;
    if (g->all_nodes) return true;
    if (g->node != NO_ID) return who->node == g->node;
    for (uint32_t t = 0; g->has_selector && t < w->term_count; t++) {
        if (reaches(s, who, set, w->terms[t])) return true;
    }
    return false;
}

/* Visiting slices counts as work of the search. */
static bool count_slices(scheduler *s, uint32_t count)
{
    struct devices *d = s->devices;
    d->slices_seen += count;
    d->round_steps += d->slices_seen / LOOKS_A_STEP;
    d->slices_seen %= LOOKS_A_STEP;
    return scheduler_worked(s, count * (size_t)8);
}

static bool fill_view(scheduler *s, pool_view *v, const uint32_t *slices, uint32_t count, const asking *who,
                      uint32_t set)
{
    const struct device_index *w = s->devices->index;
    uint32_t *kept = arena_array(&s->devices->scratch, count + (size_t)1, sizeof *kept);
    if (kept == NULL || !count_slices(s, count)) return false;
    v->slices = kept;
    v->slice_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!current(s, slices[i]) || w->slices[slices[i]].has_counters) continue;
        if (slice_reached(s, slices[i], who, set)) kept[v->slice_count++] = slices[i];
        else if (w->slices[slices[i]].consumes) v->hidden_consumers = true;
    }
    return true;
}

static bool worth_keeping(const pool_view *v) { return v->invalid || v->slice_count > 0 || v->hidden_consumers; }

/* The slices that only this node can reach. */
static id_list slices_of_node(const struct devices *d, uint32_t name)
{
    const indexed_slice *slices = d->index->slices;
    const uint32_t *all = d->node_slices.items;
    bisection b = bisect(d->node_slices.count);
    while (bisecting(&b)) bisect_step(&b, slices[all[b.at]].given->node < name);
    uint32_t from = (uint32_t)b.at, to = from;
    while (to < d->node_slices.count && slices[all[to]].given->node == name) to++;
    return (id_list){ all + from, to - from };
}

/* Appends the candidate's view of a pool to `views`. */
static bool add_view(scheduler *s, uint32_t pool, id_list slices, const asking *who, uint32_t set, pool_view *views,
                     uint32_t *n)
{
    struct devices *d = s->devices;
    const pool_facts *f = &d->pools[pool];
    pool_view *v = &views[*n];
    *v = (pool_view){ .pool = pool, .incomplete = f->incomplete };
    if (!fill_view(s, v, slices.items, slices.count, who, set)) return false;
    v->invalid = f->invalid || (!f->names_differ && repeated(d->index, v->slices, v->slice_count, d->name_seen));
    if (v->invalid) v->slice_count = 0;
    *n += worth_keeping(v);
    return true;
}

/* Merges the common pools and the node's own pools in pool order. */
bool pools_gather(scheduler *s, const asking *who, uint32_t set, pool_views *out)
{
    struct devices *d = s->devices;
    const struct device_index *w = d->index;
    id_list own = who->node == NO_ID ? (id_list){ NULL, 0 } : slices_of_node(d, who->node);
    pool_view *views = arena_array(&d->scratch, d->common_pools.count + (size_t)own.count + 1, sizeof *views);
    uint32_t n = 0, at = 0;
    if (views == NULL) return false;
    for (uint32_t i = 0; i < d->common_pools.count || at < own.count;) {
        uint32_t pool = at < own.count ? w->slices[own.items[at]].pool : NO_ID, from = at;
        bool common = i < d->common_pools.count && d->common_pools.items[i] < pool;
        if (common) pool = d->common_pools.items[i++];
        while (!common && at < own.count && w->slices[own.items[at]].pool == pool) at++;
        id_list some = common ? w->pools[pool].slices : (id_list){ own.items + from, at - from };
        if (!add_view(s, pool, some, who, set, views, &n)) return false;
    }
    *out = (pool_views){ views, n };
    return !s->algebra.failed;
}

bool pools_filter(scheduler *s, pool_views from, const asking *who, uint32_t set, pool_views *out)
{
    pool_view *views = arena_array(&s->devices->scratch, from.count + (size_t)1, sizeof *views);
    uint32_t n = 0;
    if (views == NULL) return false;
    for (uint32_t i = 0; i < from.count; i++) {
        views[n] = from.items[i];
        if (!fill_view(s, &views[n], from.items[i].slices, from.items[i].slice_count, who, set)) return false;
        if (worth_keeping(&views[n])) n++;
    }
    *out = (pool_views){ views, n };
    return !s->algebra.failed;
}
