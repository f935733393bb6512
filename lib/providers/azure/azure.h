/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's provider: an open handle, a node class, and the arithmetic between them. */
#ifndef AZURE_AZURE_H
#define AZURE_AZURE_H

#include <providers/azure/sizes.h>

#define AZURE_GROUP "karpenter.azure.com/"

enum { AZURE_ZONES = 3 };

typedef struct azure_mark {
    char capacity_type[16], size[64], zone[48], family[16]; /* "" = any */
    int64_t until;
} azure_mark;

typedef struct azure_handle {
    const karp_allocator *allocator;
    char region[32];
    char zones[AZURE_ZONES][48]; /* region-1 … */
    int64_t max_pods;
    double overhead; /* part of memory */
    double *on_demand, *spot; /* by size; negative = not known */
    azure_mark *marks;
    size_t mark_count, mark_capacity;
    uint64_t generation;
} azure_handle;

/* An AKSNodeClass. */
typedef struct azure_class {
    int64_t disk_gb; /* 0 = not stated */
    int64_t max_pods; /* 0 = not stated */
    uint64_t hash;
} azure_class;

extern const azure_class azure_plain;

/* Milli-CPUs and MiB that AKS keeps for the kubelet. */
int64_t azure_reserved_cpu(int64_t vcpus);
int64_t azure_reserved_memory(double gib);
/* Bytes of memory of a VM, less what the hypervisor takes. */
int64_t azure_memory(int64_t gib, double overhead);

/* types.c: all types of the class. */
uint32_t azure_instance_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                              const karp_instance_type **types, size_t *count, karp_provider_problem *problem);
uint32_t azure_labels(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem);

/* marks.c */
uint32_t azure_mark_add(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                        karp_provider_problem *problem);
void azure_marks_expire(void *handle, int64_t now);
bool azure_marked(const azure_handle *h, const char *capacity_type, const char *size, const char *zone,
                  karp_str family);

/* plugin.c */
uint32_t azure_problem(karp_provider_problem *problem, uint32_t kind, const char *field, const char *message);
bool azure_is(karp_str text, const char *word);

#endif
