/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lifecycle.h  What becomes of nodes outside a disruption pass: conditions, expiration, repair, time-outs, garbage,
 * static pools, draining; and whether a command still holds when its waiting time is over.
 *
 * Every function looks at one snapshot and answers with advice: a list of actions, and when to look again. Nothing is
 * remembered between calls; what Karpenter keeps in memory is an argument. A controller carries the actions out.
 */
#ifndef KARP_LIFECYCLE_H
#define KARP_LIFECYCLE_H

#include <karp/disrupt.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to do. Numbers never change. */
enum {
    KARP_ACTION_DELETE_CLAIM = 1, /**< object: NodeClaim; value: why ("Expired", "RegistrationTimeout" …) */
    KARP_ACTION_CREATE_CLAIMS = 2, /**< object: NodePool; number: how many */
    KARP_ACTION_SET_CONDITION = 3, /**< object: NodeClaim; subject: condition type; value: its reason */
    KARP_ACTION_CLEAR_CONDITION = 4, /**< object: NodeClaim; subject: condition type */
    KARP_ACTION_ANNOTATE_CLAIM = 5, /**< object: NodeClaim; subject: annotation; value */
    KARP_ACTION_ANNOTATE_POOL = 6, /**< object: NodePool; likewise */
    KARP_ACTION_REMOVE_TAINT = 7, /**< object: Node; subject: the taint's key */
    KARP_ACTION_EVICT = 8, /**< object: pod; through the eviction API */
    KARP_ACTION_FORCE_DELETE = 9, /**< object: pod; number: grace period in seconds */
    KARP_ACTION_BLOCKED = 10, /**< object: Node or pod that should go and may not; value: why */
    KARP_ACTION_ADD_TAINT = 11, /**< object: Node; subject: the taint's key; effect NoSchedule, no value */
    KARP_ACTION_CREATE_REPLACEMENT =
        12, /**< object: NodePool; subject: the launch's id; number: index of the replacement */
    KARP_ACTION_MARK_NODE = 13, /**< object: state node: marked for deletion in the snapshots to come */
    KARP_ACTION_UNMARK_NODE = 14, /**< object: state node: no longer */
    KARP_ACTION_NOMINATE_NODE = 15, /**< object: state node that pods are on their way to: nominated for 20 s */
    KARP_ACTION_EVENT = 16, /**< object: NodeClaim; value: what its users should be told */
    KARP_ACTION_OFFERING_UNAVAILABLE = 17, /**< object: instance type; subject: zone; value: capacity type */
    KARP_ACTION_POD_EVENT = 18, /**< object: NodeClaim; number: instant for status.lastPodEventTime */
    KARP_ACTION_DELETE_NODE = 19, /**< object: Node */
    KARP_ACTION_DELETE_INSTANCE = 20, /**< object: NodeClaim whose instance the provider is to end */
    KARP_ACTION_REMOVE_FINALIZER =
        21, /**< object: NodeClaim or Node; subject: the finalizer; value: why it may go without a drain */
    KARP_ACTION_CONDITION_FALSE =
        22, /**< object: NodeClaim; subject: condition type, which becomes False; value: its reason */
    KARP_ACTION_CONDITION_UNKNOWN =
        23, /**< object: NodeClaim; subject: condition type, which becomes Unknown; value: its reason */
    KARP_ACTION_REMOVE_LABEL = 24, /**< object: Node; subject: the label's key */
    KARP_ACTION_REMOVE_ANNOTATION = 25, /**< object: NodeClaim; subject: the annotation */
    /** object: NodeClaim whose instance the provider is to reboot, once however often it is asked; subject: the boot id of the Node
     * before it. karp_reboot_answer says what came of it. */
    KARP_ACTION_REBOOT_INSTANCE = 26
};

/** One thing to do. What object, subject, value and number mean is said with each KARP_ACTION_*. */
typedef struct karp_action {
    size_t size;
    uint32_t kind; /**< KARP_ACTION_* */
    uint32_t reserved;
    karp_str object;
    karp_str subject;
    karp_str value;
    int64_t number;
} karp_action;

/** Immutable; owns what it shows. */
typedef struct karp_advice karp_advice;

