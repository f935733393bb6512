/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/rounds.h>

#include <schedule/claim_order.h>
#include <schedule/devices.h>
#include <schedule/placement.h>
#include <schedule/ports.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/volumes.h>
#include <string.h>

struct counted {
    uint32_t group, domain;
};

/*
 * A placement, as counted by groups about host names that have no filter: by the first `groups` of those that select
 * the pod.
 */
struct counted_host {
    uint32_t label_group, groups, host;
};

struct withheld {
    uint32_t group, domain;
    bool pod;
};

struct round_log {
    LIST_OF(struct counted) counted; /* placements */
    LIST_OF(struct counted_host) counted_hosts; /* placements that many groups count */
    LIST_OF(struct withheld) withheld; /* counts that the round subtracted */
    LIST_OF(uint32_t) hosts; /* hosts that received pods */
    LIST_OF(uint32_t) removed, extra;
    LIST_OF(uint32_t) nil_groups; /* groups without a selector, which label groups do not list */
    uint32_t groups_seen; /* number of groups checked for nil_groups */
    uint32_t base_hosts; /* number of hosts that are not claims */
    arena_mark empty; /* start of round.data */
    bool volumes_found; /* those of all pods */
};

bool rounds_init(scheduler *s)
{
    size_t pods = s->snapshot->raw.pods.count;
    s->round.log = arena_zalloc(&s->data, sizeof *s->round.log);
    s->pods.buffer = arena_alloc(&s->data, (pods + 1) * sizeof *s->pods.buffer);
    s->pods.items = s->pods.buffer;
    s->hosts.offered = arena_array(&s->data, bits_words(s->hosts.count) + 1, sizeof *s->hosts.offered);
    if (s->round.log == NULL || s->pods.buffer == NULL || s->hosts.offered == NULL) return false;
    s->round.log->base_hosts = s->topology.next_host_number;
    s->round.log->empty = arena_get_mark(&s->round.data);
    s->round.log->volumes_found = true;
    for (uint32_t c = 0; c < s->snapshot->class_count; c++)
        s->round.log->volumes_found = s->round.log->volumes_found && s->snapshot->classes[c].volumes_found;
    s->round.number = s->round.began_as = 1;
    bits_fill(s->hosts.offered, s->hosts.count);
    return true;
}

void rounds_free(scheduler *s)
{
    if (s->round.log == NULL) return;
    list_free(s->context, &s->round.log->counted, sizeof(struct counted));
    list_free(s->context, &s->round.log->counted_hosts, sizeof(struct counted_host));
    list_free(s->context, &s->round.log->withheld, sizeof(struct withheld));
    list_free(s->context, &s->round.log->hosts, sizeof(uint32_t));
    list_free(s->context, &s->round.log->removed, sizeof(uint32_t));
    list_free(s->context, &s->round.log->extra, sizeof(uint32_t));
    list_free(s->context, &s->round.log->nil_groups, sizeof(uint32_t));
}

bool rounds_repeatable(const scheduler *s) { return !s->topology.conflated && s->round.log->volumes_found; }

static bool push(scheduler *s, void *list, uint32_t value)
{
    uint32_t *slot = list_push(s->context, list, sizeof *slot);
    if (slot == NULL) return mem_refused(&s->failed);
    *slot = value;
    return true;
}

/* ---- logging changes --------------------------------------------------------------------------------------------- */

bool round_count(scheduler *s, uint32_t group_number, uint32_t domain)
{
    struct round_log *l = s->round.log;
    bool full = l->counted.count == l->counted.capacity;
    if (full && !list_reserve(s->context, &l->counted, sizeof *l->counted.items)) return mem_refused(&s->failed);
    l->counted.items[l->counted.count++] = (struct counted){ group_number, domain };
    group_count(s, &s->topology.groups.items[group_number], domain);
    return !s->failed;
}

bool round_count_hosts(scheduler *s, uint32_t label_group_number, uint32_t host_number)
{
    const label_group *k = &s->topology.label_groups.items[label_group_number];
    if (k->counted_count == 0) return true;
    struct counted_host *slot = list_push(s->context, &s->round.log->counted_hosts, sizeof *slot);
    if (slot == NULL) return mem_refused(&s->failed);
    *slot = (struct counted_host){ label_group_number, 0, host_number };
    for (; slot->groups < k->counted_count && !s->failed; slot->groups++) {
        group *g = &s->topology.groups.items[k->counted_by[slot->groups]];
        if (counts_every_host(g)) group_count(s, g, host_number);
    }
    return !s->failed;
}

bool round_touch(scheduler *s, uint32_t host_index)
{
    host *h = &s->hosts.items[host_index];
    if (h->touched) return true;
    h->touched = true;
    h->saved = arena_copy(&s->round.data, h->left, s->vectors.dims * sizeof *h->left);
    if (h->saved == NULL) s->failed = true;
    return push(s, &s->round.log->hosts, host_index) && !s->failed;
}

