/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that verify_topology.c and verify_spread.c share. */
#ifndef EXPLAIN_VERIFY_TOPOLOGY_H
#define EXPLAIN_VERIFY_TOPOLOGY_H

#include <explain/verify_kinds.h>

/* The possible values of a target's label. */
typedef struct spot_domains {
    const uint32_t *values; /* NULL = `one` is the only value */
    uint32_t one, count; /* count 0 = the label is absent, unless open */
    bool open; /* any value is possible */
} spot_domains;

static inline uint32_t domain_at(const spot_domains *d, uint32_t index)
{
    return d->values != NULL ? d->values[index] : d->one;
}

spot_domains domains_of(const verifier *v, const target *t, uint32_t key);

/* verify_spread.c */
void check_spread(verifier *v);

/* verify_topology.c */
uint32_t kind_of(const verifier *v, uint32_t pod_number);
bool constrained(const verifier *v, uint32_t kind);
label_list kind_labels(const verifier *v, uint32_t kind);
uint32_t bound_domain(const verifier *v, uint32_t pod_number, uint32_t key, bool name_serves);
bool usable_target(const verifier *v, uint32_t number);
bool counts_where_it_runs(const verifier *v, uint32_t pod_number);
bool label_imagined(const verifier *v, const target *t, uint32_t key);
bool key_as_written(const verifier *v, uint32_t key);

#endif