/** Actions, by the names of their objects. */
KARP_API size_t karp_advice_count(const karp_advice *advice);
/** Action @p index, borrowed from @p advice. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_advice_action(const karp_advice *advice, size_t index, karp_action *out);
/** The instant at which the answer can change without the cluster changing; KARP_NO_TIME = never. */
KARP_API int64_t karp_advice_look_again(const karp_advice *advice);
/** karp_advise_drain(): 1 = the node is drained. 0 elsewhere. */
KARP_API uint32_t karp_advice_finished(const karp_advice *advice);
/**
 * karp_advise_conditions(): NodeClaims whose instance types were looked up and found, by name. Karpenter does not look again for
 * half an hour: give karp_drift_answer.type_found until then.
 */
KARP_API size_t karp_advice_found_count(const karp_advice *advice);
/** Name @p index of them. {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_advice_found(const karp_advice *advice, size_t index);
/** NULL is allowed. */
KARP_API void karp_advice_free(karp_advice *advice);

/** What a pod is to disruption at one instant: bits. Numbers never change. */
enum {
    KARP_POD_TERMINAL = 1, /**< it has ended */
    KARP_POD_TERMINATING = 2, /**< it is being deleted */
    KARP_POD_ACTIVE = 4, /**< neither */
    KARP_POD_BOUND = 8, /**< it has a node */
    KARP_POD_OF_DAEMON_SET = 16, /**< one of its owners is a DaemonSet */
    KARP_POD_RESCHEDULABLE = 32, /**< it would need another place if its node went */
    KARP_POD_DO_NOT_DISRUPT = 64, /**< its annotation protects it now */
    KARP_POD_DISRUPTABLE = 128, /**< it does not keep its node by that annotation */
    KARP_POD_EVICTABLE = 256, /**< the eviction API would be asked */
    KARP_POD_STUCK = 512, /**< its deletion should have been over for a minute */
    KARP_POD_DRAINABLE = 1024, /**< a drain is about it … */
    KARP_POD_WAITING_EVICTION = 2048, /**< … and waits for it */
    KARP_POD_PROVISIONABLE = 4096, /**< it waits for a node */
    KARP_POD_PDB_BLOCKED = 8192, /**< its PodDisruptionBudget allows no disruption now */
    KARP_POD_PDB_MULTIPLE = 16384, /**< more than one covers it, which blocks whatever they say */
    KARP_POD_PDB_CLOSED = 32768, /**< its PodDisruptionBudget never allows any */
    KARP_POD_CURRENTLY_RESCHEDULABLE = 65536 /**< a simulation would look for another place now */
};

/** The bits of pod @p pod (an index of the snapshot) at @p now, 0 = the snapshot's. Errors: NOT_FOUND, INVALID. Any thread. */
KARP_API karp_status karp_pod_flags(const karp_snapshot *snapshot, size_t pod, int64_t now, uint32_t *out);
/** Name of the PodDisruptionBudget @p index of those that cover the pod, in its namespace. {NULL,0} beyond the end. */
KARP_API karp_str karp_pod_budget(const karp_snapshot *snapshot, size_t pod, size_t index);

/** The provider's answer for one NodeClaim. Claims without one: not drifted by the provider. */
typedef struct karp_drift_answer {
    karp_str claim;
    karp_str reason; /**< "AMIDrift" …; "" = not drifted */
    uint32_t instance_exists; /**< 0 = the instance was not found: the condition stays as it is */
    uint32_t type_found; /**< 1 = karp_advice_found() had it in the last 30 minutes: its type is not looked up again */
} karp_drift_answer;

/* All below: `now` 0 = the snapshot's. Errors: NOMEM, INVALID. The snapshot may be shared between threads. */

/** The conditions Drifted and Consolidatable of every NodeClaim: what to set and to clear. */
KARP_API karp_status karp_advise_conditions(const karp_snapshot *snapshot, int64_t now,
                                            const karp_drift_answer *answers, size_t answer_count, karp_advice **out,
                                            karp_error *error);

/** Claims that have lived for their expireAfter. */
KARP_API karp_status karp_advise_expiration(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                            karp_error *error);

/** Nodes to be replaced because they are broken, unless more than a fifth of their pool is. Only with the gate NodeRepair. */
KARP_API karp_status karp_advise_repair(const karp_snapshot *snapshot, int64_t now, const karp_repair_policy *policies,
                                        size_t policy_count, karp_advice **out, karp_error *error);

/** Claims that were not launched within 5 minutes, or not registered within 15. */
KARP_API karp_status karp_advise_timeouts(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                          karp_error *error);

/** Registered claims whose nodes are ready for pods now (SET_CONDITION), or what they wait for (BLOCKED). Since 0.1. */
KARP_API karp_status karp_advise_initialization(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                                karp_error *error);

