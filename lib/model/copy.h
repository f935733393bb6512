/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the caller's structs into an arena, in the store's compact form. A copier records its first failure. After
 * that every function does nothing and returns an empty result, so that one check at the end is enough. A copier also
 * keeps the path of the current field, which errors report.
 */
#pragma once

#include <model/devices.h>

/*
 * A cache of repeated values while one catalogue is copied. Texts, requirements, lists of requirements and overheads
 * are found by their addresses, whose contents cannot change during the call. Amounts and lists of amounts are found
 * by value. An entry is overwritten when another value needs its slot.
 */

enum {
    REPEATED_TEXTS = 1024,
    REPEATED_REQUIREMENTS = 4096, /* AWS has 3,250 */
    REPEATED_LISTS = 512,
    REPEATED_AMOUNTS = 1024,
    REPEATED_CAPACITIES = 512,
    REPEATED_OVERHEADS = 512
};

typedef struct repeated_text {
    const char *ptr; /* NULL = free slot */
    size_t len;
    uint32_t id;
} repeated_text;

typedef struct repeated_requirement {
    karp_requirement given; /* key.ptr NULL = free slot */
    uint32_t number;
} repeated_requirement;

typedef struct repeated_list {
    const karp_requirement *list; /* NULL = free slot */
    size_t count;
    uint32_t number;
} repeated_list;

typedef struct repeated_amount {
    amount value;
    bool binary;
    karp_str text; /* ptr NULL = free slot */
} repeated_amount;

/* A list of amounts in its public form. For a capacity also the allocatable amounts after the overhead that was
 * subtracted last. */
typedef struct repeated_capacity {
    resource_list list; /* items NULL = free slot */
    const karp_resource *shown;
    const resource_amount *overhead;
    resource_list allocatable;
    const karp_resource *allocatable_shown;
} repeated_capacity;

typedef struct repeated_overhead {
    karp_overhead given; /* all pointers NULL = free slot */
    resource_list total;
    karp_overhead shown;
} repeated_overhead;

typedef struct repeats {
    repeated_text texts[REPEATED_TEXTS];
    repeated_requirement requirements[REPEATED_REQUIREMENTS];
    repeated_list lists[REPEATED_LISTS];
    repeated_amount amounts[REPEATED_AMOUNTS];
    repeated_capacity capacities[REPEATED_CAPACITIES];
    repeated_overhead overheads[REPEATED_OVERHEADS];
} repeats;

/* The only slot that a value can be in. The caller compares its contents, and overwrites them if they differ. */
static inline repeated_text *repeated_text_slot(repeats *r, karp_str text)
{
    return &r->texts[hash_mix((uint64_t)(uintptr_t)text.ptr ^ (uint64_t)text.len << 48) % REPEATED_TEXTS];
}

static inline repeated_requirement *repeated_requirement_slot(repeats *r, const karp_requirement *given)
{
    uint64_t values = (uint64_t)(uintptr_t)given->values ^ (uint64_t)given->value_count << 48 ^
                      (uint64_t)given->op << 60;
    return &r->requirements[hash_mix((uint64_t)(uintptr_t)given->key.ptr * 3 ^ values) % REPEATED_REQUIREMENTS];
}

static inline bool repeated_requirement_is(const repeated_requirement *met, const karp_requirement *given)
{
    const karp_requirement *was = &met->given;
    return was->key.ptr != NULL && was->key.ptr == given->key.ptr && was->key.len == given->key.len &&
           was->values == given->values && was->value_count == given->value_count && was->op == given->op &&
           was->min_values == given->min_values;
}

static inline repeated_list *repeated_list_slot(repeats *r, const karp_requirement *list)
{
    return &r->lists[hash_mix((uint64_t)(uintptr_t)list) % REPEATED_LISTS];
}

static inline repeated_overhead *repeated_overhead_slot(repeats *r, const karp_overhead *given)
{
    uint64_t lists = hash_mix((uint64_t)(uintptr_t)given->kube_reserved) ^
                     (uint64_t)(uintptr_t)given->eviction_threshold;
    return &r->overheads[hash_mix(lists) % REPEATED_OVERHEADS];
}

static inline bool repeated_overhead_is(const repeated_overhead *met, const karp_overhead *given)
{
    const karp_overhead *was = &met->given;
    return (given->kube_reserved || given->system_reserved || given->eviction_threshold) &&
           was->kube_reserved == given->kube_reserved && was->kube_reserved_count == given->kube_reserved_count &&
           was->system_reserved == given->system_reserved &&
           was->system_reserved_count == given->system_reserved_count &&
           was->eviction_threshold == given->eviction_threshold &&
           was->eviction_threshold_count == given->eviction_threshold_count;
}

static inline repeated_amount *repeated_amount_slot(repeats *r, amount value, bool binary)
{
    return &r->amounts[hash_mix(value.lo ^ hash_mix((uint64_t)value.hi << 1 | binary)) % REPEATED_AMOUNTS];
}

static inline repeated_capacity *repeated_capacity_slot(repeats *r, resource_list list)
{
    uint64_t hash = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        hash = hash_mix(hash ^ list.items[i].value.lo ^ (uint64_t)list.items[i].resource << 32 ^
                        (uint64_t)list.items[i].binary << 63);
    }
    return &r->capacities[hash % REPEATED_CAPACITIES];
}

static inline bool repeated_capacity_is(const repeated_capacity *met, resource_list list)
{
    if (met->list.items == NULL || met->list.count != list.count) return false;
    for (uint32_t i = 0; i < list.count; i++) {
        const resource_amount *x = &met->list.items[i], *y = &list.items[i];
        if (x->resource != y->resource || x->binary != y->binary || amount_cmp(x->value, y->value) != 0) return false;
    }
    return true;
}

