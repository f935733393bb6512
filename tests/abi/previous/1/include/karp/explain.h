/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file explain.h  Explains why a pod is pending and what would make it schedulable, and why a node stays. Checks plans
 * from any source.
 *
 * Explanations and verifications are immutable and own everything that they return. Their getters may be called by
 * several threads. Several threads may explain and check on one snapshot. Texts are English and may change; codes never
 * change. Money is in $/h. Everything in this file is since 1.0.
 */
#ifndef KARP_EXPLAIN_H
#define KARP_EXPLAIN_H

#include <karp/disrupt.h>
#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/**
 * What a remedy changes: the first five the pod (and its replicas), the next three a NodePool, the others what keeps
 * the pod from a domain of a topology. Numbers never change.
 */
enum {
    KARP_REMEDY_TOLERATE = 1, /**< tolerate a taint, or all taints of a NodePool */
    /** drop a label of the node selector, or an expression of the required node affinity */
    KARP_REMEDY_DROP_SELECTOR = 2,
    KARP_REMEDY_DROP_TOPOLOGY = 3, /**< drop a topology spread constraint, a pod affinity or a pod anti-affinity */
    KARP_REMEDY_DROP_PORT = 4, /**< drop a host port */
    KARP_REMEDY_REQUEST_LESS = 5, /**< request less of a resource */
    KARP_REMEDY_RAISE_LIMIT = 6, /**< raise a limit of a NodePool */
    KARP_REMEDY_ALLOW_VALUE = 7, /**< allow a value of a label (a zone) in a NodePool */
    KARP_REMEDY_DROP_MIN_VALUES = 8, /**< drop minValues in a NodePool */
    /** remove a value, which no node can have, from the requirements of a NodePool. Since 1.0. */
    KARP_REMEDY_REMOVE_VALUE = 9,
    KARP_REMEDY_REMOVE_LABEL = 10, /**< remove a label from existing nodes. Since 1.0. */
    /** start the pod before the one that it has to join, or give that one a node selector. Since 1.0. */
    KARP_REMEDY_PIN_PARTNER = 11,
    /** exclude a value in the requirements of every NodePool that has it. Since 1.0. */
    KARP_REMEDY_EXCLUDE_VALUE = 12,
    KARP_REMEDY_CORRECT_SELECTOR = 13, /**< make the selector of a constraint select the pod. Since 1.0. */
    KARP_REMEDY_DROP_MIN_DOMAINS = 14, /**< drop minDomains of a spread constraint. Since 1.0. */
    KARP_REMEDY_ADD_LABEL = 15, /**< add a label of the pod's node selector to a NodePool. Since 1.0. */
    KARP_REMEDY_LOWER_MINIMUM = 16, /**< start the group of pods with fewer of them. Since 1.0. */
    /** switch on a feature gate of Karpenter for which the input has objects. Since 1.0. */
    KARP_REMEDY_SWITCH_GATE = 17,
    /** use the label that exists as the topology key of a constraint, instead of one of a similar name. Since 1.0. */
    KARP_REMEDY_CORRECT_KEY = 18,
    /** require the domains that the pod's other constraint allows, so that its spread chooses among them. Since 1.0. */
    KARP_REMEDY_REQUIRE_DOMAINS = 19
};

/** The name of a remedy's kind: "TOLERATE" and so on. "UNKNOWN" for any other number. Lives as long as the library. */
KARP_API const char *karp_remedy_name(uint32_t kind);

/** A change that was tried. With it the pod is schedulable, and no other pod becomes unschedulable. */
typedef struct karp_remedy {
    size_t size;
    uint32_t kind; /**< KARP_REMEDY_* */
    uint32_t changes; /**< how many single changes it consists of */
    karp_str text; /**< English: "tolerate nvidia.com/gpu=true:NoSchedule" */
    karp_str node_pool; /**< the NodePool that launches a node; "" = the pod goes to an existing node */
    karp_str node; /**< the existing node, or "" */
    karp_choice choice; /**< the offering of the new node */
} karp_remedy;

/** A NodePool that could launch a node for the pod, but was not chosen. Since 1.0. */
typedef struct karp_alternative {
    size_t size;
    karp_str node_pool;
    karp_str detail; /**< why it does not take the pod; "" = it would take it if it were the only NodePool */
    uint32_t code; /**< KARP_REASON_*; 0 = it would take the pod */
    int32_t weight; /**< of the NodePool; higher weights are tried first */
    uint32_t cost_known; /**< 1 = cost_change is known */
    uint32_t reserved; /**< 0 */
    karp_choice choice; /**< what it would launch (with KARP_REASON_LIMITS: without limits); "" = nothing */
    double cost_change; /**< $/h of the whole plan, if it took the pod (with KARP_REASON_LIMITS: without its limits) */
} karp_alternative;

