/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that came up before while one catalogue is made: types share most of them, and what is shared is copied once. */
#ifndef AWS_SHARED_H
#define AWS_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include <karp/objects.h>

enum { AWS_SHARED = 512, AWS_SHARED_EVICTIONS = 64 };

/* Slots are overwritten when others need them; one whose list is NULL is free. All zero: empty. */
typedef struct aws_shared {
    struct {
        int64_t number;
        const karp_str *list;
    } numbers[AWS_SHARED];
    const karp_str *texts[AWS_SHARED];
    const karp_str *zone_lists[AWS_SHARED], *id_lists[AWS_SHARED]; /* by the bits of the zones */
    uint32_t zone_bits[AWS_SHARED];
    size_t zone_count[AWS_SHARED], id_count[AWS_SHARED];
    struct {
        int64_t vcpus, pods; /* all that it depends on in one catalogue */
        const karp_resource *list;
        size_t count;
    } kube_reserved[AWS_SHARED];
    struct {
        int64_t memory; /* 0 where the threshold is no part of it */
        uint64_t storage; /* the bits of the double */
        const karp_resource *list;
    } evictions[AWS_SHARED_EVICTIONS];
} aws_shared;

/* A slot for a number. */
static inline size_t aws_shared_slot(uint64_t number, size_t slots)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % slots;
}

#endif
