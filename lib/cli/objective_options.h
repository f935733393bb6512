/* SPDX-License-Identifier: Apache-2.0 */
/* What the options of plans for the least cost say. Each returns -1 to go on, or the exit status after saying what is wrong. */
#ifndef CLI_OBJECTIVE_OPTIONS_H
#define CLI_OBJECTIVE_OPTIONS_H

#include "cli.h"

int set_objective(const cli_verb *verb, cli_options *options, const char *text);
int set_effort(const cli_verb *verb, cli_options *options, const char *text);
int set_node_cost(const cli_verb *verb, cli_options *options, const char *text);
int set_spot_factor(const cli_verb *verb, cli_options *options, const char *text);
int set_price_slack(const cli_verb *verb, cli_options *options, const char *text);
int set_preferences(const cli_verb *verb, cli_options *options, const char *text);
int set_ignore_weights(cli_options *options);
int set_deadline(const cli_verb *verb, cli_options *options, const char *text);
/* What the side says of its objective; what it leaves out is the first's. */
void objective_inherit(cli_options *side, const cli_options *own);

/* Asks the clock, of which decisions know nothing otherwise: `user` is the cli_options with a deadline. */
int32_t deadline_is_over(void *user);
/* Where the decision is all that is worked at: how much of the deadline's time is over is shown as progress. */
void show_deadline(karp_options *common);

#endif
