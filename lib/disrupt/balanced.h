/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Balanced policy: compares savings with disruption, both as shares of the pool's totals (deprovisioning.md §18).
 */
#ifndef DISRUPT_BALANCED_H
#define DISRUPT_BALANCED_H

#include <disrupt/pass.h>

/* §18.2 */
double balanced_score(double savings, double disruption, double total_cost, double total_disruption);
/* Whether the score is at least 0.5; NaN is not. */
bool balanced_approves(double score);

/* §18.1: computes the totals from the candidates before the filter of §6. */
karp_status pass_totals(pass *p, karp_error *error);
/* §18.3: whether every Balanced pool approves; *score receives the lowest score, −1 when there is none. */
bool command_approved(const pass *p, const command *c, double *score);
/* §18.4: whether a command for this candidate alone could be approved. */
bool candidate_worthwhile(const pass *p, const candidate *c, double *score);

/* "score 0.19 < 0.50: k would have to be 5.3", in the pass's arena; ptr NULL = out of memory. */
karp_str balanced_detail(pass *p, double score);

#endif
