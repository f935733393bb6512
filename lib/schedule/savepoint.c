/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/savepoint.h>

#include <schedule/claim_order.h>
#include <schedule/devices.h>
#include <schedule/placement.h>
#include <schedule/ports.h>
#include <schedule/pricing.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/volumes.h>
#include <string.h>

/* ---- what changes ------------------------------------------------------------------------------------------------ */

static bool refused(scheduler *s) { return mem_refused(&s->failed); }

bool savepoint_note_host(scheduler *s, uint32_t host_index, const int64_t *requests)
{
    const host *h = &s->hosts.items[host_index];
    struct saved_host *slot = list_push(s->context, &s->saving.hosts, sizeof *slot);
    if (slot == NULL) return refused(s);
    *slot = (struct saved_host){ .host = host_index,
                                 .set = h->set,
                                 .received = h->received,
                                 .port_count = h->port_count,
                                 .volumes = volumes_held(h),
                                 .taken = requests };
    return true;
}

bool savepoint_note_claim(scheduler *s, uint32_t claim_number)
{
    const claim *c = &s->claims.list.items[claim_number];
    if (claim_number >= s->saving.claims_before) return true;
    struct saved_claim *slot = list_push(s->context, &s->saving.claims, sizeof *slot);
    if (slot == NULL) return refused(s);
    /* requests and slack are one array: see open_claim() */
    *slot = (struct saved_claim){ .number = claim_number,
                                  .state = *c,
                                  .amounts = arena_copy(&s->round.data, c->requests,
                                                        2 * s->vectors.dims * sizeof *c->requests),
                                  .binary = arena_copy(&s->round.data, c->binary, s->vectors.dims) };
    return (slot->amounts != NULL && slot->binary != NULL) || refused(s);
}

void savepoint_note_pods(scheduler *s, const uint32_t *pods, uint32_t count)
{
    size_t after = s->saving.pods.count + count;
    if (count == 0) return;
    if (after > s->saving.pods.capacity && !list_reserve_more(s->context, &s->saving.pods, sizeof *pods, count)) {
        s->failed = true;
        return;
    }
    memcpy(s->saving.pods.items + s->saving.pods.count, pods, count * sizeof *pods);
    s->saving.pods.count = after;
}

/* ---- reservations and limits ------------------------------------------------------------------------------------- */

static size_t limit_total(const scheduler *s)
{
    size_t n = 0;
    for (uint32_t p = 0; s->templates.limits != NULL && p < s->snapshot->raw.pools.count; p++)
        n += s->templates.limits[p].count;
    return n;
}

/* Copies the amounts that are left of reservations and limits; `back` = from the copy. */
static void copy_left(scheduler *s, int64_t *amounts, bool back)
{
    size_t at = s->reservations.count;
    if (at > 0 && back) memcpy(s->reservations.left, amounts, at * sizeof *amounts);
    if (at > 0 && !back) memcpy(amounts, s->reservations.left, at * sizeof *amounts);
    for (uint32_t p = 0; s->templates.limits != NULL && p < s->snapshot->raw.pools.count; p++) {
        pool_limit *l = &s->templates.limits[p];
        if (l->count == 0) continue;
        if (back) memcpy(l->left, amounts + at, l->count * sizeof *amounts);
        else memcpy(amounts + at, l->left, l->count * sizeof *amounts);
        at += l->count;
    }
}

/* ---- savepoints -------------------------------------------------------------------------------------------------- */

bool savepoint_begin(scheduler *s, savepoint *p)
{
    *p = (savepoint){ .claim_count = (uint32_t)s->claims.list.count,
                      .next_host = s->topology.next_host_number,
                      .outer_claims = s->saving.claims_before,
                      .only_claim = s->within.claim,
                      .host_entries = s->saving.hosts.count,
                      .claim_entries = s->saving.claims.count,
                      .pod_entries = s->saving.pods.count,
                      .group_count = s->topology.groups.count,
                      .counts = round_marked(s) };
    p->amounts = arena_array(&s->round.data, s->reservations.count + limit_total(s) + 1, sizeof *p->amounts);
    if (s->saving.devices && s->devices != NULL) p->devices = devices_save(s);
    if (p->amounts == NULL || !placement_settle(s) || s->failed) return refused(s);
    copy_left(s, p->amounts, false);
    s->saving.depth++;
    s->saving.claims_before = p->claim_count;
    return true;
}

static void end(scheduler *s, const savepoint *p)
{
    s->saving.claims_before = p->outer_claims;
    if (--s->saving.depth == 0) s->saving.hosts.count = s->saving.claims.count = s->saving.pods.count = 0;
}

void savepoint_keep(scheduler *s, const savepoint *p) { end(s, p); }

/* Forgets what classes remember of nodes and claims that rejected them in this round. */
static void forget_refusals(scheduler *s)
{
    s->round.number++; /* what classes and views remember is of an earlier round now */
    s->round.version++;
    search_end(s);
}

