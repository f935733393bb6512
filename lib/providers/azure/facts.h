/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of an Azure region's VM sizes: the built-in table, and loaded facts. */
#pragma once

#include <providers/cloud/table.h>

#define AZURE_USUAL_REGION "eastus"
#define AZURE_REGION_MOST 40

enum {
    AZURE_ARM64 = 1,
    AZURE_ACCELERATED_NETWORKING = 2,
    AZURE_PREMIUM = 4,
    AZURE_EPHEMERAL_OS = 8,
    AZURE_ENCRYPTION_AT_HOST = 16,
    AZURE_NO_TRUSTED_LAUNCH = 32,
    AZURE_GENERATION_1 = 64,
    AZURE_GENERATION_2 = 128,
    AZURE_NO_SPOT = 256 /* in the region */
};

typedef struct azure_size {
    karp_str name; /* the first member, for cloud_find() */
    karp_str quota_family;
    int64_t vcpus, gpus;
    int64_t ephemeral_gb; /* the largest ephemeral OS disk; 0 = none or unknown */
    double memory_gib;
    uint32_t flags;
    uint32_t zones; /* bit n = zone n */
    uint32_t ultra_zones; /* zones with ultra disks; bit 0 = without a zone */
    double initial, on_demand,
        spot; /* dollars per hour; negative = unknown. `initial`: both prices before the first price list */
} azure_size;

/* The vCPUs of a quota family that the subscription can still use. */
typedef struct azure_quota {
    karp_str family;
    int64_t left;
} azure_quota;

typedef struct azure_facts {
    scratch s; /* of the list and of loaded texts */
    karp_str region, as_of, sources;
    uint32_t zones; /* of the region */
    azure_size *list; /* by name */
    size_t count;
    const azure_quota *quotas; /* loaded quotas; no table contains them */
    size_t quota_count;
    bool spot_known; /* otherwise spot prices equal on-demand prices */
} azure_facts;

extern const cloud_format azure_format;

/* The built-in facts; empty for a region that is not built in. */
karp_status azure_facts_init(azure_facts *facts, karp_context *context, karp_str region, karp_error *error);
void azure_facts_free(azure_facts *facts);
/* *next = the facts with the content of a file of this kind: all, sizes, prices. */
karp_status azure_facts_load(const azure_facts *facts, karp_str kind, karp_str text, azure_facts *next,
                             karp_error *error);
/* Writes a table of the region, and describes the sources of other facts. */
uint32_t azure_facts_write(const azure_facts *facts, const karp_provider_memory *memory, karp_str *text,
                           karp_provider_problem *problem);
uint32_t azure_facts_about(const azure_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                           karp_provider_problem *problem);
azure_size *azure_facts_find(const azure_facts *facts, karp_str name); /* NULL = not found */

/* facts_files.c: output of `az vm list-skus` and the Retail Prices API. */
karp_status azure_read_skus(const azure_facts *old, azure_facts *f, karp_str text, karp_error *error);
karp_status azure_read_prices(azure_facts *f, karp_str text, karp_error *error);
karp_status azure_read_quotas(azure_facts *f, karp_str text, karp_error *error);
/* Whether the size's vCPUs fit into its family's quota; an unknown quota always allows them. */
bool azure_quota_allows(const azure_facts *f, const azure_size *size);
