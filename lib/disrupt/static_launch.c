/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of the static pools' controllers, as a decision. */
#include <disrupt/advice.h>

#include <base/context.h>
#include <base/error.h>
#include <schedule/options.h>
#include <schedule/result.h>

static bool launch_all(scheduler *s, const karp_snapshot *snapshot, karp_advice *advice, karp_decision *d)
{
    for (size_t i = 0; i < karp_advice_action_count(advice); i++) {
        karp_action a = { .size = sizeof a };
        if (karp_advice_action(advice, i, &a) != KARP_OK) return false;
        if (a.kind != KARP_ACTION_CREATE_CLAIMS) continue;
        if (!result_static_launches(s, d, pool_named(snapshot, a.object), (uint64_t)a.number, true)) return false;
    }
    return true;
}

static bool remove_all(const karp_snapshot *s, karp_advice *advice, karp_decision *d)
{
    karp_command row = { .size = sizeof row,
                         .method = KARP_METHOD_STATIC_DEPROVISIONING,
                         .launch_first = d->launches.count,
                         .placement_first = d->placements.count,
                         .termination_grace_period = KARP_DURATION_UNSET,
                         .score = -1 };
    const uint32_t *node_of = nodes_of_claims(advice);
    karp_str *nodes = arena_array(&d->data, karp_advice_action_count(advice) + 1, sizeof *nodes);
    if (node_of == NULL || nodes == NULL) return false;
    for (size_t i = 0; i < karp_advice_action_count(advice); i++) {
        karp_action a = { .size = sizeof a };
        if (karp_advice_action(advice, i, &a) != KARP_OK) return false;
        if (a.kind != KARP_ACTION_DELETE_CLAIM) continue;
        uint32_t number = node_of[claim_named(s, a.object)];
        nodes[row.node_count++] = number == NO_ID ? a.object : name_of(s, s->nodes[number].name);
        if (number == NO_ID) continue;
        d->nodes.items[number].marked = 1;
        row.savings += d->nodes.items[number].price;
    }
    row.nodes = nodes;
    if (row.node_count == 0) return true;
    d->disrupts = true;
    d->disruption = (karp_disruption){ .size = sizeof d->disruption, .method = row.method, .error_code = str("") };
    d->disruption.error_message = str("");
    karp_command *slot = list_push(d->context, &d->commands, sizeof *slot);
    if (slot != NULL) *slot = row;
    return slot != NULL;
}

static bool fill(scheduler *s, const karp_snapshot *snapshot, const karp_options *options, karp_advice *advice,
                 karp_decision *d)
{
    d->complete = true;
    d->profile = options->profile;
    d->peer_version = options_peer(options);
    d->now = options->now;
    if (!report_nodes_unchanged(snapshot, d) || !launch_all(s, snapshot, advice, d) || !remove_all(snapshot, advice, d))
        return false;
    d->cost_after = decision_with_launches(d, decision_staying(d));
    return !scheduler_failed(s);
}

static karp_status decide(const karp_snapshot *seen, const karp_options *options, karp_advice *advice,
                          karp_decision **out, karp_error *error)
{
    const run_options how = { .options = options, .simulation = true };
    scheduler *s = NULL;
    karp_status status = scheduler_new(seen, &how, &s, error);
    if (status != KARP_OK) return status;
    karp_decision *d = decision_new(seen);
    bool ok = d != NULL && fill(s, seen, options, advice, d);
    scheduler_free(s);
    if (ok) {
        *out = d;
        return KARP_OK;
    }
    karp_decision_unref(d);
    return context_nomem(seen->context, error);
}

karp_status karp_launch_static_pools(const karp_snapshot *snapshot, const karp_options *options, karp_decision **out,
                                     karp_error *error)
{
    karp_options checked;
    karp_snapshot seen;
    karp_advice *advice = NULL;
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the decision are needed");
    karp_status status = options_check(options, &checked, error);
    if (status != KARP_OK) return status;
    if (checked.now == 0) checked.now = snapshot->raw.now;
    status = karp_advise_static_pools(snapshot, checked.now, &advice, error);
    if (status == KARP_OK) status = decide(options_view(&checked, snapshot, &seen), &checked, advice, out, error);
    karp_advice_free(advice);
    return status;
}
