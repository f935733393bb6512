/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came up before while one catalogue is copied: texts, lists of values, lists of requirements and overheads by their addresses,
 * which cannot change during the call, and the texts of amounts by their values. Slots are overwritten when others need them.
 */
#ifndef MODEL_REPEATS_H
#define MODEL_REPEATS_H

#include <base/hash.h>
#include <karp/objects.h>
#include <model/store.h>

enum { REPEATED_TEXTS = 1024, REPEATED_VALUES = 1024, REPEATED_LISTS = 128, REPEATED_AMOUNTS = 1024, REPEATED_OVERHEADS = 256 };

typedef struct repeated_text {
    const char *ptr; /* NULL: the slot is free */
    size_t len;
    uint32_t id;
} repeated_text;

typedef struct repeated_values {
    const karp_str *values; /* NULL: the slot is free */
    size_t count;
    const uint32_t *copy;
    const karp_str *shown; /* NULL: not shown yet */
} repeated_values;

typedef struct repeated_list {
    const karp_requirement *list; /* NULL: the slot is free */
    size_t count;
    expression_list copy;
    const karp_requirement *shown;
} repeated_list;

typedef struct repeated_amount {
    amount value;
    bool binary;
    karp_str text; /* ptr NULL: the slot is free */
} repeated_amount;

typedef struct repeated_overhead {
    karp_overhead given; /* all pointers NULL: the slot is free */
    resource_list total;
    karp_overhead shown;
} repeated_overhead;

typedef struct repeats {
    repeated_text texts[REPEATED_TEXTS];
    repeated_values values[REPEATED_VALUES];
    repeated_list lists[REPEATED_LISTS];
    repeated_amount amounts[REPEATED_AMOUNTS];
    repeated_overhead overheads[REPEATED_OVERHEADS];
} repeats;

/* The slots in which such a thing is, if anywhere: the caller compares, and fills them in. */
static inline repeated_text *repeated_text_slot(repeats *r, karp_str text)
{
    return &r->texts[hash_mix((uint64_t)(uintptr_t)text.ptr ^ (uint64_t)text.len << 48) % REPEATED_TEXTS];
}

static inline repeated_values *repeated_values_slot(repeats *r, const karp_str *values, size_t count)
{
    return &r->values[hash_mix((uint64_t)(uintptr_t)values ^ (uint64_t)count << 48) % REPEATED_VALUES];
}

static inline bool repeated_values_are(const repeated_values *met, const karp_str *values, size_t count)
{
    return values != NULL && met->values == values && met->count == count;
}

static inline repeated_list *repeated_list_slot(repeats *r, const karp_requirement *list, size_t count)
{
    return &r->lists[hash_mix((uint64_t)(uintptr_t)list ^ (uint64_t)count << 48) % REPEATED_LISTS];
}

static inline repeated_overhead *repeated_overhead_slot(repeats *r, const karp_overhead *given)
{
    uint64_t lists = hash_mix((uint64_t)(uintptr_t)given->kube_reserved) ^ (uint64_t)(uintptr_t)given->eviction_threshold;
    return &r->overheads[hash_mix(lists) % REPEATED_OVERHEADS];
}

static inline bool repeated_overhead_is(const repeated_overhead *met, const karp_overhead *given)
{
    const karp_overhead *was = &met->given;
    return (given->kube_reserved || given->system_reserved || given->eviction_threshold) &&
           was->kube_reserved == given->kube_reserved && was->kube_reserved_count == given->kube_reserved_count &&
           was->system_reserved == given->system_reserved && was->system_reserved_count == given->system_reserved_count &&
           was->eviction_threshold == given->eviction_threshold && was->eviction_threshold_count == given->eviction_threshold_count;
}

static inline repeated_amount *repeated_amount_slot(repeats *r, amount value, bool binary)
{
    return &r->amounts[hash_mix(value.lo ^ hash_mix((uint64_t)value.hi << 1 | binary)) % REPEATED_AMOUNTS];
}

#endif
