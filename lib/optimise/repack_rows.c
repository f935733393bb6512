/* SPDX-License-Identifier: Apache-2.0 */
/* A repack plan as a decision. The scheduler's last round is that of all steps. */
#include <optimise/repack.h>

#include <base/error.h>
#include <base/sort.h>
#include <math.h>

enum { MOST_BOUNDED = 50000 };

/* Pods of the round on a launch or a host, sorted by name, separately for each step. */
typedef struct lists {
    repacking *r;
    karp_decision *d;
    uint32_t *bin_of_claim; /* UINT32_MAX = the claim belongs to no step */
    size_t *launch_of_bin; /* index in the decision */
    received got;
} lists;

static bool find_bins(lists *l)
{
    repacking *r = l->r;
    size_t claims = 1, bins = r->guide.slot_count;
    for (size_t b = 0; b < bins; b++) {
        if (r->guide.slots[b].claim != UINT32_MAX && r->guide.slots[b].claim >= claims)
            claims = r->guide.slots[b].claim + (size_t)1;
    }
    for (uint32_t i = 0; i < r->result.claim_count; i++) {
        if (r->result.claims[i] >= claims) claims = r->result.claims[i] + (size_t)1;
    }
    l->bin_of_claim = arena_alloc(&r->data, claims * sizeof *l->bin_of_claim);
    l->launch_of_bin = arena_array(&r->data, bins + 1, sizeof *l->launch_of_bin);
    if (l->bin_of_claim == NULL || l->launch_of_bin == NULL) return false;
    memset(l->bin_of_claim, 0xff, claims * sizeof *l->bin_of_claim);
    for (size_t b = 0; b < bins; b++) {
        if (r->guide.slots[b].claim != UINT32_MAX) l->bin_of_claim[r->guide.slots[b].claim] = (uint32_t)b;
    }
    return true;
}

/* Those of the pods that the step moves, in the decision's memory. */
static uint32_t *pods_of_step(lists *l, pod_list from, uint32_t step, uint32_t *count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < from.count; i++) n += l->r->stages.stage_of[from.pods[i]] == step;
    uint32_t *list = arena_alloc(&l->d->data, (n + (size_t)1) * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < from.count && list != NULL; i++) {
        if (l->r->stages.stage_of[from.pods[i]] == step) list[(*count)++] = from.pods[i];
    }
    return list;
}

static bool add_launch(lists *l, uint32_t claim, uint32_t step)
{
    repacking *r = l->r;
    const final_claim *f = &r->result.finals[claim];
    launch_source from = { .set = f->set, .types = f->types, .type_count = f->type_count, .requests = f->requests };
    uint32_t count;
    from.types = arena_copy(&l->d->data, f->types, f->type_count * sizeof *f->types);
    from.pods = pods_of_step(l, l->got.claims[claim], step, &count);
    from.pod_count = count;
    l->launch_of_bin[l->bin_of_claim[claim]] = l->d->launches.count;
    return from.types != NULL && from.pods != NULL && result_launch(r->s, l->d, claim, &from);
}

static bool add_placement(lists *l, karp_str name, pod_list from, uint32_t step)
{
    uint32_t count, *pods = pods_of_step(l, from, step, &count);
    if (pods == NULL || count == 0) return pods != NULL;
    karp_placement *row = list_push(l->d->context, &l->d->placements, sizeof *row);
    if (row == NULL) return false;
    *row = (karp_placement){ .size = sizeof *row, .node = name, .pods = pods, .pod_count = count };
    return true;
}

static int by_node_name(const void *a, const void *b, const void *user)
{
    (void)user;
    return compare_str(((const karp_placement *)a)->node, ((const karp_placement *)b)->node);
}

/* Adds a placement for each host and earlier launch that receives pods in the step. */
static bool add_placements(lists *l, uint32_t step)
{
    repacking *r = l->r;
    size_t first = l->d->placements.count;
    for (uint32_t h = 0; h < r->hosts.count; h++) {
        pod_list from = l->got.hosts[r->hosts.host[h]];
        if (from.count > 0 && !add_placement(l, name_of(r->seen, r->seen->nodes[r->hosts.node[h]].name), from, step))
            return false;
    }
    for (size_t b = 0; b < r->guide.slot_count; b++) {
        uint32_t claim = r->guide.slots[b].claim;
        if (claim == UINT32_MAX || r->stage_of_slot[b] >= step) continue;
        if (!add_placement(l, l->d->launches.items[l->launch_of_bin[b]].id, l->got.claims[claim], step)) return false;
    }
    if (l->d->placements.count == first) return true;
    return sort_stable(l->d->context, l->d->placements.items + first, l->d->placements.count - first,
                       sizeof *l->d->placements.items, by_node_name, NULL);
}

