/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file groups.h  Groups of pods that start together (gangs), and what a decision says about them (docs/gangs.md).
 *
 * A pod names its group in karp_pod.group_name and karp_pod.group_source. Everything in this file is since 1.0.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_GROUPS_H
#define KARP_GROUPS_H

#include <karp/builder.h>
#include <karp/decision.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whose groups: a source has names of its own, and rules of its own for who counts. Numbers never change. */
enum {
    KARP_GROUP_KUBERNETES = 0, /**< PodGroup of scheduling.k8s.io; the pod's spec.schedulingGroup */
    KARP_GROUP_COSCHEDULING = 1, /**< scheduler-plugins */
    KARP_GROUP_KOORDINATOR = 2,
    KARP_GROUP_VOLCANO = 3,
    KARP_GROUP_KAI = 4,
    KARP_GROUP_KUEUE = 5, /**< Workloads, and plain pods with a pod group name */
    /** pods of one controller that are in no group: in answers of karp_admit() alone. Since 1.0. */
    KARP_GROUP_WORKLOAD = 6,
    KARP_GROUP_WORKLOAD_REF =
        7, /**< a pod group of a Workload of Kubernetes 1.35; the pod's spec.workloadRef. Since 1.0. */
    KARP_GROUP_YUNIKORN = 8, /**< a task group of YuniKorn; its composite is the application. Since 1.0. */
    KARP_GROUP_PROVISIONING_REQUEST = 9 /**< all pods of a ProvisioningRequest. Since 1.0. */
};

/**
 * A group of pods, or of groups. The pods of a gang are bound together or not at all, as long as fewer than min_count
 * of them are bound.
 */
typedef struct karp_pod_group {
    size_t size;
    karp_meta meta;
    uint32_t source; /**< KARP_GROUP_* */
    uint32_t composite; /**< 1 = a CompositePodGroup: its members are the groups that name it as their parent */
    uint32_t gang; /**< 1 = a gang; 0 = basic: its pods are bound one by one (of a composite: any group is enough) */
    int32_t min_count; /**< of a gang: least number of pods (of a composite: groups) that start together, ≥ 1 */
    karp_str topology_key; /**< all members have to be in one domain of this node label; "" = anywhere */
    karp_str parent; /**< name of its CompositePodGroup; "" = none */
    uint32_t disruption_all; /**< 1 = disruption mode "all": its pods are disrupted together */
    uint32_t has_priority; /**< 1 = `priority` is known and has to be that of all its pods */
    int32_t priority;
    uint32_t reserved; /**< 0 */
    /** of a composite: least number of pods below it that start together, beside min_count groups; 0 = any. Since 1.0.
     */
    int32_t min_pods;
    uint32_t required; /**< 1 = the composite above starts only together with this group. Since 1.0. */
    /** of a composite: 1 = its groups are alternatives. They are tried by age; the first that starts is taken, and none
     * of the others, whose pods then need no place. Since 1.0. */
    uint32_t one_of;
    /** of a ProvisioningRequest: 1 = its capacity was found before, and is booked: it comes first. Since 1.0. */
    uint32_t booked;
    karp_str
        resource_flavor; /**< of an alternative: the ResourceFlavor of Kueue that it is for; "" = none. Since 1.0. */
    karp_str refused; /**< why the group may not start wherever there is room, in English; "" = it may. Since 1.0. */
    karp_str request_class; /**< the class of a ProvisioningRequest; "" = another group. Since 1.0. */
    uint32_t no_retry; /**< of a ProvisioningRequest: 1 = it is tried once. Since 1.0. */
    uint32_t reserved_too; /**< 0 */
} karp_pod_group;

/** Sets the defaults: a gang of Kubernetes' own with a minimum of 1. */
KARP_API void karp_pod_group_init(karp_pod_group *group, size_t size);

/** Adds a group; copied. Groups of different sources may have one name, and so may a composite and another group.
 * Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_pod_group(karp_builder *builder, const karp_pod_group *group, karp_error *error);

/** What a launch decision did with one group. */
typedef struct karp_group_outcome {
    size_t size;
    karp_str name; /**< "namespace/name" */
    uint32_t source; /**< KARP_GROUP_* */
    uint32_t composite;
    uint32_t gang;
    uint32_t code; /**< KARP_REASON_NONE = its minimum is met; else why it cannot start: KARP_REASON_GROUP_* */
    karp_str detail; /**< the reason in words; "" = none */
    uint32_t min_count; /**< pods, or groups of a composite */
    uint32_t member_count; /**< its pods that have not finished, or its groups */
    uint32_t bound; /**< those that have a node already */
    uint32_t placed; /**< those that the decision places, on nodes or launches */
    karp_str topology_key;
    karp_str domain; /**< where it is, if it has a topology key and is placed; else "" */
} karp_group_outcome;

/**
 * Number of groups that have members to place; in profile KARP also of composites above them. In profile KARPENTER the
 * pods of a group are placed one by one, as Karpenter does: `code` then tells whether its own scheduler would bind any.
 */
KARP_API size_t karp_decision_group_count(const karp_decision *decision);
/** Group @p index, in the order of namespaces and names. Errors: NOT_FOUND (beyond the last), ABI_*. */
KARP_API karp_status karp_decision_group(const karp_decision *decision, size_t index, karp_group_outcome *out);

/** The name of a source, as documents have it: "PodGroup", "Volcano" …; "unknown" for any other number. */
KARP_API const char *karp_group_source_name(uint32_t source);

#ifdef __cplusplus
}
#endif
#endif
