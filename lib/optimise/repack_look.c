/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a plan: the curve, searches from several starting points, and plans that are built step by step. The
 * plan whose steps save most is kept.
 */
#include <optimise/repack.h>

#include <base/error.h>

enum { POINTS = 20, FEW_NODES = 500 };
#define LEAST_WORTH 1e-6 /* $/h: the lowest worth of a pod in a search */

static void set_limits(repacking *r)
{
    uint32_t budgets = (uint32_t)r->seen->raw.budgets.count;
    r->limits = (repack_limits){ .at_once = r->options.ignore_budgets ? NULL : r->p.budgets.remaining,
                                 .pool_count = (uint32_t)r->seen->raw.pools.count,
                                 .evictions_at_once = r->evictions_at_once,
                                 .budget_count = r->evictions_at_once == NULL ? 0 : budgets,
                                 .max_steps = r->options.max_steps,
                                 .min_saving = r->options.min_saving,
                                 .min_saving_per_eviction = r->options.min_saving_per_eviction };
}

static double saving_of_stages(const repacking *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->stages.stages.count; i++) sum += r->stages.stages.items[i].saving;
    return sum;
}

/* Uses the plan that was built step by step, if it saves more than the steps of the search's plan. */
static bool take_walk(repacking *r)
{
    if (r->walk == NULL || !(repack_walk_saving(r->walk) > saving_of_stages(r) + 1e-9)) return true;
    repack_steps_free(r->context, &r->stages);
    return repack_walk_steps(r->walk, &r->stages);
}

/* Makes the steps of the search's best plan. */
static karp_status make_stages(repacking *r, const repack_search *from)
{
    repack_steps_free(r->context, &r->stages);
    repack_plan_free(r->context, &r->plan);
    if (!repack_search_plan(from, &r->plan) ||
        !repack_steps_make(r->context, &r->problem, &r->plan, &r->pods, &r->limits, &r->stages))
        return fail_nomem(r->error);
    return KARP_OK;
}

/* Gives the walk the best plan that was split. */
static bool take_chosen(repacking *r)
{
    repack_steps steps;
    if (!(r->chosen_saving > repack_walk_saving(r->walk) + 1e-9)) return true;
    if (!repack_steps_make(r->context, &r->problem, &r->chosen, &r->pods, &r->limits, &steps)) return false;
    bool ok = repack_walk_take(r->walk, &steps);
    repack_steps_free(r->context, &steps);
    return ok;
}

/* If budgets split the search's plan, also builds plans step by step. */
static bool walk_on(repacking *r, uint64_t most, uint64_t steps)
{
    const repack_search *from = r->stepped;
    bool cut = r->stepped != r->search || repack_search_saving(from) > r->chosen_saving + 1e-6;
    if (r->problem.node_count > FEW_NODES || !cut) return true;
    if (r->walk == NULL) r->walk = repack_walk_begin(r->context, &r->problem, &r->pods, &r->limits);
    repack_plan plan = { .saving = 0 };
    bool ok = r->walk != NULL && take_chosen(r) && repack_search_plan(from, &plan) &&
              repack_walk_run(r->walk, &plan, most, steps);
    repack_plan_free(r->context, &plan);
    return ok;
}

static bool add_point(repacking *r, uint64_t evictions, double cost)
{
    karp_repack_point *slot = list_push(r->context, &r->points, sizeof *slot);
    if (slot != NULL) *slot = (karp_repack_point){ .size = sizeof *slot, .evictions = evictions, .cost = cost };
    return slot != NULL;
}

/* Makes steps of the last run's plan, and remembers the best of all runs. */
static karp_status note_plan(repacking *r, const repack_search *from)
{
    /* splitting cannot increase the saving */
    if (!(repack_search_saving(from) > r->chosen_saving + 1e-9)) return KARP_OK;
    karp_status status = make_stages(r, from);
    double saving = saving_of_stages(r);
    if (status != KARP_OK || !(saving > r->chosen_saving + 1e-9)) return status;
    repack_plan_free(r->context, &r->chosen);
    r->chosen_saving = saving;
    return repack_search_plan(from, &r->chosen) ? KARP_OK : fail_nomem(r->error);
}

/* The curve: increasing limits, each search continuing from the plan before. */
static karp_status search_curve(repacking *r, uint64_t all, uint64_t most, uint64_t steps)
{
    for (uint32_t i = 1; i <= POINTS && !repack_must_stop(r); i++) {
        uint64_t limit = all * i / POINTS;
        if (!repack_search_run(r->search, limit, steps / POINTS, false)) return fail_nomem(r->error);
        repack_plan_free(r->context, &r->plan);
        if (!repack_search_plan(r->search, &r->plan) ||
            !add_point(r, r->plan.evictions, r->cost.before - r->plan.saving))
            return fail_nomem(r->error);
        bool counts = r->plan.evictions <= most && r->problem.node_count <= FEW_NODES;
        karp_status status = counts ? note_plan(r, r->search) : KARP_OK;
        if (status != KARP_OK) return status;
    }
    return KARP_OK;
}

