/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt to schedule a pod: filters, then scores. Its parts keep numbers by domain in lines of the cluster's
 * scratch space, which belong to the attempt until the next one begins.
 */
#pragma once

#include <kube/cluster.h>

typedef struct kube_refusal {
    uint8_t plugin, code; /* code: KUBE_FITS = no refusal */
} kube_refusal;

typedef struct kube_candidate {
    uint32_t node;
    size_t first, count; /* of a->victims, from the most important one */
    int64_t violations; /* of budgets */
} kube_candidate;

typedef struct kube_attempt {
    kube_cluster *cluster;
    uint32_t pod, class_;
    const bool *filters; /* of the pod's profile */
    kube_memo *memos; /* of the class, by node */
    kube_refusal before; /* the refusal before any node was looked at */
    bool claims_in_use; /* a pod on some node has a claim that it needs for itself alone */
    bool has_rules; /* about other pods: the lines below are in use */
    size_t hard, affinity, anti, existing; /* their first lines; existing: by key */
    bool skips_affinity; /* InterPodAffinity had nothing to look at when the attempt began, and stays out of it */
    bool any_existing; /* required anti-affinity of another pod concerns it somewhere */
    bool any_affinity; /* some domain has a pod that all terms of required affinity select */
    uint32_t *feasible; /* nodes in the order of the walk */
    size_t feasible_count, feasible_capacity, examined;
    int64_t *totals; /* by index in `feasible` */
    size_t total_capacity;
    kube_refusal *refusals; /* by node; of nodes that were examined */
    size_t refusal_capacity;
    bool keep_refusals;
    uint32_t *only; /* the nodes to which the pod is restricted */
    size_t only_count, only_capacity;
    uint32_t *victims; /* of preemption */
    size_t victim_count, victim_capacity;
    kube_candidate *candidates;
    size_t candidate_capacity;
} kube_attempt;

/* Receives the scores of one plugin, by index in `feasible`. */
typedef void kube_show_scores(void *user, uint32_t plugin, const int64_t *raw, const int64_t *normalized);

void kube_attempt_init(kube_attempt *a, kube_cluster *c);
void kube_attempt_free(kube_attempt *a);

/* Begins an attempt: a->before has the refusal of the pod as a whole, if any. */
void kube_attempt_begin(kube_attempt *a, uint32_t pod);
/* Filters the nodes of the walk from where the last one ended. Every node if `all`: then the next walk begins where
 * this one did. */
void kube_attempt_filter(kube_attempt *a, bool all);
void kube_attempt_score(kube_attempt *a, kube_show_scores *show, void *user);
/* Of the feasible nodes that have been scored: the index of the chosen one. `random` is a random number, which only
 * versions before 1.35 use. */
size_t kube_attempt_best(kube_attempt *a, uint64_t random);

/* A whole attempt: the node for the pod, or KUBE_NONE. */
uint32_t kube_schedule(kube_attempt *a, uint32_t pod, uint64_t random);

/* ---- filters.c */
void kube_filters_begin(kube_attempt *a); /* reads the state of other pods that filters need */
kube_refusal kube_filter(kube_attempt *a, uint32_t node); /* with pods nominated to it, and without */
kube_memo *kube_memo_at(kube_attempt *a, uint32_t node);

/* ---- spread.c */
void kube_spread_begin(kube_attempt *a);
kube_refusal kube_spread_filter(const kube_attempt *a, uint32_t node);
/* false = the plugin does not score the pod */
bool kube_spread_score(kube_attempt *a, int64_t *raw, int64_t *normalized);

/* ---- pod_affinity.c */
void kube_affinity_begin(kube_attempt *a);
kube_refusal kube_affinity_filter(const kube_attempt *a, uint32_t node);
bool kube_affinity_score(kube_attempt *a, int64_t *raw, int64_t *normalized);

/* ---- volumes.c */
kube_refusal kube_volumes_begin(const kube_attempt *a);
bool kube_claims_in_use(const kube_cluster *c, const kube_class *s);
kube_refusal kube_volumes_filter(kube_attempt *a, uint32_t node);

/* ---- preemption.c */
/* Why no other pod may be preempted for it; NULL = it may try. After an attempt that kept its refusals. */
const char *kube_preemption_refusal(kube_attempt *a);
/* Nodes on which pods of lower priority can make room, in the order of the walk. The list is valid until the next
 * attempt. */
kube_candidate *kube_preemption_candidates(kube_attempt *a, size_t *count);
/* Whether a is the better one: -1, 0 (they tie), 1. */
int kube_compare_candidates(const kube_attempt *a, const kube_candidate *x, const kube_candidate *y);

/* ---- lines of numbers */
enum { KUBE_LINE_MISSING, KUBE_LINE_LEAST, KUBE_LINE_MORE }; /* places after the domains */
/* Takes lines, filled with one value. false = out of memory. */
bool kube_lines_take(kube_cluster *c, size_t count, int64_t value, size_t *first);
static inline int64_t *kube_line(const kube_cluster *c, size_t line) { return c->lines[line]; }
static inline int64_t *kube_line_more(const kube_cluster *c, size_t line, size_t place)
{
    return &c->lines[line][c->node_count + place];
}
