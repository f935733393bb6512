/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number for everything that makes consolidation run again when it changes: bound pods, nodes and claims, pools and
 * overlays. It is equal on every machine. Pods that end by themselves and prices are not part of it.
 */
#include <disrupt/marks.h>

static const uint64_t fnv_start = UINT64_C(0xcbf29ce484222325), fnv_prime = UINT64_C(0x100000001b3);

static void take_byte(uint64_t *h, unsigned char byte) { *h = (*h ^ byte) * fnv_prime; }

static void take_number(uint64_t *h, uint64_t value)
{
    for (int i = 0; i < 64; i += 8) take_byte(h, (unsigned char)(value >> i));
}

static void take_text(uint64_t *h, karp_str text)
{
    for (size_t i = 0; i < text.len; i++) take_byte(h, (unsigned char)text.ptr[i]);
    take_number(h, text.len);
}

static void take_labels(uint64_t *h, const karp_snapshot *s, label_list list)
{
    uint64_t all = 0; /* a sum, because the list is in the order of ids */
    for (uint32_t i = 0; i < list.count; i++) {
        uint64_t one = fnv_start;
        take_text(&one, text_of(s, list.items[i].key));
        take_text(&one, text_of(s, list.items[i].value));
        all += hash_mix(one);
    }
    take_number(h, all);
}

static void take_expressions(uint64_t *h, const karp_snapshot *s, expression_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const expression *e = &list.items[i];
        take_text(h, text_of(s, e->key));
        take_number(h, e->op);
        take_number(h, e->min_values);
        for (uint32_t k = 0; k < e->value_count; k++) take_text(h, text_of(s, e->values[k]));
    }
    take_number(h, list.count);
}

static void take_taints(uint64_t *h, const karp_snapshot *s, taint_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        take_text(h, text_of(s, list.items[i].key));
        take_text(h, text_of(s, list.items[i].value));
        take_text(h, text_of(s, list.items[i].effect));
    }
    take_number(h, list.count);
}

static void take_amounts(uint64_t *h, const karp_snapshot *s, resource_list list)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint64_t one = fnv_start;
        take_text(&one, strings_get(&s->raw.resources, list.items[i].resource));
        take_number(&one, list.items[i].value.lo);
        take_number(&one, (uint64_t)list.items[i].value.hi);
        all += hash_mix(one);
    }
    take_number(h, all);
}

static void take_budgets(uint64_t *h, const node_pool *p)
{
    for (uint32_t i = 0; i < p->budget_count; i++) {
        const budget *b = &p->budgets[i];
        take_text(h, b->nodes);
        take_text(h, b->schedule);
        take_number(h, (uint64_t)b->duration);
        take_number(h, b->has_reasons ? UINT64_C(1) << 32 | b->reasons : 0);
    }
    take_number(h, p->budget_count);
}

static uint64_t of_pool(const karp_snapshot *s, const node_pool *p)
{
    uint64_t h = fnv_start;
    take_text(&h, name_of(s, p->meta.name));
    take_text(&h, name_of(s, p->meta.uid));
    take_text(&h, text_of(s, p->class_group));
    take_text(&h, text_of(s, p->class_kind));
    take_text(&h, text_of(s, p->class_name));
    take_labels(&h, s, p->template_labels);
    take_labels(&h, s, p->template_annotations);
    take_taints(&h, s, p->taints);
    take_taints(&h, s, p->startup_taints);
    take_expressions(&h, s, p->requirements);
    take_amounts(&h, s, p->limits);
    take_budgets(&h, p);
    take_number(&h, (uint64_t)p->replicas);
    take_number(&h, (uint64_t)p->consolidate_after);
    take_number(&h, (uint64_t)p->expire_after);
    take_number(&h, (uint64_t)p->termination_grace_period);
    take_number(&h, (uint64_t)(int64_t)p->weight);
    take_number(&h, p->policy);
    return h;
}

static uint64_t of_overlay(const karp_snapshot *s, const overlay *o)
{
    uint64_t h = fnv_start ^ 1;
    take_text(&h, name_of(s, o->meta.name));
    take_expressions(&h, s, o->requirements);
    take_text(&h, o->price);
    take_text(&h, o->price_adjustment);
    if (o->price_expression.len > 0) take_text(&h, o->price_expression);
    take_amounts(&h, s, o->capacity);
    take_number(&h, (uint64_t)(int64_t)o->weight);
    return h;
}

static uint64_t of_node(const karp_snapshot *s, const state_node *n)
{
    uint64_t h = fnv_start ^ 2;
    take_text(&h, name_of(s, n->name));
    take_number(&h, (uint64_t)(n->node != NO_ID) | (uint64_t)n->managed << 1 | (uint64_t)n->initialized << 2 |
                        (uint64_t)n->marked << 3);
    if (n->node != NO_ID) take_text(&h, name_of(s, s->raw.nodes.items[n->node].meta.uid));
    if (n->claim != NO_ID) take_text(&h, name_of(s, s->raw.claims.items[n->claim].meta.uid));
    return h;
}

static uint64_t of_pod(const karp_snapshot *s, uint32_t number)
{
    const pod *p = pod_at(&s->raw, number);
    uint64_t h = fnv_start ^ 3;
    take_text(&h, pod_name(s, number));
    take_text(&h, (karp_str){ p->uid, p->uid_len });
    take_text(&h, name_of(s, p->node));
    return h;
}

/* Adds the hashes up, so that the order of the objects does not matter. */
uint64_t cluster_digest(const karp_snapshot *snapshot)
{
    uint64_t all = 0;
    for (size_t i = 0; i < snapshot->raw.pools.count; i++)
        all += hash_mix(of_pool(snapshot, &snapshot->raw.pools.items[i]));
    for (size_t i = 0; i < snapshot->raw.overlays.count; i++)
        all += hash_mix(of_overlay(snapshot, &snapshot->raw.overlays.items[i]));
    for (uint32_t i = 0; i < snapshot->node_count; i++) all += hash_mix(of_node(snapshot, &snapshot->nodes[i]));
    for (uint32_t i = 0; i < snapshot->raw.pods.count; i++) {
        if (pod_at(&snapshot->raw, i)->node != NO_ID) all += hash_mix(of_pod(snapshot, i));
    }
    return all != 0 ? all : 1;
}
