/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file blockers.h  What prevents savings: everything that keeps nodes, and what the next disruption pass would save
 * without it.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_BLOCKERS_H
#define KARP_BLOCKERS_H

#include <karp/disrupt.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What keeps nodes. Numbers and names never change. Since 1.0. */
enum {
    KARP_BLOCKER_PDB = 1, /**< a PodDisruptionBudget: `object` is "namespace/name" */
    KARP_BLOCKER_POD_ANNOTATION = 2, /**< do-not-disrupt on pods: `object` is the namespace */
    /** do-not-disrupt on nodes or their claims; by NodePool, as all below but SPOT_TO_SPOT, LIMITS and TOPOLOGY */
    KARP_BLOCKER_NODE_ANNOTATION = 3,
    KARP_BLOCKER_BUDGET = 4, /**< disruption budgets */
    KARP_BLOCKER_CONSOLIDATE_AFTER = 5, /**< consolidateAfter: not over yet, or Never */
    KARP_BLOCKER_POLICY = 6, /**< consolidationPolicy: WhenEmpty, or a score below that of Balanced */
    KARP_BLOCKER_NOMINATED = 7, /**< the nodes are nominated for pods */
    KARP_BLOCKER_SPOT_TO_SPOT = 8, /**< the gate SpotToSpotConsolidation is off: `object` is "" */
    KARP_BLOCKER_LIMITS = 9, /**< limits of NodePools, which leave no room for replacements: likewise */
    KARP_BLOCKER_TOPOLOGY = 10, /**< topology spread, affinity and anti-affinity of pods: likewise */
    /** each node's pods would need several new nodes, which cost less; by NodePool. Since 1.0. */
    KARP_BLOCKER_SEVERAL_NODES = 11,
    KARP_BLOCKER_SPOT_TYPES = 12, /**< fewer than 15 cheaper spot types; by NodePool. Since 1.0. */
    /** nodes that are being deleted, and whose drain waits for pods that cannot be evicted; by NodePool. Since 1.0. */
    KARP_BLOCKER_DRAIN = 13,
    /** nodes whose instance type is not in the catalogue, or that have no label of a zone or capacity type; by
     * NodePool. Since 1.0. */
    KARP_BLOCKER_UNKNOWN_TYPE = 14,
    KARP_BLOCKER_NOT_INITIALIZED = 15, /**< nodes that have not become ready yet; by NodePool. Since 1.0. */
    KARP_BLOCKER_NO_NODE_POOL = 16 /**< nodes whose NodePool does not exist: `object` is "". Since 1.0. */
};

/** "pdb", "pod-annotation" …; "" for any other number. Since 1.0. */
KARP_API const char *karp_blocker_kind_name(uint32_t kind);

/** A blocker. Texts and lists are borrowed from the result. Since 1.0. */
typedef struct karp_savings_blocker {
    size_t size;
    uint32_t kind; /**< KARP_BLOCKER_* */
    uint32_t reserved;
    karp_str object;
    /** that it keeps, by name; for LIMITS and TOPOLOGY: nodes that would be disrupted without it */
    const karp_str *nodes;
    size_t node_count;
    size_t pod_count; /**< pods that cause it; 0 = it concerns nodes */
    /** $/h that the next pass would save without only this blocker: on these nodes; for a budget, limits and topology
     * the additional saving on all nodes. 0 = other blockers keep them as well. */
    double savings;
    const karp_str *pods; /**< names of the `pod_count` pods, "namespace/name". Since 1.0. */
    size_t unpriced_count; /**< how many of the nodes have no known price, so that `savings` lacks them. Since 1.0. */
} karp_savings_blocker;

/** All blockers; immutable, single ownership. */
typedef struct karp_blockers karp_blockers;

/**
 * Makes disruption decisions on the cluster as it is and, for the nodes that are kept, without each blocker and without
 * all of them. A pass is Emptiness and the better one of multi-node and single-node consolidation; later passes may
 * save more. @p options may be NULL; their method and memory are ignored. Errors: UNSUPPORTED (an objective, in a build
 * without cost plans), those of karp_disrupt(). Any thread. Since 1.0.
 */
KARP_API karp_status karp_find_blockers(const karp_snapshot *snapshot, const karp_disrupt_options *options,
                                        karp_blockers **out, karp_error *error);
/** Frees it. NULL is allowed. Since 1.0. */
KARP_API void karp_blockers_free(karp_blockers *blockers);
/** How many there are. Since 1.0. */
KARP_API size_t karp_blockers_count(const karp_blockers *blockers);
/** Blocker @p index: the one that saves most by itself first, then by kind and object. Errors: NOT_FOUND beyond the
 * end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_blockers_at(const karp_blockers *blockers, size_t index, karp_savings_blocker *out);
/** KARP_PROFILE_* of the decisions. Since 1.0. */
KARP_API uint32_t karp_blockers_profile(const karp_blockers *blockers);
/** KARP_PEER_*: the version of Karpenter of the decisions. Since 1.0. */
KARP_API uint32_t karp_blockers_peer_version(const karp_blockers *blockers);
/** $/h that the next passes save with all blockers: that of empty nodes and, after it, the better of multi-node and
 * single-node consolidation. Since 1.0. */
KARP_API double karp_blockers_savings_now(const karp_blockers *blockers);
/**
 * $/h that it would save on all nodes that are kept, without any of the blockers. If a budget is among them: the
 * additional saving on all nodes. At least what the best blocker saves by itself, though one command for more nodes may
 * save less. Since 1.0.
 */
KARP_API double karp_blockers_savings_together(const karp_blockers *blockers);

#ifdef __cplusplus
}
#endif
#endif
