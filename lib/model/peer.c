/* SPDX-License-Identifier: Apache-2.0 */
#include <model/peer.h>

#include <base/error.h>

static const struct {
    const char *id, *name, *text;
    uint32_t since; /* KARP_PEER_PREVIEW = in no version: a proposal */
    bool in_karp;
    const char *source; /* of a proposal; NULL = the version */
} table[] = {
    [RULE_LAUNCH_VOLUMES] = { "K15-1", "launch-volumes",
                              "the volumes of a launch's pods stay within the attachment limits of its instance types",
                              KARP_PEER_1_15, true, NULL },
    [RULE_TYPE_VOLUME_LIMITS] = { "K15-2", "type-volume-limits",
                                  "a node whose CSINode does not list a driver has the limit of its instance type",
                                  KARP_PEER_1_15, true, NULL },
    [RULE_LAUNCHABLE] = { "K15-3", "launchable-offerings",
                          "prices and capacity types of launches leave out reservations that are full", KARP_PEER_1_15,
                          true, NULL },
    [RULE_FULL_RESERVATIONS] = { "K15-4", "full-reservations",
                                 "a full reservation is ignored if on-demand or spot is possible; otherwise nothing is "
                                 "launched",
                                 KARP_PEER_1_15, true, NULL },
    [RULE_ALLOWED_MIN_VALUES] = { "K15-5", "allowed-min-values",
                                  "minValues count only values that the launch's requirement allows", KARP_PEER_1_15,
                                  true, NULL },
    [RULE_WHOLE_EVICTION_COSTS] = { "K15-6", "whole-eviction-costs",
                                    "karpenter.sh/disruption-cost comes first, and deletion costs are whole numbers",
                                    KARP_PEER_1_15, true, NULL },
    [RULE_OVERLAYS_KEEP] = { "K15-7", "overlays-keep",
                             "an instance type under a NodeOverlay keeps its devices and volume limits", KARP_PEER_1_15,
                             true, NULL },
    [RULE_REPAIR] = { "K15-8", "repair", "node repair is a disruption method", KARP_PEER_1_15, true, NULL },
    [RULE_REBOOTING] = { "K15-9", "rebooting", "a node that is being rebooted is no candidate and keeps its place",
                         KARP_PEER_1_15, true, NULL },
    [RULE_TERMINATE_FIRST] = { "K15-10", "terminate-first",
                               "a node that uses the only reservation can be removed before its replacement is "
                               "launched",
                               KARP_PEER_1_15, true, NULL },
    [RULE_DELETION_COST_GATE] = { "K15-11", "deletion-cost-gate",
                                  "with PodDeletionCostManagement, deletion costs are Karpenter's own and not read",
                                  KARP_PEER_1_15, true, NULL },
    [RULE_CHECK_ORDER] = { "K15-12", "check-order", "the order in which the reasons that keep a node are looked for",
                           KARP_PEER_1_15, true, NULL },
    [RULE_VOLUME_LOOK_UP] = { "K15-13", "volume-look-up",
                              "a pod whose volumes cannot be looked up is unschedulable at once", KARP_PEER_1_15, true,
                              NULL },
    [RULE_SPLIT_CLAIMS] = { "P-1", "split-claims",
                            "a launch that the last pods made larger is split, if two smaller ones are cheaper",
                            KARP_PEER_PREVIEW, false, "kubernetes-sigs/karpenter#3133" },
    [RULE_MOST_ALLOCATED] = { "P-2", "most-allocated",
                              "pods are tried on the existing nodes in the order of how full they are, the fullest "
                              "first",
                              KARP_PEER_PREVIEW, false, "kubernetes-sigs/karpenter#3201" },
    [RULE_LEAST_ALLOCATED] = { "P-3", "least-allocated", "likewise, the emptiest first", KARP_PEER_PREVIEW, false,
                               "kubernetes-sigs/karpenter#3201" },
    [RULE_DRIFT_BACKOFF] = { "P-4", "drift-backoff",
                             "drifted nodes of a NodePool whose replacements fail wait 1 to 10 minutes",
                             KARP_PEER_PREVIEW, false, "kubernetes-sigs/karpenter#3178" },
    [RULE_PRICE_EXPRESSION] = { "P-5", "price-expression", "a NodeOverlay may compute prices (spec.priceExpression)",
                                KARP_PEER_PREVIEW, false, "kubernetes-sigs/karpenter#3004" },
    [RULE_ONE_SHOT_BUFFERS] = { "P-6", "one-shot-buffers",
                                "what was consumed of a CapacityBuffer with refillStrategy none is not provided again",
                                KARP_PEER_PREVIEW, false, "kubernetes-sigs/karpenter#3257" },
    [RULE_VPA_PREDICTION] = { "P-7", "vpa-prediction",
                              "simulations of disruption place pods with the requests that their "
                              "VerticalPodAutoscaler sets when they are created again",
                              KARP_PEER_PREVIEW, false, "kubernetes-sigs/karpenter#3235" },
};

