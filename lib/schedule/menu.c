/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/menu.h>

#include <base/sort.h>
#include <schedule/gang_loop.h>
#include <schedule/volumes.h>
#include <schedule/placement.h>
#include <schedule/pricing.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/types.h>
#include <schedule/views.h>

#define ANY_COPIES UINT32_MAX
enum { MOST_SETS = 256, MOST_ABOVE = 9 }; /* MOST_ABOVE: a group and the composites above it */

/* State for making a menu. */
typedef struct maker {
    scheduler *s;
    arena *a;
    menu *m;
    const uint16_t *steps;
    const karp_objective *aim;
    words keys, signs, sizes; /* keys of classes; of signs, see sign_class(); of requests */
    uint32_t *key; /* [2 * dims]: scratch for keys of requests */
    uint32_t *involved; /* by group about host names: number of pods that own it or that it selects */
    uint32_t *narrower; /* by wide group: number of groups that matter and select some of its pods */
    LIST_OF(menu_class) classes;
    LIST_OF(uint32_t) views; /* by class */
    LIST_OF(uint32_t) sign_of; /* by class */
    LIST_OF(uint32_t) sign_class; /* by sign: its first class */
    uint64_t *sign_allows; /* [sign * bits_words(offers)]: offers that the sign's classes can use */
    size_t offer_words;
    struct where { /* by claim: requirements for nodes of its pods, and the weight of its NodePool */
        uint32_t set, weight;
    } * wheres;
    uint32_t *roams; /* see menu_roaming(), or for nodes menu_moved_zones() */
    bool elsewhere; /* the pods may be placed on nodes with other pods */
    struct last_pin { /* cache for the previous pod */
        uint32_t view, set, pin;
    } last;
} maker;

/* ---- which pods stay --------------------------------------------------------------------------------------------- */

static bool owns_host_affinity(const scheduler *s, const view *v)
{
    for (uint32_t i = 0; i < v->owned_count; i++) {
        const group *g = &s->topology.groups.items[v->owned[i].group];
        if (v->owned[i].host && g->kind == GROUP_AFFINITY) return true;
    }
    return false;
}

/* The topology key of a group, or of one above it; goes on to the next above. NO_TEXT = there is none any more. */
static uint32_t next_group_key(const scheduler *s, uint32_t *group_number, uint32_t *depth)
{
    const struct group_index *all = s->snapshot->groups;
    for (; *group_number != NO_ID && *depth < MOST_ABOVE; ++*depth) {
        const pod_group *o = group_object(s->snapshot, &all->items[*group_number]);
        *group_number = all->items[*group_number].parent;
        if (o != NULL && o->topology_key != NO_TEXT) return o->topology_key;
    }
    return NO_TEXT;
}

static uint32_t group_of(const scheduler *s, uint32_t pod_number)
{
    return gang_loop_applies(s) ? s->snapshot->groups->of_pod[pod_number] : NO_ID;
}

/* The claim's requirement on a topology key, if it names one domain, which is then that of the group; NO_ID = it does
 * not. */
static uint32_t group_domain(scheduler *s, uint32_t claim_set, uint32_t key)
{
    if (key == s->snapshot->known.hostname) return NO_ID;
    uint32_t id = set_get(&s->algebra, claim_set, s->snapshot->facts.normalized[key]);
    const requirement *r = id == NO_ID ? NULL : requirement_get(&s->algebra, id);
    return r != NULL && !r->complement && r->value_count == 1 ? id : NO_ID;
}

/* Whether the pod's group has to stay in a domain that numbers do not express. */
static bool group_beyond_numbers(maker *k, uint32_t pod_number, uint32_t claim_set)
{
    uint32_t number = group_of(k->s, pod_number), depth = 0, key;
    while ((key = next_group_key(k->s, &number, &depth)) != NO_TEXT) {
        if (group_domain(k->s, claim_set, key) == NO_ID) return true;
    }
    return false;
}

/* Whether numbers cannot express where the pod can be placed. */
static bool beyond_numbers(maker *k, uint32_t pod_number)
{
    scheduler *s = k->s;
    uint32_t class_number = s->snapshot->pod_class[pod_number];
    uint32_t number = view_after(s, class_number, k->steps[pod_number]);
    if (number == NO_ID) return true;
    const view *v = &s->pods.views.items[number];
    return class_needs_devices(s, class_number) || v->full.host != NO_ID || owns_host_affinity(s, v) ||
           (s->volumes.limited_drivers > 0 && launch_volumes_limited(s, class_number));
}

