/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file snapshot.h  The input of decisions. A builder takes objects in any order; a snapshot is the validated and
 * indexed objects.
 *
 * A builder belongs to one thread at a time. A snapshot is immutable and reference-counted; any number of threads may
 * decide on it at the same time. Everything in this file is since 0.1. builder.h has what few callers need.
 */
#ifndef KARP_SNAPSHOT_H
#define KARP_SNAPSHOT_H

#include <karp/catalogue.h>
#include <karp/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collects objects. It belongs to one thread at a time. */
typedef struct karp_builder karp_builder;

/**
 * The whole input of decisions. Immutable and reference-counted; any number of threads may decide on it at the same
 * time.
 */
typedef struct karp_snapshot karp_snapshot;

/** Karpenter's option preference-policy: whether preferences of pods count. Numbers never change. */
enum { KARP_PREFERENCES_RESPECT = 0, KARP_PREFERENCES_IGNORE = 1 };
/** Karpenter's option min-values-policy: whether minValues may be relaxed. Numbers never change. */
enum { KARP_MIN_VALUES_STRICT = 0, KARP_MIN_VALUES_BEST_EFFORT = 1 };
/** Whether a pod that could use a reservation waits for it, or takes other capacity. Numbers never change. */
enum { KARP_RESERVED_STRICT = 0, KARP_RESERVED_FALLBACK = 1 };

/** Karpenter's feature gates, ored. Values never change. */
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

/** What repair does with a node. Numbers never change. */
enum { KARP_REPAIR_REPLACE = 0, KARP_REPAIR_REBOOT = 1 };

/** A repair policy of the provider: when a node is repaired, and how (docs/disruption.md). Since 0.1. */
typedef struct karp_node_repair {
    karp_str condition; /**< type of a condition of the Node */
    karp_str status; /**< "True", "False" or "Unknown" */
    karp_str reason; /**< RE2 regular expression that is searched in the condition's reason; "" = the fallback policy */
    int64_t toleration; /**< nanoseconds since the transition of the condition */
    int64_t termination_grace_period; /**< limit of the drain in nanoseconds; KARP_DURATION_UNSET = none */
    uint32_t priority; /**< 0 … 100, higher first */
    uint32_t action; /**< KARP_REPAIR_* */
} karp_node_repair;

/** A reboot that repair decided before. Since 0.1. */
typedef struct karp_reboot {
    karp_str node_claim; /**< name */
    int64_t at; /**< instant in nanoseconds */
} karp_reboot;

/** Instances of a reservation that become free before a launch decision. Since 0.1. */
typedef struct karp_reservation_credit {
    karp_str reservation; /**< its id: a value of the label karp_settings.reservation_id_label */
    int64_t slots; /**< how many instances */
} karp_reservation_credit;

/** Karpenter's options, label tables of the provider, and state that Karpenter keeps in memory. Input only: copied. */
typedef struct karp_settings {
    size_t size;
    uint32_t preference_policy; /**< KARP_PREFERENCES_* */
    uint32_t min_values_policy; /**< KARP_MIN_VALUES_* */
    uint32_t reserved_mode; /**< KARP_RESERVED_* */
    uint32_t gates; /**< KARP_GATE_*, ored */
    uint32_t dra_requests; /**< 1 = dynamic resource allocation; 0 = pods with ResourceClaims are unschedulable */
    uint32_t consolidation_simulation; /**< 1 = decide as inside a consolidation */
    const karp_spread_constraint *default_spread; /**< kube-scheduler's default constraints; they have no selectors */
    size_t default_spread_count;
    const karp_str *well_known; /**< labels that the provider adds to Karpenter's well-known labels */
    size_t well_known_count;
    const karp_str *restricted; /**< … to its restricted labels */
    size_t restricted_count;
    const karp_str *restricted_domains; /**< … to its restricted domains */
    size_t restricted_domain_count;
    const karp_label *normalized; /**< … to its normalized labels: an older key, and the key that it stands for */
    size_t normalized_count;
    karp_str reservation_id_label; /**< "" = the provider has no reservations */
    /** the provider's policies; exactly one has no regular expression, and its action is REPLACE */
    const karp_node_repair *repairs;
    size_t repair_count;
    const karp_reboot *reboots; /**< reboots that repair decided before */
    size_t reboot_count;
    const karp_reservation_credit *credits; /**< reservations that get free before a launch decision */
    size_t credit_count;
    uint32_t legacy_node_repair; /**< 1 = repair is no disruption method; karp_advise_repair() decides it */
    uint32_t other_nodes_known; /**< 1 = nodes that karp_builder_set_node_states() leaves out count, too */
} karp_settings;

