/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares designs: several inputs, or one input with changes applied, each with its plan. The others are compared
 * with the first.
 */
#ifndef CLI_DESIGNS_H
#define CLI_DESIGNS_H

#include <karp/what_if.h>
#include "cli.h"

/* Nodes of a pool, a zone or a capacity type. */
typedef struct design_group {
    karp_str name; /* borrowed from the plan */
    size_t nodes;
    double price; /* per hour, of them all */
} design_group;

typedef struct design_groups {
    design_group *items; /* sorted by name */
    size_t count, room;
} design_groups;

/* Where a pod is placed. */
typedef struct design_place {
    karp_str pod;
    size_t text, group; /* offsets in the design's texts: the exact place, and a more general one for summaries */
} design_place;

/* The effect of one difference alone, applied to the first design. */
typedef struct design_alone {
    bool known;
    double price; /* per hour */
    size_t left;
} design_alone;

typedef struct design {
    const char *name;
    const char *verb; /* "diff" */
    cli_options options; /* the options for this design; its lists are borrowed */
    cli_input input;
    karp_decision *plan; /* the first round */
    karp_settlement *settlement; /* all rounds; NULL = the plan is the only one */
    design_groups pools, zones, capacity_types, types;
    size_t nodes, launched, placed, left;
    double price, spot_price; /* per hour */
    double cpu_requested, cpu_allocatable, memory_requested, memory_allocatable;
    strbuf texts;
    design_place *places; /* by pod */
    size_t place_count, place_room;
    karp_status status; /* the first failure of design_add_up() */
    karp_drift drift; /* nodes that the design makes drift */
    design_alone *alone; /* in the order of the differences; NULL = not computed */
    size_t alone_count;
    double *saved; /* $/h that each change of a request is worth at the first design's nodes; NULL = there is none */
    size_t saved_count;
} design;

/* designs_totals.c: computes the totals of the plan. Errors: NOMEM, and those of reading a decision. */
karp_status design_add_up(design *d);
void design_free(design *d);
/* The cost data of the design's plan; false = it is no least-cost plan. */
bool design_cost(const design *d, karp_cost *out);
/* Writes the totals of designs as columns of a table. If there are too many for the width of text, there are several
 * tables below one another. */
struct cli_writer;
void designs_write_table(struct cli_writer *w, const design *list, size_t count);

/* designs_write.c: writes the comparison. *differs receives whether there is a difference. false = out of memory. */
bool designs_write(const cli_options *options, design *list, size_t count, strbuf *out, bool *differs);

/* ", "catalogue": {…}, "clouds": […]" as in Plans. Writes nothing about clouds whose prices have no date. */
void design_write_clouds(struct cli_writer *w, karp_reader *reader);
void design_write_json(struct cli_writer *w, const design *d);

/* requests_write.c: what the changes of requests of a design are worth at the nodes of the first. Errors: NOMEM, and
 * those of the list of nodes. */
karp_status design_price_requests(const design *first, design *d, karp_error *error);
/* Writes them as a list, or as JSON: ", "requests": […]". Nothing if there are none. */
void design_write_requests(struct cli_writer *w, const design *d);
void design_json_requests(struct cli_writer *w, const design *d);
/* Prints them as patches of the design's workloads. Returns the exit status. */
int design_print_patches(const cli_options *options, const design *d);

/* fail_on.c: EXIT_OK if no condition of --fail-on is met by a design. Its cost is compared with the first design's. */
int exit_status_of_design(const cli_options *options, const design *first, const design *d);
/* karp diff A -- B [-- C]. */
int designs_of_sides(const cli_verb *verb, const cli_options *options);
/* karp whatif --design FILE. */
int designs_of_files(const cli_options *options, const karp_change *changes, size_t change_count);

#endif
