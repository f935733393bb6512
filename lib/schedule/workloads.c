/* SPDX-License-Identifier: Apache-2.0 */
/* The flavours of a queue: each NodePool, zone, capacity type and reservation with nodes, or that could launch some. */
#include <schedule/gang_domains.h>
#include <schedule/workloads.h>

#include <karp/admit.h>

#include <base/sort.h>
#include <schedule/scheduler.h>

void scheduler_set_workloads(scheduler *s, struct workloads *w) { s->workloads = w; }

/* ---- keys -------------------------------------------------------------------------------------------------------- */

enum { KEY_WORDS = 4 }; /* pool, zone, capacity type, reservation */

typedef struct listing {
    scheduler *s;
    uint32_t by;
    words keys;
    uint32_t *of_host; /* by host: its key */
    uint8_t *launches; /* by key */
} listing;

static uint32_t add_key(listing *l, uint32_t pool, uint32_t zone, uint32_t capacity_type, uint32_t reservation)
{
    bool by_reservation = (l->by & KARP_FLAVOUR_RESERVATION) && reservation != NO_TEXT &&
                          l->s->snapshot->raw.reservation_id != NO_TEXT;
    const uint32_t key[KEY_WORDS] = { l->by & KARP_FLAVOUR_NODE_POOL ? pool : NO_ID,
                                      l->by & KARP_FLAVOUR_ZONE ? zone : NO_ID,
                                      l->by & KARP_FLAVOUR_CAPACITY_TYPE ? capacity_type : NO_ID,
                                      by_reservation ? reservation : NO_ID };
    uint32_t id = words_add(&l->keys, key, KEY_WORDS);
    if (id == NO_ID) l->s->failed = true;
    return id;
}

/* What the NodePool could launch. */
static bool add_offerings(listing *l, const template_ *t)
{
    scheduler *s = l->s;
    uint32_t pool = s->snapshot->pool_names[t->pool].name;
    for (uint32_t i = 0; i < t->table->offering_count && !s->failed; i++) {
        const offering *o = &t->table->offerings[i];
        if (!o->available || o->variant == NO_ID || !bits_test(t->filtered, o->variant)) continue;
        if (!set_agree(&s->algebra, t->set, o->set)) continue;
        (void)add_key(l, pool, o->zone, o->capacity_type, o->reservation);
        if (!scheduler_worked(s, 64)) return false;
    }
    return !s->failed && !s->algebra.failed;
}

static bool list_keys(listing *l)
{
    scheduler *s = l->s;
    const karp_snapshot *snapshot = s->snapshot;
    for (uint32_t t = 0; t < s->templates.count; t++) {
        if (!add_offerings(l, &s->templates.items[t])) return false;
    }
    size_t launchable = l->keys.count;
    for (uint32_t h = 0; h < s->hosts.count && !s->failed; h++) {
        const state_node *n = &snapshot->nodes[s->hosts.items[h].node];
        uint32_t reservation = label_get(n->labels, snapshot->raw.reservation_id);
        l->of_host[h] = add_key(l, n->pool_name, n->zone, n->capacity_type, reservation);
    }
    l->launches = arena_array(&s->data, l->keys.count + 1, 1);
    if (l->launches == NULL || s->failed) return false;
    memset(l->launches, 1, launchable);
    return true;
}

/* ---- flavours ---------------------------------------------------------------------------------------------------- */

static int by_names(const void *x, const void *y, const void *user)
{
    const karp_snapshot *s = user;
    const flavour *a = x, *b = y;
    const uint32_t pairs[][2] = { { a->pool, b->pool },
                                  { a->zone, b->zone },
                                  { a->capacity_type, b->capacity_type },
                                  { a->reservation, b->reservation } };
    for (size_t i = 0; i < KEY_WORDS; i++) {
        if (pairs[i][0] == pairs[i][1]) continue;
        if (pairs[i][0] == NO_ID || pairs[i][1] == NO_ID) return pairs[i][0] == NO_ID ? 1 : -1; /* without one: last */
        int order = compare_str(text_of(s, pairs[i][0]), text_of(s, pairs[i][1]));
        if (order != 0) return order;
    }
    return 0;
}

/* What launches of the flavour have to meet. */
static uint32_t set_of(scheduler *s, const flavour *f)
{
    const karp_snapshot *snapshot = s->snapshot;
    const uint32_t pairs[][2] = { { snapshot->known.node_pool, f->pool },
                                  { snapshot->known.zone, f->zone },
                                  { snapshot->known.capacity_type, f->capacity_type },
                                  { snapshot->raw.reservation_id, f->reservation } };
    uint32_t set = EMPTY_SET;
    for (size_t i = 0; i < KEY_WORDS; i++) {
        if (pairs[i][1] == NO_ID) continue;
        set = set_add(&s->algebra, set,
                      requirement_in(&s->algebra, snapshot->facts.normalized[pairs[i][0]], pairs[i][1]));
    }
    return set;
}

static bool make(listing *l, struct workloads *w)
{
    scheduler *s = l->s;
    uint32_t count = (uint32_t)l->keys.count, used = 0;
    uint32_t *first = arena_array(&s->data, count + (size_t)1, sizeof *first);
    uint32_t *hosts = arena_array(&s->data, s->hosts.count + (size_t)1, sizeof *hosts);
    w->flavours = arena_array(&s->data, count + (size_t)1, sizeof *w->flavours);
    gang_domain *domains = arena_array(&s->data, count + (size_t)1, sizeof *domains);
    if (first == NULL || hosts == NULL || domains == NULL || w->flavours == NULL) return false;
    for (uint32_t h = 0; h < s->hosts.count; h++) first[l->of_host[h]]++;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *key = l->keys.entries[i].ptr;
        flavour *f = &w->flavours[i];
        *f = (flavour){ .pool = key[0],
                        .zone = key[1],
                        .capacity_type = key[2],
                        .reservation = key[3],
                        .launches = l->launches[i] != 0 };
        f->domain = &domains[i];
        *f->domain = (gang_domain){ .value = NO_TEXT,
                                    .claim = NO_ID,
                                    .set = f->launches ? set_of(s, f) : EMPTY_SET,
                                    .hosts = hosts + used,
                                    .host_count = first[i] };
        used += first[i];
        first[i] = used - first[i];
    }
    for (uint32_t h = 0; h < s->hosts.count; h++) hosts[first[l->of_host[h]]++] = h;
    w->flavour_count = count;
    return !s->algebra.failed &&
           sort_stable(s->context, w->flavours, count, sizeof *w->flavours, by_names, s->snapshot);
}

bool workloads_find_flavours(scheduler *s)
{
    struct workloads *w = s->workloads;
    listing l = { .s = s, .by = w->by };
    if (w->found || (w->by & ~(uint32_t)KARP_FLAVOUR_RESOURCE_FLAVOR) == 0) return true;
    words_init(&l.keys, s->context);
    l.of_host = arena_array(&s->data, s->hosts.count + (size_t)1, sizeof *l.of_host);
    bool ok = l.of_host != NULL && list_keys(&l) && make(&l, w);
    words_free(&l.keys);
    if (!ok) s->failed = true;
    w->found = ok;
    return ok;
}
