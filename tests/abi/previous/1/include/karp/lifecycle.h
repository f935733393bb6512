/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lifecycle.h  What happens to nodes outside a disruption pass: conditions, expiration, repair, timeouts, garbage
 * collection, static NodePools, draining; and the validation of a command before it is carried out.
 *
 * Every function looks at one snapshot and returns advice: a list of actions, and when to ask again. Nothing is
 * remembered between calls; what Karpenter keeps in memory is an argument. A controller carries the actions out.
 */
#ifndef KARP_LIFECYCLE_H
#define KARP_LIFECYCLE_H

#include <karp/disrupt.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to do: karp_action.kind. Numbers never change. */
enum karp_action_kind {
    KARP_ACTION_DELETE_CLAIM = 1, /**< object: NodeClaim; value: why ("Expired", "RegistrationTimeout" …) */
    KARP_ACTION_CREATE_CLAIMS = 2, /**< object: NodePool; number: how many */
    KARP_ACTION_SET_CONDITION = 3, /**< object: NodeClaim; subject: condition type; value: its reason */
    KARP_ACTION_CLEAR_CONDITION = 4, /**< object: NodeClaim; subject: condition type */
    KARP_ACTION_ANNOTATE_CLAIM = 5, /**< object: NodeClaim; subject: annotation; value */
    KARP_ACTION_ANNOTATE_POOL = 6, /**< object: NodePool; likewise */
    KARP_ACTION_REMOVE_TAINT = 7, /**< object: Node; subject: the taint's key */
    KARP_ACTION_EVICT = 8, /**< object: pod; through the eviction API */
    KARP_ACTION_FORCE_DELETE = 9, /**< object: pod; number: grace period in seconds */
    /** object: Node or pod that should be removed, or NodeClaim that should get the condition `subject`; value: why not
     */
    KARP_ACTION_BLOCKED = 10,
    KARP_ACTION_ADD_TAINT = 11, /**< object: Node; subject: the taint's key; effect NoSchedule, no value */
    /** object: NodePool; subject: the launch's id; number: index of the replacement */
    KARP_ACTION_CREATE_REPLACEMENT = 12,
    KARP_ACTION_MARK_NODE = 13, /**< object: state node: marked for deletion in the snapshots to come */
    KARP_ACTION_UNMARK_NODE = 14, /**< object: state node: no longer */
    KARP_ACTION_NOMINATE_NODE = 15, /**< object: state node that pods will be bound to: nominated for 20 s */
    KARP_ACTION_EVENT = 16, /**< object: NodeClaim; value: the event's message */
    KARP_ACTION_OFFERING_UNAVAILABLE = 17, /**< object: instance type; subject: zone; value: capacity type */
    KARP_ACTION_POD_EVENT = 18, /**< object: NodeClaim; number: instant for status.lastPodEventTime */
    KARP_ACTION_DELETE_NODE = 19, /**< object: Node */
    KARP_ACTION_DELETE_INSTANCE = 20, /**< object: NodeClaim whose instance the provider is to terminate */
    /** object: NodeClaim or Node; subject: the finalizer; value: why no drain is needed */
    KARP_ACTION_REMOVE_FINALIZER = 21,
    /** object: NodeClaim; subject: condition type, which becomes False; value: its reason */
    KARP_ACTION_CONDITION_FALSE = 22,
    /** object: NodeClaim; subject: condition type, which becomes Unknown; value: its reason */
    KARP_ACTION_CONDITION_UNKNOWN = 23,
    KARP_ACTION_REMOVE_LABEL = 24, /**< object: Node; subject: the label's key */
    KARP_ACTION_REMOVE_ANNOTATION = 25, /**< object: NodeClaim; subject: the annotation */
    /** object: NodeClaim whose instance the provider is to reboot, once even if asked several times; subject: the
     * Node's boot ID before the reboot. The result is passed back in karp_reboot_answer. */
    KARP_ACTION_REBOOT_INSTANCE = 26
};

