/* SPDX-License-Identifier: Apache-2.0 */
#include <io/make_object.h>

#include <karp/values.h>

tree *io_new_object(trees *t, const char *api_version, const char *kind, karp_str namespace_, karp_str name)
{
    tree *object = tree_new(t, TREE_MAP);
    tree_set_text(t, object, "apiVersion", str(api_version));
    tree_set_text(t, object, "kind", str(kind));
    tree *metadata = tree_get_or_make(t, object, "metadata");
    tree_set_text(t, metadata, "name", name);
    if (namespace_.len) tree_set_text(t, metadata, "namespace", namespace_);
    return object;
}

tree *io_new_node(trees *t, bool claim, karp_str name, int64_t created)
{
    tree *object = io_new_object(t, claim ? "karpenter.sh/v1" : "v1", claim ? "NodeClaim" : "Node", (karp_str){ "", 0 },
                                 name);
    tree *spec = tree_get_or_make(t, object, "spec"), *status = tree_get_or_make(t, object, "status");
    io_set_time(t, tree_get(object, "metadata"), "creationTimestamp", created);
    tree_set_text(t, claim ? status : spec, "providerID", name);
    return object;
}

void io_set_time(trees *t, tree *object, const char *name, int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    if (instant == KARP_NO_TIME) return;
    karp_time_format(instant, text);
    tree_set_text(t, object, name, str(text));
}

void io_set_labels(trees *t, tree *map, const karp_label *list, size_t count)
{
    for (size_t i = 0; i < count; i++) tree_set_named(t, map, list[i].key, tree_new_text(t, list[i].value));
}

tree *io_new_amounts(trees *t, const karp_resource *list, size_t count)
{
    tree *map = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < count; i++) tree_set_named(t, map, list[i].name, tree_new_text(t, list[i].text));
    return map;
}

tree *io_new_taint(trees *t, const karp_taint *taint, bool empty_value)
{
    tree *object = tree_new(t, TREE_MAP);
    tree_set_text(t, object, "key", taint->key);
    if (taint->value.len || empty_value) tree_set_text(t, object, "value", taint->value);
    tree_set_text(t, object, "effect", taint->effect);
    return object;
}

tree *io_new_taints(trees *t, const karp_taint *list, size_t count, bool empty_value)
{
    tree *taints = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < count; i++) tree_append(t, taints, io_new_taint(t, &list[i], empty_value));
    return taints;
}

void io_add_condition(trees *t, tree *list, const char *type, const char *status, const char *reason, int64_t when)
{
    tree *condition = tree_new(t, TREE_MAP);
    tree_set_text(t, condition, "type", str(type));
    tree_set_text(t, condition, "status", str(status));
    if (*reason) tree_set_text(t, condition, "reason", str(reason));
    io_set_time(t, condition, "lastTransitionTime", when);
    tree_append(t, list, condition);
}

karp_str io_condition_status(const tree *list, const char *type)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *condition = tree_item(list, i);
        if (str_is(tree_get_text(condition, "type"), type)) return tree_get_text(condition, "status");
    }
    return (karp_str){ "", 0 };
}

void io_set_pending(trees *t, tree *pod, int64_t when)
{
    tree *status = tree_new(t, TREE_MAP), *conditions = tree_new(t, TREE_LIST);
    tree_set_text(t, status, "phase", str("Pending"));
    /* Without this condition Karpenter ignores the pod. */
    io_add_condition(t, conditions, "PodScheduled", "False", "Unschedulable", when);
    tree_set(t, status, "conditions", conditions);
    tree_set(t, pod, "status", status);
    tree_remove(t, tree_get(pod, "spec"), "nodeName");
}
