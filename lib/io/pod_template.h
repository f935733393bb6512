/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that differ only in their names, times and status are decoded and added to the builder as pods of one template.
 * They are known by the values that they share since the parser keeps repeated values (json/tree.h).
 */
#pragma once

#include <io/decode.h>

enum { IO_SHARED_VALUES = 4 }; /* spec, labels, annotations, ownerReferences */

/* What is added for a pod that differs only in its name, uid and age from one that lacked nothing and needed no other
 * object. */
typedef struct io_pod_again {
    karp_templated_pod own;
    karp_str namespace_;
    const karp_pod *pod;
} io_pod_again;

/* What pods with the same values share. */
typedef struct io_pod_template {
    uint64_t key[IO_SHARED_VALUES]; /* the addresses of the values; 0 = absent */
    const karp_pod *pod; /* without name, times and status; NULL = not decoded yet */
    uint32_t number; /* the builder's */
    uint32_t met; /* pods without a template that share the values */
    uint32_t statuses; /* that were kept */
    uint32_t next; /* of the pod that followed last; NO_ID = unknown */
    uint64_t status; /* the address of the last pod's status; 0 = none that is shared */
    const karp_pod *with_status; /* `pod` with that status; NULL = not decoded yet */
    const io_pod_again *again; /* with that status; NULL = pods have to be looked at */
} io_pod_template;

/* Members of a pod, and where they were in the last one. */
typedef enum io_pod_part {
    IO_PART_METADATA,
    IO_PART_SPEC,
    IO_PART_STATUS,
    IO_PART_LABELS,
    IO_PART_ANNOTATIONS,
    IO_PART_OWNERS,
    IO_PART_NAME,
    IO_PART_NAMESPACE,
    IO_PART_UID,
    IO_PART_CREATION,
    IO_POD_PARTS
} io_pod_part;

/* An owner whose pods were counted before (owner.c). */
typedef struct io_counted_owner {
    karp_str namespace_;
    uint32_t number; /* of its key in reader->names; NO_ID = its pods are not counted */
} io_counted_owner;

enum { IO_FAR_TEXTS = 3 }; /* namespace, uid, creationTimestamp */

typedef struct io_pod_templates {
    words keys; /* the addresses of the values; an id is an index in the list */
    arena memory;
    io_pod_template *list;
    size_t capacity;
    uint32_t last; /* the template found last; NO_ID = none */
    uint32_t added; /* the template of the pod added last; NO_ID = it has none, or its status is not known */
    uint32_t places[IO_POD_PARTS];
    char time_text[KARP_VALUE_TEXT]; /* the creationTimestamp read last, of time_length bytes */
    size_t time_length;
    int64_t time;
    uintptr_t far[IO_FAR_TEXTS]; /* from the name of the last pod to its other texts */
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

/* Adds a pod like one for which io_note_pod_again() was called. false = it may be another: it is not added. */
bool io_add_pod_again(karp_reader *reader, const tree *root);
/* The pod added last lacked nothing and needed no other object: neither do those that share all that it shares. Errors:
 * NOMEM. */
karp_status io_note_pod_again(karp_reader *reader);
/* Fetches the texts of a pod that will be added soon: they are far between. */
void io_fetch_pod(const karp_reader *reader, karp_str name);

/* Decodes a pod and adds it to the builder. Failures of decoding are recorded in the decoder, others in
 * reader->error. */
karp_status io_add_pod(karp_reader *reader, io_decoder *d, const tree *root);
