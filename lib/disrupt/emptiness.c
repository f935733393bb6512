/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that nobody would miss go together, without a simulation (deprovisioning.md §10). */
#include <disrupt/within.h>

#include <base/error.h>
#include <disrupt/consolidate.h>

karp_status method_emptiness(pass *p, karp_error *error)
{
    uint32_t count, *order = by_savings_ratio(p);
    if (order == NULL || !keep_within_budget(p, order, p->eligible_count, &count)) return fail_nomem(error);
    if (count == 0) return KARP_OK;
    command *c = list_push(p->context, &p->commands, sizeof *c);
    if (c == NULL) return fail_nomem(error);
    *c = (command){ .candidates = order, .candidate_count = count, .bound = KARP_DURATION_UNSET, .score = -1.0 };
    c->savings = command_savings(p, c);
    return KARP_OK;
}
