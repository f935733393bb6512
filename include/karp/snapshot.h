/* SPDX-License-Identifier: Apache-2.0 */
/** @file snapshot.h  Builder: takes objects in any order. Snapshot: the validated and indexed objects; immutable. */
#ifndef KARP_SNAPSHOT_H
#define KARP_SNAPSHOT_H

#include <karp/catalogue.h>
#include <karp/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collects objects. One thread at a time. */
typedef struct karp_builder karp_builder;

/** The whole input of decisions. Reference-counted; any number of threads may decide on one at the same time. */
typedef struct karp_snapshot karp_snapshot;

enum { KARP_PREFERENCES_RESPECT = 0, KARP_PREFERENCES_IGNORE = 1 };
enum { KARP_MIN_VALUES_STRICT = 0, KARP_MIN_VALUES_BEST_EFFORT = 1 };
enum { KARP_RESERVED_STRICT = 0, KARP_RESERVED_FALLBACK = 1 };

/** Feature gates, ored. */
enum {
    KARP_GATE_RESERVED_CAPACITY = 1,
    KARP_GATE_SPOT_TO_SPOT = 2,
    KARP_GATE_NODE_REPAIR = 4,
    KARP_GATE_NODE_OVERLAY = 8,
    KARP_GATE_STATIC_CAPACITY = 16,
    KARP_GATE_CAPACITY_BUFFER = 32,
    KARP_GATE_TERMINATE_FIRST_DRIFT = 64, /* from here on since Karpenter 1.15 */
    KARP_GATE_TERMINATE_FIRST_REPAIR = 128,
    KARP_GATE_POD_DELETION_COST = 256
};

/** What a repair does with a node. */
enum { KARP_REPAIR_REPLACE = 0, KARP_REPAIR_REBOOT = 1 };

/** When a node is repaired, and how: a policy of the provider (docs/disruption.md). Since 0.1. */
typedef struct karp_node_repair {
    karp_str condition; /**< type of a Node's condition */
    karp_str status; /**< "True", "False" or "Unknown" */
    karp_str reason; /**< regular expression (RE2) found in the condition's reason; "" = the policy for all others */
    int64_t toleration; /**< duration since the transition of the condition */
    int64_t termination_grace_period; /**< duration that limits the drain; KARP_DURATION_UNSET = none */
    uint32_t priority; /**< 0 … 100 */
    uint32_t action; /**< KARP_REPAIR_* */
} karp_node_repair;

/** A reboot that repair has decided. Since 0.1. */
typedef struct karp_reboot {
    karp_str node_claim;
    int64_t at; /**< instant */
} karp_reboot;

/** Instances of a reservation that are released before a launch decision. Since 0.1. */
typedef struct karp_reservation_credit {
    karp_str reservation; /**< value of the label reservation_id_label */
    int64_t slots;
} karp_reservation_credit;

/** Process-wide options of Karpenter, label tables of the provider, and state that Karpenter keeps in memory. */
typedef struct karp_settings {
    size_t size;
    uint32_t preference_policy; /**< KARP_PREFERENCES_* */
    uint32_t min_values_policy; /**< KARP_MIN_VALUES_* */
    uint32_t reserved_mode; /**< KARP_RESERVED_* */
    uint32_t gates; /**< KARP_GATE_* */
    uint32_t dra_requests; /**< 1 = dynamic resource allocation; 0 = pods with ResourceClaims are unschedulable */
    uint32_t consolidation_simulation; /**< 1 = decide as inside a consolidation */
    const karp_spread_constraint *default_spread; /**< scheduler-config; without selectors */
    size_t default_spread_count;
    const karp_str *well_known; /**< labels that the provider adds to Karpenter's table; likewise below */
    size_t well_known_count;
    const karp_str *restricted;
    size_t restricted_count;
    const karp_str *restricted_domains;
    size_t restricted_domain_count;
    const karp_label *normalized; /**< key → value */
    size_t normalized_count;
    karp_str reservation_id_label; /**< "" = the provider has no reservations */
    const karp_node_repair
        *repairs; /**< the provider's policies; exactly one has no regular expression, and replaces */
    size_t repair_count;
    const karp_reboot *reboots; /**< that repair has decided before */
    size_t reboot_count;
    const karp_reservation_credit *credits; /**< released before a launch decision */
    size_t credit_count;
    uint32_t legacy_node_repair; /**< 1 = repair is not a disruption method (karp_advise_repair()) */
    uint32_t other_nodes_known; /**< 1 = nodes that are not in karp_builder_set_node_states() count as well */
} karp_settings;

/** Karpenter's defaults: gates = RESERVED_CAPACITY, everything else zero. */
KARP_API void karp_settings_init(karp_settings *settings, size_t size);

/** Makes an empty builder. Errors: NOMEM. */
KARP_API karp_status karp_builder_new(karp_context *context, karp_builder **out, karp_error *error);

