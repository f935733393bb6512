/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file document.h  Documents as values in memory instead of text (libkarp-io). For programs that hold JSON in a tree
 * of their own: the reader asks for its values, and writers hand over theirs. karp/jansson.h does this for jansson.
 */
#ifndef KARP_DOCUMENT_H
#define KARP_DOCUMENT_H

#include <karp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a value of JSON is. */
enum {
    KARP_VALUE_NULL = 0,
    KARP_VALUE_BOOLEAN = 1,
    KARP_VALUE_INTEGER = 2,
    KARP_VALUE_REAL = 3, /**< read as the shortest decimal that is this number: 0.1 CPU are 100m */
    KARP_VALUE_STRING = 4,
    KARP_VALUE_ARRAY = 5,
    KARP_VALUE_OBJECT = 6
};

/** A value of JSON; of an array or object only that it is one. Has no size in front: kinds may be added, members not.
 * Since 1.0. */
typedef struct karp_value {
    uint32_t kind; /**< KARP_VALUE_* */
    uint32_t boolean; /**< 0 or 1 */
    int64_t integer;
    double real; /**< finite */
    karp_str text; /**< UTF-8 without NUL */
} karp_value;

/**
 * Reads the values of a tree. A node is whatever the caller takes for one. The tree must not change during the call
 * that reads it. Since 1.0.
 */
typedef struct karp_value_source {
    size_t size;
    void *user; /**< passed to the functions */
    /** Describes a node. The text is borrowed from it. */
    void (*read)(void *user, const void *node, karp_value *out);
    /** The next element of an array or member of an object, in the tree's order, and the member's name; NULL = there
     * are no more. @p position belongs to the source: it is NULL before the first. */
    const void *(*next)(void *user, const void *node, void **position, karp_str *name);
} karp_value_source;

/** Builds a tree of what a writer writes. Since 1.0. */
typedef struct karp_value_sink {
    size_t size;
    void *user; /**< passed to the functions */
    /** A new node; NULL = out of memory. Texts are valid during the call. */
    void *(*make)(void *user, const karp_value *value);
    /** Adds @p child to an array, or to an object under that name, and owns it from then on, even if it fails. An array
     * or object is added before it has elements. Errors: NOMEM. */
    karp_status (*add)(void *user, void *parent, karp_str name, void *child);
    /** The document is complete: the sink owns @p root. Called at most once. */
    void (*take)(void *user, void *root);
    /** The call has failed: frees @p root and what was added to it. */
    void (*drop)(void *user, void *root);
} karp_value_sink;

#ifdef __cplusplus
}
#endif
#endif
