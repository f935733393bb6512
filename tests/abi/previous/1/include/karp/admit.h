/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file admit.h  Whether the workloads of a queue could start: now, after nodes are launched for them, or never, and
 * why (docs/admit.md).
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_ADMIT_H
#define KARP_ADMIT_H

#include <karp/explain.h>
#include <karp/groups.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The answer for a workload. Numbers never change. Since 1.0. */
enum {
    KARP_ADMIT_NOW = 1, /**< all pods that it needs have room on nodes that are ready */
    KARP_ADMIT_LAUNCH = 2, /**< it starts when nodes are ready that are launched for it, or being started already */
    KARP_ADMIT_NEVER = 3 /**< it does not start, unless the cluster or the workload changes */
};

/** "now", "launch", "never"; "unknown" for any other number. Lives as long as the library. Since 1.0. */
KARP_API const char *karp_admit_name(uint32_t verdict);

/** What tells the flavours of nodes apart; combined with |. Since 1.0. */
enum {
    KARP_FLAVOUR_NODE_POOL = 1, /**< implied by the next three */
    KARP_FLAVOUR_ZONE = 2,
    KARP_FLAVOUR_CAPACITY_TYPE = 4, /**< implied by RESERVATION */
    KARP_FLAVOUR_RESERVATION = 8,
    KARP_FLAVOUR_RESOURCE_FLAVOR = 16, /**< rows of their own: the ResourceFlavors of the workload's queue in Kueue */
    KARP_FLAVOUR_ALL = 31
};

/** Options of karp_admit(). Since 1.0. */
typedef struct karp_admit_options {
    size_t size;
    const karp_options *common; /**< profile and objective are not read: profile KARP decides. NULL = defaults */
    int64_t boot; /**< duration: from a launch until its nodes take pods; 0 = 60 s */
    /** KARP_FLAVOUR_*: each workload is tried on each flavour as well, at its turn; 0 = on none. The work is that of a
     * decision for each workload and flavour */
    uint32_t flavours;
    uint32_t most_changes; /**< for so many of the workloads that never start the smallest change is looked for */
    uint32_t flavours_up_to; /**< flavours are tried only if the queue has at most so many workloads; 0 = always */
    uint32_t reserved; /**< 0 */
    /** "namespace/name" of a workload, or of a group below one: the result has that workload alone, and flavours and
     * changes are looked for only for it. The whole queue is decided on all the same. "" = all */
    karp_str only;
} karp_admit_options;

/** Sets the size, and everything else to 0. Since 1.0. */
KARP_API void karp_admit_options_init(karp_admit_options *options, size_t size);

/**
 * A workload of the queue: a group of pods with all groups below it; the pods of one controller that are in no group;
 * or a pod without a controller. A group starts when its minimum is met. Of a controller all pending pods are needed.
 * Texts are borrowed from the result. Since 1.0.
 */
typedef struct karp_admitted {
    size_t size;
    karp_str name; /**< "namespace/name" */
    /** kind of the group or controller: "PodGroup", "Workload" (of Kueue), "Job", "ReplicaSet", "CapacityBuffer"; "Pod"
     * = a pod without one */
    karp_str kind;
    uint32_t verdict; /**< KARP_ADMIT_* */
    uint32_t code; /**< KARP_REASON_* of NEVER, else KARP_REASON_NONE */
    karp_str detail; /**< why it never starts, in English; else "" */
    int32_t priority;
    uint32_t starts_alone; /**< of NEVER: 1 = it would start if nothing of the queue came before it */
    uint32_t pods; /**< its pending pods */
    uint32_t placed; /**< those of them that the decision places */
    uint32_t waiting; /**< those of the placed ones that wait for a node */
    uint32_t launches; /**< number of nodes that are launched for it; workloads after it may use them, too */
    double cost; /**< $/h of these nodes */
    int64_t ready_after; /**< duration until its nodes are ready: 0, or that of `boot` */
    karp_str domain; /**< where it is, if it has a topology key and starts; else "" */
    const karp_str *nodes; /**< ids of launches of the decision ("new-1") and names of nodes that take its pods */
    size_t node_count;
    size_t flavour_count;
    size_t change_count;
    size_t
        condition_count; /**< of a ProvisioningRequest of a class of cluster-autoscaler, or a CapacityBuffer; else 0 */
} karp_admitted;

