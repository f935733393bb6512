/* SPDX-License-Identifier: Apache-2.0 */
/*
 * karp_repack() (spec cost.md §6). Who may go is the pass's to say, and where a pod may go the scheduler's: what may move is told in
 * numbers (menu.h), these are searched (repack_search.h), the best plan is cut into steps (repack_steps.h), and the scheduler is
 * asked to admit every pod where the plan puts it, after each step where the order could matter.
 */
#include <optimise/repack.h>

#include <base/bits.h>
#include <base/context.h>
#include <base/error.h>
#include <disrupt/budgets.h>
#include <disrupt/candidates.h>
#include <math.h>
#include <optimise/certify.h>
#include <optimise/menu_problem.h>
#include <schedule/movable.h>
#include <schedule/pricing.h>
#include <string.h>

enum { MORE_LAUNCHES = 1000, SPARE_PLANS = 8, SAME_STEP = 5 };

void karp_repack_options_init(karp_repack_options *options, size_t size)
{
    karp_repack_options fresh = {
        .size = sizeof fresh, .max_evictions = KARP_REPACK_ANY, .max_steps = KARP_REPACK_ANY, .max_evicted_percent = 100
    };
    if (options == NULL || size < sizeof options->size) return;
    options->size = size;
    (void)struct_give(options, &fresh, sizeof fresh, sizeof options->size);
    options->size = size;
}

bool repack_asked_to_stop(repacking *r)
{
    const karp_options *o = &r->p.options;
    if (r->p.stopped || r->p.own_context.stop_noted || (o->should_stop != NULL && o->should_stop(o->stop_user) != 0))
        r->stopped = true;
    return r->stopped;
}

/* ---- options ------------------------------------------------------------------------------------------------------------ */

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
        return fail(error, KARP_E_INVALID, "karp_repack_options: in_progress is counted but not given");
    return KARP_OK;
}

/* ---- who may go ------------------------------------------------------------------------------------------------------------ */

/* The candidates of consolidation, and empty nodes that emptiness would delete. */
static karp_status find_candidates(repacking *r)
{
    pass *p = &r->p;
    size_t nodes = p->snapshot->node_count;
    uint8_t *empty = arena_array(&r->data, nodes + 1, sizeof *empty);
    if (empty == NULL) return fail_nomem(r->error);
    p->method = KARP_METHOD_EMPTINESS;
    karp_status status = pass_candidates(p, r->error);
    if (status != KARP_OK) return status;
    bool widened = r->options.ignore_consolidate_after != 0;
    for (uint32_t i = 0; i < p->candidate_count; i++) {
        uint32_t code = p->stays[p->candidates[i].node].code;
        empty[p->candidates[i].node] = code == KARP_REASON_NONE || (widened && code == KARP_REASON_NOT_CONSOLIDATABLE);
    }
    p->method = KARP_METHOD_SINGLE_NODE;
    status = pass_candidates(p, r->error);
    if (status == KARP_OK) status = pass_budgets(p, r->error);
    if (status != KARP_OK) return status;
    p->eligible_count = 0;
    for (uint32_t i = 0; i < p->candidate_count; i++) {
        const candidate *c = &p->candidates[i];
        stay *why = &p->stays[c->node];
        bool may = why->code == KARP_REASON_NONE || (widened && why->code == KARP_REASON_NOT_CONSOLIDATABLE) ||
                   (why->code == KARP_REASON_EMPTY_NODE && empty[c->node]);
        if (may && r->options.ignore_budgets == 0 && p->remaining[c->pool] <= 0) {
            may = false;
            if (!pass_keep(p, c->node, KARP_REASON_BUDGET, name_of(p->snapshot, pool_of(p, c)->meta.name)))
                return fail_nomem(r->error);
        } else if (may) {
            why->code = KARP_REASON_NONE;
        }
        if (may) p->eligible[p->eligible_count++] = i;
    }
    return KARP_OK;
}

