/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What admission plugins of the API server add to a pod when it is created: LimitRanger the default requests of its
 * namespace, RuntimeClass overhead and placement. Pods that an API server has written have them already.
 */
#pragma once

#include <io/reader.h>

/* A LimitRange, and the index + 1 of the next one of its namespace by name; 0 = none. */
typedef struct io_limit_range {
    uint32_t number, next; /* `number` is that in reader->deferred */
    bool told; /* of the first one of a namespace: there is a note on what it gives */
} io_limit_range;

/* The priority classes that every cluster has. */
typedef struct io_system_class {
    const char *name, *value;
} io_system_class;
enum { IO_SYSTEM_CLASSES = 2 };
extern const io_system_class io_system_classes[IO_SYSTEM_CLASSES];

typedef struct io_admission {
    io_table first; /* namespace -> index in `ranges` */
    io_limit_range *ranges;
    size_t count, capacity;
    bool late; /* pod-level requests are filled in after LimitRanger: Kubernetes 1.37 and later */
} io_admission;

void io_admission_init(io_admission *a, karp_context *context);
void io_admission_free(io_admission *a, karp_context *context);
/* Takes note of a LimitRange, of the version of a node's kubelet, and of a Namespace's annotations. Errors: NOMEM. */
karp_status io_admission_note(io_admission *a, karp_reader *reader, const io_deferred *w);

/* Fills in the spec of a pod that is created in the namespace. What the spec contains may be shared with others.
 * Failures of memory are in the trees; notes may fail, too: NOMEM. */
karp_status io_admit(const io_admission *a, karp_reader *reader, trees *t, tree *spec, karp_str namespace_);
/* The same for a pod, or the pods of a workload, that karp creates, with a note if a LimitRange gives it requests. */
karp_status io_admit_created(io_admission *a, karp_reader *reader, trees *t, tree *spec, const io_deferred *of);
/* Why a LimitRange or a RuntimeClass keeps a filled pod from being created: appended to the text. */
void io_admission_refuses(const io_admission *a, const karp_reader *reader, const tree *spec, karp_str namespace_,
                          char *why, size_t room);

/* Pod Security admission: the label pod-security.kubernetes.io/enforce of a Namespace. */

/* Why the level of its namespace refuses the pods; nothing is written if it takes them, or if the namespace is not in
 * the input. */
void io_pod_security_refuses(const karp_reader *reader, const tree *spec, karp_str namespace_, char *why, size_t room);
