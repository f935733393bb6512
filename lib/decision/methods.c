/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the disruption methods, in the order in which they are tried (deprovisioning.md §2). */
#include <karp/disrupt.h>

static const struct {
    const char *name, *reason;
} methods[] = {
    [KARP_METHOD_EMPTINESS] = { "Emptiness", "Empty" },
    [KARP_METHOD_STATIC_DRIFT] = { "StaticDrift", "Drifted" },
    [KARP_METHOD_DRIFT] = { "Drift", "Drifted" },
    [KARP_METHOD_MULTI_NODE] = { "MultiNodeConsolidation", "Underutilized" },
    [KARP_METHOD_SINGLE_NODE] = { "SingleNodeConsolidation", "Underutilized" },
    [KARP_METHOD_EXPIRATION] = { "Expiration", "Expired" },
    [KARP_METHOD_REPAIR] = { "Repair", "Unhealthy" },
    [KARP_METHOD_REPACK] = { "Repack", "Underutilized" },
    [KARP_METHOD_STATIC_DEPROVISIONING] = { "StaticDeprovisioning", "ScaleDown" },
};

static int known(uint32_t method) { return method > KARP_METHOD_ANY && method <= KARP_METHOD_STATIC_DEPROVISIONING; }

const char *karp_method_name(uint32_t method) { return known(method) ? methods[method].name : ""; }
const char *karp_method_reason(uint32_t method) { return known(method) ? methods[method].reason : ""; }
