/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Karpenter's providers hash the Go value of a node class's spec with a library that walks its structs. This module
 * takes the same steps on the JSON document. A table lists for each struct its Go name, and the Go and JSON names of
 * its fields in the order of their declaration. A field with its zero value is skipped, a pointer only if it is absent.
 * Lists are unordered sets. Fields that are not in the table are not hashed.
 */
#pragma once

#include <base/hash.h>
#include <json/tree.h>
#include <karp/provider.h>

typedef enum go_kind {
    GO_TEXT,
    GO_BOOL,
    GO_INT32,
    GO_INT64,
    GO_DURATION, /* metav1.Duration: a struct of nanoseconds */
    GO_NILLABLE_DURATION, /* Karpenter's type; "Never" has no value */
    GO_QUANTITY_TEXT, /* a quantity, hashed as its text */
    GO_STRUCT
} go_kind;

typedef struct go_struct go_struct;
typedef enum go_form { GO_PLAIN, GO_POINTER, GO_LIST, GO_MAP } go_form;

typedef struct go_field {
    const char *name, *json;
    go_kind kind;
    go_form form;
    const go_struct *of; /* for GO_STRUCT */
} go_field;

struct go_struct {
    const char *name;
    const go_field *fields;
    size_t count;
};

/* A struct by its Go name and its table of fields. */
#define GO_STRUCT(name, fields)                                                                                        \
    {                                                                                                                  \
        name, fields, sizeof(fields) / sizeof *(fields)                                                                \
    }

uint64_t go_hash_struct(const go_struct *type, const tree *object);
