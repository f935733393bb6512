/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of requirements, labels and taints. */
#pragma once

#include <model/snapshot.h>

/* The error in a requirement; NULL = it is valid. Values are text ids. */
const char *requirement_wrong(const karp_snapshot *s, uint32_t given_key, uint32_t op, const uint32_t *values,
                              uint32_t count, uint32_t min_values);

/* Errors in a NodePool that Karpenter's validation rejects, one at a time: in requirements, labels of the template,
 * taints. */
enum pool_part { POOL_REQUIREMENT, POOL_LABEL, POOL_TAINT, POOL_STARTUP_TAINT };
typedef struct pool_fault {
    enum pool_part part;
    uint32_t index, key; /* index in its list; text id of the key */
    const char *wrong; /* continues a sentence that begins with the key */
    uint32_t next; /* where the search continues; 0 = from the start */
} pool_fault;
/* Finds the next error. false = there is none left. */
bool pool_next_fault(const karp_snapshot *s, const node_pool *p, pool_fault *fault);
/* The error in one requirement or label; NULL = it is valid. */
const char *pool_requirement_wrong(const karp_snapshot *s, const expression *e);
const char *pool_label_wrong(const karp_snapshot *s, const label_pair *label);