static uint32_t weight_of(const scheduler *s, uint32_t template_number)
{
    return (uint32_t)s->snapshot->raw.pools.items[s->templates.items[template_number].pool].weight;
}

/* The lowest weight of a NodePool for these pods. */
static uint32_t least_weight(const maker *k, uint32_t weight)
{
    return (k->aim->flags & KARP_COST_IGNORE_WEIGHTS) != 0 ? 0 : weight;
}

static bool make_lists(maker *k, uint32_t claims)
{
    menu *m = k->m;
    size_t pods = k->s->snapshot->raw.pods.count;
    m->claim_count = claims;
    m->claims = arena_array(k->a, m->claim_count + (size_t)1, sizeof *m->claims);
    k->wheres = arena_array(k->a, m->claim_count + (size_t)1, sizeof *k->wheres);
    m->claim_of = arena_alloc(k->a, (pods + 1) * sizeof *m->claim_of);
    m->host_of = arena_alloc(k->a, (pods + 1) * sizeof *m->host_of);
    m->class_of = arena_alloc(k->a, (pods + 1) * sizeof *m->class_of);
    if (m->claims == NULL || k->wheres == NULL || m->claim_of == NULL || m->host_of == NULL || m->class_of == NULL)
        return false;
    memset(m->claim_of, 0xff, pods * sizeof *m->claim_of);
    memset(m->host_of, 0xff, pods * sizeof *m->host_of);
    memset(m->class_of, 0xff, pods * sizeof *m->class_of);
    return true;
}

