/* SPDX-License-Identifier: Apache-2.0 */
/* Disruption budgets (deprovisioning.md §8). Pure. */
#ifndef DISRUPT_BUDGETS_H
#define DISRUPT_BUDGETS_H

#include <disrupt/pass.h>

enum { BUDGET_UNLIMITED = 2147483647 };

/* §8.1: how many of `total` nodes the budget allows at `now`; false = it is invalid. `never_is_always`: a schedule without
 * a hit counts as active (D-Q1). */
bool budget_allows(const budget *b, int64_t total, int64_t now, bool never_is_always, int64_t *allowed);

/* §8.2 for a reason (KARP_BUDGET_EMPTY …) under the quirks of a pass (bit n−1 for D-Qn). Somebody who wants to stop the context, which
 * may be NULL, is asked for each budget; the answer means nothing then. */
int64_t pool_allows(const node_pool *pool, uint32_t reason, int64_t total, int64_t now, uint64_t quirks,
                    karp_context *context);

/* When an answer of pool_allows() can change next, at the latest: a window opens or closes; KARP_NO_TIME = never. */
int64_t pool_next_change(const node_pool *pool, uint32_t reason, int64_t now, uint64_t quirks, karp_context *context);

/* §8.3: what is left for the method's reason, by store pool. */
karp_status pass_budgets(pass *p, karp_error *error);

/* Notes in the decision which pools have a budget that cannot be evaluated: that nothing may go has another reason there than
 * that it is used up. false = out of memory. */
bool budgets_note_broken(const pass *p, karp_decision *d);

/* KARP_BUDGET_EMPTY … of a method; 0 = none that a budget could name. */
uint32_t method_reason(uint32_t method);

/* Keeps, in place and in order, those that the remaining disruptions allow; the others stay for that reason. false = out of memory. */
bool keep_within_budget(pass *p, uint32_t *order, uint32_t count, uint32_t *kept);

typedef struct pool_counters {
    int64_t active, deleting;
} pool_counters;

/* Over all claims whose own label names the pool. */
pool_counters count_claims(const karp_snapshot *w, uint32_t pool);
/* How many more nodes the pool's limit of nodes leaves room for. */
int64_t node_room(const node_pool *pool, pool_counters k);

#endif