static karp_status canceled(const repacking *r)
{
    return fail(r->error, KARP_E_CANCELED, "stopped before the plan was found");
}

/* ---- rounds ------------------------------------------------------------------------------------------------------------------- */

static karp_status new_round(repacking *r, const uint32_t *removed, uint32_t removed_count, const uint32_t *moving,
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
    return r->p.options.keep_partial ? KARP_OK : canceled(r);
}

karp_status repack_round(repacking *r, uint32_t count)
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
        r->removed[r->removed_count++] = r->p.candidates[r->candidate_of[number]].node;
        for (uint32_t k = 0; k < r->pods.counts[number]; k++) {
            uint32_t pod_number = r->pods.pods[number][k];
            r->moving[r->moving_count++] = pod_number;
            if (o->stage_of[pod_number] + 1 < count) bits_set(r->moved, pod_number);
            r->host_of[pod_number] = r->to_host[pod_number];
            r->slot_of[pod_number] = r->to_slot[pod_number];
        }
    }
    return new_round(r, r->removed, r->removed_count, r->moving, r->moving_count, &r->guide);
}

/* A launch that the scheduler made beside the plan's becomes one of its own; UINT32_MAX = there is no space for more. */
static uint32_t slot_of_claim(repacking *r, uint32_t claim, uint32_t stage)
{
    guide *g = &r->guide;
    for (uint32_t i = 0; i < g->slot_count; i++) {
        if (g->slots[i].claim == claim) return i;
    }
    if (g->slot_count == r->slot_room) return UINT32_MAX;
    r->stage_of_slot[g->slot_count] = stage;
    g->slots[g->slot_count] = (guide_slot){ guide_claim_template(r->s, claim), guide_claim_types(r->s, claim),
                                            guide_claim_pin(r->s, claim), claim };
    return g->slot_count++;
}

/* The scheduler has placed the pod elsewhere; from now on the plan does. false = it has no place. */
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

/* What was launched stays in the domains in which it was. */
static void pin_launches(repacking *r)
{
    for (uint32_t i = 0; i < r->guide.slot_count; i++) {
        guide_slot *slot = &r->guide.slots[i];
        if (slot->claim != UINT32_MAX) slot->set = guide_meet(r->s, slot->set, guide_claim_pin(r->s, slot->claim));
    }
}

/* After the round of the first `count` steps, of which `admitted` were before: takes what the scheduler decided otherwise about the
 * last of them. A node whose pods have no place; UINT32_MAX = there is none. *again: pods of earlier steps are elsewhere. */
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

/* ---- numbers --------------------------------------------------------------------------------------------------------------------- */

static karp_status list_homes(repacking *r)
{
    const pass *p = &r->p;
    size_t moving = 0;
    r->homes = arena_array(&r->data, p->eligible_count + (size_t)1, sizeof *r->homes);
    r->candidate_of = arena_array(&r->data, p->eligible_count + (size_t)1, sizeof *r->candidate_of);
    r->removed = arena_array(&r->data, p->eligible_count + (size_t)1, sizeof *r->removed);
    for (uint32_t i = 0; i < p->eligible_count; i++) moving += p->candidates[p->eligible[i]].moving_count;
    r->moving = arena_array(&r->data, moving + 1, sizeof *r->moving);
    if (r->homes == NULL || r->candidate_of == NULL || r->removed == NULL || r->moving == NULL)
        return fail_nomem(r->error);
    for (uint32_t i = 0; i < p->eligible_count; i++) {
        const candidate *c = &p->candidates[p->eligible[i]];
        r->candidate_of[r->home_count] = p->eligible[i];
        r->removed[r->home_count] = c->node;
        r->homes[r->home_count++] = (menu_home){ c->node, c->moving, c->moving_count };
        memcpy(r->moving + r->moving_count, c->moving, c->moving_count * sizeof *r->moving);
        r->moving_count += c->moving_count;
    }
    return KARP_OK;
}

