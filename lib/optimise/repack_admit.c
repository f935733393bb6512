/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the scheduler admit every pod at its planned place, after each step where the order could make a difference. */
#include <optimise/repack.h>
#include <optimise/plan.h>

#include <base/bits.h>
#include <base/error.h>
#include <math.h>
#include <schedule/pricing.h>

enum { MORE_LAUNCHES = 1000, SAME_STEP = 5 };

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

karp_status repack_new_round(repacking *r, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
                             uint32_t moving_count, guide *g)
{
    policy_note_given_up(r->s, r->steps_now);
    memset(r->steps_now, 0, r->seen->raw.pods.count * sizeof *r->steps_now);
    scheduler_set_policy(r->s, g != NULL ? &r->policy : NULL);
    for (uint32_t i = 0; g != NULL && i < g->slot_count; i++) g->slots[i].claim = UINT32_MAX;
    karp_status status = g == NULL
                             ? scheduler_round(r->s, removed, removed_count, moving, moving_count, r->error)
                             : scheduler_guided_round(r->s, g, removed, removed_count, moving, moving_count, r->error);
    if (status != KARP_OK || !policy_stopped(r->s)) return status;
    r->stopped = true;
    r->cut = policy_round_stopped(r->s);
    return r->p.options.keep_partial ? KARP_OK : repack_canceled(r);
}

/* Lists what the first `count` steps move, with its targets. */
static void list_moves(repacking *r, uint32_t count)
{
    const repack_steps *o = &r->stages;
    size_t pods = r->seen->raw.pods.count;
    uint32_t end = count == 0 ? 0 : o->stages.items[count - 1].first + o->stages.items[count - 1].count;
    memcpy(r->host_of, r->hosts.host_of, pods * sizeof *r->host_of);
    memset(r->slot_of, 0xff, pods * sizeof *r->slot_of);
    memset(r->moved, 0, bits_words(pods) * sizeof *r->moved);
    r->removed_count = r->moving_count = 0;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t number = o->order.items[i];
        r->removed[r->removed_count++] = r->p.found.candidates[r->candidate_of[number]].node;
        for (uint32_t k = 0; k < r->pods.counts[number]; k++) {
            uint32_t pod_number = r->pods.pods[number][k];
            r->moving[r->moving_count++] = pod_number;
            if (o->stage_of[pod_number] + 1 < count) bits_set(r->moved, pod_number);
            r->host_of[pod_number] = r->to_host[pod_number];
            r->slot_of[pod_number] = r->to_slot[pod_number];
        }
    }
}

/* Runs the round of the first `count` steps according to the plan. */
static karp_status round_of_steps(repacking *r, uint32_t count)
{
    list_moves(r, count);
    return repack_new_round(r, r->removed, r->removed_count, r->moving, r->moving_count, &r->guide);
}

/* Adds a launch that the scheduler made to the plan's own; UINT32_MAX = there is no space for more. */
static uint32_t slot_of_claim(repacking *r, uint32_t claim, uint32_t stage)
{
    guide *g = &r->guide;
    for (uint32_t i = 0; i < g->slot_count; i++) {
        if (g->slots[i].claim == claim) return i;
    }
    if (g->slot_count == r->slot_capacity) return UINT32_MAX;
    r->stage_of_slot[g->slot_count] = stage;
    g->slots[g->slot_count] = (guide_slot){ guide_claim_template(r->s, claim), guide_claim_types(r->s, claim),
                                            guide_claim_pin(r->s, claim), claim };
    return g->slot_count++;
}

/* Changes the plan to the place that the scheduler chose for the pod. false = it was not placed. */
static bool correct(repacking *r, uint32_t pod_number, uint32_t stage)
{
    uint32_t host_index, claim;
    if (!guide_found(r->s, pod_number, &host_index, &claim)) return false;
    if (host_index != UINT32_MAX && !r->takes_pods[host_index]) return false;
    r->to_host[pod_number] = host_index;
    r->to_slot[pod_number] = UINT32_MAX;
    if (claim == UINT32_MAX) return true;
    r->to_slot[pod_number] = slot_of_claim(r, claim, stage);
    return r->to_slot[pod_number] != UINT32_MAX;
}

