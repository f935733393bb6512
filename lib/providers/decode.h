/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads members of JSON objects. The first failure is kept, with its field, and later failures change nothing. Trees
 * exist only between decode_begin() and decode_end(); texts that are kept are copied.
 */
#pragma once

#include <json/tree.h>
#include <providers/scratch.h>

typedef struct decoder {
    scratch *s;
    karp_error *error;
    karp_status status;
    char part[96]; /* current part of the object: "spec.kubelet" … */
    trees trees;
} decoder;

void decode_begin(decoder *d, karp_context *context, scratch *s, karp_error *error);
void decode_end(decoder *d);

void decode_at(decoder *d, const char *part);
void decode_at_element(decoder *d, const char *list, size_t index);
/* Reports INVALID at a member of the current part; "" = the part itself. */
void decode_bad(decoder *d, const char *name, const char *message);

/* NULL = absent or null. */
static inline const tree *decode_member(const tree *object, const char *name) { return tree_get(object, name); }
const tree *decode_object(decoder *d, const tree *object, const char *name);
size_t decode_list(decoder *d, const tree *object, const char *name, const tree **list);
/* The member `text` of each object in the list; `part` names the list. */
const karp_str *decode_texts(decoder *d, const tree *object, const char *name, const char *part, const char *text,
                             size_t *count);
karp_str decode_text(decoder *d, const tree *object, const char *name); /* "" = absent */
/* One of these words, which are separated by one space each, or "" = absent. */
karp_str decode_word(decoder *d, const tree *object, const char *name, const char *words);
bool decode_flag(decoder *d, const tree *object, const char *name);
/* A count that is 32 bits wide in the API; 0 = absent. */
int64_t decode_count(decoder *d, const tree *object, const char *name);
/* The same for a required member, which must not be 0. */
int64_t decode_some(decoder *d, const tree *object, const char *name);

static inline bool is_map(const tree *value) { return tree_is(value, TREE_MAP); }
static inline bool is_list(const tree *value) { return tree_is(value, TREE_LIST); }
static inline bool is_string(const tree *value) { return tree_is(value, TREE_STRING); }
/* 0 for anything but a list. */
static inline size_t items_of(const tree *value) { return is_list(value) ? tree_count(value) : 0; }
/* 0 for anything but a map. */
static inline size_t members_of(const tree *value) { return is_map(value) ? tree_count(value) : 0; }
/* Whether the value is this text. */
static inline bool is_text(const tree *value, const char *text)
{
    return is_string(value) && str_is(tree_text(value), text);
}

/* Whether the whole document is an object; otherwise the failure is in *d. */
bool decode_root(decoder *d, const tree *root, const char *what);
/* Parses a whole text, which must be an object. The tree lives as long as the text, until decode_end(). NULL = the
 * failure is in *d. */
const tree *decode_tree(decoder *d, karp_str text, const char *what);