/** The name of a KARP_DOMAIN_*: "SKEW". "UNKNOWN" for any other number. Lives as long as the library. Since 1.0. */
KARP_API const char *karp_domain_name(uint32_t code);
/**
 * The name of a KARP_TOPOLOGY_*: "spread", "affinity", "antiAffinity", "antiAffinityOfOthers". "UNKNOWN" for any other
 * number. Lives as long as the library. Since 1.0.
 */
KARP_API const char *karp_topology_name(uint32_t kind);

/** What a row about a placed or running pod says: karp_placement_cause_name(). Numbers never change. Since 1.0. */
enum {
    KARP_PLACEMENT_RUNNING =
        1, /**< the node that it runs on; what follows is what would happen without the pod there */
    KARP_PLACEMENT_EXISTING_NODES = 2, /**< why existing nodes do not take it: a row for each reason */
    KARP_PLACEMENT_ORDER = 3, /**< an existing node takes it, before any NodePool is tried */
    KARP_PLACEMENT_TYPE = 4, /**< why the new node's instance type, and what the next cheaper one lacks */
    KARP_PLACEMENT_FULLEST = 5, /**< the resource of which the new node has the smallest part left */
    KARP_PLACEMENT_DAEMONS = 6, /**< the DaemonSets that run on the new node, with what they request */
    KARP_PLACEMENT_TODAY = 7, /**< what would be launched for it if the node that it runs on were removed */
    KARP_PLACEMENT_APART = 9, /**< what keeps further pods like it off the new node. Since 1.0 */
    KARP_PLACEMENT_LIMITS = 8, /**< of an unschedulable pod: limits of a NodePool, with what is in use of them */
    /** what the NodePool does: types that its requirements keep out, labels that it leaves to pods, taints that are
     * given up, and who chooses among the types that it sends. Since 1.0 */
    KARP_PLACEMENT_POOL = 10,
    KARP_PLACEMENT_VOLUMES = 11, /**< of an unschedulable pod: where its volumes are. Since 1.0 */
    /** of an unschedulable pod: what refuses it in a NodePool whose limits are reached, so that raising them is not
     * enough. Karpenter looks at limits first. Before the rows of limits. Since 1.0 */
    KARP_PLACEMENT_BEHIND_LIMITS = 12,
    /** what the pods of its node may use by their limits, if that is more memory than the node has. Since 1.0 */
    KARP_PLACEMENT_OVERCOMMIT = 13,
    KARP_PLACEMENT_TOPOLOGY = 14 /**< the domain that its spread or affinity chooses for the new node. Since 1.0 */
};

/** "running", "existingNodes", "order", "type", "fullest", "daemonSets", "today", "limits", "apart", "pool", "volumes",
 * "behindLimits", "overcommit", "topology"; "UNKNOWN" for any other number. Lives as long as the library. Since 1.0. */
KARP_API const char *karp_placement_cause_name(uint32_t kind);

/** One reason why a pod is placed where it is. Since 1.0. */
typedef struct karp_placement_cause {
    size_t size;
    uint32_t kind; /**< KARP_PLACEMENT_* */
    uint32_t reserved; /**< 0 */
    karp_str text; /**< English, for people; may change */
} karp_placement_cause;

/** The explanation of one pod. Immutable. */
typedef struct karp_pod_explanation karp_pod_explanation;

/**
 * Decides as karp_provision() does, with explain level full. If @p pod ("namespace/name") is unschedulable, it then
 * looks for the smallest change that makes it schedulable. Single changes are tried first, each in a round of its own,
 * the easiest first. The number of rounds is limited, and the same for equal input. A pod that runs is explained as if
 * it were evicted now. @p options may be NULL; their explain level is not read. The caller owns *@p out
 * (karp_pod_explanation_free()). Errors: NOT_FOUND (no such pod, or it has ended or is not pending for Karpenter; the
 * message says which), those of karp_provision().
 */
KARP_API karp_status karp_explain_pod(const karp_snapshot *snapshot, const karp_options *options, karp_str pod,
                                      karp_pod_explanation **out, karp_error *error);
