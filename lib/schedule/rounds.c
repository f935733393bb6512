/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/rounds.h>

#include <base/bits.h>
#include <schedule/claim_order.h>
#include <schedule/devices.h>
#include <schedule/places.h>
#include <schedule/ports.h>
#include <schedule/topology.h>
#include <schedule/volumes.h>
#include <string.h>

struct counted {
    uint32_t group, domain;
};

struct withheld {
    uint32_t group, domain;
    bool pod;
};

struct round_log {
    LIST_OF(struct counted) counted; /* placements */
    LIST_OF(struct withheld) withheld; /* what the round took out of seeds */
    LIST_OF(uint32_t) hosts; /* touched */
    LIST_OF(uint32_t) removed, extra;
    LIST_OF(uint32_t) nil_groups; /* groups with a nil selector: kins do not list them */
    uint32_t groups_seen; /* how many groups nil_groups speaks of */
    uint32_t base_hosts; /* host numbers that are not of claims */
    arena_mark empty; /* of round_data */
};

bool rounds_init(scheduler *s)
{
    size_t pods = s->snapshot->raw.pods.count;
    s->log = arena_zalloc(&s->data, sizeof *s->log);
    s->listed = arena_alloc(&s->data, (pods + 1) * sizeof *s->listed);
    s->pods = s->listed;
    s->offered = arena_array(&s->data, bits_words(s->host_count) + 1, sizeof *s->offered);
    if (s->log == NULL || s->listed == NULL || s->offered == NULL) return false;
    s->log->base_hosts = s->host_numbers;
    s->log->empty = arena_get_mark(&s->round_data);
    bits_fill(s->offered, s->host_count);
    return true;
}

void rounds_free(scheduler *s)
{
    if (s->log == NULL) return;
    list_free(s->context, &s->log->counted, sizeof(struct counted));
    list_free(s->context, &s->log->withheld, sizeof(struct withheld));
    list_free(s->context, &s->log->hosts, sizeof(uint32_t));
    list_free(s->context, &s->log->removed, sizeof(uint32_t));
    list_free(s->context, &s->log->extra, sizeof(uint32_t));
    list_free(s->context, &s->log->nil_groups, sizeof(uint32_t));
}

bool rounds_repeatable(const scheduler *s)
{
    if (s->conflated) return false;
    for (uint32_t c = 0; c < s->snapshot->class_count; c++) {
        if (!s->snapshot->classes[c].volumes_found) return false;
    }
    return true;
}

static bool push(scheduler *s, void *list, uint32_t value)
{
    uint32_t *slot = list_push(s->context, list, sizeof *slot);
    if (slot == NULL) {
        s->failed = true;
        return false;
    }
    *slot = value;
    return true;
}

/* ---- writing down ---------------------------------------------------------------------------------------------------- */

bool round_count(scheduler *s, uint32_t group_number, uint32_t domain)
{
    struct round_log *l = s->log;
    bool full = l->counted.count == l->counted.capacity;
    if (full && !list_reserve(s->context, &l->counted, sizeof *l->counted.items)) {
        s->failed = true;
        return false;
    }
    l->counted.items[l->counted.count++] = (struct counted){ group_number, domain };
    group_count(s, &s->groups.items[group_number], domain);
    return !s->failed;
}

bool round_touch(scheduler *s, uint32_t host_index)
{
    host *h = &s->hosts[host_index];
    if (h->touched) return true;
    h->touched = true;
    h->saved = arena_copy(&s->round_data, h->left, s->dims * sizeof *h->left);
    if (h->saved == NULL) s->failed = true;
    return push(s, &s->log->hosts, host_index) && !s->failed;
}

static bool withhold(scheduler *s, uint32_t group_number, uint32_t domain, bool of_pod)
{
    group *g = &s->groups.items[group_number];
    if (domain == NO_ID) return !s->failed;
    struct withheld *slot = list_push(s->context, &s->log->withheld, sizeof *slot);
    if (slot == NULL) {
        s->failed = true;
        return false;
    }
    *slot = (struct withheld){ group_number, domain, of_pod };
    if (of_pod) group_uncount(g, domain);
    else group_unregister(g, domain);
    return true;
}

bool round_withhold(scheduler *s, uint32_t group_number)
{
    for (size_t i = 0; s->log != NULL && i < s->log->removed.count; i++) {
        const state_node *n = &s->snapshot->nodes[s->log->removed.items[i]];
        if (!withhold(s, group_number, seed_of_node(s, &s->groups.items[group_number], n), false)) return false;
    }
    for (size_t i = 0; s->log != NULL && i < s->log->extra.count; i++) {
        uint32_t domain = seed_of_pod(s, &s->groups.items[group_number], s->log->extra.items[i]);
        if (!withhold(s, group_number, domain, true)) return false;
    }
    return true;
}

void class_begin_round(scheduler *s, class_state *c)
{
    if (c->round == s->round) return;
    if (s->classes[c->like].round != s->round && &s->classes[c->like] != c) class_begin_round(s, &s->classes[c->like]);
    c->round = s->round;
    c->refused = c->barred = (struct claim_bits){ NULL, 0 };
    c->failed_at = 0;
    if (c->closed_hosts != NULL) memset(c->closed_hosts, 0, bits_words(s->host_count) * sizeof *c->closed_hosts);
}

/* ---- the round before ------------------------------------------------------------------------------------------------ */

