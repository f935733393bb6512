/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label algebra: the allowed values of one label key (a requirement), and of several keys (a set).
 *
 * Both are interned. Equal ones have equal ids, so a scheduler compares and caches ids. Results of operations are
 * cached per pair of ids. The snapshot prepares one algebra. Every decision works on its own copy, to which it adds
 * new requirements and sets.
 *
 * Keys and values are ids of the snapshot's string table. Lists of values are sorted by the strings' rank, that is,
 * by name. The key kubernetes.io/hostname never appears in a set: each node has its own value, which would make every
 * set unique. A `demand` has it beside the set.
 */
#pragma once

#include <base/admit.h>
#include <base/hash.h>

typedef struct requirement {
    uint32_t key;
    uint32_t min_values; /* 0 = none */
    int64_t gte, lte; /* inclusive; INT64_MIN and INT64_MAX = no bound */
    const uint32_t *values;
    uint32_t value_count;
    bool complement; /* the values are excluded, all others allowed */
    bool has_gte, has_lte;
    bool min_zero; /* minValues is present and 0, because it was relaxed to the number of available values */
} requirement;

/* An entry of a set. Entries are sorted by key id. */
typedef struct set_entry {
    uint32_t key;
    uint32_t requirement;
} set_entry;

/* The properties of strings that the algebra uses; owned by the snapshot. */
typedef struct string_facts {
    const uint32_t *rank; /* id -> position by name */
    const string_number *numbers; /* id -> integer */
    const uint8_t *well_known; /* id -> the key is a well-known label */
    const uint32_t *normalized; /* id -> the normalized key, mostly itself */
    uint32_t hostname; /* id of kubernetes.io/hostname */
    uint32_t count;
} string_facts;

enum { MOST_ORDERED = 64 };

/* The order by key of the list that was sorted last. */
typedef struct key_order {
    uint32_t count, keys[MOST_ORDERED]; /* keys of the list; count 0 = none yet */
    uint8_t place[MOST_ORDERED]; /* by position in the order: index in the list */
} key_order;

typedef struct algebra {
    karp_context *context;
    const string_facts *facts;
    arena data;
    const requirement *shared; /* the requirements of the algebra that this is a copy of; they have the lower ids */
    const uint32_t *shared_slots;
    size_t shared_count, shared_slot_count;
    requirement *own_requirements; /* its own requirements, which follow */
    size_t requirement_count, requirement_capacity; /* count: all requirements; capacity: of own_requirements */
    uint32_t *requirement_slots; /* for own requirements */
    size_t requirement_slot_count;
    words sets; /* words are set_entry pairs */
    map64 meets, overlaps; /* cached results for pairs of requirements */
    map64 set_meets, set_strict, set_lenient; /* cached results for pairs of sets */
    key_order last_order;
    bool failed; /* an allocation failed; results since then are invalid */
} algebra;

enum { EMPTY_SET = 0 }; /* the set without entries */

enum { PAIRS_KEPT = 1 << 18 }; /* most results in one cache */

/* Caches the result for a pair. The cache has a maximum size: with thousands of NodePools and pods, most pairs are
 * looked up only once and would use up all memory. */
void algebra_keep(algebra *a, map64 *answers, uint64_t pair, bool answer);

/* Operators have the numbers of the public header. */

/* Initializes an empty algebra if `copy_of` is NULL, else a copy. The copy shares the original's data, so the
 * original must outlive it. The original must not be a copy itself. false = out of memory. */
bool algebra_init(algebra *a, karp_context *context, const string_facts *facts, const algebra *copy_of);
void algebra_free(algebra *a);

/* From an expression of the API. The key is normalized; values may repeat. NO_ID = out of memory (and `failed` is
 * set). */
uint32_t requirement_make(algebra *a, uint32_t key, uint32_t op, const uint32_t *values, size_t count,
                          uint32_t min_values);
uint32_t requirement_in(algebra *a, uint32_t key, uint32_t value);
/* The same, if it exists already, else NO_ID. */
uint32_t requirement_find_in(const algebra *a, uint32_t key, uint32_t value);
/* The same requirement with a different minValues, which may be 0. */
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
/* Whether a value is allowed that is no string of the snapshot, such as a new node's host name. */
bool requirement_has_fresh(const requirement *r);

uint32_t requirement_meet(algebra *a, uint32_t x, uint32_t y); /* the intersection */
/* The intersection of all, which have the same key; NO_ID = the list is empty. Combined in halves because every
 * intersection is kept: n requirements with one value each produce n log n values instead of n * n. */
uint32_t requirement_of_all(algebra *a, const uint32_t *ids, size_t count);
bool requirement_overlap(algebra *a, uint32_t x, uint32_t y); /* HasIntersection */
/* HasIntersection, or both are negative: the comparison in Karpenter's Intersects. Symmetric. */
bool requirement_agree(algebra *a, uint32_t x, uint32_t y);

/* Entries of a set, ordered by key. */
static inline const set_entry *set_entries(const algebra *a, uint32_t set, size_t *count)
{
    *count = a->sets.entries[set].count / 2;
    return (const set_entry *)(const void *)a->sets.entries[set].ptr;
}
uint32_t set_get(const algebra *a, uint32_t set, uint32_t key); /* requirement; NO_ID = any value */
uint32_t set_add(algebra *a, uint32_t set, uint32_t with); /* intersection with one requirement */
/* The intersection of all requirements, without creating a set for each step, since sets are never freed. May reorder
 * `ids`. */
uint32_t set_of_all(algebra *a, uint32_t *ids, size_t count);
uint32_t set_replace(algebra *a, uint32_t set, uint32_t with); /* replaces the entry of the requirement's key */
uint32_t set_remove(algebra *a, uint32_t set, uint32_t key);
uint32_t set_meet_of_two(algebra *a, uint32_t x, uint32_t y);
/* The intersection of two sets. Most pods have no requirements, so the empty set is handled inline, here and below. */
static inline uint32_t set_meet(algebra *a, uint32_t x, uint32_t y)
{
    return y == EMPTY_SET ? x : set_meet_of_two(a, x, y);
}
bool set_agree(algebra *a, uint32_t x, uint32_t y); /* Karpenter's Intersects, without its list of errors */
bool set_compatible_with_some(algebra *a, uint32_t supply, uint32_t required, bool lenient);
/* Karpenter's Compatible: whether `supply` can satisfy `required`. lenient = undefined well-known labels are allowed.
 */
static inline bool set_compatible(algebra *a, uint32_t supply, uint32_t required, bool lenient)
{
    return required == EMPTY_SET || set_compatible_with_some(a, supply, required, lenient);
}
/* The first key, by name, for which Compatible fails. *undefined: the key is missing in `supply`. NO_ID = none. */
uint32_t set_first_conflict(algebra *a, uint32_t supply, uint32_t required, bool lenient, bool *undefined);

/* A set and a requirement on the host name. */
typedef struct demand {
    uint32_t set;
    uint32_t host; /* requirement on the host name, or NO_ID */
} demand;

/* Adds one requirement, to the set or to the host name. */
bool demand_add(algebra *a, demand *d, uint32_t with);
bool demand_meet(algebra *a, demand *d, demand with);
