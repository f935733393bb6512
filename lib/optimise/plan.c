/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launch decisions for the least cost. Karpenter's own plan comes first. Another plan is
 * valid if it places every pod that Karpenter's plan places, and better if it costs less. The scheduler always
 * decides whether a pod can be placed somewhere; the search only varies its instructions.
 */
#include <optimise/certify.h>
#include <schedule/options.h>
#include <optimise/plan.h>
#include <optimise/search.h>

#include <base/context.h>
#include <base/bits.h>
#include <base/error.h>
#include <karp/explain.h>
#include <math.h>

static run_options how_now(const search *q, const karp_options *options)
{
    run_options how = q->how;
    how.options = options;
    how.ignore_preferences = q->ignoring;
    return how;
}

/* Makes sure that the scheduler decides like a new one. */
static karp_status refresh(search *q, const karp_options *options)
{
    const run_options how = how_now(q, options);
    if (q->s != NULL && (q->fresh || q->bare || scheduler_repeatable(q->s))) return KARP_OK;
    scheduler_free(q->s);
    q->s = NULL;
    q->fresh = true;
    return scheduler_new(q->seen, &how, &q->s, q->error);
}

karp_status search_round(search *q, const policy *p, guide *g, const karp_options *options)
{
    const run_options how = how_now(q, options);
    karp_status status = refresh(q, options);
    if (status != KARP_OK) return status;
    q->fresh = false;
    (void)scheduler_reuse(q->s, &how);
    scheduler_set_policy(q->s, p);
    policy_note_given_up(q->s, q->steps_now);
    memset(q->steps_now, 0, q->seen->raw.pods.count * sizeof *q->steps_now);
    const round_changes *c = q->changes;
    if (g == NULL) return scheduler_round(q->s, c->removed, c->removed_count, c->moving, c->moving_count, q->error);
    for (uint32_t i = 0; i < g->slot_count; i++) g->slots[i].claim = UINT32_MAX;
    return scheduler_guided_round(q->s, g, c->removed, c->removed_count, c->moving, c->moving_count, q->error);
}

/* ---- the portfolio of size caps ---------------------------------------------------------------------------------- */

/* Node sizes, in CPUs, for which plans are made. Starts with the largest, for which it is fastest. */
static const int64_t caps[] = { 192, 96, 64, 48, 32, 16, 8, 4 };
enum { CAP_COUNT = sizeof caps / sizeof *caps, WORSE_IN_A_ROW = 3 };

static bool cap_templates(search *q, int64_t cpus, bool *any)
{
    *any = false;
    for (uint32_t t = 0; t < policy_template_count(q->s); t++) {
        q->first_types[t] = policy_types_within(q->s, t, cpus);
        *any = *any || q->first_types[t] != UINT32_MAX;
    }
    return !scheduler_failed(q->s);
}

bool search_must_stop(const search *q)
{
    return q->options->should_stop != NULL && q->options->should_stop(q->options->stop_user) != 0;
}

/* ---- evaluating a round ------------------------------------------------------------------------------------------ */

/* Whether every pod that Karpenter places is placed, and no pod has relaxed more, where that counts. */
static bool nobody_loses(search *q)
{
    size_t pods = q->seen->raw.pods.count;
    memset(q->now_left, 0, bits_words(pods) * sizeof *q->now_left);
    policy_left(q->s, q->now_left);
    for (size_t i = 0; i < pods; i++) {
        if (bits_test(q->left, i)) continue;
        if (bits_test(q->now_left, i) || (!q->ignoring && q->steps_now[i] > q->steps_kept[i])) return false;
    }
    return true;
}

static bool cheaper(const round_bill *a, const round_bill *b)
{
    return a->cost < b->cost || (a->cost <= b->cost && a->launches < b->launches);
}

#ifdef KARP_NO_EXPLAIN
/* Built without the verifier: plans that need it never count, except Karpenter's. */
static karp_status count_faults(const search *q, const karp_decision *d, uint32_t *faults)
{
    (void)d;
    *faults = q->decision != NULL;
    return KARP_OK;
}
#else
static karp_status count_faults(const search *q, const karp_decision *d, uint32_t *faults)
{
    karp_verification *found = NULL;
    karp_status status = karp_verify_decision(q->seen, d, &found, NULL);
    if (status == KARP_OK) *faults = (uint32_t)karp_verification_count(found);
    karp_verification_free(found);
    return status;
}
#endif

