/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file decision.h  The result of a decision: immutable and reference-counted. It owns everything that it returns.
 *
 * A getter fills a struct whose `size` the caller has set. Pointers in that struct are borrowed from the decision: they
 * are valid until its last reference is dropped. Prices and costs are in $/h. All functions may be called by several
 * threads on one decision. inspect.h has its costs, notes and hash. Everything in this file is since 1.0.
 */
#ifndef KARP_DECISION_H
#define KARP_DECISION_H

#include <karp/objects.h>
#include <karp/reasons.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Whose rules apply. KARPENTER: Karpenter's decisions, including its known defects (quirks, docs/disruption.md). KARP:
 * without these defects, and with the better rule where versions of Karpenter differ. Numbers never change.
 */
enum { KARP_PROFILE_KARPENTER = 0, KARP_PROFILE_KARP = 1 };

/** Versions of Karpenter: 1000 × major + minor. */
enum {
    KARP_PEER_NEWEST = 0, /**< the newest version that this library knows */
    KARP_PEER_1_14 = 1014, /**< 1.14.1 with the changes merged until 20 August 2026 */
    KARP_PEER_1_15 = 1015 /**< 1.15.0 */
};

/**
 * The result of karp_provision(), karp_disrupt() and others. Immutable and reference-counted; may be read by several
 * threads.
 */
typedef struct karp_decision karp_decision;
struct karp_snapshot;

/** The offering that a launch is priced at: the cheapest that its requirements allow. */
typedef struct karp_choice {
    karp_str instance_type; /**< "" = no offering is available for the launch */
    karp_str zone;
    karp_str capacity_type;
    double price; /**< $/h; 0 without an offering */
} karp_choice;

/** A node to launch: one NodeClaim to create. */
typedef struct karp_launch {
    size_t size;
    karp_str id; /**< "new-1": unique within the decision */
    karp_str node_pool;
    const uint32_t *pods; /**< pod indices (karp_decision_pod_name()), by name; none for static NodePools */
    size_t pod_count;
    const karp_resource *requests; /**< of its pods and of the DaemonSets on it, by resource name; canonical text */
    size_t request_count;
    /** final requirements of the scheduler, by key; a bound is an entry of its own */
    const karp_requirement *requirements;
    size_t requirement_count;
    const karp_requirement *claim_requirements; /**< the NodeClaim's: the same with instance types and capacity types */
    size_t claim_requirement_count;
    const karp_label *labels; /**< of the NodeClaim, by key */
    size_t label_count;
    const karp_label *annotations; /**< of the NodeClaim, by key */
    size_t annotation_count;
    const karp_taint *taints;
    size_t taint_count;
    const karp_taint *startup_taints;
    size_t startup_taint_count;
    const karp_str *instance_types; /**< cheapest first, at most 600; none for static NodePools */
    size_t instance_type_count;
    karp_choice choice; /**< the offering that gives the launch its price */
    const karp_label *choice_labels; /**< single-valued labels of the chosen type and offering, by key */
    size_t choice_label_count;
    const karp_resource *capacity; /**< of the chosen type, canonical text */
    size_t capacity_count;
    const karp_resource *allocatable; /**< of the chosen type, canonical text */
    size_t allocatable_count;
    karp_node_class_ref node_class;
    int64_t expire_after; /**< duration in nanoseconds, KARP_DURATION_UNSET or KARP_DURATION_NEVER */
    int64_t termination_grace_period; /**< duration in nanoseconds, or KARP_DURATION_UNSET */
    karp_choice runner_up; /**< the cheapest offering of the second type; "" = there is none, or explain level none */
    double list_price; /**< the price of `choice` before a NodeOverlay changed it; 0 = none did. Since 1.0 */
    /**
     * The rule by which pods like one of its pods get nodes of their own: "one pod like it for each node: host port 80
     * is free once on a node"; "" = there is none or no other such pod, or explain level none. Since 1.0
     */
    karp_str apart;
} karp_launch;

/** Pods that are placed on an existing node. */
typedef struct karp_placement {
    size_t size;
    karp_str node;
    const uint32_t *pods; /**< pod indices, ordered by name */
    size_t pod_count;
} karp_placement;

/** Why one NodePool does not take a pod. */
typedef struct karp_pool_refusal {
    karp_str node_pool;
    karp_str detail; /**< English, for people; may change */
    uint32_t code; /**< KARP_REASON_* */
    uint32_t types_start; /**< number of instance types of the NodePool … */
    uint32_t types_requirements; /**< … that also meet the requirements … */
    uint32_t types_resources; /**< … and are large enough … */
    uint32_t types_offerings; /**< … and have an available offering */
    uint32_t reserved; /**< 0 */
} karp_pool_refusal;

/** Why an existing node, or a launch that was decided before, did not take the pod (only with explain level full). */
typedef struct karp_target_refusal {
    karp_str target; /**< node name, or launch id */
    uint32_t code; /**< KARP_REASON_* */
    uint32_t is_launch; /**< 1 = `target` is the id of a launch */
} karp_target_refusal;

/** What a row of topology is about: karp_topology_name(). Numbers never change. Since 1.0. */
enum {
    KARP_TOPOLOGY_SPREAD = 1, /**< a topology spread constraint of the pod */
    KARP_TOPOLOGY_AFFINITY = 2, /**< a pod affinity term of the pod */
    KARP_TOPOLOGY_ANTI_AFFINITY = 3, /**< a pod anti-affinity term of the pod */
    KARP_TOPOLOGY_ANTI_AFFINITY_OF_OTHERS = 4 /**< a required anti-affinity term of other pods, which selects the pod */
};

