/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that several owners hold jointly: they read it. It is made of one that somebody has to himself; whoever wants to write
 * to it takes a copy, or has it to himself again when he is the last. Holds are counted atomically, so owners may be in different
 * threads.
 */
#ifndef BASE_JOINT_H
#define BASE_JOINT_H

#include <base/memory.h>

typedef struct joint joint;

/* Takes over memory of the context's allocator; the context has to outlive it. Held once. NULL = out of memory: the memory is still the
 * caller's. */
joint *joint_new(karp_context *context, void *memory, size_t bytes);
joint *joint_hold(joint *j); /* NULL is allowed */
void joint_release(joint *j); /* likewise; the last frees the memory */
/* The memory for whoever holds it, to write to: the first `used` bytes are what they were, and the hold is gone. NULL = out of memory:
 * nothing changed. */
void *joint_own(joint *j, size_t used);

#endif
