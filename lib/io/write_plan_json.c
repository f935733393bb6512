/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a Plan and a DisruptionPlan as JSON: docs/formats.md. */
#include "write_licences.h"
#include "write_plan_json.h"

#include "write_notes.h"
#include "write_rows.h"
#include <base/hash.h>

#include <karp/objective.h>
#include <karp/peer.h>
#include <records/rows.h>

static const record_word preferences_list[] = { { "respect", 0 }, { "ignore", KARP_COST_IGNORE_PREFERENCES } };
static const record_words preferences_words = { WORDS(preferences) };

static const record record_cost = {
    SIZED(karp_cost, flags),
    OPEN({ CONSTANT("name", "cost") }, { MONEY("cost", karp_cost, cost) },
         { MONEY("compatibleCost", karp_cost, compatible_cost) }, { REAL("bound", karp_cost, bound) },
         { REAL("gap", karp_cost, gap), NEGATIVE_IS_NULL }, { UINT64("steps", karp_cost, steps) },
         { UINT64("effort", karp_cost, effort) }, { FLAG("stopped", karp_cost, stopped) },
         { FLAG("provenOptimal", karp_cost, optimal) },
         { WORD("preferences", karp_cost, flags, preferences_words), BIT(KARP_COST_IGNORE_PREFERENCES) },
         { FLAG("ignoreWeights", karp_cost, flags), BIT(KARP_COST_IGNORE_WEIGHTS), GIVEN },
         { UINT32("launchesCompatible", karp_cost, compatible_launches) })
};

static const record failure = { OPEN({ TEXT("code", karp_disruption, error_code) },
                                     { TEXT("message", karp_disruption, error_message) }) };

static const record record_disruption = { SIZED(karp_disruption, error_message),
                                          OPEN({ NAMED("method", karp_disruption, method, record_methods) },
                                               { NAMED("reason", karp_disruption, method, record_method_reasons) },
                                               { UINT32("simulations", karp_disruption, simulations) },
                                               { DURATION("requeueAfter", karp_disruption, requeue_after) },
                                               { OBJECT("error", failure), GIVEN }) };

const record record_budget = { SIZED(karp_pool_budget, next_change),
                               OPEN({ TEXT("nodePool", karp_pool_budget, node_pool) },
                                    { INT64("remaining", karp_pool_budget, remaining) }) };

encoder plan_header(json_out *j, const write_job *job, const char *kind)
{
    char now[KARP_VALUE_TEXT];
    karp_time_format(karp_decision_now(job->decision), now);
    json_open_document(j, job->out, job->options->compact != 0, kind);
    json_member_engine(j);
    json_member_flat_object(j, "input");
    json_member_text(j, "now", now);
    if (job->options->digest.len > 0) json_member_str(j, "sha256", job->options->digest);
    json_member_catalogue(j, job->options->catalogue);
    json_end(j);
    json_member_profile(j, karp_decision_profile(job->decision));
    json_member_text(j, "peerVersion", karp_peer_version_name(karp_decision_peer_version(job->decision)));
    json_member_bool(j, "complete", karp_decision_complete(job->decision) != 0);
    return (encoder){ .json = j, .job = job, .decision = job->decision, .document = IN_PLAN };
}

/* Beyond this number of refusals (pods × NodePools), equal lists of refusals are written only once, because the
 * document would become too large for its readers. */
enum { REFUSALS_IN_FULL = 100000 };

static size_t count_refusals(const write_job *job)
{
    size_t total = 0;
    for (size_t i = 0; i < karp_decision_unschedulable_count(job->decision); i++) {
        karp_unschedulable pod;
        get_unschedulable(job, i, &pod);
        total += pod.pool_count;
        for (size_t k = 0; k < pod.topology_count; k++) total += pod.topologies[k].domain_count;
    }
    return total;
}

/* `topology`: the pod's topology has not been written yet. */
static const record topology_and_relax = { OPEN(
    { LIST("topology", karp_unschedulable, topologies, topology_count, record_topology), GIVEN },
    { TEXTS("relax", karp_unschedulable, relaxed, relaxed_count) }) };

static void write_as_another(const encoder *e, const karp_unschedulable *pod, uint32_t other)
{
    json_out *j = e->json;
    json_open_object(j);
    json_member_str(j, "pod", karp_decision_pod_name(e->decision, pod->pod));
    json_member_text(j, "code", karp_reason_name(pod->code));
    json_member_bool(j, "permanent", pod->permanent != 0);
    json_member_str(j, "as", karp_decision_pod_name(e->decision, other));
    encode_members(e, &topology_and_relax, pod);
    json_end(j);
}

/* Pods with equal refusals refer to one list, and topology that several share is written once; `first` has the pod with
 * which it was written. */
static void write_unschedulable_pod(const encoder *e, size_t index, map64 *first)
{
    const write_job *job = e->job;
    karp_unschedulable pod;
    get_unschedulable(job, index, &pod);
    uint64_t list = (uint64_t)(uintptr_t)pod.pools, topology = (uint64_t)(uintptr_t)pod.topologies;
    bool fresh = map64_get(first, topology) == NO_ID; /* NULL: it writes nothing */
    uint32_t other = pod.pool_count > 0 && pod.target_count == 0 ? map64_get(first, list) : NO_ID;
    if (fresh && !map64_put(first, topology, pod.pod)) keep_failure(&job->out->status, fail_nomem(job->error));
    if (other != NO_ID) {
        if (!fresh) pod.topology_count = 0;
        write_as_another(e, &pod, other);
        return;
    }
    if (!map64_put(first, list, pod.pod)) keep_failure(&job->out->status, fail_nomem(job->error));
    encode_row(e, &source_unschedulable, job->decision, index);
}

