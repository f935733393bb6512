/* SPDX-License-Identifier: Apache-2.0 */
/* Node filters of spread constraints: which nodes count for a pod. */
#pragma once

#include <schedule/common.h>

/* The node affinity that the filters of a class's spread constraints use: one entry for each OR-term. Relaxation
 * drops terms from the front, so that answers are cached for every number of dropped terms. */
typedef struct filter_terms {
    demand *entries;
    uint32_t count;
    /* by first entry: identity of the remaining entries, as the peer compares them and in full; NULL = not computed
     * yet */
    uint32_t *identities[2];
    uint32_t *of_node; /* by Node: 1 + the `accepted` value of filters.c; 0 = not computed yet */
    struct filter_answer { /* the last answer */
        uint32_t set, host_text, accepted;
    } recent;
} filter_terms;

typedef struct node_filter {
    bool honor_affinity, honor_taints;
    toleration_list tolerations;
    filter_terms *terms;
    uint32_t first; /* number of entries that were dropped */
} node_filter;

/* The terms of a class, created on first use. NULL = out of memory. */
filter_terms *filter_terms_of(scheduler *s, uint32_t class_number);
/* Filters with the same entries in any order have the same number. With `full` all of an entry is compared.
 * Otherwise, as the peer does, only keys and minValues are, and equal entries cancel in pairs. Returns a new
 * number on each failure (s->failed). */
uint32_t filter_identity(scheduler *s, const node_filter *f, bool full);

/* Whether the filter can reject a node. */
bool filter_selective(const node_filter *f);
/* Whether the filter accepts a node with these taints and requirements. */
bool filter_matches(scheduler *s, const node_filter *f, taint_list taints, uint32_t set, uint32_t host_text);
/* The same for a Node; only the Node object is considered. */
bool filter_matches_node(scheduler *s, const node_filter *f, uint32_t node_index);
