/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Designs side by side: several inputs, or one with changes laid over it, each with the plan that is made for it. The first is
 * what the others are compared with.
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
    design_group *items; /* by name */
    size_t count, room;
} design_groups;

/* Where a pod goes. */
typedef struct design_place {
    karp_str pod;
    size_t text, group; /* offsets in the design's texts: exactly where, and where for people who look at many */
} design_place;

/* What one difference makes of the first design by itself. */
typedef struct design_alone {
    bool known;
    double price; /* per hour */
    size_t left;
} design_alone;

typedef struct design {
    const char *name;
    const char *verb; /* "diff" */
    cli_options options; /* as they hold for it; its lists belong to others */
    cli_input input;
    karp_decision *plan;
    design_groups pools, zones, capacity_types, types;
    size_t nodes, launched, placed, left;
    double price, spot_price; /* per hour */
    double cpu_requested, cpu_allocatable, memory_requested, memory_allocatable;
    cli_text texts;
    design_place *places; /* by pod */
    size_t place_count, place_room;
    design_alone *alone; /* in the order of what differs; NULL = it was not asked */
    size_t alone_count;
} design;

/* designs_totals.c: adds the plan up. Errors: NOMEM, and those of reading a decision. */
karp_status design_add_up(design *d);
void design_free(design *d);
/* One more node of that name; false = no memory. */
bool design_group_add(const cli_options *options, design_groups *groups, karp_str name, double price);
void design_groups_free(const cli_options *options, design_groups *groups);

/* designs_alone.c: plans the first design with each difference of `d` by itself, when there are a few. Errors: NOMEM, CANCELED. */
karp_status design_plan_alone(const design *first, design *d, const karp_change *changes, size_t change_count);

/* designs_write.c: false = no memory. `differs` receives whether anything does. */
bool designs_write(const cli_options *options, design *list, size_t count, cli_text *out, bool *differs);

/* The totals of designs as columns of a table, and those of one in JSON. */
struct cli_writer;
void designs_write_changes(struct cli_writer *w, const design *list); /* of karp whatif: they hold for every design */
void designs_write_table(struct cli_writer *w, const design *list, size_t count);
/* ", "catalogue": {…}" as Plans have it, of what headers call it; nothing when that has no date. */
void design_write_catalogue(struct cli_writer *w, karp_str title);
void design_write_json(struct cli_writer *w, const design *d);
/* What differs from the first, a list for each of the others. */
void designs_write_differences(struct cli_writer *w, const design *list, size_t count);
/* designs_html.c: the whole page. */
void designs_write_html(struct cli_writer *w, const design *list, size_t count);

/* designs.c: the plan of a design that has been read. */
karp_status design_decide(design *d, const karp_change *changes, size_t change_count, karp_error *error);

/* designs.c: reads and plans every design, with the changes laid over each, and prints the comparison; the exit status. */
int designs_answer(const cli_options *options, design *list, size_t count, const karp_change *changes,
                   size_t change_count);
/* fail_on.c: EXIT_OK when nothing that --fail-on names has come up in a design; the first is what costs are compared with. */
int exit_status_of_design(const cli_options *options, const design *first, const design *d);
/* karp diff A -- B [-- C]. */
int designs_of_sides(const cli_verb *verb, const cli_options *options);
/* karp whatif --design FILE. */
int designs_of_files(const cli_options *options, const karp_change *changes, size_t change_count);

#endif