/* Existing nodes take the part of claims. */
static bool find_homes(maker *k, const menu_home *homes, uint32_t count)
{
    scheduler *s = k->s;
    menu *m = k->m;
    uint32_t last_class = NO_ID, last_step = NO_ID;
    bool last_beyond = false;
    if (!make_lists(k, count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const state_node *n = &s->snapshot->nodes[homes[i].node];
        m->claims[i].offer = UINT32_MAX;
        k->wheres[i] = (struct where){ n->set,
                                       least_weight(k, (uint32_t)s->snapshot->raw.pools.items[n->pool].weight) };
        for (uint32_t e = 0; e < homes[i].count; e++) {
            uint32_t p = homes[i].pods[e], class_number = s->snapshot->pod_class[p];
            m->claim_of[p] = i;
            if (class_number != last_class || k->steps[p] != last_step) last_beyond = beyond_numbers(k, p);
            last_class = class_number;
            last_step = k->steps[p];
            if (last_beyond || group_beyond_numbers(k, p, n->set)) m->claims[i].stays = true;
        }
    }
    return !s->failed && !s->algebra.failed;
}

static bool find_places(maker *k)
{
    scheduler *s = k->s;
    menu *m = k->m;
    size_t pods = s->snapshot->raw.pods.count;
    if (!make_lists(k, (uint32_t)s->claims.list.count) || !placement_settle(s)) return false;
    for (uint32_t c = 0; c < m->claim_count; c++) {
        const claim *x = &s->claims.list.items[c];
        m->claims[c] = (menu_claim){ x->reserved_count > 0 || x->relaxed_min_values || x->dropped, UINT32_MAX };
        k->wheres[c] = (struct where){ x->set, least_weight(k, weight_of(s, x->template_)) };
    }
    uint32_t last_class = NO_ID, last_step = NO_ID;
    bool last_beyond = false;
    for (size_t i = 0; i < pods; i++) {
        uint32_t p = s->snapshot->queue[i];
        place at = s->placement.places[p];
        if (!exclusion(&s->pods, p)) continue;
        if (at.where == PLACE_HOST) m->host_of[p] = at.target;
        if (at.where != PLACE_CLAIM) continue;
        m->claim_of[p] = at.target;
        uint32_t class_number = s->snapshot->pod_class[p];
        if (class_number != last_class || k->steps[p] != last_step) last_beyond = beyond_numbers(k, p);
        last_class = class_number;
        last_step = k->steps[p];
        bool beyond = last_beyond || group_beyond_numbers(k, p, k->wheres[at.target].set);
        if (beyond) m->claims[at.target].stays = true;
    }
    return !s->failed && !s->algebra.failed;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* Adds the claim's requirement on the key to the pin, if it allows one domain only. */
static uint32_t pin_key(scheduler *s, uint32_t pin, uint32_t claim_set, uint32_t key, bool whatever)
{
    uint32_t id = set_get(&s->algebra, claim_set, key);
    if (id == NO_ID) return pin;
    const requirement *r = requirement_get(&s->algebra, id);
    if (!whatever && (r->complement || r->value_count != 1)) return pin;
    return set_add(&s->algebra, pin, id);
}

/* Whether the spread constraint counts a single pod, which may then be in any domain. */
static bool counts_one(const scheduler *s, const group *g)
{
    int64_t all = 0;
    for (uint32_t d = 0; d < s->topology.keys[g->key].count; d++) all += group_knows(g, d) ? g->counts[d] : 0;
    return g->kind == GROUP_SPREAD && all == 1;
}

static uint32_t pin_group(const maker *k, uint32_t pin, uint32_t claim_set, uint32_t group_number)
{
    scheduler *s = k->s;
    const group *g = &s->topology.groups.items[group_number];
    return g->host || (k->elsewhere && counts_one(s, g))
               ? pin
               : pin_key(s, pin, claim_set, s->topology.keys[g->key].normalized, false);
}

/* Requirements for the domains in which the pod is counted. */
static uint32_t pin_of(maker *k, uint32_t view_number, uint32_t claim_set)
{
    scheduler *s = k->s;
    if (k->last.view == view_number && k->last.set == claim_set) return k->last.pin;
    uint32_t pin = EMPTY_SET;
    const view *v = &s->pods.views.items[view_number];
    const label_group *l = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    const pod_class *c = &s->snapshot->classes[v->class_];
    for (uint32_t i = 0; i < v->owned_count; i++) pin = pin_group(k, pin, claim_set, v->owned[i].group);
    for (uint32_t i = 0; i < l->counted_count; i++) pin = pin_group(k, pin, claim_set, l->counted_by[i]);
    for (uint32_t i = 0; i < l->barred_count; i++) pin = pin_group(k, pin, claim_set, l->barred_by[i]);
    for (uint32_t i = 0; i < s->pods.classes[v->class_].inverse_count; i++)
        pin = pin_group(k, pin, claim_set, s->pods.classes[v->class_].inverse_owned[i]);
    for (uint32_t i = 0; i < c->alternative_count; i++) {
        size_t n;
        (void)set_entries(&s->algebra, c->alternatives[i].set, &n);
        for (size_t e = 0; e < n; e++)
            pin = pin_key(s, pin, claim_set, set_entries(&s->algebra, c->alternatives[i].set, &n)[e].key, true);
    }
    k->last = (struct last_pin){ view_number, claim_set, pin };
    return pin;
}

/* The pin, with the domains of the pod's groups: pods that are bound or placed in one keep their group there. */
static uint32_t pin_to_groups(maker *k, uint32_t pod_number, uint32_t claim_set, uint32_t pin)
{
    uint32_t number = group_of(k->s, pod_number), depth = 0, key;
    while ((key = next_group_key(k->s, &number, &depth)) != NO_TEXT) {
        uint32_t id = group_domain(k->s, claim_set, key);
        if (id != NO_ID) pin = set_add(&k->s->algebra, pin, id);
    }
    return pin;
}

/* Determines the class's sign: classes with the same sign can use the same offers. */
static bool sign_class(maker *k, const menu_class *c, uint32_t view_number)
{
    scheduler *s = k->s;
    uint32_t key[2 + 64], n = 0;
    const uint64_t *tolerated = s->pods.views.items[view_number].tolerated;
    size_t words_ = bits_words(s->templates.count);
    key[n++] = c->set;
    key[n++] = c->order;
    for (size_t w = 0; w < words_ && n + 2 <= 66; w++) {
        key[n++] = (uint32_t)tolerated[w];
        key[n++] = (uint32_t)(tolerated[w] >> 32);
    }
    size_t known = k->signs.count;
    uint32_t id = words_add(&k->signs, key, n);
    uint32_t *slot = id == NO_ID ? NULL : list_push(s->context, &k->sign_of, sizeof *slot);
    if (slot == NULL) return false;
    *slot = id;
    if (id < known) return true;
    slot = list_push(s->context, &k->sign_class, sizeof *slot);
    if (slot != NULL) *slot = (uint32_t)(k->sign_of.count - 1);
    return slot != NULL;
}

static bool new_class(maker *k, uint32_t pod_number, uint32_t view_number, uint32_t pin, uint32_t order)
{
    scheduler *s = k->s;
    menu_class *c = list_push(s->context, &k->classes, sizeof *c);
    uint32_t *slot = list_push(s->context, &k->views, sizeof *slot);
    if (c == NULL || slot == NULL) return false;
    *slot = view_number;
    *c = (menu_class){ .class_ = s->snapshot->pod_class[pod_number],
                       .step = k->steps[pod_number],
                       .pin = pin,
                       .order = order,
                       .set = set_meet(&s->algebra, s->pods.views.items[view_number].full.set, pin),
                       .limit = ANY_COPIES };
    return sign_class(k, c, view_number);
}

/* Counts the pods of each group about host names, one run of equal pods at a time. For a group with a wide group,
 * involved[] has the difference between its pods and those of the wide group. */
static bool involve(maker *k, uint32_t view_number, uint32_t count)
{
    scheduler *s = k->s;
    const view *v = &s->pods.views.items[view_number];
    const label_group *l = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    for (uint32_t i = 0; i < v->owned_count; i++) {
        const group *g = &s->topology.groups.items[v->owned[i].group];
        bool with_all = g->wider != NO_ID && group_selects(s, &s->topology.groups.items[g->wider], l);
        if (g->host && !with_all) k->involved[v->owned[i].group] += count;
    }
    for (uint32_t i = 0; i < l->counted_count; i++) {
        uint32_t g = l->counted_by[i], o = 0;
        while (o < v->owned_count && v->owned[o].group != g) o++;
        if (o < v->owned_count || !s->topology.groups.items[g].host) continue;
        if (s->topology.groups.items[g].wider == NO_ID) k->involved[g] += count;
        else k->involved[g] -= count; /* modulo 2^32, until settle_involved() */
    }
    return true;
}

static bool matters(const maker *k, uint32_t group_number) { return k->elsewhere || k->involved[group_number] > 1; }

static void settle_involved(maker *k)
{
    for (uint32_t n = 0; n < k->s->topology.groups.count; n++) {
        const group *g = &k->s->topology.groups.items[n];
        if (g->wider == NO_ID || g->inverse) continue;
        k->involved[n] += k->involved[g->wider];
        k->narrower[g->wider] += matters(k, n);
    }
}

static bool find_involved(maker *k)
{
    scheduler *s = k->s;
    k->involved = arena_array(k->a, s->topology.groups.count + 1, sizeof *k->involved);
    k->narrower = arena_array(k->a, s->topology.groups.count + 1, sizeof *k->narrower);
    if (k->involved == NULL || k->narrower == NULL) return false;
    for (size_t i = 0; i < s->snapshot->raw.pods.count; i++) {
        uint32_t p = s->snapshot->queue[i];
        if (k->m->claim_of[p] == UINT32_MAX || k->m->claims[k->m->claim_of[p]].stays) continue;
        uint32_t number = view_after(s, s->snapshot->pod_class[p], k->steps[p]);
        if (number == NO_ID || !involve(k, number, 1)) return false;
    }
    settle_involved(k);
    return true;
}

/* Whether a group about host names that matters selects the pods. */
static bool counted_with_others(const maker *k, const label_group *l)
{
    const group *groups = k->s->topology.groups.items;
    for (uint32_t i = 0; i < l->counted_count; i++) {
        uint32_t number = l->counted_by[i], left_out = 0;
        const group *g = &groups[number];
        if (!g->host || g->wider != NO_ID) continue;
        if (g->kind != GROUP_WIDE && matters(k, number)) return true;
        if (g->kind != GROUP_WIDE) continue;
        for (uint32_t n = 0; n < l->counted_count; n++)
            left_out += groups[l->counted_by[n]].wider == number && matters(k, l->counted_by[n]);
        if (k->narrower[number] > left_out) return true;
    }
    return false;
}

/* Whether pods of the view depend on other pods of their node only through free capacity. */
static bool minds_space_alone(const maker *k, uint32_t view_number)
{
    const scheduler *s = k->s;
    const view *v = &s->pods.views.items[view_number];
    const label_group *l = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    for (uint32_t i = 0; i < v->owned_count; i++) {
        if (v->owned[i].host && matters(k, v->owned[i].group)) return false;
    }
    if (counted_with_others(k, l)) return false;
    if (k->elsewhere && (l->barred_count > 0 || s->pods.classes[v->class_].inverse_count > 0)) return false;
    return shape_of(s->snapshot, v->class_)->ports.count == 0;
}

/* Pods that depend only on free capacity are equal when their requests are, whatever their labels. */
static uint32_t size_of(maker *k, uint32_t view_number)
{
    const scheduler *s = k->s;
    const int64_t *r = s->pods.classes[s->pods.views.items[view_number].class_].requests;
    uint32_t *key = k->key, n = 0;
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        key[n++] = (uint32_t)(uint64_t)r[d];
        key[n++] = (uint32_t)((uint64_t)r[d] >> 32);
    }
    return words_add(&k->sizes, key, n);
}

static uint32_t tolerated_first(const scheduler *s, uint32_t view_number, uint32_t *more)
{
    const uint64_t *bits = s->pods.views.items[view_number].tolerated;
    *more = (uint32_t)(bits[0] >> 32);
    return (uint32_t)bits[0];
}

/* The number of the pod's class, which is created if new; NO_ID = out of memory. */
static uint32_t class_number_of(maker *k, uint32_t pod_number, uint32_t number, uint32_t pin, uint32_t order)
{
    scheduler *s = k->s;
    uint32_t more, tolerated = tolerated_first(s, number, &more);
    uint32_t set = set_meet(&s->algebra, s->pods.views.items[number].full.set, pin);
    uint32_t key[] = { NO_ID, number, pin, order, 0, 0 };
    if (minds_space_alone(k, number) && s->templates.count <= 64) {
        uint32_t size = size_of(k, number);
        if (size == NO_ID) return NO_ID;
        const uint32_t alike[] = { size, set, pin, order, tolerated, more };
        memcpy(key, alike, sizeof key);
    }
    size_t known = k->keys.count;
    uint32_t id = words_add(&k->keys, key, sizeof key / sizeof *key);
    return id == NO_ID || (id == known && !new_class(k, pod_number, number, pin, order)) ? NO_ID : id;
}

static bool find_classes(maker *k)
{
    scheduler *s = k->s;
    menu *m = k->m;
    size_t pods = s->snapshot->raw.pods.count;
    if (!find_involved(k) || (!k->elsewhere && !menu_roaming(s, k->a, m, k->steps, &k->roams))) return false;
    for (size_t i = 0; i < pods; i++) {
        uint32_t p = s->snapshot->queue[i], claim_number = m->claim_of[p];
        if (claim_number == UINT32_MAX || m->claims[claim_number].stays) continue;
        const struct where *x = &k->wheres[claim_number];
        uint32_t number = view_after(s, s->snapshot->pod_class[p], k->steps[p]);
        if (number == NO_ID) return false;
        bool roams = k->roams != NULL && k->roams[p] != NO_ID;
        uint32_t pin = roams ? set_add(&s->algebra, EMPTY_SET, k->roams[p])
                             : pin_to_groups(k, p, x->set, pin_of(k, number, x->set));
        uint32_t id = class_number_of(k, p, number, pin, x->weight);
        if (id == NO_ID) return false;
        m->class_of[p] = id;
        k->classes.items[id].count++;
        k->classes.items[id].roams = roams && !k->elsewhere;
    }
    m->class_count = (uint32_t)k->classes.count;
    m->classes = arena_array(k->a, m->class_count + (size_t)1, sizeof *m->classes);
    m->requests = arena_array(k->a, (m->class_count + (size_t)1) * m->dims, sizeof *m->requests);
    uint32_t *lists = arena_array(k->a, pods + 1, sizeof *lists), at = 0;
    if (m->classes == NULL || m->requests == NULL || lists == NULL || s->algebra.failed) return false;
    for (uint32_t c = 0; c < m->class_count; c++) {
        m->classes[c] = k->classes.items[c];
        m->classes[c].pods = lists + at;
        at += m->classes[c].count;
        m->classes[c].count = 0;
        memcpy(m->requests + (size_t)c * m->dims, s->pods.classes[m->classes[c].class_].requests,
               m->dims * sizeof *m->requests);
    }
    for (size_t i = 0; i < pods; i++) {
        uint32_t p = s->snapshot->queue[i];
        if (m->class_of[p] == UINT32_MAX) continue;
        menu_class *c = &m->classes[m->class_of[p]];
        c->pods[c->count++] = p;
    }
    return true;
}

/* ---- offers ------------------------------------------------------------------------------------------------------ */

typedef LIST_OF(menu_offer) offer_list;

static int by_price(uint32_t x, uint32_t y, const void *user)
{
    const menu_offer *o = user;
    return o[x].price < o[y].price ? -1 : o[x].price > o[y].price;
}

/* The offerings that the template could launch, without reservations. */
static bool list_offers(maker *k, uint32_t template_number, offer_list *all)
{
    scheduler *s = k->s;
    const template_ *t = &s->templates.items[template_number];
    const type_table *table = t->table;
    size_t bytes = (bits_words(table->offering_count) + 1) * sizeof(uint64_t);
    uint64_t *offered = mem_alloc(s->context, bytes);
    bool ok = offered != NULL && types_offered(s, t->table_number, t->set, offered);
    for (size_t i = 0; ok && i < table->offering_count; i++) {
        const offering *o = &table->offerings[i];
        if (!bits_test(offered, i) || !offering_launchable(s, o) || o->capacity_type == s->snapshot->known.reserved ||
            !bits_test(s->types.sets.items[t->initial].bits, o->variant))
            continue;
        menu_offer *slot = list_push(s->context, all, sizeof *slot);
        ok = slot != NULL;
        bool is_spot = o->capacity_type == s->snapshot->known.spot;
        double price = cost_of_price(k->aim, o->price, is_spot);
        if (ok) *slot = (menu_offer){ template_number, o->variant, (uint32_t)i, price, is_spot };
    }
    mem_free(s->context, offered, bytes);
    return ok;
}

/* Determines the offers that classes of the sign can use. */
static bool allow_sign(maker *k, uint32_t sign, const offer_list *all)
{
    scheduler *s = k->s;
    const menu_class *c = &k->m->classes[k->sign_class.items[sign]];
    const uint64_t *tolerated = s->pods.views.items[k->views.items[k->sign_class.items[sign]]].tolerated;
    uint64_t *allows = k->sign_allows + sign * k->offer_words;
    for (uint32_t t = 0; t < s->templates.count; t++) {
        const template_ *x = &s->templates.items[t];
        if (!bits_test(tolerated, t) || weight_of(s, t) < c->order ||
            !set_compatible(&s->algebra, x->set, c->set, true))
            continue;
        uint32_t set = set_meet(&s->algebra, x->set, c->set);
        size_t bytes = (bits_words(x->table->offering_count) + 1) * sizeof(uint64_t);
        uint64_t *offered = mem_alloc(s->context, bytes);
        const uint64_t *variants = types_mask(s, x->table_number, set);
        bool ok = offered != NULL && variants != NULL && types_offered(s, x->table_number, set, offered);
        for (size_t o = 0; ok && o < all->count; o++) {
            const menu_offer *f = &all->items[o];
            if (f->template_ == t && bits_test(variants, f->variant) && bits_test(offered, f->offering))
                bits_set(allows, o);
        }
        mem_free(s->context, offered, bytes);
        if (!ok) return false;
    }
    return true;
}

static const int64_t *space_of(const scheduler *s, const menu_offer *o)
{
    return s->templates.items[o->template_].space + (size_t)o->variant * s->vectors.dims;
}

/* Whether everything that can be placed on x can also be placed on y. */
static bool replaced_by(const maker *k, const offer_list *all, uint32_t x, uint32_t y)
{
    const int64_t *a = space_of(k->s, &all->items[x]), *b = space_of(k->s, &all->items[y]);
    for (uint32_t d = 0; d < k->m->dims; d++) {
        if (a[d] > b[d]) return false;
    }
    for (size_t g = 0; g < k->signs.count; g++) {
        const uint64_t *allows = k->sign_allows + g * k->offer_words;
        if (bits_test(allows, x) && !bits_test(allows, y)) return false;
    }
    return true;
}

/* Keeps the offers that no cheaper one can replace, in price order. */
static bool keep_offers(maker *k, const offer_list *all)
{
    scheduler *s = k->s;
    menu *m = k->m;
    uint32_t n = 0, *order = arena_array(k->a, all->count + 1, sizeof *order);
    if (order == NULL) return false;
    for (uint32_t i = 0; i < all->count; i++) order[i] = i;
    if (!sort_ids(s->context, order, all->count, by_price, all->items)) return false;
    for (uint32_t i = 0; i < all->count; i++) {
        bool replaced = false;
        for (uint32_t j = 0; j < n && !replaced; j++) replaced = replaced_by(k, all, order[i], order[j]);
        if (!replaced) order[n++] = order[i];
    }
    m->offer_count = n;
    m->offers = arena_array(k->a, n + (size_t)1, sizeof *m->offers);
    m->spaces = arena_array(k->a, (n + (size_t)1) * m->dims, sizeof *m->spaces);
    size_t words_ = bits_words(n);
    m->allowed = arena_array(k->a, words_ * m->class_count + 1, sizeof *m->allowed);
    if (m->offers == NULL || m->spaces == NULL || m->allowed == NULL) return false;
    for (uint32_t i = 0; i < n; i++) {
        m->offers[i] = all->items[order[i]];
        memcpy(m->spaces + (size_t)i * m->dims, space_of(s, &m->offers[i]), m->dims * sizeof *m->spaces);
        for (uint32_t c = 0; c < m->class_count; c++) {
            if (bits_test(k->sign_allows + k->sign_of.items[c] * k->offer_words, order[i]))
                bits_set(m->allowed + c * words_, i);
        }
    }
    return true;
}

/* The largest unit that also divides the numbers of a column; `dims` is the length of a row. */
static amount common_unit(amount unit, const int64_t *column, uint32_t rows, uint32_t dims)
{
    for (uint32_t i = 0; i < rows && amount_cmp(unit, amount_from(1)) != 0; i++)
        unit = amount_gcd(unit, amount_from(column[(size_t)i * dims]));
    return unit;
}

/* The scheduler's units depend on pods that are not in the menu, and on pods before an edit. The result should depend
 * on neither. */
static bool find_units(maker *k)
{
    menu *m = k->m;
    m->units = arena_array(k->a, m->dims + (size_t)1, sizeof *m->units);
    if (m->units == NULL) return false;
    for (uint32_t d = 0; d < m->dims; d++) {
        amount unit = common_unit(amount_from(0), m->requests + d, m->class_count, m->dims);
        unit = common_unit(unit, m->spaces + d, m->offer_count, m->dims);
        if (!amount_scale(unit, amount_from(1), &m->units[d]) || m->units[d] == 0) m->units[d] = 1;
        for (uint32_t c = 0; c < m->class_count && m->units[d] > 1; c++)
            m->requests[(size_t)c * m->dims + d] /= m->units[d];
        for (uint32_t o = 0; o < m->offer_count && m->units[d] > 1; o++)
            m->spaces[(size_t)o * m->dims + d] /= m->units[d];
    }
    return true;
}

static bool find_offers(maker *k)
{
    scheduler *s = k->s;
    offer_list all = { .count = 0 };
    bool ok = true;
    for (uint32_t t = 0; ok && t < s->templates.count; t++) ok = list_offers(k, t, &all);
    k->offer_words = bits_words(all.count);
    if (ok) k->sign_allows = arena_array(k->a, k->offer_words * k->signs.count + 1, sizeof *k->sign_allows);
    ok = ok && k->sign_allows != NULL;
    for (uint32_t g = 0; ok && g < k->signs.count; g++) ok = allow_sign(k, g, &all);
    ok = ok && keep_offers(k, &all);
    list_free(s->context, &all, sizeof *all.items);
    return ok;
}

/* ---- which classes can share a node ------------------------------------------------------------------------------ */

static bool conflict(maker *k, uint32_t x, uint32_t y)
{
    menu *m = k->m;
    size_t words_ = bits_words(m->class_count);
    if (m->conflicts == NULL) m->conflicts = arena_array(k->a, words_ * m->class_count + 1, sizeof *m->conflicts);
    if (m->conflicts == NULL) return false;
    if (x == y) m->classes[x].limit = 1;
    if (x == y) return true;
    bits_set(m->conflicts + x * words_, y);
    bits_set(m->conflicts + y * words_, x);
    return true;
}

static bool selected(const scheduler *s, uint32_t class_number, uint32_t group_number)
{
    const label_group *l = &s->topology.label_groups.items[s->pods.classes[class_number].label_group];
    return group_selects(s, &s->topology.groups.items[group_number], l);
}

/* The effect of a group about host names on its owner and on the pods that it selects. */
static bool apply_group(maker *k, uint32_t c, const struct owned_group *o)
{
    scheduler *s = k->s;
    menu *m = k->m;
    const group *g = &s->topology.groups.items[o->group];
    if (k->involved[o->group] < 2) return true;
    bool apart = g->kind == GROUP_ANTI || (g->kind == GROUP_SPREAD && g->max_skew == 1);
    if (g->kind == GROUP_SPREAD && o->self && g->max_skew > 0 && (uint32_t)g->max_skew < m->classes[c].limit)
        m->classes[c].limit = (uint32_t)g->max_skew;
    for (uint32_t other = 0; apart && other < m->class_count; other++) {
        if (selected(s, m->classes[other].class_, o->group) && !conflict(k, c, other)) return false;
    }
    return true;
}

static bool ports_overlap(host_port_list x, host_port_list y)
{
    for (uint32_t i = 0; i < x.count; i++) {
        for (uint32_t j = 0; j < y.count; j++) {
            if (x.items[i].port == y.items[j].port && x.items[i].protocol == y.items[j].protocol) return true;
        }
    }
    return false;
}

static bool apply_ports(maker *k, uint32_t c)
{
    const menu *m = k->m;
    host_port_list ports = shape_of(k->s->snapshot, m->classes[c].class_)->ports;
    for (uint32_t other = c; ports.count > 0 && other < m->class_count; other++) {
        if (ports_overlap(ports, shape_of(k->s->snapshot, m->classes[other].class_)->ports) && !conflict(k, c, other))
            return false;
    }
    return true;
}

/* Whether the requirements of two signs contradict each other in every NodePool. */
static bool signs_clash(maker *k, uint32_t x, uint32_t y)
{
    scheduler *s = k->s;
    uint32_t a = k->m->classes[k->sign_class.items[x]].set, b = k->m->classes[k->sign_class.items[y]].set;
    if (a == b) return false;
    for (uint32_t t = 0; t < s->templates.count; t++) {
        uint32_t set = s->templates.items[t].set;
        if (!set_compatible(&s->algebra, set, a, true) || !set_compatible(&s->algebra, set, b, true)) continue;
        if (set_compatible(&s->algebra, set_meet(&s->algebra, set, a), b, true)) return false;
    }
    return true;
}

static bool find_conflicts(maker *k)
{
    menu *m = k->m;
    for (uint32_t c = 0; c < m->class_count; c++) {
        const view *v = &k->s->pods.views.items[k->views.items[c]];
        for (uint32_t i = 0; i < v->owned_count; i++) {
            if (v->owned[i].host && !apply_group(k, c, &v->owned[i])) return false;
        }
        if (!apply_ports(k, c)) return false;
    }
    for (uint32_t x = 0; x < k->signs.count && k->signs.count <= MOST_SETS; x++) {
        for (uint32_t y = x + 1; y < k->signs.count; y++) {
            if (!signs_clash(k, x, y)) continue;
            for (uint32_t c = 0; c < m->class_count; c++) {
                for (uint32_t d = 0; d < m->class_count && k->sign_of.items[c] == x; d++) {
                    if (k->sign_of.items[d] == y && !conflict(k, c, d)) return false;
                }
            }
        }
    }
    return true;
}

static bool make_menu(maker *k, const menu_home *homes, uint32_t count)
{
    *k->m = (menu){ .dims = k->s->vectors.dims };
    words_init(&k->keys, k->s->context);
    words_init(&k->signs, k->s->context);
    words_init(&k->sizes, k->s->context);
    k->key = arena_array(k->a, 2 * (size_t)k->m->dims, sizeof *k->key);
    bool ok = k->key != NULL && (k->elsewhere ? find_homes(k, homes, count) : find_places(k)) && find_classes(k) &&
              find_offers(k) && find_units(k) && find_conflicts(k);
    list_free(k->s->context, &k->classes, sizeof(menu_class));
    list_free(k->s->context, &k->views, sizeof(uint32_t));
    list_free(k->s->context, &k->sign_of, sizeof(uint32_t));
    list_free(k->s->context, &k->sign_class, sizeof(uint32_t));
    words_free(&k->keys);
    words_free(&k->signs);
    words_free(&k->sizes);
    return ok && !k->s->failed && !k->s->algebra.failed;
}

bool menu_make(scheduler *s, arena *a, const uint16_t *steps, const karp_objective *aim, menu *out)
{
    maker k = { .s = s, .a = a, .m = out, .steps = steps, .aim = aim, .last = { NO_ID, NO_ID, 0 } };
    return make_menu(&k, NULL, 0);
}

bool menu_of_nodes(scheduler *s, arena *a, const menu_home *homes, uint32_t count, const uint16_t *steps,
                   uint32_t *zones, const karp_objective *aim, menu *out)
{
    maker k = { .s = s, .a = a, .m = out, .steps = steps, .aim = aim, .roams = zones, .last = { NO_ID, NO_ID, 0 } };
    k.elsewhere = true;
    return make_menu(&k, homes, count);
}
