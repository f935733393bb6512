/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of one region, a row for each type of machine: the built-in table, and loaded files. */
#pragma once

#include <providers/cloud/marks.h>
#include <providers/cloud/write.h>
#include <providers/decode.h>
#include <providers/plugin.h>

/* What a type begins with. */
typedef struct cloud_machine {
    karp_str name; /* the first member, for cloud_find() */
    karp_str group; /* Azure: its quota's family. GCP: its accelerator, "" = none */
    int64_t vcpus;
    uint32_t zones; /* a bit for each, from kind->first_zone on; those of the region */
    /* Dollars per hour; negative = unknown. `initial`: both prices before the first price list. */
    double initial, on_demand, spot;
} cloud_machine;

/* vCPUs of a quota family that may still be used. */
typedef struct cloud_quota {
    karp_str family;
    int64_t left;
} cloud_quota;

typedef struct cloud_facts {
    const struct cloud_facts_kind *kind;
    scratch s; /* of the list and of loaded texts */
    karp_str region, as_of, sources;
    uint32_t zones; /* of the region */
    void *list; /* by name */
    size_t count;
    const cloud_quota *quotas; /* loaded; no table has them */
    size_t quota_count;
    bool spot_known; /* otherwise spot prices equal on-demand prices */
} cloud_facts;

/* A kind of files. */
typedef struct cloud_file {
    const char *kind;
    /* Machines replace the list and keep its prices; prices have no date; quotas are no source. */
    enum { CLOUD_MACHINES, CLOUD_PRICES, CLOUD_QUOTAS } has;
    karp_status (*read)(const cloud_facts *old, cloud_facts *next, karp_str text, karp_error *error);
} cloud_file;

/* The facts of a cloud. */
typedef struct cloud_facts_kind {
    const cloud_format *format;
    size_t bytes; /* of a machine */
    char first_zone;
    /* The bits of zones in a table's header; false = it has other letters. */
    bool (*read_zones)(karp_str letters, uint32_t *zones);
    karp_status (*read_row)(const cloud_table *t, const cloud_row *row, uint32_t zones, void *out, karp_error *error);
    void (*write_row)(cloud_writer *w, const cloud_facts *f, const void *machine);
    /* An entry of the cloud's own list, without prices; false = it is none of the region's. */
    bool (*read_entry)(decoder *d, const cloud_facts *f, const tree *entry, void *out);
    const char *no_list, *where, *no_entry; /* messages for such lists: not one, and nothing, at this field */
    const cloud_file *files;
    size_t file_count;
    const char *no_file; /* the message for another kind */
    cloud_kind described[2]; /* files with machines, and with prices */
} cloud_facts_kind;

/* A cloud_file's `read` for machines. */
karp_status cloud_read_machines(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error);
cloud_machine *cloud_facts_at(const cloud_facts *facts, size_t index);
void *cloud_facts_find(const cloud_facts *facts, karp_str name); /* NULL = not found */

/* ---- handles ----------------------------------------------------------------------------------------------------- */

/* What the handles of such clouds begin with. */
typedef struct cloud_handle {
    plugin_handle base;
    cloud_facts facts;
    cloud_marks marks;
} cloud_handle;

/* With the facts of the region, or of the usual one. */
uint32_t cloud_handle_begin(cloud_handle *h, const cloud_facts_kind *kind, const karp_provider_options *options,
                            karp_provider_problem *problem);
/* Reads the settings vmMemoryOverheadPercent and prices; false = it is another one. */
bool cloud_setting(const karp_label *setting, double *vm_memory_overhead, bool *initial_prices, uint32_t *status,
                   karp_provider_problem *problem);

/* Calls of the table; the handle is a cloud_handle. */
void cloud_close(void *handle);
uint32_t cloud_load_facts(void *handle, karp_str kind, const karp_provider_document *facts,
                          karp_provider_problem *problem);
uint32_t cloud_facts_info(void *handle, const karp_provider_memory *memory, karp_provider_facts_info *info,
                          karp_provider_problem *problem);
uint32_t cloud_write_facts(void *handle, const karp_provider_memory *memory, karp_str *text,
                           karp_provider_problem *problem);
void cloud_expire(void *handle, int64_t now);
