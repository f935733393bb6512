/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types of GCP under a node class. */
#ifndef GCP_TYPES_H
#define GCP_TYPES_H

#include <providers/cloud/make.h>
#include <providers/cloud/marks.h>
#include <providers/gcp/facts.h>
#include <providers/gcp/node_class.h>

#define GCP_GROUP "karpenter.k8s.gcp/"

typedef struct gcp_settings {
    double vm_memory_overhead;
    bool initial_prices; /* spot prices of the provider's first minutes: a part of the on-demand ones */
    uint32_t zones; /* of the cluster; 0 = all of the region */
} gcp_settings;

/* All types that the region has and whose price is known. */
void gcp_types(scratch *s, const gcp_facts *facts, const gcp_settings *settings, const cloud_marks *marks,
               const gcp_class *c, const karp_instance_type **types, size_t *count);

/* Pods that a node of the class takes, whatever its type. */
int64_t gcp_max_pods(const gcp_class *c);

/* amounts.c: capacity and what is taken from it. */
void gcp_amounts(scratch *s, cloud_shared *shared, const gcp_type *t, const gcp_settings *settings, const gcp_class *c,
                 karp_instance_type *out);

/* labels.c */
enum { GCP_DISK_KINDS = 9 };
extern const karp_str gcp_disk_keys[GCP_DISK_KINDS];
/* A bit for each kind of disk that the family of a type takes. */
uint32_t gcp_disk_kinds(karp_str name);
void gcp_label_tables(karp_provider_labels *into);
/* The labels that follow from a type alone. */
void gcp_type_labels(cloud_labels *l, const gcp_type *t, karp_str region);

#endif
