/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that only a disruption fills. */
#include <decision/columns.h>

#include <base/sort.h>

bool columns_of_candidates(const karp_decision *d, karp_table *t)
{
    column *node_name = table_text(t, "node"), *pool = table_words(t, "node_pool"), *price = table_double(t, "price");
    column *cost = table_double(t, "disruption_cost"), *reschedule = table_double(t, "reschedule_cost");
    column *pod_list = table_list_uint32(t, "pods");
    for (size_t i = 0; i < d->candidates.count; i++) {
        const karp_candidate *c = &d->candidates.items[i];
        column_text(node_name, c->node);
        column_text(pool, c->node_pool);
        column_double(price, c->price);
        column_double(cost, c->disruption_cost);
        column_double(reschedule, c->reschedule_cost);
        column_uint32s(pod_list, c->pods, c->pod_count);
    }
    return true;
}

bool columns_of_commands(const karp_decision *d, karp_table *t)
{
    column *method = table_words(t, "method"), *reason = table_words(t, "reason"),
           *replaces = table_uint32(t, "replaces");
    column *nodes = table_list_words(t, "nodes");
    column *launch_first = table_uint32(t, "launch_first"), *launch_count = table_uint32(t, "launch_count");
    column *placement_first = table_uint32(t, "placement_first"), *placement_count = table_uint32(t, "placement_count");
    column *savings = table_double(t, "savings"), *validate_after = table_int64(t, "validate_after"),
           *score = table_double(t, "score");
    for (size_t i = 0; i < d->commands.count; i++) {
        const karp_command *c = &d->commands.items[i];
        column_text(method, str(karp_method_name(c->method)));
        column_text(reason, str(karp_method_reason(c->method)));
        column_uint32(replaces, c->replaces);
        column_texts(nodes, c->nodes, c->node_count);
        column_uint32(launch_first, (uint32_t)c->launch_first);
        column_uint32(launch_count, (uint32_t)c->launch_count);
        column_uint32(placement_first, (uint32_t)c->placement_first);
        column_uint32(placement_count, (uint32_t)c->placement_count);
        column_double(savings, c->savings);
        column_int64(validate_after, c->validate_after);
        column_double(score, c->score);
    }
    return true;
}

bool columns_of_kept(const karp_decision *d, karp_table *t)
{
    column *node_name = table_text(t, "node"), *code = table_uint32(t, "code"), *reason = table_words(t, "reason");
    column *detail = table_text(t, "detail");
    for (size_t i = 0; i < d->kept.count; i++) {
        const karp_kept *k = &d->kept.items[i];
        column_text(node_name, k->node);
        column_uint32(code, k->code);
        column_text(reason, str(karp_reason_name(k->code)));
        column_text(detail, k->detail);
    }
    return true;
}
