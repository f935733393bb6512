/* SPDX-License-Identifier: Apache-2.0 */
/* What topology allows for a pod. */
#include <schedule/label_groups.h>
#include <schedule/topology.h>
#include <schedule/scheduler.h>

/* ---- hosts: every group has one domain a node -------------------------------------------------------------------- */

int32_t pods_on_host(const scheduler *s, const group *g, uint32_t number)
{
    int32_t counted = group_count_at(g, number);
    return g->wider == NO_ID ? counted : group_count_at(&s->topology.groups.items[g->wider], number) - counted;
}

/* The number of groups that are parts of a wide inverse group, exclude the pods, and have a pod on the host. */
static int32_t spared_there(const scheduler *s, const label_group *k, uint32_t wide, uint32_t number)
{
    int32_t count = 0;
    for (uint32_t i = 0; i < k->spared_count; i++) {
        const group *g = &s->topology.groups.items[k->spared_by[i]];
        count += g->wider == wide && group_count_at(g, number) > 0;
    }
    return count;
}

/* Whether some domain that the pod's own requirements allow has a pod of the group. */
static bool occupied_host(const scheduler *s, const group *g, uint32_t own)
{
    const group *all = g->wider == NO_ID ? g : &s->topology.groups.items[g->wider];
    uint32_t mixed = g->wider == NO_ID ? 0 : g->occupied; /* hosts whose pods may all be excluded */
    if (all->occupied == 0 || (own == NO_ID && all->occupied > mixed)) return all->occupied > 0;
    for (uint32_t n = all->base; n < s->topology.next_host_number && n - all->base < all->capacity; n++) {
        if (pods_on_host(s, g, n) > 0 &&
            host_allowed(s, own, s->topology.host_text[n] == NO_ID ? HOST_FRESH : s->topology.host_text[n]))
            return true;
    }
    return false;
}

/* Pod affinity for a host name. */
static bool affinity_admits_host(const scheduler *s, const view *v, const struct owned_group *o, uint32_t number,
                                 uint32_t host_text)
{
    const group *g = &s->topology.groups.items[o->group];
    if (!host_allowed(s, v->strict.host, host_text)) return false;
    return pods_on_host(s, g, number) > 0 || (o->self && !occupied_host(s, g, v->strict.host));
}

static bool owns(const view *v, uint32_t number)
{
    uint32_t i = 0;
    while (i < v->owned_count && v->owned[i].group != number) i++;
    return i < v->owned_count;
}

/* Whether every step of the class's ladder has the group. The next pod starts with the first step, and a spread
 * constraint may have a different group at each step. */
static bool always_owned(const scheduler *s, const view *v, uint32_t number)
{
    if (!v->settled) return false;
    const view *views = s->pods.views.items;
    uint32_t n = s->pods.classes[v->class_].first_view;
    while (views[n].step < v->step && owns(&views[n], number)) n = views[n].next; /* the view itself is in this list */
    return views[n].step == v->step;
}

bool topology_admits_host(const scheduler *s, const view *v, uint32_t number, uint32_t host_text,
                          enum host_refusal *lasting)
{
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    *lasting = REFUSED_ONCE;
    for (uint32_t i = 0; i < v->owned_count; i++) {
        const struct owned_group *o = &v->owned[i];
        if (!o->host) continue;
        const group *g = &s->topology.groups.items[o->group];
        if (g->kind == GROUP_AFFINITY) {
            if (affinity_admits_host(s, v, o, number, host_text)) continue;
            return false;
        }
        if (pods_on_host(s, g, number) <= o->most) continue;
        *lasting = always_owned(s, v, o->group) ? REFUSED_THE_CLASS : REFUSED_THE_VIEW;
        return false;
    }
    *lasting = REFUSED_THE_CLASS;
    for (uint32_t i = 0; i < k->barred_count; i++) {
        const group *g = &s->topology.groups.items[k->barred_by[i]];
        int32_t there = g->host ? group_count_at(g, number) : 0;
        if (there != 0 && (g->kind != GROUP_WIDE || there > spared_there(s, k, k->barred_by[i], number))) return false;
    }
    return true;
}

