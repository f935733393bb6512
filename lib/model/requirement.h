/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label algebra: what values of one label key are allowed (a requirement), and for many keys at once (a set).
 *
 * Both are interned: equal ones have equal ids, so a scheduler compares and caches ids. The answers of the operations
 * are remembered per pair of ids. An algebra is prepared with the snapshot; every decision works on a copy of its own,
 * in which new requirements and sets appear.
 *
 * Keys and values are ids of the snapshot's string table. Lists of values are ordered by the strings' rank, that is, by
 * name. The hostname key never appears in a set: each node has its own, which would make every set unique. A
 * `demand` carries it beside the set.
 */
#ifndef MODEL_REQUIREMENT_H
#define MODEL_REQUIREMENT_H

#include <base/hash.h>

typedef struct requirement {
    uint32_t key;
    uint32_t min_values; /* 0 = none */
    int64_t gte, lte; /* inclusive; INT64_MIN and INT64_MAX when there is no bound */
    const uint32_t *values;
    uint32_t value_count;
    bool complement; /* the values are the excluded ones */
    bool has_gte, has_lte;
    bool min_zero; /* minValues is there, and is 0: it was relaxed to what there is */
} requirement;

/* A set's entry; ordered by key id. */
typedef struct set_entry {
    uint32_t key;
    uint32_t requirement;
} set_entry;

/* An integer that a string spells, if it does (Go's Atoi). */
typedef struct string_number {
    int64_t value;
    bool is_number;
} string_number;

/* What the algebra needs to know of strings; owned by the snapshot. */
typedef struct string_facts {
    const uint32_t *rank; /* id -> position by name */
    const string_number *numbers; /* id -> integer */
    const uint8_t *well_known; /* id -> the key is a well-known label */
    const uint32_t *normalized; /* id -> the key it stands for (itself, mostly) */
    uint32_t hostname; /* id of kubernetes.io/hostname */
    uint32_t count;
} string_facts;

enum { MOST_ORDERED = 64 };

/* How a list of requirements was put in the order of keys. */
typedef struct key_order {
    uint32_t count, keys[MOST_ORDERED]; /* of the list; 0 = none yet */
    uint8_t place[MOST_ORDERED]; /* in the list, by place in the order */
} key_order;

typedef struct algebra {
    karp_context *context;
    const string_facts *facts;
    arena data;
    const requirement *shared; /* those of the algebra that this is a copy of, which come first … */
    const uint32_t *shared_slots;
    size_t shared_count, shared_slot_count;
    requirement *own_requirements; /* … and its own */
    size_t requirement_count, requirement_capacity; /* count: of all; capacity: of its own */
    uint32_t *requirement_slots; /* of its own */
    size_t requirement_slot_count;
    words sets; /* words are set_entry pairs */
    map64 meets, overlaps; /* pairs of requirements */
    map64 set_meets, set_strict, set_lenient; /* pairs of sets */
    key_order last_order;
    bool failed; /* an allocation was refused: answers since then are meaningless */
} algebra;

enum { EMPTY_SET = 0 }; /* the set without entries */

enum { PAIRS_KEPT = 1 << 18 }; /* answers in one table */

/* Keeps an answer about a pair, which can be found again by looking: of thousands of pools times thousands of pods most pairs
 * are asked about once, and the tables would be all the memory there is. */
void algebra_keep(algebra *a, map64 *answers, uint64_t pair, bool answer);

/* Operators, by number as in the public header. */

/* false = out of memory. `copy_of` NULL makes an empty algebra. The copy shares the original's data, which must outlive it. The
 * original is no copy itself. */
bool algebra_init(algebra *a, karp_context *context, const string_facts *facts, const algebra *copy_of);
void algebra_free(algebra *a);

/* From an API expression; the key is normalised, values may repeat. NO_ID on refused memory (and `failed` is set). */
uint32_t requirement_make(algebra *a, uint32_t key, uint32_t op, const uint32_t *values, size_t count,
                          uint32_t min_values);
