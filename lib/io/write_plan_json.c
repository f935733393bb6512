/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a Plan and a DisruptionPlan as JSON: docs/formats.md. */
#include "write_plan_json.h"
#include "write_topology.h"

#include "write_launch.h"
#include "write_notes.h"
#include "write_rows.h"
#include <base/error.h>
#include <base/hash.h>
#include <math.h>

#include <karp/objective.h>
#include <karp/peer.h>

void plan_header(json_out *j, const write_job *job, const char *kind)
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
}

static void write_pods(json_out *j, const karp_decision *decision, const uint32_t *pods, size_t count)
{
    json_member_flat_array(j, "pods");
    for (size_t i = 0; i < count; i++) json_str(j, karp_decision_pod_name(decision, pods[i]));
    json_end(j);
}

void plan_taints(json_out *j, const char *key, const karp_taint *taints, size_t count)
{
    json_member_array(j, key);
    for (size_t i = 0; i < count; i++) {
        json_flat_object(j);
        json_member_str(j, "key", taints[i].key);
        if (taints[i].value.len > 0) json_member_str(j, "value", taints[i].value);
        json_member_str(j, "effect", taints[i].effect);
        json_end(j);
    }
    json_end(j);
}

void plan_requirements(json_out *j, const karp_requirement *list, size_t count)
{
    json_member_array(j, "requirements");
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *r = &list[i];
        if (is_transient_key(r->key)) continue;
        json_flat_object(j);
        json_member_str(j, "key", r->key);
        json_member_text(j, "operator", operator_name(r->op));
        if (r->value_count > 0) json_member_strings(j, "values", r->values, r->value_count);
        if (r->min_values > 0)
            json_member_uint(j, "minValues", r->min_values == KARP_MIN_VALUES_ZERO ? 0 : r->min_values);
        json_end(j);
    }
    json_end(j);
}

/* Writes the chosen offering and the resulting node. */
static void write_choice(json_out *j, const write_job *job, const karp_launch *launch)
{
    json_member_object(j, "choice");
    json_choice_members(j, &launch->choice);
    json_member_resources(j, "allocatable", launch->allocatable, launch->allocatable_count);
    karp_label *labels = NULL;
    size_t count = 0;
    size_t bytes = 0;
    keep_failure(&job->out->status, launch_node_labels(job->context, launch, &labels, &count, &bytes, job->error));
    json_member_labels(j, "nodeLabels", labels, count);
    karp_free(job->context, labels, bytes);
    json_end(j);
}

void plan_launch(json_out *j, const write_job *job, const karp_decision *decision, size_t index)
{
    karp_launch launch;
    get_launch(job, decision, index, &launch);
    json_open_object(j);
    json_member_str(j, "id", launch.id);
    json_member_str(j, "nodePool", launch.node_pool);
    write_pods(j, decision, launch.pods, launch.pod_count);
    json_member_resources(j, "requests", launch.requests, launch.request_count);
    plan_requirements(j, launch.requirements, launch.requirement_count);
    json_member_labels(j, "labels", launch.labels, launch.label_count);
    json_member_labels(j, "annotations", launch.annotations, launch.annotation_count);
    plan_taints(j, "taints", launch.taints, launch.taint_count);
    plan_taints(j, "startupTaints", launch.startup_taints, launch.startup_taint_count);
    json_member_strings(j, "instanceTypes", launch.instance_types, launch.instance_type_count);
    if (launch.choice.instance_type.len > 0) write_choice(j, job, &launch);
    if (launch.runner_up.instance_type.len > 0) json_member_choice(j, "runnerUp", &launch.runner_up);
    json_end(j);
}

void plan_launches(json_out *j, const char *key, const write_job *job, const karp_decision *decision, size_t first,
                   size_t count)
{
    json_member_array(j, key);
    for (size_t i = 0; i < count; i++) plan_launch(j, job, decision, first + i);
    json_end(j);
}

void plan_placements(json_out *j, const write_job *job, const karp_decision *decision, size_t first, size_t count)
{
    json_member_array(j, "placements");
    for (size_t i = 0; i < count; i++) {
        karp_placement placement;
        get_placement(job, decision, first + i, &placement);
        json_open_object(j);
        json_member_str(j, "node", placement.node);
        write_pods(j, decision, placement.pods, placement.pod_count);
        json_end(j);
    }
    json_end(j);
}

