/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that are spread over zones, and that could as well be in another zone than the one in which the round counts
 * them. Of four equal pods in three zones, with maxSkew 1, each zone has one; the fourth may be in any. Of five, two
 * zones have one more; one of them stays, and the other may be any of the rest. So whatever such pods choose, their
 * constraint holds.
 */
#include <schedule/menu.h>

#include <schedule/gang_loop.h>
#include <schedule/guide.h>
#include <schedule/label_groups.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/views.h>
#include <string.h>

enum { MOST_DOMAINS = 16 };

/* A constraint and its pods. */
typedef struct spread_pods {
    uint32_t view; /* NO_ID = several */
    int64_t pods;
    uint32_t requirement; /* of those that can be elsewhere */
    int32_t roams[MOST_DOMAINS]; /* by domain: how many of them it has */
} spread_pods;

typedef struct roaming {
    scheduler *s;
    const menu *m;
    const uint16_t *steps;
    uint32_t key; /* index of the key */
    spread_pods *of_group;
} roaming;

/* The constraint over the key, if no other rule of the view's pods is about domains other than hosts; NO_ID = not. */
static uint32_t only_constraint(const roaming *k, const view *v)
{
    const scheduler *s = k->s;
    const label_group *l = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    uint32_t found = NO_ID;
    if (!v->updated || s->pods.classes[v->class_].inverse_count > 0 || l->barred_elsewhere ||
        s->snapshot->classes[v->class_].alternative_count > 0)
        return NO_ID;
    for (uint32_t i = 0; i < v->owned_count; i++) {
        const group *g = &s->topology.groups.items[v->owned[i].group];
        if (g->host) continue;
        if (found != NO_ID || g->kind != GROUP_SPREAD || g->key != k->key || !v->owned[i].self || g->selective ||
            g->max_skew <= 0)
            return NO_ID;
        found = v->owned[i].group;
    }
    for (uint32_t i = 0; i < l->counted_count; i++) {
        if (l->counted_by[i] != found && !s->topology.groups.items[l->counted_by[i]].host) return NO_ID;
    }
    return found;
}

/* The constraint of a pod that the menu can move; NO_ID = none. *domain: where the pod is counted. */
static uint32_t constraint_of(const roaming *k, uint32_t p, uint32_t *view_number, uint32_t *domain)
{
    scheduler *s = k->s;
    const domain_key *key = &s->topology.keys[k->key];
    uint32_t claim_number = k->m->claim_of[p];
    if (claim_number == NO_ID || k->m->claims[claim_number].stays) return NO_ID;
    *view_number = view_after(s, s->snapshot->pod_class[p], k->steps[p]);
    if (*view_number == NO_ID) return NO_ID;
    uint32_t group_number = only_constraint(k, &s->pods.views.items[*view_number]);
    uint32_t id = set_get(&s->algebra, s->claims.list.items[claim_number].set, key->normalized);
    if (group_number == NO_ID || id == NO_ID) return NO_ID;
    const requirement *r = requirement_get(&s->algebra, id);
    if (r->complement || r->value_count != 1) return NO_ID;
    *domain = map64_get(&key->numbers, r->values[0]);
    return *domain < MOST_DOMAINS ? group_number : NO_ID;
}

/* The domains in which the pods may be, and the least count of them; false = others are counted there, too. */
static bool find_domains(const roaming *k, const group *g, const spread_pods *x, uint64_t *domains, int32_t *least)
{
    scheduler *s = k->s;
    const uint64_t *own = domain_mask(
        s, k->key, set_get(&s->algebra, s->pods.views.items[x->view].strict.set, s->topology.keys[k->key].key));
    int64_t counted = 0;
    uint32_t found = 0;
    *domains = 0;
    *least = INT32_MAX;
    for (size_t d = 0; own != NULL && d < s->topology.keys[k->key].count && d < MOST_DOMAINS; d++) {
        if (!group_knows(g, d)) continue;
        counted += g->counts[d];
        if (!bits_test(own, d)) continue;
        *domains |= UINT64_C(1) << d;
        *least = g->counts[d] < *least ? g->counts[d] : *least;
        found++;
    }
    return own != NULL && counted == x->pods && found > 1 && g->min_domains <= (int32_t)found;
}

