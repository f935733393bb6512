/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file disrupt.h  Disruption decisions: which nodes Karpenter would remove, when and why, and what replaces them
 * (docs/disruption.md).
 *
 * A disruption decision is a karp_decision (decision.h) with commands; passes.h has its kept nodes, candidates and
 * budgets. Getters borrow from it. All functions may be called by several threads on one snapshot or decision.
 * Everything in this file is since 1.0.
 */
#ifndef KARP_DISRUPT_H
#define KARP_DISRUPT_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

struct karp_memory; /* passes.h */

/**
 * Disruption methods. ANY tries REPAIR and then EMPTINESS … SINGLE_NODE in this order, as Karpenter does. Numbers never
 * change.
 */
enum {
    KARP_METHOD_ANY = 0, /**< all in their order, until one finds a command */
    KARP_METHOD_EMPTINESS = 1,
    KARP_METHOD_STATIC_DRIFT = 2,
    KARP_METHOD_DRIFT = 3,
    KARP_METHOD_MULTI_NODE = 4,
    KARP_METHOD_SINGLE_NODE = 5,
    /**
     * Nodes older than their expireAfter, as before Karpenter 1.0: budgets limit it, pods block it, and replacements
     * are launched first. It is tried only when it is named, or first with karp_disrupt_options.expire_gracefully.
     */
    KARP_METHOD_EXPIRATION = 6,
    /**
     * Unhealthy nodes, by the policies of karp_settings.repairs; tried first. It needs KARP_GATE_NODE_REPAIR, no
     * legacy_node_repair, and the rules of Karpenter 1.15. Since 1.0.
     */
    KARP_METHOD_REPAIR = 7,
    /** The method of the steps of karp_repack() (repack.h). karp_disrupt() refuses it. Since 1.0. */
    KARP_METHOD_REPACK = 8,
    /**
     * The method of karp_launch_static_pools(): nodes of static NodePools beyond their replicas. karp_disrupt() refuses
     * it. Since 1.0.
     */
    KARP_METHOD_STATIC_DEPROVISIONING = 9
};

/** Options of karp_disrupt() and of the functions that explain its decisions. */
typedef struct karp_disrupt_options {
    size_t size;
    const karp_options *common; /**< clock, profile, explain level, when to stop; NULL = defaults */
    uint32_t method; /**< KARP_METHOD_* */
    uint32_t expire_gracefully; /**< 1 = KARP_METHOD_ANY tries KARP_METHOD_EXPIRATION first */
    /**
     * How many simulations may be made; 0 = any number. When they are used up, the decision is returned as it is then,
     * marked incomplete. Equal input gives equal results.
     */
    uint64_t max_simulations;
    /**
     * Quirks that are switched off in profile karpenter, or on in profile karp: bit n − 1 for D-Qn
     * (docs/disruption.md).
     */
    uint64_t flip_quirks;
    const struct karp_memory *memory; /**< what the pass before remembered (passes.h); NULL = all nodes are evaluated */
    const karp_str *in_progress; /**< nodes of commands in progress: they are kept, with IN_QUEUE */
    size_t in_progress_count;
    /**
     * 1 = the decision has only commands and budgets, for callers with many passes. Candidates, state nodes and kept
     * nodes are not listed, karp_decision_cost_after() is 0, and nodes that certainly stay are skipped without a
     * simulation. The commands are the same. Since 1.0.
     */
    uint32_t commands_only;
    /**
     * 1 = the caller watches the cluster and has set `memory->changed` itself, to a later time for each change. Then
     * the pass does not look for changes, which takes long on a large cluster. Since 1.0.
     */
    uint32_t watched;
    /**
     * Names of NodePools whose drifted nodes stay in this pass, with DRIFT_BACKOFF: kubernetes-sigs/karpenter#3178
     * keeps them after replacements have failed. Static NodePools are not. Since 1.0.
     */
    const karp_str *backed_off;
    size_t backed_off_count;
    /**
     * Nodes that pending pods are nominated for, as a launch decision at this time does for each of its placements:
     * they are no candidates (NOMINATED), beside those whose state says so. Names that are no state nodes are ignored.
     * Since 1.0.
     */
    const karp_str *nominated;
    size_t nominated_count;
} karp_disrupt_options;