static void write_pool_refusal(json_out *j, const karp_pool_refusal *refusal)
{
    json_open_object(j);
    json_member_str(j, "nodePool", refusal->node_pool);
    json_member_text(j, "code", karp_reason_name(refusal->code));
    json_member_str(j, "detail", refusal->detail);
    json_member_flat_object(j, "types");
    json_member_uint(j, "start", refusal->types_start);
    json_member_uint(j, "requirements", refusal->types_requirements);
    json_member_uint(j, "resources", refusal->types_resources);
    json_member_uint(j, "offerings", refusal->types_offerings);
    json_end(j);
    json_end(j);
}

void plan_unschedulable(json_out *j, const write_job *job, size_t index)
{
    karp_unschedulable pod;
    get_unschedulable(job, index, &pod);
    json_open_object(j);
    json_member_str(j, "pod", karp_decision_pod_name(job->decision, pod.pod));
    json_member_text(j, "code", karp_reason_name(pod.code));
    json_member_bool(j, "permanent", pod.permanent != 0);
    json_member_str(j, "message", pod.message);
    json_member_array(j, "pools");
    for (size_t k = 0; k < pod.pool_count; k++) write_pool_refusal(j, &pod.pools[k]);
    json_end(j);
    topology_as_json(j, &pod);
    if (pod.target_count > 0) {
        json_member_array(j, "targets");
        for (size_t k = 0; k < pod.target_count; k++) {
            json_flat_object(j);
            json_member_str(j, pod.targets[k].is_launch ? "launch" : "node", pod.targets[k].target);
            json_member_text(j, "code", karp_reason_name(pod.targets[k].code));
            json_end(j);
        }
        json_end(j);
    }
    json_member_strings(j, "relax", pod.relaxed, pod.relaxed_count);
    json_end(j);
}

/* Beyond this number of refusals (pods × NodePools), equal lists of refusals are written only once, because the
 * document would become too large for its readers. */
enum { REFUSALS_IN_FULL = 100000 };

static void count_refusals(const write_job *job, size_t *total)
{
    size_t count = karp_decision_unschedulable_count(job->decision);
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        karp_unschedulable pod;
        get_unschedulable(job, i, &pod);
        *total += pod.pool_count;
        for (size_t k = 0; k < pod.topology_count; k++) *total += pod.topologies[k].domain_count;
    }
}

/* `topology`: the pod's topology has not been written yet. */
static void write_as_another(json_out *j, const write_job *job, const karp_unschedulable *pod, uint32_t other,
                             bool topology)
{
    json_open_object(j);
    json_member_str(j, "pod", karp_decision_pod_name(job->decision, pod->pod));
    json_member_text(j, "code", karp_reason_name(pod->code));
    json_member_bool(j, "permanent", pod->permanent != 0);
    json_member_str(j, "as", karp_decision_pod_name(job->decision, other));
    if (topology) topology_as_json(j, pod);
    json_member_strings(j, "relax", pod->relaxed, pod->relaxed_count);
    json_end(j);
}

/* Pods with equal refusals refer to one list; `first` has the pod with which it was written. */
static void write_shared(json_out *j, const write_job *job, size_t index, map64 *first)
{
    karp_unschedulable pod;
    get_unschedulable(job, index, &pod);
    uint64_t list = (uint64_t)(uintptr_t)pod.pools, topology = (uint64_t)(uintptr_t)pod.topologies;
    bool fresh = map64_get(first, topology) == NO_ID; /* NULL: it writes nothing */
    uint32_t other = pod.pool_count > 0 && pod.target_count == 0 ? map64_get(first, list) : NO_ID;
    if (fresh && !map64_put(first, topology, pod.pod)) keep_failure(&job->out->status, fail_nomem(job->error));
    if (other != NO_ID) {
        write_as_another(j, job, &pod, other, fresh);
        return;
    }
    if (!map64_put(first, list, pod.pod)) keep_failure(&job->out->status, fail_nomem(job->error));
    plan_unschedulable(j, job, index);
}

