/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result object: the rows that accessors return, and one arena for everything they point to. The modules that make
 * decisions fill it. It never changes once it has been returned.
 */
#pragma once

#include <karp/certificate.h>
#include <karp/groups.h>
#include <karp/passes.h>
#include <karp/preferences.h>
#include <karp/repack.h>
#include <decision/node_rows.h>

/* A bound and its certificate, in memory of its own. */
struct karp_bound {
    karp_snapshot *snapshot; /* one reference; it owns the names */
    arena data;
    karp_certificate certificate;
};

typedef LIST_OF(karp_preference) preference_rows;

struct karp_decision {
    karp_context *context;
    arena data;
    karp_snapshot *snapshot; /* one reference; it owns the names of pods and nodes */
    _Atomic uint32_t references;
    bool complete;
    uint32_t profile, peer_version;
    int64_t now;
    double cost_before, cost_after; /* of `nodes`: see karp_decision_cost_after() */
    double held; /* part of what follows them: nodes being deleted whose drain has no end, see drains_note() */
    LIST_OF(karp_launch) launches;
    LIST_OF(karp_placement) placements;
    LIST_OF(karp_unschedulable) unschedulable;
    LIST_OF(karp_ignored) ignored;
    bool nodes_later; /* `nodes` is empty: its rows are made from these changes when they are asked for */
    node_changes node_changes;
    LIST_OF(karp_node_use) nodes;
    LIST_OF(karp_str) warnings;
    LIST_OF(karp_group_outcome) groups;
    uint16_t *steps; /* by pod: the relaxation step at which it was placed; NULL = no pod has preferences */
    preference_rows preferences;
    /* for a disruption */
    size_t changes; /* number of changes of a what-if */
    bool disrupts;
    karp_disruption disruption;
    LIST_OF(karp_candidate) candidates;
    LIST_OF(karp_pool_budget) budgets;
    LIST_OF(karp_command) commands;
    LIST_OF(karp_kept) kept;
    bool costed; /* the objective was cost */
    karp_cost cost;
    karp_bound *bound; /* the proof of the cost's lower bound; NULL = there is none */
    bool repacks; /* the commands are the steps of a repack plan */
    karp_repack_cost repack;
    LIST_OF(karp_repack_step) repack_steps; /* by command */
    LIST_OF(karp_repack_point) repack_points;
    bool remembers; /* a memory was given */
    karp_memory memory;
};

/* Creates an empty decision on the snapshot; NULL = out of memory. */
karp_decision *decision_new(const karp_snapshot *snapshot);
/* Adds a copy of a warning; false = out of memory. */
bool decision_warn(karp_decision *d, const char *text, size_t length);
/* The price of the nodes that are not marked. */
double decision_staying(const karp_decision *d);
/* `cost` and the prices of the launches, added one by one. */
double decision_with_launches(const karp_decision *d, double cost);
