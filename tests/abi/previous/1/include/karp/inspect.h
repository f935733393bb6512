/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file inspect.h  What catalogues, snapshots and decisions say of themselves: counts, times, names, costs,
 * notes, the hash.
 *
 * All functions may be called by several threads on one object, and what they return is borrowed from it. Everything in
 * this file is since 1.0.
 */
#ifndef KARP_INSPECT_H
#define KARP_INSPECT_H

#include <karp/catalogue.h>
#include <karp/decision.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- catalogues ------------------------------------------------------------------------------------------------- */

/** How many types it has. */
KARP_API size_t karp_catalogue_count(const karp_catalogue *catalogue);

/**
 * Type @p index as given, with quantities as canonical text. Resources are in the order cpu, memory, pods, nodes, then
 * others by name. NULL beyond the end. Borrowed.
 */
KARP_API const karp_instance_type *karp_catalogue_type(const karp_catalogue *catalogue, size_t index);

/**
 * Allocatable of type @p index without overrides: capacity − overhead, canonical text. Borrowed; @p count receives the
 * length. NULL beyond the end.
 */
KARP_API const karp_resource *karp_catalogue_allocatable(const karp_catalogue *catalogue, size_t index, size_t *count);

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/** How many objects a snapshot has. */
typedef struct karp_snapshot_counts {
    size_t size;
    size_t pods; /**< all of them */
    size_t pods_to_place; /**< those that the input lists, else pending pods and the virtual pods of CapacityBuffers */
    size_t pod_classes; /**< groups of pods that every decision treats alike */
    size_t nodes; /**< state nodes: Nodes, and NodeClaims without a Node */
    size_t node_pools;
    size_t instance_types; /**< of the catalogues of all NodePools, each once */
    size_t offerings; /**< of these types */
    size_t requirement_sets; /**< different sets of requirements, a measure of memory */
} karp_snapshot_counts;

/** Fills @p counts, whose size the caller has set. */
KARP_API void karp_snapshot_get_counts(const karp_snapshot *snapshot, karp_snapshot_counts *counts);

/** The time of the snapshot: an instant in nanoseconds. */
KARP_API int64_t karp_snapshot_now(const karp_snapshot *snapshot);

/** "namespace/name" of pod @p index, in the order in which pods were added. {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_snapshot_pod_name(const karp_snapshot *snapshot, size_t index);

/** Name of state node @p index, in the order of names. {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_snapshot_node_name(const karp_snapshot *snapshot, size_t index);

/* ---- decisions -------------------------------------------------------------------------------------------------- */

/** The snapshot that was decided on. Borrowed from @p decision. Since 1.0. */
KARP_API const struct karp_snapshot *karp_decision_snapshot(const karp_decision *decision);

/** 1 = complete; 0 = a budget of work, a deadline or should_stop ended it early. */
KARP_API uint32_t karp_decision_complete(const karp_decision *decision);

/** The time of the decision: an instant in nanoseconds. */
KARP_API int64_t karp_decision_now(const karp_decision *decision);

/** A pod that the scheduler did not consider. */
typedef struct karp_ignored {
    size_t size;
    uint32_t pod; /**< pod index */
    uint32_t code; /**< KARP_REASON_* */
    karp_str message; /**< English; may change */
} karp_ignored;

/** Number of pods that were not considered, ordered by name. */
KARP_API size_t karp_decision_ignored_count(const karp_decision *decision);

/** Pod @p index of those not considered, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_ignored(const karp_decision *decision, size_t index, karp_ignored *out);

/** A state node (a Node, or a NodeClaim without a Node) as it is after the decision. */
typedef struct karp_node_use {
    size_t size;
    karp_str node;
    karp_str node_pool; /**< "" = it belongs to no NodePool */
    karp_str instance_type;
    karp_str zone;
    karp_str capacity_type;
    double price; /**< $/h; 0 = unknown */
    double cpu_requested; /**< cores, including the pods that this decision places here */
    double cpu_allocatable; /**< cores */
    double memory_requested; /**< bytes, including the pods that this decision places here */
    double memory_allocatable; /**< bytes */
    uint32_t marked; /**< 1 = it is being deleted, or this decision disrupts it */
    uint32_t pods_received; /**< number of pods that this decision places here */
} karp_node_use;

/** Number of state nodes, ordered by name. */
KARP_API size_t karp_decision_node_count(const karp_decision *decision);

/** State node @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_node(const karp_decision *decision, size_t index, karp_node_use *out);

/** $/h of all nodes with a known price, before the decision. */
KARP_API double karp_decision_cost_before(const karp_decision *decision);

/**
 * $/h after the decision: with its launches, and without the nodes that it disrupts or that are being deleted. Nodes
 * being deleted that pods hold without an end count, and a warning names them (since 1.0).
 */
KARP_API double karp_decision_cost_after(const karp_decision *decision);

/**
 * How many nodes have no known price, and count as 0 in karp_decision_cost_after(): those of NodePools that the
 * decision keeps, and launches without one. While there are any, the cost is at least that. Since 1.0.
 */
KARP_API size_t karp_decision_unpriced_count(const karp_decision *decision);

/** Number of notes for the user ("NodePool gpu: no instance type meets its requirements"). */
KARP_API size_t karp_decision_warning_count(const karp_decision *decision);

/** Note @p index, in English; may change. Borrowed from @p decision. {NULL,0} beyond the end. */
KARP_API karp_str karp_decision_warning(const karp_decision *decision, size_t index);

/**
 * Writes the decision's hash to @p out: SHA-256 as 64 hexadecimal digits and a NUL. Two decisions have equal hashes
 * exactly when they launch the same nodes for the same pods, place the same pods on the same nodes, find the same pods
 * unschedulable for the same reasons, and have the same commands. Messages, explanations, notes, the profile and the
 * cost before do not count. The version of Karpenter counts if it is after 1.14. docs/decision-hash.md describes the
 * hashed bytes. They never change, so hashes can be stored, and compared between versions of the library and between
 * languages. Since 1.0.
 */
KARP_API void karp_decision_hash(const karp_decision *decision, char out[KARP_DIGEST_TEXT]);

/** 1 = waiting does not help: the pod, the NodePools or the catalogue have to change. */
KARP_API uint32_t karp_reason_permanent(uint32_t reason);

#ifdef __cplusplus
}
#endif
#endif
