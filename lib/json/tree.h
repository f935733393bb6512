/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON in memory. JSON and YAML documents are read into trees, output is built as trees, and providers receive trees.
 *
 * All nodes are allocated in the memory of a `trees` and freed with it; single nodes are never freed. Text is a slice
 * of the source, which must outlive the tree, or of that memory. Numbers are stored as text.
 *
 * Errors of functions that create or change trees are sticky: the first failure is recorded in the `trees`, later
 * calls do nothing, and one check at the end is enough. A NULL node always means an absent value, never a failure,
 * and every function here accepts it.
 */
#pragma once

#include <base/error.h>
#include <base/strbuf.h>

typedef enum tree_type {
    TREE_NULL,
    TREE_FALSE,
    TREE_TRUE,
    TREE_INTEGER, /* decimal, within 64 bits */
    TREE_REAL, /* in JSON's notation, and within the range of a double */
    TREE_STRING,
    TREE_LIST,
    TREE_MAP
} tree_type;

typedef struct tree tree;

typedef struct tree_member {
    const char *name; /* not NUL-terminated */
    tree *value;
    uint64_t key; /* tree_key() of the name */
} tree_member;

/* A key for fast comparison of names: the length in the upper half, and three of the bytes. Names with different keys
 * differ, so memcmp() is needed only for equal keys. For a literal the compiler computes the key. */
static inline uint64_t tree_key(const char *name, size_t length)
{
    if (length == 0) return 0;
    const unsigned char *bytes = (const unsigned char *)name;
    return (uint64_t)length << 32 | (uint32_t)bytes[0] << 16 | (uint32_t)bytes[length / 2] << 8 | bytes[length - 1];
}

/* Compares names with equal keys. Up to three bytes, the key has the whole name. Longer names are compared in words
 * that may overlap. */
static inline bool tree_equal_names(const char *a, const char *b, uint64_t key)
{
    size_t length = (size_t)(key >> 32);
    if (length <= 3) return true;
    if (length < 8) {
        uint32_t x[2], y[2];
        memcpy(x, a, 4), memcpy(x + 1, a + length - 4, 4);
        memcpy(y, b, 4), memcpy(y + 1, b + length - 4, 4);
        return x[0] == y[0] && x[1] == y[1];
    }
    uint64_t x, y;
    for (size_t i = 0; i < length - 8; i += 8) {
        memcpy(&x, a + i, 8), memcpy(&y, b + i, 8);
        if (x != y) return false;
    }
    memcpy(&x, a + length - 8, 8), memcpy(&y, b + length - 8, 8);
    return x == y;
}

/* A hash of 16 values, to exclude names before any member is compared. */
static inline unsigned tree_name_bit(uint64_t key) { return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 60); }

#define TREE_NOWHERE UINT32_MAX

