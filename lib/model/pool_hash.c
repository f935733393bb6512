/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash that Karpenter computes for spec.template with a library that walks Go structs. This file performs the
 * same steps for the fields that are hashed. Names are those of the Go types and fields. Fields with a zero value are
 * skipped. Lists and maps are unordered. A map that is present and empty is not a zero value (D-Q24).
 */
#include <model/snapshot.h>

#include <base/str.h>

static void take_text(uint64_t *h, const char *field, karp_str value)
{
    if (value.len > 0) go_hash_field(h, field, go_hash_text(value));
}

static uint64_t begin(const char *type) { return go_hash_text(str(type)); }

static uint64_t of_map(const store *raw, label_list list)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        h ^= go_hash_pair(go_hash_text(store_text(raw, list.items[i].key)),
                          go_hash_text(store_text(raw, list.items[i].value)));
    }
    return go_hash_number(h, 8);
}

static uint64_t of_taints(const store *raw, taint_list list)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint64_t h = begin("Taint");
        take_text(&h, "Key", store_text(raw, list.items[i].key));
        take_text(&h, "Value", store_text(raw, list.items[i].value));
        take_text(&h, "Effect", store_text(raw, list.items[i].effect));
        all ^= h;
    }
    return all;
}

static uint64_t of_class(const store *raw, const node_pool *p)
{
    uint64_t h = begin("NodeClassReference");
    take_text(&h, "Kind", store_text(raw, p->class_kind));
    take_text(&h, "Name", store_text(raw, p->class_name));
    take_text(&h, "Group", store_text(raw, p->class_group));
    return h;
}

static uint64_t of_spec(const store *raw, const node_pool *p)
{
    uint64_t h = begin("NodeClaimTemplateSpec");
    if (p->taints.count > 0) go_hash_field(&h, "Taints", of_taints(raw, p->taints));
    if (p->startup_taints.count > 0) go_hash_field(&h, "StartupTaints", of_taints(raw, p->startup_taints));
    go_hash_field(&h, "NodeClassRef", of_class(raw, p));
    if (p->termination_grace_period != KARP_DURATION_UNSET) {
        uint64_t grace = begin("Duration"); /* a zero inside is skipped, but not the pointer to it */
        if (p->termination_grace_period != 0)
            go_hash_field(&grace, "Duration", go_hash_number((uint64_t)p->termination_grace_period, 8));
        go_hash_field(&h, "TerminationGracePeriod", grace);
    }
    if (p->expire_after != KARP_DURATION_UNSET && p->expire_after != KARP_DURATION_NEVER) {
        uint64_t expire = begin("NillableDuration");
        go_hash_field(&expire, "Duration", go_hash_number((uint64_t)p->expire_after, 8));
        go_hash_field(&h, "ExpireAfter", expire);
    }
    return h;
}

uint64_t pool_hash(const store *raw, const node_pool *p)
{
    uint64_t h = begin("NodeClaimTemplate");
    if (p->has_labels || p->has_annotations) {
        uint64_t meta = begin("ObjectMeta");
        if (p->has_labels) go_hash_field(&meta, "Labels", of_map(raw, p->template_labels));
        if (p->has_annotations) go_hash_field(&meta, "Annotations", of_map(raw, p->template_annotations));
        go_hash_field(&h, "ObjectMeta", meta);
    }
    go_hash_field(&h, "Spec", of_spec(raw, p));
    return h;
}