uint32_t requirement_in(algebra *a, uint32_t key, uint32_t value);
uint32_t requirement_find_in(const algebra *a, uint32_t key,
                             uint32_t value); /* the same, if it is there already; else NO_ID */
/* The same requirement with another minValues, which may be 0. */
uint32_t requirement_with_min_values(algebra *a, uint32_t id, uint32_t min_values);
static inline const requirement *requirement_get(const algebra *a, uint32_t id)
{
    return id < a->shared_count ? &a->shared[id] : &a->own_requirements[id - a->shared_count];
}

uint32_t requirement_op(const requirement *r); /* KARP_OP_IN, NOT_IN, EXISTS or DOES_NOT_EXIST */
static inline bool requirement_negative(const requirement *r) /* NotIn or DoesNotExist */
{
    return r->complement ? r->value_count > 0 : r->value_count == 0;
}
bool requirement_has(const algebra *a, const requirement *r, uint32_t value);
/* Whether a name that no string of the snapshot is (a new node's host name) is allowed. */
bool requirement_has_fresh(const requirement *r);

uint32_t requirement_meet(algebra *a, uint32_t x, uint32_t y); /* the intersection */
/* Of all of them, which are on one key; NO_ID = there are none. By halves, since every intersection is kept: of n requirements that
 * list a value each, n log n values and not n * n. */
uint32_t requirement_of_all(algebra *a, const uint32_t *ids, size_t count);
bool requirement_overlap(algebra *a, uint32_t x, uint32_t y); /* HasIntersection */
/* HasIntersection, or both only exclude: the test of Intersects, symmetric. */
bool requirement_agree(algebra *a, uint32_t x, uint32_t y);

/* Entries of a set, ordered by key. */
static inline const set_entry *set_entries(const algebra *a, uint32_t set, size_t *count)
{
    *count = a->sets.entries[set].count / 2;
    return (const set_entry *)(const void *)a->sets.entries[set].ptr;
}
uint32_t set_get(const algebra *a, uint32_t set, uint32_t key); /* requirement, or NO_ID = Exists */
uint32_t set_add(algebra *a, uint32_t set, uint32_t with); /* ∧ one requirement */
/* All of them together, without a set for every step on the way: each set that was ever made is kept. May put them in order. */
uint32_t set_of_all(algebra *a, uint32_t *ids, size_t count);
uint32_t set_replace(algebra *a, uint32_t set, uint32_t with); /* the key's entry becomes this one */
uint32_t set_remove(algebra *a, uint32_t set, uint32_t key);
uint32_t set_meet_of_two(algebra *a, uint32_t x, uint32_t y);
/* ∧ of two sets. Most pods ask nothing, which is answered without a call here and below. */
static inline uint32_t set_meet(algebra *a, uint32_t x, uint32_t y)
{
    return y == EMPTY_SET ? x : set_meet_of_two(a, x, y);
}
bool set_agree(algebra *a, uint32_t x, uint32_t y); /* Intersects, without its list of errors */
bool set_compatible_with_some(algebra *a, uint32_t supply, uint32_t asked, bool lenient);
/* Compatible: whether `supply` can meet what is `asked`; lenient = undefined well-known labels are acceptable. */
static inline bool set_compatible(algebra *a, uint32_t supply, uint32_t asked, bool lenient)
{
    return asked == EMPTY_SET || set_compatible_with_some(a, supply, asked, lenient);
}
/* The first key (by name) on which Compatible fails; *undefined tells whether the supply lacks it. NO_ID = none. */
uint32_t set_first_conflict(algebra *a, uint32_t supply, uint32_t asked, bool lenient, bool *undefined);

/* A set, and what it says about the host name. */
typedef struct demand {
    uint32_t set;
    uint32_t host; /* requirement, or NO_ID */
} demand;

/* ∧ one requirement, into the set or the host part. */
bool demand_add(algebra *a, demand *d, uint32_t with);
bool demand_meet(algebra *a, demand *d, demand with);

#endif