/* The result of the round as a decision, and the number of faults that the verifier finds in it. If only capacity and
 * requirements matter, the scheduler's check is sufficient. NULL = out of memory or stopped, see *status. */
static karp_decision *decision_of(search *q, uint32_t *faults, karp_status *status)
{
    karp_decision *d = decision_new(q->seen);
    *faults = 0;
    *status = d != NULL ? report_plan(q->s, d) : KARP_E_NOMEM;
    if (*status == KARP_OK) *status = scheduler_stopped(q->s, q->error);
    if (*status == KARP_OK && policy_has_topology(q->s)) *status = count_faults(q, d, faults);
    if (*status == KARP_OK) return d;
    karp_decision_unref(d);
    if (*status != KARP_E_CANCELED) *status = fail_nomem(q->error);
    return NULL;
}

bool search_better(search *q, karp_status *status)
{
    round_bill bill;
    uint32_t faults;
    *status = KARP_OK;
    if (policy_cut_short(q->s)) return false;
    if (!policy_bill(q->s, q->objective, &bill)) {
        *status = fail_nomem(q->error);
        return false;
    }
    if (!bill.priced || bill.dropped || !cheaper(&bill, &q->best) || !nobody_loses(q)) return false;
    karp_decision *d = q->bare ? NULL : decision_of(q, &faults, status);
    if (!q->bare && (d == NULL || faults > q->faults)) {
        karp_decision_unref(d);
        return false;
    }
    karp_decision_unref(q->decision);
    q->decision = d;
    q->best = bill;
    return true;
}

/* Decides with the types limited to `cpus`. *better: it is the best plan so far. */
static karp_status try_caps(search *q, int64_t cpus, bool *better)
{
    karp_status status = search_round(q, &q->capped, NULL, q->options);
    *better = status == KARP_OK && search_better(q, &status);
    if (!*better) return status;
    q->best_cap = cpus;
    q->best_is = PLAN_CAPPED;
    return KARP_OK;
}