/** Frees it. NULL is allowed. */
KARP_API void karp_builder_free(karp_builder *builder);

/** Replaces the settings (default: karp_settings_init()). Copied. Errors: NOMEM, INVALID, ABI_*. */
KARP_API karp_status karp_builder_set_settings(karp_builder *builder, const karp_settings *settings, karp_error *error);

/** The time of the snapshot: an instant. The machine's clock is not read. Default 2026-01-01T00:00:00Z. */
KARP_API karp_status karp_builder_set_now(karp_builder *builder, int64_t now, karp_error *error);

/**
 * Adds the types of @p catalogue to @p pools (by name; none = all pools), after those added before.
 * The builder takes a reference. Errors: NOMEM.
 */
KARP_API karp_status karp_builder_add_catalogue(karp_builder *builder, karp_catalogue *catalogue, const karp_str *pools,
                                                size_t pool_count, karp_error *error);

/**
 * Adds a Pod. There is one such function per kind; the object is copied. Errors of all of them: NOMEM, INVALID (with object and field),
 * DUPLICATE (there is an object of this kind, namespace and name), LIMIT, RANGE (a quantity beyond 128 bits), ABI_*. After an error the
 * builder is unchanged.
 */
KARP_API karp_status karp_builder_add_pod(karp_builder *builder, const karp_pod *pod, karp_error *error);

/** Adds a Node; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_node(karp_builder *builder, const karp_node *node, karp_error *error);
/** Adds a NodeClaim; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_node_claim(karp_builder *builder, const karp_node_claim *claim,
                                                 karp_error *error);
/** Adds a NodePool; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_node_pool(karp_builder *builder, const karp_node_pool *pool, karp_error *error);
/** Adds a node class; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_node_class(karp_builder *builder, const karp_node_class *node_class,
                                                 karp_error *error);
/** Adds a DaemonSet; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_daemon_set(karp_builder *builder, const karp_daemon_set *daemon_set,
                                                 karp_error *error);
/** Adds a PersistentVolumeClaim; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_persistent_volume_claim(karp_builder *builder,
                                                              const karp_persistent_volume_claim *claim,
                                                              karp_error *error);
/** Adds a PersistentVolume; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_persistent_volume(karp_builder *builder, const karp_persistent_volume *volume,
                                                        karp_error *error);
/** Adds a StorageClass; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_storage_class(karp_builder *builder, const karp_storage_class *storage_class,
                                                    karp_error *error);
/** Adds a PodDisruptionBudget; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_pod_disruption_budget(karp_builder *builder,
                                                            const karp_pod_disruption_budget *budget,
                                                            karp_error *error);
/** Adds a Namespace; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_namespace(karp_builder *builder, const karp_namespace *namespace_,
                                                karp_error *error);

/**
 * Validates and indexes all objects. On success the builder is empty afterwards; on failure it is
 * unchanged. A reference to a missing object is not an error: it is a result of the pods concerned.
 * Errors: NOMEM, INVALID, LIMIT, RANGE (amounts of one resource without a common 62-bit scale).
 */
KARP_API karp_status karp_builder_finish(karp_builder *builder, karp_snapshot **out, karp_error *error);

/** Takes a reference and returns @p snapshot. NULL is allowed. */
KARP_API karp_snapshot *karp_snapshot_ref(karp_snapshot *snapshot);

/** Drops a reference; the last one frees. NULL is allowed. */
KARP_API void karp_snapshot_unref(karp_snapshot *snapshot);

/** Numbers of objects in a snapshot. */
typedef struct karp_snapshot_counts {
    size_t size;
    size_t pods; /**< all of them */
    size_t pods_to_place; /**< those listed in the input, else pending pods and the virtual pods of capacity buffers */
    size_t pod_classes; /**< groups of pods that every decision treats alike */
    size_t nodes; /**< state nodes: nodes, and NodeClaims without a Node */
    size_t node_pools;
    size_t instance_types; /**< over all pools' catalogues, each once */
    size_t offerings;
    size_t requirement_sets;
} karp_snapshot_counts;

/** Fills @p counts (its size must be set). */
KARP_API void karp_snapshot_get_counts(const karp_snapshot *snapshot, karp_snapshot_counts *counts);

/** The snapshot's time, an instant. */
KARP_API int64_t karp_snapshot_now(const karp_snapshot *snapshot);

/** Pod @p index of all pods, in the order they were added: "namespace/name". {NULL,0} beyond the end. */
KARP_API karp_str karp_snapshot_pod_name(const karp_snapshot *snapshot, size_t index);

/** State node @p index, in the order of names. {NULL,0} beyond the end. */
KARP_API karp_str karp_snapshot_node_name(const karp_snapshot *snapshot, size_t index);

#ifdef __cplusplus
}
#endif
#endif
