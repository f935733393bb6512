/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types of GCP under a node class. */
#pragma once

#include <providers/cloud/facts.h>
#include <providers/cloud/make.h>

/* Facts of a GCP region's machine types: the built-in table, and loaded facts. */

#define GCP_USUAL_REGION "us-central1"

typedef struct gcp_type {
    cloud_machine base; /* zones: bit 0 = zone a. group: "nvidia-l4" */
    int64_t accelerators; /* the GPU count; the provider counts one entry regardless of it */
    double accelerator_part; /* fraction of a shared GPU, which counts as one; 0 = whole GPUs */
    int64_t memory_mib;
    int64_t partitions; /* local SSDs included in the type */
    bool arm64;
} gcp_type;

enum { GCP_NO_ZONE = 26 };

extern const cloud_facts_kind gcp_facts;

/* The letter, from 0, at the end of a zone's name; GCP_NO_ZONE = not a zone of the region. */
uint32_t gcp_zone_number(karp_str name, karp_str region);
/* us-central1-a */
karp_str gcp_zone_name(scratch *s, karp_str region, uint32_t zone);

/* A GCENodeClass: the parts that decisions read. */

#define GCP_HASH_VERSION "v4"

enum { GCP_RESERVED_MOST = 4 };

/* Reserved amounts, by name. */
typedef struct gcp_reserved {
    karp_resource list[GCP_RESERVED_MOST];
    size_t count;
} gcp_reserved;

/* An eviction threshold: a quantity, or a percentage of the capacity. */
typedef struct gcp_threshold {
    karp_str quantity; /* "" = none, or a percentage */
    double percent; /* negative = none */
} gcp_threshold;

typedef struct gcp_class {
    plugin_class base;
    bool has_disks;
    int64_t boot_gib; /* 0 = not set */
    int64_t ssd_gib, ssds; /* local SSDs of the class */
    int64_t max_pods; /* negative = not set */
    int64_t pods_per_core;
    gcp_reserved kube, system;
    gcp_threshold memory_available, disk_available;
    bool ubuntu;
    bool gpu_taint;
    karp_str gpu_driver; /* "" = default */
    const karp_str *images; /* sources of the resolved images */
    size_t image_count;
    bool status_known; /* the status contains a list of images, possibly empty */
} gcp_class;

extern const gcp_class gcp_plain_class;

/* Reads one gcp_class. */
karp_status gcp_class_read(karp_context *context, const tree *root, void *class_, karp_error *error);
/* Whether both classes give the same types. */
bool gcp_class_same_types(const gcp_class *a, const gcp_class *b);

#define GCP_GROUP "karpenter.k8s.gcp/"

typedef struct gcp_settings {
    double vm_memory_overhead;
    bool initial_prices; /* prices of the provider's first minutes: spot is a fraction of on-demand */
    uint32_t zones; /* of the cluster; 0 = all zones of the region */
} gcp_settings;

/* All types of the region with a known price. */
void gcp_types(scratch *s, const cloud_facts *facts, const gcp_settings *settings, const cloud_marks *marks,
               const gcp_class *c, const karp_instance_type **types, size_t *count);

/* The pod limit of the class's nodes, regardless of their type. */
int64_t gcp_max_pods(const gcp_class *c);

/* labels.c */
void gcp_label_tables(karp_provider_labels *into);
/* The labels that depend only on the type. */
void gcp_type_labels(cloud_labels *l, const gcp_type *t, karp_str region);
