/* SPDX-License-Identifier: Apache-2.0 */
#include <base/hash.h>
#include <base/str.h>

#include <stdatomic.h>

#include <karp/library.h>

/* Odd numbers with about as many ones as zeros. */
#define SALT_A UINT64_C(0x9e6c63d0876a9a47)
#define SALT_B UINT64_C(0xd1b54a32d192ed03)
#define SALT_C UINT64_C(0x8cb92ba72f3d8dd7)

/* The exclusive or of the high and low half of the 128-bit product. */
static uint64_t fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(KARP_NO_INT128)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#else
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    return (a1 * b1 + (middle >> 32) + (other >> 32)) ^ (a * b);
#endif
}

static uint64_t load64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t load32(const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Both factors of every product depend on the seed. With a known factor a caller could force products to be zero. */
uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t key = seed ^ SALT_A, state = seed + SALT_B;
    size_t left = bytes;
    for (; left > 16; left -= 16, p += 16) state = fold(load64(p) ^ key, load64(p + 8) ^ state);
    uint64_t a = 0, b = 0;
    if (left >= 8) {
        a = load64(p);
        b = load64(p + left - 8);
    } else if (left >= 4) {
        a = load32(p);
        b = load32(p + left - 4);
    } else if (left > 0) {
        a = (uint64_t)p[0] << 16 | (uint64_t)p[left / 2] << 8 | p[left - 1];
    }
    return fold(fold(a ^ key, b ^ state) ^ key, (uint64_t)bytes ^ SALT_C);
}

static uint64_t go_hash_bytes(uint64_t h, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) h = h * UINT64_C(0x100000001b3) ^ (value >> 8 * i & 0xff);
    return h;
}

#define GO_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t go_hash_text(karp_str text)
{
    uint64_t h = GO_HASH_START;
    for (size_t i = 0; i < text.len; i++) h = go_hash_bytes(h, (unsigned char)text.ptr[i], 1);
    return h;
}

uint64_t go_hash_number(uint64_t value, size_t bytes) { return go_hash_bytes(GO_HASH_START, value, bytes); }

uint64_t go_hash_pair(uint64_t a, uint64_t b) { return go_hash_bytes(go_hash_number(a, 8), b, 8); }

void go_hash_field(uint64_t *h, const char *field, uint64_t value)
{
    *h = go_hash_number(*h ^ go_hash_pair(go_hash_text(str(field)), value), 8);
}

static uint64_t table_seed(const karp_context *context)
{
    return hash_mix(karp_context_get_options(context)->hash_seed ^ SALT_A);
}

/* Tables are at most two thirds full, and have at least this many slots. */
#define LEAST_SLOTS ((size_t)16)

static bool has_free_slots(size_t count, size_t slots) { return count < slots - slots / 3 - 1; }

/* The number of slots for one more entry. Slots have at least four bytes, so twice their number does not overflow. */
static size_t wanted_slots(size_t count, size_t slots)
{
    if (slots == 0) return LEAST_SLOTS;
    return has_free_slots(count, slots) ? slots : slots * 2;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

struct strings_base {
    karp_context *context; /* no reference: tables that use the base have one */
    _Atomic uint32_t references;
    struct string_entry *entries;
    size_t count, capacity;
    uint32_t *slots;
    size_t slot_count;
};

static void base_release(struct strings_base *b)
{
    if (b == NULL || atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) != 1) return;
    mem_free(b->context, b->entries, b->capacity * sizeof *b->entries);
    mem_free(b->context, b->slots, b->slot_count * sizeof *b->slots);
    mem_free(b->context, b, sizeof *b);
}

void strings_init(strings *s, karp_context *context)
{
    memset(s, 0, sizeof *s);
    s->context = context;
    arena_init(&s->text, context);
    s->seed = table_seed(context);
}

void strings_free(strings *s)
{
    if (s->context == NULL) return; /* zeroed, never initialized */
    mem_free(s->context, s->entries, s->capacity * sizeof *s->entries);
    mem_free(s->context, s->slots, s->slot_count * sizeof *s->slots);
    arena_free(&s->text);
    base_release(s->base);
    strings_init(s, s->context);
}

