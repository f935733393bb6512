/* SPDX-License-Identifier: Apache-2.0 */
#include <verify/kinds.h>

static bool list_pods(verifier *v, kinds *k)
{
    const karp_snapshot *s = v->snapshot;
    k->pod_first = verifier_alloc(v, s->class_count + (size_t)2, sizeof *k->pod_first);
    k->pods = verifier_alloc(v, s->raw.pods.count + 1, sizeof *k->pods);
    k->all = verifier_alloc(v, s->class_count + (size_t)1, sizeof *k->all);
    if (k->pod_first == NULL || k->pods == NULL || k->all == NULL) return false;
    /* Counted one position further on. Filling in then moves each start to its final position. */
    for (uint32_t p = 0; p < s->raw.pods.count; p++) k->pod_first[kind_of(v, p) + 2]++;
    for (uint32_t i = 2; i < s->class_count + 2; i++) k->pod_first[i] += k->pod_first[i - 1];
    for (uint32_t i = 0; i < s->raw.pods.count; i++)
        k->pods[k->pod_first[kind_of(v, s->by_name[i]) + 1]++] = s->by_name[i];
    for (uint32_t i = 0; i < s->class_count; i++) k->all[i] = i;
    return verifier_worked(v, s->raw.pods.count * 8);
}

/* ---- kinds by label ---------------------------------------------------------------------------------------------- */

static bool number_labels(verifier *v, kinds *k, size_t *total)
{
    for (uint32_t i = 0; i < v->snapshot->class_count; i++) {
        label_list labels = kind_labels(v, i);
        for (uint32_t l = 0; l < labels.count; l++) {
            uint64_t label = pair_key(labels.items[l].key, labels.items[l].value);
            if (map64_get(&k->labels, label) == NO_ID && !map64_put(&k->labels, label, (uint32_t)k->labels.count))
                return mem_refused(&v->failed);
        }
        *total += labels.count;
    }
    return true;
}

static bool list_labels(verifier *v, kinds *k)
{
    size_t total = 0;
    if (!number_labels(v, k, &total)) return false;
    k->label_first = verifier_alloc(v, k->labels.count + 2, sizeof *k->label_first);
    k->label_kinds = verifier_alloc(v, total + 1, sizeof *k->label_kinds);
    if (k->label_first == NULL || k->label_kinds == NULL) return false;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < v->snapshot->class_count; i++) {
            label_list labels = kind_labels(v, i);
            for (uint32_t l = 0; l < labels.count; l++) {
                uint32_t number = map64_get(&k->labels, pair_key(labels.items[l].key, labels.items[l].value));
                if (fill) k->label_kinds[k->label_first[number + 1]++] = i;
                else k->label_first[number + 2]++;
            }
        }
        for (size_t i = 2; !fill && i < k->labels.count + 2; i++) k->label_first[i] += k->label_first[i - 1];
    }
    return verifier_worked(v, total * 16);
}

static bool list_anti_keys(verifier *v, kinds *k)
{
    const store *raw = &v->snapshot->raw;
    for (size_t i = 0; i < raw->shapes.count; i++) {
        pod_term_list list = raw->shapes.items[i].required_anti;
        for (uint32_t t = 0; t < list.count; t++) {
            if (!map64_put(&k->anti_keys, list.items[t].topology_key, 1)) v->failed = true;
        }
    }
    return !v->failed;
}

static bool soft_pools(const karp_snapshot *s)
{
    for (uint32_t p = 0; p < s->raw.pools.count; p++) {
        taint_list taints = s->raw.pools.items[p].taints;
        for (uint32_t i = 0; i < taints.count; i++) {
            if (taints.items[i].effect == s->known.prefer_no_schedule) return true;
        }
    }
    return false;
}

bool kinds_init(verifier *v, kinds *k)
{
    *k = (kinds){ .soft_pools = soft_pools(v->snapshot) };
    map64_init(&k->labels, v->context);
    map64_init(&k->anti_keys, v->context);
    k->selected = verifier_alloc(v, v->snapshot->class_count + (size_t)1, sizeof *k->selected);
    k->is_selected = verifier_alloc(v, v->snapshot->class_count + (size_t)1, sizeof *k->is_selected);
    return k->selected != NULL && k->is_selected != NULL && list_pods(v, k) && list_labels(v, k) &&
           list_anti_keys(v, k);
}

void kinds_free(kinds *k)
{
    map64_free(&k->labels);
    map64_free(&k->anti_keys);
}

/* ---- selecting --------------------------------------------------------------------------------------------------- */

/* The shorter of `list` and the list of kinds with the label. */
static kind_list shorter(const kinds *k, kind_list list, uint32_t key, uint32_t value)
{
    uint32_t number = map64_get(&k->labels, pair_key(key, value));
    if (number == NO_ID) return (kind_list){ NULL, 0 };
    uint32_t count = k->label_first[number + 1] - k->label_first[number];
    return count < list.count ? (kind_list){ k->label_kinds + k->label_first[number], count } : list;
}