/** Sets Karpenter's defaults: gates = KARP_GATE_RESERVED_CAPACITY, everything else 0. */
KARP_API void karp_settings_init(karp_settings *settings, size_t size);

/** Makes an empty builder. The caller owns *@p out (karp_builder_free()). Errors: NOMEM. */
KARP_API karp_status karp_builder_new(karp_context *context, karp_builder **out, karp_error *error);

/** Frees a builder. NULL is allowed. */
KARP_API void karp_builder_free(karp_builder *builder);

/** Replaces the settings; copied. The default is what karp_settings_init() sets. Errors: NOMEM, INVALID, ABI_*. */
KARP_API karp_status karp_builder_set_settings(karp_builder *builder, const karp_settings *settings, karp_error *error);

/**
 * Sets the time of the snapshot, an instant in nanoseconds. The clock of the machine is not read. Default:
 * 2026-01-01T00:00:00Z. Errors: NOMEM, LIMIT, CANCELED, INVALID (KARP_NO_TIME).
 */
KARP_API karp_status karp_builder_set_now(karp_builder *builder, int64_t now, karp_error *error);

/**
 * Adds the instance types of @p catalogue to NodePools: to those named in @p pools, or to all when @p pool_count is 0.
 * They come after types that were added before. The builder takes a reference to @p catalogue. Errors: NOMEM.
 */
KARP_API karp_status karp_builder_add_catalogue(karp_builder *builder, karp_catalogue *catalogue, const karp_str *pools,
                                                size_t pool_count, karp_error *error);

/**
 * Adds a Pod; copied. Each kind has such a function. Errors of all of them: NOMEM, INVALID (with object and field),
 * DUPLICATE (the builder has an object of this kind, namespace and name), LIMIT, RANGE (a quantity beyond 128 bits),
 * ABI_*. After an error the builder is unchanged.
 */
KARP_API karp_status karp_builder_add_pod(karp_builder *builder, const karp_pod *pod, karp_error *error);

/** Adds a Node; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node(karp_builder *builder, const karp_node *node, karp_error *error);
/** Adds a NodeClaim; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node_claim(karp_builder *builder, const karp_node_claim *claim,
                                                 karp_error *error);
/** Adds a NodePool; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node_pool(karp_builder *builder, const karp_node_pool *pool, karp_error *error);
/** Adds a node class; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_node_class(karp_builder *builder, const karp_node_class *node_class,
                                                 karp_error *error);
/** Adds a DaemonSet; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_daemon_set(karp_builder *builder, const karp_daemon_set *daemon_set,
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

/**
 * Validates and indexes all objects. The caller owns *@p out (karp_snapshot_unref()). Afterwards the builder is empty;
 * after an error it is unchanged. A reference to a missing object is not an error: decisions give it as the reason of
 * the pods concerned. Errors: NOMEM, INVALID, LIMIT, RANGE (the amounts of a resource have no common 62-bit scale).
 */
KARP_API karp_status karp_builder_finish(karp_builder *builder, karp_snapshot **out, karp_error *error);

/** Takes a reference and returns @p snapshot. NULL is allowed. A const result can be kept as well. */
KARP_API karp_snapshot *karp_snapshot_ref(const karp_snapshot *snapshot);

/** Drops a reference; the last one frees. NULL is allowed. */
KARP_API void karp_snapshot_unref(karp_snapshot *snapshot);

/** How many objects a snapshot has. */
typedef struct karp_snapshot_counts {
    size_t size;
    size_t pods; /**< all of them */
    size_t pods_to_place; /**< those that the input lists, else pending pods and the virtual pods of CapacityBuffers */
    size_t pod_classes; /**< groups of pods that every decision treats alike */
    size_t nodes; /**< state nodes: Nodes, and NodeClaims without a Node */
    size_t node_pools;
    size_t instance_types; /**< of the catalogues of all NodePools, each once */
    size_t offerings; /**< of these types */
    size_t requirement_sets; /**< different sets of requirements, a measure of memory */
} karp_snapshot_counts;

/** Fills @p counts, whose size the caller has set. */
KARP_API void karp_snapshot_get_counts(const karp_snapshot *snapshot, karp_snapshot_counts *counts);

/** The time of the snapshot: an instant in nanoseconds. */
KARP_API int64_t karp_snapshot_now(const karp_snapshot *snapshot);

/** "namespace/name" of pod @p index, in the order in which pods were added. {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_snapshot_pod_name(const karp_snapshot *snapshot, size_t index);

/** Name of state node @p index, in the order of names. {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_snapshot_node_name(const karp_snapshot *snapshot, size_t index);

#ifdef __cplusplus
}
#endif
#endif
