/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/simulate.h>

#include <base/error.h>
#include <schedule/movable.h>

void no_usable_pools(pass *p)
{
    p->error_code = str("NODEPOOLS_NOT_FOUND");
    p->error_message = str("there is no NodePool that is ready and not static");
}

/* Whether the permitted work is used up. */
static bool out_of_budget(pass *p)
{
    if (p->options.max_steps != 0 && p->work.steps >= p->options.max_steps) p->work.canceled = true;
    if (p->own_context.stop_noted) p->work.canceled = true;
    if (!p->work.canceled && p->options.should_stop != NULL && p->options.should_stop(p->options.stop_user) != 0)
        p->work.canceled = true;
    p->work.stopped = p->work.canceled ||
                      (p->work.most_simulations != 0 && p->work.simulations >= p->work.most_simulations);
    return p->work.stopped;
}

/* Whether all of the node's pods can move, whenever that may be. */
static bool all_move(const pass *p, const candidate *c)
{
    return p->snapshot->nodes[c->node].plain_pods && p->snapshot->raw.budgets.count == 0;
}

/* Lists the pods of each candidate that can move now, candidate by candidate. */
static uint32_t moving_pods(const pass *p, const uint32_t *candidates, uint32_t count, bool all, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const candidate *c = &p->found.candidates[candidates[i]];
        bool every = all || all_move(p, c);
        for (uint32_t k = 0; k < c->moving_count; k++) {
            if (every || pod_currently_reschedulable(p->snapshot, c->moving[k], p->now, p->budgets.blocking))
                out[n++] = c->moving[k];
        }
    }
    return n;
}

/* Takes a scheduler of an earlier simulation that is no longer in use. Reuse saves the set-up. */
static void take_spare(pass *p, simulation *m)
{
    for (size_t i = 0; i < p->spare.count; i++) {
        if (m->how.strict_reservations || !scheduler_reuse(p->spare.items[i], &m->how)) continue;
        m->s = p->spare.items[i];
        p->spare.items[i] = p->spare.items[--p->spare.count];
        return;
    }
}

static void give_scheduler(pass *p, scheduler *s, bool strict)
{
    scheduler **slot = s != NULL && !scheduler_failed(s) && !strict && scheduler_repeatable(s)
                           ? list_push(p->context, &p->spare, sizeof *slot)
                           : NULL;
    if (slot != NULL) *slot = s;
    else scheduler_free(s);
}

void simulations_end(pass *p)
{
    forget_simulations_ahead(p);
    list_free(p->context, &p->ahead, sizeof(simulation *));
    for (size_t i = 0; i < p->spare.count; i++) scheduler_free(p->spare.items[i]);
    list_free(p->context, &p->spare, sizeof(scheduler *));
}

/* Prepares everything a run needs from the pass; the run itself may be on another thread. */
static simulation *prepare(pass *p, const uint32_t *candidates, uint32_t count, const simulation_kind *kind)
{
    simulation *m = mem_zalloc(p->context, sizeof *m);
    size_t moving = 0;
    if (m == NULL) return NULL;
    arena_init(&m->data, p->context);
    m->options = p->options;
    m->options.keep_partial = 0;
    m->options.now = p->now;
    if (p->options.max_steps != 0) m->options.max_steps = p->options.max_steps - p->work.steps;
    m->how = (run_options){ .options = &m->options,
                            .simulation = true,
                            .shield = kind->shield,
                            .exact_budgets = !pass_quirk(p, 22),
                            .strict_reservations = kind->strict,
                            .credit = kind->credit };
    m->candidate = count == 1 ? candidates[0] : NO_ID;
    for (uint32_t i = 0; i < count; i++) moving += p->found.candidates[candidates[i]].moving_count;
    m->removed = arena_array(&m->data, count + (size_t)1, sizeof *m->removed);
    m->extra = arena_array(&m->data, moving + 1, sizeof *m->extra);
    /* Reserves the place to keep its scheduler, so that a refused allocation is detected here. */
    if (m->removed == NULL || m->extra == NULL || !list_reserve(p->context, &p->spare, sizeof *p->spare.items)) {
        simulation_free(p, m);
        return NULL;
    }
    m->removed_count = count;
    for (uint32_t i = 0; i < count; i++) m->removed[i] = p->found.candidates[candidates[i]].node;
    return m;
}

