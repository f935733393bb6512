/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What groups of pods that stay in one domain mean in numbers. Which domain that is, is a choice. So the pods of a
 * class become pods of another class for each domain, which can be placed in that domain alone, and those of one
 * domain are placed. A group is a class as well: its price is at most what its pods cost in each of the domains.
 *
 * Pods that share one node (the key is the host name) are one large pod.
 */
#include <schedule/relaxed.h>

#include <base/sort.h>
#include <schedule/gang_domains.h>
#include <schedule/gang_loop.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <string.h>

/* A pod that its group confines to a domain. */
typedef struct confined {
    uint32_t group, class_; /* the nearest group above it that has a topology key */
    bool bought;
} confined;

/* The rows of a domain. */
typedef struct domain_rows {
    uint32_t value, number; /* text id; number among the domains of all keys */
    uint64_t *rows;
} domain_rows;

typedef struct key_domains {
    uint32_t key, count;
    domain_rows *items;
    struct key_domains *next;
} key_domains;

/* Groups that are alike. */
typedef struct alike {
    relaxed_choice c;
    uint32_t bound; /* the domain of its bound pods, text id; NO_ID = none is bound */
    int64_t *bought; /* by member: pods of all these groups that the round placed on launches */
    const domain_rows **domains;
} alike;

typedef struct chooser {
    scheduler *s;
    arena *a;
    relaxed *r;
    size_t rows, row_words;
    uint32_t *bound; /* by group: the domain of its bound pods */
    key_domains *keys;
    uint32_t domain_count, class_count; /* of all keys; with the new classes */
    words known; /* what makes kinds differ */
    map64 class_of; /* (class, domain) -> its class there */
    LIST_OF(confined) pods;
    LIST_OF(alike) kinds;
} chooser;

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static uint32_t confining_group(const scheduler *s, uint32_t pod_number)
{
    const struct group_index *all = s->snapshot->groups;
    uint32_t id = all->of_pod[pod_number];
    for (uint32_t depth = 0; id != NO_ID && depth <= MOST_COMPOSITES; depth++) {
        const pod_group *o = group_object(s->snapshot, &all->items[id]);
        if (o != NULL && o->topology_key != NO_TEXT) return id;
        id = all->items[id].parent;
    }
    return NO_ID;
}

static uint32_t key_of(const scheduler *s, uint32_t group_number)
{
    const pod_group *o = group_object(s->snapshot, &s->snapshot->groups->items[group_number]);
    return o == NULL ? NO_TEXT : o->topology_key;
}

static bool is_host(const scheduler *s, const alike *x) { return x->c.key == s->snapshot->known.hostname; }

/* Lists the pods that the round placed, and where others of their groups are bound. */
static bool list_pods(chooser *k)
{
    scheduler *s = k->s;
    const karp_snapshot *snapshot = s->snapshot;
    k->bound = arena_alloc(k->a, (snapshot->groups->count + (size_t)1) * sizeof *k->bound);
    if (k->bound == NULL) return false;
    memset(k->bound, 0xff, snapshot->groups->count * sizeof *k->bound);
    for (uint32_t p = 0; p < snapshot->raw.pods.count; p++) {
        uint32_t id = confining_group(s, p);
        if (id == NO_ID) continue;
        if (k->r->class_of[p] == NO_ID) {
            bool stays = snapshot->pod_node[p] != NO_ID && exclusion(&s->pods, p) == 0;
            if (stays)
                k->bound[id] = label_get(snapshot->raw.nodes.items[snapshot->pod_node[p]].meta.labels, key_of(s, id));
            continue;
        }
        confined *slot = list_push(s->context, &k->pods, sizeof *slot);
        if (slot == NULL) return false;
        *slot = (confined){ id, k->r->class_of[p], s->placement.places[p].where == PLACE_CLAIM };
    }
    return true;
}

static int by_group(const void *x, const void *y, const void *user)
{
    const confined *a = x, *b = y;
    (void)user;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->class_ > b->class_) - (a->class_ < b->class_);
}

/* Whether pods of the class are divided by zones already, so that a pod may be in one of several classes. */
static bool is_divided(const relaxed *r, uint32_t class_)
{
    for (uint32_t c = 0; r->domains != NULL && c < r->class_count; c++) {
        if (r->domains[c] != NO_ID && r->samples[c] == r->samples[class_]) return true;
    }
    return false;
}