/* Copies a table's two arrays with their capacity. */
static bool copy_table(karp_context *context, const void *entries, size_t count, size_t capacity, size_t entry_bytes,
                       const uint32_t *slots, size_t slot_count, void **entries_out, uint32_t **slots_out)
{
    *entries_out = mem_alloc(context, capacity * entry_bytes);
    *slots_out = mem_alloc(context, slot_count * sizeof *slots);
    if (*entries_out == NULL || *slots_out == NULL) {
        mem_free(context, *entries_out, capacity * entry_bytes);
        mem_free(context, *slots_out, slot_count * sizeof *slots);
        return false;
    }
    memcpy(*entries_out, entries, count * entry_bytes);
    memcpy(*slots_out, slots, slot_count * sizeof *slots);
    return true;
}

static size_t own_count(const strings *s) { return s->count - s->below_count; }

bool strings_continue(strings *s, const strings *from)
{
    if (own_count(from) > 0) {
        void *entries;
        if (!copy_table(s->context, from->entries, own_count(from), from->capacity, sizeof *s->entries, from->slots,
                        from->slot_count, &entries, &s->slots)) {
            s->slots = NULL;
            return false;
        }
        s->entries = entries;
        s->capacity = from->capacity;
        s->slot_count = from->slot_count;
    }
    s->base = from->base;
    if (s->base != NULL) atomic_fetch_add_explicit(&s->base->references, 1, memory_order_relaxed);
    s->below = from->below;
    s->below_count = from->below_count;
    s->count = from->count;
    s->seed = from->seed;
    return true;
}

/* A slot has the number of an entry, from 1, and above it the part of the hash that does not choose the slot: entries
 * are far apart in memory, and few are looked at in vain. */
static uint32_t slot_of(uint32_t hash, size_t slot_count, size_t number)
{
    return (uint32_t)number | (hash & ~(uint32_t)(slot_count - 1));
}

static uint32_t number_in(uint32_t slot, size_t slot_count) { return slot & (uint32_t)(slot_count - 1); }

static size_t strings_slot(const struct string_entry *entries, const uint32_t *slots, size_t slot_count,
                           const char *text, size_t length, uint32_t hash)
{
    size_t mask = slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t slot = slots[i];
        if (slot == 0) return i;
        if (((slot ^ hash) & ~(uint32_t)mask) != 0) continue;
        const struct string_entry *e = &entries[number_in(slot, slot_count) - 1];
        if (e->hash == hash && e->len == length && (length == 0 || memcmp(e->ptr, text, length) == 0)) return i;
    }
}

static size_t free_slot(const uint32_t *slots, size_t slot_count, uint32_t hash)
{
    size_t i = hash & (slot_count - 1);
    while (slots[i] != 0) i = (i + 1) & (slot_count - 1);
    return i;
}

static void put_entries(uint32_t *slots, size_t slot_count, const struct string_entry *entries, size_t count)
{
    for (size_t id = 0; id < count; id++)
        slots[free_slot(slots, slot_count, entries[id].hash)] = slot_of(entries[id].hash, slot_count, id + 1);
}

static bool strings_widen(strings *s)
{
    size_t wanted = wanted_slots(own_count(s), s->slot_count);
    if (wanted == s->slot_count) return true;
    size_t bytes = 0;
    if (!size_mul(wanted, sizeof *s->slots, &bytes)) return false;
    uint32_t *slots = mem_zalloc(s->context, bytes);
    if (!slots) return false;
    put_entries(slots, wanted, s->entries, own_count(s));
    mem_free(s->context, s->slots, s->slot_count * sizeof *s->slots);
    s->slots = slots;
    s->slot_count = wanted;
    return true;
}

/* Finds the id in the shared part; NO_ID = not found. */
static uint32_t find_below(const strings *s, const char *text, size_t length, uint32_t hash)
{
    const struct strings_base *b = s->base;
    if (b == NULL) return NO_ID;
    uint32_t slot = b->slots[strings_slot(b->entries, b->slots, b->slot_count, text, length, hash)];
    return number_in(slot, b->slot_count) - 1; /* 0 - 1 is NO_ID */
}

