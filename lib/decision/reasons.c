/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of reason codes: name, text, and whether waiting can help. The names of the disruption methods. */
#include <karp/command.h>
#include <karp/explain.h>
#include <karp/inspect.h>
#include <karp/passes.h>

struct reason {
    uint32_t code;
    uint32_t permanent;
    const char *name;
    const char *text;
};

static const struct reason registry[] = {
    { KARP_REASON_MIN_VALUES, 1, "MIN_VALUES", "too few distinct values are left for a requirement with minValues" },
    { KARP_REASON_NOTHING_MATCHED, 1, "NOTHING_MATCHED",
      "no instance type meets the requirements, is large enough and has an offering" },
    { KARP_REASON_REQUIREMENTS_AND_RESOURCES, 1, "REQUIREMENTS_AND_RESOURCES",
      "no instance type meets the requirements, and none is large enough" },
    { KARP_REASON_REQUIREMENTS_AND_OFFERING, 1, "REQUIREMENTS_AND_OFFERING",
      "no instance type meets the requirements, and none has an offering" },
    { KARP_REASON_RESOURCES_AND_OFFERING, 1, "RESOURCES_AND_OFFERING",
      "no instance type that is large enough has an offering" },
    { KARP_REASON_TYPE_REQUIREMENTS, 1, "TYPE_REQUIREMENTS", "no instance type meets the requirements" },
    { KARP_REASON_TYPE_RESOURCES, 1, "TYPE_RESOURCES", "no instance type is large enough" },
    { KARP_REASON_TYPE_OFFERING, 0, "TYPE_OFFERING", "no instance type has an offering" },
    { KARP_REASON_FITS_COMPATIBLE_NO_OFFERING, 0, "FITS_COMPATIBLE_NO_OFFERING",
      "the instance types that meet the requirements and are large enough have no offering" },
    { KARP_REASON_FITS_OFFERING_NOT_COMPATIBLE, 1, "FITS_OFFERING_NOT_COMPATIBLE",
      "the instance types that are large enough and have an offering do not meet the requirements" },
    { KARP_REASON_COMPATIBLE_OFFERING_NO_FIT, 1, "COMPATIBLE_OFFERING_NO_FIT",
      "the instance types that meet the requirements and have an offering are too small" },
    { KARP_REASON_TUPLE, 1, "TUPLE", "no instance type meets requirements, resources and offering at once" },
    { KARP_REASON_TAINTS, 1, "TAINTS", "a taint is not tolerated" },
    { KARP_REASON_REQUIREMENTS, 1, "REQUIREMENTS", "node selector or node affinity cannot be met" },
    { KARP_REASON_VOLUME, 1, "VOLUME", "a volume is bound to another topology" },
    { KARP_REASON_VOLUME_LIMIT, 0, "VOLUME_LIMIT", "the node's limit of attached volumes is reached" },
    { KARP_REASON_RESERVED_FULL, 0, "RESERVED_FULL", "the only compatible reserved capacity is full" },
    { KARP_REASON_VOLUME_LOOK_UP, 1, "VOLUME_LOOK_UP", "the volumes of the pod cannot be looked up" },
    { KARP_REASON_HOST_PORT, 0, "HOST_PORT", "a host port is in use" },
    { KARP_REASON_RESOURCES, 0, "RESOURCES", "not enough free resources" },
    { KARP_REASON_TOPOLOGY, 0, "TOPOLOGY", "no domain satisfies spread, affinity or anti-affinity" },
    { KARP_REASON_TOPOLOGY_REQUIREMENTS, 0, "TOPOLOGY_REQUIREMENTS",
      "the domain that topology asks for is not possible here" },
    { KARP_REASON_NODE_LIMITS, 0, "NODE_LIMITS", "the pool's limit of nodes is reached" },
    { KARP_REASON_LIMITS, 0, "LIMITS", "every instance type would exceed the pool's limits" },
    { KARP_REASON_RESERVED, 0, "RESERVED", "reserved capacity could not be reserved; the pod waits for a later round" },
    { KARP_REASON_DRA, 1, "DRA", "the pod uses dynamic resource allocation, which is switched off" },
    { KARP_REASON_NO_TEMPLATES, 1, "NO_TEMPLATES", "the pools' own requirements leave no available instance type" },
    { KARP_REASON_NO_NODEPOOLS, 0, "NO_NODEPOOLS", "there is no NodePool that is ready and not static" },
    { KARP_REASON_UNINITIALIZED_NODE, 0, "UNINITIALIZED_NODE",
      "the pod would go to a node that is not initialized yet" },
    { KARP_REASON_CONSOLIDATE_AFTER, 0, "CONSOLIDATE_AFTER", "the node is within its pool's consolidateAfter" },
    { KARP_REASON_MIN_VALUES_TRUNCATED, 1, "MIN_VALUES_TRUNCATED",
      "minValues is not satisfied after the last restrictions: to 600 instance types, reservations and devices" },
    { KARP_REASON_NOT_REACHED, 0, "NOT_REACHED", "the budget ended before the pod was considered" },
    { KARP_REASON_SEVERAL, 0, "SEVERAL", "the pools refuse the pod for different reasons" },
    { KARP_REASON_DRA_NOT_EVALUATED, 1, "DRA_NOT_EVALUATED", "a device selector uses more of CEL than is evaluated" },
    { KARP_REASON_DEVICES, 0, "DEVICES", "the devices that the resource claims ask for are not available" },
    { KARP_REASON_DEVICE_SEARCH, 0, "DEVICE_SEARCH",
      "the search for devices was given up: there are too many combinations" },
    { KARP_REASON_RESOURCE_CLAIM, 0, "RESOURCE_CLAIM", "a resource claim does not exist" },
    { KARP_REASON_GROUP_MISSING, 0, "GROUP_MISSING", "the group of the pod, or one above it, does not exist" },
    { KARP_REASON_GROUP_GATED, 0, "GROUP_GATED", "a pod of its group has a scheduling gate" },
    { KARP_REASON_GROUP_INCOMPLETE, 0, "GROUP_INCOMPLETE", "its group has fewer pods than its minimum" },
    { KARP_REASON_GROUP_PRIORITY, 1, "GROUP_PRIORITY", "the pods of its group differ from the group in priority" },
    { KARP_REASON_GROUP_DOMAINS, 1, "GROUP_DOMAINS",
      "the bound pods of its group are not in one domain of the group's topology key" },
    { KARP_REASON_GROUP_MINIMUM, 0, "GROUP_MINIMUM", "fewer pods of its group fit than have to start together" },
    { KARP_REASON_GROUP_COMPOSITE, 0, "GROUP_COMPOSITE",
      "fewer groups of the composite above its group can start than have to" },
    { KARP_REASON_GROUP_DOMAIN_FULL, 0, "GROUP_DOMAIN_FULL",
      "its group starts in one domain of its topology key, where there is no place for this pod" },
    { KARP_REASON_GROUP_REFUSED, 0, "GROUP_REFUSED", "its queue does not admit it, whatever room there is" },
    { KARP_REASON_NOT_FOR_KARPENTER, 1, "NOT_FOR_KARPENTER",
      "the pod is configured to not run on a Karpenter provisioned node" },
    { KARP_REASON_INVALID_SELECTOR, 1, "INVALID_SELECTOR", "the node selector is not valid" },
    { KARP_REASON_INVALID_AFFINITY, 1, "INVALID_AFFINITY", "the node affinity is not valid" },
    { KARP_REASON_INVALID_VOLUME, 0, "INVALID_VOLUME", "a persistent volume claim cannot be used" },
    { KARP_REASON_INVALID_SEVERAL, 1, "INVALID_SEVERAL", "several parts of the pod are not valid" },
    { KARP_REASON_NOT_CREATED, 0, "NOT_CREATED", "its StatefulSet creates it when the pod before it is ready" },
    { KARP_REASON_IN_QUEUE, 0, "IN_QUEUE", "the node is part of a command in progress" },
    { KARP_REASON_NOT_MANAGED, 1, "NOT_MANAGED", "the node is not managed: it has no NodeClaim" },
    { KARP_REASON_NO_NODE, 0, "NO_NODE", "the NodeClaim has no Node yet" },
    { KARP_REASON_NOT_INITIALIZED, 0, "NOT_INITIALIZED", "the node is not initialized yet" },
    { KARP_REASON_DELETING, 0, "DELETING", "the node is being deleted" },
    { KARP_REASON_NOMINATED, 0, "NOMINATED", "pods are on their way to the node" },
    { KARP_REASON_NODE_DO_NOT_DISRUPT, 0, "NODE_DO_NOT_DISRUPT", "the node carries karpenter.sh/do-not-disrupt" },
    { KARP_REASON_NO_NODEPOOL_LABEL, 1, "NO_NODEPOOL_LABEL", "the node has no karpenter.sh/nodepool label" },
    { KARP_REASON_NODEPOOL_NOT_FOUND, 0, "NODEPOOL_NOT_FOUND",
      "the node's NodePool does not exist or has no instance types" },
    { KARP_REASON_POD_DO_NOT_DISRUPT, 0, "POD_DO_NOT_DISRUPT", "a pod carries karpenter.sh/do-not-disrupt" },
    { KARP_REASON_PDB_MULTIPLE, 1, "PDB_MULTIPLE", "a pod is covered by several PodDisruptionBudgets" },
    { KARP_REASON_PDB_BLOCKED, 0, "PDB_BLOCKED", "a PodDisruptionBudget allows no disruption" },
    { KARP_REASON_STATIC, 1, "STATIC", "the node belongs to a static NodePool" },
    { KARP_REASON_CONSOLIDATION_DISABLED, 1, "CONSOLIDATION_DISABLED", "consolidateAfter is Never" },
    { KARP_REASON_BUFFER_PODS, 0, "BUFFER_PODS", "the node has the spare capacity of a CapacityBuffer" },
    { KARP_REASON_NOT_EMPTY, 0, "NOT_EMPTY", "pods run on the node" },
    { KARP_REASON_EMPTY_NODE, 0, "EMPTY_NODE", "the node is empty: the method Emptiness decides about it" },
    { KARP_REASON_NOT_CONSOLIDATABLE, 0, "NOT_CONSOLIDATABLE", "the condition Consolidatable is not true" },
    { KARP_REASON_NOT_DRIFTED, 0, "NOT_DRIFTED", "the condition Drifted of its NodeClaim is not true" },
    { KARP_REASON_INSTANCE_TYPE_NOT_FOUND, 1, "INSTANCE_TYPE_NOT_FOUND",
      "the node's instance type is not in the catalogue" },
    { KARP_REASON_NO_CAPACITY_TYPE, 1, "NO_CAPACITY_TYPE", "the node has no karpenter.sh/capacity-type label" },
    { KARP_REASON_NO_ZONE, 1, "NO_ZONE", "the node has no topology.kubernetes.io/zone label" },
    { KARP_REASON_POLICY_WHEN_EMPTY, 1, "POLICY_WHEN_EMPTY", "the pool consolidates empty nodes only" },
    { KARP_REASON_BUDGET, 0, "BUDGET", "the pool's disruption budgets allow no more nodes" },
    { KARP_REASON_PODS_WOULD_NOT_SCHEDULE, 0, "PODS_WOULD_NOT_SCHEDULE",
      "not all pods that would have to move fit elsewhere" },
    { KARP_REASON_SEVERAL_NODES_NEEDED, 0, "SEVERAL_NODES_NEEDED", "more than one new node would be needed" },
    { KARP_REASON_NO_CHEAPER_NODE, 0, "NO_CHEAPER_NODE", "its pods fit on no cheaper node" },
    { KARP_REASON_MIN_VALUES_BY_PRICE, 0, "MIN_VALUES_BY_PRICE",
      "the cheaper instance types do not satisfy minValues" },
    { KARP_REASON_SPOT_TO_SPOT_DISABLED, 1, "SPOT_TO_SPOT_DISABLED", "spot-to-spot consolidation is switched off" },
    { KARP_REASON_SPOT_TO_SPOT_TOO_FEW_TYPES, 0, "SPOT_TO_SPOT_TOO_FEW_TYPES",
      "fewer than 15 cheaper spot instance types" },
    { KARP_REASON_SAME_TYPE, 0, "SAME_TYPE", "the replacement would be of a type that is being removed" },
    { KARP_REASON_BALANCED_SCORE, 0, "BALANCED_SCORE", "the savings do not outweigh the disruption (score below 0.5)" },
    { KARP_REASON_NOT_REACHED_IN_PASS, 0, "NOT_REACHED_IN_PASS", "another command came first" },
    { KARP_REASON_STATIC_LIMIT, 0, "STATIC_LIMIT", "the static pool's node limit leaves no room for a replacement" },
    { KARP_REASON_TOO_FEW_NODES, 0, "TOO_FEW_NODES", "multi-node consolidation needs at least two candidates" },
    { KARP_REASON_NOTHING_CHANGED, 0, "NOTHING_CHANGED",
      "the method found nothing the last time, and nothing has changed since" },
    { KARP_REASON_INVALID_PDB, 0, "INVALID_PDB", "the selector of a PodDisruptionBudget is not valid" },
    { KARP_REASON_NOT_EXPIRED, 0, "NOT_EXPIRED", "the node has not reached its expireAfter yet" },
    { KARP_REASON_REBOOTING, 0, "REBOOTING", "the node is rebooting" },
    { KARP_REASON_HEALTHY, 0, "HEALTHY", "no repair policy applies to the node's conditions yet" },
    { KARP_REASON_DO_NOT_REPAIR, 1, "DO_NOT_REPAIR", "the node has the annotation karpenter.sh/do-not-repair" },
    { KARP_REASON_POOL_UNHEALTHY, 0, "POOL_UNHEALTHY",
      "more than a fifth of the NodePool's nodes are unhealthy, so none is repaired" },
    { KARP_REASON_RESERVATION_ELSEWHERE, 0, "RESERVATION_ELSEWHERE",
      "the NodePool's reservations are full, and the node does not hold one" },
    { KARP_REASON_SEARCH_STOPPED, 0, "SEARCH_STOPPED",
      "the search was stopped before it was known whether the node can be removed" },
    { KARP_REASON_GROUP_ELSEWHERE, 0, "GROUP_ELSEWHERE",
      "a group of pods is disrupted as a whole, and runs on other nodes as well" },
    { KARP_REASON_DRIFT_BACKOFF, 0, "DRIFT_BACKOFF",
      "replacements of the pool's drifted nodes have failed: it waits before the next one" },
    { KARP_REASON_CHURN, 0, "CHURN", "the candidates have changed since the decision" },
    { KARP_REASON_VALIDATION_BUDGET, 0, "VALIDATION_BUDGET", "the budget has been used up since the decision" },
    { KARP_REASON_SCHEDULING, 0, "SCHEDULING", "the pods would now be placed differently" },
    { KARP_REASON_NOT_STARTED, 0, "NOT_STARTED", "a node of the command could not be tainted" },
    { KARP_REASON_REPLACEMENT_NOT_CREATED, 0, "REPLACEMENT_NOT_CREATED",
      "the NodeClaim of a replacement could not be created" },
    { KARP_REASON_REPLACEMENT_GONE, 0, "REPLACEMENT_GONE", "a replacement disappeared before it was initialized" },
    { KARP_REASON_TIMED_OUT, 0, "TIMED_OUT", "the command has taken too long" },
};

