/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/launched.h>

void replay_set_time(trees *t, tree *object, const char *name, int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(instant, text);
    tree_set_text(t, object, name, str(text));
}

static tree *amounts(trees *t, const karp_resource *list, size_t count)
{
    tree *object = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < count; i++) tree_set_named(t, object, list[i].name, tree_new_text(t, list[i].text));
    return object;
}

static tree *taint_list(trees *t, const karp_launch *l)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < l->taint_count; i++) {
        tree *taint = tree_new(t, TREE_MAP);
        tree_set_text(t, taint, "key", l->taints[i].key);
        tree_set_text(t, taint, "value", l->taints[i].value);
        tree_set_text(t, taint, "effect", l->taints[i].effect);
        tree_append(t, list, taint);
    }
    return list;
}

static void set_labels(trees *t, tree *labels, const karp_label *list, size_t count)
{
    for (size_t i = 0; i < count; i++) tree_set_named(t, labels, list[i].key, tree_new_text(t, list[i].value));
}

static tree *labels_of(trees *t, const karp_launch *l, karp_str name)
{
    tree *labels = tree_new(t, TREE_MAP);
    set_labels(t, labels, l->choice_labels, l->choice_label_count);
    set_labels(t, labels, l->labels, l->label_count);
    tree_set_text(t, labels, "karpenter.sh/nodepool", l->node_pool);
    tree_set_text(t, labels, "kubernetes.io/hostname", name);
    return labels;
}

tree *replay_launched(trees *t, const karp_launch *l, karp_str name, int64_t created, bool claim)
{
    tree *object = tree_new(t, TREE_MAP);
    tree_set_text(t, object, "apiVersion", str(claim ? "karpenter.sh/v1" : "v1"));
    tree_set_text(t, object, "kind", str(claim ? "NodeClaim" : "Node"));
    tree *metadata = tree_get_or_make(t, object, "metadata"), *spec = tree_get_or_make(t, object, "spec"),
         *status = tree_get_or_make(t, object, "status");
    tree_set_text(t, metadata, "name", name);
    replay_set_time(t, metadata, "creationTimestamp", created);
    tree_set(t, metadata, "labels", labels_of(t, l, name));
    tree_set(t, spec, "taints", taint_list(t, l));
    tree_set_text(t, claim ? status : spec, "providerID", name);
    tree_set(t, status, "capacity", amounts(t, l->capacity, l->capacity_count));
    tree_set(t, status, "allocatable", amounts(t, l->allocatable, l->allocatable_count));
    return object;
}