/* Searches from the present nodes, and from a plan that replaces all of them. */
static karp_status search_with(repacking *r, repack_search *q, uint64_t most, uint64_t steps)
{
    if (repack_must_stop(r)) return KARP_OK;
    if (!repack_search_run(q, most, steps / 2, true)) return fail_nomem(r->error);
    karp_status status = note_plan(r, q);
    if (status != KARP_OK || repack_must_stop(r)) return status;
    bool all = q != r->guided && repack_search_may_all_go(q);
    if (all && !repack_search_everything(q, steps / 4)) return fail_nomem(r->error);
    if (!repack_search_run(q, most, steps - steps / 2 - (all ? steps / 4 : 0), false)) return fail_nomem(r->error);
    return note_plan(r, q);
}

/* Searches with the worth that pods have if all of them were launched for, and with the worth from the cheapest
 * fractional cluster. */
static karp_status search_plan(repacking *r, uint64_t most, uint64_t steps)
{
    uint64_t part = r->guided != NULL ? steps / 2 : 0;
    karp_status status = search_with(r, r->stepped, most, steps - part);
    return status != KARP_OK || r->guided == NULL ? status : search_with(r, r->guided, most, part);
}

/* By class of the menu: the worth of a pod at the prices that prove the best bound for this number of evictions. */
static double *guided_worth(repacking *r)
{
    const round_bound *f = &r->bound.facts;
    double *worth = arena_array(&r->data, r->menu.class_count + (size_t)1, sizeof *worth);
    for (uint32_t c = 0; worth != NULL && c < r->menu.class_count; c++) {
        const menu_class *of = &r->menu.classes[c];
        uint32_t number = of->count > 0 ? f->question.class_of[of->pods[0]] : UINT32_MAX;
        double tuned = number != UINT32_MAX ? (double)f->proof.y[number] / MONEY_UNIT : 0;
        worth[c] = tuned > LEAST_WORTH ? tuned : r->problem.launches.worth[c];
    }
    return worth;
}

static bool begin_guided(repacking *r, uint64_t most)
{
    if (!repack_prices_for(r, most)) return false;
    if (r->tuned_for != most) return true;
    r->guided_problem = r->small_launches;
    r->guided_problem.launches.worth = guided_worth(r);
    if (r->guided_problem.launches.worth != NULL) r->guided = repack_search_begin(r->context, &r->guided_problem);
    for (uint32_t i = 0; r->guided != NULL && i < r->problem.node_count; i++) {
        bool stays = r->p.found.stays[r->p.found.candidates[r->candidate_of[i]].node].code != KARP_REASON_NONE;
        if (stays && !repack_search_keep(r->guided, i)) return false;
    }
    return r->guided != NULL;
}

static bool begin_searches(repacking *r)
{
    r->search = r->stepped = repack_search_begin(r->context, &r->problem);
    if (r->search != NULL && r->small_launches.launches.allowed != r->problem.launches.allowed)
        r->stepped = repack_search_begin(r->context, &r->small_launches);
    return r->search != NULL && r->stepped != NULL;
}

static bool keep_node(repacking *r, uint32_t number)
{
    return repack_search_keep(r->search, number) && (r->stepped == r->search || repack_search_keep(r->stepped, number));
}

/* Excludes nodes whose pods exceed what PodDisruptionBudgets allow one step to move, so that searches do not consider
 * them. */
static bool keep_what_budgets_hold(repacking *r)
{
    const repack_pods *pods = &r->pods;
    if (pods->budget_of == NULL) return true;
    int64_t *moved = arena_array(&r->data, r->seen->raw.budgets.count + 1, sizeof *moved);
    if (moved == NULL) return false;
    for (uint32_t n = 0; n < r->problem.node_count; n++) {
        uint32_t over = UINT32_MAX;
        for (uint32_t i = 0; i < pods->counts[n]; i++) {
            uint32_t b = pods->budget_of[pods->pods[n][i]];
            if (b != UINT32_MAX && ++moved[b] > r->evictions_at_once[b]) over = b;
        }
        for (uint32_t i = 0; i < pods->counts[n]; i++) {
            if (pods->budget_of[pods->pods[n][i]] != UINT32_MAX) moved[pods->budget_of[pods->pods[n][i]]] = 0;
        }
        if (over == UINT32_MAX) continue;
        karp_str name = name_of(r->seen, r->seen->raw.budgets.items[over].meta.name);
        if (!keep_node(r, n) ||
            !pass_keep(&r->p, r->p.found.candidates[r->candidate_of[n]].node, KARP_REASON_PDB_BLOCKED, name))
            return false;
    }
    return true;
}

