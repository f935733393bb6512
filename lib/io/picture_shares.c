/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distributes a node's price to the owners of its pods, in proportion to their requests of its CPU and memory. The
 * part that no pod requests is distributed in the same way.
 */
#include "picture.h"

static double weight(const picture_node *node, double cpu, double memory)
{
    return picture_part(cpu, node->cpu) + picture_part(memory, node->memory);
}

static void give(picture_share *share, const picture_node *node, double part, double cpu, double memory)
{
    share->cpu += cpu;
    share->memory += memory;
    share->cost += node->price * part;
    share->idle += node->idle * part;
}

static void share_node(picture *s, const picture_node *node)
{
    double all = weight(node, node->cpu_used, node->memory_used);
    if (!(all > 0)) {
        give(&s->nobody, node, 1, 0, 0);
        return;
    }
    give(&s->daemons, node, weight(node, node->daemon_cpu, node->daemon_memory) / all, node->daemon_cpu,
         node->daemon_memory);
    for (size_t i = 0; i < node->run_count; i++) {
        const picture_run *run = &node->runs[i];
        picture_share *share = &s->workloads[run->workload].share;
        give(share, node, weight(node, run->cpu, run->memory) / all, run->cpu, run->memory);
        share->pods += run->pods;
    }
}

static int dearest_first(const void *a, const void *b)
{
    const picture_workload *x = a, *y = b;
    if (x->share.cost != y->share.cost) return x->share.cost > y->share.cost ? -1 : 1;
    return compare_str(x->name, y->name);
}

bool picture_share_costs(picture *s, karp_context *context)
{
    const void **order = arena_array(&s->arena, s->workload_count, sizeof(*order));
    if (order == NULL) return false;
    for (size_t i = 0; i < s->after.count; i++) share_node(s, &s->after.nodes[i]);
    for (size_t i = 0; i < s->workload_count; i++) {
        if (s->workloads[i].share.pods > 0) order[s->owner_count++] = &s->workloads[i];
    }
    s->owners = order;
    return sort_pointers(context, order, s->owner_count, dearest_first);
}
