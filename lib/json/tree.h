/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON in memory: what JSON and YAML documents are read into, what is made to be written, and what providers are handed.
 *
 * All nodes lie in the memory of a `trees`, and are freed with it, none by itself. Text is a slice: of the source, which
 * has to outlive the tree, or of that memory. Numbers are kept as their text.
 *
 * What makes or changes trees fails stickily: the status is in the `trees`, later calls do nothing, and one check at the
 * end is enough. NULL is never a failure that could be taken for something else: a NULL node is one that is absent, and
 * every function here takes it.
 */
#ifndef JSON_TREE_H
#define JSON_TREE_H

#include <base/error.h>
#include <base/memory.h>
#include <base/str.h>
#include <base/strbuf.h>

typedef enum tree_type {
    TREE_NULL,
    TREE_FALSE,
    TREE_TRUE,
    TREE_INTEGER, /* of 64 bits, in decimal */
    TREE_REAL, /* as JSON writes it; a double can hold it */
    TREE_STRING,
    TREE_LIST,
    TREE_MAP
} tree_type;

typedef struct tree tree;

typedef struct tree_member {
    const char *name; /* not NUL-terminated */
    tree *value;
    uint64_t key; /* of the name: tree_key() */
} tree_member;

/* What two names must have in common to be equal: the length, in the upper half, and three of the bytes. Most members that
 * are not the one looked for are told by it, without a call of memcmp(); of a literal the compiler works it out. */
static inline uint64_t tree_key(const char *name, size_t length)
{
    if (length == 0) return 0;
    const unsigned char *bytes = (const unsigned char *)name;
    return (uint64_t)length << 32 | (uint32_t)bytes[0] << 16 | (uint32_t)bytes[length / 2] << 8 | bytes[length - 1];
}

/* One of 16, which the names of a map's members are told apart by before any is looked at. */
static inline unsigned tree_name_bit(uint64_t key) { return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 60); }

#define TREE_NOWHERE UINT32_MAX

struct tree {
    union {
        const char *text; /* not NUL-terminated */
        tree **items;
        tree_member *members;
    } of;
    uint32_t count; /* bytes, items or members */
    uint32_t capacity; /* of the items or members that lie in memory of our own */
    uint32_t at; /* where it stands in its source: see who read it. TREE_NOWHERE = it was made */
    uint8_t type;
    uint16_t name_bits; /* tree_name_bit() of each member there is, perhaps of some that was */
};

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

typedef struct trees {
    arena memory;
    karp_status status; /* KARP_OK, KARP_E_NOMEM, or KARP_E_LIMIT: more than 2^32 of something */
    tree *spare; /* nodes to be given out */
    size_t spare_count;
    tree_member *stack; /* of what is being parsed */
    size_t stack_count, stack_capacity;
} trees;

/* A node to be filled in whole; NULL = none is at hand. */
static inline tree *tree_at_hand(trees *t)
{
    if (t->spare_count == 0) return NULL;
    t->spare_count--;
    return t->spare++;
}

void trees_init(trees *t, karp_context *context);
void trees_free(trees *t);
/* Forgets all trees and the failure; some memory is kept for the next ones. */
void trees_clear(trees *t);

/* ---- reading --------------------------------------------------------------------------------------------------------- */

typedef struct tree_fault {
    karp_status status; /* SYNTAX, LIMIT, RANGE, NOMEM */
    const char *why; /* static */
    size_t at; /* in the text */
} tree_fault;

/* Parses the value at the beginning of the text. Behind it only space may follow, unless `length` is given, which is how
 * much was read. Of a name that comes up again in a map the last value counts. Nodes are `at` their first byte in `text`,
 * which may have 4 GiB. Strings that have no escapes are slices of `text`. Status: that of the fault. */
karp_status tree_parse(trees *t, karp_str text, uint32_t max_nesting, tree **out, size_t *length, tree_fault *fault);

/* The same for a whole document within the context's limits; a failure is told with document, line and column. */
karp_status tree_read(trees *t, karp_str document, karp_str text, tree **out, karp_error *error);

/* The line and column, counted from 1, of a byte of a text. */
void tree_position(karp_str text, size_t at, uint32_t *line, uint32_t *column);

/* ---- looking ---------------------------------------------------------------------------------------------------------- */

static inline bool tree_is(const tree *value, tree_type type) { return value && value->type == type; }
static inline bool tree_is_null(const tree *value) { return !value || value->type == TREE_NULL; }
static inline bool tree_is_bool(const tree *value)
{
    return value && (value->type == TREE_TRUE || value->type == TREE_FALSE);
}
static inline bool tree_is_number(const tree *value)
{
    return value && (value->type == TREE_INTEGER || value->type == TREE_REAL);
}

