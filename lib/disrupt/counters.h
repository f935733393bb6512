/* SPDX-License-Identifier: Apache-2.0 */
/* How many claims a pool has (deprovisioning.md §11, §27). Pure. */
#ifndef DISRUPT_COUNTERS_H
#define DISRUPT_COUNTERS_H

#include <disrupt/pass.h>

typedef struct pool_counters {
    int64_t active, deleting;
} pool_counters;

/* Over all claims whose own label names the pool. */
pool_counters count_claims(const karp_snapshot *w, uint32_t pool);
/* How many more nodes the pool's limit of nodes leaves room for. */
int64_t node_room(const node_pool *pool, pool_counters k);

#endif
