/* SPDX-License-Identifier: Apache-2.0 */
/* Reference-counted memory blocks that several owners read and nobody writes to. The last owner frees the block. */
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#include <base/memory.h>

/* A new block with one reference, not cleared. Fill it before sharing it. The context must outlive it. NULL = out of
 * memory. */
void *block_new(karp_context *context, size_t count, size_t element_bytes);
/* A new block with a copy of the elements, and space for one more. */
void *block_copy(karp_context *context, const void *from, size_t count, size_t element_bytes);
void *block_ref(void *block); /* NULL is allowed */
void block_unref(void *block);

#endif
