/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The label keys that decisions can read. Other keys are left out, so that nodes and pods that differ only in them
 * are equal.
 */
#include <model/devices.h>
#include <model/reuse_pods.h>
#include <model/prepare.h>

static void mark(const karp_snapshot *s, uint8_t *set, uint32_t key)
{
    set[key] = 1;
    set[s->facts.normalized[key]] = 1;
}

static void mark_expressions(const karp_snapshot *s, uint8_t *set, expression_list list)
{
    for (uint32_t i = 0; i < list.count; i++) mark(s, set, list.items[i].key);
}

static void mark_terms(const karp_snapshot *s, uint8_t *set, node_term_list list)
{
    for (uint32_t i = 0; i < list.count; i++) mark_expressions(s, set, list.items[i].expressions);
}

static void mark_selector(uint8_t *set, const selector *sel)
{
    if (sel == NULL) return;
    for (uint32_t i = 0; i < sel->labels.count; i++) set[sel->labels.items[i].key] = 1;
    for (uint32_t i = 0; i < sel->expressions.count; i++) set[sel->expressions.items[i].key] = 1;
}

static void mark_pod_terms(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods, pod_term_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        mark(s, of_nodes, list.items[i].topology_key);
        mark_selector(of_pods, list.items[i].label_selector);
    }
}

static void mark_spread(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods, spread_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        mark(s, of_nodes, list.items[i].topology_key);
        mark_selector(of_pods, list.items[i].label_selector);
        for (uint32_t k = 0; k < list.items[i].match_label_key_count; k++)
            of_pods[list.items[i].match_label_keys[k]] = 1;
    }
}

static void mark_shapes(const karp_snapshot *s, size_t first, uint8_t *of_nodes, uint8_t *of_pods)
{
    const store *raw = &s->raw;
    for (size_t i = first; i < raw->shapes.count; i++) {
        const shape *h = &raw->shapes.items[i];
        for (uint32_t l = 0; l < h->node_selector.count; l++) mark(s, of_nodes, h->node_selector.items[l].key);
        mark_terms(s, of_nodes, h->required);
        mark_terms(s, of_nodes, h->preferred);
        mark_pod_terms(s, of_nodes, of_pods, h->required_affinity);
        mark_pod_terms(s, of_nodes, of_pods, h->preferred_affinity);
        mark_pod_terms(s, of_nodes, of_pods, h->required_anti);
        mark_pod_terms(s, of_nodes, of_pods, h->preferred_anti);
        mark_spread(s, of_nodes, of_pods, h->spread);
    }
}

/* A label with an older key means the same for a node as one with the current key (§7.1). */
static void mark_older_names(const karp_snapshot *s, uint8_t *of_nodes)
{
    for (size_t i = 0; i < s->facts.count; i++) of_nodes[i] |= of_nodes[s->facts.normalized[i]];
}

void interesting_keys(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods)
{
    const store *raw = &s->raw;
    mark_shapes(s, 0, of_nodes, of_pods);
    mark_spread(s, of_nodes, of_pods, raw->default_spread);
    for (size_t i = 0; i < raw->volumes_bound.count; i++) mark_terms(s, of_nodes, raw->volumes_bound.items[i].terms);
    for (size_t i = 0; i < raw->storage_classes.count; i++)
        mark_terms(s, of_nodes, raw->storage_classes.items[i].topologies);
    for (size_t i = 0; i < raw->slices.count; i++) mark_terms(s, of_nodes, raw->slices.items[i].terms);
    for (size_t i = 0; i < raw->resource_claims.count; i++)
        mark_terms(s, of_nodes, raw->resource_claims.items[i].terms);
    for (size_t i = 0; i < raw->selecting.count; i++) mark_selector(of_pods, raw->selecting.items[i].selects);
    for (size_t i = 0; i < raw->budgets.count; i++) mark_selector(of_pods, raw->budgets.items[i].selects);
    mark_older_names(s, of_nodes);
}

/* Whether all keys marked in `more` are marked in `set`. */
static bool marked(const uint8_t *set, const uint8_t *more, size_t count)
{
    uint8_t missing = 0;
    for (size_t i = 0; i < count; i++) missing |= (uint8_t)(more[i] & ~set[i]);
    return missing == 0;
}

/* Marks the keys of changed objects that select pods. */
static void mark_changed(const store *raw, uint8_t *of_pods)
{
    for (size_t i = 0; i < raw->changed_objects.count; i++) {
        uint64_t changed = raw->changed_objects.items[i];
        size_t index = (uint32_t)changed;
        if (changed >> 32 == KIND_SELECTING && index < raw->selecting.count)
            mark_selector(of_pods, raw->selecting.items[index].selects);
        if (changed >> 32 == KIND_BUDGET && index < raw->budgets.count)
            mark_selector(of_pods, raw->budgets.items[index].selects);
    }
}

bool interest_holds(const karp_snapshot *s, bool *holds)
{
    size_t known = s->reused->before->raw.shapes.count, n = s->facts.count;
    *holds = true;
    if (known == s->raw.shapes.count && s->raw.changed_objects.count == 0) return true;
    uint8_t *of_nodes = mem_zalloc(s->context, 2 * n);
    if (of_nodes == NULL) return false;
    uint8_t *of_pods = of_nodes + n;
    mark_shapes(s, known, of_nodes, of_pods);
    mark_changed(&s->raw, of_pods);
    *holds = marked(s->of_nodes, of_nodes, n) && marked(s->of_pods, of_pods, n);
    mem_free(s->context, of_nodes, 2 * n);
    return true;
}
