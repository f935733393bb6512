/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes applied to the input after reading: objects are replaced or deleted, and workloads are scaled. Errors are in
 * reader->error.
 */
#pragma once

#include <io/reader.h>

/* Replaces the object with this number in reader->names, as `kubectl apply` would. */
karp_status io_replace(karp_reader *reader, uint32_t number, tree *root, const io_place *place);
/* Deletes an object and its dependents. The object is "KIND/NAME" or "KIND/NAMESPACE/NAME". */
karp_status io_delete(karp_reader *reader, karp_str object);
/* Scales a workload: "NAME", "NAMESPACE/NAME", "KIND/NAME" or "KIND/NAMESPACE/NAME". */
karp_status io_scale(karp_reader *reader, karp_str workload, uint64_t replicas);
/* Called after all reading and changes: removes surplus pods and the deleted objects. */
karp_status io_settle_changes(karp_reader *reader);

/* Whether a workload's spec has the pod template of the one before, apart from what an API server fills in. */
bool io_same_template(const tree *before, const tree *after);
/* Whether the replicas of the kind's objects can be set. */
bool io_has_replicas(const io_kind_info *info);
/* The path of the number of its pods, which --scale and autoscalers set; NULL = the kind has none. */
const char *io_scale_path(const io_kind_info *info);
/* Sets the number at the path. */
void io_set_scale(trees *t, tree *object, const char *path, tree *number);

/* ---- change_find.c ----------------------------------------------------------------------------------------------- */

/* A parsed object reference from the command line. Parts that are left out are "". */
typedef struct io_reference {
    karp_str given, kind, namespace_, name;
} io_reference;

/* Parses a reference. `kind_needed`: the first of two parts is a kind even if no known kind has this name. */
bool io_reference_read(karp_str given, bool kind_needed, io_reference *out);
/* Whether the reference matches an object with this name. */
bool io_refers_to(const io_reference *to, karp_str kind, karp_str namespace_, karp_str name);
/* The user-visible kind of a deferred object. */
karp_str io_kind_of(const io_deferred *w);
karp_status io_not_found(karp_reader *reader, const io_reference *to);
karp_status io_ambiguous(karp_reader *reader, const io_reference *to, karp_str one, karp_str other);