/* Keeps launches in the domains in which they were placed. */
static void pin_launches(repacking *r)
{
    for (uint32_t i = 0; i < r->guide.slot_count; i++) {
        guide_slot *slot = &r->guide.slots[i];
        if (slot->claim != UINT32_MAX) slot->set = guide_meet(r->s, slot->set, guide_claim_pin(r->s, slot->claim));
    }
}

/* After the round of the first `count` steps, of which `admitted` had been admitted before: takes over the
 * scheduler's changes to the later ones. Returns a node with pods that were not placed; UINT32_MAX = none. *again:
 * pods of earlier steps were moved. */
static uint32_t first_refused(repacking *r, uint32_t count, uint32_t admitted, bool *again)
{
    const repack_steps *o = &r->stages;
    uint32_t first = admitted < count ? o->stages.items[admitted].first : 0;
    uint32_t end = o->stages.items[count - 1].first + o->stages.items[count - 1].count;
    *again = false;
    for (uint32_t i = 0; i < end && r->guide.refused > 0; i++) {
        uint32_t number = o->order.items[i];
        for (uint32_t k = 0; k < r->pods.counts[number]; k++) {
            uint32_t pod_number = r->pods.pods[number][k];
            if (guide_followed(r->s, &r->guide, pod_number)) continue;
            if (i < first) *again = true;
            else if (!correct(r, pod_number, o->stage_of[pod_number])) return number;
        }
    }
    return UINT32_MAX;
}

static uint32_t types_of(repacking *r, uint32_t offer)
{
    return menu_types(r->s, &r->menu, offer, &r->policy, r->types);
}

/* Makes the guide for the plan's launches. */
static bool make_guide(repacking *r)
{
    const packing_bins *bins = &r->stages.bins;
    size_t pods = r->seen->raw.pods.count + 1;
    r->slot_capacity = (uint32_t)bins->list.count + r->problem.node_count + MORE_LAUNCHES;
    r->guide.slots = arena_array(&r->data, r->slot_capacity + (size_t)1, sizeof *r->guide.slots);
    r->stage_of_slot = arena_array(&r->data, r->slot_capacity + (size_t)1, sizeof *r->stage_of_slot);
    if (r->slot_of == NULL) r->slot_of = arena_array(&r->data, pods, sizeof *r->slot_of);
    if (r->host_of == NULL) r->host_of = arena_array(&r->data, pods, sizeof *r->host_of);
    if (r->to_host == NULL) r->to_host = arena_array(&r->data, pods, sizeof *r->to_host);
    if (r->to_slot == NULL) r->to_slot = arena_array(&r->data, pods, sizeof *r->to_slot);
    if (r->moved == NULL) r->moved = arena_array(&r->data, bits_words(pods) + 1, sizeof *r->moved);
    if (r->removed_hosts == NULL)
        r->removed_hosts = arena_array(&r->data, r->problem.node_count + (size_t)1, sizeof *r->removed_hosts);
    if (r->removed_hosts == NULL || r->moved == NULL || r->guide.slots == NULL || r->stage_of_slot == NULL ||
        r->slot_of == NULL || r->host_of == NULL || r->to_host == NULL || r->to_slot == NULL)
        return false;
    for (size_t p = 0; p + 1 < pods; p++) {
        uint32_t host_index = r->stages.host_of[p];
        r->to_host[p] = host_index == UINT32_MAX ? UINT32_MAX : r->hosts.host[host_index];
        r->to_slot[p] = r->stages.bin_of[p];
    }
    for (size_t b = 0; b < bins->list.count; b++) r->stage_of_slot[b] = r->stages.stage_of_bin[b];
    for (size_t b = 0; b < bins->list.count; b++) {
        const packing_bin *bin = &bins->list.items[b];
        uint32_t set = 0;
        for (size_t e = 0; e < bin->entries.count; e++)
            set = guide_meet(r->s, set, r->menu.classes[bin->entries.items[e].class_].pin);
        r->guide.slots[b] = (guide_slot){ r->menu.offers[bin->offer].template_, types_of(r, bin->offer), set,
                                          UINT32_MAX };
    }
    r->guide.slot_count = (uint32_t)bins->list.count;
    r->guide.closed_count = 0;
    for (size_t i = 0; i < r->stages.order.count; i++) {
        uint32_t host_index = r->problem.nodes[r->stages.order.items[i]].host;
        if (host_index != UINT32_MAX) r->removed_hosts[r->guide.closed_count++] = r->hosts.host[host_index];
    }
    r->guide.closed = r->removed_hosts;
    r->guide.slot_of = r->slot_of;
    r->guide.host_of = r->host_of;
    r->guide.first = r->moved;
    r->guide.steps = r->steps;
    return !scheduler_failed(r->s);
}

