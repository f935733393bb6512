/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types of GCP under a node class. */
#pragma once

#include <providers/cloud/make.h>
#include <providers/cloud/marks.h>
#include <providers/gcp/facts.h>
#include <providers/gcp/node_class.h>

#define GCP_GROUP "karpenter.k8s.gcp/"

typedef struct gcp_settings {
    double vm_memory_overhead;
    bool initial_prices; /* prices of the provider's first minutes: spot is a fraction of on-demand */
    uint32_t zones; /* of the cluster; 0 = all zones of the region */
} gcp_settings;

/* All types of the region with a known price. */
void gcp_types(scratch *s, const gcp_facts *facts, const gcp_settings *settings, const cloud_marks *marks,
               const gcp_class *c, const karp_instance_type **types, size_t *count);

/* The pod limit of the class's nodes, regardless of their type. */
int64_t gcp_max_pods(const gcp_class *c);

/* labels.c */
void gcp_label_tables(karp_provider_labels *into);
/* The labels that depend only on the type. */
void gcp_type_labels(cloud_labels *l, const gcp_type *t, karp_str region);