/** Frees an explanation. NULL is allowed. */
KARP_API void karp_pod_explanation_free(karp_pod_explanation *explanation);
/** The pod's "namespace/name". Borrowed. */
KARP_API karp_str karp_pod_explanation_pod(const karp_pod_explanation *explanation);
/** The decision: its rows say where the pod is placed, or the reason of every NodePool, node and launch. Borrowed. */
KARP_API const karp_decision *karp_pod_explanation_decision(const karp_pod_explanation *explanation);
/** Number of remedies, the smallest change first. 0 if the pod is schedulable, or if none was found. */
KARP_API size_t karp_pod_explanation_remedy_count(const karp_pod_explanation *explanation);
/** Remedy @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_pod_explanation_remedy(const karp_pod_explanation *explanation, size_t index,
                                                 karp_remedy *out);
/** How many changes were tried in the search for remedies. */
KARP_API uint32_t karp_pod_explanation_tried(const karp_pod_explanation *explanation);
/** 1 = the search for remedies ended before all changes were tried. */
KARP_API uint32_t karp_pod_explanation_bounded(const karp_pod_explanation *explanation);

/**
 * For a pod for which a node is launched: the number of other NodePools, by descending weight. Each is tried in a round
 * of its own, in which pods like this one select it. 0 for other pods. Since 1.0.
 */
KARP_API size_t karp_pod_explanation_alternative_count(const karp_pod_explanation *explanation);
/** Alternative @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_pod_explanation_alternative(const karp_pod_explanation *explanation, size_t index,
                                                      karp_alternative *out);
/** 1 = the pod runs, and the decision is about the cluster in which it has just been evicted. Since 1.0. */
KARP_API uint32_t karp_pod_explanation_running(const karp_pod_explanation *explanation);
/** Number of reasons why a pod is placed where it is, or, with LIMITS, is not placed. Since 1.0. */
KARP_API size_t karp_pod_explanation_cause_count(const karp_pod_explanation *explanation);
/** Reason @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_pod_explanation_cause(const karp_pod_explanation *explanation, size_t index,
                                                karp_placement_cause *out);
/** The weight of the NodePool that launches a node for the pod; 0 if none does. Since 1.0. */
KARP_API int32_t karp_pod_explanation_weight(const karp_pod_explanation *explanation);

/**
 * Where kube-scheduler would bind the pod instead, because pods are being resized in place: from Kubernetes 1.37 on it
 * takes the largest of three sums (of what the containers ask for, what is allocated, what is in effect), and Karpenter
 * sums up the largest amount of each container (k8s.io/component-helpers 0.37 and 0.36, resource/helpers.go). English;
 * "" = it would bind it to the same place, or no pod is being resized. Borrowed. Since 1.0.
 */
KARP_API karp_str karp_pod_explanation_resize(const karp_pod_explanation *explanation);

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/** One reason why a node stays. It was found after the reasons before it had been removed. */
typedef struct karp_blocker {
    size_t size;
    uint32_t code; /**< KARP_REASON_* */
    uint32_t reserved; /**< 0 */
    karp_str detail; /**< "pdb db/db allows 0 disruptions (2 pods: db/db-0, db/db-1)" */
    int64_t until; /**< instant in ns at which it ends by itself; KARP_NO_TIME = never, or unknown */
    /** KARP_METHOD_* whose reason it is: a drifted node has those of drift first, then those of consolidation. Since
     * 1.0. */
    uint32_t method;
    uint32_t found; /**< see karp_kept. Since 1.0. */
} karp_blocker;

/** What would become of the node's pods if it were disrupted now. */
typedef struct karp_move {
    size_t size;
    double price; /**< of the node, $/h; 0 = unknown */
    double savings; /**< $/h; negative = it costs more than it saves; 0 if the price is unknown */
    uint32_t moved; /**< number of pods that move */
    uint32_t launches; /**< number of nodes launched for them; 0 = they fit on existing nodes */
    karp_str node_pool; /**< of the first of these nodes; "" = there is none */
    karp_choice choice; /**< of the first of these nodes */
} karp_move;

/** A change after which the node goes: a pass that may disrupt no other node was made with it. Since 1.0. */
typedef struct karp_node_remedy {
    size_t size;
    uint32_t code; /**< KARP_REASON_* that it removes; 0 = limits, topology of pods, or several reasons together */
    uint32_t method; /**< KARP_METHOD_* that then takes the node */
    karp_str text; /**< what to change, in English */
    karp_str instance_type; /**< of the first node that replaces it; "" = it is deleted */
    double savings; /**< $/h */
} karp_node_remedy;

