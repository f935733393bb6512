/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the sums of a row of nodes. If there are many nodes, merges those that differ only in their names and pods
 * to one box.
 */
#include "picture.h"

static int by_kind(const void *a, const void *b)
{
    const picture_node *x = a, *y = b;
    const karp_str left[] = { x->node_pool, x->instance_type, x->zone, x->capacity_type };
    const karp_str right[] = { y->node_pool, y->instance_type, y->zone, y->capacity_type };
    /* Changed nodes come first. */
    static const int order[] = {
        [FATE_NEW] = 0, [FATE_REPLACES] = 1, [FATE_GONE] = 2, [FATE_REPLACED] = 3, [FATE_RECEIVES] = 4, [FATE_STAYS] = 5
    };
    int difference = order[x->fate] - order[y->fate];
    for (size_t i = 0; i < 4 && difference == 0; i++) difference = compare_str(left[i], right[i]);
    return difference;
}

static void fold_into(picture_node *group, const picture_node *node)
{
    group->copies++;
    group->price += node->price;
    group->idle += node->idle;
    if (group->kept != node->kept) group->kept = 0;
    group->kept_detail = (karp_str){ "", 0 };
    group->cordoned = group->cordoned && node->cordoned;
    group->cpu += node->cpu;
    group->memory += node->memory;
    group->cpu_used += node->cpu_used;
    group->memory_used += node->memory_used;
    group->daemon_cpu = 0;
    if (!equal_str(group->scarce, node->scarce)) group->scarce = (karp_str){ "", 0 };
    group->scarce_used += node->scarce_used;
    group->scarce_all += node->scarce_all;
    group->pods += node->pods;
    group->run_count = 0;
}

void picture_add_up(picture_row *row)
{
    row->node_total = row->count;
    for (size_t i = 0; i < row->count; i++) {
        picture_node *node = &row->nodes[i];
        double cpu = picture_part(node->cpu_used, node->cpu), memory = picture_part(node->memory_used, node->memory);
        double part = cpu > memory ? cpu : memory;
        node->idle = node->price * (1 - (part < 1 ? part : 1));
        row->cpu += node->cpu;
        row->cpu_used += node->cpu_used;
        row->memory += node->memory;
        row->memory_used += node->memory_used;
        row->idle += node->idle;
        row->pods += node->pods;
    }
}

bool picture_fold(picture *s, picture_row *row, karp_context *context)
{
    if (row->count <= PICTURE_MOST_NODES) return true;
    const void **order = arena_array(&s->arena, row->count, sizeof(*order));
    picture_node *folded = arena_array(&s->arena, row->count, sizeof(*folded));
    if (order == NULL || folded == NULL) return false;
    for (size_t i = 0; i < row->count; i++) order[i] = &row->nodes[i];
    if (!sort_pointers(context, order, row->count, by_kind)) return false;
    size_t groups = 0;
    for (size_t i = 0; i < row->count; i++) {
        const picture_node *node = order[i];
        if (groups > 0 && by_kind(&folded[groups - 1], node) == 0) fold_into(&folded[groups - 1], node);
        else folded[groups++] = *node;
    }
    for (size_t i = PICTURE_MOST_GROUPS; i < groups; i++) row->left_out += folded[i].copies;
    row->nodes = folded;
    row->count = groups < PICTURE_MOST_GROUPS ? groups : PICTURE_MOST_GROUPS;
    return true;
}
