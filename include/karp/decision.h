/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file decision.h  The result of a decision: immutable, reference-counted, owns everything that it returns.
 *
 * The getters fill a struct whose `size` the caller has set; pointers in the struct are borrowed from the decision.
 * They return NOT_FOUND beyond the end, and ABI_* for an invalid size.
 */
#ifndef KARP_DECISION_H
#define KARP_DECISION_H

#include <karp/objects.h>
#include <karp/reasons.h>

#ifdef __cplusplus
extern "C" {
#endif

/** karpenter: Karpenter's decisions with its quirks. karp: without quirks, and with the better rule where versions differ. */
enum { KARP_PROFILE_KARPENTER = 0, KARP_PROFILE_KARP = 1 };

/** Versions of Karpenter: major times 1000, and minor. */
enum {
    KARP_PEER_NEWEST = 0, /**< the newest that this library knows */
    KARP_PEER_1_14 = 1014, /**< 1.14.1 with the changes merged until 20 August 2026 */
    KARP_PEER_1_15 = 1015 /**< 1.15.0 */
};

/** An immutable result. Reference-counted; may be read by several threads. */
typedef struct karp_decision karp_decision;
struct karp_snapshot;

/** The cheapest offering of a launch, which gives it its price. */
typedef struct karp_choice {
    karp_str instance_type; /**< "" = no launch is possible (static replacements list no types) */
    karp_str zone;
    karp_str capacity_type;
    double price; /**< per hour */
} karp_choice;

/** A node to launch: one NodeClaim. */
typedef struct karp_launch {
    size_t size;
    karp_str id; /**< "new-1" */
    karp_str node_pool;
    const uint32_t *pods; /**< indices for karp_decision_pod_name(), ordered by name */
    size_t pod_count;
    const karp_resource *requests; /**< of pods and daemons, by resource name, canonical text */
    size_t request_count;
    const karp_requirement *requirements; /**< the scheduler's, by key; bounds as extra entries */
    size_t requirement_count;
    const karp_requirement
        *claim_requirements; /**< the same with the instance types and capacity types, as in the NodeClaim */
    size_t claim_requirement_count;
    const karp_label *labels; /**< of the NodeClaim, by key */
    size_t label_count;
    const karp_label *annotations;
    size_t annotation_count;
    const karp_taint *taints;
    size_t taint_count;
    const karp_taint *startup_taints;
    size_t startup_taint_count;
    const karp_str *instance_types; /**< cheapest first, at most 600 */
    size_t instance_type_count;
    karp_choice choice;
    const karp_label *choice_labels; /**< single-valued labels of the chosen type and offering, by key */
    size_t choice_label_count;
    const karp_resource *capacity; /**< of the chosen type, canonical text */
    size_t capacity_count;
    const karp_resource *allocatable; /**< likewise */
    size_t allocatable_count;
    karp_node_class_ref node_class;
    int64_t expire_after; /**< duration; UNSET and NEVER possible */
    int64_t termination_grace_period; /**< duration; UNSET possible */
    karp_choice runner_up; /**< the cheapest offering of the next type; "" = none, or explain level none */
} karp_launch;

/** Pods that go to an existing node. */
typedef struct karp_placement {
    size_t size;
    karp_str node;
    const uint32_t *pods; /**< ordered by name */
    size_t pod_count;
} karp_placement;

/** Why one NodePool does not take a pod. */
typedef struct karp_pool_refusal {
    karp_str node_pool;
    karp_str detail; /**< English */
    uint32_t code; /**< KARP_REASON_* */
    uint32_t types_start; /**< instance types of the pool's template … */
    uint32_t types_requirements; /**< … that meet the requirements … */
    uint32_t types_resources; /**< … and are large enough … */
    uint32_t types_offerings; /**< … and have an available offering */
    uint32_t reserved;
} karp_pool_refusal;

/** Why an existing node, or an open launch, did not take the pod (explain level full). */
typedef struct karp_target_refusal {
    karp_str target; /**< node name, or launch id */
    uint32_t code;
    uint32_t is_launch;
} karp_target_refusal;

/** An unschedulable pod, with the reason of each NodePool. */
typedef struct karp_unschedulable {
    size_t size;
    uint32_t pod;
    uint32_t code;
    uint32_t permanent; /**< 1 = it will not become schedulable by waiting */
    uint32_t reserved;
    karp_str message; /**< in Karpenter's words */
    const karp_pool_refusal *pools;
    size_t pool_count;
    const karp_target_refusal *targets;
    size_t target_count;
    const karp_str *relaxed; /**< preferences that were dropped in the attempt, in order */
    size_t relaxed_count;
} karp_unschedulable;

/** A pod that was not considered. */
typedef struct karp_ignored {
    size_t size;
    uint32_t pod;
    uint32_t code;
    karp_str message;
} karp_ignored;

/** An existing node, as it is after the decision. */
typedef struct karp_node_use {
    size_t size;
    karp_str node;
    karp_str node_pool; /**< "" = not managed */
    karp_str instance_type;
    karp_str zone;
    karp_str capacity_type;
    double price; /**< per hour; 0 = unknown */
    double cpu_requested; /**< cores, with the pods placed by this decision; likewise below */
    double cpu_allocatable;
    double memory_requested; /**< bytes */
    double memory_allocatable;
    uint32_t marked; /**< 1 = being deleted */
    uint32_t pods_received;
} karp_node_use;

/** Takes a reference and returns @p decision. NULL is allowed. */
KARP_API karp_decision *karp_decision_ref(karp_decision *decision);
/** Drops a reference; the last one frees. NULL is allowed. */
KARP_API void karp_decision_unref(karp_decision *decision);

/** Its snapshot. Borrowed. Since 0.1. */
KARP_API const struct karp_snapshot *karp_decision_snapshot(const karp_decision *decision);
/** 1 = complete; 0 = a budget stopped it early. */
KARP_API uint32_t karp_decision_complete(const karp_decision *decision);
/** The time of the decision, an instant. */
KARP_API int64_t karp_decision_now(const karp_decision *decision);
/** "namespace/name" of a pod index of this decision (indices are the snapshot's). {NULL,0} for none. */
KARP_API karp_str karp_decision_pod_name(const karp_decision *decision, uint32_t pod);

/** Launches, ordered by NodePool, then by pods. */
KARP_API size_t karp_decision_launch_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_launch(const karp_decision *decision, size_t index, karp_launch *out);
/** Placements, ordered by node name; only nodes that receive pods. */
KARP_API size_t karp_decision_placement_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_placement(const karp_decision *decision, size_t index, karp_placement *out);
/** Unschedulable pods, ordered by name. */
KARP_API size_t karp_decision_unschedulable_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_unschedulable(const karp_decision *decision, size_t index, karp_unschedulable *out);
/** Pods that were not considered, ordered by name. */
KARP_API size_t karp_decision_ignored_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_ignored(const karp_decision *decision, size_t index, karp_ignored *out);
/** State nodes, ordered by name. */
KARP_API size_t karp_decision_node_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_node(const karp_decision *decision, size_t index, karp_node_use *out);
/** $/h of all nodes with a price before the decision. */
KARP_API double karp_decision_cost_before(const karp_decision *decision);
/** The same with the launches and without the nodes that are disrupted. */
KARP_API double karp_decision_cost_after(const karp_decision *decision);
/** Notes for the user ("NodePool gpu: no instance type meets its requirements"), in order. {NULL,0} beyond the end. */
KARP_API size_t karp_decision_warning_count(const karp_decision *decision);
/** Note @p index, borrowed from @p decision. {NULL,0} beyond the end. */
KARP_API karp_str karp_decision_warning(const karp_decision *decision, size_t index);

/**
 * The decision's hash, as SHA-256 in 64 hex digits and a NUL. Two decisions have equal hashes exactly when they launch the same
 * nodes for the same pods, place the same pods on the same nodes, find the same pods unschedulable for the same reasons and have the same
 * commands. Messages, explanations, notes, the profile and the cost before do not count; the version of Karpenter counts after 1.14. The
 * bytes that are hashed are described in docs/decision-hash.md and never change, so hashes can be stored and compared between versions
 * and languages. Since 0.1.
 */
KARP_API void karp_decision_hash(const karp_decision *decision, char out[KARP_DIGEST_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
