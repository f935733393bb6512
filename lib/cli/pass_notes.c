/* SPDX-License-Identifier: Apache-2.0 */
/* What a pass does not say itself: nodes that it removes although provisioning gives them pending pods (Karpenter
 * nominates a node that gets a pod, and a nominated node is no candidate), and why nodes drift. Source: Karpenter 1.15,
 * Results.Record() and ValidateNodeDisruptable(). */
#include "cli.h"

#include <karp/inspect.h>

static bool removed(const karp_decision *pass, karp_str node)
{
    for (size_t i = 0; i < karp_decision_command_count(pass); i++) {
        karp_command c = { .size = sizeof c };
        if (karp_decision_command(pass, i, &c) == KARP_OK && str_in(node, c.nodes, c.node_count)) return true;
    }
    return false;
}

karp_status nomination_note(cli_answer *answer, const karp_options *common, const karp_decision *pass, karp_str only,
                            char *text, size_t room)
{
    karp_snapshot_counts counts = { .size = sizeof counts };
    karp_decision *plan = NULL;
    karp_placement first = { .size = sizeof first };
    size_t count = 0;
    text[0] = '\0';
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
        char more[60] = "";
        if (count > 1) (void)snprintf(more, sizeof more, ", and pods to %zu more of these nodes", count - 1);
        (void)snprintf(text, room,
                       "provisioning gives pending pod %.*s to %.*s%s: then Karpenter nominates the node, and does not "
                       "disrupt it for 20 s. This pass is that of a moment before; karp plan --disrupt decides both",
                       str_shown(pod, 100), pod.ptr, str_shown(first.node, 100), first.node.ptr, more);
    }
    karp_decision_unref(plan);
    return status;
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

/* "n0 and 2 more nodes are drifted: AMIDrift" of the pass's nodes with the reason of the first one. */
karp_status drift_note(cli_answer *answer, const karp_decision *pass, char *text, size_t room)
{
    karp_table *nodes = NULL;
    karp_column names = { .size = sizeof names }, reasons = { .size = sizeof reasons };
    karp_str first = { "", 0 }, reason = { "", 0 };
    size_t count = 0;
    karp_disruption header = { .size = sizeof header };
    text[0] = '\0';
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
    if (count > 0)
        (void)snprintf(text, room, "%zu %s drifted for the reason %.*s: karp explain node %.*s says what it means",
                       count, count == 1 ? "node is" : "nodes are", str_shown(reason, 60), reason.ptr,
                       str_shown(first, 100), first.ptr);
    karp_table_free(nodes);
    return status;
}
