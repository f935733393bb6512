/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of repeated values while one catalogue is copied. Texts, requirements, lists of requirements and overheads
 * are found by their addresses, whose contents cannot change during the call. Amounts and lists of amounts are found
 * by value. An entry is overwritten when another value needs its slot.
 */
#pragma once

#include <base/hash.h>
#include <karp/objects.h>
#include <model/store.h>

enum {
    REPEATED_TEXTS = 1024,
    REPEATED_REQUIREMENTS = 4096, /* AWS has 3,250 */
    REPEATED_LISTS = 512,
    REPEATED_AMOUNTS = 1024,
    REPEATED_CAPACITIES = 512,
    REPEATED_OVERHEADS = 512
};

typedef struct repeated_text {
    const char *ptr; /* NULL = free slot */
    size_t len;
    uint32_t id;
} repeated_text;

typedef struct repeated_requirement {
    karp_requirement given; /* key.ptr NULL = free slot */
    uint32_t number;
} repeated_requirement;

typedef struct repeated_list {
    const karp_requirement *list; /* NULL = free slot */
    size_t count;
    uint32_t number;
} repeated_list;

typedef struct repeated_amount {
    amount value;
    bool binary;
    karp_str text; /* ptr NULL = free slot */
} repeated_amount;

/* A list of amounts in its public form. For a capacity also the allocatable amounts after the overhead that was
 * subtracted last. */
typedef struct repeated_capacity {
    resource_list list; /* items NULL = free slot */
    const karp_resource *shown;
    const resource_amount *overhead;
    resource_list allocatable;
    const karp_resource *allocatable_shown;
} repeated_capacity;

typedef struct repeated_overhead {
    karp_overhead given; /* all pointers NULL = free slot */
    resource_list total;
    karp_overhead shown;
} repeated_overhead;

typedef struct repeats {
    repeated_text texts[REPEATED_TEXTS];
    repeated_requirement requirements[REPEATED_REQUIREMENTS];
    repeated_list lists[REPEATED_LISTS];
    repeated_amount amounts[REPEATED_AMOUNTS];
    repeated_capacity capacities[REPEATED_CAPACITIES];
    repeated_overhead overheads[REPEATED_OVERHEADS];
} repeats;

/* The only slot that a value can be in. The caller compares its contents, and overwrites them if they differ. */
static inline repeated_text *repeated_text_slot(repeats *r, karp_str text)
{
    return &r->texts[hash_mix((uint64_t)(uintptr_t)text.ptr ^ (uint64_t)text.len << 48) % REPEATED_TEXTS];
}

static inline repeated_requirement *repeated_requirement_slot(repeats *r, const karp_requirement *given)
{
    uint64_t values = (uint64_t)(uintptr_t)given->values ^ (uint64_t)given->value_count << 48 ^
                      (uint64_t)given->op << 60;
    return &r->requirements[hash_mix((uint64_t)(uintptr_t)given->key.ptr * 3 ^ values) % REPEATED_REQUIREMENTS];
}

static inline bool repeated_requirement_is(const repeated_requirement *met, const karp_requirement *given)
{
    const karp_requirement *was = &met->given;
    return was->key.ptr != NULL && was->key.ptr == given->key.ptr && was->key.len == given->key.len &&
           was->values == given->values && was->value_count == given->value_count && was->op == given->op &&
           was->min_values == given->min_values;
}

static inline repeated_list *repeated_list_slot(repeats *r, const karp_requirement *list)
{
    return &r->lists[hash_mix((uint64_t)(uintptr_t)list) % REPEATED_LISTS];
}

static inline repeated_overhead *repeated_overhead_slot(repeats *r, const karp_overhead *given)
{
    uint64_t lists = hash_mix((uint64_t)(uintptr_t)given->kube_reserved) ^
                     (uint64_t)(uintptr_t)given->eviction_threshold;
    return &r->overheads[hash_mix(lists) % REPEATED_OVERHEADS];
}

static inline bool repeated_overhead_is(const repeated_overhead *met, const karp_overhead *given)
{
    const karp_overhead *was = &met->given;
    return (given->kube_reserved || given->system_reserved || given->eviction_threshold) &&
           was->kube_reserved == given->kube_reserved && was->kube_reserved_count == given->kube_reserved_count &&
           was->system_reserved == given->system_reserved &&
           was->system_reserved_count == given->system_reserved_count &&
           was->eviction_threshold == given->eviction_threshold &&
           was->eviction_threshold_count == given->eviction_threshold_count;
}

static inline repeated_amount *repeated_amount_slot(repeats *r, amount value, bool binary)
{
    return &r->amounts[hash_mix(value.lo ^ hash_mix((uint64_t)value.hi << 1 | binary)) % REPEATED_AMOUNTS];
}

static inline repeated_capacity *repeated_capacity_slot(repeats *r, resource_list list)
{
    uint64_t hash = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        hash = hash_mix(hash ^ list.items[i].value.lo ^ (uint64_t)list.items[i].resource << 32 ^
                        (uint64_t)list.items[i].binary << 63);
    }
    return &r->capacities[hash % REPEATED_CAPACITIES];
}

static inline bool repeated_capacity_is(const repeated_capacity *met, resource_list list)
{
    if (met->list.items == NULL || met->list.count != list.count) return false;
    for (uint32_t i = 0; i < list.count; i++) {
        const resource_amount *x = &met->list.items[i], *y = &list.items[i];
        if (x->resource != y->resource || x->binary != y->binary || amount_cmp(x->value, y->value) != 0) return false;
    }
    return true;
}