static karp_status execute(const karp_snapshot *snapshot, simulation *m, karp_error *error)
{
    karp_status status = m->s == NULL ? scheduler_new(snapshot, &m->how, &m->s, error) : KARP_OK;
    if (status == KARP_OK)
        status = scheduler_round(m->s, m->removed, m->removed_count, m->extra, m->extra_count, error);
    if (status == KARP_OK && !result_read(m->s, &m->data, &m->result)) status = fail_nomem(error);
    return context_refusal(snapshot->context, status, error);
}

/* Counts the work of a simulation at its turn, and handles its result. */
static karp_status account(pass *p, simulation *m, karp_status status)
{
    p->work.simulations++;
    p->work.steps += m->s != NULL ? scheduler_steps(m->s) : 0;
    p->work.gave_up = p->work.gave_up || (m->s != NULL && scheduler_gave_up(m->s));
    if (status != KARP_E_CANCELED) return status;
    p->work.stopped = p->work.canceled = true;
    m->outcome = SIMULATION_STOPPED;
    return KARP_OK;
}

/* Takes a simulation run in advance; these are always for one node. */
static simulation *take_ahead(pass *p, uint32_t candidate_number)
{
    for (size_t i = 0; i < p->ahead.count; i++) {
        simulation *m = p->ahead.items[i];
        if (m->candidate != candidate_number) continue;
        p->ahead.items[i] = p->ahead.items[--p->ahead.count];
        return m;
    }
    return NULL;
}

karp_status simulate(pass *p, const uint32_t *candidates, uint32_t count, bool consolidation, simulation **out,
                     karp_error *error)
{
    const simulation_kind kind = { .shield = consolidation };
    return simulate_as(p, candidates, count, &kind, out, error);
}

karp_status simulate_as(pass *p, const uint32_t *candidates, uint32_t count, const simulation_kind *kind,
                        simulation **out, karp_error *error)
{
    simulation *m = take_ahead(p, candidates[0]);
    karp_status status = KARP_OK;
    bool made = m != NULL;
    if (!made) m = prepare(p, candidates, count, kind);
    if (m == NULL) return fail_nomem(error);
    m->outcome = !p->usable_pools ? SIMULATION_NO_POOLS : out_of_budget(p) ? SIMULATION_STOPPED : SIMULATED;
    if (m->outcome == SIMULATED) {
        if (!made) {
            m->extra_count = moving_pods(p, candidates, count, kind->all_pods, m->extra);
            take_spare(p, m);
            m->status = execute(p->simulated, m, error);
        }
        status = account(p, m, m->status);
    }
    if (status == KARP_OK) {
        *out = m;
        return KARP_OK;
    }
    simulation_free(p, m);
    *out = NULL;
    return status == KARP_E_NOMEM ? fail_nomem(error) : status;
}

/* ---- decisions without a simulation ------------------------------------------------------------------------------ */

/* Finds or creates a free scheduler for consolidation, which stays free; NULL = none, or out of memory (*status). */
static scheduler *borrow_scheduler(pass *p, karp_status *status, karp_error *error)
{
    p->vain.options = p->options;
    p->vain.options.keep_partial = 0;
    p->vain.options.now = p->now;
    const run_options how = {
        .options = &p->vain.options, .simulation = true, .shield = true, .exact_budgets = !pass_quirk(p, 22)
    };
    scheduler *s = NULL;
    for (size_t i = 0; i < p->spare.count; i++) {
        if (scheduler_reuse(p->spare.items[i], &how)) return p->spare.items[i];
    }
    if (!list_reserve(p->context, &p->spare, sizeof s)) *status = fail_nomem(error);
    else *status = context_refusal(p->snapshot->context, scheduler_new(p->simulated, &how, &s, error), error);
    if (*status == KARP_E_CANCELED) { /* the simulation reports this, even if the caller says it only once */
        p->work.canceled = true;
        *status = KARP_OK;
    }
    if (s == NULL || *status != KARP_OK) return NULL;
    if (!scheduler_repeatable(s)) {
        scheduler_free(s);
        return NULL;
    }
    return *(scheduler **)list_push(p->context, &p->spare, sizeof s) = s;
}

