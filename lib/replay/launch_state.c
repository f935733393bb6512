/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that awaits validation, as a document: everything needed to create the node. */
#include <replay/engine_shapes.h>
#include <replay/engine_state.h>

#include <base/error.h>

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static tree *text_rows(trees *t, const karp_str *list, size_t count)
{
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) tree_append(t, rows, tree_new_text(t, list[i]));
    return rows;
}

static tree *label_rows(trees *t, const karp_label *list, size_t count)
{
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++)
        tree_append(t, rows, text_rows(t, (const karp_str[]){ list[i].key, list[i].value }, 2));
    return rows;
}

static tree *taint_rows(trees *t, const karp_taint *list, size_t count)
{
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++)
        tree_append(t, rows, text_rows(t, (const karp_str[]){ list[i].key, list[i].value, list[i].effect }, 3));
    return rows;
}

/* [name, text], or [name, value, scale]. */
static tree *resource_rows(trees *t, const karp_resource *list, size_t count)
{
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) {
        tree *row = text_rows(t, (const karp_str[]){ list[i].name, list[i].text }, list[i].text.ptr ? 2 : 1);
        if (!list[i].text.ptr) {
            tree_append(t, row, tree_new_integer(t, list[i].value));
            tree_append(t, row, tree_new_integer(t, list[i].scale));
        }
        tree_append(t, rows, row);
    }
    return rows;
}

static tree *requirement_rows(trees *t, const karp_requirement *list, size_t count)
{
    tree *rows = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) {
        tree *row = text_rows(t, &list[i].key, 1);
        tree_append(t, row, tree_new_integer(t, list[i].op));
        tree_append(t, row, text_rows(t, list[i].values, list[i].value_count));
        tree_append(t, rows, row);
    }
    return rows;
}

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
    const karp_str chosen[] = { l->choice.instance_type, l->choice.zone, l->choice.capacity_type };
    const karp_str class[] = { l->node_class.group, l->node_class.kind, l->node_class.name };
    tree *object = tree_new(t, TREE_MAP), *choice = text_rows(t, chosen, 3);
    tree_append(t, choice, tree_new_double(t, l->choice.price));
    tree_set_text(t, object, "id", l->id);
    tree_set_text(t, object, "nodePool", l->node_pool);
    tree_set(t, object, "choice", choice);
    tree_set(t, object, "nodeClass", text_rows(t, class, 3));
    tree_set(t, object, "instanceTypes", text_rows(t, l->instance_types, l->instance_type_count));
    tree_set(t, object, "requirements", requirement_rows(t, l->requirements, l->requirement_count));
    tree_set(t, object, "choiceLabels", label_rows(t, l->choice_labels, l->choice_label_count));
    tree_set(t, object, "labels", label_rows(t, l->labels, l->label_count));
    tree_set(t, object, "annotations", label_rows(t, l->annotations, l->annotation_count));
    tree_set(t, object, "taints", taint_rows(t, l->taints, l->taint_count));
    tree_set(t, object, "startupTaints", taint_rows(t, l->startup_taints, l->startup_taint_count));
    tree_set(t, object, "requests", resource_rows(t, l->requests, l->request_count));
    tree_set(t, object, "capacity", resource_rows(t, l->capacity, l->capacity_count));
    tree_set(t, object, "allocatable", resource_rows(t, l->allocatable, l->allocatable_count));
    tree_set(t, object, "expireAfter", tree_new_integer(t, l->expire_after));
    tree_set(t, object, "terminationGracePeriod", tree_new_integer(t, l->termination_grace_period));
    tree_set(t, object, "podRequests", amounts_state(e, t, amounts));
    return object;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* An array for the rows of the list, in the engine's memory. */
static void *rows_of(engine *e, const tree *list, size_t bytes, size_t *count)
{
    *count = tree_count(list);
    void *rows = arena_zalloc(&e->memory, (*count + 1) * bytes);
    if (!rows) {
        engine_nomem(e);
        *count = 0;
    }
    return rows;
}

static karp_str text_at(engine *e, const tree *row, size_t index)
{
    return engine_text(e, tree_text(tree_item(row, index)));
}

static int64_t integer_of(const tree *value, int64_t absent)
{
    int64_t number = absent;
    return tree_integer(value, &number) ? number : absent;
}

static const karp_label *labels_of(engine *e, const tree *state, const char *name, size_t *count)
{
    const tree *list = tree_get(state, name);
    karp_label *rows = rows_of(e, list, sizeof *rows, count);
    for (size_t i = 0; i < *count; i++)
        rows[i] = (karp_label){ text_at(e, tree_item(list, i), 0), text_at(e, tree_item(list, i), 1) };
    return rows;
}

