/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of an Azure region's VM sizes: the built-in table, and loaded facts. */
#pragma once

#include <providers/cloud/facts.h>

#define AZURE_USUAL_REGION "eastus"

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
    cloud_machine base; /* zones: bit n = zone n */
    int64_t gpus;
    int64_t ephemeral_gb; /* the largest ephemeral OS disk; 0 = none or unknown */
    double memory_gib;
    uint32_t flags;
    uint32_t ultra_zones; /* zones with ultra disks; bit 0 = without a zone */
} azure_size;

extern const cloud_facts_kind azure_facts;

/* facts_files.c: output of `az vm list-skus`, of the Retail Prices API, and of `az vm list-usage`. */
bool azure_read_sku(decoder *d, const cloud_facts *f, const tree *sku, void *out);
karp_status azure_read_prices(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error);
karp_status azure_read_quotas(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error);
/* Whether the size's vCPUs fit into its family's quota; an unknown quota always allows them. */
bool azure_quota_allows(const cloud_facts *f, const azure_size *size);