/** What a member of an action is. Numbers never change. */
enum karp_action_means {
    KARP_MEANS_NOTHING = 0, /**< it is not used: "" or 0 */
    /* objects, by name */
    KARP_MEANS_NODE_CLAIM = 1,
    KARP_MEANS_NODE_POOL = 2,
    KARP_MEANS_NODE = 3,
    KARP_MEANS_STATE_NODE = 4, /**< the Node's name, or the NodeClaim's while there is no Node */
    KARP_MEANS_POD = 5, /**< "namespace/name" */
    KARP_MEANS_INSTANCE_TYPE = 6,
    /* parts of an object */
    KARP_MEANS_CONDITION = 10, /**< the type of a condition */
    KARP_MEANS_ANNOTATION = 11, /**< a key; likewise the next two */
    KARP_MEANS_LABEL = 12,
    KARP_MEANS_TAINT = 13,
    KARP_MEANS_FINALIZER = 14,
    KARP_MEANS_LAUNCH = 15, /**< the id of a launch */
    KARP_MEANS_ZONE = 16,
    KARP_MEANS_BOOT_ID = 17,
    /* values */
    KARP_MEANS_WHY = 20, /**< a word that says why, "Expired" */
    KARP_MEANS_REASON = 21, /**< the reason of a condition */
    KARP_MEANS_TEXT = 22, /**< of an annotation or event */
    KARP_MEANS_CAPACITY_TYPE = 23,
    /* numbers */
    KARP_MEANS_COUNT = 30,
    KARP_MEANS_INDEX = 31, /**< of a replacement in its command */
    KARP_MEANS_SECONDS = 32,
    KARP_MEANS_INSTANT = 33 /**< nanoseconds since 1970 */
};

/** One action. What its members are is said at each KARP_ACTION_*, and by karp_action_describe(). */
typedef struct karp_action {
    size_t size;
    uint32_t kind; /**< KARP_ACTION_* */
    uint32_t object_kind; /**< KARP_MEANS_*: what `object` is the name of. Since 1.0 */
    karp_str object;
    karp_str subject;
    karp_str value;
    int64_t number;
} karp_action;

/** A kind of action: its name, and what the members are, KARP_MEANS_*. Since 1.0. */
typedef struct karp_action_meaning {
    size_t size;
    const char *name; /**< "DELETE_CLAIM": that of the constant without KARP_ACTION_. Static */
    uint32_t object; /**< where it is of several kinds, the usual one: karp_action.object_kind says it of each action */
    uint32_t subject; /**< what is named here may be "", as of the other members */
    uint32_t value;
    uint32_t number;
} karp_action_meaning;

/** What an action of that kind (KARP_ACTION_*) says. The size of @p out must be set. Errors: NOT_FOUND (no such kind).
 * Any thread. Since 1.0. */
KARP_API karp_status karp_action_describe(uint32_t kind, karp_action_meaning *out);

/** Immutable; owns what it shows. */
typedef struct karp_advice karp_advice;

/** Actions, by the names of their objects. */
KARP_API size_t karp_advice_action_count(const karp_advice *advice);
/** Action @p index, borrowed from @p advice. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_advice_action(const karp_advice *advice, size_t index, karp_action *out);
/** The instant at which the advice can change although the cluster does not; KARP_NO_TIME = never. */
KARP_API int64_t karp_advice_look_again(const karp_advice *advice);
/** karp_advise_drain(): 1 = the node is drained. 0 elsewhere. */
KARP_API uint32_t karp_advice_finished(const karp_advice *advice);
/**
 * karp_advise_conditions(): NodeClaims whose instance types were looked up and found, by name. Karpenter does not look
 * them up again for 30 minutes: set karp_drift_answer.type_found until then.
 */
KARP_API size_t karp_advice_found_count(const karp_advice *advice);
/** Name @p index of them. {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_advice_found(const karp_advice *advice, size_t index);
/** NULL is allowed. */
KARP_API void karp_advice_free(karp_advice *advice);

/** How disruption classifies a pod at one instant: bits. Values never change. */
enum {
    KARP_POD_TERMINAL = 1, /**< its phase is Succeeded or Failed */
    KARP_POD_TERMINATING = 2, /**< it is being deleted */
    KARP_POD_ACTIVE = 4, /**< neither of the two */
    KARP_POD_BOUND = 8, /**< it is bound to a node */
    KARP_POD_OF_DAEMON_SET = 16, /**< one of its owners is a DaemonSet */
    KARP_POD_RESCHEDULABLE = 32, /**< it has to be rescheduled when its node is removed */
    KARP_POD_DO_NOT_DISRUPT = 64, /**< its do-not-disrupt annotation is in force now */
    KARP_POD_DISRUPTABLE = 128, /**< that annotation does not block the disruption of its node */
    KARP_POD_EVICTABLE = 256, /**< a drain would evict it */
    KARP_POD_STUCK = 512, /**< its deletion timestamp passed more than a minute ago */
    KARP_POD_DRAINABLE = 1024, /**< a drain has to remove it … */
    KARP_POD_WAITING_EVICTION = 2048, /**< … and waits until it is gone */
    KARP_POD_PROVISIONABLE = 4096, /**< it is pending and unschedulable: nodes are launched for it */
    KARP_POD_PDB_BLOCKED = 8192, /**< its PodDisruptionBudget allows no eviction now */
    /** more than one PodDisruptionBudget selects it, which blocks eviction whatever they allow */
    KARP_POD_PDB_MULTIPLE = 16384,
    KARP_POD_PDB_CLOSED = 32768, /**< its PodDisruptionBudget never allows an eviction */
    KARP_POD_CURRENTLY_RESCHEDULABLE = 65536 /**< a scheduling simulation would reschedule it now */
};

