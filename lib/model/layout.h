/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the structs of a store refer to: a row for each member that is an id or points to other memory. Compaction
 * moves objects by these rows (compact.c). All other members are plain values.
 */
#pragma once

#include <model/store.h>

enum ref {
    REF_TEXT, /* ids: of `text`, of `names`, and of tables of words */
    REF_NAME,
    REF_SHAPE,
    REF_RULES,
    REF_LABELS,
    REF_VOLUMES,
    REF_MARKS,
    REF_CLAIMS,
    REF_TABLES, /* the number of tables */
    REF_STRING = REF_TABLES, /* karp_str */
    REF_BYTES, /* a pointer to bytes, and a uint32_t with their number */
    REF_LIST, /* a pointer to structs, and a uint32_t with their number */
    REF_ONE, /* a pointer to a struct, or NULL */
    REF_INSIDE /* a struct that is a member */
};

typedef struct layout layout;

typedef struct layout_row {
    uint16_t at; /* offset of the member */
    uint16_t to; /* of ids: offset of the last of adjacent members; of a list or bytes: offset of the number */
    uint8_t ref;
    const layout *of;
} layout_row;

struct layout {
    size_t bytes; /* size of the struct */
    size_t count; /* number of rows */
    const layout_row *rows;
};

extern const layout layout_store; /* the settings of a store, without its objects */
extern const layout layout_pod;
extern const layout layout_marks, layout_template; /* the words of pod_marks and pod_shared */

/* The lists of a store: first those of kinds of objects, by KIND_…; that of shapes stands in the place of pods, which
 * are in pages. */
typedef struct store_list {
    size_t at;
    const layout *of;
} store_list;
enum { STORE_LISTS = KIND_COUNT + 4 };
extern const store_list store_lists[STORE_LISTS];
static inline void *store_list_of(store *s, size_t list) { return (char *)s + store_lists[list].at; }
