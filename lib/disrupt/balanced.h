/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Balanced policy: compares savings with disruption, both as shares of the pool's totals.
 */
#pragma once

#include <disrupt/pass.h>

/* The share of the pool's cost that is saved, divided by the share of its disruption. */
double balanced_score(double savings, double disruption, double total_cost, double total_disruption);
/* Whether the score is at least 0.5; NaN is not. */
bool balanced_approves(double score);

/* Computes the totals from the candidates before the method's own filter. */
karp_status pass_totals(pass *p, karp_error *error);
/* Whether every Balanced pool approves; *score receives the lowest score, −1 when there is none. */
bool command_approved(const pass *p, const command *c, double *score);
/* Whether a command for this candidate alone could be approved. */
bool candidate_worthwhile(const pass *p, const candidate *c, double *score);

/* "score 0.19 < 0.50: k would have to be 5.3", in the pass's arena; ptr NULL = out of memory. */
karp_str balanced_detail(pass *p, double score);
