/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads of a queue: what becomes of each at its turn, on all nodes and on those of each flavour (workloads.h). */
#include <schedule/gang_place.h>

#include <karp/admit.h>

#include <schedule/gang_domains.h>
#include <schedule/gang_why.h>
#include <schedule/savepoint.h>
#include <schedule/scheduler.h>
#include <schedule/workloads.h>

/* Counts the pods of the workload that have a place, and those that wait for its node. Returns whether all have one. */
static bool count_places(gang_loop *l, uint32_t id, workload_try *t)
{
    scheduler *s = l->s;
    const member_group *g = &l->all->items[id];
    bool all = true;
    for (uint32_t i = 0; i < g->pod_count; i++) {
        if (exclusion(&s->pods, g->pods[i]) == 0) continue;
        place at = placement_get(s, g->pods[i]);
        bool ready = at.where == PLACE_HOST && s->snapshot->nodes[s->hosts.items[at.target].node].initialized;
        all = all && at.where != PLACE_NONE;
        t->placed += at.where != PLACE_NONE;
        t->waiting += at.where != PLACE_NONE && !ready;
    }
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) all = count_places(l, c, t) && all;
    return all;
}

/* The group that keeps this one from starting: itself, or the one below a composite that has just one, or a choice. */
static uint32_t blamed(const gang_loop *l, uint32_t id)
{
    const karp_snapshot *s = l->s->snapshot;
    const pod_group *o = group_object(s, &l->all->items[id]);
    bool through = o != NULL && (o->one_of || l->all->items[id].child_count == 1);
    for (uint32_t c = l->first_child[id]; c != NO_ID && through; c = l->next_child[c]) {
        const pod_group *below = group_object(s, &l->all->items[c]);
        if (o->one_of && l->flavor != NO_TEXT && below->resource_flavor != l->flavor) continue;
        if (l->results[c].reason != KARP_REASON_NONE) return blamed(l, c);
    }
    return id;
}

static const char *why_not(gang_loop *l, uint32_t id)
{
    scheduler *s = l->s;
    strbuf b = strbuf_on(s->context);
    id = blamed(l, id);
    const pod_group *o = group_object(s->snapshot, &l->all->items[id]);
    if (o != NULL && o->refused != NO_TEXT) strbuf_addstr(&b, text_of(s->snapshot, o->refused));
    else if (l->results[id].try_count > 0) gang_add_tries(&l->results[id], &b);
    const char *text = b.failed ? NULL : arena_string(s->workloads->data, b.len > 0 ? b.ptr : "", b.len);
    if (text == NULL) s->failed = true;
    strbuf_free(&b);
    return text;
}

/* Places the workload, and notes what that takes since the savepoint. */
static bool try_workload(gang_loop *l, uint32_t id, const savepoint *p, workload_try *t)
{
    scheduler *s = l->s;
    const queued *own = &s->workloads->items[id];
    bool lacks, placed = gang_place(l, id, &lacks);
    *t = (workload_try){ .launches = (uint32_t)s->claims.list.count - p->claim_count, .why = "" };
    bool all = count_places(l, id, t);
    if (placed && !s->failed) t->cost = savepoint_cost(s, p);
    t->starts = l->results[id].reason == KARP_REASON_NONE && (all || !own->whole);
    if (!t->starts && !s->failed) t->why = why_not(l, id);
    return placed;
}

/* Finds out what becomes of the workload on the nodes of the domain; NULL = on all. Nothing stays placed. */
static bool try_and_undo(gang_loop *l, uint32_t id, const gang_domain *domain, workload_try *t)
{
    scheduler *s = l->s;
    savepoint p;
    outside before;
    *t = (workload_try){ .why = "" };
    if (!savepoint_begin(s, &p)) return false;
    bool inside = domain == NULL || gang_enter(s, domain, &before);
    if (inside) (void)try_workload(l, id, &p, t);
    if (domain != NULL) gang_leave(s, &before);
    gang_settle(l, id, false);
    return savepoint_undo(s, &p);
}

