/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing, and three hash tables: strings -> ids, arrays of words -> ids, 64-bit keys -> 32-bit values. Iteration is
 * in insertion order, and no decision depends on a hash value. The seed comes from the context
 * (karp_context_options.hash_seed).
 */
#pragma once

#include <base/memory.h>

#define NO_ID UINT32_MAX
static inline uint32_t mem_refused_id(bool *failed) { return mem_refused(failed) ? 0 : NO_ID; }

/* A fast 64-bit hash. The seed prevents precomputed collisions. */
uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed);
static inline uint64_t hash_mix(uint64_t a)
{
    a ^= a >> 32;
    a *= UINT64_C(0xe9846af9b1a615d);
    a ^= a >> 32;
    a *= UINT64_C(0xe9846af9b1a615d);
    a ^= a >> 28;
    return a;
}

/* The hash of Go values that Karpenter stores on objects (64-bit FNV-1 over what a library finds in structs): of a
 * text; of the lowest bytes of a number; of two values in order. go_hash_field() adds a field to the hash of its
 * struct, which begins with that of the type's name. */
uint64_t go_hash_text(karp_str text);
uint64_t go_hash_number(uint64_t value, size_t bytes);
uint64_t go_hash_pair(uint64_t a, uint64_t b);
void go_hash_field(uint64_t *h, const char *field, uint64_t value);

/* Interned strings. Looking up the text of an id is an array access. Ids count from 0 in insertion order. A table
 * that continues another one shares most strings with it; they are in `below`. Only strings added later are its own. */
typedef struct strings {
    karp_context *context;
    arena text;
    const struct string_entry {
        const char *ptr;
        uint32_t len;
        uint32_t hash;
    } * below; /* the strings with the lowest ids */
    size_t below_count;
    struct strings_base *base; /* reference-counted owner of `below`; NULL = none */
    struct string_entry *entries; /* the other strings */
    size_t count, capacity; /* count: all strings; capacity: of `entries` */
    uint32_t *slots; /* index in `entries` + 1, and a part of the hash; 0 = free */
    size_t slot_count;
    uint64_t seed;
} strings;

void strings_init(strings *s, karp_context *context);
void strings_free(strings *s);
/* Moves own strings to the shared part, if there are so many that tables continuing this one should not copy them.
 * false = out of memory, nothing changed. */
bool strings_settle(strings *s);
/* Makes a new table continue `from`: the same texts have the same ids. The texts stay in from's memory. false = out
 * of memory. */
bool strings_continue(strings *s, const strings *from);
uint32_t strings_add(strings *s, const char *text, size_t length); /* NO_ID = out of memory */
uint32_t strings_find(const strings *s, const char *text, size_t length); /* NO_ID = not found */
static inline karp_str strings_get(const strings *s, uint32_t id)
{
    const struct string_entry *e = id < s->below_count ? &s->below[id] : &s->entries[id - s->below_count];
    return (karp_str){ e->ptr, e->len };
}
int by_string(uint32_t a, uint32_t b, const void *table); /* compares ids of a table by their texts */

/* Interned arrays of 32-bit words. A settled table shares its arrays with tables that continue it, until one of them
 * adds an entry. */
typedef struct words {
    karp_context *context;
    arena data;
    struct words_entry {
        const uint32_t *ptr;
        uint32_t count;
        uint32_t hash;
    } * entries;
    size_t count, capacity;
    uint32_t *slots;
    size_t slot_count;
    shared_array *shared_entries, *shared_slots; /* shared ownership of the two arrays; NULL = not shared */
    /* Nobody but its user reads the table that this one continues: while both arrays have room, they take what is
     * added although they are shared. The other table does not find it. */
    bool alone;
    uint64_t seed;
} words;

void words_init(words *w, karp_context *context);
void words_free(words *w);
bool words_settle(words *w); /* like strings_settle(), for any number of entries */
bool words_continue(words *w, const words *from); /* like strings_continue() */
uint32_t words_add(words *w, const uint32_t *data, size_t count); /* NO_ID = out of memory */
uint32_t words_find(const words *w, const uint32_t *data, size_t count); /* NO_ID = not found */

/* 64-bit key -> 32-bit value, with open addressing. Any key is allowed. */
typedef struct map64 {
    karp_context *context;
    struct map64_slot {
        uint64_t key;
        uint32_t value;
        uint32_t used;
    } * slots;
    size_t slot_count, count;
    uint64_t seed;
} map64;

void map64_init(map64 *m, karp_context *context);
void map64_free(map64 *m);
void map64_clear(map64 *m);
bool map64_put(map64 *m, uint64_t key, uint32_t value); /* replaces an existing value; false = out of memory */
/* NO_ID = not found, so NO_ID cannot be stored as a value. */
static inline uint32_t map64_get(const map64 *m, uint64_t key)
{
    if (m->slot_count == 0) return NO_ID;
    size_t mask = m->slot_count - 1;
    for (size_t i = (size_t)hash_mix(key ^ m->seed) & mask;; i = (i + 1) & mask) {
        if (!m->slots[i].used) return NO_ID;
        if (m->slots[i].key == key) return m->slots[i].value;
    }
}
static inline uint64_t pair_key(uint32_t a, uint32_t b) { return ((uint64_t)a << 32) | b; }
