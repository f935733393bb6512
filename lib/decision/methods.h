/* SPDX-License-Identifier: Apache-2.0 */
/* The disruption methods: one row for each, from which follows all that is told of them and what lib/disrupt calls. */
#pragma once

#include <karp/passes.h>

/* What a node's NodeClaim has to be like for the method to ask about the node: bits. */
enum {
    CLAIM_ANY = 0, /* the claim alone never rules the method out */
    CLAIM_DRIFTED = 1,
    CLAIM_CONSOLIDATABLE = 2,
    CLAIM_MAYBE_EMPTY = 4 /* consolidatable, and not known to have pods that move */
};

enum { /* beside KARP_METHOD_FLAG_* */
       METHOD_EVENTUAL = 256, /* it tolerates blocking pods, and its commands are not validated again */
       METHOD_STATIC_POOLS = 512 /* it decides itself about nodes of static NodePools */
};

/* What most rows have. */
#define DRIFT_FLAGS KARP_METHOD_FLAG_PASS | METHOD_EVENTUAL
#define LATER_FLAGS KARP_METHOD_FLAG_PASS | KARP_METHOD_FLAG_PODS_LATER

/* In the order of a pass: KARP_METHOD_*, name, reason, the reason that budgets name (0 = they cannot), the claims in
 * question, flags; and of lib/disrupt: whether a node may be removed, what finds commands, and whether a pass that is
 * given no method tries it (NULL = always). */
#define METHOD_ROWS(ROW)                                                                                               \
    ROW(REPAIR, "Repair", "Unhealthy", KARP_BUDGET_UNHEALTHY, CLAIM_ANY,                                               \
        DRIFT_FLAGS | LATER_FLAGS | KARP_METHOD_FLAG_FORCED | METHOD_STATIC_POOLS, eligible_for_repair, method_repair, \
        repair_offered)                                                                                                \
    ROW(EXPIRATION, "Expiration", "Expired", 0, CLAIM_ANY, DRIFT_FLAGS | LATER_FLAGS | KARP_METHOD_FLAG_FORCED,        \
        eligible_expired, method_drift, expiration_offered)                                                            \
    ROW(EMPTINESS, "Emptiness", "Empty", KARP_BUDGET_EMPTY, CLAIM_MAYBE_EMPTY, LATER_FLAGS, eligible_empty,            \
        method_emptiness, NULL)                                                                                        \
    ROW(STATIC_DRIFT, "StaticDrift", "Drifted", KARP_BUDGET_DRIFTED, CLAIM_DRIFTED,                                    \
        DRIFT_FLAGS | LATER_FLAGS | METHOD_STATIC_POOLS, eligible_static, method_static_drift, NULL)                   \
    ROW(DRIFT, "Drift", "Drifted", KARP_BUDGET_DRIFTED, CLAIM_DRIFTED, DRIFT_FLAGS, eligible_drifted, method_drift,    \
        NULL)                                                                                                          \
    ROW(MULTI_NODE, "MultiNodeConsolidation", "Underutilized", KARP_BUDGET_UNDERUTILIZED, CLAIM_CONSOLIDATABLE,        \
        KARP_METHOD_FLAG_PASS, eligible_to_consolidate, method_multi_node, NULL)                                       \
    ROW(SINGLE_NODE, "SingleNodeConsolidation", "Underutilized", KARP_BUDGET_UNDERUTILIZED, CLAIM_CONSOLIDATABLE,      \
        KARP_METHOD_FLAG_PASS, eligible_to_consolidate, method_single_node, NULL)                                      \
    ROW(REPACK, "Repack", "Underutilized", KARP_BUDGET_UNDERUTILIZED, CLAIM_ANY, KARP_METHOD_FLAG_REPACK,              \
        eligible_to_repack, NULL, NULL)                                                                                \
    ROW(STATIC_DEPROVISIONING, "StaticDeprovisioning", "ScaleDown", KARP_BUDGET_UNDERUTILIZED, CLAIM_ANY, 0,           \
        eligible_to_consolidate, NULL, NULL)
