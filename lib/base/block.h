/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that several owners hold and nobody writes to any more. The last who releases it frees it. */
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#include <base/memory.h>

/* Held once, not cleared; to be filled before others hold it. The context has to outlive it. NULL = out of memory. */
void *block_new(karp_context *context, size_t count, size_t element_bytes);
/* The same, filled with a copy of the elements; one more fits. */
void *block_copy(karp_context *context, const void *from, size_t count, size_t element_bytes);
void *block_hold(void *block); /* NULL is allowed */
void block_release(void *block);

#endif
