/* SPDX-License-Identifier: Apache-2.0 */
/* The options of decisions, checked, and what follows from them. */
#pragma once

#include <decision/decision.h>

/* A complete, checked copy of the caller's options (NULL: the defaults). */
karp_status options_check(const karp_options *given, karp_options *out, karp_error *error);
/* The same for disruption options; out->common points to `common`. */
karp_status disrupt_options_check(const karp_disrupt_options *given, karp_disrupt_options *out, karp_options *common,
                                  karp_error *error);

/* State nodes that are treated as removed, and bound pods that are placed again. No changes = both counts are 0. */
typedef struct round_changes {
    const uint32_t *removed;
    uint32_t removed_count;
    const uint32_t *moving;
    uint32_t moving_count;
} round_changes;

/* The S-Q quirks in force: bit n−1 for S-Qn. */
uint64_t options_quirks(const karp_options *options);
/* The version-dependent rules in force: bit i for enum peer_rule. */
uint64_t options_rules(const karp_options *options);
/* Whether open claims are tried in Karpenter's order. */
bool options_peer_order(const karp_options *options);
/* The version that a decision under these options reproduces. */
uint32_t options_peer(const karp_options *options);
/* Refuses negative prices, which a NodeOverlay may make, where costs are to be the least. Errors: UNSUPPORTED. */
karp_status options_prices(const karp_snapshot *s, karp_error *error);
/* The input of a decision under these (checked) options: the snapshot itself, or a view of it made in *seen. */
const karp_snapshot *options_view(const karp_options *options, const karp_snapshot *snapshot, karp_snapshot *seen);

/* Whether the objective is valid for existing nodes as well as for launches. */
karp_status objective_of_nodes(const karp_objective *objective, karp_error *error);
/* The complete objective of (checked) options. */
karp_status objective_check(const karp_options *options, karp_objective *out, karp_error *error);

/* The decision without any placement, for a caller that stopped the preparation and wants partial results. */
karp_status provision_nothing(const karp_snapshot *seen, const karp_options *options, karp_decision **out,
                              karp_error *error);