/* For a caller that may stop the search: keeps the best plan so far. */
static karp_status keep_so_far(repacking *r)
{
    return repack_may_stop(r) && repack_look_saving(r) > 0 && !repack_must_stop(r) ? repack_keep(r) : KARP_OK;
}

/* Runs the complete search with this effort, starting from the results of the previous one. */
static karp_status look_once(repacking *r, uint64_t all, uint64_t most, uint64_t effort, bool first)
{
    karp_status status = search_curve(r, all, most, effort / 4);
    if (status == KARP_OK && first) status = keep_so_far(r);
    if (status != KARP_OK || repack_must_stop(r)) return status;
    if (first && !begin_guided(r, most < all ? most : all)) return fail_nomem(r->error);
    status = search_plan(r, most, effort - effort / 4);
    if (status != KARP_OK || repack_must_stop(r)) return status;
    return walk_on(r, most, effort) ? KARP_OK : fail_nomem(r->error);
}

karp_status repack_look(repacking *r, uint64_t most)
{
    uint64_t all = 0, e = repack_first_effort(r->problem.node_count);
    for (uint32_t i = 0; i < r->problem.node_count; i++) all += r->problem.nodes[i].evictions;
    set_limits(r);
    if (!begin_searches(r) || !keep_what_budgets_hold(r)) return fail_nomem(r->error);
    karp_status status = KARP_OK;
    bool more = true;
    for (bool first = true; more && status == KARP_OK && !repack_must_stop(r); first = false) {
        status = look_once(r, all, most, e, first);
        e = e > UINT64_MAX / 100 ? UINT64_MAX : repack_next_effort(r->problem.node_count, e);
        more = e <= r->objective.effort;
        if (status == KARP_OK && more) status = keep_so_far(r);
    }
    if (status != KARP_OK) return status;
    if (r->chosen_saving > 0 && !repack_search_take(r->stepped, &r->chosen)) return fail_nomem(r->error);
    return KARP_OK;
}

karp_status repack_look_again(repacking *r, uint64_t most, uint64_t steps, bool guided)
{
    if (!begin_searches(r) || !keep_what_budgets_hold(r) || (guided && !begin_guided(r, r->tuned_for)))
        return fail_nomem(r->error);
    karp_status status = search_plan(r, most, steps);
    if (status != KARP_OK) return status;
    if (r->chosen_saving > 0 && !repack_search_take(r->stepped, &r->chosen)) return fail_nomem(r->error);
    return KARP_OK;
}

karp_status repack_look_without(repacking *r, uint32_t number, uint64_t most, uint64_t steps)
{
    if (!repack_search_keep(r->stepped, number) || !repack_search_run(r->stepped, most, steps, false))
        return fail_nomem(r->error);
    if (r->walk != NULL) repack_walk_keep(r->walk, number);
    return walk_on(r, most, steps) ? KARP_OK : fail_nomem(r->error);
}

karp_status repack_steps_so_far(repacking *r)
{
    repack_steps_free(r->context, &r->stages);
    bool ok = repack_steps_make(r->context, &r->problem, &r->chosen, &r->pods, &r->limits, &r->stages) && take_walk(r);
    return ok ? KARP_OK : fail_nomem(r->error);
}

karp_status repack_steps_of_best(repacking *r)
{
    karp_status status = make_stages(r, r->stepped);
    return status == KARP_OK && !take_walk(r) ? fail_nomem(r->error) : status;
}

double repack_look_saving(const repacking *r)
{
    double walked = r->walk != NULL ? repack_walk_saving(r->walk) : 0;
    return walked > r->chosen_saving ? walked : r->chosen_saving;
}

uint64_t repack_look_work(const repacking *r)
{
    uint64_t work = r->work_before + (r->search != NULL ? repack_search_work(r->search) : 0);
    if (r->stepped != r->search) work += repack_search_work(r->stepped);
    if (r->guided != NULL) work += repack_search_work(r->guided);
    return work + (r->walk != NULL ? repack_walk_work(r->walk) : 0);
}

void repack_look_end(repacking *r)
{
    repack_plan_free(r->context, &r->plan);
    repack_plan_free(r->context, &r->chosen);
    repack_walk_end(r->walk);
    if (r->stepped != r->search) repack_search_end(r->stepped);
    if (r->guided != NULL) repack_search_end(r->guided);
    repack_search_end(r->search);
}