uint32_t strings_add(strings *s, const char *text, size_t length)
{
    if (length > UINT32_MAX) return NO_ID;
    if (s->count >= NO_ID - 1) return NO_ID; /* never: in a test, which would need 64 GiB */
    uint32_t hash = (uint32_t)hash_bytes(text, length, s->seed), there = find_below(s, text, length, hash);
    if (there != NO_ID) return there;
    size_t slot = 0, slot_count = s->slot_count;
    if (slot_count > 0) {
        slot = strings_slot(s->entries, s->slots, slot_count, text, length, hash);
        if (s->slots[slot] != 0) return (uint32_t)s->below_count + number_in(s->slots[slot], slot_count) - 1;
    }
    if (!strings_widen(s)) return NO_ID;
    if (s->slot_count != slot_count) slot = free_slot(s->slots, s->slot_count, hash);
    if (!grow(s->context, (void **)&s->entries, &s->capacity, own_count(s) + 1, sizeof *s->entries)) return NO_ID;
    const char *copy = arena_string(&s->text, text, length);
    if (!copy) return NO_ID;
    s->entries[own_count(s)] = (struct string_entry){ copy, (uint32_t)length, hash };
    s->slots[slot] = slot_of(hash, s->slot_count, own_count(s) + 1);
    return (uint32_t)s->count++;
}

uint32_t strings_find(const strings *s, const char *text, size_t length)
{
    if (s->count == 0 || length > UINT32_MAX) return NO_ID;
    uint32_t hash = (uint32_t)hash_bytes(text, length, s->seed), there = find_below(s, text, length, hash);
    if (there != NO_ID || own_count(s) == 0) return there;
    size_t slot = strings_slot(s->entries, s->slots, s->slot_count, text, length, hash);
    if (s->slots[slot] == 0) return NO_ID;
    return (uint32_t)s->below_count + number_in(s->slots[slot], s->slot_count) - 1;
}

int by_string(uint32_t a, uint32_t b, const void *table)
{
    return compare_str(strings_get(table, a), strings_get(table, b));
}

/* Copies all entries to arrays of one base. */
static bool join_entries(const strings *s, struct strings_base *b)
{
    size_t slot_count = LEAST_SLOTS, entry_bytes, slot_bytes;
    while (!has_free_slots(s->count, slot_count)) slot_count *= 2;
    if (!size_mul(s->count, sizeof *b->entries, &entry_bytes) || !size_mul(slot_count, sizeof *b->slots, &slot_bytes))
        return false;
    struct string_entry *entries = mem_alloc(s->context, entry_bytes);
    uint32_t *slots = mem_zalloc(s->context, slot_bytes);
    if (entries == NULL || slots == NULL) {
        mem_free(s->context, entries, entry_bytes);
        mem_free(s->context, slots, slot_bytes);
        return false;
    }
    memcpy(entries, s->below, s->below_count * sizeof *entries);
    if (own_count(s) > 0) memcpy(entries + s->below_count, s->entries, own_count(s) * sizeof *entries);
    put_entries(slots, slot_count, entries, s->count);
    b->entries = entries;
    b->slots = slots;
    b->count = b->capacity = s->count;
    b->slot_count = slot_count;
    return true;
}

bool strings_settle(strings *s)
{
    enum { FEW = 64 };
    if (own_count(s) <= FEW + s->below_count / 32) return true;
    struct strings_base *b = mem_zalloc(s->context, sizeof *b);
    if (b == NULL) return false;
    b->context = s->context;
    atomic_init(&b->references, 1);
    if (s->base == NULL) { /* reuses its own arrays */
        b->entries = s->entries;
        b->slots = s->slots;
        b->count = s->count;
        b->capacity = s->capacity;
        b->slot_count = s->slot_count;
    } else {
        if (!join_entries(s, b)) {
            mem_free(s->context, b, sizeof *b);
            return false;
        }
        mem_free(s->context, s->entries, s->capacity * sizeof *s->entries);
        mem_free(s->context, s->slots, s->slot_count * sizeof *s->slots);
        base_release(s->base);
    }
    s->base = b;
    s->below = b->entries;
    s->below_count = b->count;
    s->entries = NULL;
    s->slots = NULL;
    s->capacity = s->slot_count = 0;
    return true;
}

