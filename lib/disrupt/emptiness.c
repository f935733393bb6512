/* SPDX-License-Identifier: Apache-2.0 */
/* Emptiness: empty nodes are removed together, without a simulation. */
#include <base/error.h>
#include <disrupt/candidates.h>
#include <disrupt/consolidate.h>
#include <disrupt/budgets.h>
#include <disrupt/methods.h>
#include <schedule/result.h>

karp_status method_emptiness(pass *p, karp_error *error)
{
    uint32_t count, *order = by_savings_ratio(p);
    if (order == NULL || !keep_within_budget(p, order, p->found.eligible_count, &count)) return fail_nomem(error);
    if (count == 0) return KARP_OK;
    command *c = list_push(p->context, &p->found.commands, sizeof *c);
    if (c == NULL) return fail_nomem(error);
    *c = (command){ .candidates = order, .candidate_count = count, .bound = KARP_DURATION_UNSET, .score = -1.0 };
    c->savings = command_savings(p, c);
    return KARP_OK;
}

uint32_t eligible_empty(const pass *p, const candidate *c)
{
    if (pool_of(p, c)->consolidate_after == KARP_DURATION_NEVER) return KARP_REASON_CONSOLIDATION_DISABLED;
    if (p->nodes.buffers != NULL && p->nodes.buffers[c->node]) return KARP_REASON_BUFFER_PODS;
    if (!candidate_empty(p, c)) return KARP_REASON_NOT_EMPTY;
    return p->snapshot->nodes[c->node].consolidatable ? KARP_REASON_NONE : KARP_REASON_NOT_CONSOLIDATABLE;
}

/* ---- nodes that reserve capacity for capacity buffers ------------------------------------------------------------ */

/* A node on which a buffer's virtual pods were placed is not empty. Karpenter remembers this
 * from its last provisioning round; here the round is run. */
static bool some_virtual(const karp_snapshot *s)
{
    size_t count = s->raw.pods.count;
    return count > 0 && (pod_at(&s->raw, count - 1)->flags & POD_VIRTUAL); /* virtual pods come last */
}

karp_status pass_buffer_nodes(pass *p, karp_error *error)
{
    const karp_snapshot *snapshot = p->snapshot;
    if (p->method != KARP_METHOD_EMPTINESS || !some_virtual(snapshot)) return KARP_OK; /* emptiness runs once a pass */
    karp_options options = p->options;
    options.now = p->now;
    options.keep_partial = 0;
    const run_options how = { .options = &options };
    scheduler *s = NULL;
    uint8_t *holds = arena_array(&p->lasting, snapshot->node_count + (size_t)1, sizeof *holds);
    if (holds == NULL) return fail_nomem(error);
    karp_status status = scheduler_new(snapshot, &how, &s, error);
    if (status == KARP_OK) status = scheduler_round(s, NULL, 0, NULL, 0, error);
    if (status == KARP_OK && !result_buffer_nodes(s, holds)) status = fail_nomem(error);
    if (status == KARP_E_CANCELED) {
        p->work.stopped = p->work.canceled = true;
        memset(holds, 1, snapshot->node_count); /* unknown for every node */
        status = KARP_OK;
    }
    p->work.steps += s != NULL ? scheduler_steps(s) : 0;
    p->nodes.buffers = holds;
    scheduler_free(s);
    return status;
}
