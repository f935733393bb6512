/* SPDX-License-Identifier: Apache-2.0 */
/* Node filters of spread constraints: which nodes count for a pod (scheduling.md §14.2). */
#ifndef SCHEDULE_FILTERS_H
#define SCHEDULE_FILTERS_H

#include <schedule/common.h>

/* What the filters of a class's spread constraints go by: an OR-entry for each required term. A step of the ladder leaves those from
 * some entry on, so that questions are answered for all steps at once. */
typedef struct filter_terms {
    demand *entries;
    uint32_t count;
    uint32_t *identities[2]; /* of the entries from each on: as the peer sees them, in full; NULL = not asked for yet */
    uint32_t *of_node; /* by Node, 1 + what filters.c calls accepted; 0 = not asked for yet */
    struct filter_answer { /* the one that was given last */
        uint32_t set, host_text, accepted;
    } recent;
} filter_terms;

typedef struct node_filter {
    bool honor_affinity, honor_taints;
    toleration_list tolerations;
    filter_terms *terms;
    uint32_t first; /* entries dropped */
} node_filter;

/* What the filters of a class go by, made when new. NULL = out of memory. */
filter_terms *filter_terms_of(scheduler *s, uint32_t class_number);
/* The same for filters whose entries are the same in any order: by all of them or, as the peer sees them, by their keys and
 * minValues alone, equal ones cancelling in pairs. Another number each time it fails (s->failed). */
uint32_t filter_identity(scheduler *s, const node_filter *f, bool full);

/* Whether there may be a node that the filter does not accept. */
bool filter_selective(const node_filter *f);
/* Whether the filter accepts a node with these taints and requirements. */
bool filter_matches(scheduler *s, const node_filter *f, taint_list taints, uint32_t set, uint32_t host_text);
/* The same of a Node, judged by the Node object alone. */
bool filter_matches_node(scheduler *s, const node_filter *f, uint32_t node_index);

#endif
