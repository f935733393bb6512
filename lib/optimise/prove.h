/* SPDX-License-Identifier: Apache-2.0 */
/* Turns prices of the master problem, in doubles, into a proof in integers (bound.h). */
#ifndef OPTIMISE_PROVE_H
#define OPTIMISE_PROVE_H

#include <optimise/master.h>

int64_t prove_money(double dollars); /* in 10^-12 $/h, rounded down: 0 … MONEY_MOST */
/* The charge of the class on a row with these shares. */
int64_t prove_paid(const bound_problem *p, uint32_t row, const int64_t *shares, uint32_t class_);
/* Allocates a proof and determines its rows. false = out of memory, here and below. */
bool prove_begin(const master *m, arena *a, bound_proof *out);
/* Lowers the best prices of the master problem until the continuous knapsacks of all offers bear them. */
bool prove_offers(master *m, const arena *a, bound_proof *out);
/* Gives each existing node shares for these prices. The differences become extras. */
bool prove_nodes(master *m, arena *a, bound_proof *out);

#endif