/** The explanation of one node. Immutable. */
typedef struct karp_node_explanation karp_node_explanation;

/**
 * Decides as karp_disrupt() does. If the node stays, it finds all reasons: it removes a reason and evaluates the node
 * again, alone, until the node would be disrupted or a reason cannot be removed. @p node is the name of the node, or
 * else of its NodeClaim. @p options may be NULL. The caller
 * owns *@p out (karp_node_explanation_free()). Errors: NOT_FOUND (no such node), UNSUPPORTED (an objective, in a build
 * without cost plans), those of karp_disrupt().
 */
KARP_API karp_status karp_explain_node(const karp_snapshot *snapshot, const karp_disrupt_options *options,
                                       karp_str node, karp_node_explanation **out, karp_error *error);
/** Frees an explanation. NULL is allowed. */
KARP_API void karp_node_explanation_free(karp_node_explanation *explanation);
/** The node's name. Borrowed. */
KARP_API karp_str karp_node_explanation_node(const karp_node_explanation *explanation);
/** The disruption decision. Borrowed. */
KARP_API const karp_decision *karp_node_explanation_decision(const karp_node_explanation *explanation);
/** 1 = a command of the decision disrupts the node. Then there are no blockers. */
KARP_API uint32_t karp_node_explanation_disrupted(const karp_node_explanation *explanation);
/**
 * 1 = the expireAfter of its NodeClaim is over: Karpenter deletes it, whatever a disruption pass decides and budgets
 * allow. 0 also where @p options of karp_explain_node() let a pass decide on that (expire_gracefully). Since 1.0.
 */
KARP_API uint32_t karp_node_explanation_expired(const karp_node_explanation *explanation);
/** Why the node is drifted: the reason of the condition Drifted. "" = it is not. Borrowed. Since 1.0. */
KARP_API karp_str karp_node_explanation_drift(const karp_node_explanation *explanation);
/**
 * What would have kept a node that is disrupted, had its NodeClaim no terminationGracePeriod: pods that cannot be
 * evicted. English; "" = nothing would have, or the node stays. Borrowed. Since 1.0.
 */
KARP_API karp_str karp_node_explanation_overruled(const karp_node_explanation *explanation);
/**
 * What holds beside blockers and decisions, at most two facts in English: that the node expires within a day or should
 * have gone, and that its NodePool uses more than a limit, which removes no node. Since 1.0.
 */
KARP_API size_t karp_node_explanation_fact_count(const karp_node_explanation *explanation);
/** Fact @p index, borrowed; "" beyond the end. Since 1.0. */
KARP_API karp_str karp_node_explanation_fact(const karp_node_explanation *explanation, size_t index);
/**
 * Changes after which the node goes, in the order of the blockers, then limits and topology; one of several reasons
 * together if no single one is enough. Since 1.0.
 */
KARP_API size_t karp_node_explanation_remedy_count(const karp_node_explanation *explanation);
/** Change @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_node_explanation_remedy(const karp_node_explanation *explanation, size_t index,
                                                  karp_node_remedy *out);
/** How many changes were tried. Since 1.0. */
KARP_API uint32_t karp_node_explanation_tried(const karp_node_explanation *explanation);
/** Number of blockers, in the order in which they were found. */
KARP_API size_t karp_node_explanation_blocker_count(const karp_node_explanation *explanation);
/** Blocker @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_node_explanation_blocker(const karp_node_explanation *explanation, size_t index,
                                                   karp_blocker *out);
/**
 * The best move that was rejected. Borrowed. Errors: NOT_FOUND (not all of its pods would be placed, or it has no
 * NodeClaim), ABI_SIZE.
 */
KARP_API karp_status karp_node_explanation_move(const karp_node_explanation *explanation, karp_move *out);

/* ---- checking ---------------------------------------------------------------------------------------------------- */

