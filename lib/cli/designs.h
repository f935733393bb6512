/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares designs: several inputs, or one input with changes applied, each with its plan. The others are compared
 * with the first.
 */
#pragma once

#include "hooks.h"

#include <karp/compare.h>

typedef struct design {
    const char *name;
    const char *verb; /* "diff" */
    cli_options options; /* the options for this design; its lists are borrowed */
    cli_input input;
    karp_decision *plan; /* the first round */
    karp_settlement *settlement; /* all rounds; NULL = the plan is the only one */
    karp_design_totals totals; /* borrowed from a comparison */
    karp_drift drift; /* nodes that the design makes drift */
    karp_design_alone *alone; /* in the order of the differences; NULL = not computed */
    size_t alone_count;
    double *saved; /* $/h that each change of a request is worth at the first design's nodes; NULL = there is none */
    size_t saved_count;
    hook_rounds hooks; /* before the release */
} design;

/* designs_table.c */
/* The cost data of the design's plan; false = it is no least-cost plan. */
bool design_cost(const design *d, karp_cost *out);
/* Writes the totals of designs as columns of a table. If there are too many for the width of text, there are several
 * tables below one another. */
struct cli_writer;
void designs_write_table(struct cli_writer *w, const design *list, size_t count);

/* designs_write.c: writes the comparison for people. *differs receives whether there is a difference. false = out of
 * memory. */
bool designs_write(const cli_options *options, const karp_comparison *comparison, design *list, size_t count,
                   strbuf *out, bool *differs);

/* requests_write.c: what the changes of requests of a design are worth at the nodes of the first. Errors: NOMEM, and
 * those of the list of nodes. */
karp_status design_price_requests(const design *first, design *d, karp_error *error);
/* Writes them as a list. Nothing if there are none. */
void design_write_requests(struct cli_writer *w, const design *d);
/* Prints them as patches of the design's workloads. Returns the exit status. */
int design_print_patches(const cli_options *options, const design *d);

/* fail_on.c: EXIT_OK if no condition of --fail-on is met by a design. Its cost is compared with the first design's. */
int exit_status_of_design(const cli_options *options, const design *first, const design *d);
/* karp diff A -- B [-- C]. */
int designs_of_sides(const cli_verb *verb, const cli_options *options);
/* karp whatif --design FILE. */
int designs_of_files(const cli_options *options, const karp_change *changes, size_t change_count);