/* All candidates gone: what their pods give up then, and who would have no place at all, so that their nodes stay. */
static karp_status place_all_anew(repacking *r)
{
    size_t words_ = bits_words(r->seen->raw.pods.count);
    uint64_t *left = arena_array(&r->data, words_ + 1, sizeof *left);
    if (left == NULL) return fail_nomem(r->error);
    karp_status status = new_round(r, r->removed, r->home_count, r->moving, r->moving_count, NULL);
    if (status != KARP_OK) return status;
    memcpy(r->steps, r->steps_now, r->seen->raw.pods.count * sizeof *r->steps);
    policy_left(r->s, left);
    uint32_t n = 0;
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

static karp_status make_problem(repacking *r)
{
    karp_status status = find_homes(r);
    if (status != KARP_OK || r->home_count == 0) return status;
    if (!menu_of_nodes(r->s, &r->data, r->homes, r->home_count, r->steps, &r->objective, &r->menu))
        return fail_nomem(r->error);
    status = new_round(r, NULL, 0, r->moving, r->moving_count, NULL);
    if (status == KARP_OK && !policy_cut_short(r->s) && !repack_bound_make(r)) status = fail_nomem(r->error);
    if (status == KARP_OK) status = new_round(r, NULL, 0, NULL, 0, NULL);
    if (status != KARP_OK) return status;
    if (!menu_hosts_make(r->s, &r->data, &r->menu, &r->hosts) || !repack_numbers(r)) return fail_nomem(r->error);
    r->takes_pods = arena_array(&r->data, r->seen->node_count + (size_t)1, sizeof *r->takes_pods);
    if (r->takes_pods == NULL) return fail_nomem(r->error);
    for (uint32_t i = 0; i < r->hosts.count; i++) r->takes_pods[r->hosts.host[i]] = true;
    repack_problem *q = &r->problem;
    q->host_count = r->hosts.count;
    q->left = r->hosts.left;
    q->host_allowed = r->hosts.allowed;
    q->alone = r->hosts.alone;
    double tie = 1e-7; /* fewer evictions where money is the same */
    q->per_eviction = r->options.min_saving_per_eviction > tie ? r->options.min_saving_per_eviction : tie;
    return repack_limit_launches(r) ? KARP_OK : fail_nomem(r->error);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------------------------- */

static uint32_t types_of(repacking *r, uint32_t offer)
{
    return menu_types(r->s, &r->menu, offer, &r->policy, r->types);
}

/* The guide for the plan's launches. */
static bool make_guide(repacking *r)
{
    const packing_bins *bins = &r->stages.bins;
    size_t pods = r->seen->raw.pods.count + 1;
    r->slot_room = (uint32_t)bins->list.count + MORE_LAUNCHES;
    r->guide.slots = arena_array(&r->data, r->slot_room + (size_t)1, sizeof *r->guide.slots);
    r->stage_of_slot = arena_array(&r->data, r->slot_room + (size_t)1, sizeof *r->stage_of_slot);
    if (r->slot_of == NULL) r->slot_of = arena_array(&r->data, pods, sizeof *r->slot_of);
    if (r->host_of == NULL) r->host_of = arena_array(&r->data, pods, sizeof *r->host_of);
    if (r->to_host == NULL) r->to_host = arena_array(&r->data, pods, sizeof *r->to_host);
    if (r->to_slot == NULL) r->to_slot = arena_array(&r->data, pods, sizeof *r->to_slot);
    if (r->moved == NULL) r->moved = arena_array(&r->data, bits_words(pods) + 1, sizeof *r->moved);
    if (r->closed == NULL) r->closed = arena_array(&r->data, r->problem.node_count + (size_t)1, sizeof *r->closed);
    if (r->closed == NULL || r->moved == NULL || r->guide.slots == NULL || r->stage_of_slot == NULL ||
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
        if (host_index != UINT32_MAX) r->closed[r->guide.closed_count++] = r->hosts.host[host_index];
    }
    r->guide.closed = r->closed;
    r->guide.slot_of = r->slot_of;
    r->guide.host_of = r->host_of;
    r->guide.first = r->moved;
    r->guide.steps = r->steps;
    return !scheduler_failed(r->s);
}

/* Whether the order of steps could matter to the scheduler: rules about who is where, or limits of pools. */
static bool order_matters(const repacking *r)
{
    if (policy_has_topology(r->s)) return true;
    for (size_t i = 0; i < r->seen->raw.pools.count; i++) {
        if (r->seen->raw.pools.items[i].limits.count > 0) return true;
    }
    return false;
}

/* Asks the scheduler for the plan, after each step where that matters. *refused: a node whose pods it does not admit, of the
 * plan's first `*good` steps all are admitted. */
static karp_status try_plan(repacking *r, uint32_t *refused, uint32_t *good)
{
    uint32_t all = (uint32_t)r->stages.stages.count;
    *refused = UINT32_MAX;
    *good = 0;
    for (uint32_t n = order_matters(r) ? 1 : all; n <= all && n > 0; n++) {
        bool again = true;
        for (uint32_t turn = 0; again && turn < SAME_STEP; turn++) {
            karp_status status = repack_round(r, n);
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
    return *good > 0 && r->guide.refused > 0 ? repack_round(r, *good) : KARP_OK;
}

/* A node of a step that does not pay, as the scheduler found its launches; UINT32_MAX = there is none. *good: steps before it. */
static karp_status check_savings(repacking *r, uint32_t *refused, uint32_t *good)
{
    const repack_steps *o = &r->stages;
    size_t all = o->stages.count;
    double *savings = arena_array(&r->data, all + 1, sizeof *savings);
    *refused = UINT32_MAX;
    r->result = (round_result){ .claim_count = 0 };
    if (savings == NULL || (all > 0 && !result_read(r->s, &r->data, &r->result))) return fail_nomem(r->error);
    for (uint32_t i = 0; i < r->guide.slot_count && all > 0; i++) {
        uint32_t claim = r->guide.slots[i].claim, best;
        if (claim == UINT32_MAX || r->stage_of_slot[i] >= all) continue;
        const final_claim *f = &r->result.finals[claim];
        const type_table *t = result_table(r->s, claim);
        double *saving = &savings[r->stage_of_slot[i]];
        if (f->type_count == 0 || !cheapest_offering(r->s, t, f->types[0], f->set, &best)) *saving = -HUGE_VAL;
        else *saving -= t->offerings[best].price + r->objective.node_cost;
    }
    for (size_t i = 0; i < all && *refused == UINT32_MAX; i++) {
        const repack_stage *s = &o->stages.items[i];
        for (uint32_t k = 0; k < s->count; k++) savings[i] += r->problem.nodes[o->order.items[s->first + k]].price;
        if (step_pays(&r->limits, savings[i], s->evictions)) continue;
        *refused = o->order.items[s->first + s->count - 1];
        *good = (uint32_t)i;
    }
    return KARP_OK;
}

/* So many evictions the options allow. */
static uint64_t most_evictions(const repacking *r)
{
    uint64_t part = r->options.max_evicted_percent >= 100
                        ? UINT64_MAX
                        : (uint64_t)((double)r->cost.pods * r->options.max_evicted_percent / 100);
    return part < r->options.max_evictions ? part : r->options.max_evictions;
}

/* The best plan that the scheduler admits: nodes that it does not let go stay, and the others are searched once more. */
static karp_status plan(repacking *r)
{
    uint64_t most = most_evictions(r), steps = r->objective.effort;
    karp_status looked = repack_look(r, most);
    if (looked != KARP_OK) return looked;
    uint32_t refused = UINT32_MAX, good = 0;
    for (uint32_t turn = 0;; turn++) {
        karp_status status = repack_steps_of_best(r);
        if (status == KARP_OK && !make_guide(r)) status = fail_nomem(r->error);
        if (status == KARP_OK) status = try_plan(r, &refused, &good);
        if (status == KARP_OK && refused == UINT32_MAX) status = check_savings(r, &refused, &good);
        if (status != KARP_OK || refused == UINT32_MAX) return status;
        if (turn == SPARE_PLANS) break;
        status = repack_look_without(r, refused, most, steps / SPARE_PLANS);
        if (status != KARP_OK) return status;
    }
    repack_steps_cut(&r->stages, good);
    return repack_round(r, good);
}

/* ---- the call ------------------------------------------------------------------------------------------------------------------------ */

static karp_status begin(repacking *r, const karp_snapshot *snapshot)
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

/* What the cluster costs, and whose pods could move. */
static void count_before(repacking *r)
{
    const karp_snapshot *w = r->seen;
    for (uint32_t i = 0; i < w->node_count; i++) {
        const state_node *n = &w->nodes[i];
        r->cost.before += node_price(w, n) + r->objective.node_cost;
        for (uint32_t k = 0; k < n->all_pod_count; k++)
            r->cost.pods += pod_reschedulable(pod_at(&w->raw, n->all_pods[k]));
    }
    r->cost.after = r->cost.before;
    r->cost.effort = r->objective.effort;
}

static karp_status find_scheduler(repacking *r)
{
    karp_status status = find_candidates(r);
    if (status == KARP_OK) status = scheduler_new(r->seen, &r->how, &r->s, r->error);
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

static void finish(repacking *r)
{
    repack_steps_free(r->context, &r->stages);
    repack_look_end(r);
    list_free(r->context, &r->points, sizeof *r->points.items);
    list_free(r->context, &r->proven, sizeof *r->proven.items);
    scheduler_free(r->s);
    arena_free(&r->data);
    pass_end(&r->p);
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
    karp_options common;
    karp_status status = check_options(options, &r->options, error);
    if (status == KARP_OK) status = options_check(r->options.common, &common, error);
    if (status == KARP_OK) status = objective_check(&common, &r->objective, error);
    if (status == KARP_OK && common.objective == NULL) karp_objective_init(&r->objective, sizeof r->objective);
    if (status == KARP_OK) status = objective_of_nodes(&r->objective, error);
    bool begun = status == KARP_OK;
    if (begun) status = begin(r, snapshot);
    bool started = begun && r->context != NULL;
    if (status == KARP_OK) status = decide(r);
    if (status == KARP_OK && repack_asked_to_stop(r) && !r->p.options.keep_partial) status = canceled(r);
    if (status == KARP_OK) status = repack_decision(r, out);
    if (started) finish(r);
    mem_free(snapshot->context, r, sizeof *r);
    return status == KARP_OK ? status : context_refusal(snapshot->context, status, error);
}

/* The rounds that the bound was made of, once more. */
static karp_status check_certificate(repacking *r, const karp_certificate *c)
{
    karp_status status = find_scheduler(r);
    if (status == KARP_OK && r->may_act) status = find_homes(r);
    if (status != KARP_OK) return status;
    if (r->home_count == 0)
        return fail(r->error, KARP_E_INVALID,
                    "no node of the cluster would be removed, and the certificate says otherwise");
    status = new_round(r, NULL, 0, r->moving, r->moving_count, NULL);
    if (status != KARP_OK) return status;
    return policy_cut_short(r->s) ? canceled(r) : repack_certificate_holds(r, c);
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
    karp_status status = begin(r, snapshot);
    if (status == KARP_OK) status = check_certificate(r, c);
    if (r->context != NULL) finish(r);
    mem_free(snapshot->context, r, sizeof *r);
    return status == KARP_OK ? status : context_refusal(snapshot->context, status, error);
}