/**
 * The instant of the last pod event of each NodeClaim: a pod, no daemon, came to its node, ended there or began to leave since
 * the snapshot @p before; at most every 10 s. A NULL @p before is that of a controller that has just begun: Karpenter then takes
 * every pod for one that has just come (D-Q15), without the quirk nothing has happened. Of @p options (NULL = defaults) the
 * clock, the profile and the quirks are looked at. Errors: NOMEM, INVALID, ABI_*. Since 0.1.
 */
KARP_API karp_status karp_advise_pod_events(const karp_snapshot *before, const karp_snapshot *snapshot,
                                            const karp_disrupt_options *options, karp_advice **out, karp_error *error);

/** Registered claims whose instance is gone. @p provider_ids: every instance that the provider has. */
KARP_API karp_status karp_advise_garbage(const karp_snapshot *snapshot, int64_t now, const karp_str *provider_ids,
                                         size_t provider_id_count, karp_advice **out, karp_error *error);

/** Static pools: how many claims to create, which to delete. Only with the gate StaticCapacity. */
KARP_API karp_status karp_advise_static_pools(const karp_snapshot *snapshot, int64_t now, karp_advice **out,
                                              karp_error *error);

/**
 * What the controllers of static pools do now, as a decision: what karp_advise_static_pools() says, only with the gate StaticCapacity.
 * Launches have no pods; there are as many as limits.nodes leaves, of pools that are Ready. Karpenter asks for no instance type; the
 * choice is what a provider picks, the cheapest offering within the pool's requirements ("" = there is none), and the requests
 * are those of the DaemonSets that run there. The nodes of pools that have more than their replicas are in one command of
 * KARP_METHOD_STATIC_DEPROVISIONING; a claim without a Node is there by its own name. Of @p options (NULL = defaults) the clock, the profile and the
 * version are looked at. *@p out is the caller's (karp_decision_unref()). Errors: NOMEM, INVALID, ABI_*. Safe from several
 * threads on one snapshot. Since 0.1.
 */
KARP_API karp_status karp_launch_static_pools(const karp_snapshot *snapshot, const karp_options *options,
                                              karp_decision **out, karp_error *error);

/** What the provider said when it was asked to reboot an instance. Numbers never change. */
enum {
    KARP_REBOOT_NOT_ASKED = 0, /**< or it could not say yet: it is asked again */
    KARP_REBOOT_ACCEPTED = 1,
    KARP_REBOOT_REFUSED = 2 /**< it cannot, or the instance is not there */
};

/** What a snapshot does not show of the reboot of a NodeClaim. Since 0.1. */
typedef struct karp_reboot_answer {
    karp_str claim;
    karp_str boot_id; /**< status.nodeInfo.bootID of its Node as it is now */
    int64_t asked; /**< instant at which the provider was first asked; KARP_NO_TIME = not yet */
    uint32_t provider; /**< KARP_REBOOT_* */
    uint32_t reserved;
} karp_reboot_answer;

/**
 * The next step of every reboot: of claims whose condition Rebooting is True. While it is requested the node is fenced by a taint and
 * drained by evictions alone, for at least 5 s and at most as long as the annotation karpenter.sh/reboot-termination-grace-period says
 * ("0s": not at all; without it there is no end); pods that are left ride along. Then the provider is asked, for 5 minutes at most. Once
 * it has accepted, the reboot is issued, the node is not initialised any more, and is to be back within 20 minutes, Ready and with
 * another boot id. A reboot that fails has its claim deleted; one that was requested wrongly ends with the reason RebootFailed. Claims
 * that are being deleted, or are not named in @p answers, which the caller then knows nothing of, are left alone. Errors: NOMEM, INVALID.
 * Since 0.1.
 */
KARP_API karp_status karp_advise_reboots(const karp_snapshot *snapshot, int64_t now, const karp_reboot_answer *answers,
                                         size_t answer_count, karp_advice **out, karp_error *error);

/** What a cloud announces of an instance. Numbers never change. */
enum {
    KARP_INTERRUPTION_SPOT = 1, /**< a spot instance will be taken back: drained; its offering is sold out */
    KARP_INTERRUPTION_REBALANCE = 2, /**< it may be taken back: an event, nothing more */
    KARP_INTERRUPTION_SCHEDULED_CHANGE = 3, /**< maintenance is announced: drained */
    KARP_INTERRUPTION_STOPPING = 4, /**< it stops: drained */
    KARP_INTERRUPTION_TERMINATING = 5, /**< it ends: drained */
    KARP_INTERRUPTION_SCHEDULED_EVENT = 6, /**< an event is scheduled for it: drained */
    KARP_INTERRUPTION_CAPACITY_RESERVATION = 7, /**< its reservation ends: drained */
    KARP_INTERRUPTION_INSTANCE_STATUS = 8, /**< its status check fails: deleted without waiting for the drain */
    KARP_INTERRUPTION_SYSTEM_STATUS = 9, /**< that of the system below it fails: likewise */
    KARP_INTERRUPTION_NO_OP = 10 /**< anything else: an event, nothing more */
};

