/* SPDX-License-Identifier: Apache-2.0 */
/* An AKSNodeClass: the parts that decisions read. */
#pragma once

#include <providers/decode.h>
#include <providers/plugin.h>

#define AZURE_HASH_VERSION "v3"

typedef enum azure_family { AZURE_UBUNTU, AZURE_UBUNTU2204, AZURE_UBUNTU2404, AZURE_LINUX } azure_family;

typedef struct azure_class {
    plugin_class base;
    azure_family family;
    int64_t disk_gb;
    int64_t max_pods; /* 0 = not set */
    bool fips, encryption_at_host, trusted_launch;
    bool without_driver; /* of GPUs: gpu.mode None */
    bool artifact_streaming;
    bool local_dns; /* from the status */
    const karp_str *images; /* ids of the resolved images */
    size_t image_count;
    karp_str kubernetes; /* the version resolved in the status, without v; "" = none, or not ready */
} azure_class;

extern const azure_class azure_plain_class;

/* Reads one azure_class. */
karp_status azure_class_read(karp_context *context, const tree *root, void *class_, karp_error *error);
/* Whether both classes give the same types. */
bool azure_class_same_types(const azure_class *a, const azure_class *b);
/* The name of a family, as in a class. */
karp_str azure_family_name(azure_family family);
