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

typedef struct design {
    const char *name;
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
} design;

/* designs_totals.c: adds the plan up. Errors: NOMEM, and those of reading a decision. */
karp_status design_add_up(design *d);
void design_free(design *d);
/* One more node of that name; false = no memory. */
bool design_group_add(const cli_options *options, design_groups *groups, karp_str name, double price);
void design_groups_free(const cli_options *options, design_groups *groups);

/* designs_write.c: false = no memory. `differs` receives whether anything does. */
bool designs_write(const cli_options *options, design *list, size_t count, cli_text *out, bool *differs);

/* The totals of designs as columns of a table, and those of one in JSON. */
struct cli_writer;
void designs_write_table(struct cli_writer *w, const design *list, size_t count);
void design_write_json(struct cli_writer *w, const design *d);
/* What differs from the first, a list for each of the others. */
void designs_write_differences(struct cli_writer *w, const design *list, size_t count);
/* designs_html.c: the whole page. */
void designs_write_html(struct cli_writer *w, const design *list, size_t count);

/* designs.c: reads and plans every design, with the changes laid over each, and prints the comparison; the exit status. */
int designs_answer(const cli_options *options, design *list, size_t count, const karp_change *changes,
                   size_t change_count);
/* karp diff A -- B [-- C]. */
int designs_of_sides(const cli_verb *verb, const cli_options *options);
/* karp whatif --design FILE. */
int designs_of_files(const cli_options *options, const karp_change *changes, size_t change_count);

#endif
