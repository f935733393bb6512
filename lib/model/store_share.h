/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that several stores point into. A snapshot gives what its store owns into such a block; the store of a snapshot that
 * was edited holds the block of the one before and adds its own on top. A block goes with the last store that holds it.
 */
#ifndef MODEL_STORE_SHARE_H
#define MODEL_STORE_SHARE_H

#include <model/store.h>

typedef struct store_memory store_memory;

store_memory *store_memory_new(karp_context *context); /* empty; NULL = out of memory */
store_memory *store_memory_hold(store_memory *m);
void store_memory_release(store_memory *m);
/* Moves the store's pieces into the block, which becomes the store's. */
void store_share(store *s, store_memory *fresh);

#endif
