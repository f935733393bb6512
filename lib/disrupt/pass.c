/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/pass.h>

#include <base/bits.h>
#include <base/error.h>
#include <disrupt/marks.h>
#include <disrupt/simulate.h>
#include <disrupt/whole_groups.h>
#include <schedule/movable.h>
#include <schedule/options.h>

static bool fill_pass(pass *p, const karp_snapshot *snapshot, const karp_disrupt_options *options)
{
    memset(p, 0, sizeof *p);
    snapshot = options_view(options->common, snapshot, &p->view);
    p->snapshot = snapshot;
    p->context = &p->own_context;
    context_begin_run(&p->own_context, snapshot->context, options->common->should_stop, options->common->stop_user);
    if (options->common->keep_partial) context_stop_gently(&p->own_context);
    p->options = *options->common;
    p->work.most_simulations = options->max_simulations;
    p->expire_gracefully = options->expire_gracefully != 0;
    p->commands_only = options->commands_only != 0;
    p->backed_off = options->backed_off;
    p->backed_off_count = options->backed_off_count;
    p->now = options->common->now != 0 ? options->common->now : snapshot->raw.now;
    p->quirks = (options->common->profile == KARP_PROFILE_KARPENTER ? UINT64_MAX : 0) ^ options->flip_quirks;
    p->rules = options_rules(options->common);
    p->costs = costs_read(snapshot, options->common->profile, p->rules);
    p->error_code = p->error_message = (karp_str){ "", 0 };
    for (size_t i = 0; i < snapshot->raw.pools.count; i++) {
        p->usable_pools = p->usable_pools || pool_usable(snapshot, &snapshot->raw.pools.items[i]);
        p->weighs_pools = p->weighs_pools || snapshot->raw.pools.items[i].policy == KARP_BALANCED;
    }
    arena_init(&p->data, p->context);
    arena_init(&p->lasting, p->context);
    p->simulated = pass_rule(p, RULE_VPA_PREDICTION) ? snapshot_predicted(snapshot, &p->lasting, &p->predicted)
                                                     : snapshot;
    size_t nodes = snapshot->node_count + (size_t)1;
    p->nodes.blocks = arena_alloc(&p->lasting, nodes * sizeof *p->nodes.blocks);
    for (uint32_t i = 0; p->nodes.blocks != NULL && i < snapshot->node_count; i++)
        p->nodes.blocks[i] = (struct block){ NO_ID, NO_ID };
    p->nodes.weighed = arena_alloc(&p->lasting, nodes * sizeof *p->nodes.weighed);
    p->nodes.is_weighed = arena_array(&p->lasting, bits_words(nodes), sizeof *p->nodes.is_weighed);
    if (!pass_quirk(p, 22)) p->budgets.blocking = budgets_blocking(snapshot, &p->lasting);
    return p->simulated != NULL && p->nodes.blocks != NULL && p->nodes.weighed != NULL && p->nodes.is_weighed != NULL &&
           whole_groups_find(p) && (pass_quirk(p, 22) || p->budgets.blocking != NULL);
}

/* Marks the nodes of these names in *out, NULL = there are none. Ignores names that are not state nodes. */
static karp_status read_names(pass *p, const karp_str *names, size_t count, bool **out, karp_error *error)
{
    if (count == 0) return KARP_OK;
    *out = arena_array(&p->lasting, p->snapshot->node_count + (size_t)1, sizeof **out);
    if (*out == NULL) return fail_nomem(error);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = state_node_named(p->snapshot, names[i]);
        if (number != NO_ID) (*out)[number] = true;
    }
    return KARP_OK;
}

void pass_clear(pass *p)
{
    for (size_t i = 0; i < p->found.commands.count; i++) simulation_free(p, p->found.commands.items[i].simulation);
    list_free(p->context, &p->found.commands, sizeof(command));
    p->found.commands.items = NULL;
    p->found.commands.count = p->found.commands.capacity = 0;
    arena_free(&p->data);
}

karp_status pass_start(pass *p, const karp_snapshot *snapshot, const karp_disrupt_options *options, uint32_t *method,
                       karp_error *error)
{
    karp_disrupt_options checked;
    karp_options common;
    karp_status status = disrupt_options_check(options, &checked, &common, error);
    if (status != KARP_OK) return status;
    *method = checked.method;
    status = fill_pass(p, snapshot, &checked) ? KARP_OK : fail_nomem(error);
    if (status == KARP_OK)
        status = read_names(p, checked.in_progress, checked.in_progress_count, &p->nodes.in_queue, error);
    if (status == KARP_OK)
        status = read_names(p, checked.nominated, checked.nominated_count, &p->nodes.nominated, error);
    if (status == KARP_OK) status = marks_begin(p, checked.memory, checked.watched != 0, error);
    if (status != KARP_OK) pass_end(p);
    return context_refusal(snapshot->context, status, error);
}

void pass_end(pass *p)
{
    pass_clear(p);
    simulations_end(p);
    marks_end(p);
    arena_free(&p->lasting);
}
