/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matchLabelKeys and mismatchLabelKeys of pod affinity. The API server adds what they mean to the selector when it
 * stores a pod, and neither kube-scheduler nor Karpenter reads them. Those of spread constraints Karpenter reads.
 * Source: Kubernetes 1.37, pkg/registry/core/pod/strategy.go.
 */
#include <io/fill.h>

static const char *const kinds[] = { "podAffinity", "podAntiAffinity" };
static const char *const lists[] = { "requiredDuringSchedulingIgnoredDuringExecution",
                                     "preferredDuringSchedulingIgnoredDuringExecution" };

/* In a preferred term, the term itself is one level below. */
static tree *term_in(tree *entry, size_t list) { return list == 0 ? entry : tree_get(entry, "podAffinityTerm"); }

static bool has_keys(const tree *term)
{
    /* Without a selector the term selects nothing, with or without keys. */
    return tree_get(term, "labelSelector") &&
           (tree_count(tree_get(term, "matchLabelKeys")) > 0 || tree_count(tree_get(term, "mismatchLabelKeys")) > 0);
}

static bool any_keys(const tree *affinity)
{
    for (size_t k = 0; k < 2; k++) {
        const tree *one = tree_get(affinity, kinds[k]);
        for (size_t l = 0; l < 2; l++) {
            const tree *terms = tree_get(one, lists[l]);
            for (size_t i = 0; i < tree_count(terms); i++)
                if (has_keys(term_in(tree_item(terms, i), l))) return true;
        }
    }
    return false;
}

/* "key In (value)", or NotIn, for each key that the pod has a label of. */
static void add_expressions(trees *t, tree *selector, const tree *keys, const char *operator_, const tree *labels)
{
    for (size_t i = 0; i < tree_count(keys); i++) {
        karp_str key = tree_text(tree_item(keys, i));
        tree *value = tree_find_str(labels, key);
        if (!tree_is(value, TREE_STRING)) continue;
        tree *expression = tree_new(t, TREE_MAP), *values = tree_new(t, TREE_LIST);
        tree_set_text(t, expression, "key", key);
        tree_set_text(t, expression, "operator", str(operator_));
        tree_append(t, values, value);
        tree_set(t, expression, "values", values);
        tree_append(t, tree_own(t, selector, "matchExpressions", TREE_LIST), expression);
    }
}

static void merge(trees *t, tree *term, const tree *labels)
{
    tree *selector = tree_get(term, "labelSelector");
    if (!has_keys(term) || !tree_is(selector, TREE_MAP)) return;
    add_expressions(t, selector, tree_get(term, "matchLabelKeys"), "In", labels);
    add_expressions(t, selector, tree_get(term, "mismatchLabelKeys"), "NotIn", labels);
}

void io_merge_label_keys(trees *t, tree *pod)
{
    const tree *labels = tree_get(tree_get(pod, "metadata"), "labels");
    if (!any_keys(tree_get(tree_get(pod, "spec"), "affinity"))) return;
    /* Other pods may have the same spec. */
    tree *spec = tree_own(t, pod, "spec", TREE_MAP), *affinity = tree_deep_copy(t, tree_get(spec, "affinity"), false);
    tree_set(t, spec, "affinity", affinity);
    for (size_t k = 0; k < 2; k++) {
        for (size_t l = 0; l < 2; l++) {
            const tree *terms = tree_get(tree_get(affinity, kinds[k]), lists[l]);
            for (size_t i = 0; i < tree_count(terms); i++) merge(t, term_in(tree_item(terms, i), l), labels);
        }
    }
}