/* Makes a kind of groups of the one whose pods these are. *usable is false if nothing can be said of it. */
static bool make_kind(chooser *k, const confined *pods, size_t count, alike *out, bool *usable)
{
    uint32_t id = pods[0].group;
    *out = (alike){ .c = { .group = id, .key = key_of(k->s, id), .groups = 1 }, .bound = k->bound[id] };
    out->c.members = arena_array(k->a, count, sizeof *out->c.members);
    out->c.copies = arena_array(k->a, count, sizeof *out->c.copies);
    out->bought = arena_array(k->a, count, sizeof *out->bought);
    if (out->c.members == NULL || out->c.copies == NULL || out->bought == NULL) return false;
    *usable = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t n = out->c.member_count;
        if (i == 0 || pods[i].class_ != pods[i - 1].class_) {
            out->c.members[n++] = pods[i].class_;
            out->c.member_count = n;
            if (is_divided(k->r, pods[i].class_)) *usable = false;
        }
        out->c.copies[n - 1]++;
        out->bought[n - 1] += pods[i].bought;
    }
    out->c.pods = (int64_t)count;
    return true;
}

/* Adds the kind, or counts the group with those that are alike. */
static bool add_kind(chooser *k, const alike *x)
{
    uint32_t length = 2 + 2 * x->c.member_count, *key = arena_alloc(k->a, length * sizeof *key);
    if (key == NULL) return false;
    key[0] = x->c.key;
    key[1] = x->bound;
    for (uint32_t i = 0; i < x->c.member_count; i++) {
        key[2 + 2 * i] = x->c.members[i];
        key[3 + 2 * i] = (uint32_t)x->c.copies[i];
    }
    size_t had = k->known.count;
    uint32_t id = words_add(&k->known, key, length);
    if (id == NO_ID) return false;
    if (id < had) {
        alike *known = &k->kinds.items[id];
        known->c.groups++;
        for (uint32_t i = 0; i < x->c.member_count; i++) known->bought[i] += x->bought[i];
        return true;
    }
    alike *slot = list_push(k->s->context, &k->kinds, sizeof *slot);
    if (slot != NULL) *slot = *x;
    return slot != NULL;
}

static bool list_kinds(chooser *k)
{
    if (!list_pods(k) || !sort_stable(k->s->context, k->pods.items, k->pods.count, sizeof(confined), by_group, NULL))
        return false;
    for (size_t i = 0, next; i < k->pods.count; i = next) {
        alike x;
        bool usable;
        for (next = i + 1; next < k->pods.count && k->pods.items[next].group == k->pods.items[i].group;) next++;
        if (!make_kind(k, k->pods.items + i, next - i, &x, &usable) || (usable && !add_kind(k, &x))) return false;
    }
    return true;
}

/* ---- domains ----------------------------------------------------------------------------------------------------- */

static bool find_rows(chooser *k, uint32_t key, const gang_domain *from, domain_rows *out)
{
    const karp_snapshot *s = k->s->snapshot;
    *out = (domain_rows){ from->value, k->domain_count++, arena_array(k->a, k->row_words + 1, sizeof *out->rows) };
    if (out->rows == NULL || !relaxed_reach(k->s, k->a, k->r, from->set, out->rows)) return false;
    for (uint32_t i = 0; i < k->r->node_count; i++) {
        if (label_get(s->nodes[k->r->nodes[i]].labels, key) == from->value)
            bits_set(out->rows, k->r->offer_count + (size_t)i);
    }
    return true;
}

/* The domains of the key; NULL = out of memory. */
static const key_domains *domains_of(chooser *k, uint32_t key)
{
    key_domains *d = k->keys;
    while (d != NULL && d->key != key) d = d->next;
    if (d != NULL) return d;
    const gang_domains *all = gang_domains_of(k->s, key);
    d = all == NULL ? NULL : arena_array(k->a, 1, sizeof *d);
    if (d == NULL) return NULL;
    *d = (key_domains){ key, 0, arena_array(k->a, all->count + (size_t)1, sizeof *d->items), k->keys };
    for (uint32_t i = 0; d->items != NULL && i < all->count; i++) {
        if (!find_rows(k, key, &all->items[i], &d->items[d->count++])) return NULL;
    }
    k->keys = d;
    return d->items != NULL ? d : NULL;
}