/* Whether the group has pods on every launch. */
static bool on_all_launches(const scheduler *s, const group *g)
{
    if (g->wider == NO_ID) return g->launches >= s->claims.list.count;
    const group *all = &s->topology.groups.items[g->wider];
    if (all->launches < s->claims.list.count) return false;
    for (uint32_t n = g->base; n < s->topology.next_host_number && n - g->base < g->capacity; n++) {
        if (g->counts[n - g->base] > 0 && s->topology.host_text[n] == NO_ID && pods_on_host(s, g, n) == 0) return false;
    }
    return true;
}

bool topology_bars_launches(const scheduler *s, const view *v)
{
    bool barred = false;
    for (uint32_t i = 0; i < v->owned_count; i++) {
        const struct owned_group *o = &v->owned[i];
        const group *g = &s->topology.groups.items[o->group];
        if (!o->host) continue;
        if (g->kind == GROUP_AFFINITY) return false; /* its rejections are not lasting */
        barred = barred || (o->most == 0 && on_all_launches(s, g));
    }
    return barred;
}

/* ---- other keys -------------------------------------------------------------------------------------------------- */

/* Bit masks over the domains of a group's key: those that the pod allows, and those that the node allows. */
struct choice {
    const uint64_t *own, *place;
    size_t count; /* number of the key's domains */
};

static uint32_t by_name(const scheduler *s, const group *g, uint32_t best, uint32_t other)
{
    const uint32_t *rank = s->snapshot->facts.rank, *values = s->topology.keys[g->key].values;
    return best == NO_ID || rank[values[other]] < rank[values[best]] ? other : best;
}

int64_t spread_least(const group *g, const uint64_t *own, size_t count)
{
    int64_t least = SPREAD_NO_DOMAIN;
    uint32_t allowed = 0;
    for (size_t d = 0; d < count; d++) {
        if (!group_knows(g, d) || !bits_test(own, d)) continue;
        allowed++;
        if (g->counts[d] < least) least = g->counts[d];
    }
    return g->min_domains > 0 && allowed < (uint32_t)g->min_domains ? 0 : least;
}

bool group_occupied(const group *g, const uint64_t *own, size_t count)
{
    for (size_t d = 0; d < count; d++) {
        if (group_knows(g, d) && g->counts[d] > 0 && bits_test(own, d)) return true;
    }
    return false;
}

/* Spread: the domain with the smallest count, among those within maxSkew of the minimum; equal counts by name. */
static uint32_t spread_domain(const scheduler *s, const group *g, const struct choice *c, bool selects_itself)
{
    int64_t least = spread_least(g, c->own, c->count), self = selects_itself;
    uint32_t best = NO_ID;
    for (size_t d = 0; d < c->count; d++) {
        if (!group_knows(g, d) || !bits_test(c->place, d) || g->counts[d] + self - least > g->max_skew) continue;
        if (best == NO_ID || g->counts[d] < g->counts[best]) best = (uint32_t)d;
        else if (g->counts[d] == g->counts[best]) best = by_name(s, g, best, (uint32_t)d);
    }
    return best != NO_ID && s->topology.keys[g->key].values[best] == NO_TEXT ? NO_ID : best;
}

/* Pod affinity: the domains with pods of the group. If there are none and the pod belongs to the group, one domain to
 * start with. Sets bits of `out`. */
static void affinity_domains(const scheduler *s, const group *g, const struct choice *c, bool selects_itself,
                             uint64_t *out)
{
    bool occupied = false, taken = false;
    uint32_t both = NO_ID, own = NO_ID;
    for (size_t d = 0; d < c->count; d++) {
        if (!group_knows(g, d) || !bits_test(c->own, d)) continue;
        own = by_name(s, g, own, (uint32_t)d);
        if (bits_test(c->place, d)) both = by_name(s, g, both, (uint32_t)d);
        if (g->counts[d] == 0) continue;
        occupied = true;
        if (!bits_test(c->place, d)) continue;
        bits_set(out, d);
        taken = true;
    }
    if (taken || occupied || !selects_itself) return;
    if (both != NO_ID) bits_set(out, both);
    else if (own != NO_ID) bits_set(out, own);
}