/* Versions whose rules are all implemented, from the oldest to the newest. All that is told of versions is told from
 * here. */
#define PEER "karpenter-"
static const struct {
    uint32_t number;
    const char *profile;
} versions[] = {
    { KARP_PEER_1_14, PEER "1.14" },
    { KARP_PEER_1_15, PEER "1.15" },
};

enum { VERSIONS = sizeof versions / sizeof *versions };

uint32_t peer_version(uint32_t version)
{
    return version == KARP_PEER_NEWEST ? versions[VERSIONS - 1].number : version;
}

static const char *profile_of(uint32_t version)
{
    for (size_t i = 0; i < VERSIONS; i++) {
        if (versions[i].number == peer_version(version)) return versions[i].profile;
    }
    return "";
}

bool peer_known(uint32_t version) { return karp_peer_version_name(version)[0] != '\0'; }

uint64_t peer_rules(uint32_t profile, uint32_t version)
{
    uint64_t rules = 0;
    for (unsigned i = 0; i < PEER_RULES; i++) {
        bool on = profile == KARP_PROFILE_KARP ? table[i].in_karp : table[i].since <= peer_version(version);
        if (on) rules |= UINT64_C(1) << i;
    }
    return rules;
}

size_t karp_peer_rule_count(void) { return PEER_RULES; }

karp_status karp_peer_rule_at(size_t index, karp_peer_rule *out)
{
    karp_peer_rule row = { .size = sizeof row };
    if (index >= PEER_RULES) return KARP_E_NOT_FOUND;
    if (out == NULL) return KARP_E_INVALID;
    row.id = str(table[index].id);
    row.name = str(table[index].name);
    row.text = str(table[index].text);
    row.since = table[index].since;
    row.in_karp = table[index].in_karp;
    row.source = str(table[index].source);
    return struct_give(out, &row, sizeof row, SIZE_THROUGH(karp_peer_rule, in_karp));
}

const char *karp_peer_version_name(uint32_t version)
{
    const char *profile = profile_of(version);
    return *profile ? profile + strlen(PEER) : profile;
}

const char *karp_profile_at(size_t index)
{
    if (index == 0) return "karpenter";
    if (index <= VERSIONS) return versions[index - 1].profile;
    return index == VERSIONS + 1 ? "karp" : NULL;
}

karp_status karp_profile_parse(karp_str name, uint32_t *profile, uint32_t *version)
{
    if (profile == NULL || version == NULL || !str_given(name)) return KARP_E_INVALID;
    uint32_t found = KARP_PEER_NEWEST;
    bool known = equal_str(name, str("karpenter")) || equal_str(name, str("karp"));
    for (size_t i = 0; i < VERSIONS && !known; i++) {
        known = equal_str(name, str(versions[i].profile));
        if (known) found = versions[i].number;
    }
    if (!known) return KARP_E_NOT_FOUND;
    *profile = equal_str(name, str("karp")) ? KARP_PROFILE_KARP : KARP_PROFILE_KARPENTER;
    *version = found;
    return KARP_OK;
}

const char *karp_profile_name(uint32_t profile, uint32_t version)
{
    if (profile == KARP_PROFILE_KARP) return "karp";
    return profile == KARP_PROFILE_KARPENTER ? profile_of(version) : "";
}
