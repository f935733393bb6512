/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of equal pods that spread over domains, such as zones. Which domains may have the next pod depends on counts
 * alone, and all claims of a requirement bucket are in the same one. So claim_runs.c places such a run by counting.
 */
#pragma once

#include <schedule/claim_order.h>
#include <schedule/topology.h>

enum { SPREAD_RULES = 4 }; /* spread constraints of the pods, at most */

typedef struct spread_run {
    struct spread_rule {
        uint32_t group;
        const uint64_t *own; /* bits of the domains that the pods allow */
        int64_t least; /* the count from which maxSkew is measured */
        bool self; /* the group selects the pods */
        uint32_t domains[MOST_BUCKETS]; /* the only one of each bucket */
    } rules[SPREAD_RULES];
    uint32_t rule_count;
    const label_group *counted;
    uint32_t count_in[COUNTED_TOGETHER]
                     [MOST_BUCKETS]; /* a group's domain in a bucket; NO_ID = it counts nothing there */
    /* Topology would narrow the bucket's requirements, or counts the pods in a way that is not known here. */
    bool unknown[MOST_BUCKETS];
} spread_run;

/* Whether nothing but spread constraints applies to the view's pods, so that a run can be placed by counting. */
bool spread_run_applies(const scheduler *s, const view *v);
/* Reads the groups and the buckets. false = the run is placed pod by pod, or out of memory. */
bool spread_run_begin(scheduler *s, const view *v, spread_run *r);
/* Begins the search for the next pod: claims of domains that may not have it now are passed over. */
void spread_run_search(scheduler *s, const spread_run *r);
/* Counts a pod that a claim of this bucket and with this host number has received. */
void spread_run_count(scheduler *s, spread_run *r, uint32_t bucket, uint32_t host_number);