/* Pod anti-affinity: the domains without pods of the group. */
static void free_domains(const group *g, const struct choice *c, uint64_t *out)
{
    for (size_t d = 0; d < c->count; d++) {
        if (group_knows(g, d) && g->counts[d] == 0 && bits_test(c->own, d) && bits_test(c->place, d)) bits_set(out, d);
    }
}

/* The domains in `chosen` as a requirement on the group's key; NO_ID = no domain. */
static uint32_t requirement_of(scheduler *s, const group *g, const uint64_t *chosen, size_t count)
{
    const domain_key *k = &s->topology.keys[g->key];
    uint32_t stack[64], n = 0, *values = stack;
    size_t set_bits = bits_count(chosen, bits_words(count));
    if (set_bits == 0) return NO_ID;
    if (set_bits > 64) values = mem_alloc(s->context, set_bits * sizeof *values);
    if (values == NULL) return mem_refused_id(&s->failed);
    for (size_t d = bits_next(chosen, count, 0); d < count; d = bits_next(chosen, count, d + 1))
        values[n++] = k->values[d];
    uint32_t id = n == 1 ? requirement_in(&s->algebra, k->key, values[0])
                         : requirement_make(&s->algebra, k->key, KARP_OP_IN, values, n, 0);
    if (values != stack) mem_free(s->context, values, set_bits * sizeof *values);
    if (id == NO_ID) s->failed = true;
    return id;
}

/* Sets the bits of the domains that the group allows. */
static void chosen_domains(const scheduler *s, const group *g, const struct choice *c, bool self, uint64_t *out)
{
    if (g->kind == GROUP_SPREAD) {
        uint32_t best = spread_domain(s, g, c, self);
        if (best != NO_ID) bits_set(out, best);
    } else if (g->kind == GROUP_AFFINITY) {
        affinity_domains(s, g, c, self, out);
    } else {
        free_domains(g, c, out);
    }
}

void topology_choose(const scheduler *s, const group *g, const uint64_t *own, const uint64_t *there, bool self,
                     uint64_t *out)
{
    const struct choice c = { own, there, s->topology.keys[g->key].count };
    chosen_domains(s, g, &c, self, out);
}

/* The domains that the group allows at a place, as a requirement; NO_ID = none. `own` and `there` are the
 * requirements of the pod and the place on the group's key. */
static uint32_t choose(scheduler *s, uint32_t number, uint32_t own, uint32_t there, bool self)
{
    const group *g = &s->topology.groups.items[number];
    const domain_key *k = &s->topology.keys[g->key];
    uint64_t stack[16] = { 0 };
    size_t words_ = bits_words(k->count);
    struct choice c = { .count = k->count };
    if (!scheduler_worked(s, k->count * (size_t)8)) return NO_ID;
    c.own = domain_mask(s, g->key, own);
    c.place = domain_mask(s, g->key, there);
    uint64_t *chosen = words_ <= 16 ? stack : mem_zalloc(s->context, words_ * sizeof *chosen);
    if (c.own == NULL || c.place == NULL || chosen == NULL) return mem_refused_id(&s->failed);
    chosen_domains(s, g, &c, self, chosen);
    uint32_t id = requirement_of(s, g, chosen, k->count);
    if (chosen != stack) mem_free(s->context, chosen, words_ * sizeof *chosen);
    return id;
}

/* ---- places in one domain ---------------------------------------------------------------------------------------- */

static uint32_t refuse_all(scheduler *s) { return mem_refused_id(&s->failed); }

