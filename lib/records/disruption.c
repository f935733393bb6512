/* SPDX-License-Identifier: Apache-2.0 */
#include <records/rows.h>
#include <records/tables.h>

#include <karp/passes.h>
#include <karp/settings.h>

const record_names record_methods = { karp_method_name, 1, 100, false };
const record_names record_method_reasons = { karp_method_reason, 1, 100, true };

static const record_word budget_list[] = { { "Underutilized", KARP_BUDGET_UNDERUTILIZED },
                                           { "Empty", KARP_BUDGET_EMPTY },
                                           { "Drifted", KARP_BUDGET_DRIFTED },
                                           { "Unhealthy", KARP_BUDGET_UNHEALTHY } };
const record_words record_budget_reasons = { WORDS(budget) };

static const record_word action_list[] = { { "ReplaceNode", KARP_REPAIR_REPLACE },
                                           { "RebootNode", KARP_REPAIR_REBOOT } };
static const record_words action_words = { WORDS(action) };

static const record repair = {
    OF(karp_candidate_repair),
    OPEN({ WORD("action", karp_candidate_repair, action, action_words) },
         { TEXT("condition", karp_candidate_repair, condition) }, { TEXT("reason", karp_candidate_repair, reason) },
         { FLAG("fallback", karp_candidate_repair, fallback) }, { FLAG("escalated", karp_candidate_repair, escalated) },
         { REAL("score", karp_candidate_repair, score) }, { TIME("eligibleAt", karp_candidate_repair, eligible_at) },
         { DURATION("terminationGracePeriod", karp_candidate_repair, termination_grace_period) })
};

const record record_candidate = { SIZED(karp_candidate, pod_count),
                                  OPEN({ TEXT("node", karp_candidate, node), COLUMN },
                                       { TEXT("nodePool", karp_candidate, node_pool), WORDS_COLUMN },
                                       { PRICE("price", karp_candidate, price), COLUMN },
                                       { REAL("disruptionCost", karp_candidate, disruption_cost), COLUMN },
                                       { REAL("rescheduleDisruptionCost", karp_candidate, reschedule_cost) },
                                       { REAL("reschedule_cost", karp_candidate, reschedule_cost), COLUMN_ALONE },
                                       { PODS("pods", karp_candidate, pods, pod_count), COLUMN },
                                       { POINTER("repair", karp_candidate, repair, repair), GIVEN, FLAT }) };

static const record_word decision_list[] = { { "delete", KARP_COMMAND_DELETE },
                                             { "replace", KARP_COMMAND_REPLACE },
                                             { "terminate-first", KARP_COMMAND_TERMINATE_FIRST },
                                             { "reboot", KARP_COMMAND_REBOOT } };
const record_words record_command_decisions = { WORDS(decision) };
static const record_word first_list[] = { { "no-reserved-capacity", KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY },
                                          { "static-at-limit", KARP_TERMINATE_FIRST_STATIC_AT_LIMIT } };
static const record_words first_words = { WORDS(first) };

const record record_command = {
    SIZED(karp_command, score),
    OPEN({ NAMED("method", karp_command, method, record_methods), COLUMN },
         { NAMED("reason", karp_command, method, record_method_reasons), COLUMN },
         { WORD("decision", karp_command, decision, record_command_decisions) },
         { WORD("terminateFirstReason", karp_command, terminate_first, first_words), GIVEN },
         { DURATION("terminationGracePeriod", karp_command, termination_grace_period) },
         { UINT32("replaces", karp_command, replaces), COLUMN_ALONE },
         { TEXTS("nodes", karp_command, nodes, node_count), WORDS_COLUMN },
         { RANGE("replacements", FIELD_LAUNCHES, karp_command, launch_first, launch_count) },
         { RANGE("placements", FIELD_PLACEMENTS, karp_command, placement_first, placement_count) },
         { SIZE("launch_first", karp_command, launch_first), COLUMN_ALONE },
         { SIZE("launch_count", karp_command, launch_count), COLUMN_ALONE },
         { SIZE("placement_first", karp_command, placement_first), COLUMN_ALONE },
         { SIZE("placement_count", karp_command, placement_count), COLUMN_ALONE },
         { SUM("savings", karp_command, savings), COLUMN },
         { FLAG("replacementUnavailable", karp_command, replacement_unavailable), GIVEN },
         { FLAG("expired", karp_command, expired), GIVEN }, { REAL("score", karp_command, score), NOT_NEGATIVE },
         { DURATION("validateAfter", karp_command, validate_after), POSITIVE, COLUMN },
         { REAL("score", karp_command, score), COLUMN_ALONE })
};

const record record_kept = {
    SIZED(karp_kept, reserved),
    OPEN({ TEXT("node", karp_kept, node), IN(IN_PLAN), COLUMN }, { UINT32("code", karp_kept, code), COLUMN_ALONE },
         { NAMED("code", karp_kept, code, record_reasons) },
         { NAMED("reason", karp_kept, code, record_reasons), COLUMN_ALONE },
         { TEXT("detail", karp_kept, detail), COLUMN }, { UINT32("found", karp_kept, found), GIVEN })
};
