/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a GCP region's machine types: the built-in table, and loaded facts. */
#pragma once

#include <providers/cloud/table.h>

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