/* Whether so many pods of the class could be in the domain, if it had them alone. */
static bool has_room(const chooser *k, const domain_rows *d, uint32_t class_, int64_t pods)
{
    const relaxed *r = k->r;
    size_t width = bits_words(r->class_count);
    int64_t room = 0;
    for (size_t row = bits_next(d->rows, k->rows, 0); row < k->rows && room < pods;
         row = bits_next(d->rows, k->rows, row + 1)) {
        if (!bits_test(r->allowed + row * width, class_)) continue;
        if (row < r->offer_count) return true;
        int64_t most = pods;
        for (uint32_t i = 0; i < r->dims; i++) {
            int64_t request = r->requests[(size_t)class_ * r->dims + i], has = r->capacity[row * r->dims + i];
            if (request > 0 && (has < 0 ? 0 : has / request) < most) most = has < 0 ? 0 : has / request;
        }
        room += most;
    }
    return room >= pods;
}

/* Lists the domains in which the kind could be. Of several with the same rows one is enough. */
static bool choose_domains(chooser *k, alike *x)
{
    const key_domains *all = domains_of(k, x->c.key);
    if (all == NULL) return false;
    x->domains = arena_array(k->a, all->count + (size_t)1, sizeof *x->domains);
    if (x->domains == NULL) return false;
    for (uint32_t i = 0; i < all->count && x->c.domain_count < RELAXED_CLASSES; i++) {
        const domain_rows *d = &all->items[i];
        bool possible = x->bound == NO_ID || x->bound == d->value;
        for (uint32_t m = 0; m < x->c.member_count && possible; m++)
            possible = has_room(k, d, x->c.members[m], x->c.copies[m]);
        for (uint32_t n = 0; n < x->c.domain_count && possible; n++)
            possible = !bits_equal(d->rows, x->domains[n]->rows, k->row_words);
        if (possible) x->domains[x->c.domain_count++] = d;
    }
    return true;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static uint64_t there(uint32_t class_, const domain_rows *d) { return (uint64_t)class_ << 32 | d->number; }

/* Numbers the classes that the kind needs. If they are too many, the kind is left out: its class is NO_ID. */
static bool number_classes(chooser *k, alike *x)
{
    relaxed_choice *c = &x->c;
    uint32_t more = 1;
    c->class_ = NO_ID;
    for (uint32_t d = 0; d < c->domain_count; d++) {
        for (uint32_t m = 0; m < c->member_count; m++)
            more += map64_get(&k->class_of, there(c->members[m], x->domains[d])) == NO_ID;
    }
    if ((!is_host(k->s, x) && c->domain_count == 0) || k->class_count + (uint64_t)more > RELAXED_CLASSES) return true;
    c->domains = arena_array(k->a, c->domain_count + (size_t)1, sizeof *c->domains);
    c->classes = arena_array(k->a, (size_t)c->domain_count * c->member_count + 1, sizeof *c->classes);
    if (c->domains == NULL || c->classes == NULL) return false;
    c->class_ = k->class_count++;
    for (uint32_t d = 0; d < c->domain_count; d++) {
        c->domains[d] = x->domains[d]->value;
        for (uint32_t m = 0; m < c->member_count; m++) {
            uint64_t key = there(c->members[m], x->domains[d]);
            uint32_t number = map64_get(&k->class_of, key);
            if (number == NO_ID) number = k->class_count++;
            if (!map64_put(&k->class_of, key, number)) return false;
            c->classes[(size_t)d * c->member_count + m] = number;
        }
    }
    return true;
}

/* The rows on which all pods of the kind can be at once. */
static void share_rows(chooser *k, const alike *x)
{
    relaxed *r = k->r;
    const karp_snapshot *s = k->s->snapshot;
    size_t width = bits_words(r->class_count);
    for (size_t row = 0; row < k->rows; row++) {
        bool fits = true;
        for (uint32_t m = 0; m < x->c.member_count && fits; m++)
            fits = bits_test(r->allowed + row * width, x->c.members[m]);
        bool existing = row >= r->offer_count;
        if (x->bound != NO_ID)
            fits = fits && existing && label_get(s->nodes[r->nodes[row - r->offer_count]].labels, x->c.key) == x->bound;
        if (fits) bits_set(r->allowed + row * width, x->c.class_);
    }
}

static void fill_domain(chooser *k, const alike *x, uint32_t d, uint32_t m)
{
    relaxed *r = k->r;
    size_t width = bits_words(r->class_count), bytes = r->dims * sizeof *r->requests;
    uint32_t from = x->c.members[m], to = x->c.classes[(size_t)d * x->c.member_count + m];
    r->samples[to] = r->samples[from];
    r->limits[to] = r->limits[from];
    r->most[to] += x->c.copies[m] * x->c.groups;
    memcpy(r->requests + (size_t)to * r->dims, r->requests + (size_t)from * r->dims, bytes);
    const uint64_t *rows = x->domains[d]->rows;
    for (size_t row = bits_next(rows, k->rows, 0); row < k->rows; row = bits_next(rows, k->rows, row + 1)) {
        if (bits_test(r->allowed + row * width, from)) bits_set(r->allowed + row * width, to);
    }
}

static void fill_kind(chooser *k, const alike *x)
{
    relaxed *r = k->r;
    const relaxed_choice *c = &x->c;
    bool together = is_host(k->s, x);
    int64_t bought = 0;
    r->samples[c->class_] = r->samples[c->members[0]];
    for (uint32_t m = 0; m < c->member_count; m++) {
        for (uint32_t d = 0; d < c->domain_count; d++) fill_domain(k, x, d, m);
        r->counts[c->members[m]] -= c->copies[m] * c->groups;
        r->bought[c->members[m]] -= x->bought[m];
        r->most[c->members[m]] -= c->copies[m] * c->groups;
        bought += x->bought[m];
        for (uint32_t d = 0; d < r->dims && together; d++)
            r->requests[(size_t)c->class_ * r->dims + d] += r->requests[(size_t)c->members[m] * r->dims + d] *
                                                            c->copies[m];
    }
    r->limits[c->class_] = together ? COPIES_UNLIMITED : 1;
    r->counts[c->class_] = together ? c->groups : c->pods * c->groups;
    r->bought[c->class_] = together ? bought / c->pods : bought;
    r->most[c->class_] = r->counts[c->class_];
    if (together) share_rows(k, x);
}

static bool fill_kinds(chooser *k)
{
    relaxed *r = k->r;
    uint32_t had = r->class_count;
    relaxed_choice *choices = arena_array(k->a, r->choice_count + k->kinds.count + 1, sizeof *choices);
    if (choices == NULL || !relaxed_widen(k->a, r, k->class_count)) return false;
    int64_t *most = arena_copy(k->a, r->counts, (k->class_count + (size_t)1) * sizeof *most);
    if (most == NULL) return false;
    if (r->choice_count > 0) memcpy(choices, r->choices, r->choice_count * sizeof *choices);
    if (r->most != NULL) memcpy(most, r->most, had * sizeof *most);
    r->choices = choices;
    r->most = most;
    for (size_t i = 0; i < k->kinds.count; i++) {
        if (k->kinds.items[i].c.class_ == NO_ID) continue;
        fill_kind(k, &k->kinds.items[i]);
        r->choices[r->choice_count++] = k->kinds.items[i].c;
    }
    return true;
}

static bool choose(chooser *k)
{
    if (!list_kinds(k)) return false;
    for (size_t i = 0; i < k->kinds.count; i++) {
        alike *x = &k->kinds.items[i];
        if ((!is_host(k->s, x) && !choose_domains(k, x)) || !number_classes(k, x)) return false;
    }
    return k->class_count == k->r->class_count || fill_kinds(k);
}

__attribute__((cold)) bool relaxed_choose(scheduler *s, arena *a, relaxed *r)
{
    if (!gang_loop_applies(s) || s->gangs == NULL || r->class_count >= RELAXED_CLASSES) return true;
    chooser k = { .s = s, .a = a, .r = r, .class_count = r->class_count };
    k.rows = r->offer_count + (size_t)r->node_count;
    k.row_words = bits_words(k.rows);
    words_init(&k.known, s->context);
    map64_init(&k.class_of, s->context);
    bool ok = choose(&k);
    words_free(&k.known);
    map64_free(&k.class_of);
    list_free(s->context, &k.pods, sizeof(confined));
    list_free(s->context, &k.kinds, sizeof(alike));
    return ok && !s->failed && !s->algebra.failed;
}