/** Rules that a plan can break. Numbers and names never change. */
enum {
    KARP_FINDING_POD_UNKNOWN = 1, /**< no such pod */
    KARP_FINDING_POD_TWICE = 2, /**< the pod is in more than one place */
    KARP_FINDING_POD_MISSING = 3, /**< the pod is pending, and not in the plan */
    KARP_FINDING_POD_NOT_PENDING = 4, /**< the plan places the pod, but it is not pending */
    KARP_FINDING_NODE_UNKNOWN = 5, /**< no such node */
    KARP_FINDING_NODE_UNUSABLE = 6, /**< the node is being deleted, or the scheduler does not know it */
    KARP_FINDING_POOL_UNKNOWN = 7, /**< no such NodePool */
    KARP_FINDING_POOL_UNUSABLE = 8, /**< the NodePool is static, not ready, being deleted, or without instance types */
    KARP_FINDING_NO_PODS = 9, /**< a launch without pods */
    KARP_FINDING_NO_TYPES = 10, /**< a launch without instance types */
    KARP_FINDING_TYPE_UNKNOWN = 11, /**< a type that is not among the NodePool's instance types */
    KARP_FINDING_TYPE_REQUIREMENTS = 12, /**< the type's labels contradict the launch's requirements */
    KARP_FINDING_TYPE_OFFERING = 13, /**< the type has no available offering that the requirements allow */
    KARP_FINDING_TYPE_RESOURCES = 14, /**< pods and DaemonSets together request more than the type has */
    KARP_FINDING_TYPE_HOST_PORT = 15, /**< a DaemonSet on the type uses a host port of a pod */
    KARP_FINDING_POOL_REQUIREMENTS = 16, /**< the launch's requirements allow more than its NodePool's */
    /** node selector or required node affinity of a pod is not met, or not with certainty */
    KARP_FINDING_REQUIREMENTS = 17,
    KARP_FINDING_TAINTS = 18, /**< a taint is not tolerated */
    KARP_FINDING_HOST_PORT = 19, /**< two pods use the same host port */
    KARP_FINDING_VOLUME = 20, /**< a volume of a pod cannot be used there */
    KARP_FINDING_VOLUME_LIMIT = 21, /**< more volumes than the node can attach */
    KARP_FINDING_RESOURCES = 22, /**< the pods request more than is free on the node */
    KARP_FINDING_LIMITS = 23, /**< the launches of a NodePool exceed its limits */
    KARP_FINDING_MIN_VALUES = 24, /**< the types have fewer different values than minValues asks for */
    KARP_FINDING_RESERVATION = 25, /**< more launches use a reservation than it has free instances */
    KARP_FINDING_SPREAD = 26, /**< a DoNotSchedule spread constraint is violated */
    KARP_FINDING_AFFINITY = 27, /**< a required pod affinity is violated */
    KARP_FINDING_ANTI_AFFINITY = 28, /**< a required pod anti-affinity is violated, of the pod or of another */
    KARP_FINDING_NODE_STAYS = 29, /**< a step removes a node that nothing may disrupt */
    KARP_FINDING_PDB = 30, /**< a step evicts more pods than a PodDisruptionBudget allows */
    KARP_FINDING_BUDGET = 31, /**< a step removes more nodes than the NodePool's budgets allow at once */
    KARP_FINDING_COST = 32, /**< the costs that steps state contradict each other, or do not fall */
    KARP_FINDING_GROUP = 33 /**< of profile KARP: a group of pods starts without its minimum, or in several domains */
};

/**
 * The name of a code, as documents have it: "POD_TWICE", or what is quoted above. "UNKNOWN" for any other number. Lives
 * as long as the library.
 */
KARP_API const char *karp_finding_name(uint32_t code);

/** A node that a plan launches. Input only. */
typedef struct karp_plan_launch {
    karp_str id;
    karp_str node_pool;
    const karp_str *pods; /**< "namespace/name" */
    size_t pod_count;
    const karp_str *instance_types;
    size_t instance_type_count;
    /** requirements that the node's labels will meet; for an absent key the NodePool's */
    const karp_requirement *requirements;
    size_t requirement_count;
} karp_plan_launch;

/** Pods that a plan places on an existing node. Input only. */
typedef struct karp_plan_placement {
    karp_str node;
    const karp_str *pods; /**< "namespace/name" */
    size_t pod_count;
} karp_plan_placement;

/** A plan from any source: this library, another scheduler, or a person. Input only. */
typedef struct karp_plan {
    size_t size;
    const karp_plan_launch *launches;
    size_t launch_count;
    const karp_plan_placement *placements;
    size_t placement_count;
    const karp_str *left; /**< pods that it leaves unschedulable, "namespace/name" */
    size_t left_count;
    /**
     * KARP_PROFILE_*. With KARPENTER, what quirks of Karpenter's scheduler allow is no finding, except for S-Q3 and
     * S-Q37.
     */
    uint32_t profile;
    uint32_t reserved; /**< 0 */
    uint32_t peer_version; /**< KARP_PEER_*: the version whose rules count, with profile KARPENTER */
    uint32_t reserved_; /**< 0 */
} karp_plan;