/** Why a domain cannot receive the pod: karp_domain_name(). Numbers never change. Since 1.0. */
enum {
    KARP_DOMAIN_ALLOWED = 0,
    KARP_DOMAIN_SELECTOR = 1, /**< the pod's node selector or required node affinity excludes it */
    KARP_DOMAIN_VOLUME =
        2, /**< a volume of the pod is bound to other domains, or its storage class excludes this one */
    KARP_DOMAIN_NO_NODE = 3, /**< no NodePool can launch a node for the pod there */
    KARP_DOMAIN_SKEW = 4, /**< one more pod would exceed the minimum by more than maxSkew */
    KARP_DOMAIN_NO_POD = 5, /**< affinity: it has no pod to join */
    KARP_DOMAIN_TAKEN = 6, /**< anti-affinity: it has a pod that excludes this one */
    KARP_DOMAIN_NOT_CHOSEN = 7 /**< Karpenter chooses a single domain, and chooses another one */
};

/** A domain: a value of the topology key, with the number of pods that the constraint counts there. Since 1.0. */
typedef struct karp_topology_domain {
    karp_str value; /**< "us-west-2a"; for the host name the name of the node, or the id of the launch */
    uint32_t count; /**< pods that the constraint counts in it, those placed by this decision included */
    uint32_t code; /**< KARP_DOMAIN_* */
    karp_str detail; /**< English, for people; may change: "1 more would be 2 above the minimum of 0"; "" = allowed */
    uint32_t named; /**< 1 = the requirements or labels of `node_pool` name the value */
    uint32_t node_count; /**< existing nodes with this value */
    uint32_t pool_count; /**< NodePools that it is known from */
    uint32_t minimum; /**< spread: 1 = it counts for the minimum from which maxSkew is measured, and has that count */
    karp_str node; /**< the first of the nodes, by name; "" = none */
    karp_str
        node_pool; /**< the first of the NodePools, those that name it before those whose types have it; "" = none */
    karp_str pod; /**< affinity and anti-affinity: the first pod that is counted, "namespace/name"; "" = none */
    karp_str volume; /**< with KARP_DOMAIN_VOLUME: the claim of the volume, "namespace/name" */
} karp_topology_domain;

/** A spread constraint, affinity or anti-affinity that keeps an unschedulable pod from domains. Since 1.0. */
typedef struct karp_topology {
    uint32_t kind; /**< KARP_TOPOLOGY_* */
    uint32_t selects_itself; /**< 1 = its selector selects the pod */
    karp_str key; /**< "topology.kubernetes.io/zone" */
    karp_str selector; /**< of the pods that it counts, "app=web,tier In (a,b)"; "" = none */
    int32_t max_skew; /**< spread; else 0 */
    int32_t min_domains; /**< spread; 0 = absent */
    int64_t minimum; /**< spread: the count from which maxSkew is measured; 0 if no domain counts */
    karp_str cause; /**< English, for people; may change: what has to change so that a domain is allowed */
    const karp_topology_domain *domains; /**< by value; of more than 64 the first, those in use before the others */
    size_t domain_count;
    size_t domain_total; /**< the number of domains, also of those that are not listed */
} karp_topology;

/** An unschedulable pod, with the reason of every NodePool. */
typedef struct karp_unschedulable {
    size_t size;
    uint32_t pod; /**< pod index */
    uint32_t code; /**< KARP_REASON_*; KARP_REASON_SEVERAL when the NodePools have different ones */
    uint32_t permanent; /**< 1 = waiting does not make it schedulable */
    uint32_t reserved; /**< 0 */
    karp_str message; /**< as Karpenter words it; may change */
    const karp_pool_refusal *pools; /**< a row for each NodePool */
    size_t pool_count;
    const karp_target_refusal *targets; /**< with explain level full */
    size_t target_count;
    const karp_str *relaxed; /**< preferences that were dropped without success, in that order */
    size_t relaxed_count;
    /**
     * If topology keeps the pod from a NodePool that would launch a node for it otherwise: the constraints that rule
     * out domains. Empty with explain level none. Since 1.0.
     */
    const karp_topology *topologies;
    size_t topology_count;
} karp_unschedulable;

/** Drops a reference; the last one frees. NULL is allowed. */
KARP_API void karp_decision_unref(karp_decision *decision);

/**
 * "namespace/name" of the pod with this index. Indices are those of the snapshot. {NULL,0} if there is none. Borrowed.
 */
KARP_API karp_str karp_decision_pod_name(const karp_decision *decision, uint32_t pod);

/** Number of launches. They are ordered by NodePool, then by pods. */
KARP_API size_t karp_decision_launch_count(const karp_decision *decision);
/** Launch @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_launch(const karp_decision *decision, size_t index, karp_launch *out);
/** Number of placements, ordered by node name. Only nodes that receive pods have one. */
KARP_API size_t karp_decision_placement_count(const karp_decision *decision);
/** Placement @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_placement(const karp_decision *decision, size_t index, karp_placement *out);
/** Number of unschedulable pods, ordered by name. */
KARP_API size_t karp_decision_unschedulable_count(const karp_decision *decision);
/** Unschedulable pod @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_unschedulable(const karp_decision *decision, size_t index, karp_unschedulable *out);

#ifdef __cplusplus
}
#endif
#endif
