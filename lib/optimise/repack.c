/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_repack(). The disruption pass determines which nodes can be removed, and the scheduler where
 * pods can be placed. The movable pods are described in numbers (menu.h), and a search looks for plans
 * (repack_search.h). The best plan is split into steps (repack_steps.h). Then the scheduler has to admit every pod at
 * its planned place, after each step where the order could make a difference.
 */
#include <optimise/repack.h>
#include <schedule/options.h>

#include <base/bits.h>
#include <base/error.h>
#include <disrupt/budgets.h>
#include <disrupt/candidates.h>
#include <disrupt/methods.h>
#include <schedule/movable.h>

enum { SPARE_PLANS = 8 };

void karp_repack_options_init(karp_repack_options *options, size_t size)
{
    const karp_repack_options fresh = { .max_evictions = KARP_REPACK_ANY,
                                        .max_steps = KARP_REPACK_ANY,
                                        .max_evicted_percent = 100 };
    struct_start(options, size, &fresh, sizeof fresh);
}

bool repack_must_stop(repacking *r)
{
    const karp_options *o = &r->p.options;
    if (r->p.work.stopped || r->p.own_context.stop_noted ||
        (o->should_stop != NULL && o->should_stop(o->stop_user) != 0))
        r->stopped = true;
    return r->stopped;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static bool amount_of_money(double x) { return x >= 0 && x <= 1e12; }

static karp_status check_options(const karp_repack_options *given, karp_repack_options *out, karp_error *error)
{
    karp_repack_options defaults;
    karp_repack_options_init(&defaults, sizeof defaults);
    if (given == NULL) given = &defaults;
    karp_status status = struct_check(given, sizeof *out, SIZE_THROUGH(karp_repack_options, in_progress_count), out,
                                      "karp_repack_options", error);
    if (status != KARP_OK) return status;
    if (!(out->max_evicted_percent >= 0 && out->max_evicted_percent <= 100))
        return fail(error, KARP_E_INVALID, "max_evicted_percent has to be from 0 to 100");
    if (!amount_of_money(out->min_saving)) return fail(error, KARP_E_INVALID, "min_saving has to be from 0 to 10^12");
    if (!amount_of_money(out->min_saving_per_eviction))
        return fail(error, KARP_E_INVALID, "min_saving_per_eviction has to be from 0 to 10^12");
    if (out->in_progress == NULL && out->in_progress_count > 0)
        return fail(error, KARP_E_INVALID, "karp_repack_options: in_progress_count is not 0, but in_progress is NULL");
    return KARP_OK;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

/* The candidates of consolidation, and empty nodes that emptiness would delete. */
static karp_status find_candidates(repacking *r)
{
    pass *p = &r->p;
    size_t nodes = p->snapshot->node_count;
    uint8_t *empty = arena_array(&r->data, nodes + 1, sizeof *empty);
    if (empty == NULL) return fail_nomem(r->error);
    pass_set_method(p, KARP_METHOD_EMPTINESS);
    karp_status status = pass_candidates(p, r->error);
    if (status != KARP_OK) return status;
    bool widened = r->options.ignore_consolidate_after != 0;
    for (uint32_t i = 0; i < p->found.candidate_count; i++) {
        uint32_t code = p->found.stays[p->found.candidates[i].node].code;
        empty[p->found.candidates[i].node] = code == KARP_REASON_NONE ||
                                             (widened && code == KARP_REASON_NOT_CONSOLIDATABLE);
    }
    pass_set_method(p, KARP_METHOD_SINGLE_NODE);
    status = pass_candidates(p, r->error);
    if (status != KARP_OK) return status;
    status = pass_budgets(p, r->error);
    if (status != KARP_OK) return status;
    p->found.eligible_count = 0;
    for (uint32_t i = 0; i < p->found.candidate_count; i++) {
        const candidate *c = &p->found.candidates[i];
        stay *why = &p->found.stays[c->node];
        bool may = why->code == KARP_REASON_NONE || (widened && why->code == KARP_REASON_NOT_CONSOLIDATABLE) ||
                   (why->code == KARP_REASON_EMPTY_NODE && empty[c->node]);
        if (may && r->options.ignore_budgets == 0 && p->budgets.remaining[c->pool] <= 0) {
            may = false;
            if (!pass_keep(p, c->node, KARP_REASON_BUDGET, name_of(p->snapshot, pool_of(p, c)->meta.name)))
                return fail_nomem(r->error);
        } else if (may) {
            why->code = KARP_REASON_NONE;
        }
        if (may) p->found.eligible[p->found.eligible_count++] = i;
    }
    return KARP_OK;
}

bool repack_may_stop(const repacking *r)
{
    return r->p.options.keep_partial && r->p.own_context.options.should_stop != NULL;
}

karp_status repack_canceled(const repacking *r)
{
    return fail(r->error, KARP_E_CANCELED, "stopped before the plan was found");
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static karp_status list_homes(repacking *r)
{
    const pass *p = &r->p;
    size_t moving = 0;
    r->homes = arena_array(&r->data, p->found.eligible_count + (size_t)1, sizeof *r->homes);
    r->candidate_of = arena_array(&r->data, p->found.eligible_count + (size_t)1, sizeof *r->candidate_of);
    r->removed = arena_array(&r->data, p->found.eligible_count + (size_t)1, sizeof *r->removed);
    for (uint32_t i = 0; i < p->found.eligible_count; i++)
        moving += p->found.candidates[p->found.eligible[i]].moving_count;
    r->moving = arena_array(&r->data, moving + 1, sizeof *r->moving);
    if (r->homes == NULL || r->candidate_of == NULL || r->removed == NULL || r->moving == NULL)
        return fail_nomem(r->error);
    for (uint32_t i = 0; i < p->found.eligible_count; i++) {
        const candidate *c = &p->found.candidates[p->found.eligible[i]];
        r->candidate_of[r->home_count] = p->found.eligible[i];
        r->removed[r->home_count] = c->node;
        r->homes[r->home_count++] = (menu_home){ c->node, c->moving, c->moving_count };
        memcpy(r->moving + r->moving_count, c->moving, c->moving_count * sizeof *r->moving);
        r->moving_count += c->moving_count;
    }
    return KARP_OK;
}

/* Places the pods of all candidates again. Records their relaxation steps. Nodes with pods that cannot be placed will
 * stay. */
static karp_status place_all_anew(repacking *r)
{
    size_t words_ = bits_words(r->seen->raw.pods.count);
    uint64_t *left = arena_array(&r->data, words_ + 1, sizeof *left);
    if (left == NULL) return fail_nomem(r->error);
    karp_status status = repack_new_round(r, r->removed, r->home_count, r->moving, r->moving_count, NULL);
    if (status != KARP_OK) return status;
    memcpy(r->steps, r->steps_now, r->seen->raw.pods.count * sizeof *r->steps);
    round_bill bill;
    if (!policy_bill(r->s, &r->objective, &bill)) return fail_nomem(r->error);
    policy_left(r->s, left);
    uint32_t n = 0;
    if (r->cut) r->home_count = 0; /* it is not known which pods can be placed */
    for (uint32_t i = 0; i < r->home_count; i++) {
        bool stays = policy_cut_short(r->s);
        for (uint32_t k = 0; k < r->homes[i].count; k++) stays = stays || bits_test(left, r->homes[i].pods[k]);
        if (stays && !pass_keep(&r->p, r->homes[i].node, KARP_REASON_PODS_WOULD_NOT_SCHEDULE, (karp_str){ "", 0 }))
            return fail_nomem(r->error);
        if (stays) continue;
        r->candidate_of[n] = r->candidate_of[i];
        r->homes[n++] = r->homes[i];
    }
    r->home_count = n;
    return KARP_OK;
}

static karp_status find_homes(repacking *r)
{
    karp_status status = list_homes(r);
    return status == KARP_OK ? place_all_anew(r) : status;
}

/* The number of evictions that the options allow. */
static uint64_t most_evictions(const repacking *r)
{
    uint64_t part = r->options.max_evicted_percent >= 100
                        ? UINT64_MAX
                        : (uint64_t)((double)r->cost.pods * r->options.max_evicted_percent / 100);
    return part < r->options.max_evictions ? part : r->options.max_evictions;
}

static karp_status make_problem(repacking *r)
{
    karp_status status = find_homes(r);
    if (status != KARP_OK || r->home_count == 0) return status;
    if (!menu_of_nodes(r->s, &r->data, r->homes, r->home_count, r->steps, NULL, &r->objective, &r->menu))
        return fail_nomem(r->error);
    status = repack_new_round(r, NULL, 0, r->moving, r->moving_count, NULL);
    if (status != KARP_OK) return status;
    r->wants_tree = r->objective.effort > 0 && r->moving_count <= COUNTS_PODS && most_evictions(r) >= r->moving_count;
    if (!policy_cut_short(r->s) && !repack_bound_make(r)) return fail_nomem(r->error);
    r->untuned = r->bound;
    r->tuned_for = UINT64_MAX;
    return repack_numbers(r);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Removes all nodes, or if that is too many evictions those of the best plan, in one step. */
static karp_status plan_as_one_step(repacking *r, uint64_t most, bool *found)
{
    double saving = repack_look_saving(r);
    uint64_t all = 0;
    uint32_t count = r->problem.node_count, *nodes = arena_array(&r->data, count + (size_t)1, sizeof *nodes);
    if (nodes == NULL) return fail_nomem(r->error);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = i;
        all += r->pods.counts[i];
    }
    if (all > most) {
        karp_status status = repack_steps_of_best(r);
        if (status != KARP_OK) return status;
        count = (uint32_t)r->stages.order.count;
        if (count > 0) memcpy(nodes, r->stages.order.items, count * sizeof *nodes);
    }
    return repack_admit_anew(r, nodes, count, saving, found);
}

/* Finds the best plan that the scheduler admits. Nodes that it rejects stay, and the search is repeated for the
 * others. A plan whose check was cut short has no steps. *whole: all of the plan is admitted. */
static karp_status find_plan(repacking *r, uint64_t most, bool *whole)
{
    uint64_t steps = r->objective.effort;
    uint32_t refused = UINT32_MAX, good = 0;
    karp_status status = repack_look(r, most);
    *whole = false;
    if (status == KARP_OK && !r->stopped && r->objective.effort > 0) status = plan_as_one_step(r, most, whole);
    if (*whole) return status;
    for (uint32_t turn = 0; status == KARP_OK && !r->stopped; turn++) {
        status = repack_steps_of_best(r);
        if (status == KARP_OK) status = repack_admit(r, &refused, &good);
        if (status != KARP_OK || r->cut) break;
        *whole = refused == UINT32_MAX;
        if (*whole) return KARP_OK;
        if (turn == SPARE_PLANS) return repack_admit_first(r, good);
        status = repack_look_without(r, refused, most, steps / SPARE_PLANS);
    }
    repack_steps_cut(&r->stages, 0);
    return status;
}

/* Keeps the plan of the last round for a caller that stops the search, unless a better one is kept. */
static karp_status keep_decision(repacking *r)
{
    karp_decision *d = NULL;
    karp_status status = repack_decision(r, false, &d);
    if (status != KARP_OK) return status;
    if (r->kept != NULL && r->kept->repack.after <= d->repack.after) {
        karp_decision_unref(d);
        return KARP_OK;
    }
    karp_decision_unref(r->kept);
    r->kept = d;
    return KARP_OK;
}

karp_status repack_keep(repacking *r)
{
    uint32_t refused, good;
    karp_status status = repack_steps_so_far(r);
    if (status != KARP_OK) return status;
    status = repack_admit(r, &refused, &good);
    if (status != KARP_OK || r->cut) return status;
    if (refused != UINT32_MAX) status = repack_admit_first(r, good);
    if (status != KARP_OK || r->cut || r->stages.stages.count == 0) return status;
    return keep_decision(r);
}

static karp_status plan(repacking *r)
{
    uint64_t most = most_evictions(r);
    bool whole;
    karp_status status = find_plan(r, most, &whole);
    if (status != KARP_OK || !whole || r->objective.effort == 0) return status;
    if (repack_may_stop(r) && r->stages.stages.count > 0) status = keep_decision(r);
    return status == KARP_OK ? repack_again(r, most) : status;
}

/* Returns the plan. If the search was stopped without a result, returns the plan that was kept last. */
static karp_status answer(repacking *r, karp_decision **out)
{
    if (r->kept == NULL || !r->stopped || r->stages.stages.count > 0) return repack_decision(r, !r->stopped, out);
    r->kept->repack.work = repack_look_work(r);
    *out = r->kept;
    r->kept = NULL;
    return KARP_OK;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static karp_status read_options(repacking *r, const karp_repack_options *options)
{
    karp_options common;
    karp_status status = check_options(options, &r->options, r->error);
    if (status != KARP_OK) return status;
    status = options_check(r->options.common, &common, r->error);
    if (status != KARP_OK) return status;
    status = objective_check(&common, &r->objective, r->error);
    if (status != KARP_OK) return status;
    if (common.objective == NULL) karp_objective_init(&r->objective, sizeof r->objective);
    return objective_of_nodes(&r->objective, r->error);
}

static karp_status begin_repacking(repacking *r, const karp_snapshot *snapshot)
{
    pass *p = &r->p;
    karp_disrupt_options disrupt;
    uint32_t method;
    karp_disrupt_options_init(&disrupt, sizeof disrupt);
    disrupt.common = r->options.common;
    disrupt.method = KARP_METHOD_SINGLE_NODE;
    disrupt.in_progress = r->options.in_progress;
    disrupt.in_progress_count = r->options.in_progress_count;
    karp_status status = pass_start(p, snapshot, &disrupt, &method, r->error);
    if (status != KARP_OK) return status;
    r->seen = p->snapshot;
    r->context = p->context;
    arena_init(&r->data, r->context);
    status = options_prices(r->seen, r->error);
    if (status != KARP_OK) return status;
    p->options.objective = NULL;
    policy_aim(&r->policy, &r->objective);
    r->how = (run_options){ .options = &p->options,
                            .simulation = true,
                            .shield = r->options.ignore_consolidate_after == 0,
                            .exact_budgets = !pass_quirk(p, 22) };
    size_t pods = r->seen->raw.pods.count + 1;
    r->steps = arena_array(&r->data, pods, sizeof *r->steps);
    r->steps_now = arena_array(&r->data, pods, sizeof *r->steps_now);
    return r->steps != NULL && r->steps_now != NULL ? KARP_OK : fail_nomem(r->error);
}

/* Computes the cost of the cluster, and the number of pods that could be moved. */
static void count_before(repacking *r)
{
    const karp_snapshot *s = r->seen;
    for (uint32_t i = 0; i < s->node_count; i++) {
        const state_node *n = &s->nodes[i];
        r->cost.before += node_price(s, n) + r->objective.node_cost;
        for (uint32_t k = 0; k < n->all_pod_count; k++)
            r->cost.pods += pod_reschedulable(pod_at(&s->raw, n->all_pods[k]));
    }
    r->cost.after = r->cost.before;
    r->cost.effort = r->objective.effort;
}

static karp_status find_scheduler(repacking *r)
{
    karp_status status = find_candidates(r);
    if (status == KARP_OK) status = scheduler_new(r->seen, &r->how, &r->s, r->error);
    if (status == KARP_E_CANCELED && r->p.options.keep_partial) {
        r->stopped = true;
        return KARP_OK;
    }
    r->may_act = status == KARP_OK && r->p.usable_pools && scheduler_repeatable(r->s);
    return status;
}

static karp_status decide(repacking *r)
{
    count_before(r);
    karp_status status = find_scheduler(r);
    if (status != KARP_OK || !r->may_act) return status;
    status = make_problem(r);
    if (status != KARP_OK || r->problem.node_count == 0) return status;
    return plan(r);
}

/* Frees everything. Returns the status of the call. */
static karp_status finish(repacking *r, const karp_snapshot *snapshot, karp_status status)
{
    karp_error *error = r->error;
    if (r->context != NULL) { /* otherwise begin_repacking() has allocated nothing */
        karp_decision_unref(r->kept);
        repack_steps_free(r->context, &r->stages);
        repack_look_end(r);
        list_free(r->context, &r->points, sizeof *r->points.items);
        list_free(r->context, &r->proven, sizeof *r->proven.items);
        scheduler_free(r->s);
        arena_free(&r->data);
        pass_end(&r->p);
    }
    mem_free(snapshot->context, r, sizeof *r);
    return status == KARP_OK ? status : context_refusal(snapshot->context, status, error);
}

static karp_status repack(repacking *r, const karp_snapshot *snapshot, const karp_repack_options *options,
                          karp_decision **out)
{
    karp_status status = read_options(r, options);
    if (status != KARP_OK) return status;
    status = begin_repacking(r, snapshot);
    if (status != KARP_OK) return status;
    status = decide(r);
    if (status != KARP_OK) return status;
    if (repack_must_stop(r) && !r->p.options.keep_partial) return repack_canceled(r);
    return answer(r, out);
}

karp_status karp_repack(const karp_snapshot *snapshot, const karp_repack_options *options, karp_decision **out,
                        karp_error *error)
{
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    repacking *r = mem_zalloc(snapshot->context, sizeof *r);
    if (r == NULL) return context_nomem(snapshot->context, error);
    r->error = error;
    r->cost.size = sizeof r->cost;
    return finish(r, snapshot, repack(r, snapshot, options, out));
}

/* Repeats the rounds from which the bound was computed. */
static karp_status check_certificate(repacking *r, const karp_snapshot *snapshot, const karp_certificate *c)
{
    karp_status status = begin_repacking(r, snapshot);
    if (status != KARP_OK) return status;
    status = find_scheduler(r);
    if (status != KARP_OK) return status;
    if (r->may_act) status = find_homes(r);
    if (status != KARP_OK) return status;
    if (r->stopped) return repack_canceled(r);
    if (r->home_count == 0)
        return fail(r->error, KARP_E_INVALID,
                    "no node of the cluster would be removed, and the certificate says otherwise");
    status = repack_new_round(r, NULL, 0, r->moving, r->moving_count, NULL);
    if (status != KARP_OK) return status;
    return policy_cut_short(r->s) ? repack_canceled(r) : repack_certificate_holds(r, c);
}

karp_status repack_certificate_check(const karp_snapshot *snapshot, const karp_options *options,
                                     const karp_certificate *c, karp_error *error)
{
    repacking *r = mem_zalloc(snapshot->context, sizeof *r);
    if (r == NULL) return context_nomem(snapshot->context, error);
    r->error = error;
    karp_repack_options_init(&r->options, sizeof r->options);
    r->options.common = options;
    r->options.ignore_budgets = c->ignore_budgets;
    r->options.ignore_consolidate_after = c->ignore_consolidate_after;
    r->objective.node_cost = c->node_cost;
    return finish(r, snapshot, check_certificate(r, snapshot, c));
}