typedef struct word_buffer {
    karp_context *context;
    uint32_t *items;
    size_t count, capacity;
} word_buffer;

bool word_buffer_grow(word_buffer *b); /* makes room for one more word; false = out of memory */
void word_buffer_free(word_buffer *b);

/* The identity of a shape. Ids of texts are apart from the other words, so that they can be moved (compact.c). */
typedef struct shape_key {
    word_buffer words, texts;
} shape_key;

enum { PATH_STEPS = 8, MOST_ELEMENTS = 1 << 30 };
#define NO_INDEX SIZE_MAX

typedef struct path_step {
    const char *name;
    size_t index; /* or NO_INDEX */
} path_step;

typedef struct copier {
    karp_context *context;
    strings *text, *resources;
    arena *to;
    repeats *before; /* NULL, or earlier copies of the same call; then all texts are those of the caller */
    struct shape_key *key; /* NULL, or receives every word of a copy: equal copies append equal words */
    karp_error *error;
    karp_status status; /* of the first failure */
    size_t depth;
    path_step path[PATH_STEPS];
} copier;

static inline void path_enter(copier *c, const char *name)
{
    if (c->depth < PATH_STEPS) c->path[c->depth] = (path_step){ name, NO_INDEX };
    c->depth++;
}

static inline void path_at(copier *c, size_t index)
{
    if (c->depth <= PATH_STEPS) c->path[c->depth - 1].index = index;
}

/* After a failure the path stays at the field that failed. */
static inline void path_leave(copier *c)
{
    if (c->status == KARP_OK) c->depth--;
}

/* Records a failure whose error is already filled in. The error's field becomes the path, followed by the leaf unless
 * it is NULL. */
void copy_blame(copier *c, karp_status status, const char *leaf);
void *copy_refuse(copier *c); /* NOMEM; returns NULL */
/* For a struct without a size member: fails if the reserved member is not 0, so that a value set by a newer caller is
 * not ignored silently. */
void copy_reserved(copier *c, uint32_t reserved, const char *what);

static inline void put_word(copier *c, word_buffer *to, uint32_t word)
{
    if (to->count == to->capacity && !word_buffer_grow(to)) {
        copy_refuse(c);
        return;
    }
    to->items[to->count++] = word;
}

static inline void put(copier *c, uint32_t word)
{
    if (c->key != NULL) put_word(c, &c->key->words, word);
}

static inline void put_text(copier *c, uint32_t text)
{
    if (c->key != NULL) put_word(c, &c->key->texts, text);
}

void put_wide(copier *c, int64_t value);
void put_resources(copier *c, resource_list list);

/* Interns the text in `table` and returns its id. The id is not appended to the key. */
uint32_t copy_into(copier *c, strings *table, karp_str text);
uint32_t copy_text(copier *c, karp_str text); /* id of c->text */
karp_str copy_string(copier *c, karp_str text); /* a copy of its characters in the arena */
/* Whether the list has elements. An invalid list is a failure. */
bool copy_has(copier *c, const void *given, size_t count);
/* Allocates zeroed memory for the copy of a list, and appends the length to the key. NULL: an empty list, or a
 * failure. */
void *copy_alloc_list(copier *c, const void *given, size_t count, size_t element);

label_list copy_labels(copier *c, const karp_label *list, size_t count);
const uint32_t *copy_texts(copier *c, const karp_str *list, size_t count, uint32_t *out_count);
/* `strict`: an unknown operator is an error. */
bool copy_expression(copier *c, const karp_requirement *given, bool strict, expression *e);
expression_list copy_expressions(copier *c, const karp_requirement *list, size_t count, bool strict);
const selector *copy_selector(copier *c, const karp_selector *given);
taint_list copy_taints(copier *c, const char *path, const karp_taint *list, size_t count);
toleration_list copy_tolerations(copier *c, const karp_toleration *list, size_t count);
node_term_list copy_node_terms(copier *c, const char *path, const karp_node_term *list, size_t count);
pod_term_list copy_pod_terms(copier *c, const char *path, const karp_pod_term *list, size_t count);
spread_list copy_spread(copier *c, const karp_spread_constraint *list, size_t count);
condition_list copy_conditions(copier *c, const karp_condition *list, size_t count);
/* The same where the object had others before, which these are probably like. */
condition_list copy_conditions_like(copier *c, const karp_condition *list, size_t count, condition_list had);
/* Not appended to the key: append what is computed from them with put_resources(). */
resource_list copy_resources(copier *c, const char *path, const karp_resource *list, size_t count,
                             bool may_be_negative);

/* An instant from the caller's struct. 0 means absent as well. */
static inline int64_t copy_time(int64_t instant) { return instant == 0 ? KARP_NO_TIME : instant; }

/* ---- devices_copy.c: devices of the builder (slices, claims) and of catalogues (templates) ----------------------- */

device_list copy_devices(copier *c, const karp_device *list, size_t count);
counter_sets copy_counter_sets(copier *c, const char *field, const karp_counter_set *list, size_t count);
/* Capacity of devices: any names, not only names of node resources. */
named_amounts copy_shares(copier *c, const karp_resource *list, size_t count);

/* NULL when the type has neither templates nor bindings. */
const struct type_devices *copy_type_devices(copier *c, const karp_instance_type *given);
/* Fills the members of karp_catalogue_type()'s result that are about devices, with copies in the catalogue's arena. */
void show_type_devices(copier *c, const karp_instance_type *given, karp_instance_type *shown);