/** The bits of pod @p pod (an index of the snapshot) at @p now, 0 = the snapshot's. Errors: NOT_FOUND, INVALID. Any
 * thread. */
KARP_API karp_status karp_pod_flags(const karp_snapshot *snapshot, size_t pod, int64_t now, uint32_t *out);
/** Name of PodDisruptionBudget @p index among those that select the pod, in the pod's namespace. {NULL,0} beyond the
 * end. */
KARP_API karp_str karp_pod_budget(const karp_snapshot *snapshot, size_t pod, size_t index);

/** What the provider says of one NodeClaim's drift. A claim that is not listed has not drifted according to the
 * provider. */
typedef struct karp_drift_answer {
    karp_str claim;
    karp_str reason; /**< "AMIDrift" …; "" = not drifted */
    uint32_t instance_exists; /**< 0 = the instance was not found: the condition stays as it is */
    uint32_t type_found; /**< 1 = karp_advice_found() returned it within the last 30 minutes: its type is not looked up
                            again */
} karp_drift_answer;

/**
 * The conditions Drifted and Consolidatable of every NodeClaim: what to set and to clear. @p now 0 = the snapshot's.
 * The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_conditions(const karp_snapshot *snapshot, int64_t now,
                                            const karp_drift_answer *answers, size_t answer_count, karp_advice **out,
                                            karp_error *error);

/**
 * The condition Drifted of NodeClaims whose NodePools or node classes were replaced: what to set and to clear. @p
 * before has the earlier NodePools, those that were replaced at least. A claim drifts as for karp_advise_conditions():
 * if the hash of its annotation, or else that of the earlier NodePool, differs from the NodePool's in @p snapshot
 * ("NodePoolDrifted"); if its labels do not meet the NodePool's requirements ("RequirementsDrifted"); or if it is of
 * one of @p classes, node classes whose static fields changed ("NodeClassDrift"). A condition of another reason stays.
 * @p now 0 = the snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any
 * thread. Since 1.0.
 */
KARP_API karp_status karp_advise_replaced(const karp_snapshot *before, const karp_snapshot *snapshot, int64_t now,
                                          const karp_node_class_ref *classes, size_t class_count, karp_advice **out,
                                          karp_error *error);

/**
 * Claims that are older than their expireAfter. @p now 0 = the snapshot's. The caller owns *@p out
 * (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_expiration(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                            karp_error *error);

/**
 * Unhealthy nodes to be replaced, unless more than a fifth of their NodePool is unhealthy. Only with the gate
 * NodeRepair. @p now 0 = the snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED,
 * INVALID. Any thread.
 */
KARP_API karp_status karp_advise_repair(const karp_snapshot *snapshot, int64_t now, const karp_repair_policy *policies,
                                        size_t policy_count, karp_advice **out, karp_error *error);

/**
 * Claims that were not launched within 5 minutes, or not registered within 15. @p now 0 = the snapshot's. The caller
 * owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_timeouts(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                          karp_error *error);

/**
 * Registered claims that are initialized now (SET_CONDITION), or what they still wait for (BLOCKED). @p now 0 = the
 * snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread. Since
 * 1.0.
 */
KARP_API karp_status karp_advise_initialization(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                                karp_error *error);

/**
 * The time of the last pod event of each NodeClaim: since the snapshot @p before, a pod that no DaemonSet owns was
 * bound to its node, completed there or began to terminate; at most one event every 10 s. A NULL @p before means that
 * the controller has just started: Karpenter then counts every pod as newly bound (D-Q15); without that quirk there are
 * no events. Of @p options (NULL = defaults) the clock, the profile and the quirks are used. The caller owns *@p out
 * (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID, ABI_*. Any thread. Since 1.0.
 */
KARP_API karp_status karp_advise_pod_events(const karp_snapshot *before, const karp_snapshot *snapshot,
                                            const karp_disrupt_options *options, karp_advice **out, karp_error *error);

