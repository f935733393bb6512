/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search keeps pods in the zones where their spread constraints count them. A pod that moves cannot stay in a zone
 * that has more of them than others, so the scheduler places it in another zone, where the plan did not expect it and
 * may need a launch. Then the search is repeated with each pod in the zone where the scheduler placed it. If no pod of
 * the plan changed its zone, this is done once with the zones that pods have when all of them move.
 */
#include <optimise/repack.h>

#include <base/error.h>
#include <string.h>

enum { TURNS = 3 };

/* The candidate of each node that can be removed. Lists all of these nodes and their pods as moving. */
static bool list_homes_again(repacking *r)
{
    uint32_t *candidate_at = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *candidate_at);
    r->candidate_of = arena_array(&r->data, r->home_count + (size_t)1, sizeof *r->candidate_of);
    if (candidate_at == NULL || r->candidate_of == NULL) return false;
    for (uint32_t i = 0; i < r->p.found.eligible_count; i++)
        candidate_at[r->p.found.candidates[r->p.found.eligible[i]].node] = r->p.found.eligible[i];
    r->removed_count = r->moving_count = 0;
    for (uint32_t i = 0; i < r->home_count; i++) {
        const menu_home *home = &r->homes[i];
        r->candidate_of[i] = candidate_at[home->node];
        r->removed[r->removed_count++] = home->node;
        memcpy(r->moving + r->moving_count, home->pods, home->count * sizeof *r->moving);
        r->moving_count += home->count;
    }
    return true;
}

/* A plan with the pods in these zones, or in those that they have when all of them move, if the scheduler admits it and
 * it saves more. */
static karp_status try_zones(repacking *r, uint32_t *zones, bool all, uint64_t most, const repacking *before,
                             bool *better)
{
    uint32_t refused = UINT32_MAX, good = 0;
    if (!list_homes_again(r)) return fail_nomem(r->error);
    karp_status status = repack_new_round(r, r->removed, r->removed_count, r->moving, r->moving_count, NULL);
    if (status != KARP_OK || r->cut || (all && !menu_moved_zones(r->s, &r->menu, zones))) return status;
    if (!menu_of_nodes(r->s, &r->data, r->homes, r->home_count, r->steps, zones, &r->objective, &r->menu))
        return fail_nomem(r->error);
    status = repack_numbers(r);
    if (status != KARP_OK || r->problem.node_count < before->problem.node_count) return status;
    status = repack_look_again(r, most, r->objective.effort / 2, before->guided != NULL);
    if (status != KARP_OK || repack_must_stop(r)) return status;
    status = repack_steps_of_best(r);
    if (status == KARP_OK) status = repack_admit(r, &refused, &good);
    *better = status == KARP_OK && refused == UINT32_MAX && !r->cut && r->admitted > before->admitted + 1e-9;
    return status;
}

/* Begins without a search and a plan. */
static void forget_plan(repacking *r)
{
    r->search = r->stepped = r->guided = NULL;
    r->walk = NULL;
    r->plan = r->chosen = (repack_plan){ .saving = 0 };
    r->chosen_saving = 0;
    r->stages = (repack_steps){ .stage_of_bin = NULL };
    r->guide = (guide){ .slots = NULL };
    r->slot_of = r->host_of = r->to_host = r->to_slot = r->removed_hosts = NULL;
    r->moved = NULL;
}

/* Frees what belongs to one plan alone. */
static void free_plan(repacking *r)
{
    repack_steps_free(r->context, &r->stages);
    repack_look_end(r);
}

/* Returns to the plan that was admitted before. */
static karp_status take_back(repacking *r, const repacking *before)
{
    const pass p = r->p;
    const arena data = r->data;
    bool stopped = r->stopped;
    uint64_t work = repack_look_work(r);
    free_plan(r);
    *r = *before;
    r->p = p;
    r->data = data;
    r->stopped = stopped;
    r->work_before += work - repack_look_work(r);
    return repack_admit_first(r, (uint32_t)r->stages.stages.count);
}

karp_status repack_again(repacking *r, uint64_t most)
{
    uint32_t *zones = arena_array(&r->data, r->seen->raw.pods.count + 1, sizeof *zones);
    repacking *before = arena_array(&r->data, 1, sizeof *before);
    if (zones == NULL || before == NULL) return fail_nomem(r->error);
    bool tried_all = false;
    for (uint32_t turn = 0; turn < TURNS && !repack_must_stop(r); turn++) {
        bool better = false, all = !menu_moved_zones(r->s, &r->menu, zones);
        if (all && tried_all) return KARP_OK;
        tried_all = tried_all || all;
        *before = *r;
        r->work_before = repack_look_work(r);
        forget_plan(r);
        karp_status status = try_zones(r, zones, all, most, before, &better);
        if (!better) {
            karp_status after = take_back(r, before);
            return status == KARP_OK ? after : status;
        }
        free_plan(before);
    }
    return KARP_OK;
}