/* Items of a list, members of a map; 0 of anything else. */
static inline size_t tree_count(const tree *value) { return value && value->type >= TREE_LIST ? value->count : 0; }
/* NULL beyond the end. */
static inline tree *tree_item(const tree *list, size_t index)
{
    return tree_is(list, TREE_LIST) && index < list->count ? list->of.items[index] : NULL;
}
/* In the order of the source; `index` is below tree_count(). */
static inline const tree_member *tree_member_at(const tree *map, size_t index) { return &map->of.members[index]; }
static inline karp_str tree_member_name(const tree_member *member)
{
    return (karp_str){ member->name, (size_t)(member->key >> 32) };
}

static inline bool tree_may_have(const tree *map, uint64_t key)
{
    return tree_is(map, TREE_MAP) && (map->name_bits >> tree_name_bit(key) & 1) != 0;
}
/* The member of that name, which may be null; NULL = absent, or no map. `key` is the name's. */
tree *tree_find_key(const tree *map, const char *name, uint64_t key);
/* Mostly nothing is found, and nothing is called. */
static inline tree *tree_find(const tree *map, const char *name, size_t length)
{
    if (length >= UINT32_MAX) return NULL;
    uint64_t key = tree_key(name, length);
    return tree_may_have(map, key) ? tree_find_key(map, name, key) : NULL;
}
static inline tree *tree_find_str(const tree *map, karp_str name) { return tree_find(map, name.ptr, name.len); }
/* The member of that name; NULL when it is absent or null. */
static inline tree *tree_get(const tree *map, const char *name)
{
    tree *value = tree_find(map, name, strlen(name));
    return tree_is_null(value) ? NULL : value;
}

/* "" of what is no string. */
static inline karp_str tree_text(const tree *value)
{
    return tree_is(value, TREE_STRING) ? (karp_str){ value->of.text, value->count } : (karp_str){ "", 0 };
}
static inline karp_str tree_get_text(const tree *map, const char *name) { return tree_text(tree_get(map, name)); }
/* The text of a number; "" of what is none. */
static inline karp_str tree_digits(const tree *value)
{
    return tree_is_number(value) ? (karp_str){ value->of.text, value->count } : (karp_str){ "", 0 };
}
/* false = no integer, or no number. */
bool tree_integer(const tree *value, int64_t *out);
bool tree_double(const tree *value, double *out);
/* Members may be in any order; 1 and 1.0 differ. */
bool tree_equal(const tree *a, const tree *b);

/* ---- making ----------------------------------------------------------------------------------------------------------- */

/* NULL after a failure. Text is copied. */
tree *tree_new(trees *t, tree_type type); /* without text: null, false, true, an empty list or map */
tree *tree_new_text(trees *t, karp_str text);
tree *tree_new_slice(trees *t, tree_type type, karp_str text); /* not copied: a string or a number */
tree *tree_new_integer(trees *t, int64_t number);
tree *tree_new_double(trees *t, double number); /* finite */

/* Nothing happens to a NULL map or list, or with a NULL value. Names are not copied: they outlive the tree. */
void tree_set(trees *t, tree *map, const char *name, tree *value);
void tree_set_str(trees *t, tree *map, karp_str name, tree *value);
void tree_set_named(trees *t, tree *map, karp_str name, tree *value); /* the name is copied */
void tree_set_text(trees *t, tree *map, const char *name, karp_str text);
void tree_add_member(trees *t, tree *map, karp_str name, tree *value); /* of a name that it does not have */
void tree_append(trees *t, tree *list, tree *value);
void tree_remove(tree *map, const char *name);
void tree_remove_item(tree *list, size_t index);
/* The member sets only what is absent or null. */
void tree_default(trees *t, tree *map, const char *name, tree *value);
void tree_default_text(trees *t, tree *map, const char *name, karp_str text);
/* The map in the member of that name, made when it is absent. What is no map is left alone: then the map is one that
 * belongs to nothing. */
tree *tree_get_or_make(trees *t, tree *map, const char *name);
/* Sets those members of `from` that `map` does not have. */
void tree_set_missing(trees *t, tree *map, const tree *from);

/* A node of its own with the same members or items. NULL of NULL. */
tree *tree_copy(trees *t, const tree *value);
/* All nodes anew; `texts` also copies what they are slices of. */
tree *tree_deep_copy(trees *t, const tree *value, bool texts);

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

/* Canonical JSON: members by name, no space, numbers in their shortest form. Failure shows in out->failed. */
void tree_write(strbuf *out, const tree *value);
void tree_write_string(strbuf *out, karp_str text);

#endif