kind_list kinds_near(const verifier *v, const kinds *k, const selector *x)
{
    kind_list list = { k->all, v->snapshot->class_count };
    for (uint32_t i = 0; i < x->labels.count; i++)
        list = shorter(k, list, x->labels.items[i].key, x->labels.items[i].value);
    for (uint32_t i = 0; i < x->expressions.count; i++) {
        const expression *e = &x->expressions.items[i];
        if (e->op == KARP_OP_IN && e->value_count == 1) list = shorter(k, list, e->key, e->values[0]);
    }
    return list;
}

void kinds_select_none(kinds *k)
{
    for (uint32_t i = 0; i < k->selected_count; i++) k->is_selected[k->selected[i]] = 0;
    k->selected_count = 0;
}

void kinds_select(kinds *k, uint32_t kind)
{
    k->is_selected[kind] = 1;
    k->selected[k->selected_count++] = kind;
}

/* ---- equal constraints ------------------------------------------------------------------------------------------- */

void key_add(key_builder *x, uint32_t word)
{
    uint32_t *place = list_push(x->v->context, &x->list, sizeof *place);
    if (place != NULL) *place = word;
    else x->v->failed = true;
}

void key_add_labels(key_builder *x, label_list labels)
{
    key_add(x, labels.count);
    for (uint32_t i = 0; i < labels.count; i++) {
        key_add(x, labels.items[i].key);
        key_add(x, labels.items[i].value);
    }
}

void key_add_selector(key_builder *x, const selector *selector_)
{
    key_add(x, selector_ != NULL);
    if (selector_ == NULL) return;
    key_add_labels(x, selector_->labels);
    key_add(x, selector_->expressions.count);
    for (uint32_t i = 0; i < selector_->expressions.count; i++) {
        const expression *e = &selector_->expressions.items[i];
        key_add(x, e->key);
        key_add(x, e->op);
        key_add(x, e->value_count);
        for (uint32_t k = 0; k < e->value_count; k++) key_add(x, e->values[k]);
    }
}

uint32_t key_number(key_builder *x, words *table)
{
    uint32_t id = x->v->failed ? NO_ID : words_add(table, x->list.items, x->list.count);
    if (id == NO_ID) x->v->failed = true;
    x->list.count = 0;
    return id;
}

void key_free(key_builder *x) { list_free(x->v->context, &x->list, sizeof(uint32_t)); }

void constraint_uses_init(constraint_uses *a, verifier *v)
{
    *a = (constraint_uses){ .key = { .v = v } };
    words_init(&a->keys, v->context);
}

void constraint_uses_add(constraint_uses *a, constraint_use one)
{
    verifier *v = a->key.v;
    one.same = key_number(&a->key, &a->keys);
    constraint_use *slot = one.same == NO_ID ? NULL : list_push(v->context, &a->list, sizeof *slot);
    if (slot == NULL) v->failed = true;
    else *slot = one;
}

size_t constraint_uses_group(constraint_uses *a)
{
    verifier *v = a->key.v;
    if (v->failed) return 0;
    a->first = verifier_alloc(v, a->keys.count + 2, sizeof *a->first);
    a->ordered = verifier_alloc(v, a->list.count + 1, sizeof *a->ordered);
    if (a->first == NULL || a->ordered == NULL) return 0;
    for (size_t i = 0; i < a->list.count; i++) a->first[a->list.items[i].same + 2]++;
    for (size_t i = 2; i < a->keys.count + 2; i++) a->first[i] += a->first[i - 1];
    for (size_t i = 0; i < a->list.count; i++) a->ordered[a->first[a->list.items[i].same + 1]++] = a->list.items[i];
    return a->keys.count;
}

void constraint_uses_free(constraint_uses *a)
{
    words_free(&a->keys);
    key_free(&a->key);
    list_free(a->key.v->context, &a->list, sizeof(constraint_use));
}

const target *kinds_node(verifier *v, kinds *k, uint32_t node_index)
{
    const karp_snapshot *s = v->snapshot;
    if (k->nodes == NULL) {
        target *nodes = verifier_alloc(v, s->raw.nodes.count + 1, sizeof *nodes);
        for (uint32_t i = 0; nodes != NULL && i < s->raw.nodes.count && !v->failed; i++) {
            const node *n = &s->raw.nodes.items[i];
            nodes[i].node = s->node_of_name[i];
            nodes[i].pool = NO_ID;
            nodes[i].taints = n->taints;
            rules_add_labels(&v->words, &nodes[i].labels, n->meta.labels);
        }
        k->nodes = v->failed ? NULL : nodes;
    }
    return k->nodes == NULL ? NULL : &k->nodes[node_index];
}
