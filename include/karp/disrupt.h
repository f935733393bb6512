/* SPDX-License-Identifier: Apache-2.0 */
/** @file disrupt.h  Deprovision decisions: which nodes may go, when, why, and what replaces them. */
#ifndef KARP_DISRUPT_H
#define KARP_DISRUPT_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Methods, in the order Karpenter tries them. */
enum {
    KARP_METHOD_ANY = 0, /**< in order; the first that yields a command answers */
    KARP_METHOD_EMPTINESS = 1,
    KARP_METHOD_STATIC_DRIFT = 2,
    KARP_METHOD_DRIFT = 3,
    KARP_METHOD_MULTI_NODE = 4,
    KARP_METHOD_SINGLE_NODE = 5
};

/** "MultiNodeConsolidation"; "" for a number that is none. */
KARP_API const char *karp_method_name(uint32_t method);
/** "Underutilized", "Empty" or "Drifted": the reason a method's commands carry; "" for none. */
KARP_API const char *karp_method_reason(uint32_t method);

typedef struct karp_disrupt_options {
    size_t size;
    karp_options common;
    uint32_t method;          /**< KARP_METHOD_* */
    uint32_t reserved;
    /** Deterministic budget; 0 = none. When it is used up the pass answers with what it has, marked incomplete. */
    uint64_t max_simulations;
    /** Quirks to switch off in profile karpenter, or on in profile karp: bit n−1 for D-Qn (docs/disruption.md). */
    uint64_t flip_quirks;
} karp_disrupt_options;

/** Zeroes @p options and sets the sizes. */
KARP_API void karp_disrupt_options_init(karp_disrupt_options *options, size_t size);

/**
 * One disruption pass, before the 15 s validation. The decision shows candidates, budgets, commands and kept nodes of
 * the method that answered. Errors: NOMEM, CANCELED, ABI_*. A method that cannot be evaluated is a result
 * (karp_decision_disruption()).
 */
KARP_API karp_status karp_disrupt(const karp_snapshot *snapshot, const karp_disrupt_options *options, karp_decision **out,
                                  karp_error *error);

/** Header of a disruption decision. */
typedef struct karp_disruption {
    size_t size;
    uint32_t method;      /**< that answered, or the last one tried */
    uint32_t simulations; /**< how many were made */
    karp_str error_code;  /**< "" = evaluated; else e.g. "NODEPOOLS_NOT_FOUND" */
    karp_str error_message;
} karp_disruption;

typedef struct karp_candidate {
    size_t size;
    karp_str node;
    karp_str node_pool;
    double price;
    double disruption_cost;
    double reschedule_cost;
    const uint32_t *pods; /**< reschedulable ones, by name */
    size_t pod_count;
} karp_candidate;

typedef struct karp_pool_budget {
    size_t size;
    karp_str node_pool;
    int64_t remaining;   /**< disruptions still allowed */
    int64_t next_change; /**< instant at which an active window opens or closes; KARP_NO_TIME = never */
} karp_pool_budget;

typedef struct karp_command {
    size_t size;
    uint32_t method;
    uint32_t replaces; /**< 1 = replace, 0 = delete */
    const karp_str *nodes; /**< in candidate order */
    size_t node_count;
    size_t launch_first; /**< replacements are the decision's launches launch_first … */
    size_t launch_count; /**< … + launch_count − 1 */
    size_t placement_first;
    size_t placement_count;
    double savings;         /**< $/h */
    int64_t validate_after; /**< nanoseconds to wait before validation; 0 = none */
    double score;           /**< Balanced; negative = not scored */
} karp_command;

typedef struct karp_kept {
    size_t size;
    karp_str node;
    karp_str detail;
    uint32_t code;
    uint32_t reserved;
} karp_kept;

KARP_API karp_status karp_decision_disruption(const karp_decision *decision, karp_disruption *out);
KARP_API size_t karp_decision_candidate_count(const karp_decision *decision);
KARP_API karp_status karp_decision_candidate(const karp_decision *decision, size_t index, karp_candidate *out);
KARP_API size_t karp_decision_budget_count(const karp_decision *decision);
KARP_API karp_status karp_decision_budget(const karp_decision *decision, size_t index, karp_pool_budget *out);
KARP_API size_t karp_decision_command_count(const karp_decision *decision);
KARP_API karp_status karp_decision_command(const karp_decision *decision, size_t index, karp_command *out);
KARP_API size_t karp_decision_kept_count(const karp_decision *decision);
KARP_API karp_status karp_decision_kept(const karp_decision *decision, size_t index, karp_kept *out);

#ifdef __cplusplus
}
#endif
#endif
