/* SPDX-License-Identifier: Apache-2.0 */
/** @file disrupt.h  Disruption decisions: which nodes Karpenter would remove, when, why, and what replaces them. */
#ifndef KARP_DISRUPT_H
#define KARP_DISRUPT_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

struct karp_memory; /* passes.h */

/** Methods, in the order Karpenter tries them. */
enum {
    KARP_METHOD_ANY = 0, /**< all in order, until one finds a command */
    KARP_METHOD_EMPTINESS = 1,
    KARP_METHOD_STATIC_DRIFT = 2,
    KARP_METHOD_DRIFT = 3,
    KARP_METHOD_MULTI_NODE = 4,
    KARP_METHOD_SINGLE_NODE = 5,
    /**
     * Nodes older than their expireAfter, as before Karpenter 1.0: limited by budgets, blocked by pods, and with
     * replacements launched first. Tried only when it is named, or first with karp_disrupt_options.expire_gracefully.
     */
    KARP_METHOD_EXPIRATION = 6,
    /**
     * Unhealthy nodes, by the policies in the settings; tried first. Only with KARP_GATE_NODE_REPAIR, without legacy_node_repair,
     * and by the rules of Karpenter 1.15. Since 0.1.
     */
    KARP_METHOD_REPAIR = 7,
    /** The steps of karp_repack() (repack.h); karp_disrupt() refuses it. Since 0.1. */
    KARP_METHOD_REPACK = 8,
    /** Nodes that static NodePools have beyond their replicas: of karp_launch_static_pools(); karp_disrupt() refuses it. Since 0.1. */
    KARP_METHOD_STATIC_DEPROVISIONING = 9
};

/** "MultiNodeConsolidation"; "" for a number that is none. */
KARP_API const char *karp_method_name(uint32_t method);
/** "Underutilized", "Empty", "Drifted", "Expired", "Unhealthy" or "ScaleDown": the reason of a method's commands; "" for no method. */
KARP_API const char *karp_method_reason(uint32_t method);

/** Options of karp_disrupt() and of what explains it. */
typedef struct karp_disrupt_options {
    size_t size;
    const karp_options *common; /**< clock, profile, explanations, when to stop; NULL = defaults */
    uint32_t method; /**< KARP_METHOD_* */
    uint32_t expire_gracefully; /**< 1 = with KARP_METHOD_ANY, KARP_METHOD_EXPIRATION comes first */
    /** Deterministic budget; 0 = none. When it is used up, the decision is returned as it is then, marked incomplete. */
    uint64_t max_simulations;
    /** Quirks to switch off in profile karpenter, or on in profile karp: bit n−1 for D-Qn (docs/disruption.md). */
    uint64_t flip_quirks;
    const struct karp_memory *memory; /**< of the previous pass (passes.h); NULL = every pass evaluates all nodes */
    const karp_str *in_progress; /**< names of nodes in commands that are being carried out: they stay, IN_QUEUE */
    size_t in_progress_count;
    /**
     * 1 = only commands and budgets are returned, for callers with many passes: candidates, nodes and kept nodes are not listed, cost_after
     * is 0, and nodes that certainly stay are skipped without a simulation. The commands are the same. Since 0.1.
     */
    uint32_t commands_only;
    uint32_t reserved; /**< 0 */
} karp_disrupt_options;

/** Zeroes @p options and sets its size. */
KARP_API void karp_disrupt_options_init(karp_disrupt_options *options, size_t size);

/**
 * One disruption pass, before the 15 s validation. The decision has candidates, budgets, commands and kept nodes of
 * the method that found a command, or of the last one. Errors: NOMEM, CANCELED, ABI_*. A method that cannot be evaluated is a result
 * (karp_decision_disruption()).
 */
KARP_API karp_status karp_disrupt(const karp_snapshot *snapshot, const karp_disrupt_options *options,
                                  karp_decision **out, karp_error *error);

/** Header of a disruption decision. */
typedef struct karp_disruption {
    size_t size;
    uint32_t method; /**< that found a command, or the last one tried */
    uint32_t simulations; /**< their number */
    karp_str error_code; /**< "" = evaluated; else e.g. "NODEPOOLS_NOT_FOUND" */
    karp_str error_message;
    /**
     * Nanoseconds until the next pass of Karpenter's controller: 0 if there is a command, 1 s while some NodeClaim has
     * no provider ID yet, else 10 s.
     */
    int64_t requeue_after;
} karp_disruption;

/** What a command does with its nodes. Numbers never change. */
enum {
    KARP_COMMAND_DELETE = 0,
    KARP_COMMAND_REPLACE = 1, /**< replacements are launched first */
    KARP_COMMAND_TERMINATE_FIRST = 2, /**< deleted; their replacements can only be launched after that */
    KARP_COMMAND_REBOOT = 3 /**< the node stays, its claim gets the condition Rebooting */
};

/** Why a node is terminated first. */
enum { KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY = 1, KARP_TERMINATE_FIRST_STATIC_AT_LIMIT = 2 };

/** Nodes that are disrupted together, and their replacements. */
typedef struct karp_command {
    size_t size;
    uint32_t method;
    uint32_t replaces; /**< 1 = replacements are launched first, 0 = not; see decision */
    const karp_str *nodes; /**< in candidate order */
    size_t node_count;
    size_t launch_first; /**< replacements are the decision's launches launch_first … */
    size_t launch_count; /**< … + launch_count − 1 */
    size_t placement_first;
    size_t placement_count;
    double savings; /**< $/h */
    int64_t validate_after; /**< nanoseconds to wait before validation; 0 = none */
    double score; /**< Balanced; negative = not scored */
    uint32_t decision; /**< KARP_COMMAND_* */
    uint32_t terminate_first; /**< KARP_TERMINATE_FIRST_* */
    int64_t termination_grace_period; /**< duration that limits the drain, set by repair; KARP_DURATION_UNSET = none */
    /** 1 = a replacement cannot be launched, as its final requirements have no available offering (quirk D-Q11). Karpenter abandons such a
     * command when the launch fails, so `savings` is 0 and the cost after does not include it. */
    uint32_t replacement_unavailable;
    uint32_t reserved;
} karp_command;

/** A node that stays, and why. */
typedef struct karp_kept {
    size_t size;
    karp_str node;
    karp_str detail;
    uint32_t code;
    uint32_t reserved;
} karp_kept;

/** The header of a disruption. Errors: NOT_FOUND for a launch decision, ABI_SIZE. */
KARP_API karp_status karp_decision_disruption(const karp_decision *decision, karp_disruption *out);
/** Commands, in the order in which they were found. */
KARP_API size_t karp_decision_command_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_command(const karp_decision *decision, size_t index, karp_command *out);
/** Nodes that stay, with their reasons. */
KARP_API size_t karp_decision_kept_count(const karp_decision *decision);
/** Row @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_kept(const karp_decision *decision, size_t index, karp_kept *out);

#ifdef __cplusplus
}
#endif
#endif
