/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/terminate_first.h>

#include <base/error.h>
#include <base/sort.h>
#include <disrupt/consolidate.h>
#include <disrupt/simulate.h>

bool terminate_first_on(const pass *p, uint32_t gate)
{
    return pass_rule(p, RULE_TERMINATE_FIRST) && (p->snapshot->raw.settings.gates & gate) != 0;
}

/* ---- nodes of dynamic pools ---------------------------------------------------------------------------------------------- */

/* Adds a command with all nodes that the simulation launches, unchanged; without any of them if the node is terminated
 * first. */
static bool add_command(pass *p, simulation *m, const uint32_t *number, uint32_t terminate_first)
{
    uint32_t count = terminate_first != 0 ? 0 : m->result.claim_count;
    replacement *list = arena_array(&p->data, count + (size_t)1, sizeof *list);
    command *c = list == NULL ? NULL : list_push(p->context, &p->commands, sizeof *c);
    if (c == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        const final_claim *f = &m->result.finals[m->result.claims[i]];
        list[i] = (replacement){
            .claim = m->result.claims[i], .set = f->set, .types = f->types, .type_count = f->type_count
        };
    }
    *c = (command){ .candidates = number,
                    .candidate_count = 1,
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
    uint32_t reservation = reservation_held(p, &p->candidates[*number]);
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

static karp_status keep(pass *p, uint32_t number, uint32_t code, karp_str detail, karp_error *error)
{
    return pass_keep(p, p->candidates[number].node, code, detail) ? KARP_OK : fail_nomem(error);
}

karp_status move_pods_away(pass *p, const uint32_t *number, bool terminate_first, bool *done, karp_error *error)
{
    const simulation_kind kind = { .all_pods = p->method == KARP_METHOD_REPAIR };
    simulation *m, *gone = NULL;
    karp_status status = simulate_as(p, number, 1, &kind, &m, error);
    if (status != KARP_OK) return status;
    *done = m->outcome != SIMULATED || m->result.all_scheduled;
    if (m->outcome == SIMULATION_NO_POOLS) {
        no_usable_pools(p);
        status = keep(p, *number, KARP_REASON_NO_NODEPOOLS, str(""), error);
    } else if (m->outcome == SIMULATED && !m->result.all_scheduled) {
        status = terminate_first ? simulate_gone(p, number, &gone, error) : KARP_OK;
        if (status == KARP_OK && gone == NULL)
            status = keep(p, *number, KARP_REASON_PODS_WOULD_NOT_SCHEDULE, pod_name(p->snapshot, m->result.left_out),
                          error);
    }
    if (status != KARP_OK || gone != NULL || m->outcome != SIMULATED || !m->result.all_scheduled) {
        simulation_free(p, m);
        m = gone;
    }
    if (status != KARP_OK || m == NULL) return status;
    *done = true;
    size_t before = p->commands.count;
    if (add_command(p, m, number, gone != NULL ? KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY : 0)) return KARP_OK;
    if (p->commands.count == before) simulation_free(p, m); /* otherwise the pass frees it */
    return fail_nomem(error);
}

/* ---- nodes of static pools ------------------------------------------------------------------------------------------------ */

bool replace_static_node(pass *p, const uint32_t *number)
{
    const candidate *x = &p->candidates[*number];
    replacement *r = arena_array(&p->data, 1, sizeof *r);
    command *c = r == NULL ? NULL : list_push(p->context, &p->commands, sizeof *c);
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
    command *c = list_push(p->context, &p->commands, sizeof *c);
    if (c == NULL) return false;
    *c = (command){ .candidates = number,
                    .candidate_count = 1,
                    .decision = KARP_COMMAND_TERMINATE_FIRST,
                    .terminate_first = why,
                    .bound = KARP_DURATION_UNSET,
                    .score = -1.0,
                    .savings = p->candidates[*number].price };
    return true;
}