/* Removes a scheduler that cannot be reused from the spare ones. */
static void forget_scheduler(pass *p, scheduler *s)
{
    for (size_t i = 0; i < p->spare.count; i++) {
        if (p->spare.items[i] != s) continue;
        p->spare.items[i] = p->spare.items[--p->spare.count];
        break;
    }
    scheduler_free(s);
}

/* Allocates lists for all nodes and pods, once a pass. */
static bool make_vain_lists(pass *p)
{
    const karp_snapshot *s = p->snapshot;
    if (p->vain.nodes == NULL) p->vain.nodes = arena_alloc(&p->lasting, (s->node_count + (size_t)1) * sizeof(uint32_t));
    if (p->vain.pods == NULL) p->vain.pods = arena_alloc(&p->lasting, (s->raw.pods.count + 1) * sizeof(uint32_t));
    return p->vain.nodes != NULL && p->vain.pods != NULL;
}

karp_status simulation_in_vain(pass *p, const uint32_t *candidates, uint32_t count, double limit, bool *vain,
                               karp_error *error)
{
    karp_status status = KARP_OK;
    bool counted = p->options.max_steps != 0 || p->work.most_simulations != 0;
    *vain = false;
    if (!p->commands_only || !p->usable_pools || counted || p->vain.never || out_of_budget(p)) return KARP_OK;
    scheduler *s = borrow_scheduler(p, &status, error);
    if (s == NULL) {
        p->vain.never = true;
        return status;
    }
    bool listed = make_vain_lists(p);
    if (listed) {
        for (uint32_t i = 0; i < count; i++) p->vain.nodes[i] = p->found.candidates[candidates[i]].node;
        const candidate *first = &p->found.candidates[candidates[0]];
        bool listed_before = count == 1 && all_move(p, first);
        uint32_t moving = listed_before ? first->moving_count : moving_pods(p, candidates, count, false, p->vain.pods);
        *vain = scheduler_in_vain(s, p->vain.nodes, count, listed_before ? first->moving : p->vain.pods, moving, limit);
    }
    if (!listed || scheduler_failed(s)) status = fail_nomem(error);
    p->vain.never = scheduler_failed(s) || !scheduler_repeatable(s);
    if (p->vain.never) forget_scheduler(p, s);
    if (p->vain.never) *vain = false;
    return status;
}

/* ---- simulations in advance -------------------------------------------------------------------------------------- */

/* With a limit of steps or a cancellation function, a simulation ends at a point that depends on the simulations before
 * it. A limit of simulations only ends their sequence. */
bool may_simulate_ahead(const pass *p)
{
    return p->own_context.options.parallel_for != NULL && !p->commands_only && p->usable_pools &&
           p->options.max_steps == 0 && p->own_context.options.should_stop == NULL;
}

static void execute_ahead(size_t index, void *data)
{
    pass *p = data;
    simulation *m = p->ahead.items[index];
    m->status = execute(p->simulated, m, NULL);
}

karp_status simulate_ahead(pass *p, const uint32_t *candidates, uint32_t count, karp_error *error)
{
    static const simulation_kind consolidation = { .shield = true };
    const karp_context_options *lent = karp_context_get_options(p->context);
    forget_simulations_ahead(p);
    for (uint32_t i = 0; i < count; i++) {
        if (!list_reserve(p->context, &p->ahead, sizeof(simulation *))) return fail_nomem(error);
        simulation *m = prepare(p, &candidates[i], 1, &consolidation);
        simulation **slot = m == NULL ? NULL : list_push(p->context, &p->ahead, sizeof *slot);
        if (slot == NULL) return fail_nomem(error);
        *slot = m;
        m->extra_count = moving_pods(p, &candidates[i], 1, false, m->extra);
        take_spare(p, m);
    }
    lent->parallel_for(p->ahead.count, execute_ahead, p, lent->parallel_user);
    return KARP_OK;
}

void forget_simulations_ahead(pass *p)
{
    while (p->ahead.count > 0) simulation_free(p, p->ahead.items[--p->ahead.count]);
}

void simulation_free(pass *p, simulation *m)
{
    if (m == NULL) return;
    give_scheduler(p, m->s, m->how.strict_reservations);
    arena_free(&m->data);
    mem_free(p->context, m, sizeof *m);
}
