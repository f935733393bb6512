/* SPDX-License-Identifier: Apache-2.0 */
/* What a pass does not say itself: nodes that it removes although provisioning gives them pending pods (Karpenter
 * nominates a node that gets a pod, and a nominated node is no candidate), why nodes drift, and two nodes that one of
 * equal price would replace. Source: Karpenter 1.15, Results.Record() and ValidateNodeDisruptable(). */
#include "cli.h"

#include <karp/inspect.h>

enum { NOTE_ROOM = 400 };

static bool removed(const karp_decision *pass, karp_str node)
{
    for (size_t i = 0; i < karp_decision_command_count(pass); i++) {
        karp_command c = { .size = sizeof c };
        if (karp_decision_command(pass, i, &c) == KARP_OK && str_in(node, c.nodes, c.node_count)) return true;
    }
    return false;
}

karp_status nomination_note(cli_answer *answer, const karp_options *common, const karp_decision *pass, karp_str only)
{
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_decision *plan = NULL;
    karp_placement first = { .size = sizeof first };
    size_t count = 0;
    karp_snapshot_get_counts(answer->input.snapshot, &counts);
    if (counts.pods_to_place == 0 || karp_decision_command_count(pass) == 0) return KARP_OK;
    karp_status status = karp_provision(answer->input.snapshot, common, &plan, &answer->error);
    for (size_t i = 0; status == KARP_OK && i < karp_decision_placement_count(plan); i++) {
        karp_placement row = { .size = sizeof row };
        if (karp_decision_placement(plan, i, &row) != KARP_OK || row.pod_count == 0 || !removed(pass, row.node) ||
            (only.len > 0 && !equal_str(row.node, only)))
            continue;
        if (count++ == 0) first = row;
    }
    if (count > 0) {
        karp_str pod = karp_decision_pod_name(plan, first.pods[0]);
        char more[60] = "", text[NOTE_ROOM];
        if (count > 1) (void)snprintf(more, sizeof more, ", and pods to %zu more of these nodes", count - 1);
        (void)snprintf(text, sizeof text,
                       "provisioning gives pending pod %.*s to %.*s%s: then Karpenter nominates the node, and does not "
                       "disrupt it for 20 s. This pass is that of a moment before; karp plan --disrupt decides both",
                       str_shown(pod, 100), pod.ptr, str_shown(first.node, 100), first.node.ptr, more);
        status = answer_note(answer, text);
    }
    karp_decision_unref(plan);
    return status;
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

/* The nodes that have the reason of the first one. */
karp_status drift_note(cli_answer *answer, const karp_decision *pass)
{
    karp_table *nodes = NULL;
    karp_column names = { .size = sizeof names }, reasons = { .size = sizeof reasons };
    karp_str first = { "", 0 }, reason = { "", 0 };
    size_t count = 0;
    karp_disruption header = { .size = sizeof header };
    if (karp_decision_disruption(pass, &header) != KARP_OK ||
        !str_is(str(karp_method_reason(header.method)), "Drifted"))
        return KARP_OK;
    karp_status status = karp_snapshot_table(answer->input.snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, &answer->error);
    if (status == KARP_OK) status = karp_table_find(nodes, str("name"), &names);
    if (status == KARP_OK) status = karp_table_find(nodes, str("drift"), &reasons);
    for (size_t i = 0; status == KARP_OK && i < names.row_count; i++) {
        karp_str why = column_text_at(&reasons, i);
        if (why.len == 0 || (count > 0 && !equal_str(why, reason))) continue;
        if (count++ > 0) continue;
        first = column_text_at(&names, i);
        reason = why;
    }
    if (count > 0) {
        char text[NOTE_ROOM];
        (void)snprintf(
            text, sizeof text, "%zu %s drifted for the reason %.*s: karp explain node %.*s says what it means", count,
            count == 1 ? "node is" : "nodes are", str_shown(reason, 60), reason.ptr, str_shown(first, 100), first.ptr);
        status = answer_note(answer, text);
    }
    karp_table_free(nodes);
    return status;
}

/* ---- two nodes for one ------------------------------------------------------------------------------------------- */

/* The price of the node in the decision; 0 = unknown. */
static double price_of(const karp_decision *d, karp_str name)
{
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use row = { .size = sizeof row };
        if (karp_decision_node(d, i, &row) == KARP_OK && equal_str(row.node, name)) return row.price;
    }
    return 0;
}