static void write_unschedulable(json_out *j, const write_job *job)
{
    json_member_array(j, "unschedulable");
    size_t total, count = karp_decision_unschedulable_count(job->decision);
    count_refusals(job, &total);
    map64 first;
    map64_init(&first, job->context);
    for (size_t i = 0; i < count; i++) {
        if (total > REFUSALS_IN_FULL) write_shared(j, job, i, &first);
        else plan_unschedulable(j, job, i);
    }
    map64_free(&first);
    json_end(j);
}

static void write_ignored(json_out *j, const write_job *job)
{
    json_member_array(j, "ignored");
    size_t count = karp_decision_ignored_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_ignored pod;
        get_ignored(job, i, &pod);
        json_open_object(j);
        json_member_str(j, "pod", karp_decision_pod_name(job->decision, pod.pod));
        json_member_text(j, "code", karp_reason_name(pod.code));
        json_member_str(j, "message", pod.message);
        json_end(j);
    }
    json_end(j);
}

static void member_duration(json_out *j, const char *key, int64_t nanoseconds)
{
    char text[KARP_VALUE_TEXT];
    karp_duration_format(nanoseconds, text);
    json_member_text(j, key, text);
}

void plan_command(json_out *j, const write_job *job, const karp_decision *decision, size_t index)
{
    karp_command command;
    get_command(job, decision, index, &command);
    json_open_object(j);
    json_member_text(j, "method", karp_method_name(command.method));
    json_member_text(j, "reason", karp_method_reason(command.method));
    json_member_text(j, "decision", command_word(&command));
    if (command.terminate_first != 0) {
        json_member_text(j, "terminateFirstReason",
                         command.terminate_first == KARP_TERMINATE_FIRST_STATIC_AT_LIMIT ? "static-at-limit"
                                                                                         : "no-reserved-capacity");
    }
    if (command.termination_grace_period != KARP_DURATION_UNSET) {
        char text[KARP_VALUE_TEXT];
        karp_duration_format(command.termination_grace_period, text);
        json_member_text(j, "terminationGracePeriod", text);
    }
    json_member_strings(j, "nodes", command.nodes, command.node_count);
    plan_launches(j, "replacements", job, decision, command.launch_first, command.launch_count);
    plan_placements(j, job, decision, command.placement_first, command.placement_count);
    json_member_sum(j, "savings", command.savings);
    if (command.replacement_unavailable) json_member_bool(j, "replacementUnavailable", true);
    if (command.score >= 0) json_member_double(j, "score", command.score);
    if (command.validate_after > 0) member_duration(j, "validateAfter", command.validate_after);
    json_end(j);
}

static void write_commands(json_out *j, const char *key, const write_job *job, const karp_decision *decision)
{
    json_member_array(j, key);
    size_t count = karp_decision_command_count(decision);
    for (size_t i = 0; i < count; i++) plan_command(j, job, decision, i);
    json_end(j);
}

void plan_kept(json_out *j, const write_job *job, const karp_decision *decision)
{
    json_member_array(j, "kept");
    size_t count = karp_decision_kept_count(decision);
    for (size_t i = 0; i < count; i++) {
        karp_kept kept;
        get_kept(job, decision, i, &kept);
        json_open_object(j);
        json_member_str(j, "node", kept.node);
        json_member_text(j, "code", karp_reason_name(kept.code));
        json_member_str(j, "detail", kept.detail);
        json_end(j);
    }
    json_end(j);
}

static void write_cost(json_out *j, const karp_decision *decision)
{
    double before = karp_decision_cost_before(decision);
    double after = karp_decision_cost_after(decision);
    json_member_flat_object(j, "cost");
    json_member_sum(j, "before", before);
    json_member_sum(j, "after", after);
    json_member_sum(j, "delta", after - before);
    json_end(j);
}

