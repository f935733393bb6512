/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a GCP region's machine types: the built-in table, and what was loaded since. */
#ifndef GCP_FACTS_H
#define GCP_FACTS_H

#include <providers/cloud/table.h>
#include <providers/scratch.h>

#define GCP_USUAL_REGION "us-central1"
#define GCP_REGION_MOST 40

typedef struct gcp_type {
    karp_str name; /* the first member, for cloud_find() */
    karp_str accelerator; /* "nvidia-l4"; "" = none */
    int64_t accelerators; /* how many; the provider counts one entry, whatever it says */
    double accelerator_part; /* of a GPU that is shared, which counts as one; 0 = whole ones */
    int64_t vcpus, memory_mib;
    int64_t partitions; /* of local SSDs that come with the type */
    uint32_t zones; /* bit 0 = zone a; 0 = the region does not have it */
    bool arm64;
    double on_demand, spot; /* dollars an hour; negative = not known */
} gcp_type;

typedef struct gcp_facts {
    scratch s; /* of the list and of texts that were loaded */
    karp_str region, as_of, sources;
    uint32_t zones; /* of the region */
    gcp_type *list; /* by name */
    size_t count;
} gcp_facts;

enum { GCP_NO_ZONE = 26 };

extern const cloud_format gcp_format;

/* The built-in facts; of a region that is not built in, none at all. */
karp_status gcp_facts_init(gcp_facts *facts, karp_context *context, karp_str region, karp_error *error);
void gcp_facts_free(gcp_facts *facts);
/* *next = the facts with a file of a kind taken over: all, machine-types, prices. */
karp_status gcp_facts_load(const gcp_facts *facts, karp_str kind, karp_str text, gcp_facts *next, karp_error *error);
/* A table of the region, and how others are had. */
uint32_t gcp_facts_write(const gcp_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);
uint32_t gcp_facts_about(const gcp_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem);
const gcp_type *gcp_facts_find(const gcp_facts *facts, karp_str name); /* NULL = not there */
/* Which letter, from 0, a zone of the region ends with; GCP_NO_ZONE = it is none of the region. */
uint32_t gcp_zone_number(karp_str name, karp_str region);
/* us-central1-a */
karp_str gcp_zone_name(scratch *s, karp_str region, uint32_t zone);

#endif
