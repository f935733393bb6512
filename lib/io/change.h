/* SPDX-License-Identifier: Apache-2.0 */
/* Changes laid over what was read: objects replaced, deleted, and workloads scaled. Errors are in reader->error. */
#ifndef IO_CHANGE_H
#define IO_CHANGE_H

#include <io/reader.h>

/* Puts an object in the place of the one that names has under this number, as `kubectl apply` would. */
karp_status io_replace(karp_reader *reader, uint32_t number, tree *root, const io_place *place);
/* "KIND/NAME" or "KIND/NAMESPACE/NAME", and what goes with it. */
karp_status io_delete(karp_reader *reader, karp_str object);
/* "NAME", "NAMESPACE/NAME", "KIND/NAME" or "KIND/NAMESPACE/NAME". */
karp_status io_scale(karp_reader *reader, karp_str workload, uint64_t replicas);
/* Once everything has been read and changed: pods that are too many go, and so do the objects that were deleted. */
karp_status io_settle_changes(karp_reader *reader);

/* ---- change_find.c ------------------------------------------------------------------------------------------------- */

/* What a name on the command line says; parts that it leaves out are "". */
typedef struct io_reference {
    karp_str given, kind, namespace_, name;
} io_reference;

/* Whether a word names a kind as kubectl takes it: any case, singular, plural or short. */
bool io_kind_is(karp_str word, karp_str kind);
/* Reads a reference; `kind_needed` says that the first of two parts is a kind even if it names none that is known. */
bool io_reference_read(karp_str given, bool kind_needed, io_reference *out);
/* Whether it means an object of this name. */
bool io_refers_to(const io_reference *to, karp_str kind, karp_str namespace_, karp_str name);
/* The kind under which people know a waiting object. */
karp_str io_kind_of(const io_waiting *w);
karp_status io_not_found(karp_reader *reader, const io_reference *to);
karp_status io_ambiguous(karp_reader *reader, const io_reference *to, karp_str one, karp_str other);

#endif
