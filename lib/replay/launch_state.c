/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that awaits validation, as a document: everything needed to create the node. */
#include <replay/engine_shapes.h>
#include <replay/engine_state.h>
#include <replay/state_rows.h>

tree *amounts_state(const engine *e, trees *t, const int64_t amounts[RESOURCES_MOST])
{
    tree *map = tree_new(t, TREE_MAP);
    for (uint32_t i = 0; i < e->resource_names.count; i++) {
        if (amounts[i]) tree_set_named(t, map, strings_get(&e->resource_names, i), tree_new_integer(t, amounts[i]));
    }
    return map;
}

tree *launch_state(engine *e, trees *t, const karp_launch *l, const int64_t amounts[RESOURCES_MOST])
{
    tree *object = tree_new(t, TREE_MAP);
    state_write(t, object, &record_launch, l);
    tree_set(t, object, "podRequests", amounts_state(e, t, amounts));
    return object;
}

void amounts_from_state(engine *e, const tree *state, int64_t amounts[RESOURCES_MOST])
{
    memset(amounts, 0, RESOURCES_MOST * sizeof *amounts);
    for (size_t i = 0; tree_is(state, TREE_MAP) && i < tree_count(state); i++) {
        const tree_member *member = tree_member_at(state, i);
        uint32_t resource = engine_resource(e, tree_member_name(member));
        if (resource < RESOURCES_MOST) amounts[resource] = state_number(e, member->value, "amounts");
    }
}

void launch_from_state(engine *e, const tree *state, karp_launch *l, int64_t amounts[RESOURCES_MOST])
{
    memcpy(l, record_launch.absent, sizeof *l);
    state_read(e, state, &record_launch, NULL, l);
    amounts_from_state(e, tree_get(state, "podRequests"), amounts);
}
