/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a NodePool's static fields (deprovisioning.md §22, scheduling.md appendix B). Pure. */
#ifndef MODEL_POOL_HASH_H
#define MODEL_POOL_HASH_H

#include <model/snapshot.h>

#define POOL_HASH_VERSION "v3"

uint64_t pool_hash(const store *raw, const node_pool *p);

#endif
