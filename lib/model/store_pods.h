/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods of a store. They stand in pages, so that a store which continues another shares them with it, and are found by
 * namespace and name in a table in pages. Where a pod was taken out, the next one is put, of several places that which had one
 * of the same name: a pod that is replaced stays where it was. Places that are left over are filled with the last pods.
 */
#ifndef MODEL_STORE_PODS_H
#define MODEL_STORE_PODS_H

#include <model/store.h>

void store_pods_init(store *s);
void store_pods_free(store *s);
/* What store_pods_init() has begun becomes the pods of another store, without those of capacity buffers: they are made anew.
 * false = out of memory. */
bool store_pods_continue(store *s, const store *from);

void store_pods_settle(store *s); /* forgets what only matters while the store changes */

uint32_t store_find_pod(const store *s, uint32_t name_space, uint32_t name); /* NO_ID = not there */
void store_set_pod_count(store *s, size_t count); /* forgets the last ones, which are virtual */
size_t store_pod_count(const store *s); /* without those that were taken out */
/* A copy of a pod whose name is not taken becomes the store's; `shown` is "namespace/name". false = out of memory, nothing changed. */
bool store_put_pod(store *s, const pod *p, karp_str shown);
/* One of a capacity buffer, behind all others, that nobody looks for by name. */
bool store_put_virtual_pod(store *s, const pod *p, karp_str shown);
/* Takes the pod of that number out. false = out of memory, nothing changed. */
bool store_take_pod(store *s, uint32_t number);
/* Afterwards the pods' numbers have no gaps. false = out of memory: some places are still open, no pod is lost. */
bool store_close_gaps(store *s);

#endif