static bool withhold(scheduler *s, uint32_t group_number, uint32_t domain, bool of_pod)
{
    group *g = &s->topology.groups.items[group_number];
    if (domain == NO_ID) return !s->failed;
    struct withheld *slot = list_push(s->context, &s->round.log->withheld, sizeof *slot);
    if (slot == NULL) return mem_refused(&s->failed);
    *slot = (struct withheld){ group_number, domain, of_pod };
    if (of_pod) group_uncount(s, g, domain);
    else group_unregister(g, domain);
    return true;
}

bool round_withhold(scheduler *s, uint32_t group_number)
{
    for (size_t i = 0; s->round.log != NULL && i < s->round.log->removed.count; i++) {
        uint32_t removed = s->round.log->removed.items[i];
        const state_node *n = &s->snapshot->nodes[removed];
        if (s->hosts.of_node[removed] == NO_ID) continue; /* its domain was never registered */
        if (!withhold(s, group_number, seed_of_node(s, &s->topology.groups.items[group_number], n), false))
            return false;
    }
    for (size_t i = 0; s->round.log != NULL && i < s->round.log->extra.count; i++) {
        uint32_t domain = seed_of_pod(s, &s->topology.groups.items[group_number], s->round.log->extra.items[i]);
        if (!withhold(s, group_number, domain, true)) return false;
    }
    return true;
}

void class_enter_round(scheduler *s, class_state *c)
{
    if (&s->pods.classes[c->like] != c) class_begin_round(s, &s->pods.classes[c->like]);
    c->round = s->round.number;
    c->refused = c->barred = (struct claim_bits){ NULL, 0 };
    c->failed_at = 0;
}

/* ---- undoing the previous round ---------------------------------------------------------------------------------- */

round_mark round_marked(const scheduler *s)
{
    return (round_mark){ s->round.log->counted.count, s->round.log->counted_hosts.count };
}

void round_take_back(scheduler *s, round_mark from, round_mark to)
{
    struct round_log *l = s->round.log;
    for (size_t i = from.counted; i < to.counted; i++) {
        struct counted *c = &l->counted.items[i];
        if (c->group != NO_ID) group_uncount(s, &s->topology.groups.items[c->group], c->domain);
        c->group = NO_ID; /* it was taken back */
    }
    for (size_t i = from.counted_hosts; i < to.counted_hosts; i++) {
        struct counted_host *c = &l->counted_hosts.items[i];
        const label_group *k = &s->topology.label_groups.items[c->label_group];
        for (uint32_t n = 0; n < c->groups; n++) {
            group *g = &s->topology.groups.items[k->counted_by[n]];
            if (counts_every_host(g)) group_uncount(s, g, c->host);
        }
        c->groups = 0;
    }
}

void round_rewind(scheduler *s, round_mark mark)
{
    round_take_back(s, mark, round_marked(s));
    s->round.log->counted.count = mark.counted;
    s->round.log->counted_hosts.count = mark.counted_hosts;
}

static void undo_counts(scheduler *s)
{
    struct round_log *l = s->round.log;
    round_rewind(s, (round_mark){ 0, 0 });
    for (size_t i = 0; i < l->withheld.count; i++) {
        group *g = &s->topology.groups.items[l->withheld.items[i].group];
        if (l->withheld.items[i].pod) group_count(s, g, l->withheld.items[i].domain);
        else group_register(s, g, l->withheld.items[i].domain);
    }
    l->withheld.count = 0;
}

static void undo_hosts(scheduler *s)
{
    for (size_t i = 0; i < s->round.log->hosts.count; i++) {
        host *h = &s->hosts.items[s->round.log->hosts.items[i]];
        memcpy(h->left, h->saved, s->vectors.dims * sizeof *h->left);
        h->set = s->snapshot->nodes[h->node].set;
        h->received = 0;
        h->touched = false;
        if (h->ports_loaded) h->port_count = h->ports_bound;
        volumes_undo(h);
    }
    s->round.log->hosts.count = 0;
}

static void undo_claims(scheduler *s)
{
    for (size_t i = 0; i < s->claims.list.count; i++)
        mem_free(s->context, s->claims.list.items[i].ports, s->claims.list.items[i].port_capacity * sizeof(port_use));
    s->claims.list.count = 0;
    claim_order_clear(s);
    s->topology.next_host_number = s->round.log->base_hosts;
    for (uint32_t i = 0; i < s->reservations.count; i++) s->reservations.left[i] = s->reservations.initial[i];
    for (uint32_t p = 0; s->templates.limits != NULL && p < s->snapshot->raw.pools.count; p++) {
        if (s->templates.limits[p].count > 0)
            memcpy(s->templates.limits[p].left, s->templates.limits[p].initial,
                   s->templates.limits[p].count * sizeof(int64_t));
    }
}

