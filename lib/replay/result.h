/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a policy. */
#pragma once

#include <replay/common.h>

typedef struct replay_point {
    int64_t at;
    double cost_rate, dollars; /* per hour; total so far */
    uint32_t nodes, starting, pods, pending; /* starting: the nodes that are not ready yet */
    double cpu_requested, cpu, memory_requested, memory; /* cores and bytes, of ready nodes */
} replay_point;

/* An attempted step of a repack plan. */
typedef struct replay_attempt {
    int64_t began, ended; /* ended: all its nodes and pods are settled; KARP_NO_TIME = not yet */
    uint32_t plan, step, steps; /* from 1; steps: the number of steps of the plan */
    uint32_t nodes, launches;
    uint32_t reason; /* KARP_REASON_*: why it was not carried out */
    bool done;
    uint64_t evictions;
    double cost; /* per hour, after the step */
} replay_attempt;

/* The results of a repack plan. */
typedef struct replay_repack_result {
    bool played; /* there was a plan */
    double cost_before, cost_after, promised_before, promised_after; /* per hour */
    uint64_t evictions, promised_evictions, promised_effort, pending, done;
    uint32_t plans; /* the first plan and all new ones */
    int64_t ended; /* KARP_NO_TIME = still in progress at the end of the replay */
    replay_attempt *attempts;
    size_t attempt_count, attempt_capacity;
} replay_repack_result;

/* Nodes that drift because objects changed. */
typedef struct replay_drift_result {
    uint64_t nodes, going, at_once, gone; /* going: disrupted and not gone yet; at_once: the most of them */
    int64_t begins, ends; /* the first drifts, the last one is gone; KARP_NO_TIME = none */
    double before, during, after; /* $/h; during: at most */
} replay_drift_result;

enum { METHODS_MOST = 8, SPREAD_FIGURES = 5 };
typedef struct replay_result {
    karp_str policy;
    double dollars, node_hours, idle_dollars;
    double cpu_use, memory_use; /* fractions of the nodes' capacity, averaged over time */
    uint64_t launches, failed_launches, ended_nodes, evictions, interruptions, expirations, killed_pods, lost_pods,
        preemptions, starts, ended_pods, failures, taint_evictions;
    uint64_t commands[METHODS_MOST], given_up;
    double ended_dollars, ended_hours, ended_idle, ended_expected; /* of nodes that have ended */
    double expected; /* interruptions, by the rates */
    uint64_t decisions, passes;
    uint64_t preferences_kept,
        preferences_dropped; /* sums over decisions that launched nodes, of the pods that they placed */
    uint32_t most_nodes, pending_pods, running_pods, unplaced_pods;
    uint64_t unpriced_nodes; /* of NodePools, without a known price */
    double wait_p50, wait_p99, wait_most; /* seconds */
    replay_repack_result repack;
    replay_drift_result drift;
    uint64_t short_count; /* steps of a story that interrupted fewer nodes than they state */
    char short_text[480]; /* about the first of them */
    replay_point *points;
    size_t point_count, point_capacity;
    const struct commit_result *commitments; /* NULL = there was no table of offers */
    double *runs[SPREAD_FIGURES]; /* of all runs, in ascending order; NULL = there was one run */
    size_t run_count, run_room;
} replay_result;
