/* SPDX-License-Identifier: Apache-2.0 */
/** @file schedule.h  Launch decisions. */
#ifndef KARP_SCHEDULE_H
#define KARP_SCHEDULE_H

#include <karp/decision.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

struct karp_objective; /* objective.h */

/** How much a decision explains. */
enum { KARP_EXPLAIN_SUMMARY = 0, KARP_EXPLAIN_NONE = 1, KARP_EXPLAIN_FULL = 2 };

/** The order in which nodes to be launched are tried for a pod, those with fewer pods first. Since 1.0. */
enum {
    KARP_CLAIM_ORDER_DEFAULT = 0, /**< profile karpenter: PEER, profile karp: STABLE */
    /**
     * As Karpenter does. It sorts with Go's sort.Slice, which moves equal elements if there are more than 12 of them,
     * always in the same way.
     */
    KARP_CLAIM_ORDER_PEER = 1,
    KARP_CLAIM_ORDER_STABLE = 2 /**< of equals the one that received a pod last comes first, and new ones come last */
};

/** Options of every decision. */
typedef struct karp_options {
    size_t size;
    int64_t now; /**< instant; 0 = the snapshot's */
    uint32_t profile; /**< KARP_PROFILE_* */
    uint32_t explain; /**< KARP_EXPLAIN_* */
    /**
     * Deterministic budget, counted in attempts to place a pod; 0 = none. The preparation of the decision counts as
     * well, as far as it needs more than 16 MiB of memory, or as much work: it is stopped when that is more than 4 KiB
     * for each step of the budget.
     */
    uint64_t max_steps;
    /** Called every few thousand steps of work, also in the preparation and the report of the decision. Non-zero =
     * stop. NULL = never. */
    int32_t (*should_stop)(void *user);
    void *stop_user;
    /**
     * 1 = when stopped, return the decision so far, marked incomplete, instead of KARP_E_CANCELED. It is empty if it
     * was stopped in the preparation. The current pod is still decided, and the report is completed, before the call
     * returns.
     */
    uint32_t keep_partial;
    uint32_t reserved;
    /** Quirks to switch off in profile karpenter, or on in profile karp: bit n−1 for S-Qn (docs/conformance.md). */
    uint64_t flip_quirks;
    /** KARP_PEER_*: whose decisions profile karpenter makes; profile karp takes the better rules */
    uint32_t peer_version;
    uint32_t reserved_; /**< zero */
    /** rules that versions changed, or proposals would change, to switch: bit i for karp_peer_rule_at(i) */
    uint64_t flip_rules;
    /** The objective of launch decisions (karp_provision(), karp_what_if()); NULL = decide as Karpenter does. Since
     * 1.0. */
    const struct karp_objective *objective;
    uint32_t claim_order; /**< KARP_CLAIM_ORDER_*. Since 1.0. */
    /** Whether preferences of pods count: 0 = as the snapshot's settings say, else 1 + KARP_PREFERENCES_*. Since 1.0.
     */
    uint32_t preferences;
} karp_options;

/** Zeroes @p options and sets its size. */
KARP_API void karp_options_init(karp_options *options, size_t size);

/**
 * Decides which nodes to launch for which pods, which pods go to existing nodes, and which are unschedulable, and why.
 * The caller owns @p out. @p options may be NULL. The snapshot may be shared between threads. An unschedulable pod is a
 * result, not an error. Errors: INVALID (an option or the objective), RANGE (amounts that cannot be added up or counted
 * exactly), LIMIT, UNSUPPORTED (an objective, in a build without cost plans), NOMEM, CANCELED, ABI_*.
 */
KARP_API karp_status karp_provision(const karp_snapshot *snapshot, const karp_options *options, karp_decision **out,
                                    karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
