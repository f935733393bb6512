/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array shared by several readers. It is created from an array that has a single owner. An owner that wants to
 * write gets a copy, or the array itself if it is the only owner. The reference count is atomic, so owners may be in
 * different threads.
 */
#ifndef BASE_SHARED_ARRAY_H
#define BASE_SHARED_ARRAY_H

#include <base/memory.h>

typedef struct shared_array shared_array;

/* Takes ownership of memory from the context's allocator and returns one reference. The context must outlive it. NULL
 * = out of memory: the memory still belongs to the caller. */
shared_array *shared_array_new(karp_context *context, void *memory, size_t bytes);
shared_array *shared_array_ref(shared_array *j); /* NULL is allowed */
void shared_array_unref(shared_array *j); /* likewise; the last one frees the memory */
/* Exchanges the reference for memory that the caller alone owns, with the same first `used` bytes. NULL = out of
 * memory, nothing changed. */
void *shared_array_take(shared_array *j, size_t used);

#endif
