/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying what a caller gives into an arena, in the store's compact forms. A copier remembers its first failure; after
 * it every function does nothing and returns something empty, so that one check at the end is enough. It also keeps the
 * path of the field it is at, from which an error gets its field's name.
 */
#ifndef MODEL_COPY_H
#define MODEL_COPY_H

#include <model/repeats.h>
#include <model/store.h>

typedef struct word_buffer {
    karp_context *context;
    uint32_t *items;
    size_t count, capacity;
} word_buffer;

bool word_buffer_grow(word_buffer *b); /* room for one more; false = out of memory */
void word_buffer_free(word_buffer *b);

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
    repeats *before; /* NULL, or what was copied before: then all texts have to be the caller's own */
    word_buffer *key; /* NULL, or gets every word that a copy consists of: equal copies push equal words */
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

/* After a failure the path stays where that was. */
static inline void path_leave(copier *c)
{
    if (c->status == KARP_OK) c->depth--;
}

/* Fails with an error that is filled already; its field becomes the path, and the leaf (NULL: the path only). */
void copy_blame(copier *c, karp_status status, const char *leaf);
void copy_blame_key(copier *c, karp_status status, karp_str key); /* …["key"] */
void copy_refuse(copier *c); /* NOMEM */
/* A struct without a size: what a newer caller sets in its reserved field must not be left out in silence. */
void copy_reserved(copier *c, uint32_t reserved, const char *what);

static inline void put(copier *c, uint32_t word)
{
    if (c->key == NULL) return;
    if (c->key->count == c->key->capacity && !word_buffer_grow(c->key)) {
        copy_refuse(c);
        return;
    }
    c->key->items[c->key->count++] = word;
}

void put_wide(copier *c, int64_t value);
void put_resources(copier *c, resource_list list);

/* An id of `table`; not part of the key. */
uint32_t copy_into(copier *c, strings *table, karp_str text);
uint32_t copy_text(copier *c, karp_str text); /* id of c->text */
karp_str copy_string(copier *c, karp_str text); /* its characters, in the arena */
/* Whether there is something to read: a list that is not empty. An impossible list is a failure. */
bool copy_has(copier *c, const void *given, size_t count);
/* Cleared room for the copy of a list; its length goes into the key. NULL: nothing to copy, or a failure. */
void *copy_room(copier *c, const void *given, size_t count, size_t element);

label_list copy_labels(copier *c, const karp_label *list, size_t count);
const uint32_t *copy_texts(copier *c, const karp_str *list, size_t count, uint32_t *out_count);
/* `strict`: an operator that is none of the known ones is an error. */
bool copy_expression(copier *c, const karp_requirement *given, bool strict, expression *e);
expression_list copy_expressions(copier *c, const karp_requirement *list, size_t count, bool strict);
const selector *copy_selector(copier *c, const karp_selector *given);
taint_list copy_taints(copier *c, const karp_taint *list, size_t count);
toleration_list copy_tolerations(copier *c, const karp_toleration *list, size_t count);
node_term_list copy_node_terms(copier *c, const karp_node_term *list, size_t count);
pod_term_list copy_pod_terms(copier *c, const karp_pod_term *list, size_t count);
spread_list copy_spread(copier *c, const karp_spread_constraint *list, size_t count);
condition_list copy_conditions(copier *c, const karp_condition *list, size_t count);
/* Not part of the key: what is computed from it is (put_resources). */
resource_list copy_resources(copier *c, const karp_resource *list, size_t count, bool may_be_negative);

/* An instant of a caller: 0 means absent, too. */
static inline int64_t copy_time(int64_t instant) { return instant == 0 ? KARP_NO_TIME : instant; }

#endif
