/* SPDX-License-Identifier: Apache-2.0 */
/** @file explain.h  Why a pod waits and what would place it; why a node stays; checking a plan, whoever made it. */
#ifndef KARP_EXPLAIN_H
#define KARP_EXPLAIN_H

#include <karp/disrupt.h>
#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pods ---------------------------------------------------------------------------------------------------------- */

/** What a remedy changes. The first five are changes of the pod (and of its replicas), the last three of a NodePool. */
enum {
    KARP_REMEDY_TOLERATE = 1, /**< tolerate a taint, or all of a pool's */
    KARP_REMEDY_DROP_SELECTOR =
        2, /**< drop a label of the node selector, or an expression of the required node affinity */
    KARP_REMEDY_DROP_TOPOLOGY = 3, /**< drop a spread constraint, a pod affinity or an anti-affinity */
    KARP_REMEDY_DROP_PORT = 4, /**< drop a host port */
    KARP_REMEDY_REQUEST_LESS = 5, /**< ask for less of a resource */
    KARP_REMEDY_RAISE_LIMIT = 6, /**< raise a limit of a NodePool */
    KARP_REMEDY_ALLOW_VALUE = 7, /**< allow a value of a label (a zone) in a NodePool */
    KARP_REMEDY_DROP_MIN_VALUES = 8 /**< give up minValues in a NodePool */
};

/** "TOLERATE" … "UNKNOWN" for a number that is none. */
KARP_API const char *karp_remedy_name(uint32_t kind);

/** A change that makes the pod schedulable and no other pod unschedulable. It was tried. */
typedef struct karp_remedy {
    size_t size;
    uint32_t kind; /**< KARP_REMEDY_* */
    uint32_t changes; /**< its number of single changes */
    karp_str text; /**< English: "tolerate nvidia.com/gpu=true:NoSchedule" */
    karp_str node_pool; /**< that launches the node; "" = an existing node */
    karp_str node; /**< the existing node, or "" */
    karp_choice choice; /**< of the new node */
} karp_remedy;

/** A NodePool that could launch a node for the pod, but was not chosen. Since 0.1. */
typedef struct karp_alternative {
    size_t size;
    karp_str node_pool;
    karp_str detail; /**< English: why it does not take the pod; "" = it would if it were the only NodePool */
    uint32_t code; /**< KARP_REASON_*; 0 = it would */
    int32_t weight; /**< of the NodePool: higher weights are tried first */
    uint32_t cost_known; /**< 1 = cost_change is known */
    uint32_t reserved;
    karp_choice choice; /**< what it would launch, of KARP_REASON_LIMITS without them; "" = nothing */
    double
        cost_change; /**< per hour, of the whole plan: if it took the pod; of KARP_REASON_LIMITS: without its limits */
} karp_alternative;

/** The explanation of one pod; immutable. */
typedef struct karp_pod_explanation karp_pod_explanation;

/**
 * Decides as karp_provision() does, at explain level full. If @p pod ("namespace/name") is unschedulable, it looks for the
 * smallest change that makes it schedulable: single changes are tried, each in a separate round, the easiest first. The number of
 * rounds is limited and deterministic. @p options may be NULL; their explain level is ignored.
 * Errors: NOT_FOUND (no such pod, or it is not pending; the message says which), NOMEM, CANCELED, ABI_*.
 */
KARP_API karp_status karp_explain_pod(const karp_snapshot *snapshot, const karp_options *options, karp_str pod,
                                      karp_pod_explanation **out, karp_error *error);
/** Frees it. NULL is allowed. */
KARP_API void karp_pod_explanation_free(karp_pod_explanation *explanation);
/** "namespace/name". */
KARP_API karp_str karp_pod_explanation_pod(const karp_pod_explanation *explanation);
/** The decision with the pod: its rows say where it is placed, or the reason of every pool, node and launch. Borrowed. */
KARP_API const karp_decision *karp_pod_explanation_decision(const karp_pod_explanation *explanation);
/** Changes that would make it schedulable, the smallest first. NOT_FOUND beyond the end. */
KARP_API size_t karp_pod_explanation_remedy_count(const karp_pod_explanation *explanation);
/** Remedy @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_pod_explanation_remedy(const karp_pod_explanation *explanation, size_t index,
                                                 karp_remedy *out);
/** How many changes were tried. */
KARP_API uint32_t karp_pod_explanation_tried(const karp_pod_explanation *explanation);
/** 1 = the search for remedies stopped before all were tried. */
KARP_API uint32_t karp_pod_explanation_bounded(const karp_pod_explanation *explanation);