struct tree {
    union {
        const char *text; /* not NUL-terminated */
        tree **items;
        tree_member *members;
    } of;
    uint32_t count; /* bytes, items or members */
    uint32_t capacity; /* capacity of an array in memory of the `trees`; 0 = the array is another node's */
    uint32_t at; /* position in the source, as defined by the reader; TREE_NOWHERE = not read from a source */
    uint8_t type;
    bool repeated; /* `at` of the nodes below counts from this one; see "repeated values" */
    uint16_t name_bits; /* union of tree_name_bit() of all members, possibly including removed ones */
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct trees {
    arena memory;
    karp_status status; /* KARP_OK, KARP_E_NOMEM, or KARP_E_LIMIT: more than 2^32 elements or bytes */
    tree *spare; /* unused nodes */
    size_t spare_count;
    tree_member *stack; /* elements that are gathered */
    size_t stack_count, stack_capacity;
    struct tree_repeats *repeats; /* used by the parser; NULL = none */
    bool has_texts; /* the parser has put texts into this memory: strings with escapes */
} trees;

/* An uninitialized node; NULL = no spare node is left. */
static inline tree *tree_at_hand(trees *t)
{
    if (t->spare_count == 0) return NULL;
    t->spare_count--;
    return t->spare++;
}

void trees_init(trees *t, karp_context *context);
static inline trees trees_on(karp_context *context) { return (trees){ .memory = arena_on(context) }; }
void trees_free(trees *t);
/* Drops all trees and the recorded failure. Some memory is kept for reuse. */
void trees_clear(trees *t);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct tree_fault {
    karp_status status; /* SYNTAX, LIMIT, RANGE, NOMEM */
    const char *why; /* static text */
    size_t at; /* byte offset in the text */
} tree_fault;

/* Parses the value at the start of the text. Only white space may follow it, unless `length` is given, which receives
 * the number of bytes read. If a name is repeated in a map, the last value counts. `at` of a node is the offset of
 * its first byte in `text`, which may have up to 4 GiB. Strings without escapes are slices of `text`. Returns the
 * status of the fault. */
karp_status tree_parse(trees *t, karp_str text, uint32_t max_nesting, tree **out, size_t *length, tree_fault *fault);

/* The same for a complete document within the context's limits. Errors have the document, line and column. */
karp_status tree_read(trees *t, karp_str document, karp_str text, tree **out, karp_error *error);

/* The line and column, from 1, of a byte offset. */
void tree_position(karp_str text, size_t at, uint32_t *line, uint32_t *column);

/* ---- repeated values
 *
 * Objects of one document have many values in common: all pods of a ReplicaSet have the same spec. The parser keeps
 * such values. Where the text of one is met again it is not parsed: the node made has the members of the value kept.
 * Nothing below that node may be changed, since it is in several trees. The node itself may be changed by the functions
 * that take a `trees`: they copy its members first. */

/* A value that was kept. */
typedef struct tree_repeat {
    const char *text; /* NULL = none yet */
    const tree *value;
    struct tree_repeat *next; /* the value that followed it last, or was there then; NULL = unknown */
    uint32_t length;
    uint32_t hash; /* of the beginning of the text, and of what stands before it */
    uint32_t depth;
    uint32_t changes; /* how often another value was kept since this place was last of use */
    uint64_t end; /* hash of the end of the text */
} tree_repeat;

enum { TREE_REPEATED_TEXTS = 8 };

typedef struct tree_repeats {
    trees *memory; /* of the values; outlives all trees that they are in, as the texts do */
    const karp_str *names; /* of the members whose values are kept, where they are lists or maps */
    size_t name_count;
    tree_repeat *slots;
    size_t slot_count; /* a power of two */
    tree_repeat *before; /* the value before, or where it would be; after it this one is expected */
    tree_repeat none; /* before the first */
    uint64_t last; /* hash of the end of the value before, by which this one is looked for: a spec by its
                      ownerReferences */
    tree *texts[TREE_REPEATED_TEXTS]; /* of members of the whole object, by their positions in it */
} tree_repeats;

/* For a text of that many bytes. false = out of memory. */
bool tree_repeats_init(tree_repeats *r, trees *memory, const karp_str *names, size_t name_count, size_t bytes);
void tree_repeats_free(tree_repeats *r);

/* ---- reading members --------------------------------------------------------------------------------------------- */

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

/* The number of items or members; 0 for other types. */
static inline size_t tree_count(const tree *value) { return value && value->type >= TREE_LIST ? value->count : 0; }
/* NULL beyond the end. */
static inline tree *tree_item(const tree *list, size_t index)
{
    return tree_is(list, TREE_LIST) && index < list->count ? list->of.items[index] : NULL;
}
/* Members are in the order of the source; `index` must be less than tree_count(). */
static inline const tree_member *tree_member_at(const tree *map, size_t index) { return &map->of.members[index]; }
static inline karp_str tree_member_name(const tree_member *member)
{
    return (karp_str){ member->name, (size_t)(member->key >> 32) };
}

static inline bool tree_may_have(const tree *map, uint64_t key)
{
    return tree_is(map, TREE_MAP) && (map->name_bits >> tree_name_bit(key) & 1) != 0;
}
/* For a map that may have the member, whose tree_key() is `key`: NULL = it has none. */
tree *tree_find_key(const tree *map, const char *name, uint64_t key);
/* The member with this name, which may be null; NULL = absent, or not a map. Inline, because most look-ups find nothing
 * and then need no call. */
static inline tree *tree_find(const tree *map, const char *name, size_t length)
{
    if (length >= UINT32_MAX) return NULL;
    uint64_t key = tree_key(name, length);
    return tree_may_have(map, key) ? tree_find_key(map, name, key) : NULL;
}
static inline tree *tree_find_str(const tree *map, karp_str name) { return tree_find(map, name.ptr, name.len); }
/* The member with this name; NULL when it is absent or null. */
static inline tree *tree_get(const tree *map, const char *name)
{
    tree *value = tree_find(map, name, strlen(name));
    return tree_is_null(value) ? NULL : value;
}

/* Finds the member's place as well; NULL = it has none. */
tree *tree_find_place(const tree *map, const char *name, uint64_t key, uint32_t *place);
/* The same for one of many maps whose members are usually in the same order: *place is where it was in the last one. */
static inline tree *tree_get_near(const tree *map, const char *name, uint32_t *place)
{
    uint64_t key = tree_key(name, strlen(name));
    if (!tree_may_have(map, key)) return NULL;
    const tree_member *m = *place < map->count ? &map->of.members[*place] : NULL;
    bool near = m && m->key == key && tree_equal_names(m->name, name, key);
    tree *value = near ? m->value : tree_find_place(map, name, key, place);
    return tree_is_null(value) ? NULL : value;
}

/* "" unless it is a string. */
static inline karp_str tree_text(const tree *value)
{
    return tree_is(value, TREE_STRING) ? (karp_str){ value->of.text, value->count } : (karp_str){ "", 0 };
}
static inline karp_str tree_get_text(const tree *map, const char *name) { return tree_text(tree_get(map, name)); }
/* The text of a number; "" for other types. */
static inline karp_str tree_digits(const tree *value)
{
    return tree_is_number(value) ? (karp_str){ value->of.text, value->count } : (karp_str){ "", 0 };
}
/* The text of a string or number, as quantities may be either; "" for other types. */
static inline karp_str tree_text_or_digits(const tree *value)
{
    return tree_is_number(value) ? tree_digits(value) : tree_text(value);
}
/* false = not an integer, or not a number */
bool tree_integer(const tree *value, int64_t *out);
bool tree_double(const tree *value, double *out);
/* The order of members is ignored; 1 and 1.0 differ. */
bool tree_equal(const tree *a, const tree *b);

/* ---- making and changing ----------------------------------------------------------------------------------------- */

/* These return NULL after a failure. Text is copied. */
tree *tree_new(trees *t, tree_type type); /* for types without text: null, false, true, an empty list or map */
tree *tree_new_text(trees *t, karp_str text);
tree *tree_new_slice(trees *t, tree_type type, karp_str text); /* not copied: a string or a number */
tree *tree_new_integer(trees *t, int64_t number);
tree *tree_new_double(trees *t, double number); /* must be finite */

/* These do nothing if the map, list or value is NULL. Names are not copied and must outlive the tree. */
void tree_set(trees *t, tree *map, const char *name, tree *value);
void tree_set_str(trees *t, tree *map, karp_str name, tree *value);
void tree_set_named(trees *t, tree *map, karp_str name, tree *value); /* the name is copied */
void tree_set_text(trees *t, tree *map, const char *name, karp_str text);
void tree_add_member(trees *t, tree *map, karp_str name, tree *value); /* for a name that the map does not have yet */
void tree_append(trees *t, tree *list, tree *value);
void tree_remove(trees *t, tree *map, const char *name);
void tree_remove_item(trees *t, tree *list, size_t index);
/* Replaces the items of `to` by those of `from`, which is empty afterwards. For loops that would remove many items. */
void tree_move_items(tree *to, tree *from);
/* Set the member only if it is absent or null. */
void tree_default(trees *t, tree *map, const char *name, tree *value);
void tree_default_text(trees *t, tree *map, const char *name, karp_str text);
/* The map in this member, which is created if the member is absent. If the member is not a map, it is left unchanged
 * and the result is a map that is not part of the tree. */
tree *tree_get_or_make(trees *t, tree *map, const char *name);
/* Sets those members of `from` that `map` lacks. */
void tree_set_missing(trees *t, tree *map, const tree *from);

/* Elements are gathered one by one, and then taken into an empty list or map. Lists and maps inside others are finished
 * before these: `from` is stack_count as it was before the first element. If a name is repeated in a map, the last
 * value counts. Names are not copied. false = a failure, now or earlier; the rest of the stack is dropped. */
static inline bool tree_gather(trees *t, karp_str name, tree *value)
{
    if (t->stack_count == t->stack_capacity &&
        !grow(t->memory.context, (void **)&t->stack, &t->stack_capacity, t->stack_count + 1, sizeof *t->stack))
        return false;
    t->stack[t->stack_count++] = (tree_member){ name.ptr, value, tree_key(name.ptr, name.len) };
    return true;
}
bool tree_take_gathered(trees *t, tree *into, size_t from);

/* A copy of the node with the same members or items. NULL for NULL. */
tree *tree_copy(trees *t, const tree *value);
/* The same, but an empty list or map for NULL. */
tree *tree_copy_or_new(trees *t, const tree *value, tree_type type);
/* Replaces the member by a copy, which may be changed, or by an empty list or map if it is absent. NULL = the member is
 * of another type, and is left unchanged. */
tree *tree_own(trees *t, tree *map, const char *name, tree_type type);
/* A copy of all nodes; `texts`: copies their text as well. */
tree *tree_deep_copy(trees *t, const tree *value, bool texts);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Writes canonical JSON: members sorted by name, no white space, numbers in their shortest form. out->failed records
 * a failure. */
void tree_write(strbuf *out, const tree *value);
void tree_write_string(strbuf *out, karp_str text);

/* The members of a map of at most TREE_FEW, in the order in which they are written. */
enum { TREE_FEW = 24 };
void tree_order(const tree *map, const tree_member **order);

/* Writes a map as YAML in block style, members in their order. */
void tree_write_yaml(strbuf *out, const tree *map);