static const karp_str *names_of(lists *l, const repack_stage *s)
{
    const repacking *r = l->r;
    karp_str *names = arena_array(&l->d->data, s->count + (size_t)1, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < s->count; i++) {
        const candidate *c = &r->p.found.candidates[r->candidate_of[r->stages.order.items[s->first + i]]];
        names[i] = name_of(r->seen, r->seen->nodes[c->node].name);
    }
    return names != NULL && sort_stable(l->d->context, names, s->count, sizeof *names, by_text, NULL) ? names : NULL;
}

/* Fills the row of the step, with the launch prices that the scheduler found. */
static bool add_figures(lists *l, uint32_t step, karp_command *row)
{
    repacking *r = l->r;
    const repack_stage *s = &r->stages.stages.items[step];
    double saving = 0;
    for (uint32_t i = 0; i < s->count; i++) saving += r->problem.nodes[r->stages.order.items[s->first + i]].price;
    for (size_t i = 0; i < row->launch_count; i++)
        saving -= l->d->launches.items[row->launch_first + i].choice.price + r->objective.node_cost;
    row->savings = saving;
    r->cost.after -= saving;
    r->cost.evictions += s->evictions;
    karp_repack_step *slot = list_push(l->d->context, &l->d->repack_steps, sizeof *slot);
    if (slot == NULL) return false;
    *slot = (karp_repack_step){ .size = sizeof *slot,
                                .saving = saving,
                                .total_saving = r->cost.before - r->cost.after,
                                .cost_after = r->cost.after,
                                .evictions = s->evictions,
                                .total_evictions = r->cost.evictions };
    return true;
}

static bool add_step(lists *l, uint32_t step)
{
    repacking *r = l->r;
    karp_decision *d = l->d;
    const repack_stage *s = &r->stages.stages.items[step];
    karp_command row = { .size = sizeof row,
                         .method = KARP_METHOD_REPACK,
                         .termination_grace_period = KARP_DURATION_UNSET,
                         .nodes = names_of(l, s),
                         .node_count = s->count,
                         .launch_first = d->launches.count,
                         .placement_first = d->placements.count,
                         .validate_after = INT64_C(15000000000),
                         .score = -1.0 };
    if (row.nodes == NULL) return false;
    for (uint32_t i = 0; i < r->result.claim_count; i++) {
        uint32_t claim = r->result.claims[i], bin = l->bin_of_claim[claim];
        if (bin == UINT32_MAX || r->stage_of_slot[bin] != step) continue;
        if (!add_launch(l, claim, step)) return false;
    }
    row.launch_count = d->launches.count - row.launch_first;
    if (!add_placements(l, step)) return false;
    row.placement_count = d->placements.count - row.placement_first;
    row.replaces = row.launch_count > 0;
    row.decision = row.replaces ? KARP_COMMAND_REPLACE : KARP_COMMAND_DELETE;
    karp_command *slot = add_figures(l, step, &row) ? list_push(d->context, &d->commands, sizeof *slot) : NULL;
    if (slot == NULL) return false;
    *slot = row;
    return true;
}

/* ---- nodes, and the curve ---------------------------------------------------------------------------------------- */

/* Rows of nodes that stay because nothing cheaper was found. If the search was stopped, there is no such reason. */
static bool node_rows(repacking *r, bool whole, karp_decision *d)
{
    bool some = r->stages.stages.count > 0;
    if (some ? !report_nodes(r->s, d) : !report_nodes_unchanged(r->seen, d)) return false;
    for (size_t i = 0; i < r->stages.order.count; i++)
        d->nodes.items[r->p.found.candidates[r->candidate_of[r->stages.order.items[i]]].node].marked = 1;
    for (uint32_t i = 0; i < r->seen->node_count && whole; i++) {
        bool stays = !d->nodes.items[i].marked && r->p.found.stays[i].code == KARP_REASON_NONE;
        if (stays) r->p.found.stays[i].code = KARP_REASON_NO_CHEAPER_NODE;
    }
    return true;
}

