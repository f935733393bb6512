/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a command is still valid after its waiting time. */
#include <disrupt/step.h>

#include <disrupt/balanced.h>
#include <disrupt/budgets.h>
#include <disrupt/candidates.h>
#include <disrupt/methods.h>
#include <disrupt/consolidate.h>
#include <math.h>
#include <schedule/pricing.h>

/* Finds the command's candidates that are still eligible, in the order of the command. */
static uint32_t find_again(const pass *p, const validated *c, uint32_t *found, uint32_t *slots)
{
    const karp_snapshot *s = p->snapshot;
    uint32_t n = 0;
    for (size_t i = 0; i < c->node_count; i++) {
        for (uint32_t k = 0; k < p->found.eligible_count; k++) {
            uint32_t number = p->found.eligible[k];
            if (!equal_str(name_of(s, s->nodes[p->found.candidates[number].node].name), c->nodes[i])) continue;
            found[n] = number;
            slots[n++] = (uint32_t)i;
            break;
        }
    }
    return n;
}

/* Whether every type name of the command's launch is in this list. */
static bool among(const karp_snapshot *s, const simulation *m, const uint32_t *types, uint32_t count,
                  const karp_launch *launch)
{
    const type_table *t = result_table(m->s, m->result.claims[0]);
    for (size_t i = 0; i < launch->instance_type_count; i++) {
        bool some = false;
        for (uint32_t k = 0; k < count && !some; k++)
            some = equal_str(text_of(s, t->types[types[k]].name), launch->instance_types[i]);
        if (!some) return false;
    }
    return true;
}

/* Whether the pods still fit: with as many new nodes as before, and with the command's types still permitted. */
static bool still_fits(const karp_snapshot *s, const simulation *m, const validated *c)
{
    if (!m->result.all_scheduled || m->result.claim_count != c->launch_count || m->result.claim_count > 1) return false;
    const final_claim *f = m->result.claim_count == 1 ? &m->result.finals[m->result.claims[0]] : NULL;
    return f == NULL || among(s, m, f->types, f->type_count, c->launch);
}

static karp_status stopped(karp_error *error)
{
    return fail(error, KARP_E_CANCELED, "stopped before the command was validated");
}

static karp_status simulate_again(pass *p, const validated *c, const uint32_t *found, uint32_t count, uint32_t *code,
                                  karp_error *error)
{
    simulation *m;
    karp_status status = simulate(p, found, count, true, &m, error);
    if (status != KARP_OK) return status;
    *code = KARP_REASON_SCHEDULING;
    if (m->outcome == SIMULATION_NO_POOLS) *code = KARP_REASON_NO_NODEPOOLS;
    if (m->outcome == SIMULATION_STOPPED) status = stopped(error);
    if (m->outcome == SIMULATED && still_fits(p->snapshot, m, c)) *code = KARP_REASON_NONE;
    simulation_free(p, m);
    return status;
}

/* Evaluates the consolidation again at current prices, without D-Q12. Karpenter skips this check. */
static karp_status weigh_again(pass *p, const validated *c, const uint32_t *found, uint32_t count, uint32_t *code,
                               karp_error *error)
{
    attempt a;
    karp_status status = pass_totals(p, error);
    if (status == KARP_OK) status = consolidate(p, found, count, c->method == KARP_METHOD_MULTI_NODE, &a, error);
    if (status != KARP_OK) return status;
    if (a.outcome == SIMULATION_STOPPED) return stopped(error);
    *code = a.code;
    if (!a.possible) return KARP_OK;
    const replacement *r = a.command.replacement_count > 0 ? &a.command.replacements[0] : NULL;
    if (r != NULL && !among(p->snapshot, a.command.simulation, r->types, r->type_count, c->launch))
        *code = KARP_REASON_NO_CHEAPER_NODE;
    simulation_free(p, a.command.simulation);
    return KARP_OK;
}

/* The price of the simulated launches at their cheapest offerings, $/h; HUGE_VAL = a launch has no offering. */
static double price_of_launches(const pass *p, const simulation *m)
{
    double sum = 0, each = p->options.objective != NULL ? p->options.objective->node_cost : 0;
    for (uint32_t i = 0; i < m->result.claim_count; i++) {
        const final_claim *f = &m->result.finals[m->result.claims[i]];
        const type_table *t = result_table(m->s, m->result.claims[i]);
        uint32_t best;
        if (f->type_count == 0 || !cheapest_offering(m->s, t, f->types[0], f->set, &best)) return HUGE_VAL;
        sum += t->offerings[best].price + each;
    }
    return sum;
}

/* A repack step is valid while its nodes' pods fit with no more launches than before, at a lower cost than the
 * nodes. */
static karp_status weigh_step(pass *p, const validated *c, const uint32_t *found, uint32_t count, uint32_t *code,
                              karp_error *error)
{
    simulation *m;
    double each = p->options.objective != NULL ? p->options.objective->node_cost : 0, before = 0;
    karp_status status = simulate(p, found, count, true, &m, error);
    if (status != KARP_OK) return status;
    for (uint32_t i = 0; i < count; i++) before += p->found.candidates[found[i]].price + each;
    *code = KARP_REASON_SCHEDULING;
    if (m->outcome == SIMULATION_NO_POOLS) *code = KARP_REASON_NO_NODEPOOLS;
    if (m->outcome == SIMULATION_STOPPED) status = stopped(error);
    if (m->outcome == SIMULATED && m->result.all_scheduled && m->result.claim_count <= c->launch_count)
        *code = price_of_launches(p, m) < before ? KARP_REASON_NONE : KARP_REASON_NO_CHEAPER_NODE;
    simulation_free(p, m);
    return status;
}