static const karp_taint *taints_of(engine *e, const tree *state, const char *name, size_t *count)
{
    const tree *list = tree_get(state, name);
    karp_taint *rows = rows_of(e, list, sizeof *rows, count);
    for (size_t i = 0; i < *count; i++) {
        const tree *row = tree_item(list, i);
        rows[i] = (karp_taint){ text_at(e, row, 0), text_at(e, row, 1), text_at(e, row, 2) };
    }
    return rows;
}

static const karp_resource *resources_of(engine *e, const tree *state, const char *name, size_t *count)
{
    const tree *list = tree_get(state, name);
    karp_resource *rows = rows_of(e, list, sizeof *rows, count);
    for (size_t i = 0; i < *count; i++) {
        const tree *row = tree_item(list, i);
        rows[i].name = text_at(e, row, 0);
        if (tree_is(tree_item(row, 1), TREE_STRING)) rows[i].text = text_at(e, row, 1);
        rows[i].value = integer_of(tree_item(row, 1), 0);
        rows[i].scale = (int32_t)integer_of(tree_item(row, 2), 0);
    }
    return rows;
}

static const karp_str *texts_of(engine *e, const tree *list, size_t *count)
{
    karp_str *rows = rows_of(e, list, sizeof *rows, count);
    for (size_t i = 0; i < *count; i++) rows[i] = text_at(e, list, i);
    return rows;
}

static const karp_requirement *requirements_of(engine *e, const tree *state, size_t *count)
{
    const tree *list = tree_get(state, "requirements");
    karp_requirement *rows = rows_of(e, list, sizeof *rows, count);
    for (size_t i = 0; i < *count; i++) {
        const tree *row = tree_item(list, i);
        rows[i].key = text_at(e, row, 0);
        rows[i].op = (uint32_t)integer_of(tree_item(row, 1), 0);
        rows[i].values = texts_of(e, tree_item(row, 2), &rows[i].value_count);
    }
    return rows;
}

void amounts_from_state(engine *e, const tree *state, int64_t amounts[RESOURCES_MOST])
{
    memset(amounts, 0, RESOURCES_MOST * sizeof *amounts);
    for (size_t i = 0; tree_is(state, TREE_MAP) && i < tree_count(state); i++) {
        const tree_member *member = tree_member_at(state, i);
        uint32_t resource = engine_resource(e, tree_member_name(member));
        if (resource < RESOURCES_MOST) amounts[resource] = integer_of(member->value, 0);
    }
}

void launch_from_state(engine *e, const tree *state, karp_launch *l, int64_t amounts[RESOURCES_MOST])
{
    const tree *choice = tree_get(state, "choice"), *class = tree_get(state, "nodeClass");
    double price = 0;
    (void)tree_double(tree_item(choice, 3), &price);
    *l = (karp_launch){ .size = sizeof *l };
    l->id = engine_text(e, tree_get_text(state, "id"));
    l->node_pool = engine_text(e, tree_get_text(state, "nodePool"));
    l->choice = (karp_choice){ text_at(e, choice, 0), text_at(e, choice, 1), text_at(e, choice, 2), price };
    l->runner_up = (karp_choice){ { "", 0 }, { "", 0 }, { "", 0 }, 0 };
    l->node_class = (karp_node_class_ref){ text_at(e, class, 0), text_at(e, class, 1), text_at(e, class, 2) };
    l->instance_types = texts_of(e, tree_get(state, "instanceTypes"), &l->instance_type_count);
    l->requirements = requirements_of(e, state, &l->requirement_count);
    l->choice_labels = labels_of(e, state, "choiceLabels", &l->choice_label_count);
    l->labels = labels_of(e, state, "labels", &l->label_count);
    l->annotations = labels_of(e, state, "annotations", &l->annotation_count);
    l->taints = taints_of(e, state, "taints", &l->taint_count);
    l->startup_taints = taints_of(e, state, "startupTaints", &l->startup_taint_count);
    l->requests = resources_of(e, state, "requests", &l->request_count);
    l->capacity = resources_of(e, state, "capacity", &l->capacity_count);
    l->allocatable = resources_of(e, state, "allocatable", &l->allocatable_count);
    l->expire_after = integer_of(tree_get(state, "expireAfter"), KARP_DURATION_UNSET);
    l->termination_grace_period = integer_of(tree_get(state, "terminationGracePeriod"), KARP_DURATION_UNSET);
    amounts_from_state(e, tree_get(state, "podRequests"), amounts);
}