/**
 * Registered claims whose instance no longer exists. @p provider_ids: all instances that the provider lists. @p now 0 =
 * the snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_garbage(const karp_snapshot *snapshot, int64_t now, const karp_str *provider_ids,
                                         size_t provider_id_count, karp_advice **out, karp_error *error);

/**
 * Static NodePools: how many claims to create, and which to delete. Only with the gate StaticCapacity. @p now 0 = the
 * snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_static_pools(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                              karp_error *error);

/**
 * What the controllers of static NodePools do now, as a decision: what karp_advise_static_pools() advises, only with
 * the gate StaticCapacity. Its launches have no pods; there are at most as many as limits.nodes allows, and only of
 * NodePools that are Ready. Karpenter requests no instance type; the choice is what a provider would pick, the cheapest
 * offering within the NodePool's requirements ("" = there is none). The requests are those of the DaemonSets that run
 * there. Surplus nodes of all NodePools are in one command of KARP_METHOD_STATIC_DEPROVISIONING; a claim without a Node
 * is listed by the claim's name. Of @p options (NULL = defaults) the clock, the profile and the version are used. The
 * caller owns *@p out (karp_decision_unref()). Errors: NOMEM, INVALID, RANGE, ABI_*. Safe from several threads on one
 * snapshot. Since 1.0.
 */
KARP_API karp_status karp_launch_static_pools(const karp_snapshot *snapshot, const karp_options *options,
                                              karp_decision **out, karp_error *error);

/** The provider's answer to a request to reboot an instance. Values never change. */
enum {
    KARP_REBOOT_NOT_ASKED = 0, /**< or it has not answered yet: it is asked again */
    KARP_REBOOT_ACCEPTED = 1,
    KARP_REBOOT_REFUSED = 2 /**< it cannot reboot instances, or the instance does not exist */
};

/** The state of a NodeClaim's reboot that a snapshot does not contain. Since 1.0. */
typedef struct karp_reboot_answer {
    karp_str claim;
    karp_str boot_id; /**< status.nodeInfo.bootID of its Node as it is now */
    int64_t asked; /**< instant at which the provider was first asked; KARP_NO_TIME = not yet */
    uint32_t provider; /**< KARP_REBOOT_* */
    uint32_t reserved;
} karp_reboot_answer;

/**
 * The next step of every reboot, of claims whose condition Rebooting is True. First the node is tainted and drained, by
 * evictions only, for at least 5 s and at most as long as the annotation karpenter.sh/reboot-termination-grace-period
 * says ("0s": no drain; without the annotation: no limit). Pods that remain stay bound to the node. Then the provider
 * is asked, for at most 5 minutes. Once it has accepted, the node is no longer initialized, and has to be Ready with
 * another boot ID within 20 minutes. A claim whose reboot fails is deleted; a reboot that may not be requested ends
 * with the reason RebootFailed. Claims that are being deleted or are not in @p answers are left alone. @p now 0 = the
 * snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID, RANGE (the
 * annotation states too long a time), ABI_NEW. Any thread. Since 1.0.
 */
KARP_API karp_status karp_advise_reboots(const karp_snapshot *snapshot, int64_t now, const karp_reboot_answer *answers,
                                         size_t answer_count, karp_advice **out, karp_error *error);

/** Kinds of a cloud's messages about an instance. Values never change. */
enum {
    KARP_INTERRUPTION_SPOT = 1, /**< a spot interruption: the node is drained, and its offering is marked unavailable */
    KARP_INTERRUPTION_REBALANCE = 2, /**< a rebalance recommendation: an event only */
    KARP_INTERRUPTION_SCHEDULED_CHANGE = 3, /**< scheduled maintenance: the node is drained */
    KARP_INTERRUPTION_STOPPING = 4, /**< the instance is stopping: the node is drained */
    KARP_INTERRUPTION_TERMINATING = 5, /**< the instance is terminating: the node is drained */
    KARP_INTERRUPTION_SCHEDULED_EVENT = 6, /**< a scheduled event: the node is drained */
    KARP_INTERRUPTION_CAPACITY_RESERVATION = 7, /**< its capacity reservation ends: the node is drained */
    /** its instance status check fails: deleted without waiting for the drain */
    KARP_INTERRUPTION_INSTANCE_STATUS = 8,
    KARP_INTERRUPTION_SYSTEM_STATUS = 9, /**< its system status check fails: deleted without waiting for the drain */
    KARP_INTERRUPTION_NO_OP = 10 /**< any other message: an event only */
};

/** "SpotInterruption" …: the value of the actions. "" for a number that is none. */
KARP_API const char *karp_interruption_name(uint32_t kind);