/**
 * The other NodePools of a pod for which a node is launched, by descending weight: each is tried in a separate round, in
 * which such pods select it. 0 for other pods. Since 0.1.
 */
KARP_API size_t karp_pod_explanation_alternative_count(const karp_pod_explanation *explanation);
/** Alternative @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 0.1. */
KARP_API karp_status karp_pod_explanation_alternative(const karp_pod_explanation *explanation, size_t index,
                                                      karp_alternative *out);
/** The weight of the NodePool that launches the pod's node; 0 if no node is launched for it. Since 0.1. */
KARP_API int32_t karp_pod_explanation_weight(const karp_pod_explanation *explanation);

/* ---- nodes --------------------------------------------------------------------------------------------------------- */

/** One reason why a node stays, found after the reasons before it were removed. */
typedef struct karp_blocker {
    size_t size;
    uint32_t code; /**< KARP_REASON_* */
    uint32_t reserved;
    karp_str detail; /**< English: "pdb db/db allows 0 disruptions (2 pods: db/db-0, db/db-1)" */
    int64_t until; /**< the instant at which it ends by itself; KARP_NO_TIME = never, or unknown */
} karp_blocker;

/** Where the node's pods would go if it were disrupted now. */
typedef struct karp_move {
    size_t size;
    double price; /**< of the node, per hour; 0 = unknown */
    double savings; /**< per hour; negative = the move costs more */
    uint32_t moved; /**< pods that move */
    uint32_t launches; /**< nodes launched for them; 0 = they fit on existing nodes */
    karp_str node_pool; /**< of the first of those; "" = none */
    karp_choice choice;
} karp_move;

/** The explanation of one node; immutable. */
typedef struct karp_node_explanation karp_node_explanation;

/**
 * Decides as karp_disrupt() does. If the node stays, it finds all reasons: each reason is removed and the
 * node is evaluated again, alone, until it would be disrupted or a reason cannot be removed.
 * @p options may be NULL. Errors: NOT_FOUND (no such node), NOMEM, CANCELED, ABI_*.
 */
KARP_API karp_status karp_explain_node(const karp_snapshot *snapshot, const karp_disrupt_options *options,
                                       karp_str node, karp_node_explanation **out, karp_error *error);
/** Frees it. NULL is allowed. */
KARP_API void karp_node_explanation_free(karp_node_explanation *explanation);
/** The node's name. Borrowed. */
KARP_API karp_str karp_node_explanation_node(const karp_node_explanation *explanation);
/** The pass: whether one of its commands names the node. Borrowed. */
KARP_API const karp_decision *karp_node_explanation_decision(const karp_node_explanation *explanation);
/** 1 = a command disrupts the node; then there are no blockers. */
KARP_API uint32_t karp_node_explanation_goes(const karp_node_explanation *explanation);
/** Blockers, in the order in which they were found. NOT_FOUND beyond the end. */
KARP_API size_t karp_node_explanation_blocker_count(const karp_node_explanation *explanation);
/** Blocker @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_node_explanation_blocker(const karp_node_explanation *explanation, size_t index,
                                                   karp_blocker *out);
/** The best move that was rejected. NOT_FOUND: its pods would not all be placed, or it has no NodeClaim. */
KARP_API karp_status karp_node_explanation_move(const karp_node_explanation *explanation, karp_move *out);

/* ---- checking ---------------------------------------------------------------------------------------------------- */