/* Whether the order of steps can matter to the scheduler: because of rules about other pods, or of NodePool limits. */
static bool order_matters(const repacking *r)
{
    if (policy_has_topology(r->s)) return true;
    for (size_t i = 0; i < r->seen->raw.pools.count; i++) {
        if (r->seen->raw.pools.items[i].limits.count > 0) return true;
    }
    return false;
}

/* Lets the scheduler check the plan, after each step if that matters. *refused: a node with pods that it rejected.
 * All of the first *good steps are admitted. */
static karp_status try_plan(repacking *r, uint32_t *refused, uint32_t *good)
{
    uint32_t all = (uint32_t)r->stages.stages.count;
    for (uint32_t n = order_matters(r) ? 1 : all; n <= all && n > 0; n++) {
        bool again = true;
        for (uint32_t turn = 0; again && turn < SAME_STEP; turn++) {
            karp_status status = round_of_steps(r, n);
            if (status != KARP_OK) return status;
            *refused = first_refused(r, n, *good, &again);
            if (*refused != UINT32_MAX || policy_cut_short(r->s)) return KARP_OK;
        }
        const repack_stage *s = &r->stages.stages.items[n - 1];
        if (again) *refused = r->stages.order.items[s->first + s->count - 1];
        if (again) return KARP_OK;
        *good = n;
        pin_launches(r);
    }
    return *good > 0 && r->guide.refused > 0 ? round_of_steps(r, *good) : KARP_OK;
}

/* A launch belongs to the first step that moves pods to it: the scheduler may have placed those of its own elsewhere.
 */
static void launch_late(repacking *r)
{
    memset(r->stage_of_slot, 0xff, r->guide.slot_count * sizeof *r->stage_of_slot);
    for (size_t i = 0; i < r->stages.order.count; i++) {
        uint32_t number = r->stages.order.items[i];
        for (uint32_t k = 0; k < r->pods.counts[number]; k++) {
            uint32_t p = r->pods.pods[number][k], stage = r->stages.stage_of[p];
            uint32_t *at = r->to_slot[p] != UINT32_MAX ? &r->stage_of_slot[r->to_slot[p]] : &stage;
            if (stage < *at) *at = stage;
        }
    }
}

/* A node of a step that does not pay with the prices that the scheduler found; UINT32_MAX = none. *good: number of
 * steps before it. */
static karp_status check_savings(repacking *r, uint32_t *refused, uint32_t *good)
{
    const repack_steps *o = &r->stages;
    size_t all = o->stages.count;
    double *savings = arena_array(&r->data, all + 1, sizeof *savings);
    r->result = (round_result){ .claim_count = 0 };
    if (savings == NULL || (all > 0 && !result_read(r->s, &r->data, &r->result))) return fail_nomem(r->error);
    launch_late(r);
    for (uint32_t i = 0; i < r->guide.slot_count && all > 0; i++) {
        uint32_t claim = r->guide.slots[i].claim, best;
        if (claim == UINT32_MAX || r->stage_of_slot[i] >= all) continue;
        const final_claim *f = &r->result.finals[claim];
        const type_table *t = result_table(r->s, claim);
        double *saving = &savings[r->stage_of_slot[i]];
        if (f->type_count == 0 || !cheapest_offering(r->s, t, f->types[0], f->set, &best)) *saving = -HUGE_VAL;
        else *saving -= t->offerings[best].price + r->objective.node_cost;
    }
    r->admitted = 0;
    for (size_t i = 0; i < all && *refused == UINT32_MAX; i++) {
        const repack_stage *s = &o->stages.items[i];
        for (uint32_t k = 0; k < s->count; k++) savings[i] += r->problem.nodes[o->order.items[s->first + k]].price;
        r->admitted += savings[i];
        if (step_pays(&r->limits, savings[i], s->evictions)) continue;
        *refused = o->order.items[s->first + s->count - 1];
        *good = (uint32_t)i;
    }
    return KARP_OK;
}