/* Lists the ResourceFlavors of the alternatives below the group, each once, in the order in which they are tried. */
static bool list_flavors(gang_loop *l, uint32_t id, queued *own)
{
    struct workloads *w = l->s->workloads;
    const pod_group *o = group_object(l->s->snapshot, &l->all->items[id]);
    uint32_t name = o == NULL ? NO_TEXT : o->resource_flavor, i = 0;
    while (i < own->resource_count && own->resources[i].flavor != name) i++;
    if (name != NO_TEXT && i == own->resource_count && i < MOST_RESOURCE_FLAVORS) {
        if (own->resources == NULL)
            own->resources = arena_array(w->data, MOST_RESOURCE_FLAVORS, sizeof *own->resources);
        if (own->resources == NULL) return mem_refused(&l->s->failed);
        own->resources[own->resource_count++].flavor = name;
    }
    for (uint32_t c = l->first_child[id]; c != NO_ID; c = l->next_child[c]) {
        if (!list_flavors(l, c, own)) return false;
    }
    return true;
}

/* Finds out what becomes of the workload with each ResourceFlavor alone. */
static bool try_resource_flavors(gang_loop *l, uint32_t id, queued *own)
{
    bool ok = list_flavors(l, id, own);
    for (uint32_t i = 0; i < own->resource_count && ok && !l->s->round.stopped; i++) {
        l->flavor = own->resources[i].flavor;
        ok = try_and_undo(l, id, NULL, &own->resources[i].at);
    }
    l->flavor = NO_TEXT;
    return ok;
}

static bool try_flavours(gang_loop *l, uint32_t id)
{
    struct workloads *w = l->s->workloads;
    queued *own = &w->items[id];
    if (w->by & KARP_FLAVOUR_RESOURCE_FLAVOR && !try_resource_flavors(l, id, own)) return false;
    if (!workloads_find_flavours(l->s)) return false;
    own->flavours = arena_array(w->data, w->flavour_count + (size_t)1, sizeof *own->flavours);
    if (own->flavours == NULL) l->s->failed = true;
    for (uint32_t i = 0; i < w->flavour_count && !l->s->failed && !l->s->round.stopped; i++) {
        if (!try_and_undo(l, id, w->flavours[i].domain, &own->flavours[i])) return false;
    }
    return !l->s->failed;
}

/* A pod that did not fit when its group was tried last. */
static uint32_t first_left(const gang_loop *l, uint32_t id)
{
    const gang_result *r = &l->results[id];
    uint32_t pod_number = NO_ID;
    for (uint32_t i = 0; i < r->try_count && i < MOST_TRIES && pod_number == NO_ID; i++) pod_number = r->tries[i].pod;
    for (uint32_t c = l->first_child[id]; c != NO_ID && pod_number == NO_ID; c = l->next_child[c])
        pod_number = first_left(l, c);
    return pod_number;
}

/* The turn of a workload; it may have several, if pods that are placed later are what it waits for. */
bool gang_take_turn(gang_loop *l, uint32_t id)
{
    scheduler *s = l->s;
    queued *own = &s->workloads->items[id];
    workload_try t;
    savepoint p;
    if (s->workloads->alone) {
        if (own->alone && try_and_undo(l, id, NULL, &t)) own->starts_alone = t.starts;
        return false;
    }
    if (!own->tried && own->asked && !try_flavours(l, id)) return false;
    if (!savepoint_begin(s, &p)) return false;
    workload_try before = own->now;
    bool placed = try_workload(l, id, &p, &own->now);
    own->now.launches += before.launches;
    own->now.cost += before.cost;
    if (own->tried) own->now.why = before.why; /* what was lacking at its turn, not after the whole queue */
    else own->left = own->now.starts ? NO_ID : first_left(l, id);
    own->tried = true;
    savepoint_keep(s, &p);
    return placed;
}