static void undo_hosts(scheduler *s, size_t from)
{
    for (size_t i = s->saving.hosts.count; i-- > from;) {
        const struct saved_host *saved = &s->saving.hosts.items[i];
        host *h = &s->hosts.items[saved->host];
        for (uint32_t d = 0; d < s->vectors.dims; d++) h->left[d] += saved->taken[d];
        h->set = saved->set;
        h->received = saved->received;
        /* ports of bound pods may have been loaded since */
        h->port_count = saved->port_count > h->ports_bound ? saved->port_count : h->ports_bound;
        volumes_shrink(h, saved->volumes);
        if (!hosts_changed(s, saved->host, true)) return; /* the scheduler has failed */
    }
    s->saving.hosts.count = from;
}

/* The claims that were there before leave the order, get back their state, and return to their places in the order. */
static void undo_claims(scheduler *s, const savepoint *p)
{
    struct saved_claim *entries = s->saving.claims.items;
    for (size_t i = s->saving.claims.count; i-- > p->claim_entries;) {
        claim *c = &s->claims.list.items[entries[i].number];
        entries[i].first = c->bucket != NO_ID;
        if (!entries[i].first) continue;
        if (!c->retired) claim_unlink(s, entries[i].number);
        c->bucket = NO_ID;
    }
    for (uint32_t n = p->claim_count; n < s->claims.list.count; n++) {
        claim *c = &s->claims.list.items[n];
        if (!c->retired && c->bucket != NO_ID) claim_unlink(s, n);
        mem_free(s->context, c->ports, c->port_capacity * sizeof(port_use));
    }
    s->claims.list.count = p->claim_count;
    for (size_t i = s->saving.claims.count; i-- > p->claim_entries;) {
        if (entries[i].number >= p->claim_count) continue; /* opened since, too */
        claim *c = &s->claims.list.items[entries[i].number], now = *c;
        *c = entries[i].state;
        c->ports = now.ports; /* it may have grown */
        c->port_capacity = now.port_capacity;
        memcpy(c->requests, entries[i].amounts, 2 * s->vectors.dims * sizeof *c->requests);
        memcpy(c->binary, entries[i].binary, s->vectors.dims);
    }
    for (size_t i = p->claim_entries; i < s->saving.claims.count; i++) {
        uint32_t n = entries[i].number;
        if (entries[i].first && n < p->claim_count && !s->claims.list.items[n].retired) claim_relink(s, n);
    }
    s->saving.claims.count = p->claim_entries;
    s->topology.next_host_number = p->next_host;
}

static void undo_pods(scheduler *s, size_t from)
{
    for (size_t i = from; i < s->saving.pods.count; i++) {
        s->placement.places[s->saving.pods.items[i]] = (place){ 0, PLACE_NONE };
        if (s->placement.gave_up != NULL) s->placement.gave_up[s->saving.pods.items[i]] = 0;
    }
    s->saving.pods.count = from;
}

bool savepoint_undo(scheduler *s, const savepoint *p)
{
    s->within.claim = p->only_claim;
    if (s->failed) { /* what it has now may be incomplete, and is not used any more */
        end(s, p);
        return false;
    }
    undo_pods(s, p->pod_entries);
    undo_hosts(s, p->host_entries);
    undo_claims(s, p);
    round_rewind(s, p->counts);
    copy_left(s, p->amounts, true);
    if (p->devices != NULL && !devices_restore(s, p->devices)) return refused(s);
    end(s, p);
    forget_refusals(s);
    /* Groups that were created have lost the pods that were placed before, too. */
    for (size_t g = p->group_count; g < s->topology.groups.count && !s->failed; g++)
        topology_count_placed(s, (uint32_t)g);
    return !s->failed;
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

/* The price of the cheapest offering that the claim could be launched as. */
static double price_of(scheduler *s, const claim *c)
{
    const template_ *t = &s->templates.items[c->template_];
    uint64_t *fitting = arena_array(&s->round.data, template_words(t) + 1, sizeof *fitting);
    uint32_t count = 0, best;
    if (fitting == NULL) {
        s->failed = true;
        return 0;
    }
    (void)typeset_fitting(s, c->types, c->requests, fitting);
    const uint32_t *types = types_by_price(s, t->table, fitting, c->set, &s->round.data, &count);
    if (types == NULL || count == 0 || !cheapest_offering(s, t->table, types[0], c->set, &best)) return 0;
    const offering *o = &t->table->offerings[best];
    const karp_objective *aim = s->settings.options->objective;
    bool is_spot = o->capacity_type == s->snapshot->known.spot;
    return aim == NULL ? o->price : cost_of_price(aim, o->price, is_spot);
}

double savepoint_cost(scheduler *s, const savepoint *p)
{
    double cost = 0;
    s->saving.stamp++;
    for (uint32_t n = p->claim_count; n < s->claims.list.count; n++) cost += price_of(s, &s->claims.list.items[n]);
    for (size_t i = p->claim_entries; i < s->saving.claims.count; i++) {
        const struct saved_claim *e = &s->saving.claims.items[i];
        claim before = e->state, *now = &s->claims.list.items[e->number];
        if (e->number >= p->claim_count || now->billed == s->saving.stamp) continue;
        now->billed = s->saving.stamp;
        before.requests = e->amounts;
        cost += price_of(s, now) - price_of(s, &before);
    }
    return cost;
}

void savepoints_free(scheduler *s)
{
    list_free(s->context, &s->saving.pods, sizeof(uint32_t));
    list_free(s->context, &s->saving.hosts, sizeof(struct saved_host));
    list_free(s->context, &s->saving.claims, sizeof(struct saved_claim));
}
