/* SPDX-License-Identifier: Apache-2.0 */
/* What only explanations need about domains: where they come from, and which pods are counted in them. */
#pragma once

#include <schedule/common.h>

/* Where a domain comes from. */
typedef struct domain_source {
    uint32_t node, node_count; /* state nodes with this value, and the first by name; NO_ID = none */
    uint32_t pool, pool_count; /* usable NodePools with this value, and the first of them (store index); NO_ID = none */
    bool named; /* the requirements or labels of this NodePool name the value */
} domain_source;

typedef struct counted_pod {
    uint32_t pod; /* NO_ID = none */
    uint32_t claim; /* the launch on which the round placed it; NO_ID = it is on a node */
} counted_pod;

/* Made when they are first asked for, and valid until the next round. */
typedef struct domain_facts {
    karp_context *context;
    arena data;
    uint32_t *placed_first, *placed; /* pods that the round placed, by label group; NULL = not listed yet */
    uint32_t *owner_first, *owners; /* classes by the inverse group that they own; NULL = not listed yet */
    map64 of_key, of_group; /* number -> index in the lists */
    LIST_OF(domain_source *) sources;
    LIST_OF(counted_pod *) counted;
} domain_facts;

void domain_facts_init(domain_facts *f, karp_context *context);
void domain_facts_free(domain_facts *f);

/* By domain of the key, which is not the host name. NULL = out of memory. */
const domain_source *domain_sources(scheduler *s, domain_facts *f, uint32_t key_index);
/* The first pod, by name, that the group counts in each domain, by domain − domain_span(g)->base. NULL = out of memory.
 */
const counted_pod *domain_pods(scheduler *s, domain_facts *f, uint32_t group_number);
/* The group whose arrays have the domains of `g`: itself, or the wide group that it is a part of. */
const struct group *domain_span(const scheduler *s, const struct group *g);