/** A condition that cluster-autoscaler would set on a ProvisioningRequest, or Karpenter on a CapacityBuffer, with this
 * answer. Since 1.0. */
typedef struct karp_request_condition {
    size_t size;
    karp_str type; /**< "Accepted", "Provisioned", "Failed"; "Provisioning" */
    karp_str status; /**< "True", "False" */
    karp_str reason; /**< "CapacityIsFound" … */
    karp_str message; /**< in English */
} karp_request_condition;

/** A workload on the nodes of one flavour alone, at its turn in the queue. A ResourceFlavor is a row of its own. Since
 * 1.0. */
typedef struct karp_flavour {
    size_t size;
    karp_str node_pool; /**< "" = nodes without a NodePool */
    karp_str zone; /**< "" = without one, or flavours are not told apart by it; so with the next two */
    karp_str capacity_type;
    karp_str reservation;
    uint32_t verdict; /**< KARP_ADMIT_*; NEVER: on this flavour */
    uint32_t placed; /**< pods that it takes */
    uint32_t launches; /**< number of nodes that are launched */
    uint32_t reserved; /**< 0 */
    double cost; /**< $/h of these nodes */
    karp_str detail; /**< why it does not start there, as far as it is known; else "" */
    karp_str resource_flavor; /**< the ResourceFlavor; then the other names are "". Else "". Since 1.0. */
} karp_flavour;

/** The answers for a queue. Immutable: several threads may read it. */
typedef struct karp_admission karp_admission;

/**
 * Answers for all workloads of @p snapshot that have pending pods, one after another: by priority, then by age (of the
 * group, else of its first pod), then in the order of the input. What one gets is not there for the next. A group, the
 * pods of a Job and those of a controller of another kind are placed as a whole or not at all; pods of ReplicaSets,
 * ReplicationControllers, StatefulSets and capacity buffers one by one. An answer is that of karp_provision() in
 * profile KARP for the snapshot without the workloads that come after it. @p options may be NULL. The caller owns *@p
 * out (karp_admission_free()). Errors: INVALID (an option), NOT_FOUND (nothing waits under the name in `only`), RANGE
 * (amounts that cannot be added up or counted exactly), NOMEM, LIMIT, CANCELED, ABI_*. Any thread; the work is that of
 * one decision, if no flavours and changes are asked for. Since 1.0.
 */
KARP_API karp_status karp_admit(const karp_snapshot *snapshot, const karp_admit_options *options, karp_admission **out,
                                karp_error *error);
/** Frees it. NULL is allowed. Since 1.0. */
KARP_API void karp_admission_free(karp_admission *admission);
/** The decision for the whole queue. Borrowed, never NULL. Since 1.0. */
KARP_API const karp_decision *karp_admission_decision(const karp_admission *admission);
/** Number of workloads. Since 1.0. */
KARP_API size_t karp_admission_count(const karp_admission *admission);
/** Workload @p index, in the order of the queue. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_admission_at(const karp_admission *admission, size_t index, karp_admitted *out);
/** Flavour @p index of workload @p number: the ResourceFlavors in the order in which its queue tries them, then the
 * others by name. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_admission_flavour(const karp_admission *admission, size_t number, size_t index,
                                            karp_flavour *out);
/**
 * Change @p index of workload @p number, which never starts, the smallest first: with it the workload starts, and no
 * other pod loses its place. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0.
 */
KARP_API karp_status karp_admission_change(const karp_admission *admission, size_t number, size_t index,
                                           karp_remedy *out);

/** Condition @p index of workload @p number, in the order in which they are set. Texts live as long as the library.
 * Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_admission_condition(const karp_admission *admission, size_t number, size_t index,
                                              karp_request_condition *out);

#ifdef __cplusplus
}
#endif
#endif
