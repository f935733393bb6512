/* SPDX-License-Identifier: Apache-2.0 */
/* A drifted node goes when its pods find places, whatever that costs (deprovisioning.md §12); likewise one that has expired,
 * where expiration is graceful (§23). */
#include <disrupt/simulate.h>

#include <base/error.h>
#include <base/sort.h>
#include <disrupt/candidates.h>
#include <disrupt/consolidate.h>
#include <schedule/scheduler.h>
#include <string.h>

/* Since when it should go. */
static int64_t due_since(const pass *p, const candidate *c)
{
    if (p->method == KARP_METHOD_EXPIRATION) return candidate_expires(p, c);
    const karp_snapshot *w = p->snapshot;
    const condition *d = condition_find(w->raw.claims.items[w->nodes[c->node].claim].conditions, w->known.drifted);
    return d != NULL ? d->since : KARP_NO_TIME;
}

/* Nodes without pods first, then those that have been due for longest. */
static int earlier(uint32_t x, uint32_t y, const void *user)
{
    const pass *p = user;
    const candidate *a = &p->candidates[x], *b = &p->candidates[y];
    if ((a->moving_count == 0) != (b->moving_count == 0)) return a->moving_count == 0 ? -1 : 1;
    int64_t ta = due_since(p, a), tb = due_since(p, b);
    return (ta > tb) - (ta < tb); /* equals stay in the order of names */
}

/* One command with every node that the simulation starts, as it is. */
static bool add_command(pass *p, simulation *m, const uint32_t *candidate_number)
{
    replacement *list = arena_array(&p->data, m->claim_count + (size_t)1, sizeof *list);
    command *c = list == NULL ? NULL : list_push(p->context, &p->commands, sizeof *c);
    if (c == NULL) return false;
    for (uint32_t i = 0; i < m->claim_count; i++) {
        const final_claim *f = &m->finals[m->claims[i]];
        list[i] = (replacement){ .claim = m->claims[i], .set = f->set, .types = f->types, .type_count = f->type_count };
    }
    *c = (command){ .candidates = candidate_number,
                    .candidate_count = 1,
                    .simulation = m,
                    .replacements = list,
                    .replacement_count = m->claim_count,
                    .score = -1.0 };
    c->savings = command_savings(p, c);
    return !m->s->failed && !m->s->algebra.failed;
}

static bool keep(pass *p, uint32_t number, uint32_t code, karp_str detail)
{
    return pass_keep(p, p->candidates[number].node, code, detail);
}

/* *done: the method has ended. */
static karp_status try_one(pass *p, const uint32_t *number, bool *done, karp_error *error)
{
    const candidate *c = &p->candidates[*number];
    simulation *m;
    if (p->remaining[c->pool] == 0) {
        return keep(p, *number, KARP_REASON_BUDGET, name_of(p->snapshot, pool_of(p, c)->meta.name)) ? KARP_OK
                                                                                                    : fail_nomem(error);
    }
    karp_status status = simulate(p, number, 1, false, &m, error);
    if (status != KARP_OK) return status;
    bool ok = true;
    *done = m->outcome != SIMULATED || m->all_scheduled;
    if (m->outcome == SIMULATION_NO_POOLS) {
        no_usable_pools(p);
        ok = keep(p, *number, KARP_REASON_NO_NODEPOOLS, str(""));
    } else if (m->outcome == SIMULATED && m->all_scheduled) {
        if (add_command(p, m, number)) return KARP_OK;
        if (p->commands.count > 0) return fail_nomem(error); /* the pass frees the simulation */
        ok = false;
    } else if (m->outcome == SIMULATED) {
        ok = keep(p, *number, KARP_REASON_PODS_WOULD_NOT_SCHEDULE, pod_name(p->snapshot, m->left_out));
    }
    simulation_free(p, m);
    return ok ? KARP_OK : fail_nomem(error);
}

karp_status method_drift(pass *p, karp_error *error)
{
    uint32_t *order = arena_array(&p->data, p->eligible_count + (size_t)1, sizeof *order);
    karp_status status = KARP_OK;
    bool done = false;
    if (order == NULL) return fail_nomem(error);
    memcpy(order, p->eligible, p->eligible_count * sizeof *order); /* a method is run on some */
    if (!sort_ids(p->context, order, p->eligible_count, earlier, p)) return fail_nomem(error);
    for (uint32_t i = 0; i < p->eligible_count && !done && status == KARP_OK; i++)
        status = try_one(p, &order[i], &done, error);
    return status;
}