/* Whether one launch takes the pods of both nodes at the price of both. */
static karp_status same_price(cli_answer *answer, const karp_options *common, karp_str own, karp_str other,
                              karp_launch *launch, karp_decision **kept)
{
    const karp_change changes[] = { { .kind = KARP_CHANGE_REMOVE_NODE, .name = own },
                                    { .kind = KARP_CHANGE_REMOVE_NODE, .name = other } };
    karp_decision *d = NULL;
    karp_status status = karp_what_if(answer->input.snapshot, changes, 2, common, &d, &answer->error);
    if (status != KARP_OK) return status;
    double both = price_of(d, own) + price_of(d, other);
    bool one = karp_decision_launch_count(d) == 1 && karp_decision_placement_count(d) == 0 &&
               karp_decision_unschedulable_count(d) == 0 && karp_decision_launch(d, 0, launch) == KARP_OK;
    if (one && both > 0 && launch->choice.price > both - 0.000001 && launch->choice.price < both + 0.000001) *kept = d;
    else karp_decision_unref(d);
    return KARP_OK;
}

static bool costs_as_much(const karp_node_explanation *e)
{
    karp_move move = { .size = sizeof move };
    bool cheaper = false;
    for (size_t i = 0; i < karp_node_explanation_blocker_count(e); i++) {
        karp_blocker b = { .size = sizeof b };
        cheaper = cheaper ||
                  (karp_node_explanation_blocker(e, i, &b) == KARP_OK && b.code == KARP_REASON_NO_CHEAPER_NODE);
    }
    return cheaper && karp_node_explanation_move(e, &move) == KARP_OK && move.launches == 1 &&
           move.savings > -0.000001 && move.savings < 0.000001;
}

karp_status pair_note(cli_answer *answer, const karp_options *common, const karp_node_explanation *explanation)
{
    enum { MOST_TRIED = 8 };
    karp_table *nodes = NULL;
    karp_column names = { .size = sizeof names }, pools = { .size = sizeof pools };
    karp_str own = karp_node_explanation_node(explanation), pool = { "", 0 };
    size_t tried = 0;
    bool told = false;
    if (karp_node_explanation_drift(explanation).len > 0 || !costs_as_much(explanation)) return KARP_OK;
    karp_status status = karp_snapshot_table(answer->input.snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, &answer->error);
    if (status == KARP_OK) status = karp_table_find(nodes, str("name"), &names);
    if (status == KARP_OK) status = karp_table_find(nodes, str("node_pool"), &pools);
    for (size_t i = 0; status == KARP_OK && i < names.row_count; i++) {
        if (equal_str(column_text_at(&names, i), own)) pool = column_text_at(&pools, i);
    }
    for (size_t i = 0; status == KARP_OK && i < names.row_count && !told && tried < MOST_TRIED; i++) {
        karp_str other = column_text_at(&names, i);
        karp_launch launch = { .size = sizeof launch };
        karp_decision *d = NULL;
        if (equal_str(other, own) || !equal_str(column_text_at(&pools, i), pool)) continue;
        tried++;
        status = same_price(answer, common, own, other, &launch, &d);
        told = d != NULL;
        if (told) {
            char text[NOTE_ROOM];
            (void)snprintf(text, sizeof text,
                           "one %.*s would take the pods of %.*s and %.*s, and costs as much as both: Karpenter "
                           "replaces nodes by a cheaper one only",
                           str_shown(launch.choice.instance_type, 60), launch.choice.instance_type.ptr,
                           str_shown(own, 100), own.ptr, str_shown(other, 100), other.ptr);
            status = answer_note(answer, text);
        }
        karp_decision_unref(d);
    }
    karp_table_free(nodes);
    return status;
}
