/* SPDX-License-Identifier: Apache-2.0 */
/* From prices of the master problem, in doubles, to a proof in whole numbers (bound.h). */
#ifndef OPTIMISE_PROVE_H
#define OPTIMISE_PROVE_H

#include <optimise/master.h>

int64_t prove_money(double dollars); /* in 10^-12 $/h, rounded down: 0 … MONEY_MOST */
/* What a row with these shares makes of the class's price. */
int64_t prove_paid(const bound_problem *p, uint32_t row, const int64_t *shares, uint32_t class_);
/* Memory for a proof, and which rows it has. false = refused, here and below. */
bool prove_begin(const master *m, arena *a, bound_proof *out);
/* The best prices of the master, lowered to what the continuous knapsacks of the offers bear. */
bool prove_offers(master *m, const arena *a, bound_proof *out);
/* An existing node bears the prices that the offers have left: what lacks is extra. */
bool prove_nodes(master *m, arena *a, bound_proof *out);

#endif
