/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/simulate.h>

#include <base/bits.h>
#include <base/error.h>
#include <base/sort.h>
#include <schedule/movable.h>

void no_usable_pools(pass *p)
{
    p->error_code = str("NODEPOOLS_NOT_FOUND");
    p->error_message = str("there is no NodePool that is ready and not static");
}

/* Whether the work that the caller allows is used up. */
static bool out_of_budget(pass *p)
{
    if (p->stopped) return true;
    if (p->options.max_steps != 0 && p->steps >= p->options.max_steps) p->canceled = true;
    if (!p->canceled && p->options.should_stop != NULL && p->options.should_stop(p->options.stop_user) != 0) p->canceled = true;
    p->stopped = p->canceled || (p->max_simulations != 0 && p->simulations >= p->max_simulations);
    return p->stopped;
}

/* Candidate by candidate, those of their pods that may move now. */
static uint32_t moving_pods(const pass *p, const uint32_t *candidates, uint32_t count, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const candidate *c = &p->candidates[candidates[i]];
        for (uint32_t k = 0; k < c->moving_count; k++) {
            if (pod_currently_reschedulable(p->snapshot, c->moving[k], p->now, p->closed_budgets)) out[n++] = c->moving[k];
        }
    }
    return n;
}

/* Step 8: nobody moves to a node that is not initialized, except pods whose own node is going anyway. */
static bool refuse_uninitialized(simulation *m)
{
    scheduler *s = m->s;
    const karp_snapshot *w = s->snapshot;
    for (uint32_t i = 0; i < s->pod_count; i++) {
        uint32_t pod_number = s->pods[i], from = w->pod_node[pod_number];
        place at = s->places[pod_number];
        if (at.where != PLACE_HOST || w->nodes[s->hosts[at.target].node].initialized) continue;
        if (from != NO_ID && bits_test(s->marked_nodes, from)) continue;
        failure *f = list_push(s->context, &s->failures, sizeof *f);
        if (f == NULL) return false;
        *f = (failure){ .pod = pod_number, .view = NO_ID, .reason = KARP_REASON_UNINITIALIZED_NODE, .after = true };
    }
    return true;
}

static void note_left_out(simulation *m)
{
    const scheduler *s = m->s;
    const karp_snapshot *w = s->snapshot;
    m->all_scheduled = true;
    m->left_out = NO_ID;
    for (size_t i = 0; i < s->failures.count; i++) {
        uint32_t pod_number = s->failures.items[i].pod;
        if (pod_provisionable(&w->raw.pods.items[pod_number])) continue;
        m->all_scheduled = false;
        if (m->left_out == NO_ID || w->pod_rank[pod_number] < w->pod_rank[m->left_out]) m->left_out = pod_number;
    }
}

static bool finish(simulation *m)
{
    scheduler *s = m->s;
    if (!report_claims_received(s, &m->data, &m->got) || !report_finalize(s, &m->data, &m->got, &m->finals) || !refuse_uninitialized(m)) return false;
    m->claims = arena_array(&m->data, s->claims.count + 1, sizeof *m->claims);
    if (m->claims == NULL) return false;
    for (uint32_t c = 0; c < s->claims.count; c++) {
        if (!s->claims.items[c].dropped) m->claims[m->claim_count++] = c;
    }
    note_left_out(m);
    return report_sort_claims(s, &m->got, m->claims, m->claim_count) && !s->failed && !s->algebra.failed;
}

/* A scheduler of an earlier simulation that nobody holds any more, or a new one. Using one again costs no set-up. */
static karp_status take_scheduler(pass *p, simulation *m, bool consolidation, karp_error *error)
{
    for (size_t i = 0; i < p->spare.count; i++) {
        if (p->spare.items[i]->shield != consolidation) continue;
        m->s = p->spare.items[i];
        p->spare.items[i] = p->spare.items[--p->spare.count];
        m->s->options = &m->options;
        return KARP_OK;
    }
    const run_options how = { .options = &m->options, .simulation = true, .shield = consolidation, .exact_budgets = !pass_quirk(p, 22) };
    return scheduler_new(p->snapshot, &how, &m->s, error);
}

static void give_scheduler(pass *p, scheduler *s)
{
    scheduler **slot = s != NULL && !s->failed && scheduler_repeatable(s) ? list_push(p->context, &p->spare, sizeof *slot) : NULL;
    if (slot != NULL) *slot = s;
    else scheduler_free(s);
}

void simulations_end(pass *p)
{
    for (size_t i = 0; i < p->spare.count; i++) scheduler_free(p->spare.items[i]);
    list_free(p->context, &p->spare, sizeof(scheduler *));
}

static karp_status run(pass *p, const uint32_t *candidates, uint32_t count, bool consolidation, simulation *m, karp_error *error)
{
    size_t moving = 0;
    for (uint32_t i = 0; i < count; i++) moving += p->candidates[candidates[i]].moving_count;
    uint32_t *removed = arena_array(&m->data, count + (size_t)1, sizeof *removed);
    uint32_t *extra = arena_array(&m->data, moving + 1, sizeof *extra);
    if (removed == NULL || extra == NULL) return fail_nomem(error);
    for (uint32_t i = 0; i < count; i++) removed[i] = p->candidates[candidates[i]].node;
    karp_status status = take_scheduler(p, m, consolidation, error);
    if (status != KARP_OK) return status;
    p->simulations++;
    status = scheduler_round(m->s, removed, count, extra, moving_pods(p, candidates, count, extra), error);
    p->steps += m->s->steps;
    if (status == KARP_E_CANCELED) {
        p->stopped = p->canceled = true;
        m->outcome = SIMULATION_STOPPED;
        return KARP_OK;
    }
    if (status != KARP_OK) return status;
    return finish(m) ? KARP_OK : fail_nomem(error);
}

karp_status simulate(pass *p, const uint32_t *candidates, uint32_t count, bool consolidation, simulation **out, karp_error *error)
{
    simulation *m = mem_zalloc(p->context, sizeof *m);
    if (m == NULL) return fail_nomem(error);
    arena_init(&m->data, p->context);
    m->options = p->options;
    m->options.keep_partial = 0;
    m->options.now = p->now;
    if (p->options.max_steps != 0) m->options.max_steps = p->options.max_steps - p->steps;
    m->outcome = !p->usable_pools ? SIMULATION_NO_POOLS : out_of_budget(p) ? SIMULATION_STOPPED : SIMULATED;
    *out = m;
    if (m->outcome != SIMULATED) return KARP_OK;
    karp_status status = run(p, candidates, count, consolidation, m, error);
    if (status == KARP_OK) return KARP_OK;
    simulation_free(p, m);
    *out = NULL;
    return status == KARP_E_NOMEM ? fail_nomem(error) : status;
}

void simulation_free(pass *p, simulation *m)
{
    if (m == NULL) return;
    give_scheduler(p, m->s);
    arena_free(&m->data);
    mem_free(p->context, m, sizeof *m);
}
