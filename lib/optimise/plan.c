/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launch decisions for the least cost (spec cost.md §§2, 3, 5). Karpenter's own plan comes first and is what every other plan has
 * to beat: a plan counts when it places every pod that Karpenter's places, and costs less. Whether a pod may go somewhere is
 * always the scheduler's to say; what changes is what it is asked.
 */
#include <schedule/policy.h>
#include <schedule/provision.h>
#include <schedule/result.h>

#include <base/context.h>
#include <base/bits.h>
#include <base/error.h>
#include <string.h>

#define SPOT_SLACK 0.15 /* how much dearer a listed type may be where the cheapest is spot (C-8) */

/* One search. */
typedef struct search {
    const karp_snapshot *seen;
    const karp_options *options;
    const karp_objective *objective;
    const round_changes *changes;
    karp_error *error;
    scheduler *s;
    bool fresh; /* the scheduler has had no round yet */
    arena data;
    uint64_t *left, *now_left; /* pods that Karpenter's plan leaves, and that of the round at hand */
    uint16_t *steps_kept, *steps_now; /* by pod: what they gave up in these */
    uint32_t *first_types, *best_types; /* by template: of the round at hand, and of the best plan */
    policy capped; /* of the round at hand */
    round_bill compatible, best;
    enum { PLAN_COMPATIBLE, PLAN_CAPPED } best_is;
    bool stopped;
    karp_options patient; /* the caller's, without anybody who stops it */
    uint64_t steps;
} search;

/* One round, in a scheduler that decides as a new one does. */
static karp_status run_round(search *q, const policy *p, const karp_options *options)
{
    const run_options how = { .options = options };
    if (!q->fresh && !scheduler_repeatable(q->s)) {
        scheduler_free(q->s);
        q->s = NULL;
        karp_status status = scheduler_new(q->seen, &how, &q->s, q->error);
        if (status != KARP_OK) return status;
    }
    q->fresh = false;
    (void)scheduler_reuse(q->s, &how);
    scheduler_set_policy(q->s, p);
    karp_status status = scheduler_round(q->s, q->changes->removed, q->changes->removed_count, q->changes->moving,
                                         q->changes->moving_count, q->error);
    q->steps += scheduler_steps(q->s);
    return status;
}

/* ---- the portfolio of size caps ---------------------------------------------------------------------------------------- */

/* The sizes of nodes, in CPUs, that plans are made of; the largest first, where plans are made fastest. */
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

static bool stop_asked(const search *q)
{
    return q->options->should_stop != NULL && q->options->should_stop(q->options->stop_user) != 0;
}

/* ---- what a round came to ---------------------------------------------------------------------------------------------- */

/* Whether every pod that Karpenter places is placed, and none has given up more. */
static bool nobody_loses(search *q)
{
    size_t pods = q->seen->raw.pods.count;
    memset(q->now_left, 0, bits_words(pods) * sizeof *q->now_left);
    policy_left(q->s, q->now_left);
    for (size_t i = 0; i < pods; i++) {
        if (bits_test(q->left, i)) continue;
        if (bits_test(q->now_left, i) || q->steps_now[i] > q->steps_kept[i]) return false;
    }
    return true;
}

static bool cheaper(const round_bill *a, const round_bill *b)
{
    return a->cost < b->cost || (a->cost <= b->cost && a->launches < b->launches);
}

/* Decides under the caps; *better tells whether it is the best plan so far. */
static karp_status try_caps(search *q, bool *better)
{
    round_bill bill;
    memset(q->steps_now, 0, q->seen->raw.pods.count * sizeof *q->steps_now);
    karp_status status = run_round(q, &q->capped, q->options);
    *better = false;
    if (status != KARP_OK) return status;
    if (policy_cut_short(q->s)) return KARP_OK;
    if (!policy_bill(q->s, q->objective->node_cost, &bill)) return fail_nomem(q->error);
    *better = bill.priced && !bill.dropped && cheaper(&bill, &q->best) && nobody_loses(q);
    if (!*better) return KARP_OK;
    q->best = bill;
    memcpy(q->best_types, q->first_types, policy_template_count(q->s) * sizeof *q->best_types);
    q->best_is = PLAN_CAPPED;
    return KARP_OK;
}

