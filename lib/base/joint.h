/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array shared by several readers. It is created from an array that has a single owner. An owner that wants to
 * write gets a copy, or the array itself if it is the only owner. The reference count is atomic, so owners may be in
 * different threads.
 */
#ifndef BASE_JOINT_H
#define BASE_JOINT_H

#include <base/memory.h>

typedef struct joint joint;

/* Takes ownership of memory from the context's allocator and returns one reference. The context must outlive it. NULL
 * = out of memory: the memory still belongs to the caller. */
joint *joint_new(karp_context *context, void *memory, size_t bytes);
joint *joint_hold(joint *j); /* NULL is allowed */
void joint_release(joint *j); /* likewise; the last release frees the memory */
/* Exchanges the reference for memory that the caller alone owns, with the same first `used` bytes. NULL = out of
 * memory, nothing changed. */
void *joint_own(joint *j, size_t used);

#endif