/* The group's summary over all domains that a pod allows, cached until its counts change. NULL = out of memory. */
static const struct group_summary *summary_of(scheduler *s, group *g, uint32_t own)
{
    struct group_summary *a = &g->summary;
    size_t count = s->topology.keys[g->key].count;
    if (a->known && a->version == g->version && a->own == own && a->count == count) return a;
    const uint64_t *mask = domain_mask(s, g->key, own);
    if (mask == NULL || !scheduler_worked(s, count * 8)) return mem_refused_null(&s->failed);
    *a = (struct group_summary){ .known = true, .version = g->version, .own = own, .count = (uint32_t)count };
    if (g->kind == GROUP_SPREAD) a->least = spread_least(g, mask, count);
    if (g->kind == GROUP_AFFINITY) a->occupied = group_occupied(g, mask, count);
    return a;
}

uint32_t topology_only_value(const scheduler *s, const group *g, uint32_t there, uint32_t *domain)
{
    if (there == NO_ID) return NO_TEXT;
    const requirement *r = requirement_get(&s->algebra, there);
    if (r->complement || r->value_count != 1 || !requirement_has(&s->algebra, r, r->values[0])) return NO_TEXT;
    *domain = map64_get(&s->topology.keys[g->key].numbers, r->values[0]);
    return *domain == NO_ID ? NO_TEXT : r->values[0];
}

/* choose() for a place in a single domain, as most nodes are, without visiting the other domains. *answered is false
 * if they have to be visited. */
static uint32_t choose_single(scheduler *s, uint32_t number, uint32_t own, uint32_t there, bool self, bool *answered)
{
    group *g = &s->topology.groups.items[number];
    uint32_t domain = NO_ID, value = topology_only_value(s, g, there, &domain);
    *answered = value != NO_TEXT;
    if (!*answered) return NO_ID;
    bool known = group_knows(g, domain);
    if (g->kind != GROUP_SPREAD) { /* the pod's own requirements count as well */
        const requirement *r = own == NO_ID ? NULL : requirement_get(&s->algebra, own);
        known = known && (r == NULL || requirement_has(&s->algebra, r, value));
    }
    if (g->kind == GROUP_AFFINITY) {
        bool there_is = known && g->counts[domain] > 0;
        const struct group_summary *a = there_is || !self ? NULL : summary_of(s, g, own);
        /* otherwise it may start in any domain */
        *answered = there_is || !self || s->failed || (a != NULL && a->occupied);
        if (!there_is) return NO_ID;
    } else if (g->kind == GROUP_ANTI) {
        if (!known || g->counts[domain] != 0) return NO_ID;
    } else {
        const struct group_summary *a = known ? summary_of(s, g, own) : NULL;
        if (a == NULL || g->counts[domain] + (int64_t)self - a->least > g->max_skew) return NO_ID;
    }
    uint32_t id = requirement_in(&s->algebra, s->topology.keys[g->key].key, value);
    return id == NO_ID ? refuse_all(s) : id;
}

/* choose(), cached until the group's counts change. */
static uint32_t group_requirement(scheduler *s, const view *v, uint32_t number, bool self, uint32_t set)
{
    group *g = &s->topology.groups.items[number];
    uint32_t key = s->topology.keys[g->key].key;
    uint32_t own = set_get(&s->algebra, v->strict.set, key), there = set_get(&s->algebra, set, key);
    struct group_answer *a = &g->answers[(there ^ (own << 1)) & 3];
    if (a->version == g->version && a->own == own && a->place == there && a->self == self) return a->requirement;
    bool answered;
    uint32_t id = choose_single(s, number, own, there, self, &answered);
    if (!answered) id = choose(s, number, own, there, self);
    *a = (struct group_answer){ g->version, own, there, id, self };
    return id;
}

static bool lists_values(const scheduler *s, uint32_t id)
{
    if (id == NO_ID) return false;
    const requirement *r = requirement_get(&s->algebra, id);
    return !r->complement && r->value_count > 0;
}