static void write_unschedulable(const encoder *e)
{
    const write_job *job = e->job;
    if (count_refusals(job) <= REFUSALS_IN_FULL) {
        encode_all(e, "unschedulable", &source_unschedulable, job->decision);
        return;
    }
    map64 first;
    map64_init(&first, job->context);
    json_member_array(e->json, "unschedulable");
    for (size_t i = 0; i < karp_decision_unschedulable_count(job->decision); i++) write_unschedulable_pod(e, i, &first);
    json_end(e->json);
    map64_free(&first);
}

static void write_cost(json_out *j, const write_job *job)
{
    double before = karp_decision_cost_before(job->decision);
    double after = karp_decision_cost_after(job->decision);
    json_member_flat_object(j, "cost");
    json_member_sum(j, "before", before);
    json_member_sum(j, "after", after);
    json_member_sum(j, "delta", after - before);
    licences_as_json(j, job->options);
    unknown_prices_as_json(j, job->decision);
    json_end(j);
}

static void write_settled(json_out *j, const write_job *job)
{
    settled_cost settled;
    if (!settled_cost_of(job, &settled)) return;
    double before = karp_decision_cost_before(job->decision);
    json_member_flat_object(j, "settledCost");
    json_member_sum(j, "before", before);
    json_member_sum(j, "after", settled.cost);
    json_member_sum(j, "delta", settled.cost - before);
    json_member_uint(j, "rounds", settled.rounds);
    json_member_uint(j, "podsLeft", settled.left);
    json_member_bool(j, "settled", settled.is_final);
    json_end(j);
}

/* The figures of a least-cost plan. */
static void write_objective(const encoder *e)
{
    karp_cost cost = { .size = sizeof(cost) };
    if (karp_decision_cost(e->decision, &cost) != KARP_OK) return;
    json_key(e->json, "objective");
    encode_object(e, &record_cost, &cost);
}

void plan_round_as_json(const encoder *outer, const write_job *job)
{
    encoder e = *outer;
    e.decision = job->decision;
    e.job = job;
    encode_all(&e, "launches", &source_launches, job->decision);
    encode_all(&e, "placements", &source_placements, job->decision);
    write_unschedulable(&e);
    encode_all(&e, "ignored", &source_ignored, job->decision);
    write_cost(e.json, job);
}

void plan_as_json(const write_job *job)
{
    json_out json;
    encoder e = plan_header(&json, job, "Plan");
    encode_all(&e, "launches", &source_launches, job->decision);
    encode_all(&e, "placements", &source_placements, job->decision);
    write_unschedulable(&e);
    encode_all(&e, "ignored", &source_ignored, job->decision);
    groups_as_json(&json, job);
    preferences_as_json(&e);
    if (job->disruption != NULL) {
        e.decision = job->disruption;
        encode_all(&e, "disruptions", &source_commands, job->disruption);
        encode_all(&e, "kept", &source_kept, job->disruption);
        e.decision = job->decision;
    }
    write_cost(&json, job);
    write_settled(&json, job);
    hooks_as_json(&e, job);
    drift_as_json(&json, job->options->drift, IN_PLAN);
    write_objective(&e);
    notes_as_json(&json, job);
    json_close(&json);
}

static void write_budgets(json_out *j, const write_job *job)
{
    json_member_flat_object(j, "budgets");
    size_t count = karp_decision_budget_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_pool_budget budget;
        get_budget(job, job->decision, i, &budget);
        json_key_str(j, budget.node_pool);
        json_int(j, budget.remaining);
    }
    json_end(j);
}

/* What uses up the budgets of NodePools that allow no further disruption. */
static void write_budget_use(json_out *j, const write_job *job)
{
    bool some = false;
    for (size_t i = 0; i < karp_decision_budget_count(job->decision); i++) {
        karp_pool_budget budget;
        get_budget(job, job->decision, i, &budget);
        if (budget.remaining > 0 || budget.tightest == KARP_NO_BUDGET) continue;
        if (!some) json_member_object(j, "budgetUse");
        some = true;
        json_key_str(j, budget.node_pool);
        json_open_object(j);
        json_member_uint(j, "budget", budget.tightest);
        json_member_int(j, "allowed", budget.allowed);
        json_member_uint(j, "nodes", budget.nodes);
        if (budget.schedule.len > 0) json_member_str(j, "schedule", budget.schedule);
        if (budget.duration > 0) {
            char length[KARP_VALUE_TEXT];
            karp_duration_format(budget.duration, length);
            json_member_text(j, "duration", length);
        }
        json_member_array(j, "busy");
        for (size_t k = 0; k < budget.busy_count; k++) {
            json_flat_object(j);
            json_member_str(j, "node", budget.busy[k].node);
            json_member_text(j, "code", karp_busy_name(budget.busy[k].code));
            json_end(j);
        }
        json_end(j);
        json_end(j);
    }
    if (some) json_end(j);
}

void disruption_as_json(const write_job *job)
{
    karp_disruption header;
    get_disruption(job, job->decision, &header);
    json_out json;
    encoder e = plan_header(&json, job, "DisruptionPlan");
    encode_members(&e, &record_disruption, &header);
    write_budgets(&json, job);
    write_budget_use(&json, job);
    encode_all(&e, "candidates", &source_candidates, job->decision);
    encode_all(&e, "commands", &source_commands, job->decision);
    encode_all(&e, "kept", &source_kept, job->decision);
    write_cost(&json, job);
    drift_as_json(&json, job->options->drift, IN_PLAN);
    notes_as_json(&json, job);
    json_close(&json);
}
