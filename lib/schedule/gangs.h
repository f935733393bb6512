/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of pods that start together (karp/groups.h): their members, what keeps them from starting, and what became of
 * them. gang_loop.h places them.
 */
#pragma once

#include <model/groups.h>
#include <schedule/report.h>

typedef struct gang_domains gang_domains;

/* The members of a group in a round. */
typedef struct gang_count {
    uint32_t members; /* that have not finished */
    uint32_t counted; /* those that count for the minimum: not behind a gate */
    uint32_t succeeded; /* finished members that count */
    uint32_t bound; /* members that have a node and stay there */
    uint32_t to_place; /* members that the round places */
    uint32_t placed; /* those of them that are placed */
    uint32_t least; /* the minimum */
} gang_count;

gang_count gang_counts(scheduler *s, const member_group *g);

/* Why the group cannot start wherever its pods are placed; KARP_REASON_NONE = it may. */
uint32_t gang_refusal(const scheduler *s, const member_group *g, const gang_count *n);
/* `n`: the pods of all groups below it. */
uint32_t gang_refusal_composite(const scheduler *s, const member_group *g, const gang_count *n);
/* Whether some pod of the group has another priority than it. */
bool gang_priorities_differ(const scheduler *s, const member_group *g);
/* The value of the topology key on the nodes of its bound members: NO_ID = no member is bound. *one is false when they
 * have two values, or a node lacks the label. */
uint32_t gang_bound_domain(const scheduler *s, const member_group *g, uint32_t key, bool *one);

/* An attempt to place a group that did not reach its minimum. */
typedef struct gang_try {
    karp_str domain; /* ptr NULL = anywhere */
    uint32_t fit; /* pods, bound ones included; of a composite: groups */
    const char *why; /* why one more does not fit; NULL = not known */
    uint32_t pod; /* the pod that does not fit; NO_ID = not known */
    uint32_t least; /* what `fit` would have to be */
    const char *unit; /* what `fit` counts: " fit" */
} gang_try;

enum { MOST_TRIES = 6 };

/* What a round decided on a group. */
typedef struct gang_result {
    uint32_t reason; /* KARP_REASON_NONE = its minimum is met */
    gang_count before; /* its members when it was tried last */
    struct gang_start {
        bool started; /* the round placed some of its pods */
        bool searched; /* only a search found their places */
        bool ordered; /* kube-scheduler's order may not find enough of them */
        uint32_t domain; /* number of its domain, if it has a topology key and has started */
        karp_str domain_name;
    } now, kept; /* kept: apart from savepoints that may be taken back */
    bool gave_up; /* the search ended without an answer */
    uint32_t try_count; /* of the last time; more than MOST_TRIES are counted only */
    gang_try tries[MOST_TRIES];
} gang_result;

enum { MOST_INSIDE = MOST_COMPOSITES + 4 }; /* domains within domains: composites, and the nodes of a flavour */

/* What a round knows of groups; in its arena. */
struct gang_state {
    gang_result *results; /* by group */
    gang_domains *domains; /* of the keys that were asked for */
    uint64_t *offered[MOST_INSIDE]; /* the nodes that are offered inside of each domain; used again */
    uint32_t inside; /* in so many domains pods are being placed */
    uint64_t searched; /* steps of all searches */
};

/* Adds a row for each group with members to place, and notes about them. */
bool gangs_report(scheduler *s, karp_decision *d);
