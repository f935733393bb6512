/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of a snapshot that continues another: changed pods get existing classes or new ones. */

#include <model/reuse_pods.h>
#include <string.h>

enum { MOST_COMPARED = 1 << 20 }; /* after so many comparisons it is as fast to classify all pods again */

struct continuing {
    karp_snapshot *s;
    LIST_OF(pod_class) classes;
    uint32_t *sizes; /* by class: number of pods */
    size_t sizes_capacity;
    uint32_t *fresh; /* the class of each fresh pod */
    size_t compared;
    bool fits;
};

/* Fills the properties of a pod without volumes that decisions read, except the vector. false = out of memory. */
static bool read_class(struct continuing *c, const pod *p, pod_class *out)
{
    store *raw = &c->s->raw;
    const struct words_entry *labels = &raw->labels.entries[p->labels];
    uint32_t *pairs = mem_alloc(c->s->context, (labels->count + (size_t)1) * sizeof *pairs), kept = 0;
    if (pairs == NULL) return false;
    for (uint32_t k = 0; k < labels->count; k += 2) {
        if (!c->s->of_pods[labels->ptr[k]]) continue;
        pairs[kept++] = labels->ptr[k];
        pairs[kept++] = labels->ptr[k + 1];
    }
    *out = (pod_class){ .shape = p->shape,
                        .name_space = p->name_space,
                        .labels = words_add(&raw->projected, pairs, kept),
                        .marks = raw->default_spread.count > 0 ? p->marks : 0,
                        .claims = raw->settings.dra_requests ? p->claims : 0,
                        .volumes = NO_ID,
                        .alone = NO_ID,
                        .volumes_found = true,
                        .counts_volumes = true };
    mem_free(c->s->context, pairs, (labels->count + (size_t)1) * sizeof *pairs);
    return out->labels != NO_ID;
}

/* Whether two classes without volumes have equal properties. */
static bool same_class(const pod_class *a, const pod_class *b)
{
    return a->shape == b->shape && a->name_space == b->name_space && a->labels == b->labels && a->marks == b->marks &&
           a->claims == b->claims && a->volumes == NO_ID && a->alternative_count == 0 && a->volumes_found &&
           a->counts_volumes && !a->contradictory && !a->too_many_alternatives;
}

static uint32_t add_class(struct continuing *c, pod_class *one)
{
    karp_snapshot *s = c->s;
    if (!grow(s->context, (void **)&c->sizes, &c->sizes_capacity, c->classes.count + 1, sizeof *c->sizes)) return NO_ID;
    one->requests = vector_keep(s, s->raw.shapes.items[one->shape].requests);
    pod_class *slot = one->requests == NULL ? NULL : list_push(s->context, &c->classes, sizeof *slot);
    if (slot == NULL) return NO_ID;
    *slot = *one;
    c->sizes[c->classes.count - 1] = 0;
    return (uint32_t)c->classes.count - 1;
}

/* Whether the pod's class properties equal those of the pod that was in its place, usually the same pod with another
 * change. */
static bool same_pod_class(const pod *a, const pod *b)
{
    return a->shape == b->shape && a->name_space == b->name_space && a->labels == b->labels &&
           a->volumes == b->volumes && a->marks == b->marks && a->claims == b->claims;
}

/* NO_ID = out of memory, or there is no suitable class. */
static uint32_t class_of(struct continuing *c, uint32_t place)
{
    const karp_snapshot *before = c->s->reused->before;
    const pod *p = pod_at(&c->s->raw, place);
    pod_class one;
    if (place < before->raw.pods.count && same_pod_class(p, pod_at(&before->raw, place)))
        return before->pod_class[place];
    c->compared += c->classes.count;
    if (c->s->raw.volumes.entries[p->volumes].count > 0 || c->compared > MOST_COMPARED) {
        c->fits = false;
        return NO_ID;
    }
    if (!read_class(c, p, &one)) return NO_ID;
    for (uint32_t i = 0; i < c->classes.count; i++) {
        if (same_class(&c->classes.items[i], &one)) return i;
    }
    return add_class(c, &one);
}