/* Writes the cost members of a least-cost plan: spec cost.md §7. */
static void write_objective(json_out *j, const karp_decision *decision)
{
    karp_cost cost = { .size = sizeof(cost) };
    if (karp_decision_cost(decision, &cost) != KARP_OK) return;
    json_member_object(j, "objective");
    json_member_text(j, "name", "cost");
    json_member_money(j, "cost", cost.cost);
    json_member_money(j, "compatibleCost", cost.compatible_cost);
    json_member_double(j, "bound", cost.bound);
    json_member_double(j, "gap", cost.gap < 0 ? HUGE_VAL : cost.gap); /* null: no bound */
    json_member_uint(j, "steps", cost.steps);
    json_member_uint(j, "effort", cost.effort);
    json_member_bool(j, "stopped", cost.stopped != 0);
    json_member_bool(j, "provenOptimal", cost.optimal != 0);
    json_member_text(j, "preferences", (cost.flags & KARP_COST_IGNORE_PREFERENCES) != 0 ? "ignore" : "respect");
    if ((cost.flags & KARP_COST_IGNORE_WEIGHTS) != 0) json_member_bool(j, "ignoreWeights", true);
    json_member_uint(j, "launchesCompatible", cost.compatible_launches);
    json_end(j);
}

void plan_as_json(const write_job *job)
{
    json_out json, *j = &json;
    plan_header(j, job, "Plan");
    plan_launches(j, "launches", job, job->decision, 0, karp_decision_launch_count(job->decision));
    plan_placements(j, job, job->decision, 0, karp_decision_placement_count(job->decision));
    write_unschedulable(j, job);
    write_ignored(j, job);
    if (job->disruption != NULL) {
        write_commands(j, "disruptions", job, job->disruption);
        plan_kept(j, job, job->disruption);
    }
    write_cost(j, job->decision);
    write_objective(j, job->decision);
    notes_as_json(j, job);
    json_close(j);
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

static void write_repair(json_out *j, const karp_candidate_repair *repair)
{
    char text[KARP_VALUE_TEXT];
    json_member_flat_object(j, "repair");
    json_member_text(j, "action", repair->action == KARP_REPAIR_REBOOT ? "RebootNode" : "ReplaceNode");
    json_member_str(j, "condition", repair->condition);
    json_member_str(j, "reason", repair->reason);
    json_member_bool(j, "fallback", repair->fallback != 0);
    json_member_bool(j, "escalated", repair->escalated != 0);
    json_member_double(j, "score", repair->score);
    karp_time_format(repair->eligible_at, text);
    json_member_text(j, "eligibleAt", text);
    if (repair->termination_grace_period != KARP_DURATION_UNSET) {
        karp_duration_format(repair->termination_grace_period, text);
        json_member_text(j, "terminationGracePeriod", text);
    }
    json_end(j);
}

static void write_candidates(json_out *j, const write_job *job)
{
    json_member_array(j, "candidates");
    size_t count = karp_decision_candidate_count(job->decision);
    for (size_t i = 0; i < count; i++) {
        karp_candidate candidate;
        get_candidate(job, job->decision, i, &candidate);
        json_open_object(j);
        json_member_str(j, "node", candidate.node);
        json_member_str(j, "nodePool", candidate.node_pool);
        json_member_price(j, "price", candidate.price);
        json_member_double(j, "disruptionCost", candidate.disruption_cost);
        json_member_double(j, "rescheduleDisruptionCost", candidate.reschedule_cost);
        write_pods(j, job->decision, candidate.pods, candidate.pod_count);
        if (candidate.repair != NULL) write_repair(j, candidate.repair);
        json_end(j);
    }
    json_end(j);
}

void disruption_as_json(const write_job *job)
{
    karp_disruption header;
    get_disruption(job, job->decision, &header);
    json_out json, *j = &json;
    plan_header(j, job, "DisruptionPlan");
    json_member_text(j, "method", karp_method_name(header.method));
    json_member_text(j, "reason", karp_method_reason(header.method));
    json_member_uint(j, "simulations", header.simulations);
    member_duration(j, "requeueAfter", header.requeue_after);
    if (header.error_code.len > 0) {
        json_member_object(j, "error");
        json_member_str(j, "code", header.error_code);
        json_member_str(j, "message", header.error_message);
        json_end(j);
    }
    write_budgets(j, job);
    write_candidates(j, job);
    write_commands(j, "commands", job, job->decision);
    plan_kept(j, job, job->decision);
    write_cost(j, job->decision);
    notes_as_json(j, job);
    json_close(j);
}