/** What can be wrong with a plan. Numbers and names never change. */
enum {
    KARP_FINDING_POD_UNKNOWN = 1, /**< no such pod */
    KARP_FINDING_POD_TWICE = 2, /**< it is in more than one place */
    KARP_FINDING_POD_MISSING = 3, /**< it is pending and not in the plan */
    KARP_FINDING_POD_NOT_WAITING = 4, /**< the plan places it, but it is not pending */
    KARP_FINDING_NODE_UNKNOWN = 5, /**< no such node */
    KARP_FINDING_NODE_CLOSED = 6, /**< the node is being deleted, or the scheduler does not know it */
    KARP_FINDING_POOL_UNKNOWN = 7, /**< no such NodePool */
    KARP_FINDING_POOL_CLOSED = 8, /**< static, not ready, being deleted, or without instance types */
    KARP_FINDING_NO_PODS = 9, /**< a launch without pods */
    KARP_FINDING_NO_TYPES = 10, /**< a launch without instance types */
    KARP_FINDING_TYPE_UNKNOWN = 11, /**< not among the pool's instance types */
    KARP_FINDING_TYPE_REQUIREMENTS = 12, /**< its labels contradict the launch's requirements */
    KARP_FINDING_TYPE_OFFERING = 13, /**< it has no available offering that the requirements allow */
    KARP_FINDING_TYPE_RESOURCES = 14, /**< pods and DaemonSets together request more than it has */
    KARP_FINDING_TYPE_HOST_PORT = 15, /**< a DaemonSet on it uses a host port of a pod */
    KARP_FINDING_POOL_REQUIREMENTS = 16, /**< the launch's requirements allow more than its pool's */
    KARP_FINDING_REQUIREMENTS =
        17, /**< it is not certain that node selector or required node affinity of a pod is met */
    KARP_FINDING_TAINTS = 18, /**< a taint is not tolerated */
    KARP_FINDING_HOST_PORT = 19, /**< two pods use the same host port */
    KARP_FINDING_VOLUME = 20, /**< a volume cannot be used there */
    KARP_FINDING_VOLUME_LIMIT = 21, /**< more volumes than the node can attach */
    KARP_FINDING_RESOURCES = 22, /**< the pods request more than is free on the node */
    KARP_FINDING_LIMITS = 23, /**< the launches of a pool exceed its limits */
    KARP_FINDING_MIN_VALUES = 24, /**< fewer different values than minValues asks for */
    KARP_FINDING_RESERVATION = 25, /**< more launches on a reservation than it has free instances */
    KARP_FINDING_SPREAD = 26, /**< a DoNotSchedule spread constraint is violated */
    KARP_FINDING_AFFINITY = 27, /**< a required pod affinity is violated */
    KARP_FINDING_ANTI_AFFINITY = 28, /**< a required pod anti-affinity is violated, of the pod or of another */
    KARP_FINDING_NODE_STAYS = 29, /**< a step removes a node that nothing may disrupt */
    KARP_FINDING_PDB = 30, /**< a step evicts more pods than a PodDisruptionBudget allows */
    KARP_FINDING_BUDGET = 31, /**< a step removes more nodes than the NodePool's budgets allow at once */
    KARP_FINDING_COST = 32 /**< the costs that the steps state contradict each other, or do not fall */
};

/** "POD_TWICE": the code as in documents. "UNKNOWN" for any other number. */
KARP_API const char *karp_finding_name(uint32_t code);

/** A node that a plan launches. */
typedef struct karp_plan_launch {
    karp_str id;
    karp_str node_pool;
    const karp_str *pods; /**< "namespace/name" */
    size_t pod_count;
    const karp_str *instance_types;
    size_t instance_type_count;
    const karp_requirement
        *requirements; /**< what the node's labels will be within; the pool's where a key is absent */
    size_t requirement_count;
} karp_plan_launch;

/** Pods that a plan places on an existing node. */
typedef struct karp_plan_placement {
    karp_str node;
    const karp_str *pods;
    size_t pod_count;
} karp_plan_placement;

