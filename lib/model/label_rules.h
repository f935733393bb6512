/* SPDX-License-Identifier: Apache-2.0 */
/* What requirements, labels and taints may say (scheduling.md §7.2, §7.4). */
#ifndef MODEL_LABEL_RULES_H
#define MODEL_LABEL_RULES_H

#include <model/snapshot.h>

/* What is wrong with a requirement; NULL = nothing. Values are text ids. */
const char *requirement_wrong(const karp_snapshot *s, uint32_t given_key, uint32_t op, const uint32_t *values,
                              uint32_t count, uint32_t min_values);

/* What Karpenter's validation refuses in a NodePool, one after the other: requirements, labels of the template, taints. */
enum pool_part { POOL_REQUIREMENT, POOL_LABEL, POOL_TAINT, POOL_STARTUP_TAINT };
typedef struct pool_fault {
    enum pool_part part;
    uint32_t index, key; /* in its list; text id */
    const char *wrong; /* follows the key in a sentence */
    uint32_t next; /* where the search goes on; 0 = it begins */
} pool_fault;
/* false = there is none left. */
bool pool_next_fault(const karp_snapshot *s, const node_pool *p, pool_fault *fault);
/* Of one requirement or label; NULL = nothing. */
const char *pool_requirement_wrong(const karp_snapshot *s, const expression *e);
const char *pool_label_wrong(const karp_snapshot *s, const label_pair *label);

/* Whether it is one (RFC 1123): the prefix of a key, and the name of nearly every object. A name without a dot and at most 63
 * characters long is a DNS label, which namespaces are. */
bool dns_subdomain(karp_str t);

#endif
