/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/terminate_first.h>
#include <base/sort.h>

#include <base/error.h>
#include <disrupt/consolidate.h>
#include <disrupt/whole_groups.h>
#include <schedule/result.h>

bool terminate_first_on(const pass *p, uint32_t gate)
{
    return pass_rule(p, RULE_TERMINATE_FIRST) && (p->snapshot->raw.settings.gates & gate) != 0;
}

/* The reservation from which the candidate's node was launched; NO_ID = none. */
static uint32_t reservation_held(const pass *p, const candidate *c)
{
    const karp_snapshot *s = p->snapshot;
    if (s->raw.reservation_id == NO_TEXT || c->capacity_type != s->known.reserved) return NO_ID;
    return label_get(s->nodes[c->node].labels, s->raw.reservation_id);
}

/* ---- nodes of dynamic pools -------------------------------------------------------------------------------------- */

/* Adds a command with all nodes that the simulation launches, unchanged; without any of them if the node is terminated
 * first. */
static bool add_command(pass *p, simulation *m, const departure *d, uint32_t terminate_first)
{
    uint32_t count = terminate_first != 0 ? 0 : m->result.claim_count;
    replacement *list = arena_array(&p->data, count + (size_t)1, sizeof *list);
    command *c = list == NULL ? NULL : list_push(p->context, &p->found.commands, sizeof *c);
    if (c == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const final_claim *f = &m->result.finals[m->result.claims[i]];
        list[i] = (replacement){
            .claim = m->result.claims[i], .set = f->set, .types = f->types, .type_count = f->type_count
        };
    }
    *c = (command){ .candidates = d->candidates,
                    .candidate_count = d->count,
                    .simulation = m,
                    .replacements = list,
                    .replacement_count = count,
                    .decision = terminate_first != 0 ? KARP_COMMAND_TERMINATE_FIRST
                                : count > 0          ? KARP_COMMAND_REPLACE
                                                     : KARP_COMMAND_DELETE,
                    .terminate_first = terminate_first,
                    .bound = KARP_DURATION_UNSET,
                    .score = -1.0 };
    c->savings = command_savings(p, c);
    return !scheduler_failed(m->s);
}

/* Simulates again, with strict reservations and the slot that the node would return. *out stays NULL if the pods still
 * do not fit. */
static karp_status simulate_gone(pass *p, const uint32_t *number, simulation **out, karp_error *error)
{
    uint32_t reservation = reservation_held(p, &p->found.candidates[*number]);
    simulation_kind kind = { .all_pods = p->method == KARP_METHOD_REPAIR,
                             .strict = true,
                             .credit = { reservation, 1 } };
    simulation *m = NULL;
    if (reservation == NO_ID) return KARP_OK;
    karp_status status = simulate_as(p, number, 1, &kind, &m, error);
    if (status != KARP_OK) return status;
    if (m->outcome == SIMULATED && m->result.all_scheduled) *out = m;
    else simulation_free(p, m);
    return KARP_OK;
}

karp_status move_pods_away(pass *p, const departure *d, bool terminate_first, bool *done, karp_error *error)
{
    const simulation_kind kind = { .all_pods = p->method == KARP_METHOD_REPAIR };
    simulation *m, *gone = NULL;
    karp_status status = simulate_as(p, d->candidates, d->count, &kind, &m, error);
    if (status != KARP_OK) return status;
    *done = m->outcome != SIMULATED || m->result.all_scheduled;
    if (m->outcome == SIMULATION_NO_POOLS) {
        no_usable_pools(p);
        if (!whole_groups_keep(p, d, KARP_REASON_NO_NODEPOOLS, str(""))) status = fail_nomem(error);
    } else if (m->outcome == SIMULATED && !m->result.all_scheduled) {
        status = terminate_first && d->count == 1 ? simulate_gone(p, d->candidates, &gone, error) : KARP_OK;
        if (status == KARP_OK && gone == NULL &&
            !whole_groups_keep(p, d, KARP_REASON_PODS_WOULD_NOT_SCHEDULE, pod_name(p->snapshot, m->result.left_out)))
            status = fail_nomem(error);
    }
    if (status != KARP_OK || gone != NULL || m->outcome != SIMULATED || !m->result.all_scheduled) {
        simulation_free(p, m);
        m = gone;
    }
    if (status != KARP_OK || m == NULL) return status;
    *done = true;
    size_t before = p->found.commands.count;
    if (add_command(p, m, d, gone != NULL ? KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY : 0)) return KARP_OK;
    if (p->found.commands.count == before) simulation_free(p, m); /* otherwise the pass frees it */
    return fail_nomem(error);
}

/* ---- nodes of static pools --------------------------------------------------------------------------------------- */

bool replace_static_node(pass *p, const uint32_t *number)
{
    const candidate *x = &p->found.candidates[*number];
    replacement *r = arena_array(&p->data, 1, sizeof *r);
    command *c = r == NULL ? NULL : list_push(p->context, &p->found.commands, sizeof *c);
    if (c == NULL) return false;
    *r = (replacement){ .claim = NO_ID, .pool = x->pool };
    *c = (command){ .candidates = number,
                    .candidate_count = 1,
                    .replacements = r,
                    .replacement_count = 1,
                    .decision = KARP_COMMAND_REPLACE,
                    .bound = KARP_DURATION_UNSET,
                    .score = -1.0,
                    .savings = x->price };
    return true;
}

bool terminate_static_node(pass *p, const uint32_t *number, uint32_t why)
{
    command *c = list_push(p->context, &p->found.commands, sizeof *c);
    if (c == NULL) return false;
    *c = (command){ .candidates = number,
                    .candidate_count = 1,
                    .decision = KARP_COMMAND_TERMINATE_FIRST,
                    .terminate_first = why,
                    .bound = KARP_DURATION_UNSET,
                    .score = -1.0,
                    .savings = p->found.candidates[*number].price };
    return true;
}

/* ---- reservations of static pools -------------------------------------------------------------------------------- */

karp_status static_reservations(pass *p, uint32_t pool, pool_reservations *out, karp_error *error)
{
    const karp_snapshot *snapshot = p->snapshot;
    const run_options how = { .options = &p->options, .simulation = true };
    *out = (pool_reservations){ .full = true };
    if (snapshot->pool_table[pool] == NO_ID) return KARP_OK;
    const type_table *t = &snapshot->tables[snapshot->pool_table[pool]];
    uint32_t *offered = arena_array(&p->data, t->offering_count + (size_t)1, sizeof *offered);
    scheduler *s = NULL;
    if (offered == NULL) return fail_nomem(error);
    karp_status status = scheduler_new(snapshot, &how, &s, error);
    if (status != KARP_OK) return status;
    bool ok = result_static_reserved(s, pool, offered, &out->offered_count, &out->full);
    out->offered = offered;
    scheduler_free(s);
    return ok ? KARP_OK : fail_nomem(error);
}

bool holds_reservation(const pass *p, const candidate *c, const pool_reservations *r)
{
    uint32_t own = reservation_held(p, c);
    return own != NO_ID && ids_have(r->offered, r->offered_count, own);
}

bool pool_may_launch_later(const pass *p, uint32_t pool)
{
    const node_pool *n = &p->snapshot->raw.pools.items[pool];
    const condition *ready = condition_find(n->conditions, p->snapshot->known.ready);
    return n->meta.deletion == KARP_NO_TIME && ready != NULL && ready->status == p->snapshot->known.status_true;
}