/* ---- arrays of words --------------------------------------------------------------------------------------------- */

void words_init(words *w, karp_context *context)
{
    memset(w, 0, sizeof *w);
    w->context = context;
    arena_init(&w->data, context);
    w->seed = table_seed(context);
}

void words_free(words *w)
{
    if (w->context == NULL) return;
    if (w->shared_entries == NULL) mem_free(w->context, w->entries, w->capacity * sizeof *w->entries);
    if (w->shared_slots == NULL) mem_free(w->context, w->slots, w->slot_count * sizeof *w->slots);
    shared_array_unref(w->shared_entries);
    shared_array_unref(w->shared_slots);
    arena_free(&w->data);
    words_init(w, w->context);
}

bool words_settle(words *w)
{
    if (w->count == 0) return true;
    if (w->shared_entries == NULL)
        w->shared_entries = shared_array_new(w->context, w->entries, w->capacity * sizeof *w->entries);
    if (w->shared_slots == NULL)
        w->shared_slots = shared_array_new(w->context, w->slots, w->slot_count * sizeof *w->slots);
    return w->shared_entries != NULL && w->shared_slots != NULL;
}

/* Makes the arrays the table's own, before something is added. */
static bool words_own(words *w)
{
    if (w->shared_entries != NULL) {
        void *entries = shared_array_take(w->shared_entries, w->count * sizeof *w->entries);
        if (entries == NULL) return false;
        w->entries = entries;
        w->shared_entries = NULL;
    }
    if (w->shared_slots != NULL) {
        void *slots = shared_array_take(w->shared_slots, w->slot_count * sizeof *w->slots);
        if (slots == NULL) return false;
        w->slots = slots;
        w->shared_slots = NULL;
    }
    return true;
}

bool words_continue(words *w, const words *from)
{
    void *entries;
    if (from->count == 0) return true;
    if (from->shared_entries != NULL && from->shared_slots != NULL) {
        *w = *from;
        w->alone = false;
        arena_init(&w->data, w->context);
        (void)shared_array_ref(w->shared_entries);
        (void)shared_array_ref(w->shared_slots);
        return true;
    }
    if (!copy_table(w->context, from->entries, from->count, from->capacity, sizeof *w->entries, from->slots,
                    from->slot_count, &entries, &w->slots)) {
        w->slots = NULL;
        return false;
    }
    w->entries = entries;
    w->count = from->count;
    w->capacity = from->capacity;
    w->slot_count = from->slot_count;
    w->seed = from->seed;
    return true;
}

static size_t words_slot(const words *w, const uint32_t *data, size_t count, uint32_t hash)
{
    size_t mask = w->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t slot = w->slots[i];
        if (slot == 0) return i;
        const struct words_entry *e = &w->entries[slot - 1];
        if (e->hash == hash && e->count == count && (count == 0 || memcmp(e->ptr, data, count * sizeof *data) == 0))
            return i;
    }
}

static bool words_widen(words *w)
{
    size_t wanted = wanted_slots(w->count, w->slot_count);
    if (wanted == w->slot_count) return true;
    size_t bytes = 0;
    if (!size_mul(wanted, sizeof *w->slots, &bytes)) return false;
    uint32_t *slots = mem_zalloc(w->context, bytes);
    if (!slots) return false;
    for (size_t id = 0; id < w->count; id++) {
        size_t i = w->entries[id].hash & (wanted - 1);
        while (slots[i] != 0) i = (i + 1) & (wanted - 1);
        slots[i] = (uint32_t)(id + 1);
    }
    mem_free(w->context, w->slots, w->slot_count * sizeof *w->slots);
    w->slots = slots;
    w->slot_count = wanted;
    return true;
}

