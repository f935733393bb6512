/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash that Karpenter computes for spec.template with a library that walks Go structs. This file performs the
 * same steps for the fields that are hashed. Names are those of the Go types and fields. Fields with a zero value are
 * skipped. Lists and maps are unordered. A map that is present and empty is not a zero value (D-Q24).
 */
#include <model/snapshot.h>

#include <base/str.h>

static uint64_t more(uint64_t h, unsigned char byte) { return (h * UINT64_C(0x100000001b3)) ^ byte; }

static uint64_t of_bytes(const char *text, size_t length)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) h = more(h, (unsigned char)text[i]);
    return h;
}

static uint64_t of_text(karp_str t) { return of_bytes(t.ptr, t.len); }

static uint64_t of_words(const uint64_t *words_, size_t count)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count * 8; i++) h = more(h, (unsigned char)(words_[i / 8] >> (i % 8 * 8)));
    return h;
}

static uint64_t finish(uint64_t h) { return of_words(&h, 1); }

static uint64_t ordered(uint64_t a, uint64_t b)
{
    const uint64_t both[2] = { a, b };
    return of_words(both, 2);
}

/* A struct begins with the name of its type, followed by its fields in the order of declaration. */
static void take(uint64_t *h, const char *field, uint64_t value)
{
    *h = finish(*h ^ ordered(of_text(str(field)), value));
}

static void take_text(uint64_t *h, const char *field, karp_str value)
{
    if (value.len > 0) take(h, field, of_text(value));
}

static uint64_t begin(const char *type) { return of_text(str(type)); }

static uint64_t of_map(const store *raw, label_list list)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        h ^= ordered(of_text(store_text(raw, list.items[i].key)), of_text(store_text(raw, list.items[i].value)));
    }
    return finish(h);
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

static uint64_t of_number(int64_t value)
{
    uint64_t word = (uint64_t)value;
    return of_words(&word, 1);
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
    if (p->taints.count > 0) take(&h, "Taints", of_taints(raw, p->taints));
    if (p->startup_taints.count > 0) take(&h, "StartupTaints", of_taints(raw, p->startup_taints));
    take(&h, "NodeClassRef", of_class(raw, p));
    if (p->termination_grace_period != KARP_DURATION_UNSET) {
        uint64_t grace = begin("Duration"); /* a zero inside is skipped, but not the pointer to it */
        if (p->termination_grace_period != 0) take(&grace, "Duration", of_number(p->termination_grace_period));
        take(&h, "TerminationGracePeriod", grace);
    }
    if (p->expire_after != KARP_DURATION_UNSET && p->expire_after != KARP_DURATION_NEVER) {
        uint64_t expire = begin("NillableDuration");
        take(&expire, "Duration", of_number(p->expire_after));
        take(&h, "ExpireAfter", expire);
    }
    return h;
}

uint64_t pool_hash(const store *raw, const node_pool *p)
{
    uint64_t h = begin("NodeClaimTemplate");
    if (p->has_labels || p->has_annotations) {
        uint64_t meta = begin("ObjectMeta");
        if (p->has_labels) take(&meta, "Labels", of_map(raw, p->template_labels));
        if (p->has_annotations) take(&meta, "Annotations", of_map(raw, p->template_annotations));
        take(&h, "ObjectMeta", meta);
    }
    take(&h, "Spec", of_spec(raw, p));
    return h;
}