static bool tighten(scheduler *s, const view *v, uint32_t number, bool self, const pod_place *at, uint32_t *result)
{
    if (s->topology.groups.items[number].host) return true; /* topology_admits_host() has checked it */
    uint32_t id = group_requirement(s, v, number, self, at->set);
    if (id == NO_ID) return false;
    uint32_t there = set_get(&s->algebra, at->set, requirement_get(&s->algebra, id)->key);
    if (there == id) return true;
    /* Both list values and have none in common, so the contradictory set need not be created. (A requirement that the
     * key is absent may be contradictory in itself.) */
    if (lists_values(s, there) && !requirement_overlap(&s->algebra, there, id)) return false;
    if (requirement_get(&s->algebra, id)->key == s->snapshot->known.hostname) return host_allowed(s, id, at->host_text);
    *result = set_add(&s->algebra, *result, id);
    return true;
}

/* ---- several groups on one key (Q-32, ND-2) ---------------------------------------------------------------------- */

/* The n-th group that applies to the pod: groups that own it, followed by inverse groups that select it. */
static group *group_at(scheduler *s, const view *v, const label_group *k, uint32_t n, bool *self)
{
    *self = n < v->owned_count && v->owned[n].self;
    return &s->topology.groups.items[n < v->owned_count ? v->owned[n].group : k->barred_by[n - v->owned_count]];
}

static bool share_a_key(scheduler *s, const view *v, const label_group *k)
{
    bool self;
    for (uint32_t i = 1; i < v->owned_count + k->barred_count; i++) {
        const group *g = group_at(s, v, k, i, &self);
        for (uint32_t n = 0; n < i && !g->host; n++) {
            if (group_at(s, v, k, n, &self)->key == g->key) return true;
        }
    }
    return false;
}

/* All domains that spread_domain() could choose from. */
static void spread_domains(const group *g, const struct choice *c, bool selects_itself, uint64_t *out)
{
    int64_t least = spread_least(g, c->own, c->count), self = selects_itself;
    for (size_t d = 0; d < c->count; d++) {
        if (group_knows(g, d) && bits_test(c->place, d) && g->counts[d] + self - least <= g->max_skew) bits_set(out, d);
    }
}

/* The domains that the group accepts. *one: it chooses a single one of these. */
static void acceptable(const scheduler *s, const group *g, const struct choice *c, bool self, uint64_t *out, bool *one)
{
    if (g->kind == GROUP_ANTI) {
        free_domains(g, c, out);
    } else if (g->kind == GROUP_SPREAD) {
        spread_domains(g, c, self, out);
        *one = true;
    } else {
        affinity_domains(s, g, c, false, out);
        if (bits_any(out, bits_words(c->count)) || !self) return;
        /* any domain to start in, unless the group has pods where the pod could be */
        if (group_occupied(g, c->own, c->count)) return;
        free_domains(g, c, out);
        *one = true;
    }
}

/* Of the domains that all groups of the key accept, the one with the smallest counts, compared group by group; then
 * by name. */
static uint32_t best_of(scheduler *s, const view *v, const label_group *k, uint32_t key_index, const uint64_t *accepted,
                        size_t count)
{
    const uint32_t *rank = s->snapshot->facts.rank, *values = s->topology.keys[key_index].values;
    uint32_t best = NO_ID;
    for (size_t d = bits_next(accepted, count, 0); d < count; d = bits_next(accepted, count, d + 1)) {
        int order = best == NO_ID ? -1 : 0;
        for (uint32_t i = 0; i < v->owned_count + k->barred_count && order == 0; i++) {
            bool self;
            const group *g = group_at(s, v, k, i, &self);
            if (g->key != key_index || g->kind != GROUP_SPREAD) continue;
            int32_t here = group_count_at(g, (uint32_t)d), there = group_count_at(g, best);
            order = here < there ? -1 : here > there;
        }
        if (order < 0 || (order == 0 && rank[values[d]] < rank[values[best]])) best = (uint32_t)d;
    }
    return best;
}

