/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of slices, and which of them a candidate reaches (dra.md D2, D4). */
#include <schedule/device_run.h>

#include <base/bits.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <string.h>

bool reaches(scheduler *s, const asking *who, uint32_t set, demand d)
{
    return host_allowed(s, d.host, who->host_text) && set_compatible(&s->algebra, set, d.set, true);
}

/* ---- what is the same for everybody ------------------------------------------------------------------------------------------------ */

static bool current(const scheduler *s, uint32_t slice)
{
    const world_slice *w = &s->devices->world->slices[slice];
    return s->devices->slice_in[slice] && w->given->generation == s->devices->pools[w->pool].generation;
}

/* Counter sets of a pool: each may be defined once, and what devices take from must be defined. */
static bool counters_valid(const scheduler *s, const world_pool *p, uint8_t *sets, uint8_t *counters)
{
    const struct device_world *w = s->devices->world;
    bool valid = true;
    for (uint32_t i = 0; i < p->slices.count; i++) {
        const world_slice *d = &w->slices[p->slices.items[i]];
        if (!d->has_counters || !current(s, p->slices.items[i])) continue;
        for (uint32_t k = 0; k < d->sets.count; k++) {
            if (sets[d->sets.items[k]]) valid = false;
            sets[d->sets.items[k]] = 1;
        }
        for (uint32_t k = 0; k < d->counters.count; k++) counters[d->counters.items[k].id] = 1;
    }
    for (uint32_t i = 0; i < p->slices.count; i++) {
        const world_slice *d = &w->slices[p->slices.items[i]];
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

static void state_pool(scheduler *s, uint32_t pool, uint8_t *sets, uint8_t *counters)
{
    struct devices *d = s->devices;
    const world_pool *p = &d->world->pools[pool];
    pool_facts *f = &d->pools[pool];
    int64_t declared = 0, found = 0;
    for (uint32_t i = 0; i < p->slices.count; i++) {
        uint32_t slice = p->slices.items[i];
        int64_t generation = d->world->slices[slice].given->generation;
        if (!d->slice_in[slice] || (f->known && generation <= f->generation)) continue;
        f->known = true;
        f->generation = generation;
        declared = d->world->slices[slice].given->slice_count;
    }
    for (uint32_t i = 0; i < p->slices.count; i++) found += current(s, p->slices.items[i]);
    f->incomplete = found != declared;
    f->invalid = !counters_valid(s, p, sets, counters);
}

/* Slices that a Node owns count only while that node is offered and initialised. */
static bool owner_offered(const scheduler *s, const uint8_t *offered, const resource_slice *slice)
{
    if (slice->owner == NO_ID) return true;
    uint32_t n = store_find(&s->snapshot->raw, KIND_NODE, NO_TEXT, slice->owner);
    return n != NO_ID && offered[n];
}

bool pools_init(scheduler *s)
{
    struct devices *d = s->devices;
    const struct device_world *w = d->world;
    uint8_t *offered = arena_array(&s->round.data, s->snapshot->raw.nodes.count + 1, 1);
    uint8_t *sets = arena_array(&s->round.data, w->set_count + (size_t)w->counter_count + 1, 1);
    d->slice_in = arena_array(&s->round.data, w->slice_count + (size_t)1, 1);
    d->pools = arena_array(&s->round.data, w->pool_count + (size_t)1, sizeof *d->pools);
    if (offered == NULL || sets == NULL || d->slice_in == NULL || d->pools == NULL) return false;
    for (uint32_t h = 0; h < s->hosts.count; h++) {
        const state_node *n = &s->snapshot->nodes[s->hosts.items[h].node];
        if (n->node != NO_ID && n->initialized && bits_test(s->hosts.offered, h)) offered[n->node] = 1;
    }
    for (uint32_t i = 0; i < w->slice_count; i++) d->slice_in[i] = owner_offered(s, offered, w->slices[i].given);
    for (uint32_t p = 0; p < w->pool_count; p++) state_pool(s, p, sets, sets + w->set_count);
    return true;
}

/* ---- what a candidate reaches -------------------------------------------------------------------------------------------------------- */

static bool slice_reached(scheduler *s, uint32_t slice, const asking *who, uint32_t set)
{
    const world_slice *w = &s->devices->world->slices[slice];
    const resource_slice *g = w->given;
    if (g->all_nodes) return true;
    if (g->node != NO_ID) return who->node == g->node;
    for (uint32_t t = 0; g->has_selector && t < w->term_count; t++) {
        if (reaches(s, who, set, w->terms[t])) return true;
    }
    return false;
}

/* Whether two devices that are reached have the same name; `seen` is by identity and left clear. */
static bool repeated(const struct device_world *w, const uint32_t *slices, uint32_t count, uint8_t *seen)
{
    bool again = false;
    for (uint32_t i = 0; i < count; i++) {
        const world_slice *d = &w->slices[slices[i]];
        for (uint32_t k = d->device_first; k < d->device_first + d->device_count; k++) {
            again = again || seen[w->devices[k].identity];
            seen[w->devices[k].identity] = 1;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const world_slice *d = &w->slices[slices[i]];
        for (uint32_t k = d->device_first; k < d->device_first + d->device_count; k++) seen[w->devices[k].identity] = 0;
    }
    return again;
}

static bool fill_view(scheduler *s, pool_view *v, const uint32_t *slices, uint32_t count, const asking *who,
                      uint32_t set)
{
    const struct device_world *w = s->devices->world;
    uint32_t *kept = arena_array(&s->devices->scratch, count + (size_t)1, sizeof *kept);
    if (kept == NULL) return false;
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

bool pools_gather(scheduler *s, const asking *who, uint32_t set, pool_views *out)
{
    struct devices *d = s->devices;
    const struct device_world *w = d->world;
    pool_view *views = arena_array(&d->scratch, w->pool_count + (size_t)1, sizeof *views);
    uint8_t *seen = arena_array(&d->scratch, w->identity_count + (size_t)1, 1);
    uint32_t n = 0;
    if (views == NULL || seen == NULL) return false;
    for (uint32_t p = 0; p < w->pool_count; p++) {
        pool_view *v = &views[n];
        if (!d->pools[p].known) continue;
        *v = (pool_view){ .pool = p, .incomplete = d->pools[p].incomplete };
        if (!fill_view(s, v, w->pools[p].slices.items, w->pools[p].slices.count, who, set)) return false;
        v->invalid = d->pools[p].invalid || repeated(w, v->slices, v->slice_count, seen);
        if (v->invalid) v->slice_count = 0;
        if (worth_keeping(v)) n++;
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