/** "SpotInterruption" …: the value of the actions. "" for a number that is none. */
KARP_API const char *karp_interruption_name(uint32_t kind);

/** A message of the cloud about one of its machines. */
typedef struct karp_interruption {
    karp_str instance; /**< a provider ID, or what stands after its last slash */
    uint32_t kind; /**< KARP_INTERRUPTION_* */
    uint32_t reserved;
} karp_interruption;

/** What becomes of the claims whose instances the cloud has announced something of; messages of other instances are skipped. */
KARP_API karp_status karp_advise_interruptions(const karp_snapshot *snapshot, int64_t now,
                                               const karp_interruption *messages, size_t message_count,
                                               karp_advice **out, karp_error *error);

/** One step of emptying a node that is being deleted. Errors: also NOT_FOUND (no such node). */
KARP_API karp_status karp_advise_drain(const karp_snapshot *snapshot, karp_str node, int64_t now, karp_advice **out,
                                       karp_error *error);

/**
 * Whether a drained node has to wait for its volumes. @p volumes: the names of the PersistentVolumes attached to it ("" = none is
 * named). Those of pods that stay to the end are not waited for, and none is after the termination timestamp of the claim.
 * karp_advice_finished() is 1 when nothing is waited for. Errors: NOMEM, INVALID, NOT_FOUND (no such node). Since 0.1.
 */
KARP_API karp_status karp_advise_detachment(const karp_snapshot *snapshot, karp_str node, int64_t now,
                                            const karp_str *volumes, size_t volume_count, karp_advice **out,
                                            karp_error *error);

/**
 * What surrounds the drain of claims and nodes that are being deleted: the deadline from the terminationGracePeriod, once; the nodes
 * of a registered claim; its instance, when they are gone; the finalizer, when that is. A node that is deleted takes its claim
 * along, when it has exactly one; one that is not ready and has lost its instance is not drained. @p provider_ids: every instance
 * that the provider has. Since 0.1.
 */
KARP_API karp_status karp_advise_termination(const karp_snapshot *snapshot, int64_t now, const karp_str *provider_ids,
                                             size_t provider_id_count, karp_advice **out, karp_error *error);

/** Taints and conditions that a command has left behind. @p in_progress: names of nodes in commands that are running. */
KARP_API karp_status karp_advise_cleanup(const karp_snapshot *snapshot, const karp_str *in_progress,
                                         size_t in_progress_count, karp_advice **out, karp_error *error);

/** Hashes to be stamped on NodePools, and on NodeClaims that carry those of an earlier version. */
KARP_API karp_status karp_advise_hashes(const karp_snapshot *snapshot, karp_advice **out, karp_error *error);

/** The hash of a NodePool's static fields, as annotation karpenter.sh/nodepool-hash has it (version v3). Errors: NOT_FOUND. */
KARP_API karp_status karp_node_pool_hash(const karp_snapshot *snapshot, karp_str node_pool, uint64_t *out);

/** Whether a command still holds. */
typedef struct karp_validation {
    size_t size;
    /** KARP_REASON_NONE = go ahead; CHURN, VALIDATION_BUDGET, SCHEDULING, NO_NODEPOOLS, INVALID_PDB; without D-Q12 also what makes the
     * command not worth it any more: NO_CHEAPER_NODE, BALANCED_SCORE, … */
    uint32_t code;
    uint32_t kept; /**< how many nodes still go */
} karp_validation;

/**
 * Looks at command @p command of @p decision again, on a snapshot taken `validate_after` later. Commands of drift always
 * hold. An emptiness command may shrink: @p goes, when not NULL, has an entry for each node of the command and receives 1
 * for those that still go. Errors: NOMEM, INVALID, NOT_FOUND (no such command), CANCELED, ABI_*.
 */
KARP_API karp_status karp_disrupt_validate(const karp_snapshot *later, const karp_disrupt_options *options,
                                           const karp_decision *decision, size_t command, uint32_t *goes,
                                           karp_validation *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
