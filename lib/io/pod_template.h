/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that differ only in their names, times and status are decoded and added to the builder as pods of one template.
 * They are known by the values that they share since the parser keeps repeated values (json/tree.h).
 */
#pragma once

#include <io/decode.h>

/* What pods with the same values share. */
typedef struct io_pod_template {
    const karp_pod *pod; /* without name, times and status; NULL = not decoded yet */
    uint32_t number; /* the builder's */
    uint32_t met; /* pods without a template that share the values */
    uint32_t statuses; /* that were kept */
    uint32_t specs; /* likewise */
    const tree *spec; /* of pods whose specs are their own (pod_spec.c); NULL = they share it */
    uint64_t status; /* the address of the last pod's status; 0 = none that is shared */
    const karp_pod *with_status; /* `pod` with that status; NULL = not decoded yet */
} io_pod_template;

/* An owner whose pods were counted before (owner.c). */
typedef struct io_counted_owner {
    karp_str namespace_;
    uint32_t number; /* of its key in reader->names; NO_ID = its pods are not counted */
} io_counted_owner;

typedef struct io_pod_templates {
    words keys; /* the addresses of the values; an id is an index in the list */
    arena memory;
    trees specs;
    io_pod_template *list;
    size_t capacity;
    bool more; /* pods like the one that is being added follow */
    uint32_t added; /* the template of the pod added last; NO_ID = it has none, or its status is not known */
    map64 surveyed; /* by the address of a value that pods share: whether it names EKS Auto Mode */
    map64 written; /* likewise: the number of its canonical text (kept.c) */
    map64 recipes; /* by what a pod shares: the number of a recipe (kept.c) */
    map64 owned; /* by the address of ownerReferences: the number of an owner (owner.c) */
    io_counted_owner *owners;
    size_t owner_count, owner_capacity;
} io_pod_templates;

void io_pod_templates_init(io_pod_templates *p, karp_context *context);
/* Before the trees of the pods are freed. It is empty afterwards and can be reused. */
void io_pod_templates_clear(io_pod_templates *p);

/* The address of the value's members or items, if it is one that the parser kept and nothing has changed since; else 0.
 */
uint64_t io_shared_address(const tree *value);

/* Whether pods with these specs differ in nothing of their specs that is decoded, but for the node. */
bool io_same_spec(const tree *a, const tree *b);
/* A copy, which shares with it what pods share. NULL = out of memory. */
tree *io_keep_spec(trees *t, const tree *spec);

/* What templates do not have. */
karp_templated_pod io_own_part(const karp_pod *pod);

/* Decodes a pod and adds it to the builder. Failures of decoding are recorded in the decoder, others in
 * reader->error. */
karp_status io_add_pod(karp_reader *reader, io_decoder *d, const tree *root);

/* ---- pods like one before (pod_like.c) --------------------------------------------------------------------------- */

enum { IO_LIKE_VALUES = 5 }; /* spec, status, labels, annotations, ownerReferences */

/* What is added for a pod that differs only in its name, uid and age from one that lacked nothing and needed no other
 * object. */
typedef struct io_pod_again {
    karp_templated_pod own;
    uint32_t template_;
    const karp_pod *pod;
} io_pod_again;

/* Pods that share all that is not their own. */
typedef struct io_pod_like {
    uint64_t key[IO_LIKE_VALUES]; /* the addresses of the values; 0 = absent */
    karp_str namespace_;
    uint32_t count; /* pods */
    uint32_t next; /* likeness of the pod that followed last; NO_ID = unknown */
    const io_pod_again *again; /* NULL = none was added yet, or they have to be looked at */
} io_pod_like;

typedef struct io_pod_likes {
    words keys; /* an id is an index in the list */
    arena memory;
    io_pod_like *list;
    size_t capacity;
    uint32_t last; /* likeness of the last pod; NO_ID = there is none yet */
    uint32_t places[IO_LIKE_VALUES + 4]; /* where members were in the last pod */
    char time_text[KARP_VALUE_TEXT]; /* the creationTimestamp read last, of time_length bytes */
    size_t time_length;
    int64_t time;
} io_pod_likes;

void io_pod_likes_init(io_pod_likes *p, karp_context *context);
void io_pod_likes_free(io_pod_likes *p);

struct io_deferred;
/* Notes what a pod shares and what is its own, while it is at hand. false = out of memory. */
bool io_note_like(karp_reader *reader, struct io_deferred *w);
/* Whether other pods are like this one. */
bool io_more_alike(const karp_reader *reader, const struct io_deferred *w);
/* The pod was added as it was read, and lacked nothing: neither do those like it. Errors: NOMEM. */
karp_status io_note_again(karp_reader *reader, const struct io_deferred *w);
/* Adds a pod like one for which io_note_again() was called. false = there is none, or something is wrong with the pod:
 * it is not added. */
bool io_add_again(karp_reader *reader, const struct io_deferred *w);
