/* SPDX-License-Identifier: Apache-2.0 */
#include <model/store_pods.h>

#include <base/sort.h>

/* An entry of the hash table. */
typedef struct pod_slot {
    uint32_t hash;
    uint32_t pod; /* pod number + 1; 0 = free */
} pod_slot;

enum { LEAST_SLOTS = 16, NAMES_LOOKED_AT = 8 };
#define TAKEN_OUT UINT32_MAX /* a slot whose pod was removed: searches continue behind it */

static uint32_t hash_of(const store *s, uint32_t name_space, uint32_t name)
{
    return (uint32_t)hash_mix(pair_key(name_space, name) ^ s->names.seed);
}

static const pod_slot *slot_at(const store *s, size_t i) { return paged_at(&s->pod_slots, i, sizeof(pod_slot)); }

/* The pod's slot in the table, or the slot in which to insert it. */
static size_t slot_by_hash(const store *s, uint32_t hash, uint32_t name_space, uint32_t name, bool *there)
{
    size_t mask = s->pod_slots.count - 1, open = SIZE_MAX;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        const pod_slot *slot = slot_at(s, i);
        if (slot->pod == TAKEN_OUT) {
            if (open == SIZE_MAX) open = i;
            continue;
        }
        *there = false;
        if (slot->pod == 0) return open == SIZE_MAX ? i : open;
        if (slot->hash != hash) continue;
        const pod *p = pod_at(s, slot->pod - 1);
        *there = p->name_space == name_space && p->name == name;
        if (*there) return i;
    }
}

static size_t slot_of(const store *s, uint32_t name_space, uint32_t name, bool *there)
{
    return slot_by_hash(s, hash_of(s, name_space, name), name_space, name, there);
}

void store_pods_init(store *s)
{
    paged_init(&s->pods, s->context, sizeof(pod));
    paged_init(&s->pods_shown, s->context, sizeof(karp_str));
    paged_init(&s->pod_slots, s->context, sizeof(pod_slot));
    memset(&s->open_places, 0, sizeof s->open_places);
    memset(&s->changed, 0, sizeof s->changed);
    s->pod_slots_used = s->pods_slotted = 0;
}

void store_pods_settle(store *s)
{
    list_free(s->context, &s->open_places, sizeof(uint32_t));
    list_free(s->context, &s->changed, sizeof(uint32_t));
}

void store_pods_free(store *s)
{
    paged_free(&s->pods);
    paged_free(&s->pods_shown);
    paged_free(&s->pod_slots);
    store_pods_settle(s);
}

bool store_pods_continue(store *s, const store *from)
{
    if (!paged_continue(&s->pods, &from->pods) || !paged_continue(&s->pods_shown, &from->pods_shown)) return false;
    if (!paged_continue(&s->pod_slots, &from->pod_slots)) return false;
    s->pod_slots_used = from->pod_slots_used;
    while (s->pods.count > 0 && (pod_at(s, s->pods.count - 1)->flags & POD_VIRTUAL))
        store_set_pod_count(s, s->pods.count - 1);
    s->pods_slotted = s->pods.count;
    return true;
}

void store_set_pod_count(store *s, size_t count) { s->pods.count = s->pods_shown.count = count; }

uint32_t store_find_pod(const store *s, uint32_t name_space, uint32_t name)
{
    bool there;
    if (s->pod_slots.count == 0) return NO_ID;
    size_t at = slot_of(s, name_space, name, &there);
    return there ? slot_at(s, at)->pod - 1 : NO_ID;
}

size_t store_pod_count(const store *s) { return s->pods.count - s->open_places.count; }

/* Rebuilds the table with twice the size, or with the same size if most slots belong to removed pods. */
static bool renew_slots(store *s)
{
    paged fresh;
    size_t wanted = LEAST_SLOTS, slots = s->pod_slots.count;
    while (wanted / 2 < store_pod_count(s) + 1) wanted *= 2;
    paged_init(&fresh, s->context, sizeof(pod_slot));
    if (!paged_fill(&fresh, wanted)) return false;
    size_t used = 0;
    for (size_t i = 0; i < slots; i++) {
        const pod_slot *slot = slot_at(s, i);
        if (slot->pod == 0 || slot->pod == TAKEN_OUT) continue;
        size_t at = slot->hash & (wanted - 1);
        pod_slot *to = paged_at(&fresh, at, sizeof *to);
        while (to->pod != 0) {
            at = (at + 1) & (wanted - 1);
            to = paged_at(&fresh, at, sizeof *to);
        }
        *to = *slot;
        used++;
    }
    paged_free(&s->pod_slots);
    s->pod_slots = fresh;
    s->pod_slots_used = used;
    return true;
}

static bool reserve_slot(store *s)
{
    size_t slots = s->pod_slots.count;
    return (slots > 0 && s->pod_slots_used < slots - slots / 3 - 1) || renew_slots(s);
}

bool store_index_pods(store *s)
{
    enum { AHEAD = 8 };
    if (s->pods_slotted >= s->pods.count) return true;
    size_t more = s->pods.count - s->pods_slotted, slots = s->pod_slots.count;
    if ((slots == 0 || s->pod_slots_used + more > slots - slots / 3 - 1) && !renew_slots(s)) return false;
    uint32_t hashes[AHEAD];
    size_t mask = s->pod_slots.count - 1, first = s->pods_slotted;
    for (size_t i = first; i < s->pods.count + AHEAD; i++) {
        bool there;
        uint32_t *hash = &hashes[i % AHEAD];
        if (i >= first + AHEAD) {
            const pod *p = pod_at(s, i - AHEAD);
            pod_slot *slot = paged_at(&s->pod_slots, slot_by_hash(s, *hash, p->name_space, p->name, &there),
                                      sizeof *slot);
            if (slot->pod == 0) s->pod_slots_used++;
            *slot = (pod_slot){ *hash, (uint32_t)(i - AHEAD) + 1 };
        }
        if (i >= s->pods.count) continue;
        *hash = hash_of(s, pod_at(s, i)->name_space, pod_at(s, i)->name);
        __builtin_prefetch(slot_at(s, *hash & mask));
    }
    s->pods_slotted = s->pods.count;
    return true;
}