/* Whether something can be added to the shared arrays. */
static bool words_have_room(const words *w)
{
    return w->alone && w->shared_entries != NULL && w->shared_slots != NULL && w->count < w->capacity &&
           wanted_slots(w->count, w->slot_count) == w->slot_count && shared_array_owners(w->shared_entries) <= 2 &&
           shared_array_owners(w->shared_slots) <= 2;
}

uint32_t words_add(words *w, const uint32_t *data, size_t count)
{
    size_t bytes = 0;
    if (count > UINT32_MAX || !size_mul(count, sizeof *data, &bytes)) return NO_ID;
    if (w->count >= NO_ID - 1) return NO_ID; /* never: in a test, which would need 64 GiB */
    if (w->shared_entries != NULL || w->shared_slots != NULL) {
        uint32_t there = words_find(w, data, count);
        if (there != NO_ID || (!words_have_room(w) && !words_own(w))) return there;
    }
    if (!words_widen(w)) return NO_ID;
    uint32_t hash = (uint32_t)hash_bytes(data, bytes, w->seed);
    size_t slot = words_slot(w, data, count, hash);
    if (w->slots[slot] != 0) return w->slots[slot] - 1;
    if (!grow(w->context, (void **)&w->entries, &w->capacity, w->count + 1, sizeof *w->entries)) return NO_ID;
    uint32_t *copy = arena_alloc_aligned(&w->data, bytes, sizeof *data);
    if (!copy) return NO_ID;
    if (bytes > 0) memcpy(copy, data, bytes);
    uint32_t id = (uint32_t)w->count++;
    w->entries[id] = (struct words_entry){ copy, (uint32_t)count, hash };
    w->slots[slot] = id + 1;
    return id;
}

uint32_t words_find(const words *w, const uint32_t *data, size_t count)
{
    if (w->count == 0 || count > UINT32_MAX) return NO_ID;
    size_t slot = words_slot(w, data, count, (uint32_t)hash_bytes(data, count * sizeof *data, w->seed));
    return w->slots[slot] == 0 || w->slots[slot] > w->count ? NO_ID : w->slots[slot] - 1;
}

/* ---- 64-bit keys ------------------------------------------------------------------------------------------------- */

void map64_init(map64 *m, karp_context *context)
{
    memset(m, 0, sizeof *m);
    m->context = context;
    m->seed = table_seed(context);
}

void map64_free(map64 *m)
{
    if (m->context == NULL) return;
    mem_free(m->context, m->slots, m->slot_count * sizeof *m->slots);
    map64_init(m, m->context);
}

void map64_clear(map64 *m)
{
    if (m->slots) memset(m->slots, 0, m->slot_count * sizeof *m->slots);
    m->count = 0;
}

static struct map64_slot *map64_slot_of(const map64 *m, struct map64_slot *slots, size_t slot_count, uint64_t key)
{
    size_t mask = slot_count - 1;
    size_t i = (size_t)hash_mix(key ^ m->seed) & mask;
    while (slots[i].used && slots[i].key != key) i = (i + 1) & mask;
    return &slots[i];
}

static bool map64_widen(map64 *m)
{
    size_t wanted = wanted_slots(m->count, m->slot_count);
    if (wanted == m->slot_count) return true;
    size_t bytes = 0;
    if (!size_mul(wanted, sizeof *m->slots, &bytes)) return false;
    struct map64_slot *slots = mem_zalloc(m->context, bytes);
    if (!slots) return false;
    for (size_t i = 0; i < m->slot_count; i++) {
        if (m->slots[i].used) *map64_slot_of(m, slots, wanted, m->slots[i].key) = m->slots[i];
    }
    mem_free(m->context, m->slots, m->slot_count * sizeof *m->slots);
    m->slots = slots;
    m->slot_count = wanted;
    return true;
}

bool map64_put(map64 *m, uint64_t key, uint32_t value)
{
    if (!map64_widen(m)) return false;
    struct map64_slot *slot = map64_slot_of(m, m->slots, m->slot_count, key);
    if (!slot->used) m->count++;
    *slot = (struct map64_slot){ key, value, 1 };
    return true;
}
