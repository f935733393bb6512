/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/move_savings.h>

#include <base/error.h>
#include <decision/decision.h>
#include <karp/what_if.h>

static bool has_pod_of(const karp_snapshot *s, uint32_t node_number, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t at = s->pod_node[pods[i]];
        if (at != NO_ID && at == s->nodes[node_number].node) return true;
    }
    return false;
}

static double price_of_node(const karp_decision *d, karp_str name)
{
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use row = { .size = sizeof row };
        if (karp_decision_node(d, i, &row) == KARP_OK && equal_str(row.node, name)) return row.price;
    }
    return 0;
}

karp_status move_savings(const karp_snapshot *s, const karp_options *common, uint32_t node_number, double *out,
                         karp_error *error)
{
    karp_options options = *common;
    karp_decision *d = NULL;
    karp_change change = { .kind = KARP_CHANGE_REMOVE_NODE, .name = name_of(s, s->nodes[node_number].name) };
    options.explain = KARP_EXPLAIN_NONE;
    *out = 0;
    karp_status status = karp_what_if(s, &change, 1, &options, &d, error);
    if (status != KARP_OK) return status;
    double saved = price_of_node(d, change.name);
    for (size_t i = 0; i < d->launches.count; i++) {
        const karp_launch *l = &d->launches.items[i];
        if (has_pod_of(s, node_number, l->pods, l->pod_count)) saved -= l->choice.price;
    }
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        if (has_pod_of(s, node_number, &d->unschedulable.items[i].pod, 1)) saved = 0;
    }
    karp_decision_unref(d);
    *out = saved > 0 ? saved : 0;
    return KARP_OK;
}
