/* SPDX-License-Identifier: Apache-2.0 */
/* Disruption budgets. Pure functions. */
#pragma once

#include <disrupt/pass.h>

enum { BUDGET_UNLIMITED = KARP_UNLIMITED };

/* The number of `total` nodes that the budget allows at `now`; false = the budget is invalid. `never_is_always`:
 * a schedule without a match counts as active (D-Q1). */
bool budget_allows(const budget *b, int64_t total, int64_t now, bool never_is_always, int64_t *allowed);

/* The disruptions that a pool's budgets allow for a reason (KARP_BUDGET_EMPTY …) under the quirks of a pass (bit n−1
 * for D-Qn). Polls for cancellation at each budget through the context, which may be NULL; the result is meaningless
 * after a cancellation. *tightest receives the number of the budget that decides, or KARP_NO_BUDGET. */
int64_t pool_allows(const node_pool *pool, uint32_t reason, int64_t total, int64_t now, uint64_t quirks,
                    karp_context *context, uint32_t *tightest);

/* When to evaluate pool_allows() again. No window opens or closes before this time; KARP_NO_TIME = never. */
int64_t pool_next_change(const node_pool *pool, uint32_t reason, int64_t now, uint64_t quirks, karp_context *context);

/* The remaining disruptions for the method's reason, by store pool. */
karp_status pass_budgets(pass *p, karp_error *error);

/* A row for each pool, by name, with the nodes that use up its budgets. false = out of memory. */
bool budget_rows(const pass *p, karp_decision *d);

/* Records in the decision which pools have a budget that cannot be evaluated. Such a pool allows no disruption, but not
 * because its budget is exhausted. false = out of memory. */
bool budgets_note_broken(const pass *p, karp_decision *d);

/* Keeps, in place and in order, the candidates that the remaining disruptions allow; the budget is the reason to keep
 * the other nodes. false = out of memory. */
bool keep_within_budget(pass *p, uint32_t *order, uint32_t count, uint32_t *kept);

typedef struct pool_counters {
    int64_t active, deleting;
} pool_counters;

/* Counts all claims whose own label names the pool. */
pool_counters count_claims(const karp_snapshot *s, uint32_t pool);
/* The number of further nodes that the pool's node limit allows. */
int64_t node_room(const node_pool *pool, pool_counters k);