/* Checks empty nodes one by one: those that are still empty are removed, within the budget. */
static void shrink(pass *p, const uint32_t *found, const uint32_t *slots, uint32_t count, uint32_t *removed,
                   karp_validation *out)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t *left = &p->budgets.remaining[p->found.candidates[found[i]].pool];
        if (*left <= 0) continue;
        (*left)--;
        out->kept++;
        if (removed != NULL) removed[slots[i]] = 1;
    }
    out->code = count == 0 ? KARP_REASON_CHURN : out->kept == 0 ? KARP_REASON_VALIDATION_BUDGET : KARP_REASON_NONE;
}

/* Several nodes are removed together or not at all. */
static karp_status check_all(pass *p, const validated *c, const uint32_t *found, uint32_t count, uint32_t *removed,
                             karp_validation *out, karp_error *error)
{
    out->code = KARP_REASON_CHURN;
    if (count < c->node_count) return KARP_OK;
    for (uint32_t i = 0; i < count; i++) {
        out->code = KARP_REASON_VALIDATION_BUDGET;
        if (p->budgets.remaining[p->found.candidates[found[i]].pool]-- <= 0) return KARP_OK;
    }
    bool repacks = c->method == KARP_METHOD_REPACK;
    karp_status status = repacks ? weigh_step(p, c, found, count, &out->code, error)
                                 : simulate_again(p, c, found, count, &out->code, error);
    if (!repacks && status == KARP_OK && out->code == KARP_REASON_NONE && !pass_quirk(p, 12))
        status = weigh_again(p, c, found, count, &out->code, error);
    if (status != KARP_OK || out->code != KARP_REASON_NONE) return status;
    out->kept = count;
    for (uint32_t i = 0; removed != NULL && i < count; i++) removed[i] = 1;
    return KARP_OK;
}

/* Limits the pass to the command's own nodes, unless its savings must be evaluated again. */
static bool limit_to_command(pass *p, const validated *c)
{
    if (!pass_quirk(p, 12)) return true;
    uint8_t *only = arena_array(&p->lasting, p->snapshot->node_count + (size_t)1, sizeof *only);
    for (size_t i = 0; only != NULL && i < c->node_count; i++) {
        uint32_t number = state_node_named(p->snapshot, c->nodes[i]);
        if (number != NO_ID) only[number] = 1;
    }
    p->nodes.only = only;
    return only != NULL;
}

static karp_status look_again(pass *p, const validated *c, uint32_t *removed, karp_validation *out, karp_error *error)
{
    pass_set_method(p, c->method);
    if (!limit_to_command(p, c)) return fail_nomem(error);
    karp_status status = pass_candidates(p, error);
    if (status == KARP_OK) status = pass_budgets(p, error);
    uint32_t *found = arena_array(&p->data, c->node_count + 1, sizeof *found),
             *slots = arena_array(&p->data, c->node_count + 1, sizeof *slots);
    if (status != KARP_OK) return status;
    if (found == NULL || slots == NULL) return fail_nomem(error);
    if (p->error_code.len > 0) {
        out->code = KARP_REASON_INVALID_PDB;
        return KARP_OK;
    }
    uint32_t count = find_again(p, c, found, slots);
    if (c->method != KARP_METHOD_EMPTINESS) return check_all(p, c, found, count, removed, out, error);
    shrink(p, found, slots, count, removed, out);
    return KARP_OK;
}

karp_status validate_command(const karp_snapshot *later_snapshot, const karp_disrupt_options *options,
                             const validated *c, uint32_t *removed, karp_validation *out, karp_error *error)
{
    pass p;
    uint32_t method;
    bool drift = method_numbered(c->method)->eventual; /* eventual disruption is not validated again */
    karp_validation answer = { .size = sizeof answer,
                               .code = KARP_REASON_NONE,
                               .kept = drift ? (uint32_t)c->node_count : 0 };
    for (size_t i = 0; removed != NULL && i < c->node_count; i++) removed[i] = drift;
    if (!drift) {
        karp_status status = pass_start(&p, later_snapshot, options, &method, error);
        if (status != KARP_OK) return status;
        status = look_again(&p, c, removed, &answer, error);
        pass_end(&p);
        if (status != KARP_OK) return context_refusal(later_snapshot->context, status, error);
    }
    return struct_give(out, &answer, sizeof answer, SIZE_THROUGH(karp_validation, kept));
}

karp_status karp_disrupt_validate(const karp_snapshot *later_snapshot, const karp_disrupt_options *options,
                                  const karp_decision *decision, size_t command_index, uint32_t *removed,
                                  karp_validation *out, karp_error *error)
{
    if (later_snapshot == NULL || decision == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot, a decision and a place for the answer are needed");
    if (command_index >= decision->commands.count)
        return fail(error, KARP_E_NOT_FOUND, "the decision has no such command");
    const karp_command *c = &decision->commands.items[command_index];
    validated known = {
        .method = c->method, .nodes = c->nodes, .node_count = c->node_count, .launch_count = c->launch_count
    };
    if (c->launch_count > 0) known.launch = &decision->launches.items[c->launch_first];
    return validate_command(later_snapshot, options, &known, removed, out, error);
}
