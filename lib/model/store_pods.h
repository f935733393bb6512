/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pods of a store. They are stored in pages, so that a store that continues another one shares pages with it. A
 * hash table, also in pages, finds them by namespace and name. A new pod takes the place of a removed one, preferably
 * of one with the same name, so that a replaced pod keeps its place. In the end the remaining gaps are filled with
 * the last pods.
 */
#pragma once

#include <model/store.h>

void store_pods_init(store *s);
void store_pods_free(store *s);
/* Copies the pods of another store after store_pods_init(), except virtual pods of capacity buffers, which are
 * created again. false = out of memory. */
bool store_pods_continue(store *s, const store *from);

void store_pods_settle(store *s); /* frees what is needed only while the store changes */

/* Pods get into the table together, because a place in it is far from the last one: before one is looked for, and in
 * the end. false = out of memory, nothing changed. */
bool store_index_pods(store *s);
/* Of the pods in the table. NO_ID = not found. */
uint32_t store_find_pod(const store *s, uint32_t name_space, uint32_t name);
void store_set_pod_count(store *s, size_t count); /* removes the last ones, which must be virtual */
size_t store_pod_count(const store *s); /* without removed pods */
/* Adds a copy of a pod whose name is not in use. `shown` is "namespace/name". false = out of memory, nothing changed.
 */
bool store_put_pod(store *s, const pod *p, karp_str shown);
/* Appends a virtual pod of a capacity buffer. It cannot be found by name. */
bool store_put_virtual_pod(store *s, const pod *p, karp_str shown);
/* The pod with this number, which may be changed except for its name. NULL = out of memory, nothing changed. */
pod *store_change_pod(store *s, uint32_t number);
/* Removes the pod with this number. false = out of memory, nothing changed. */
bool store_take_pod(store *s, uint32_t number);
/* Renumbers pods so that there are no gaps. false = out of memory: some gaps remain, but no pod is lost. */
bool store_close_gaps(store *s);