/** A rule that a plan breaks. */
typedef struct karp_finding {
    size_t size;
    uint32_t code; /**< KARP_FINDING_* */
    uint32_t reserved; /**< 0 */
    karp_str object; /**< "pod default/web-0", "launch new-1", "node n1", "nodepool default" */
    karp_str detail; /**< English; may change */
} karp_finding;

/** The result of a check. Immutable. */
typedef struct karp_verification karp_verification;

/**
 * Checks @p plan against the snapshot by the rules of Kubernetes: every constraint of every pod that it places. The
 * check shares no code with the scheduler. It checks the final placement, not the order of placements; relaxed
 * preferences are allowed. A finding is a result, not an error. @p plan may be freed after the call. The caller owns
 * *@p out (karp_verification_free()). Errors: NOMEM, INVALID, ABI_*.
 */
KARP_API karp_status karp_verify(const karp_snapshot *snapshot, const karp_plan *plan, karp_verification **out,
                                 karp_error *error);
/** Checks a launch decision of this library in the same way. Errors: NOMEM, INVALID. */
KARP_API karp_status karp_verify_decision(const karp_snapshot *snapshot, const karp_decision *decision,
                                          karp_verification **out, karp_error *error);

/** Bits of karp_plan_step.flags. Values never change. Since 1.0. */
enum {
    /** where its pods go is decided when they are evicted, so it has no placements to check */
    KARP_STEP_PODS_LATER = 1,
    KARP_STEP_FORCED = 2 /**< repair and expiration: neither budgets nor do-not-disrupt hold it back */
};

/**
 * A step of a plan that also removes nodes: a disruption command, or a step of a repack plan. In an array the elements
 * are `size` bytes apart, and all have the same size. Since 1.0.
 */
typedef struct karp_plan_step {
    size_t size;
    const karp_plan *plan; /**< its launches, and where the pods of its nodes go; `left` is not read */
    const karp_str *nodes; /**< names of the nodes that it removes */
    size_t node_count;
    double saving; /**< $/h that it states to save; NAN = not stated */
    double cost_after; /**< $/h of the cluster afterwards, as stated; NAN = not stated */
    uint32_t reason; /**< one of KARP_BUDGET_*: which budgets of NodePools count; 0 = all */
    uint32_t flags; /**< KARP_STEP_*, ored */
} karp_plan_step;

/** Flags of karp_verify_steps(), ored. Values never change. Since 1.0. */
enum {
    KARP_VERIFY_IGNORE_BUDGETS = 1, /**< budgets of NodePools are not checked */
    /**
     * A step evicts all its pods at once, so a PodDisruptionBudget has to allow all of them now. Without this flag pods
     * are evicted as budgets allow it, some of them later, as Karpenter drains a node.
     */
    KARP_VERIFY_EVICTIONS_AT_ONCE = 2,
    /** Pods that are placed, and daemons of launches, request what is predicted (karp_pod.predicted_containers), as the
     * preview vpa-prediction has it. */
    KARP_VERIFY_PREDICTED = 4
};

/**
 * Checks steps one after the other, each on the cluster as the steps before it leave it. The nodes of a step must be
 * disruptable. PodDisruptionBudgets and budgets of NodePools must allow it. All pods of its nodes must be placed, and
 * every constraint must hold as karp_verify() checks it. The stated costs must fall. A placement may name a launch of
 * its step or of an earlier one. The profile and version of the first step's plan count for all. Findings are those of
 * the first step that has any. @p cost_before is in $/h, NAN when it is not known. @p steps may be freed after the
 * call. The caller owns *@p out (karp_verification_free()). Errors: NOMEM, INVALID, ABI_*. Since 1.0.
 */
KARP_API karp_status karp_verify_steps(const karp_snapshot *snapshot, const karp_plan_step *steps, size_t count,
                                       double cost_before, uint32_t flags, karp_verification **out, karp_error *error);
/** Frees a verification. NULL is allowed. */
KARP_API void karp_verification_free(karp_verification *verification);
/**
 * Number of findings: those of pods, launches, placements and NodePools, then those of topology. 0 = the plan keeps all
 * rules.
 */
KARP_API size_t karp_verification_count(const karp_verification *verification);
/** Finding @p index, borrowed. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_verification_at(const karp_verification *verification, size_t index, karp_finding *out);

#ifdef __cplusplus
}
#endif
#endif