/** A plan from any source: this library, another scheduler, or a person. */
typedef struct karp_plan {
    size_t size;
    const karp_plan_launch *launches;
    size_t launch_count;
    const karp_plan_placement *placements;
    size_t placement_count;
    const karp_str *left; /**< pods that it leaves unschedulable */
    size_t left_count;
    uint32_t
        profile; /**< KARP_PROFILE_*: with karpenter, what the quirks of that scheduler allow is no finding, but S-Q3 and S-Q37 are */
    uint32_t reserved;
    uint32_t peer_version; /**< KARP_PEER_*: whose rules it keeps, with profile karpenter */
    uint32_t reserved_; /**< zero */
} karp_plan;

/** A rule that a plan breaks. */
typedef struct karp_finding {
    size_t size;
    uint32_t code; /**< KARP_FINDING_* */
    uint32_t reserved;
    karp_str object; /**< "pod default/web-0", "launch new-1", "node n1", "nodepool default" */
    karp_str detail; /**< English */
} karp_finding;

/** The result of a check; immutable. */
typedef struct karp_verification karp_verification;

/**
 * Checks @p plan on the snapshot's objects by the rules of Kubernetes: every constraint of every pod that it
 * places. It shares no code with the scheduler. It checks the final placement, not the order; relaxed
 * preferences are allowed. A finding is a result, not an error. Errors: NOMEM, INVALID, ABI_*.
 */
KARP_API karp_status karp_verify(const karp_snapshot *snapshot, const karp_plan *plan, karp_verification **out,
                                 karp_error *error);
/** The same for a launch decision of this library. */
KARP_API karp_status karp_verify_decision(const karp_snapshot *snapshot, const karp_decision *decision,
                                          karp_verification **out, karp_error *error);

/** Of karp_plan_step.flags. Since 0.1. */
enum {
    KARP_STEP_PODS_LATER =
        1, /**< where its pods go is decided when they are evicted: nothing is said of it, and not checked */
    KARP_STEP_FORCED = 2 /**< repair, expiration: neither budgets nor do-not-disrupt hold it back */
};

/** A step of a plan that also removes nodes: a disruption command, or a step of a repack plan. Since 0.1. */
typedef struct karp_plan_step {
    size_t size;
    const karp_plan *plan; /**< what is launched, and where the pods of the nodes go; its `left` is not read */
    const karp_str *nodes; /**< that it removes */
    size_t node_count;
    double saving; /**< $/h that it says to save; NAN = it does not say, as the next */
    double cost_after; /**< $/h of the cluster afterwards */
    uint32_t reason; /**< one of KARP_BUDGET_*: which budgets count; 0 = all */
    uint32_t flags; /**< KARP_STEP_* ored */
} karp_plan_step;

/** For karp_verify_steps(), ored. Since 0.1. */
enum {
    KARP_VERIFY_IGNORE_BUDGETS = 1, /**< budgets of NodePools are not looked at */
    /** A step evicts all its pods at once: no more of a PodDisruptionBudget's than it allows now. Without it they are evicted as far
     * as budgets let them, and the rest later, as Karpenter drains a node. */
    KARP_VERIFY_EVICTIONS_AT_ONCE = 2
};

/**
 * Checks steps one after the other, each on the cluster that the steps before it leave: that its nodes may be disrupted, that
 * PodDisruptionBudgets and budgets of NodePools allow it, that every pod of them is placed and every constraint holds as
 * karp_verify() says, and that the costs which are stated fall. A placement may name a launch of its step or of an earlier one.
 * The profile and version of the first step's plan count for all. Findings are those of the first step that has any.
 * @p cost_before is NAN when it is not known. Errors: NOMEM, INVALID, ABI_*. Since 0.1.
 */
KARP_API karp_status karp_verify_steps(const karp_snapshot *snapshot, const karp_plan_step *steps, size_t count,
                                       double cost_before, uint32_t flags, karp_verification **out, karp_error *error);
/** Frees it. NULL is allowed. */
KARP_API void karp_verification_free(karp_verification *verification);
/** Findings: of pods, launches, placements, pools, then of topology. NOT_FOUND beyond the end. */
KARP_API size_t karp_verification_count(const karp_verification *verification);
/** Finding @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_verification_finding(const karp_verification *verification, size_t index, karp_finding *out);

#ifdef __cplusplus
}
#endif
#endif
