/* SPDX-License-Identifier: Apache-2.0 */
/* A GCENodeClass: the parts that decisions read. */
#pragma once

#include <providers/decode.h>
#include <providers/plugin.h>

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