/* Decides how many pods of each domain may be elsewhere, and where. */
static void let_roam(roaming *k, uint32_t group_number)
{
    const group *g = &k->s->topology.groups.items[group_number];
    const domain_key *key = &k->s->topology.keys[k->key];
    spread_pods *x = &k->of_group[group_number];
    uint32_t values[MOST_DOMAINS], count = 0, last = 0;
    uint64_t domains;
    int32_t least, beyond = 0;
    if (x->pods == 0 || x->view == NO_ID || !find_domains(k, g, x, &domains, &least)) return;
    for (uint32_t d = 0; d < MOST_DOMAINS; d++) {
        if ((domains >> d & 1) == 0 || g->counts[d] == least) continue;
        beyond += g->counts[d] - least;
        last = d;
    }
    if (beyond == 0 || (beyond > g->max_skew && g->max_skew > 1)) return;
    for (uint32_t d = 0; d < MOST_DOMAINS; d++) {
        if ((domains >> d & 1) == 0) continue;
        bool stays = beyond > g->max_skew && g->counts[d] > least && d != last;
        if (!stays) values[count++] = key->values[d];
        if (!stays) x->roams[d] = g->counts[d] - least;
    }
    x->requirement = count > 1 ? requirement_make(&k->s->algebra, key->key, KARP_OP_IN, values, count, 0) : NO_ID;
}

static bool find_roaming(roaming *k, uint32_t *out)
{
    scheduler *s = k->s;
    size_t pods = s->snapshot->raw.pods.count;
    uint32_t number, domain = 0;
    for (size_t i = 0; i < pods; i++) {
        uint32_t group_number = constraint_of(k, s->snapshot->queue[i], &number, &domain);
        if (group_number == NO_ID) continue;
        spread_pods *x = &k->of_group[group_number];
        if (x->pods++ == 0) x->view = number;
        else if (x->view != number) x->view = NO_ID;
    }
    for (uint32_t g = 0; g < s->topology.groups.count; g++) let_roam(k, g);
    for (size_t i = pods; i-- > 0;) {
        uint32_t p = s->snapshot->queue[i], group_number = constraint_of(k, p, &number, &domain);
        spread_pods *x = group_number != NO_ID ? &k->of_group[group_number] : NULL;
        if (x == NULL || x->requirement == NO_ID || x->roams[domain] == 0) continue;
        x->roams[domain]--;
        out[p] = x->requirement;
    }
    return !s->failed && !s->algebra.failed;
}

bool menu_roaming(scheduler *s, arena *a, const menu *m, const uint16_t *steps, uint32_t **out)
{
    roaming k = { .s = s, .m = m, .steps = steps, .key = NO_ID };
    *out = NULL;
    for (uint32_t i = 0; i < s->topology.key_count; i++) {
        if (s->topology.keys[i].key == s->snapshot->known.zone) k.key = i;
    }
    if (k.key == NO_ID || gang_loop_applies(s)) return true;
    k.of_group = arena_array(a, s->topology.groups.count + 1, sizeof *k.of_group);
    *out = arena_alloc(a, (s->snapshot->raw.pods.count + 1) * sizeof **out);
    if (k.of_group == NULL || *out == NULL) return false;
    for (size_t p = 0; p < s->snapshot->raw.pods.count; p++) (*out)[p] = NO_ID;
    for (uint32_t g = 0; g < s->topology.groups.count; g++) k.of_group[g].requirement = NO_ID;
    return find_roaming(&k, *out);
}

/* The requirement on the zone of the node where the pod was placed, if that is one zone; NO_ID = not. */
static uint32_t zone_placed(scheduler *s, uint32_t p, uint32_t zone)
{
    uint32_t host_number, claim_number;
    if (!guide_found(s, p, &host_number, &claim_number)) return NO_ID;
    uint32_t set = claim_number != NO_ID ? s->claims.list.items[claim_number].set
                                         : s->snapshot->nodes[s->hosts.items[host_number].node].set;
    uint32_t id = set_get(&s->algebra, set, zone);
    const requirement *r = id == NO_ID ? NULL : requirement_get(&s->algebra, id);
    return r != NULL && !r->complement && r->value_count == 1 ? id : NO_ID;
}

bool menu_moved_zones(scheduler *s, const menu *m, uint32_t *out)
{
    uint32_t zone = s->snapshot->facts.normalized[s->snapshot->known.zone];
    bool any = false;
    memset(out, 0xff, s->snapshot->raw.pods.count * sizeof *out);
    for (uint32_t c = 0; c < m->class_count; c++) {
        size_t keys;
        const menu_class *x = &m->classes[c];
        uint32_t kept = set_get(&s->algebra, x->pin, zone);
        (void)set_entries(&s->algebra, x->pin, &keys);
        for (uint32_t i = 0; i < x->count && kept != NO_ID && keys == 1; i++) {
            uint32_t id = zone_placed(s, x->pods[i], zone);
            if (id == NO_ID || id == kept) continue;
            out[x->pods[i]] = id;
            any = true;
        }
    }
    return any;
}
