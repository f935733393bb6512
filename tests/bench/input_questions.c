/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/admit.h>
#include <karp/library.h>
#include <karp/inspect.h>
#include <karp/what_if.h>
#include "inputs.h"

static karp_status decide_for_cost(const karp_snapshot *snapshot, bool bound_alone, karp_decision **out,
                                   karp_error *error)
{
    karp_options options;
    karp_objective objective;
    karp_options_init(&options, sizeof(options));
    karp_objective_init(&objective, sizeof(objective));
    objective.kind = KARP_OBJECTIVE_COST;
    if (bound_alone) {
        objective.effort = 0;
    }
    options.objective = &objective;
    return karp_provision(snapshot, &options, out, error);
}

static karp_status decide_in_karp(const karp_snapshot *snapshot, karp_decision **out, karp_error *error)
{
    karp_options options;
    karp_options_init(&options, sizeof(options));
    options.profile = KARP_PROFILE_KARP;
    return karp_provision(snapshot, &options, out, error);
}

static karp_status admit(const karp_snapshot *snapshot, karp_decision **out, karp_error *error)
{
    karp_admission *found = NULL;
    karp_status status = karp_admit(snapshot, NULL, &found, error);
    if (status == KARP_OK) *out = karp_decision_ref(karp_admission_decision(found));
    karp_admission_free(found);
    return status;
}

/* One decision for each change; the last one is kept. */
static karp_status decide_each(const karp_snapshot *snapshot, uint32_t kind, const karp_str *names, size_t count,
                               karp_decision **out, size_t *asked, karp_error *error)
{
    karp_decision *last = NULL;
    karp_status status = KARP_OK;
    karp_options plain;
    karp_options_init(&plain, sizeof(plain));
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        const karp_change change = { .name = names != NULL ? names[i] : karp_snapshot_node_name(snapshot, i),
                                     .kind = kind };
        karp_decision *decision = NULL;
        status = karp_what_if(snapshot, &change, 1, &plain, &decision, error);
        if (status == KARP_OK) {
            karp_decision_unref(last);
            last = decision;
        }
    }
    if (status != KARP_OK || last == NULL) {
        karp_decision_unref(last);
        return status != KARP_OK ? status : KARP_E_NOT_FOUND;
    }
    *out = last;
    *asked = count;
    return KARP_OK;
}

karp_status bench_answer(const karp_snapshot *snapshot, bench_question question, karp_decision **out, size_t *asked,
                         karp_error *error)
{
    const karp_str zones[] = { str("us-west-2a"), str("us-west-2b"), str("us-west-2c") };
    karp_snapshot_counts counts = { .size = sizeof(counts) };
    switch ((enum bench_ask)question.ask) {
    case BENCH_EACH_NODE:
        karp_snapshot_get_counts(snapshot, &counts);
        return decide_each(snapshot, KARP_CHANGE_REMOVE_NODE, NULL, counts.nodes, out, asked, error);
    case BENCH_EACH_ZONE:
        return decide_each(snapshot, KARP_CHANGE_LOSE_ZONE, zones, sizeof(zones) / sizeof(zones[0]), out, asked, error);
    case BENCH_COST:
    case BENCH_BOUND: *asked = 1; return decide_for_cost(snapshot, question.ask == BENCH_BOUND, out, error);
    case BENCH_ADMIT: *asked = 1; return admit(snapshot, out, error);
    case BENCH_KARP: *asked = 1; return decide_in_karp(snapshot, out, error);
    case BENCH_DECIDE:
    case BENCH_EDIT_PENDING:
    case BENCH_EDIT_BOUND:
    case BENCH_EDIT_NODE: break;
    }
    *asked = 1;
    return bench_decide(snapshot, question.method, out, error);
}