static void undo_pods(scheduler *s)
{
    placement_clear(s);
    for (uint32_t i = 0; i < s->pods.count; i++) {
        if (s->placement.outcomes != NULL)
            s->placement.outcomes[s->pods.items[i]] = (struct pod_outcome){ 0, KARP_REASON_NONE, 0 };
        if (exclusion(&s->pods, s->pods.items[i]) == 2) s->pods.excluded[s->pods.items[i]] = 0;
    }
    s->pods.count = 0;
    s->placement.failures.count = 0;
    s->round.log->removed.count = s->round.log->extra.count = 0;
    bits_fill(s->hosts.offered, s->hosts.count);
    s->round.version = s->round.steps = 0;
    s->round.stopped = false;
    s->round.began_as = ++s->round.number;
    s->gangs = NULL;
    arena_release(&s->round.data, s->round.log->empty);
}

void round_undo(scheduler *s)
{
    if (!s->round.begun) return;
    undo_counts(s);
    undo_hosts(s);
    undo_claims(s);
    undo_pods(s);
    s->round.begun = false;
}

/* ---- beginning a round ------------------------------------------------------------------------------------------- */

/* A removed node frees its share of its NodePool's limits. */
static void free_limits(scheduler *s, const state_node *n)
{
    if (n->pool == NO_ID) return;
    pool_limit *l = &s->templates.limits[n->pool];
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t units;
        if (amount_scale(resource_list_get(n->capacity, l->resources[i]), s->snapshot->units[l->resources[i]], &units))
            l->left[i] += units;
    }
}

static bool remove_nodes(scheduler *s, const uint32_t *removed, uint32_t count)
{
    if (count == 0) return true;
    for (uint32_t i = 0; i < count; i++) {
        if (!push(s, &s->round.log->removed, removed[i])) return false;
        if (s->hosts.of_node[removed[i]] == NO_ID) continue;
        bits_clear(s->hosts.offered, s->hosts.of_node[removed[i]]);
        free_limits(s, &s->snapshot->nodes[removed[i]]);
        for (uint32_t g = 0; g < s->topology.groups.count; g++) {
            if (s->topology.groups.items[g].host || s->topology.groups.items[g].inverse) continue;
            if (!withhold(s, g, seed_of_node(s, &s->topology.groups.items[g], &s->snapshot->nodes[removed[i]]), false))
                return false;
        }
    }
    return true;
}

static bool find_nil_groups(scheduler *s)
{
    for (; s->round.log->groups_seen < s->topology.groups.count; s->round.log->groups_seen++) {
        const group *g = &s->topology.groups.items[s->round.log->groups_seen];
        if (!g->inverse && g->selects == NULL && !push(s, &s->round.log->nil_groups, s->round.log->groups_seen))
            return false;
    }
    return true;
}

static bool withhold_list(scheduler *s, const uint32_t *groups, size_t count, uint32_t pod_number)
{
    for (size_t i = 0; i < count; i++) {
        if (!withhold(s, groups[i], seed_of_pod(s, &s->topology.groups.items[groups[i]], pod_number), true))
            return false;
    }
    return true;
}

/* The pods that move are not counted on their nodes, except those whose volumes cannot be looked up. */
static bool move_pods(scheduler *s, const uint32_t *extra, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = extra[i], class_number = s->snapshot->pod_class[p];
        if (exclusion(&s->pods, p) != 0) continue; /* already listed */
        s->pods.excluded[p] = 2;
        s->pods.buffer[s->pods.count++] = p;
        if (s->snapshot->pod_node[p] == NO_ID || !leaves_its_count(s, p)) continue;
        const label_group *k = &s->topology.label_groups.items[s->pods.classes[class_number].label_group];
        if (!withhold_list(s, k->counted_by, k->counted_count, p) ||
            !withhold_list(s, s->round.log->nil_groups.items, s->round.log->nil_groups.count, p) ||
            !withhold_list(s, s->pods.classes[class_number].inverse_owned, s->pods.classes[class_number].inverse_count,
                           p) ||
            !push(s, &s->round.log->extra, p)) {
            return false;
        }
    }
    return true;
}

bool round_begin(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                 uint32_t extra_count)
{
    round_undo(s);
    s->round.begun = true;
    if (s->failed || !find_nil_groups(s) || !remove_nodes(s, removed, removed_count)) return false;
    bool alone = extra_count == 0 && s->pods.displaced_count == 0;
    s->pods.items = alone ? s->pods.pending : s->pods.buffer;
    if (!alone && s->pods.pending_count > 0)
        memcpy(s->pods.buffer, s->pods.pending, s->pods.pending_count * sizeof *s->pods.buffer);
    s->pods.count = s->pods.pending_count;
    if (!move_pods(s, extra, extra_count)) return false;
    if (s->pods.displaced_count > 0)
        memcpy(s->pods.buffer + s->pods.count, s->pods.displaced, s->pods.displaced_count * sizeof *s->pods.buffer);
    s->pods.count += s->pods.displaced_count;
    return placement_begin_round(s) && devices_begin_round(s) && !s->failed;
}
