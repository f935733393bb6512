/* SPDX-License-Identifier: Apache-2.0 */
/** @file peer.h  Versions of Karpenter whose decisions can be made, and the rules in which they differ
 * (docs/versions.md). */
#ifndef KARP_PEER_H
#define KARP_PEER_H

#include <karp/decision.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `since` of a rule that no version has: a proposal, which only flip_rules puts in force. Since 1.0. */
#define KARP_PEER_PREVIEW UINT32_MAX

/** A rule that a version of Karpenter changed, or that a proposal would change. */
typedef struct karp_peer_rule {
    size_t size;
    karp_str id; /**< "K15-3" */
    karp_str name; /**< "launchable-offerings" */
    karp_str text; /**< what the rule says, one English sentence */
    uint32_t since; /**< the first version that has it: KARP_PEER_*; KARP_PEER_PREVIEW = none, it is a proposal */
    uint32_t in_karp; /**< 1 = profile karp has it too */
    karp_str source; /**< of a proposal, "kubernetes-sigs/karpenter#3133"; else "". Since 1.0 */
} karp_peer_rule;

/** The number of rules; their bits in karp_options.flip_rules are 0, 1, 2 … in this order and never change. Since 1.0.
 */
KARP_API size_t karp_peer_rule_count(void);

/** Rule @p index; its texts are static. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_peer_rule_at(size_t index, karp_peer_rule *out);

/** "1.15" for KARP_PEER_1_15, the same of the newest for KARP_PEER_NEWEST, "" for an unknown version. Static. Since
 * 1.0. */
KARP_API const char *karp_peer_version_name(uint32_t version);

/** The names of profiles, one at an index: "karpenter", "karpenter-1.14" and so on for each version from the oldest to
 * the newest, "karp". NULL beyond the end. Static. Since 1.0. */
KARP_API const char *karp_profile_at(size_t index);

/**
 * Reads the name of a profile: "karpenter" (its newest version), one of a version, or "karp". Fills @p profile with
 * KARP_PROFILE_* and @p version with KARP_PEER_*. Errors: NOT_FOUND (nothing is filled). Since 1.0.
 */
KARP_API karp_status karp_profile_parse(karp_str name, uint32_t *profile, uint32_t *version);

/** "karpenter-1.15" for that profile and version; "karp" has no versions. "" if unknown. Static. Since 1.0. */
KARP_API const char *karp_profile_name(uint32_t profile, uint32_t version);

/** KARP_PROFILE_* of the decision. */
KARP_API uint32_t karp_decision_profile(const karp_decision *decision);

/** KARP_PEER_* of the decision, never KARP_PEER_NEWEST; in profile karp the newest version. Since 1.0. */
KARP_API uint32_t karp_decision_peer_version(const karp_decision *decision);

#ifdef __cplusplus
}
#endif
#endif
