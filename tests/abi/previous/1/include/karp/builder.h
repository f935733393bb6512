/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file builder.h  What fewer builders need beside snapshot.h: less common kinds of objects, pods of one template, the
 * nodes and pods that are part of the cluster, and edits of a snapshot.
 */
#ifndef KARP_BUILDER_H
#define KARP_BUILDER_H

#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets the API server's default, binding mode Immediate. Since 1.0. */
KARP_API void karp_storage_class_init(karp_storage_class *storage_class, size_t size);

/** Adds a node class; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node_class(karp_builder *builder, const karp_node_class *node_class,
                                                 karp_error *error);

/** Adds a PersistentVolumeClaim; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_persistent_volume_claim(karp_builder *builder,
                                                              const karp_persistent_volume_claim *claim,
                                                              karp_error *error);

/** Adds a PersistentVolume; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_persistent_volume(karp_builder *builder, const karp_persistent_volume *volume,
                                                        karp_error *error);

/** Adds a StorageClass; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_storage_class(karp_builder *builder, const karp_storage_class *storage_class,
                                                    karp_error *error);

/** Adds a PodDisruptionBudget; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_pod_disruption_budget(karp_builder *builder,
                                                            const karp_pod_disruption_budget *budget,
                                                            karp_error *error);

/** Adds a Namespace; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_namespace(karp_builder *builder, const karp_namespace *namespace_,
                                                karp_error *error);

/** One entry of what Karpenter remembers about a node. */
typedef struct karp_node_state {
    karp_str name; /**< of the Node, or of the NodeClaim while it has no registered Node */
    uint32_t marked_for_deletion; /**< takes no pods; its pods are placed elsewhere */
    uint32_t nominated; /**< pods are on their way to it */
} karp_node_state;

/**
 * Only these nodes are known to the scheduler (others still count for topology). Without the call: all of them. The
 * list is copied; it replaces that of an earlier call. Errors: NOMEM, LIMIT, CANCELED, INVALID (an entry has no name),
 * DUPLICATE (two entries have one name). After an error the builder is unchanged.
 */
KARP_API karp_status karp_builder_set_node_states(karp_builder *builder, const karp_node_state *states, size_t count,
                                                  karp_error *error);

/**
 * Exactly these pods ("namespace/name") are to be placed, in this order, pending or not. Without the call: the pending
 * pods, and the virtual ones of capacity buffers. The list is copied; it replaces that of an earlier call. Errors:
 * NOMEM, LIMIT, CANCELED, INVALID (not a name of a pod), DUPLICATE (a pod is named twice). After an error the builder
 * is unchanged.
 */
KARP_API karp_status karp_builder_set_pods_to_place(karp_builder *builder, const karp_str *names, size_t count,
                                                    karp_error *error);

/** Sets the defaults of an API server: the pod is pending. Since 1.0. */
KARP_API void karp_templated_pod_init(karp_templated_pod *pod, size_t size);

/**
 * Reads once what the pods of one workload have in common: of @p pod namespace, labels, annotations, owners, spec and
 * container statuses. It adds no pod. @p out receives the template's number, which is valid until this builder is
 * finished, and in builders that continue its snapshot by karp_snapshot_edit(), one edit after another. Equal templates
 * have one number. Errors: as karp_builder_add_pod(); INVALID also when there are ephemeral volumes, whose claims have
 * the pod's name.
 */
KARP_API karp_status karp_builder_add_pod_template(karp_builder *builder, const karp_pod *pod, uint32_t *out,
                                                   karp_error *error);

/**
 * Adds a Pod like karp_builder_add_pod(), with all fields but the given ones from the template. Several times faster.
 * Errors: as karp_builder_add_pod(); NOT_FOUND = the builder has no such template.
 */
KARP_API karp_status karp_builder_add_templated_pod(karp_builder *builder, uint32_t template_,
                                                    const karp_templated_pod *pod, karp_error *error);

/** Adds a CSINode; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_csi_node(karp_builder *builder, const karp_csi_node *csi_node, karp_error *error);

/** Adds a Service, ReplicationController, ReplicaSet or StatefulSet; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_selecting(karp_builder *builder, const karp_selecting *selecting,
                                                karp_error *error);

/** Adds a NodeOverlay; copied. Errors: as karp_builder_add_pod(), UNSUPPORTED (its price_expression). */
KARP_API karp_status karp_builder_add_node_overlay(karp_builder *builder, const karp_node_overlay *overlay,
                                                   karp_error *error);

/** Sets the defaults of a CapacityBuffer without a status. Since 1.0. */
KARP_API void karp_capacity_buffer_init(karp_capacity_buffer *buffer, size_t size);

