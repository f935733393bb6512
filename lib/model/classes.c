/* SPDX-License-Identifier: Apache-2.0 */
/* Groups pods into classes: two pods are in one class if no scheduling decision can distinguish them. */
#include <model/prepare.h>

#include <base/error.h>

struct classing {
    karp_snapshot *s;
    uint32_t *projected; /* store label id -> projected id */
    words keys; /* keys of classes */
    LIST_OF(pod_class) classes;
    bool csi_limits; /* some node or type limits volumes, so that claims are part of the key */
};

/* Drops the labels that no selector reads. */
static bool project_labels(struct classing *c)
{
    karp_snapshot *s = c->s;
    size_t most = 0, n = s->raw.labels.count;
    for (size_t i = 0; i < n; i++) {
        if (s->raw.labels.entries[i].count > most) most = s->raw.labels.entries[i].count;
    }
    uint32_t *pairs = mem_alloc(s->context, (most + 1) * sizeof *pairs);
    c->projected = mem_alloc(s->context, (n + 1) * sizeof *c->projected);
    bool ok = pairs != NULL && c->projected != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        const struct words_entry *e = &s->raw.labels.entries[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < e->count; k += 2) {
            if (!s->of_pods[e->ptr[k]]) continue;
            pairs[kept++] = e->ptr[k];
            pairs[kept++] = e->ptr[k + 1];
        }
        c->projected[i] = words_add(&s->raw.projected, pairs, kept);
        ok = c->projected[i] != NO_ID;
    }
    mem_free(s->context, pairs, (most + 1) * sizeof *pairs);
    return ok;
}

static karp_status fill_class(struct classing *c, const pod *p, pod_class *out)
{
    karp_snapshot *s = c->s;
    const struct words_entry *claims = &s->raw.volumes.entries[p->volumes];
    out->shape = p->shape;
    out->name_space = p->name_space;
    out->labels = c->projected[p->labels];
    out->requests = vector_keep(s, s->raw.shapes.items[p->shape].requests);
    if (out->requests == NULL) return KARP_E_NOMEM;
    out->counts_volumes = true;
    out->claims = s->raw.settings.dra_requests ? p->claims : 0;
    for (uint32_t i = 0; i < claims->count; i++) {
        if (volume_driver(&s->raw, p->name_space, claims->ptr[i], &out->counts_volumes) != NO_TEXT && c->csi_limits)
            out->volumes = p->volumes;
    }
    out->volumes_found = true;
    if (claims->count == 0) return KARP_OK;
    karp_status status = volume_alternatives(s, p->name_space, claims->ptr, claims->count, &out->alternatives,
                                             &out->alternative_count, &out->volumes_found, &out->contradictory);
    out->too_many_alternatives = status == KARP_E_LIMIT;
    return out->too_many_alternatives ? KARP_OK : status;
}

/* Interns the class with the requirements of its volumes in place of the volumes: pods of a StatefulSet have
 * different claims, but these seldom have different requirements. */
static uint32_t intern_class(struct classing *c, const pod_class *one)
{
    uint32_t flags = (uint32_t)one->volumes_found | (uint32_t)one->counts_volumes << 1 |
                     (uint32_t)one->too_many_alternatives << 2 | (uint32_t)one->contradictory << 3;
    uint32_t fixed[] = { one->shape,  one->name_space, one->labels, one->volumes,          one->marks,
                         one->claims, one->alone,      flags,       one->alternative_count };
    enum { FIXED = sizeof fixed / sizeof *fixed };
    size_t words_needed = FIXED + 2 * (size_t)one->alternative_count;
    uint32_t *key = mem_alloc(c->s->context, words_needed * sizeof *key);
    if (key == NULL) return NO_ID;
    memcpy(key, fixed, sizeof fixed);
    for (uint32_t i = 0; i < one->alternative_count; i++) {
        key[FIXED + 2 * i] = one->alternatives[i].set;
        key[FIXED + 1 + 2 * i] = one->alternatives[i].host;
    }
    uint32_t id = words_add(&c->keys, key, words_needed);
    mem_free(c->s->context, key, words_needed * sizeof *key);
    if (id == c->classes.count) {
        pod_class *slot = list_push(c->s->context, &c->classes, sizeof *slot);
        if (slot == NULL) return NO_ID;
        *slot = *one;
    }
    return id;
}

/* Pods whose volumes were not found join the topology only after they have failed, each separately (S-Q2). */
static bool joins_alone(const karp_snapshot *s, const pod_class *one)
{
    const shape *h = &s->raw.shapes.items[one->shape];
    bool ruled = h->spread.count > 0 || h->required_affinity.count > 0 || h->preferred_affinity.count > 0 ||
                 h->required_anti.count > 0 || h->preferred_anti.count > 0 || s->raw.default_spread.count > 0;
    return ruled && !one->volumes_found;
}

/* The class for another pod with equal properties. NO_ID = out of memory. */
static uint32_t class_for(struct classing *c, uint32_t class_number, uint32_t pod_number)
{
    pod_class one = c->classes.items[class_number];
    if (one.alone == NO_ID || one.alone == pod_number) return class_number;
    one.alone = pod_number;
    return intern_class(c, &one);
}

enum { PLAIN_WORDS = 6 };

