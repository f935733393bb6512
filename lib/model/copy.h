/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the caller's structs into an arena, in the store's compact form. A copier records its first failure. After
 * that every function does nothing and returns an empty result, so that one check at the end is enough. A copier also
 * keeps the path of the current field, which errors report.
 */
#pragma once

#include <model/devices.h>
#include <model/repeats.h>
#include <model/store.h>

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
void copy_refuse(copier *c); /* NOMEM */
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
