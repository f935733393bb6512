/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the options of least-cost plans. Each function returns -1 to go on, or the exit status after printing an
 * error.
 */
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
/* Completes the objective of a side: options that it does not state are those of the first side. */
void objective_inherit(cli_options *side, const cli_options *own);

/* Checks the deadline with the clock, which decisions do not use otherwise. `user` is the cli_options. */
int32_t deadline_is_over(void *user);
/* Shows the elapsed part of the deadline as progress, if the decision is the only work. */
void show_deadline(karp_options *common);

#endif