/* The last key of a shape, and its number among the plain keys: most pods of a shape have the same key. */
struct last_key {
    uint32_t key[PLAIN_WORDS], id;
};

/* The number of the key; new keys are numbered in order. NO_ID = out of memory. */
static uint32_t plain_key(words *plain, struct last_key *last, const uint32_t key[PLAIN_WORDS])
{
    if (last->id != 0 && memcmp(last->key, key, sizeof last->key) == 0) return last->id - 1;
    uint32_t id = words_add(plain, key, PLAIN_WORDS);
    if (id == NO_ID) return NO_ID;
    memcpy(last->key, key, sizeof last->key);
    last->id = id + 1;
    return id;
}

static karp_status class_pods(struct classing *c, karp_error *error)
{
    karp_snapshot *s = c->s;
    size_t last_key_bytes = (s->raw.shapes.count + 1) * sizeof(struct last_key);
    struct last_key *last_key = mem_zalloc(s->context, last_key_bytes);
    if (last_key == NULL) return fail_nomem(error);
    words plain; /* (shape, namespace, labels, volumes) as stored -> class: sufficient for most pods */
    words_init(&plain, s->context);
    LIST_OF(uint32_t) class_of_plain = { .items = NULL };
    karp_status status = KARP_OK;
    for (uint32_t i = 0; i < s->raw.pods.count && status == KARP_OK; i++) {
        const pod *p = pod_at(&s->raw, i);
        uint32_t marks = s->raw.default_spread.count > 0 ? p->marks : 0;
        uint32_t claims = s->raw.settings.dra_requests ? p->claims : 0;
        uint32_t key[PLAIN_WORDS] = { p->shape, p->name_space, c->projected[p->labels], p->volumes, marks, claims };
        uint32_t id = plain_key(&plain, &last_key[p->shape], key);
        if (id == class_of_plain.count) {
            pod_class one = { .marks = marks, .volumes = NO_ID, .alone = NO_ID };
            arena_mark mark = arena_get_mark(&s->data);
            status = fill_class(c, p, &one);
            if (status == KARP_OK && joins_alone(s, &one)) one.alone = i;
            size_t known = c->classes.count;
            uint32_t class_id = status == KARP_OK ? intern_class(c, &one) : NO_ID;
            uint32_t *slot = class_id == NO_ID ? NULL : list_push(s->context, &class_of_plain, sizeof *slot);
            if (slot == NULL) {
                if (status == KARP_OK) status = KARP_E_NOMEM;
                break;
            }
            if (c->classes.count == known) arena_release(&s->data, mark);
            *slot = class_id;
        } else if (id == NO_ID) {
            status = KARP_E_NOMEM;
            break;
        }
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the first number is new, so the list is not empty */
        s->pod_class[i] = class_for(c, class_of_plain.items[id], i);
        if (s->pod_class[i] == NO_ID) status = KARP_E_NOMEM;
    }
    list_free(s->context, &class_of_plain, sizeof(uint32_t));
    words_free(&plain);
    mem_free(s->context, last_key, last_key_bytes);
    return status == KARP_OK ? KARP_OK : fail_nomem(error);
}

bool keep_classes(karp_snapshot *s, const pod_class *classes, size_t count)
{
    size_t vector = s->dims * sizeof(int64_t);
    s->classes = block_new(s->context, count + 1, sizeof *s->classes + vector);
    if (s->classes == NULL) return false;
    int64_t *vectors = (int64_t *)(void *)(s->classes + count + 1);
    for (size_t i = 0; i < count; i++) {
        s->classes[i] = classes[i];
        s->classes[i].requests = memcpy(vectors + i * s->dims, classes[i].requests, vector);
    }
    s->class_count = (uint32_t)count;
    return true;
}

static bool count_classes(karp_snapshot *s)
{
    s->class_sizes = block_new(s->context, s->class_count + (size_t)1, sizeof *s->class_sizes);
    if (s->class_sizes == NULL) return false;
    memset(s->class_sizes, 0, s->class_count * sizeof *s->class_sizes);
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        /* NOLINT(clang-analyzer-core.NullDereference): fail_nomem() never returns KARP_OK */
        s->class_sizes[s->pod_class[i]]++;
    }
    return true;
}

karp_status prepare_classes(karp_snapshot *s, karp_error *error)
{
    struct classing c = { .s = s };
    words_free(&s->raw.projected);
    words_init(&c.keys, s->context);
    for (size_t i = 0; i < s->raw.csi_nodes.count; i++)
        c.csi_limits = c.csi_limits || s->raw.csi_nodes.items[i].limit_count > 0;
    for (uint32_t t = 0; t < s->table_count; t++) c.csi_limits = c.csi_limits || s->tables[t].limits_volumes;
    s->pod_class = block_new(s->context, s->raw.pods.count + 1, sizeof *s->pod_class);
    karp_status status = s->pod_class != NULL && project_labels(&c) ? class_pods(&c, error) : fail_nomem(error);
    if (status == KARP_OK && !(keep_classes(s, c.classes.items, c.classes.count) && count_classes(s)))
        status = fail_nomem(error);
    mem_free(s->context, c.projected, (s->raw.labels.count + 1) * sizeof *c.projected);
    list_free(s->context, &c.classes, sizeof(pod_class));
    words_free(&c.keys);
    return status;
}
