/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's arithmetic: capacity and overhead of an instance type under a node class. */
#pragma once

#include <providers/aws/facts.h>

/* Settings of the provider. */
typedef struct aws_options {
    double vm_memory_overhead; /* fraction of memory for the hypervisor; default 0.075 */
    int64_t reserved_enis;
} aws_options;

/* A cache of lists for one catalogue: types share most of their lists, so each list is copied only once. */
enum { AWS_SHARED = 512, AWS_SHARED_EVICTIONS = 64 };

/* Slots are overwritten when other lists need them; a slot without a list is free. All zero: empty. */
typedef struct aws_shared {
    struct {
        int64_t number;
        const karp_str *list;
    } numbers[AWS_SHARED];
    const karp_str *texts[AWS_SHARED];
    const karp_str *zone_lists[AWS_SHARED], *id_lists[AWS_SHARED]; /* by the bit set of zones */
    uint32_t zone_bits[AWS_SHARED];
    size_t zone_count[AWS_SHARED], id_count[AWS_SHARED];
    struct {
        int64_t vcpus, pods; /* the only input that varies within a catalogue */
        const karp_resource *list;
        size_t count;
    } kube_reserved[AWS_SHARED];
    struct {
        int64_t memory; /* 0 = the threshold does not depend on it */
        uint64_t storage; /* the bits of the double */
        const karp_resource *list;
    } evictions[AWS_SHARED_EVICTIONS];
} aws_shared;

/* The slot for a number. */
static inline size_t aws_shared_slot(uint64_t number, size_t slots)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % slots;
}

/* Fills capacity and overhead of `out`. A refused allocation sets s->failed. `shared` must be for the same scratch,
 * class and options. */
void aws_resources(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_options *options,
                   aws_shared *shared, karp_instance_type *out);

/* Whether `text` is a valid eviction threshold: a quantity or a percentage. */
bool aws_threshold_valid(karp_str text);

bool aws_is_windows(aws_family family);