/** Adds a CapacityBuffer; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_capacity_buffer(karp_builder *builder, const karp_capacity_buffer *buffer,
                                                      karp_error *error);

/**
 * A builder with everything the snapshot was made of: objects, settings, clock, catalogues. Add and remove what
 * changes; karp_builder_finish() then makes a snapshot with the same decisions as one built from scratch from the same
 * objects. Texts and objects are shared with @p snapshot, which does not change and may be freed earlier. The memory of
 * removed objects is freed with the last of such a series of snapshots, so build from scratch from time to time.
 * Nothing is read, checked or interned again. When only pods, nodes, claims, budgets, or fields of NodePools and
 * DaemonSets change, nearly everything is shared; the time grows with the change, plus copying a few words for each pod
 * and node. Edits of other kinds take as long as building. An object that is removed and added again in one edit keeps
 * its position. A removed pod leaves its number to the next pod that is added, one of the same name first; numbers that
 * remain free go to the last pods. Errors: INVALID, NOMEM.
 */
KARP_API karp_status karp_snapshot_edit(const karp_snapshot *snapshot, karp_builder **out, karp_error *error);

/** What changes of a Pod while it exists. Since 1.0. */
typedef struct karp_pod_status {
    size_t size;
    karp_str node_name; /**< spec.nodeName; "" = it has no node */
    karp_str nominated_node_name;
    const karp_condition *conditions;
    size_t condition_count;
    int64_t start_time; /**< instant; KARP_NO_TIME or 0 = absent */
    int64_t deletion; /**< instant; KARP_NO_TIME or 0 = not being deleted */
    uint32_t phase; /**< KARP_PHASE_* */
    uint32_t reserved; /**< 0 */
} karp_pod_status;

/**
 * Gives a Pod this node, status and deletion time in place of those it has; the rest of it stays. The result is that of
 * removing it and adding it again with them, without reading the Pod anew. An empty @p namespace_ is "default". After
 * an error it is unchanged. Errors: as karp_builder_add_pod(); NOT_FOUND = there is no such Pod. Since 1.0.
 */
KARP_API karp_status karp_builder_set_pod_status(karp_builder *builder, karp_str namespace_, karp_str name,
                                                 const karp_pod_status *status, karp_error *error);

/** What changes of a NodeClaim while its node runs. */
typedef struct karp_node_claim_status {
    size_t size;
    const karp_condition *conditions;
    size_t condition_count;
    int64_t last_pod_event; /**< instant */
    int64_t deletion; /**< instant; KARP_NO_TIME or 0 = not being deleted */
} karp_node_claim_status;

/**
 * Gives a NodeClaim these conditions and times in place of those it has; the rest of it stays. The result is that of
 * removing it and adding it again with them, which takes several times longer. It may be one of the snapshot that is
 * edited, or have been added since. NULL = none of them. After an error it is unchanged. Errors: as
 * karp_builder_add_node_claim(); NOT_FOUND = there is no such NodeClaim. Since 1.0.
 */
KARP_API karp_status karp_builder_set_node_claim_status(karp_builder *builder, karp_str name,
                                                        const karp_node_claim_status *status, karp_error *error);

/**
 * Gives a NodeClaim this condition, in place of the one of its type if it has one. The status "" removes it. Everything
 * else of the claim stays. Errors: as karp_builder_set_node_claim_status(). Since 1.0.
 */
KARP_API karp_status karp_builder_set_node_claim_condition(karp_builder *builder, karp_str name,
                                                           const karp_condition *condition, karp_error *error);

/**
 * Removes an object. To replace an object, remove it and add one of the same name. @p kind is
 * the Kubernetes kind ("Pod", "NodePool" …), for node classes with the group before it
 * ("karpenter.k8s.aws/EC2NodeClass"); an empty @p namespace_ is "default", and cluster-wide kinds have none. Errors:
 * NOT_FOUND, INVALID, NOMEM.
 */
KARP_API karp_status karp_builder_remove(karp_builder *builder, karp_str kind, karp_str namespace_, karp_str name,
                                         karp_error *error);

/**
 * Launches have taken so many instances of a capacity reservation since its free instances were counted, or nodes that
 * ended have returned them (@p instances < 0): so many are no longer free. @p labels are those of such a node; nothing
 * changes unless its capacity type is reserved. @p peer_version is one of KARP_PEER_*: before 1.15, what a reservation
 * offers is unavailable while no instance is free. Calls add up. Errors: NOMEM, INVALID. Since 1.0.
 */
KARP_API karp_status karp_builder_take_reserved(karp_builder *builder, const karp_label *labels, size_t label_count,
                                                int64_t instances, uint32_t peer_version, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