/** Sets the defaults: the size of @p options, everything else 0. */
KARP_API void karp_disrupt_options_init(karp_disrupt_options *options, size_t size);

/**
 * One disruption pass, before the validation 15 s later (karp_disrupt_validate()). The decision has the commands, kept
 * nodes, candidates and budgets of the method that found a command, or else of the last method. That a method cannot be
 * evaluated is a result (karp_decision_disruption()), not an error. @p options may be NULL. The caller owns *@p out
 * (karp_decision_unref()). Errors: INVALID (an option), RANGE (amounts that cannot be added up or counted exactly),
 * NOMEM, CANCELED, LIMIT, ABI_*.
 */
KARP_API karp_status karp_disrupt(const karp_snapshot *snapshot, const karp_disrupt_options *options,
                                  karp_decision **out, karp_error *error);

/** What a command does with its nodes. Numbers never change. */
enum {
    KARP_COMMAND_DELETE = 0,
    KARP_COMMAND_REPLACE = 1, /**< replacements are launched first */
    KARP_COMMAND_TERMINATE_FIRST = 2, /**< deleted first; replacements can only be launched afterwards */
    KARP_COMMAND_REBOOT = 3 /**< the node stays, its NodeClaim gets the condition Rebooting */
};

/**
 * Why a node is terminated first: it holds reserved capacity that its replacement needs, or its static NodePool is at
 * limits.nodes. Numbers never change.
 */
enum { KARP_TERMINATE_FIRST_NO_RESERVED_CAPACITY = 1, KARP_TERMINATE_FIRST_STATIC_AT_LIMIT = 2 };

/** Nodes that are disrupted together, and what replaces them. */
typedef struct karp_command {
    size_t size;
    uint32_t method; /**< KARP_METHOD_* */
    uint32_t replaces; /**< 1 = replacements are launched first (`decision` says more) */
    const karp_str *nodes; /**< names, in the order of the candidates */
    size_t node_count;
    size_t launch_first; /**< its replacements are the launches launch_first … */
    size_t launch_count; /**< … launch_first + launch_count − 1 of the decision */
    size_t placement_first; /**< its placements are placement_first … */
    size_t placement_count; /**< … placement_first + placement_count − 1 of the decision */
    double savings; /**< $/h: the prices of the nodes without those of their replacements; negative = it costs more */
    int64_t validate_after; /**< nanoseconds until it is validated; 0 = it is not validated */
    double score; /**< of the policy Balanced; negative = not scored */
    uint32_t decision; /**< KARP_COMMAND_* */
    uint32_t terminate_first; /**< KARP_TERMINATE_FIRST_*; 0 = it is not terminated first */
    int64_t termination_grace_period; /**< limit of the drain in ns, set by repair; KARP_DURATION_UNSET = none */
    /**
     * 1 = a replacement cannot be launched: no offering is available for its final requirements (quirk D-Q11), or for
     * its static NodePool. Karpenter abandons such a command when the launch fails. `savings` is 0, and the cost after
     * the decision is that without it.
     */
    uint32_t replacement_unavailable;
    /** 1 = some of its nodes, or of those that receive its pods, have expired: Karpenter deletes them whatever the pass
     * decides, so that `savings` do not last. Since 1.0 */
    uint32_t expired;
    /**
     * Pods in its launches and placements that are not from its nodes, but were pending before: Karpenter simulates
     * both together, and launches nodes for them with the command. `savings` has the prices of these nodes. Since 1.0
     */
    size_t waiting;
} karp_command;

/** Number of commands, in the order in which they were found. 0 for a launch decision. */
KARP_API size_t karp_decision_command_count(const karp_decision *decision);
/** Command @p index, borrowed from @p decision. Errors: NOT_FOUND beyond the end, ABI_SIZE. */
KARP_API karp_status karp_decision_command(const karp_decision *decision, size_t index, karp_command *out);

#ifdef __cplusplus
}
#endif
#endif