/** A cloud's message about one of its instances. */
typedef struct karp_interruption {
    karp_str instance; /**< a provider ID, or the part after its last slash */
    uint32_t kind; /**< KARP_INTERRUPTION_* */
    uint32_t reserved;
} karp_interruption;

/**
 * What to do with the claims that the messages are about; messages about other instances are ignored. @p now 0 = the
 * snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID, ABI_NEW. Any
 * thread.
 */
KARP_API karp_status karp_advise_interruptions(const karp_snapshot *snapshot, int64_t now,
                                               const karp_interruption *messages, size_t message_count,
                                               karp_advice **out, karp_error *error);

/**
 * One step of draining a node that is being deleted. @p now 0 = the snapshot's. The caller owns *@p out
 * (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID, NOT_FOUND (no such node). Any thread.
 */
KARP_API karp_status karp_advise_drain(const karp_snapshot *snapshot, karp_str node, int64_t now, karp_advice **out,
                                       karp_error *error);

/**
 * Whether a drained node has to wait until its volumes are detached. @p volumes: the names of the PersistentVolumes
 * attached to it ("" = an attachment without a name). Volumes of pods that are not drained are not waited for; after
 * the termination timestamp of the claim none is. karp_advice_finished() is 1 when the node does not have to wait.
 * @p now 0 = the snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID,
 * NOT_FOUND (no such node). Any thread. Since 1.0.
 */
KARP_API karp_status karp_advise_detachment(const karp_snapshot *snapshot, karp_str node, int64_t now,
                                            const karp_str *volumes, size_t volume_count, karp_advice **out,
                                            karp_error *error);

/**
 * The steps of a deletion beside the drain, for claims and nodes that are being deleted. First the termination
 * timestamp annotation is set, once, from the terminationGracePeriod. Then the nodes of a registered claim are deleted,
 * after them its instance, and last the finalizer is removed. Deleting a node deletes its claim too, if it has exactly
 * one. A node that is not ready and whose instance no longer exists is not drained. @p provider_ids: all instances that
 * the provider lists. @p now 0 = the snapshot's. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT,
 * CANCELED, INVALID. Any thread. Since 1.0.
 */
KARP_API karp_status karp_advise_termination(const karp_snapshot *snapshot, int64_t now, const karp_str *provider_ids,
                                             size_t provider_id_count, karp_advice **out, karp_error *error);

/**
 * Removes taints and conditions left over from earlier commands. @p in_progress: names of the nodes of commands in
 * progress. The caller owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_cleanup(const karp_snapshot *snapshot, const karp_str *in_progress,
                                         size_t in_progress_count, karp_advice **out, karp_error *error);

/**
 * Hash annotations to set on NodePools, and on NodeClaims whose annotations are of an earlier hash version. The caller
 * owns *@p out (karp_advice_free()). Errors: NOMEM, LIMIT, CANCELED, INVALID. Any thread.
 */
KARP_API karp_status karp_advise_hashes(const karp_snapshot *snapshot, karp_advice **out, karp_error *error);

/** The hash of a NodePool's static fields, as annotation karpenter.sh/nodepool-hash has it (version v3). Errors:
 * NOT_FOUND. */
KARP_API karp_status karp_node_pool_hash(const karp_snapshot *snapshot, karp_str node_pool, uint64_t *out);

/** Whether a command is still valid. */
typedef struct karp_validation {
    size_t size;
    /** KARP_REASON_NONE = carry it out. Otherwise CHURN, VALIDATION_BUDGET, SCHEDULING, NO_NODEPOOLS or INVALID_PDB.
     * Without D-Q12 also reasons why the command no longer pays: NO_CHEAPER_NODE, BALANCED_SCORE, … */
    uint32_t code;
    uint32_t kept; /**< how many of its nodes are still removed */
} karp_validation;

/**
 * Validates command @p command of @p decision on a snapshot taken `validate_after` later. Drift commands are always
 * valid. An emptiness command may lose nodes: @p removed, when not NULL, has an entry for each node of the command,
 * which is set to 1 if the node is still removed, and otherwise to 0. Errors: those of karp_disrupt(), UNSUPPORTED (an
 * objective, in a build without cost plans), NOMEM, LIMIT, CANCELED, INVALID, NOT_FOUND (no such command), ABI_*. Any
 * thread.
 */
KARP_API karp_status karp_disrupt_validate(const karp_snapshot *later, const karp_disrupt_options *options,
                                           const karp_decision *decision, size_t command, uint32_t *removed,
                                           karp_validation *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
