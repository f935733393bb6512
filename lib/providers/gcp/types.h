/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types of GCP under a node class. */
#pragma once

#include <providers/cloud/make.h>
#include <providers/cloud/marks.h>
#include <providers/decode.h>
#include <providers/plugin.h>
#include <providers/cloud/table.h>

/* Facts of a GCP region's machine types: the built-in table, and loaded facts. */

#define GCP_USUAL_REGION "us-central1"
#define GCP_REGION_MOST 40

typedef struct gcp_type {
    karp_str name; /* the first member, for cloud_find() */
    karp_str accelerator; /* "nvidia-l4"; "" = none */
    int64_t accelerators; /* the GPU count; the provider counts one entry regardless of it */
    double accelerator_part; /* fraction of a shared GPU, which counts as one; 0 = whole GPUs */
    int64_t vcpus, memory_mib;
    int64_t partitions; /* local SSDs included in the type */
    uint32_t zones; /* bit 0 = zone a; 0 = not in the region */
    bool arm64;
    double on_demand, spot; /* dollars per hour; negative = unknown */
} gcp_type;

typedef struct gcp_facts {
    scratch s; /* of the list and of loaded texts */
    karp_str region, as_of, sources;
    uint32_t zones; /* of the region */
    gcp_type *list; /* by name */
    size_t count;
} gcp_facts;

enum { GCP_NO_ZONE = 26 };

extern const cloud_format gcp_format;

/* The built-in facts; empty for a region that is not built in. */
karp_status gcp_facts_init(gcp_facts *facts, karp_context *context, karp_str region, karp_error *error);
void gcp_facts_free(gcp_facts *facts);
/* *next = the facts with the content of a file of this kind: all, machine-types, prices. */
karp_status gcp_facts_load(const gcp_facts *facts, karp_str kind, karp_str text, gcp_facts *next, karp_error *error);
/* Writes a table of the region, and describes the sources of other facts. */
uint32_t gcp_facts_write(const gcp_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);
uint32_t gcp_facts_about(const gcp_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem);
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
void gcp_types(scratch *s, const gcp_facts *facts, const gcp_settings *settings, const cloud_marks *marks,
               const gcp_class *c, const karp_instance_type **types, size_t *count);

/* The pod limit of the class's nodes, regardless of their type. */
int64_t gcp_max_pods(const gcp_class *c);

/* labels.c */
void gcp_label_tables(karp_provider_labels *into);
/* The labels that depend only on the type. */
void gcp_type_labels(cloud_labels *l, const gcp_type *t, karp_str region);