/* The domains that all groups of one key allow together, as a requirement; NO_ID = none. */
static uint32_t joint_requirement(scheduler *s, const view *v, const label_group *k, uint32_t first,
                                  const pod_place *at)
{
    bool self, one = false;
    const group *g = group_at(s, v, k, first, &self);
    uint32_t key_index = g->key, key = s->topology.keys[key_index].key;
    size_t words_ = bits_words(s->topology.keys[key_index].count);
    struct choice c = { .count = s->topology.keys[key_index].count };
    c.own = domain_mask(s, key_index, set_get(&s->algebra, v->strict.set, key));
    c.place = domain_mask(s, key_index, set_get(&s->algebra, at->set, key));
    uint64_t *all = mem_alloc(s->context, (words_ * 2 + 1) * sizeof *all);
    if (c.own == NULL || c.place == NULL || all == NULL) {
        mem_free(s->context, all, (words_ * 2 + 1) * sizeof *all);
        return mem_refused_id(&s->failed);
    }
    uint64_t *its = all + words_;
    for (size_t w = 0; w < words_; w++) all[w] = c.place[w];
    for (uint32_t i = first; i < v->owned_count + k->barred_count; i++) {
        const group *other = group_at(s, v, k, i, &self);
        if (other->key != key_index) continue;
        for (size_t w = 0; w < words_; w++) its[w] = 0;
        acceptable(s, other, &c, self, its, &one);
        for (size_t w = 0; w < words_; w++) all[w] &= its[w];
    }
    if (one && bits_any(all, words_)) {
        uint32_t best = best_of(s, v, k, key_index, all, c.count);
        bits_and_not(all, all, words_);
        if (s->topology.keys[key_index].values[best] != NO_TEXT) bits_set(all, best);
    }
    uint32_t id = requirement_of(s, group_at(s, v, k, first, &self), all, c.count);
    mem_free(s->context, all, (words_ * 2 + 1) * sizeof *all);
    return id;
}

static bool admit_jointly(scheduler *s, const view *v, const label_group *k, const pod_place *at, uint32_t *set)
{
    uint32_t result = at->set;
    bool self;
    for (uint32_t i = 0; i < v->owned_count + k->barred_count; i++) {
        const group *g = group_at(s, v, k, i, &self);
        bool done = g->host;
        for (uint32_t n = 0; n < i && !done; n++) done = group_at(s, v, k, n, &self)->key == g->key;
        if (done) continue;
        uint32_t id = joint_requirement(s, v, k, i, at);
        if (id == NO_ID) return false;
        result = set_add(&s->algebra, result, id);
    }
    if (result != at->set && !set_compatible(&s->algebra, at->set, result, at->lenient)) return false;
    *set = set_meet(&s->algebra, at->set, result);
    return !s->algebra.failed; /* other failures have already returned */
}

bool topology_contradicts(scheduler *s, const view *v, uint32_t set)
{
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    bool self;
    for (uint32_t i = 0; i < v->owned_count + k->barred_count; i++) {
        const group *g = group_at(s, v, k, i, &self);
        uint32_t id = g->host ? NO_ID : set_get(&s->algebra, set, s->topology.keys[g->key].normalized);
        if (id != NO_ID && requirement_op(requirement_get(&s->algebra, id)) == KARP_OP_DOES_NOT_EXIST) return true;
    }
    return false;
}

bool topology_admit(scheduler *s, const view *v, const pod_place *at, uint32_t *set)
{
    const label_group *k = &s->topology.label_groups.items[s->pods.classes[v->class_].label_group];
    uint32_t result = at->set;
    enum host_refusal lasting;
    *set = at->set;
    if (s->round.there) return true;
    if (!at->host_admits && !topology_admits_host(s, v, at->host, at->host_text, &lasting)) return false;
    if (!v->elsewhere && !k->barred_elsewhere) return true;
    if (!quirk(s, 32) && share_a_key(s, v, k)) return admit_jointly(s, v, k, at, set);
    for (uint32_t i = 0; i < v->owned_count; i++) {
        if (!tighten(s, v, v->owned[i].group, v->owned[i].self, at, &result)) return false;
    }
    for (uint32_t i = 0; i < k->barred_count; i++) {
        if (!tighten(s, v, k->barred_by[i], false, at, &result)) return false;
    }
    if (result != at->set && !set_compatible(&s->algebra, at->set, result, at->lenient)) return false;
    *set = set_meet(&s->algebra, at->set, result);
    return !s->algebra.failed;
}