static karp_status try_all_caps(search *q)
{
    uint32_t worse = 0;
    for (size_t i = 0; i < CAP_COUNT && worse < WORSE_IN_A_ROW; i++) {
        bool any = false, better = false;
        if (search_must_stop(q)) {
            q->stopped = true;
            return KARP_OK;
        }
        karp_status status = refresh(q, q->options);
        if (status == KARP_OK && !cap_templates(q, caps[i], &any)) status = fail_nomem(q->error);
        if (status == KARP_OK && !any) continue;
        if (status == KARP_OK) status = try_caps(q, caps[i], &better);
        if (status == KARP_E_CANCELED) {
            q->stopped = true;
            return KARP_OK;
        }
        if (status != KARP_OK) return status;
        worse = better ? 0 : worse + 1;
    }
    return KARP_OK;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static bool search_init(search *q)
{
    size_t pods = q->seen->raw.pods.count, templates = policy_template_count(q->s);
    q->left = arena_array(&q->data, bits_words(pods) + 1, sizeof *q->left);
    q->now_left = arena_array(&q->data, bits_words(pods) + 1, sizeof *q->now_left);
    q->steps_kept = arena_array(&q->data, pods + 1, sizeof *q->steps_kept);
    q->steps_now = arena_array(&q->data, pods + 1, sizeof *q->steps_now);
    q->steps_begun = arena_array(&q->data, pods + 1, sizeof *q->steps_begun);
    q->first_types = arena_array(&q->data, templates + 1, sizeof *q->first_types);
    policy_aim(&q->guided, q->objective);
    q->capped = q->guided;
    q->capped.first_types = q->first_types;
    q->weighs_spot = q->objective->spot_factor < 1 || q->objective->spot_factor > 1;
    return q->left != NULL && q->now_left != NULL && q->steps_kept != NULL && q->steps_now != NULL &&
           q->steps_begun != NULL && q->first_types != NULL;
}

/* A lower bound on the cost of plans that place the pods which Karpenter's plan places. There is none for an
 * incomplete plan, or if the caller wants to stop: Karpenter's plan exists by then and is the result. */
static karp_status find_bound(search *q)
{
    if (policy_cut_short(q->s)) return KARP_OK;
    uint64_t stops[MOST_STOPS];
    bound_trail *x = &q->trail.solutions;
    x->count = 0;
    for (uint64_t stop = FIRST_STOP; stop <= q->objective->effort && x->count < MOST_STOPS;
         stop = search_stop_after(stop))
        stops[x->count++] = stop;
    x->stops = arena_copy(&q->data, stops, x->count * sizeof *stops);
    x->at = arena_array(&q->data, x->count + (size_t)1, sizeof *x->at);
    if (x->stops == NULL || x->at == NULL) return KARP_E_NOMEM;
    karp_status status = bound_of_round(q->s, q->seen, q->options, q->steps_now, q->objective, &q->trail, &q->data,
                                        &q->bound);
    q->stopped = status == KARP_E_CANCELED;
    if (q->stopped) scheduler_finish(q->s); /* the plan is reported without calling should_stop */
    return q->stopped ? KARP_OK : status;
}

/* Karpenter's plan without preferences, from which the search continues. The bound applies to the pods that this plan
 * places; there is none if these are not the pods of Karpenter's plan. */
static karp_status ignore_preferences(search *q)
{
    size_t words_ = bits_words(q->seen->raw.pods.count);
    scheduler_free(q->s);
    q->s = NULL;
    q->ignoring = true;
    karp_status status = search_round(q, NULL, NULL, q->options);
    q->stopped = status == KARP_E_CANCELED;
    if (status != KARP_OK) return q->stopped ? KARP_OK : status;
    round_bill bill;
    if (!policy_bill(q->s, q->objective, &bill)) return fail_nomem(q->error);
    memset(q->now_left, 0, words_ * sizeof *q->now_left);
    policy_left(q->s, q->now_left);
    if (bits_equal(q->now_left, q->left, words_)) status = find_bound(q);
    if (status != KARP_OK) return fail_nomem(q->error);
    if (q->objective->effort > 0) (void)search_better(q, &status);
    return status;
}

/* Makes Karpenter's plan, which is the best until a better one is found. */
static karp_status begin_search(search *q)
{
    karp_status status = refresh(q, q->options);
    if (status != KARP_OK) return status;
    if (!search_init(q)) return fail_nomem(q->error);
    status = search_round(q, NULL, NULL, q->options);
    if (status != KARP_OK) return status;
    memcpy(q->steps_kept, q->steps_now, q->seen->raw.pods.count * sizeof *q->steps_kept);
    if (!policy_bill(q->s, q->objective, &q->compatible)) return fail_nomem(q->error);
    policy_left(q->s, q->left);
    q->best = q->compatible;
    bool ignores = (q->objective->flags & KARP_COST_IGNORE_PREFERENCES) != 0;
    status = ignores ? KARP_OK : find_bound(q);
    if (status != KARP_OK) return fail_nomem(q->error);
    if (!q->bare) q->decision = decision_of(q, &q->faults, &status);
    return status == KARP_OK && ignores && !policy_cut_short(q->s) ? ignore_preferences(q) : status;
}

karp_status search_replay(search *q, const karp_options *options)
{
    if (q->best_is == PLAN_COMPATIBLE) return search_round(q, NULL, NULL, options);
    if (q->best_is == PLAN_GUIDED) return search_round(q, &q->guided, &q->best_guided.guide, options);
    bool any;
    karp_status status = refresh(q, options);
    if (status == KARP_OK && !cap_templates(q, q->best_cap, &any)) status = fail_nomem(q->error);
    return status == KARP_OK ? search_round(q, &q->capped, NULL, options) : status;
}

/* The relative distance of the plan from the bound; negative = there is no bound. */
static double gap_of(double cost, double bound)
{
    if (!(cost > 0)) return 0;
    if (!(bound > 0)) return -1;
    return cost > bound ? (cost - bound) / bound : 0;
}

/* The proof of the bound becomes part of the decision. */
static void note_cost(search *q, karp_decision *d)
{
    if (!q->best.priced) { /* a launch has no offering, so its cost is unknown */
        karp_bound_free(q->bound);
        q->bound = NULL;
    }
    bool known = q->bound != NULL || q->best.launches == 0;
    double bound = q->bound != NULL ? karp_bound_value(q->bound) : 0, gap = known ? gap_of(q->best.cost, bound) : -1;
    d->bound = q->bound;
    q->bound = NULL;
    d->costed = true;
    d->cost = (karp_cost){ .size = sizeof d->cost,
                           .cost = q->best.cost,
                           .compatible_cost = q->compatible.cost,
                           .bound = bound,
                           .gap = gap,
                           .effort = q->objective->effort,
                           .steps = q->steps,
                           .compatible_launches = q->compatible.launches,
                           .stopped = q->stopped,
                           .optimal = gap >= 0 && gap <= OPTIMAL_GAP,
                           .flags = q->objective->flags };
}

/* Adds a note if all prices are 0, so that there is nothing to optimise. */
static bool note_free(const search *q)
{
    static const char text[] = "no offering has a price above 0: the plan for the least cost is Karpenter's own";
    for (uint32_t t = 0; t < q->seen->table_count; t++) {
        const type_table *table = &q->seen->tables[t];
        for (size_t i = 0; i < table->offering_count; i++) {
            if (table->offerings[i].price > 0) return true;
        }
    }
    return q->best.launches == 0 || decision_warn(q->decision, text, sizeof text - 1);
}

/* Looks for cheaper plans than Karpenter's. */
static karp_status improve(search *q)
{
    /* an incomplete plan is not optimised */
    if (policy_cut_short(q->s) || q->stopped || q->objective->effort == 0) return KARP_OK;
    karp_status status = try_all_caps(q);
    return status == KARP_OK && !q->stopped && scheduler_repeatable(q->s) ? search_refine(q) : status;
}

static karp_status decide(search *q, karp_decision **out)
{
    karp_status status = options_prices(q->seen, q->error);
    if (status == KARP_OK) status = begin_search(q);
    if (status == KARP_E_CANCELED && q->options->keep_partial)
        return provision_nothing(q->seen, q->options, out, q->error);
    if (status == KARP_OK) status = improve(q);
    if (status != KARP_OK) return status;
    note_cost(q, q->decision);
    if (!note_free(q)) return fail_nomem(q->error);
    *out = q->decision;
    q->decision = NULL;
    return KARP_OK;
}

static void end_search(search *q)
{
    karp_bound_free(q->bound);
    guided_plan_free(&q->best_guided);
    karp_decision_unref(q->decision);
    arena_free(&q->data);
}

karp_status provision_for_cost(const karp_snapshot *seen, const karp_options *options, const karp_objective *objective,
                               const round_changes *changes, karp_decision **out, karp_error *error)
{
    search q = {
        .seen = seen, .options = options, .objective = objective, .changes = changes, .error = error, .fresh = true
    };
    arena_init(&q.data, seen->context);
    karp_status status = decide(&q, out);
    scheduler_free(q.s);
    end_search(&q);
    return status == KARP_E_NOMEM ? context_refusal(seen->context, status, error) : status;
}

karp_status plan_anew(scheduler *s, const karp_snapshot *seen, const run_options *how, const karp_objective *objective,
                      const round_changes *changes, double *cost, karp_error *error)
{
    search q = {
        .seen = seen, .options = how->options, .objective = objective, .changes = changes, .how = *how, .error = error
    };
    q.s = s;
    q.bare = true;
    *cost = HUGE_VAL;
    arena_init(&q.data, seen->context);
    karp_status status = begin_search(&q);
    if (status == KARP_OK) status = improve(&q);
    bool whole = status == KARP_OK && !q.stopped && q.best.priced && !q.best.dropped;
    if (whole) status = search_replay(&q, q.options);
    if (whole && status == KARP_OK) *cost = q.best.cost;
    (void)scheduler_reuse(s, how);
    end_search(&q);
    return status;
}
