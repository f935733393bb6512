/* SPDX-License-Identifier: Apache-2.0 */

#include <base/error.h>
#include <disrupt/budgets.h>
#include <disrupt/candidates.h>
#include <disrupt/marks.h>
#include <disrupt/methods.h>
#include <disrupt/simulate.h>
#include <schedule/movable.h>
#include <schedule/pricing.h>
#include <schedule/options.h>

static const int64_t second = INT64_C(1000000000);

static bool repair_row(const karp_snapshot *s, karp_decision *d, const repair_verdict *v,
                       const karp_candidate_repair **out)
{
    const karp_candidate_repair row = { .action = v->action,
                                        .fallback = v->fallback,
                                        .escalated = v->escalated,
                                        .condition = text_of(s, v->condition),
                                        .reason = text_of(s, v->reason),
                                        .score = v->score,
                                        .eligible_at = v->eligible_at,
                                        .termination_grace_period = v->bound };
    *out = arena_copy(&d->data, &row, sizeof row);
    return *out != NULL;
}

static bool candidate_rows(const pass *p, karp_decision *d)
{
    const karp_snapshot *s = p->snapshot;
    for (uint32_t i = 0; i < p->found.eligible_count; i++) {
        const candidate *c = &p->found.candidates[p->found.eligible[i]];
        karp_candidate *row = list_push(d->context, &d->candidates, sizeof *row);
        if (row == NULL) return false;
        *row = (karp_candidate){ .size = sizeof *row,
                                 .node = name_of(s, s->nodes[c->node].name),
                                 .node_pool = name_of(s, pool_of(p, c)->meta.name),
                                 .price = c->price,
                                 .disruption_cost = candidate_disruption_cost(p, c),
                                 .reschedule_cost = c->cost,
                                 .pod_count = c->moving_count };
        row->pods = arena_copy(&d->data, c->moving, c->moving_count * sizeof *c->moving);
        if (row->pods == NULL || (c->repair != NULL && !repair_row(s, d, c->repair, &row->repair))) return false;
    }
    return true;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* Adds the launch. Its types are sorted by their prices under the final requirements, because the claim may have been
 * narrowed to spot. */
static bool launch_row(karp_decision *d, const command *c, const received *got, const replacement *r)
{
    const simulation *m = c->simulation;
    const final_claim *f = &m->result.finals[r->claim];
    uint32_t *types = arena_copy(&d->data, r->types, r->type_count * sizeof *types);
    if (types == NULL) return false;
    if (r->set != f->set && !order_by_price(m->s, result_table(m->s, r->claim), types, r->type_count, r->set))
        return false;
    launch_source from = { .set = r->set,
                           .types = types,
                           .type_count = r->type_count,
                           .requests = f->requests,
                           .pods = got->claims[r->claim].pods,
                           .pod_count = got->claims[r->claim].count };
    return result_launch(m->s, d, r->claim, &from);
}

static bool command_launches(scheduler *blank, karp_decision *d, const command *c)
{
    received got;
    if (c->simulation == NULL) {
        for (uint32_t i = 0; i < c->replacement_count; i++) {
            if (!result_static_launches(blank, d, c->replacements[i].pool, 1, false)) return false;
        }
        return true;
    }
    if (!report_received(c->simulation->s, &d->data, &got)) return false;
    for (uint32_t i = 0; i < c->replacement_count; i++) {
        if (!launch_row(d, c, &got, &c->replacements[i])) return false;
    }
    return report_placements(c->simulation->s, d, &got);
}

/* Whether some type has an offering. There is none after narrowing to spot without a spot offering (D-Q11). */
static bool can_be_launched(const command *c, const replacement *r)
{
    const type_table *t = result_table(c->simulation->s, r->claim);
    uint32_t best;
    for (uint32_t i = 0; i < r->type_count; i++) {
        if (cheapest_offering(c->simulation->s, t, r->types[i], r->set, &best)) return true;
    }
    return false;
}

static bool all_can_be_launched(const command *c)
{
    for (uint32_t i = 0; i < c->replacement_count && c->simulation != NULL; i++) {
        if (!can_be_launched(c, &c->replacements[i])) return false;
    }
    return true;
}

/* Subtracts the prices of a static pool's replacements, as a provider would pick them. Returns whether all have an
 * offering. */
static bool count_static_launches(const karp_decision *d, const command *c, karp_command *row)
{
    bool all = true;
    for (uint32_t i = 0; i < c->replacement_count && c->simulation == NULL; i++) {
        const karp_choice *choice = &d->launches.items[row->launch_first + i].choice;
        row->savings -= choice->price;
        if (choice->instance_type.len == 0) all = false;
    }
    return all;
}

static bool warn_of_unavailable(karp_decision *d, const karp_command *row, bool is_static)
{
    strbuf text = strbuf_on(d->context);
    strbuf_put(&text, "the replacement of ", row->nodes[0], "");
    strbuf_adds(&text, row->node_count > 1 ? " and others" : "");
    strbuf_adds(&text, is_static ? " cannot be launched: nothing that its NodePool's requirements allow is available"
                                 : " cannot be launched: it was narrowed to spot, and none of its instance types is "
                                   "offered as spot");
    strbuf_adds(&text, ". Karpenter gives the command up when the launch fails, so it saves nothing");
    strbuf_adds(&text, is_static ? "" : " (D-Q11)");
    bool ok = !text.failed && decision_warn(d, text.ptr, text.len);
    strbuf_free(&text);
    return ok;
}

/* The pods of the command that are not from its nodes. */
static size_t waiting_pods(const karp_snapshot *s, const karp_decision *d, const karp_command *row)
{
    size_t count = 0;
    for (size_t i = row->launch_first; i < row->launch_first + row->launch_count; i++) {
        const karp_launch *l = &d->launches.items[i];
        for (size_t k = 0; k < l->pod_count; k++) count += s->pod_node[l->pods[k]] == NO_ID;
    }
    for (size_t i = row->placement_first; i < row->placement_first + row->placement_count; i++) {
        const karp_placement *l = &d->placements.items[i];
        for (size_t k = 0; k < l->pod_count; k++) count += s->pod_node[l->pods[k]] == NO_ID;
    }
    return count;
}

static bool is_expired(const pass *p, karp_str name)
{
    uint32_t number = state_node_named(p->snapshot, name);
    return number != NO_ID && !p->expire_gracefully && node_expired(p->snapshot, number, p->now);
}

/* Whether a node of the command, or one that receives its pods, goes whatever the pass decides. */
static bool counts_on_expired(const pass *p, const karp_decision *d, const karp_command *row)
{
    bool some = false;
    for (size_t i = 0; i < row->node_count && !some; i++) some = is_expired(p, row->nodes[i]);
    for (size_t i = 0; i < row->placement_count && !some; i++)
        some = is_expired(p, d->placements.items[row->placement_first + i].node);
    return some;
}

static bool command_row(pass *p, scheduler *blank, karp_decision *d, const command *c)
{
    const karp_snapshot *s = p->snapshot;
    karp_str *nodes = arena_array(&d->data, c->candidate_count, sizeof *nodes);
    karp_command row = { .size = sizeof row,
                         .method = p->method,
                         .replaces = c->replacement_count > 0,
                         .decision = c->decision,
                         .terminate_first = c->terminate_first,
                         .termination_grace_period = c->bound,
                         .nodes = nodes,
                         .node_count = c->candidate_count,
                         .launch_first = d->launches.count,
                         .placement_first = d->placements.count,
                         .savings = c->savings,
                         .score = c->score };
    if (!p->how->eventual) row.validate_after = 15 * second;
    if (nodes == NULL || !command_launches(blank, d, c)) return false;
    for (uint32_t i = 0; i < c->candidate_count; i++)
        nodes[i] = name_of(s, s->nodes[p->found.candidates[c->candidates[i]].node].name);
    if (!count_static_launches(d, c, &row) || !all_can_be_launched(c)) {
        row.replacement_unavailable = 1;
        row.savings = 0;
        if (!warn_of_unavailable(d, &row, c->simulation == NULL)) return false;
    }
    row.launch_count = d->launches.count - row.launch_first;
    row.placement_count = d->placements.count - row.placement_first;
    row.waiting = waiting_pods(s, d, &row);
    row.expired = counts_on_expired(p, d, &row);
    karp_command *slot = list_push(d->context, &d->commands, sizeof *slot);
    if (slot == NULL) return false;
    *slot = row;
    return true;
}

static bool has_static(const pass *p)
{
    for (size_t i = 0; i < p->found.commands.count; i++) {
        const command *c = &p->found.commands.items[i];
        if (c->simulation == NULL && c->replacement_count > 0) return true;
    }
    return false;
}

static karp_status command_rows(pass *p, karp_decision *d, karp_error *error)
{
    scheduler *blank = NULL;
    karp_options options = p->options; /* the result is always reported, so cancellation is off */
    options.should_stop = NULL;
    const run_options how = { .options = &options, .simulation = true };
    karp_status status = has_static(p) ? scheduler_new(p->snapshot, &how, &blank, error) : KARP_OK;
    for (size_t i = 0; i < p->found.commands.count && status == KARP_OK; i++) {
        if (!command_row(p, blank, d, &p->found.commands.items[i])) status = fail_nomem(error);
    }
    scheduler_free(blank);
    return status;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static bool node_rows(const pass *p, karp_decision *d)
{
    scheduler *s = p->found.commands.count == 1 && p->found.commands.items[0].simulation != NULL
                       ? p->found.commands.items[0].simulation->s
                       : NULL;
    if (s != NULL ? !report_nodes(s, d) : !report_nodes_unchanged(p->snapshot, d)) return false;
    for (size_t i = 0; i < p->found.commands.count; i++) {
        const command *c = &p->found.commands.items[i];
        for (uint32_t k = 0; k < c->candidate_count && c->decision != KARP_COMMAND_REBOOT; k++)
            d->nodes.items[p->found.candidates[c->candidates[k]].node].marked = 1;
    }
    d->cost_after = decision_staying(d);
    for (size_t i = 0; i < p->found.commands.count; i++) {
        const command *c = &p->found.commands.items[i];
        for (uint32_t k = 0; d->commands.items[i].replacement_unavailable && k < c->candidate_count; k++)
            d->cost_after += d->nodes.items[p->found.candidates[c->candidates[k]].node].price;
    }
    d->cost_after = decision_with_launches(d, d->cost_after);
    return true;
}

/* Whether this node is rebooted. Repair commits one reboot per pass. */
static bool rebooted(const pass *p, uint32_t number)
{
    const command *first = p->found.commands.items;
    return p->found.commands.count > 0 && first->decision == KARP_COMMAND_REBOOT &&
           p->found.candidates[first->candidates[0]].node == number;
}

/* Adds every node that is not in a command, with the first reason that applies. A node without a reason was not
 * reached, because of an earlier command or because the search was stopped. */
static bool kept_rows(const pass *p, karp_decision *d)
{
    const karp_snapshot *s = p->snapshot;
    bool stopped = !d->complete && p->found.commands.count == 0;
    uint32_t unsaid = stopped ? KARP_REASON_SEARCH_STOPPED : KARP_REASON_NOT_REACHED_IN_PASS;
    for (uint32_t i = 0; i < s->node_count; i++) {
        stay why = p->found.stays[i];
        bool in_command = d->nodes.items[i].marked != 0 && !s->nodes[i].marked;
        if (in_command || rebooted(p, i)) continue;
        karp_kept *row = list_push(d->context, &d->kept, sizeof *row);
        if (row == NULL) return false;
        *row = (karp_kept){ .size = sizeof *row,
                            .node = name_of(s, s->nodes[i].name),
                            .code = why.code,
                            .found = why.found,
                            .detail = { "", 0 } };
        if (why.code == KARP_REASON_NONE) row->code = unsaid;
        if (why.detail.len == 0) continue;
        row->detail = (karp_str){ arena_string(&d->data, why.detail.ptr, why.detail.len), why.detail.len };
        if (row->detail.ptr == NULL) return false;
    }
    return true;
}

bool disruption_lists(pass *p, karp_decision *d)
{
    return candidate_rows(p, d) && budget_rows(p, d) && kept_rows(p, d);
}

/* The time until the next pass; shorter while a claim has no provider ID yet. */
static int64_t requeue_after(const pass *p)
{
    const store *raw = &p->snapshot->raw;
    if (p->found.commands.count > 0) return 0;
    for (size_t i = 0; i < raw->claims.count; i++) {
        if (raw->claims.items[i].provider_id == 0) return second;
    }
    return 10 * second;
}

karp_status disruption_rows(pass *p, karp_decision *d, karp_error *error)
{
    char *message = arena_string(&d->data, p->error_message.ptr, p->error_message.len);
    if (message == NULL) return fail_nomem(error);
    d->disrupts = true;
    d->complete = !p->work.stopped && !p->work.gave_up;
    d->profile = p->options.profile;
    d->peer_version = options_peer(&p->options);
    d->now = p->now;
    d->disruption = (karp_disruption){
        .size = sizeof d->disruption,
        .method = p->method,
        .error_code = p->error_code,
        .simulations = (uint32_t)p->work.simulations, /* far below the limit in practice */
        .error_message = { message, p->error_message.len },
        .requeue_after = requeue_after(p)
    };
    karp_status status = command_rows(p, d, error);
    if (status != KARP_OK) return status;
    bool listed = p->commands_only || (candidate_rows(p, d) && node_rows(p, d) && kept_rows(p, d));
    bool told = listed && budget_rows(p, d) && marks_row(p, d) && budgets_note_broken(p, d);
    return told && (p->commands_only ||
                    (expiration_note(p, d) && held_note(p, d) && drains_note(p->snapshot, d->now, d)))
               ? KARP_OK
               : fail_nomem(error);
}