static void undo_counts(scheduler *s)
{
    struct round_log *l = s->log;
    for (size_t i = 0; i < l->counted.count; i++)
        group_uncount(&s->groups.items[l->counted.items[i].group], l->counted.items[i].domain);
    for (size_t i = 0; i < l->withheld.count; i++) {
        group *g = &s->groups.items[l->withheld.items[i].group];
        if (l->withheld.items[i].pod) group_count(s, g, l->withheld.items[i].domain);
        else group_register(s, g, l->withheld.items[i].domain);
    }
    l->counted.count = l->withheld.count = 0;
}

static void undo_hosts(scheduler *s)
{
    for (size_t i = 0; i < s->log->hosts.count; i++) {
        host *h = &s->hosts[s->log->hosts.items[i]];
        memcpy(h->left, h->saved, s->dims * sizeof *h->left);
        h->set = s->snapshot->nodes[h->node].set;
        h->received = 0;
        h->touched = false;
        if (h->ports_loaded) h->port_count = h->ports_bound;
        volumes_undo(h);
    }
    s->log->hosts.count = 0;
}

static void undo_claims(scheduler *s)
{
    for (size_t i = 0; i < s->claims.count; i++) {
        mem_free(s->context, s->claims.items[i].ports, s->claims.items[i].port_capacity * sizeof(port_use));
    }
    s->claims.count = 0;
    claim_order_clear(s);
    s->host_numbers = s->log->base_hosts;
    for (uint32_t i = 0; i < s->reservations.count; i++) s->reservations.left[i] = s->reservations.initial[i];
    for (uint32_t p = 0; s->limits != NULL && p < s->snapshot->raw.pools.count; p++) {
        if (s->limits[p].count > 0)
            memcpy(s->limits[p].left, s->limits[p].initial, s->limits[p].count * sizeof(int64_t));
    }
}

static void undo_pods(scheduler *s)
{
    places_clear(s);
    for (uint32_t i = 0; i < s->pod_count; i++) {
        if (s->outcomes != NULL) s->outcomes[s->pods[i]] = (struct pod_outcome){ 0, KARP_REASON_NONE, 0 };
        if (exclusion(s, s->pods[i]) == 2) s->excluded[s->pods[i]] = 0;
    }
    s->pod_count = 0;
    s->failures.count = 0;
    s->log->removed.count = s->log->extra.count = 0;
    bits_fill(s->offered, s->host_count);
    s->version = s->steps = 0;
    s->stopped = false;
    s->round++;
    arena_release(&s->round_data, s->log->empty);
}

/* ---- the round that begins --------------------------------------------------------------------------------------------- */

/* A node that is gone frees what it took of its pool's limits. */
static void free_limits(scheduler *s, const state_node *n)
{
    if (n->pool == NO_ID) return;
    pool_limit *l = &s->limits[n->pool];
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
        if (!push(s, &s->log->removed, removed[i])) return false;
        if (s->host_of_node[removed[i]] == NO_ID) continue;
        bits_clear(s->offered, s->host_of_node[removed[i]]);
        free_limits(s, &s->snapshot->nodes[removed[i]]);
        for (uint32_t g = 0; g < s->groups.count; g++) {
            if (s->groups.items[g].host || s->groups.items[g].inverse) continue;
            if (!withhold(s, g, seed_of_node(s, &s->groups.items[g], &s->snapshot->nodes[removed[i]]), false))
                return false;
        }
    }
    return true;
}

static bool find_nil_groups(scheduler *s)
{
    for (; s->log->groups_seen < s->groups.count; s->log->groups_seen++) {
        const group *g = &s->groups.items[s->log->groups_seen];
        if (!g->inverse && g->selects == NULL && !push(s, &s->log->nil_groups, s->log->groups_seen)) return false;
    }
    return true;
}

static bool withhold_list(scheduler *s, const uint32_t *groups, size_t count, uint32_t pod_number)
{
    for (size_t i = 0; i < count; i++) {
        if (!withhold(s, groups[i], seed_of_pod(s, &s->groups.items[groups[i]], pod_number), true)) return false;
    }
    return true;
}

/* The pods that move are not counted where they are. */
static bool move_pods(scheduler *s, const uint32_t *extra, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = extra[i], class_number = s->snapshot->pod_class[p];
        if (exclusion(s, p) != 0) continue; /* listed already */
        s->excluded[p] = 2;
        s->listed[s->pod_count++] = p;
        if (s->snapshot->pod_node[p] == NO_ID) continue;
        const kin *k = &s->kins.items[s->classes[class_number].kin];
        if (!withhold_list(s, k->counted_by, k->counted_count, p) ||
            !withhold_list(s, s->log->nil_groups.items, s->log->nil_groups.count, p) ||
            !withhold_list(s, s->classes[class_number].inverse_owned, s->classes[class_number].inverse_count, p) ||
            !push(s, &s->log->extra, p)) {
            return false;
        }
    }
    return true;
}

bool round_begin(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                 uint32_t extra_count)
{
    undo_counts(s);
    undo_hosts(s);
    undo_claims(s);
    undo_pods(s);
    if (s->failed || !find_nil_groups(s) || !remove_nodes(s, removed, removed_count)) return false;
    bool alone = extra_count == 0 && s->leaving_count == 0;
    s->pods = alone ? s->waiting : s->listed;
    if (!alone && s->waiting_count > 0) memcpy(s->listed, s->waiting, s->waiting_count * sizeof *s->listed);
    s->pod_count = s->waiting_count;
    if (!move_pods(s, extra, extra_count)) return false;
    if (s->leaving_count > 0) memcpy(s->listed + s->pod_count, s->leaving, s->leaving_count * sizeof *s->listed);
    s->pod_count += s->leaving_count;
    return places_begin_round(s) && devices_begin_round(s) && !s->failed;
}