karp_status repack_admit(repacking *r, uint32_t *refused, uint32_t *good)
{
    *refused = UINT32_MAX;
    *good = 0;
    if (!make_guide(r)) return fail_nomem(r->error);
    karp_status status = try_plan(r, refused, good);
    if (status != KARP_OK || *refused != UINT32_MAX || r->cut) return status;
    return check_savings(r, refused, good);
}

/* One step that removes these nodes. *may: budgets allow it. false = out of memory. */
static bool one_stage(repacking *r, const uint32_t *nodes, uint32_t count, bool *may)
{
    repack_steps *o = &r->stages;
    step_budget b;
    repack_stage all = { .count = count };
    *may = false;
    if (!step_budget_init(&b, &r->data, &r->problem, &r->pods, &r->limits)) return false;
    for (uint32_t i = 0; i < count; i++) {
        step_budget_count(&b, nodes[i], 1);
        all.evictions += r->pods.counts[nodes[i]];
    }
    *may = all.evictions > 0 && r->limits.max_steps > 0 && step_budget_kept(&b);
    if (!*may) return true;
    repack_steps_free(r->context, o);
    arena_init(&o->data, r->context);
    if (!repack_steps_alloc(o, r->seen->raw.pods.count, 0)) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = nodes[i], *slot = list_push(r->context, &o->order, sizeof *slot);
        if (slot == NULL) return false;
        *slot = n;
        all.saving += r->problem.nodes[n].price;
        for (uint32_t k = 0; k < r->pods.counts[n]; k++) o->stage_of[r->pods.pods[n][k]] = 0;
    }
    repack_stage *slot = list_push(r->context, &o->stages, sizeof *slot);
    if (slot != NULL) *slot = all;
    return slot != NULL;
}

karp_status repack_admit_anew(repacking *r, const uint32_t *nodes, uint32_t count, double saving, bool *found)
{
    uint32_t refused = UINT32_MAX, good = 0;
    double cost;
    *found = false;
    if (!one_stage(r, nodes, count, found)) return fail_nomem(r->error);
    if (!*found) return KARP_OK;
    *found = false;
    if (!make_guide(r)) return fail_nomem(r->error);
    list_moves(r, 1);
    const round_changes all = { r->removed, r->removed_count, r->moving, r->moving_count };
    karp_status status = plan_anew(r->s, r->seen, &r->how, &r->objective, &all, &cost, r->error);
    if (status == KARP_E_CANCELED) return repack_must_stop(r), KARP_OK;
    r->stages.stages.items[0].saving -= cost;
    if (status != KARP_OK || !(r->stages.stages.items[0].saving > saving + 1e-9)) return status;
    for (uint32_t i = 0; i < r->moving_count; i++) {
        if (!correct(r, r->moving[i], 0)) return KARP_OK;
    }
    status = try_plan(r, &refused, &good);
    if (status == KARP_OK && refused == UINT32_MAX && !r->cut) status = check_savings(r, &refused, &good);
    *found = status == KARP_OK && refused == UINT32_MAX && !r->cut;
    return status;
}

karp_status repack_admit_first(repacking *r, uint32_t count)
{
    repack_steps_cut(&r->stages, count);
    karp_status status = round_of_steps(r, count);
    if (status == KARP_OK && r->cut) repack_steps_cut(&r->stages, 0);
    if (status == KARP_OK) launch_late(r);
    return status;
}
