/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: cluster-autoscaler, provisioningrequest/checkcapacity and provisioningrequest/besteffortatomic; Karpenter
 * 1.15.0, pkg/controllers/provisioning/buffers.go, and for "Infeasible" kubernetes-sigs/karpenter#3223 and #3318.
 */
#include <explain/request_conditions.h>

#include <base/str.h>

static karp_request_condition condition(const char *type, bool is_true, const char *reason, const char *message)
{
    return (karp_request_condition){ .size = sizeof(karp_request_condition),
                                     .type = str(type),
                                     .status = str(is_true ? "True" : "False"),
                                     .reason = str(reason),
                                     .message = str(message) };
}

size_t request_conditions(const request_facts *r, karp_request_condition out[MOST_CONDITIONS])
{
    bool check = str_is(r->class_name, "check-capacity.autoscaling.x-k8s.io");
    bool atomic = str_is(r->class_name, "best-effort-atomic-scale-up.autoscaling.x-k8s.io");
    if (!check && !atomic) return 0;
    out[0] = condition("Accepted", true, "Accepted", "cluster-autoscaler looks at the request");
    if (r->refused) out[1] = condition("Failed", true, "Expired", "it was not provisioned within seven days");
    else if (r->verdict == KARP_ADMIT_NOW)
        out[1] = condition("Provisioned", true, "CapacityIsFound", "there is room on nodes that are ready");
    else if (r->verdict == KARP_ADMIT_LAUNCH && atomic)
        out[1] = condition("Provisioned", true, "CapacityIsProvisioned", "nodes are launched for all of its pods");
    else if (check && r->no_retry)
        out[1] = condition("Failed", true, "CapacityIsNotFound", "there is no room, and it is not tried again");
    else out[1] = condition("Provisioned", false, "CapacityIsNotFound", "there is no room; it is tried again later");
    return 2;
}

size_t buffer_conditions(const karp_admitted *row, bool offered, karp_request_condition out[MOST_CONDITIONS])
{
    if (row->verdict == KARP_ADMIT_NOW)
        out[0] = condition("Provisioning", true, "FitsExistingCapacity", "there is room for all of its pods");
    else if (!offered)
        out[0] = condition("Provisioning", false, "Infeasible",
                           "no NodePool has an offering for its pods, available or not");
    else out[0] = condition("Provisioning", false, "RequiresNewCapacity", "some of its pods need new nodes");
    return 1;
}
