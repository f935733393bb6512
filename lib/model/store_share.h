/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that several stores point into. A snapshot moves the memory of its store into such a block. The store of an
 * edited snapshot refers to the block of the one before and adds its own on top. Blocks are reference-counted.
 */
#ifndef MODEL_STORE_SHARE_H
#define MODEL_STORE_SHARE_H

#include <model/store.h>

typedef struct store_memory store_memory;

store_memory *store_memory_new(karp_context *context); /* an empty block; NULL = out of memory */
store_memory *store_memory_ref(store_memory *m);
void store_memory_unref(store_memory *m);
/* Moves the store's memory into `fresh`, which becomes the store's block. */
void store_share(store *s, store_memory *fresh);

#endif
