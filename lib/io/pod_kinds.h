/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of objects that create pods, as data: the places of their pod templates and counts, and for kinds whose
 * operator computes more the function that does the same (pods_*.c). docs/workloads.md has the sources of each row.
 *
 * A place is a path from the object: "/spec/template". "*" stands for each element of a list or member of a map; the
 * paths of one place with the same beginning mean the same element.
 */
#pragma once

#include <io/decode.h>
#include <io/kinds.h>

typedef struct io_pod_place {
    const char *template_, *count, *name; /* name: what tells the pods of this element from the others'; NULL = none */
    int64_t absent; /* the count when none is stated, or there is no such field */
} io_pod_place;

struct io_pods; /* pods_of.h */

enum { IO_POD_PLACES = 3 };

typedef struct io_pod_kind {
    io_kind_info info; /* first: io_pod_kind_of() */
    io_pod_place places[IO_POD_PLACES]; /* those that are used come first */
    const char *scale; /* the field that --scale and autoscalers set; NULL = there is none */
    const char *suspend; /* the field that is true while there are no pods; NULL = there is none */
    const char *claims; /* volumeClaimTemplates; NULL = there are none */
    const char *beside; /* fields of the templates' specs that are no pod's, in one text; NULL = there are none */
    const char *hash; /* the label of the pods' ReplicaSet; NULL = the object itself owns its pods */
    void (*make)(struct io_pods *pods); /* NULL = the places say everything */
} io_pod_kind;

/* A kind for which the caller has given a rule (pod_rule.c). */
typedef struct io_own_kind {
    io_pod_kind kind;
    struct io_own_kind *next;
} io_own_kind;

/* Row `index` of the table; NULL beyond the last. */
const io_pod_kind *io_pod_kind_at(size_t index);
/* The row of a kind; NULL = it has none. */
const io_pod_kind *io_pod_kind_of(const io_kind_info *info);

/* The value at a path below `at`, without "*"; NULL = absent. */
const tree *io_at_path(const tree *at, const char *path);
/* Adds the names of a path, up to `end`, to the decoder's. */
void io_push_path(io_decoder *d, const char *path, const char *end);

/* The path in the form of errors and notes, "spec.template". */
void io_show_path(const char *path, char *out, size_t room);

/* One template that was found. Its path is pushed on the decoder's. */
typedef struct io_found_template {
    const tree *template_;
    const tree *element; /* that "*" stands for, the innermost; NULL = there is no "*" in the path */
    karp_str name; /* "" = none */
    uint64_t count;
} io_found_template;
/* Called for each template at a place. A wrong count is a failure of the decoder. */
typedef void io_each_template(io_decoder *d, const io_found_template *found, void *user);
void io_find_templates(io_decoder *d, const tree *object, const io_pod_place *place, io_each_template *call,
                       void *user);
