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
    io_pod_template *list;
    size_t capacity;
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

/* Decodes a pod and adds it to the builder. Failures of decoding are recorded in the decoder, others in
 * reader->error. */
karp_status io_add_pod(karp_reader *reader, io_decoder *d, const tree *root);
