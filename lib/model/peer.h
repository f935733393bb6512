/* SPDX-License-Identifier: Apache-2.0 */
/* The rules in which versions of Karpenter differ, with a named switch for each. */
#pragma once

#include <karp/peer.h>
#include <stdbool.h>

/* Indices of the rules in the table, and of their bits. They never change; rules of later versions are appended. */
enum peer_rule {
    RULE_LAUNCH_VOLUMES, /* K15-1 */
    RULE_TYPE_VOLUME_LIMITS, /* K15-2 */
    RULE_LAUNCHABLE, /* K15-3 */
    RULE_FULL_RESERVATIONS, /* K15-4 */
    RULE_ALLOWED_MIN_VALUES, /* K15-5 */
    RULE_WHOLE_EVICTION_COSTS, /* K15-6 */
    RULE_OVERLAYS_KEEP, /* K15-7 */
    RULE_REPAIR, /* K15-8 */
    RULE_REBOOTING, /* K15-9 */
    RULE_TERMINATE_FIRST, /* K15-10 */
    RULE_DELETION_COST_GATE, /* K15-11 */
    RULE_CHECK_ORDER, /* K15-12 */
    RULE_VOLUME_LOOK_UP, /* K15-13 */
    RULE_SPLIT_CLAIMS, /* preview P-1 */
    RULE_MOST_ALLOCATED, /* preview P-2 */
    RULE_LEAST_ALLOCATED, /* preview P-3 */
    RULE_DRIFT_BACKOFF, /* preview P-4 */
    RULE_PRICE_EXPRESSION, /* preview P-5 */
    RULE_ONE_SHOT_BUFFERS, /* preview P-6 */
    RULE_VPA_PREDICTION, /* preview P-7 */
    PEER_RULES
};

/* The number of a version: replaces KARP_PEER_NEWEST. Unknown versions are returned unchanged. */
uint32_t peer_version(uint32_t version);
bool peer_known(uint32_t version);
/* The rules in force, one bit each, before the options' exceptions. */
uint64_t peer_rules(uint32_t profile, uint32_t version);

static inline bool rule_of(uint64_t in_force, enum peer_rule which) { return (in_force >> which) & 1; }
