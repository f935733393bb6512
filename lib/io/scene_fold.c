/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the sums of a row of nodes. If there are many nodes, merges those that differ only in their names and pods
 * to one box.
 */
#include "scene.h"

static int by_kind(const void *a, const void *b)
{
    const scene_node *x = a, *y = b;
    const karp_str left[] = { x->node_pool, x->instance_type, x->zone, x->capacity_type };
    const karp_str right[] = { y->node_pool, y->instance_type, y->zone, y->capacity_type };
    /* Changed nodes come first. */
    static const int order[] = {
        [FATE_NEW] = 0, [FATE_REPLACES] = 1, [FATE_GONE] = 2, [FATE_REPLACED] = 3, [FATE_RECEIVES] = 4, [FATE_STAYS] = 5
    };
    int difference = order[x->fate] - order[y->fate];
    for (size_t i = 0; i < 4 && difference == 0; i++) {
        difference = compare_str(left[i], right[i]);
    }
    return difference;
}

static void fold_into(scene_node *group, const scene_node *node)
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

void scene_add_up(scene_lane *lane)
{
    lane->node_total = lane->count;
    for (size_t i = 0; i < lane->count; i++) {
        scene_node *node = &lane->nodes[i];
        double cpu = scene_part(node->cpu_used, node->cpu), memory = scene_part(node->memory_used, node->memory);
        double part = cpu > memory ? cpu : memory;
        node->idle = node->price * (1 - (part < 1 ? part : 1));
        lane->cpu += node->cpu;
        lane->cpu_used += node->cpu_used;
        lane->memory += node->memory;
        lane->memory_used += node->memory_used;
        lane->idle += node->idle;
        lane->pods += node->pods;
    }
}

bool scene_fold(scene *s, scene_lane *lane, karp_context *context)
{
    if (lane->count <= SCENE_MOST_NODES) {
        return true;
    }
    const void **order = arena_array(&s->arena, lane->count, sizeof(*order));
    scene_node *folded = arena_array(&s->arena, lane->count, sizeof(*folded));
    if (order == NULL || folded == NULL) {
        return false;
    }
    for (size_t i = 0; i < lane->count; i++) {
        order[i] = &lane->nodes[i];
    }
    if (!sort_pointers(context, order, lane->count, by_kind)) {
        return false;
    }
    size_t groups = 0;
    for (size_t i = 0; i < lane->count; i++) {
        const scene_node *node = order[i];
        if (groups > 0 && by_kind(&folded[groups - 1], node) == 0) {
            fold_into(&folded[groups - 1], node);
        } else {
            folded[groups++] = *node;
        }
    }
    for (size_t i = SCENE_MOST_GROUPS; i < groups; i++) {
        lane->left_out += folded[i].copies;
    }
    lane->nodes = folded;
    lane->count = groups < SCENE_MOST_GROUPS ? groups : SCENE_MOST_GROUPS;
    return true;
}
