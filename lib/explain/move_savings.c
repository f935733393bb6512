/* SPDX-License-Identifier: Apache-2.0 */
#include <explain/move_savings.h>

#include <explain/node_causes.h>

#include <base/bits.h>
#include <base/error.h>
#include <decision/decision.h>
#include <karp/what_if.h>

static double price_of_node(const karp_decision *d, karp_str name)
{
    for (size_t i = 0; i < karp_decision_node_count(d); i++) {
        karp_node_use row = { .size = sizeof row };
        if (karp_decision_node(d, i, &row) == KARP_OK && equal_str(row.node, name)) return row.price;
    }
    return 0;
}

/* What the launches cost without the nodes of the set and this one (NO_ID: without the set alone). */
static karp_status launches_without(const karp_snapshot *s, const karp_options *options, const uint64_t *gone,
                                    uint32_t node_number, double *cost, karp_decision **d, karp_error *error)
{
    arena a = arena_on(s->context);
    karp_change *list = arena_array(&a, s->node_count + (size_t)1, sizeof *list);
    size_t count = 0;
    for (uint32_t n = 0; n < s->node_count && list != NULL; n++) {
        if (n == node_number || bits_test(gone, n))
            list[count++] = (karp_change){ .kind = KARP_CHANGE_REMOVE_NODE, .name = name_of(s, s->nodes[n].name) };
    }
    karp_status status = list == NULL ? fail_nomem(error) : karp_what_if(s, list, count, options, d, error);
    arena_free(&a);
    *cost = 0;
    for (size_t i = 0; status == KARP_OK && i < (*d)->launches.count; i++)
        *cost += (*d)->launches.items[i].choice.price;
    return status;
}

karp_status move_savings(const karp_snapshot *s, const karp_options *common, uint32_t node_number, const uint64_t *gone,
                         double *before, double *out, karp_error *error)
{
    karp_options options = *common;
    karp_decision *d = NULL;
    double cost = 0;
    options.explain = KARP_EXPLAIN_NONE;
    *out = 0;
    if (*before < 0) {
        karp_status status = launches_without(s, &options, gone, NO_ID, before, &d, error);
        karp_decision_unref(d);
        if (status != KARP_OK) return status;
        d = NULL;
    }
    karp_status status = launches_without(s, &options, gone, node_number, &cost, &d, error);
    if (status != KARP_OK) return status;
    double saved = price_of_node(d, name_of(s, s->nodes[node_number].name)) - (cost - *before);
    for (size_t i = 0; i < d->unschedulable.count; i++) {
        if (pods_from_node(s, node_number, &d->unschedulable.items[i].pod, 1) > 0) saved = 0;
    }
    karp_decision_unref(d);
    *out = saved > 0.000001 || saved < -0.000001 ? saved : 0; /* sums of prices differ in their last digits */
    return KARP_OK;
}