static karp_status try_all_caps(search *q)
{
    uint32_t worse = 0;
    for (size_t i = 0; i < CAP_COUNT && worse < WORSE_IN_A_ROW; i++) {
        bool any, better;
        if (stop_asked(q)) {
            q->stopped = true;
            return KARP_OK;
        }
        if (!cap_templates(q, caps[i], &any)) return fail_nomem(q->error);
        if (!any) continue;
        karp_status status = try_caps(q, &better);
        if (status == KARP_E_CANCELED) {
            q->stopped = true;
            return KARP_OK;
        }
        if (status != KARP_OK) return status;
        worse = better ? 0 : worse + 1;
    }
    return KARP_OK;
}

/* ---- the decision ------------------------------------------------------------------------------------------------------ */

static bool search_init(search *q)
{
    size_t pods = q->seen->raw.pods.count, templates = policy_template_count(q->s);
    q->left = arena_array(&q->data, bits_words(pods) + 1, sizeof *q->left);
    q->now_left = arena_array(&q->data, bits_words(pods) + 1, sizeof *q->now_left);
    q->steps_kept = arena_array(&q->data, pods + 1, sizeof *q->steps_kept);
    q->steps_now = arena_array(&q->data, pods + 1, sizeof *q->steps_now);
    q->first_types = arena_array(&q->data, templates + 1, sizeof *q->first_types);
    q->best_types = arena_array(&q->data, templates + 1, sizeof *q->best_types);
    q->capped = (policy){ .first_types = q->first_types, .spot_slack = SPOT_SLACK };
    return q->left != NULL && q->now_left != NULL && q->steps_kept != NULL && q->steps_now != NULL &&
           q->first_types != NULL && q->best_types != NULL;
}

/* Karpenter's plan; it is the best until there is a better one. */
static karp_status begin(search *q)
{
    const run_options how = { .options = q->options };
    karp_status status = scheduler_new(q->seen, &how, &q->s, q->error);
    if (status != KARP_OK) return status;
    if (!search_init(q)) return fail_nomem(q->error);
    policy_note_given_up(q->s, q->steps_kept);
    status = run_round(q, NULL, q->options);
    if (status != KARP_OK) return status;
    policy_left(q->s, q->left);
    if (!policy_bill(q->s, q->objective->node_cost, &q->compatible)) return fail_nomem(q->error);
    q->best = q->compatible;
    return KARP_OK;
}

/* The round of the best plan, once more when another one came after it; what is left to do is done, whoever asks to stop. */
static karp_status replay(search *q)
{
    q->patient = *q->options;
    q->patient.should_stop = NULL;
    if (q->best_is == PLAN_COMPATIBLE) return run_round(q, NULL, &q->patient);
    memcpy(q->first_types, q->best_types, policy_template_count(q->s) * sizeof *q->best_types);
    return run_round(q, &q->capped, &q->patient);
}

static void note_cost(const search *q, karp_decision *d)
{
    d->costed = true;
    d->cost = (karp_cost){ .size = sizeof d->cost,
                           .cost = q->best.cost,
                           .compatible_cost = q->compatible.cost,
                           .gap = q->best.cost > 0 ? -1 : 0,
                           .effort = q->objective->effort,
                           .steps = q->steps,
                           .compatible_launches = q->compatible.launches,
                           .stopped = q->stopped,
                           .optimal = !(q->best.cost > 0) };
}

static karp_status report(search *q, karp_decision **out)
{
    karp_decision *d = decision_new(q->seen);
    karp_status status = d != NULL ? report_plan(q->s, d) : KARP_E_NOMEM;
    if (status == KARP_OK) status = scheduler_stopped(q->s, q->error);
    if (status != KARP_OK) {
        karp_decision_unref(d);
        return status == KARP_E_NOMEM ? fail_nomem(q->error) : status;
    }
    note_cost(q, d);
    *out = d;
    return KARP_OK;
}

static karp_status decide(search *q, karp_decision **out)
{
    karp_status status = begin(q);
    if (status == KARP_E_CANCELED && q->options->keep_partial)
        return provision_nothing(q->seen, q->options, out, q->error);
    if (status != KARP_OK) return status;
    if (policy_cut_short(q->s)) return report(q, out); /* what is incomplete is not made cheaper */
    if (q->objective->effort > 0) status = try_all_caps(q);
    if (status == KARP_OK) status = replay(q);
    return status == KARP_OK ? report(q, out) : status;
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
    arena_free(&q.data);
    return status == KARP_E_NOMEM ? context_refusal(seen->context, status, error) : status;
}
