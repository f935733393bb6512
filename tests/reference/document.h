/* SPDX-License-Identifier: Apache-2.0 */
/** @file document.h  Reading fields of JSON objects: what is absent, null or of another type reads as empty. */
#ifndef REFERENCE_DOCUMENT_H
#define REFERENCE_DOCUMENT_H

#include <jansson.h>

#include "values.h"

/** Takes a tree over: strings are borrowed from it until ref_drop_documents(). */
void ref_keep_document(json_t *tree);
void ref_drop_documents(void);

/** A member of an object; NULL when it is absent or null. */
const json_t *ref_at(const json_t *object, const char *key);
/** "" when it is absent. */
const char *ref_text(const json_t *object, const char *key);
/** @p otherwise when it is absent. */
int64_t ref_int(const json_t *object, const char *key, int64_t otherwise);
bool ref_true(const json_t *object, const char *key, bool otherwise);
/** Length and items of a member that is a list. */
size_t ref_length(const json_t *object, const char *key);
const json_t *ref_item(const json_t *object, const char *key, size_t index);

/** A string or a number as text; NULL if it is neither. */
const char *ref_scalar(const json_t *value);
/** Texts of a list, in order. */
struct names ref_list(const json_t *array);
/** Quantities of an object. */
struct resources ref_resources_read(const json_t *object);
/** An instant or 0. */
int64_t ref_instant_at(const json_t *object, const char *key);

/** One pair of a map of strings. */
struct label {
    const char *key, *value;
};

/** By key. */
struct labels {
    struct label *items;
    size_t count;
};

struct labels ref_labels_read(const json_t *object);
/** The value, or NULL. */
const char *ref_label(struct labels labels, const char *key);
/** @p a with the entries of @p b in place of its own. */
struct labels ref_labels_merge(struct labels a, struct labels b);
struct labels ref_labels_one(const char *key, const char *value);

#endif