/* Codes are looked up only when a result is shown, never during a decision, so a linear search is fast enough. */
static const struct reason *find(uint32_t code)
{
    for (size_t i = 0; i < sizeof registry / sizeof *registry; i++) {
        if (registry[i].code == code) return &registry[i];
    }
    return NULL;
}

const char *karp_reason_name(uint32_t reason)
{
    const struct reason *r = find(reason);
    if (reason == KARP_REASON_NONE) return "NONE";
    return r != NULL ? r->name : "UNKNOWN";
}

const char *karp_reason_text(uint32_t reason)
{
    const struct reason *r = find(reason);
    return r != NULL ? r->text : "";
}

uint32_t karp_reason_permanent(uint32_t reason)
{
    const struct reason *r = find(reason);
    return r != NULL ? r->permanent : 0;
}

const char *karp_domain_name(uint32_t code)
{
    static const char *const names[] = { "ALLOWED", "SELECTOR", "VOLUME", "NO_NODE",
                                         "SKEW",    "NO_POD",   "TAKEN",  "NOT_CHOSEN" };
    return code < sizeof names / sizeof *names ? names[code] : "UNKNOWN";
}

const char *karp_busy_name(uint32_t code)
{
    static const char *const names[] = { "UNKNOWN", "DELETING", "REBOOTING", "NOT_READY" };
    return code < sizeof names / sizeof *names ? names[code] : names[0];
}

const char *karp_topology_name(uint32_t kind)
{
    static const char *const names[] = { "UNKNOWN", "spread", "affinity", "antiAffinity", "antiAffinityOfOthers" };
    return kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

const char *karp_phase_name(uint32_t phase)
{
    static const char *const names[] = { "",        "Validating", "Starting", "Launching",
                                         "Waiting", "Deleting",   "Done",     "GivenUp" };
    return phase < sizeof names / sizeof *names ? names[phase] : "";
}
