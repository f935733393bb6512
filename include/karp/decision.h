/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file decision.h  The result of a decision: immutable, owns everything it shows, shared ownership.
 *
 * The getters fill a struct whose `size` the caller has set; what the struct points to is borrowed from the decision.
 * They return NOT_FOUND beyond the end, and ABI_* for an impossible size.
 */
#ifndef KARP_DECISION_H
#define KARP_DECISION_H

#include <karp/objects.h>
#include <karp/reasons.h>

#ifdef __cplusplus
extern "C" {
#endif

/** karpenter: the peer's decisions, its quirks included. karp: the quirks off, and the better rule wherever versions differ. */
enum { KARP_PROFILE_KARPENTER = 0, KARP_PROFILE_KARP = 1 };

/** Versions of Karpenter: major times 1000, and minor. */
enum {
    KARP_PEER_NEWEST = 0, /**< the newest that this library knows */
    KARP_PEER_1_14 = 1014, /**< 1.14.1 with what came after it until 20 August 2026 */
    KARP_PEER_1_15 = 1015 /**< 1.15.0 */
};

/** An immutable result. Shared ownership; may be read by several threads. */
typedef struct karp_decision karp_decision;
struct karp_snapshot;

/** The offering a launch is priced at. */
typedef struct karp_choice {
    karp_str instance_type; /**< "" = no launch is possible (static replacements list no types) */
    karp_str zone;
    karp_str capacity_type;
    double price; /**< per hour */
} karp_choice;

/** A node to start: one NodeClaim. */
typedef struct karp_launch {
    size_t size;
    karp_str id; /**< "new-1" */
    karp_str node_pool;
    const uint32_t *pods; /**< indices for karp_decision_pod_name(), ordered by name */
    size_t pod_count;
    const karp_resource *requests; /**< of pods and daemons, by resource name, canonical text */
    size_t request_count;
    const karp_requirement *requirements; /**< by key; bounds as extra entries; as the scheduler left them */
    size_t requirement_count;
    const karp_requirement
        *claim_requirements; /**< the same narrowed to the types and capacity types sent, as the NodeClaim has them */
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

/** What one NodePool said to a pod that was not placed. */
typedef struct karp_pool_refusal {
    karp_str node_pool;
    karp_str detail; /**< English */
    uint32_t code; /**< KARP_REASON_* */
    uint32_t types_start; /**< funnel: types of the pool's template … */
    uint32_t types_requirements; /**< … whose labels agree … */
    uint32_t types_resources; /**< … that are also large enough … */
    uint32_t types_offerings; /**< … and have an offering */
    uint32_t reserved;
} karp_pool_refusal;

/** Why an existing node, or an open launch, did not take the pod (explain level full). */
typedef struct karp_target_refusal {
    karp_str target; /**< node name, or launch id */
    uint32_t code;
    uint32_t is_launch;
} karp_target_refusal;

/** A pod that fits nowhere, and what each NodePool said to it. */
typedef struct karp_unschedulable {
    size_t size;
    uint32_t pod;
    uint32_t code;
    uint32_t permanent; /**< 1 = waiting cannot help */
    uint32_t reserved;
    karp_str message; /**< in the words users of Karpenter know */
    const karp_pool_refusal *pools;
    size_t pool_count;
    const karp_target_refusal *targets;
    size_t target_count;
    const karp_str *relaxed; /**< preferences that were given up in the attempt, in order */
    size_t relaxed_count;
} karp_unschedulable;

/** A pod that was left out of the round. */
typedef struct karp_ignored {
    size_t size;
    uint32_t pod;
    uint32_t code;
    karp_str message;
} karp_ignored;

/** A node that existed before, as it is after the decision. */
typedef struct karp_node_use {
    size_t size;
    karp_str node;
    karp_str node_pool; /**< "" = not managed */
    karp_str instance_type;
    karp_str zone;
    karp_str capacity_type;
    double price; /**< per hour; 0 = unknown */
    double cpu_requested; /**< cores, pods placed now included; likewise below */
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

/** The snapshot it was made of. Borrowed. Since 0.1. */
KARP_API const struct karp_snapshot *karp_decision_snapshot(const karp_decision *decision);
/** 1 = everything was looked at; 0 = a budget ended it before. */
KARP_API uint32_t karp_decision_complete(const karp_decision *decision);
/** The instant it was made for. */
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
/** Pods that fit nowhere, ordered by name. */
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
/** $/h of the known nodes as they are. */
KARP_API double karp_decision_cost_before(const karp_decision *decision);
/** $/h of the known nodes with the launches, and without the nodes that are disrupted. */
KARP_API double karp_decision_cost_after(const karp_decision *decision);
/** Notes for the user ("NodePool gpu: no instance type meets its requirements"), in order. {NULL,0} beyond the end. */
KARP_API size_t karp_decision_warning_count(const karp_decision *decision);
/** Note @p index, borrowed from @p decision. {NULL,0} beyond the end. */
KARP_API karp_str karp_decision_warning(const karp_decision *decision, size_t index);

/**
 * What was decided, as SHA-256 in 64 hex digits and a NUL: two decisions have the same exactly when they start the same
 * nodes for the same pods, place the same pods, refuse the same for the same reason and give the same commands. Messages,
 * explanations, notes, the profile and what the nodes cost before do not count, but the version of Karpenter after 1.14 does. The bytes that are hashed are described in
 * docs/decision-hash.md and stay as they are for good, so hashes can be kept and compared between versions and languages.
 * Since 0.1.
 */
KARP_API void karp_decision_hash(const karp_decision *decision, char out[KARP_DIGEST_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