/* Changes are recorded only in a store that continues another one. */
static bool reserve_change(store *s)
{
    return !s->pods.continued || list_reserve(s->context, &s->changed, sizeof(uint32_t));
}

static void note_change(store *s, uint32_t number)
{
    if (s->pods.continued) s->changed.items[s->changed.count++] = number;
}

/* Chooses a gap for a pod: one with the pod's name if it is among the last gaps, else the last gap. */
static size_t choose_place(const store *s, const pod *p)
{
    size_t count = s->open_places.count, least = count > NAMES_LOOKED_AT ? count - NAMES_LOOKED_AT : 0;
    for (size_t i = count; i-- > least;) {
        const pod *was = pod_at(s, s->open_places.items[i]);
        if (was->name_space == p->name_space && was->name == p->name) return i;
    }
    return count - 1;
}

static bool own_place(store *s, uint32_t number)
{
    return paged_own(&s->pods, number) != NULL && paged_own(&s->pods_shown, number) != NULL;
}

/* The number that the pod will get; NO_ID = out of memory. */
static uint32_t reserve_place(store *s, const pod *p, size_t *open)
{
    if (s->open_places.count == 0)
        return paged_reserve(&s->pods) && paged_reserve(&s->pods_shown) ? (uint32_t)s->pods.count : NO_ID;
    *open = choose_place(s, p);
    uint32_t number = s->open_places.items[*open];
    return own_place(s, number) ? number : NO_ID;
}

/* Writes to a place on a page that the store owns. */
static void write_pod(store *s, uint32_t number, const pod *p, karp_str shown)
{
    *(pod *)paged_at(&s->pods, number, sizeof *p) = *p;
    *(karp_str *)paged_at(&s->pods_shown, number, sizeof shown) = shown;
}

bool store_put_virtual_pod(store *s, const pod *p, karp_str shown)
{
    if (!paged_reserve(&s->pods) || !paged_reserve(&s->pods_shown)) return false;
    store_set_pod_count(s, s->pods.count + 1);
    write_pod(s, (uint32_t)s->pods.count - 1, p, shown);
    return true;
}

bool store_put_pod(store *s, const pod *p, karp_str shown)
{
    bool there, later = !s->pods.continued && s->open_places.count == 0;
    size_t open = 0;
    if (!later && (!store_index_pods(s) || !reserve_slot(s) || !reserve_change(s))) return false;
    uint32_t number = reserve_place(s, p, &open);
    if (number == NO_ID) return false;
    if (later) {
        store_set_pod_count(s, s->pods.count + 1);
        write_pod(s, number, p, shown);
        return true;
    }
    uint32_t hash = hash_of(s, p->name_space, p->name);
    pod_slot *slot = paged_own(&s->pod_slots, slot_by_hash(s, hash, p->name_space, p->name, &there));
    if (slot == NULL) return false;
    if (number == s->pods.count) store_set_pod_count(s, s->pods.count + 1);
    else s->open_places.items[open] = s->open_places.items[--s->open_places.count];
    note_change(s, number);
    write_pod(s, number, p, shown);
    if (slot->pod == 0) s->pod_slots_used++;
    *slot = (pod_slot){ hash, number + 1 };
    s->pods_slotted = s->pods.count;
    return true;
}

pod *store_change_pod(store *s, uint32_t number)
{
    pod *p = reserve_change(s) ? paged_own(&s->pods, number) : NULL;
    if (p != NULL) note_change(s, number);
    return p;
}

bool store_take_pod(store *s, uint32_t number)
{
    bool there;
    if (!reserve_change(s) || !list_reserve(s->context, &s->open_places, sizeof(uint32_t))) return false;
    const pod *p = pod_at(s, number);
    pod_slot *slot = paged_own(&s->pod_slots, slot_of(s, p->name_space, p->name, &there));
    if (slot == NULL || !own_place(s, number)) return false;
    slot->pod = TAKEN_OUT;
    note_change(s, number);
    s->open_places.items[s->open_places.count++] = number;
    return true;
}

/* Moves the last pod to a gap. */
static bool move_last(store *s, uint32_t to)
{
    bool there;
    uint32_t last = (uint32_t)s->pods.count - 1;
    const pod *p = pod_at(s, last);
    size_t at = slot_of(s, p->name_space, p->name, &there);
    pod_slot *slot = paged_own(&s->pod_slots, at);
    if (slot == NULL || !own_place(s, to) || !reserve_change(s)) return false;
    write_pod(s, to, pod_at(s, last), *(const karp_str *)paged_at(&s->pods_shown, last, sizeof(karp_str)));
    slot->pod = to + 1;
    note_change(s, last);
    return true;
}

bool store_close_gaps(store *s)
{
    if (!store_index_pods(s)) return false;
    uint32_t *open = s->open_places.items;
    if (!sort_numbers(s->context, open, s->open_places.count)) return false;
    for (; s->open_places.count > 0; s->open_places.count--) { /* the last gap: only pods follow it */
        uint32_t place = open[s->open_places.count - 1];
        if (place + 1 != s->pods.count && !move_last(s, place)) return false;
        store_set_pod_count(s, s->pods.count - 1);
    }
    s->pods_slotted = s->pods.count;
    return true;
}