static bool begin_continuing(struct continuing *c)
{
    const karp_snapshot *before = c->s->reused->before;
    size_t count = before->class_count;
    c->fresh = mem_alloc(c->s->context, c->s->reused->capacity * sizeof *c->fresh);
    void *classes = mem_alloc(c->s->context, (count + 8) * sizeof *c->classes.items);
    c->sizes = mem_alloc(c->s->context, (count + 8) * sizeof *c->sizes);
    c->sizes_capacity = c->sizes == NULL ? 0 : count + 8;
    c->classes.items = classes;
    c->classes.capacity = classes == NULL ? 0 : count + 8;
    if (c->fresh == NULL || classes == NULL || c->sizes == NULL) return false;
    memcpy(classes, before->classes, count * sizeof *c->classes.items);
    memcpy(c->sizes, before->class_sizes, count * sizeof *c->sizes);
    c->classes.count = count;
    return true;
}

static bool find_fresh(struct continuing *c)
{
    const struct reused_pods *k = c->s->reused;
    for (size_t i = 0; i < k->gone_count; i++) c->sizes[k->before->pod_class[k->gone[i]]]--;
    for (size_t i = 0; i < k->fresh_count; i++) {
        c->fresh[i] = class_of(c, k->fresh[i]);
        if (c->fresh[i] == NO_ID) return !c->fits;
        c->sizes[c->fresh[i]]++;
    }
    return true;
}

/* Whether every pod has the class of the pod that was in its place. */
static bool all_as_before(const struct continuing *c)
{
    const struct reused_pods *k = c->s->reused;
    if (k->count != k->before->raw.pods.count) return false;
    for (size_t i = 0; i < k->fresh_count; i++) {
        if (k->before->pod_class[k->fresh[i]] != c->fresh[i]) return false;
    }
    return true;
}

static void replace(uint32_t *classes, size_t count, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < count; i++) classes[i] = classes[i] == from ? to : classes[i];
}

/* A class without pods is replaced by the last class. */
static void drop_class(struct continuing *c, uint32_t number)
{
    karp_snapshot *s = c->s;
    uint32_t last = (uint32_t)--c->classes.count;
    if (number == last) return;
    c->classes.items[number] = c->classes.items[last];
    c->sizes[number] = c->sizes[last];
    replace(s->pod_class, s->raw.pods.count, last, number);
    s->reused->renumbered = true;
}

static bool write_classes(struct continuing *c)
{
    karp_snapshot *s = c->s;
    const struct reused_pods *k = s->reused;
    size_t began = k->before->raw.pods.count;
    s->pod_class = block_new(s->context, k->count + 1, sizeof *s->pod_class);
    if (s->pod_class == NULL) return false;
    memcpy(s->pod_class, k->before->pod_class, (began < k->count ? began : k->count) * sizeof *s->pod_class);
    for (size_t i = 0; i < k->fresh_count; i++) s->pod_class[k->fresh[i]] = c->fresh[i];
    bool same = c->classes.count == k->before->class_count;
    for (uint32_t i = (uint32_t)c->classes.count; i-- > 0;) {
        if (c->sizes[i] > 0) continue;
        same = false;
        drop_class(c, i);
    }
    s->class_sizes = block_new(s->context, c->classes.count + 1, sizeof *s->class_sizes);
    if (s->class_sizes == NULL) return false;
    memcpy(s->class_sizes, c->sizes, c->classes.count * sizeof *s->class_sizes);
    if (!same) return keep_classes(s, c->classes.items, c->classes.count);
    s->classes = block_ref(k->before->classes);
    s->class_count = k->before->class_count;
    return true;
}

static void hold_classes(karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    s->pod_class = block_ref(before->pod_class);
    s->class_sizes = block_ref(before->class_sizes);
    s->classes = block_ref(before->classes);
    s->class_count = before->class_count;
}

bool continue_classes(karp_snapshot *s, bool *fits)
{
    struct continuing c = { .s = s, .fits = true };
    s->dims = s->reused->before->dims;
    s->column_of = s->reused->before->column_of;
    s->nowhere = s->reused->before->nowhere;
    s->units = s->reused->before->units;
    bool ok = begin_continuing(&c) && find_fresh(&c);
    if (ok && c.fits) {
        if (all_as_before(&c)) hold_classes(s);
        else ok = write_classes(&c);
    }
    mem_free(s->context, c.fresh, s->reused->capacity * sizeof *c.fresh);
    mem_free(s->context, c.sizes, c.sizes_capacity * sizeof *c.sizes);
    list_free(s->context, &c.classes, sizeof *c.classes.items);
    *fits = c.fits;
    return ok;
}
