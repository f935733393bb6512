/* SPDX-License-Identifier: Apache-2.0 */
/* The Balanced policy: savings against disruption, both as shares of the pool (deprovisioning.md §18). */
#ifndef DISRUPT_BALANCED_H
#define DISRUPT_BALANCED_H

#include <disrupt/pass.h>

/* §18.2 */
double balanced_score(double savings, double disruption, double total_cost, double total_disruption);
/* A score of half or more; not NaN. */
bool balanced_approves(double score);

/* §18.1: fills totals from the candidates before the filter. */
karp_status pass_totals(pass *p, karp_error *error);
/* §18.3: every Balanced pool agrees; *score receives the least, −1 when there is none. */
bool command_approved(const pass *p, const command *c, double *score);
/* §18.4: a command for the candidate alone could be approved. */
bool candidate_worthwhile(const pass *p, const candidate *c, double *score);

/* "score 0.19 < 0.50: k would have to be 5.3", in the pass's memory; ptr NULL = out of memory. */
karp_str balanced_detail(pass *p, double score);

#endif