static int by_evictions(const void *a, const void *b, const void *user)
{
    const karp_repack_point *x = a, *y = b;
    (void)user;
    if (x->evictions != y->evictions) return x->evictions < y->evictions ? -1 : 1;
    return x->cost < y->cost ? -1 : x->cost > y->cost;
}

/* Avoids a bound above the cost because of rounding errors. */
static double within(double bound, double cost) { return bound > cost && bound < cost * (1 + 1e-7) ? cost : bound; }

/* The plans found on the way, and the steps of the final plan. A point that costs at least as much as one with fewer
 * evictions is left out. */
static bool add_curve(repacking *r, karp_decision *d)
{
    karp_repack_point *slot = list_push(d->context, &d->repack_points, sizeof *slot);
    if (slot == NULL) return false;
    *slot = (karp_repack_point){ .size = sizeof *slot, .cost = r->cost.before };
    for (size_t i = 0; i < r->points.count + d->repack_steps.count; i++) {
        slot = list_push(d->context, &d->repack_points, sizeof *slot);
        if (slot == NULL) return false;
        if (i < r->points.count) *slot = r->points.items[i];
        else
            *slot = (karp_repack_point){ .size = sizeof *slot,
                                         .evictions = d->repack_steps.items[i - r->points.count].total_evictions,
                                         .cost = d->repack_steps.items[i - r->points.count].cost_after };
    }
    karp_repack_point *list = d->repack_points.items;
    if (!sort_stable(d->context, list, d->repack_points.count, sizeof *list, by_evictions, NULL)) return false;
    size_t n = 0;
    for (size_t i = 0; i < d->repack_points.count; i++) {
        bool first = n == 0, better = !first && list[i].cost < list[n - 1].cost - 1e-12;
        if (first || (better && list[i].evictions > list[n - 1].evictions)) list[n++] = list[i];
        else if (better) list[n - 1] = list[i];
    }
    d->repack_points.count = n;
    /* A bound for more evictions is also valid for fewer. With many nodes, not every point has its own. */
    size_t each = n * (r->bound.count + (size_t)1) / MOST_BOUNDED + 1;
    double bound = 0;
    for (size_t i = n; i-- > 0;) {
        if ((n - 1 - i) % each == 0) bound = repack_bound_at(r, list[i].evictions);
        list[i].bound = within(bound, list[i].cost);
    }
    return true;
}

static bool fill(repacking *r, bool whole, karp_decision *d)
{
    lists l = { .r = r, .d = d };
    uint32_t steps = (uint32_t)r->stages.stages.count;
    r->result = (round_result){ .claim_count = 0 };
    r->proven.count = 0;
    r->cost.after = r->cost.before;
    r->cost.evictions = 0;
    if (steps > 0) {
        report_forget_launches(r->s);
        if (!report_received(r->s, &r->data, &l.got) || !result_read(r->s, &r->data, &r->result) || !find_bins(&l))
            return false;
    }
    for (uint32_t i = 0; i < steps; i++) {
        if (!add_step(&l, i)) return false;
    }
    if (whole && (!repack_prices_for(r, r->cost.evictions) || !repack_take_tree(r))) return false;
    if (!node_rows(r, whole, d) || !disruption_lists(&r->p, d) || !add_curve(r, d)) return false;
    r->cost.bound = within(repack_bound_at(r, r->cost.evictions), r->cost.after);
    d->cost_before = r->cost.before;
    d->cost_after = r->cost.after;
    return !r->refused && repack_certify(r, d);
}

karp_status repack_decision(repacking *r, bool whole, karp_decision **out)
{
    karp_decision *d = decision_new(r->seen);
    if (d == NULL) return fail_nomem(r->error);
    d->disrupts = d->repacks = true;
    d->complete = whole;
    d->profile = r->p.options.profile;
    d->peer_version = options_peer(&r->p.options);
    d->now = r->p.now;
    d->disruption = (karp_disruption){ .size = sizeof d->disruption, .method = KARP_METHOD_REPACK };
    d->disruption.error_code = r->p.error_code;
    d->disruption.error_message = (karp_str){ "", 0 };
    if (!fill(r, whole, d)) {
        karp_decision_unref(d);
        return fail_nomem(r->error);
    }
    r->cost.work = repack_look_work(r);
    r->cost.stopped = !whole;
    d->repack = r->cost;
    *out = d;
    return KARP_OK;
}
