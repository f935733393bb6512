/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file settings.h  Settings of a snapshot: Karpenter's options and feature gates, what its provider states, and what
 * it remembers. Everything in this file is since 1.0.
 */
#ifndef KARP_SETTINGS_H
#define KARP_SETTINGS_H

#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Karpenter's option preference-policy: whether preferences of pods count. Numbers never change. */
enum { KARP_PREFERENCES_RESPECT = 0, KARP_PREFERENCES_IGNORE = 1 };

/** Karpenter's option min-values-policy: whether minValues may be relaxed. Numbers never change. */
enum { KARP_MIN_VALUES_STRICT = 0, KARP_MIN_VALUES_BEST_EFFORT = 1 };

/** Whether a pod that could use a reservation waits for it, or takes other capacity. Numbers never change. */
enum { KARP_RESERVED_STRICT = 0, KARP_RESERVED_FALLBACK = 1 };

/** Karpenter's feature gates, and those of its AWS provider, ored. Values never change. */
enum {
    KARP_GATE_RESERVED_CAPACITY = 1,
    KARP_GATE_SPOT_TO_SPOT = 2,
    KARP_GATE_NODE_REPAIR = 4,
    KARP_GATE_NODE_OVERLAY = 8,
    KARP_GATE_STATIC_CAPACITY = 16,
    KARP_GATE_CAPACITY_BUFFER = 32,
    KARP_GATE_TERMINATE_FIRST_DRIFT = 64, /* from here on since Karpenter 1.15 */
    KARP_GATE_TERMINATE_FIRST_REPAIR = 128,
    KARP_GATE_POD_DELETION_COST = 256,
    /* Of the AWS provider 1.15 (--aws-feature-gates). Decisions do not read them: they are for who makes the input. */
    KARP_GATE_NODE_CLASS_CEL = 512, /**< kubelet settings of an EC2NodeClass may be CEL expressions */
    KARP_GATE_DRA_NVIDIA_GPU = 1024, /**< instance types have NVIDIA's devices */
    KARP_GATE_DRA_EFA = 2048, /**< instance types have EFA devices */
    KARP_GATE_REBOOT_FOR_REPAIR = 4096 /**< faults that a reboot clears are repaired by one */
};

/** What repair does with a node. Numbers never change. */
enum { KARP_REPAIR_REPLACE = 0, KARP_REPAIR_REBOOT = 1 };

/** A repair policy of the provider: when a node is repaired, and how (docs/disruption.md). Since 1.0. */
typedef struct karp_node_repair {
    karp_str condition; /**< type of a condition of the Node */
    karp_str status; /**< "True", "False" or "Unknown" */
    karp_str reason; /**< RE2 regular expression that is searched in the condition's reason; "" = the fallback policy */
    int64_t toleration; /**< nanoseconds since the transition of the condition */
    int64_t termination_grace_period; /**< limit of the drain in nanoseconds; KARP_DURATION_UNSET = none */
    uint32_t priority; /**< 0 … 100, higher first */
    uint32_t action; /**< KARP_REPAIR_* */
} karp_node_repair;

/** A reboot that repair decided before. Since 1.0. */
typedef struct karp_reboot {
    karp_str node_claim; /**< name */
    int64_t at; /**< instant in nanoseconds */
} karp_reboot;

/** Instances of a reservation that become free before a launch decision. Since 1.0. */
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

/**
 * Replaces the settings; copied. The default is what karp_settings_init() sets. Errors: NOMEM, INVALID, DUPLICATE (two
 * default constraints on one key), ABI_*.
 */
KARP_API karp_status karp_builder_set_settings(karp_builder *builder, const karp_settings *settings, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
