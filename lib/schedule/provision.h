/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a new scheduler, reported as a decision: what karp_provision(), what-if and explanations have in common. */
#ifndef SCHEDULE_PROVISION_H
#define SCHEDULE_PROVISION_H

#include <decision/decision.h>
#include <karp/disrupt.h>
#include <karp/objective.h>

/* Profile and explain level are known ones. */
karp_status options_known(const karp_options *options, karp_error *error);
/* A complete copy of the caller's options (NULL: the defaults), checked. */
karp_status options_check(const karp_options *given, karp_options *out, karp_error *error);
/* The same of a disruption; out->common is `common`. */
karp_status disrupt_options_check(const karp_disrupt_options *given, karp_disrupt_options *out, karp_options *common,
                                  karp_error *error);

/* State nodes that are treated as removed, and pods that move although they are bound; nothing is both counts 0. */
typedef struct round_changes {
    const uint32_t *removed;
    uint32_t removed_count;
    const uint32_t *moving;
    uint32_t moving_count;
} round_changes;

/* Which S-Q are in force: bit n−1 for S-Qn. */
uint64_t options_quirks(const karp_options *options);
/* Which of the rules that versions changed are in force: bit i for enum peer_rule. */
uint64_t options_rules(const karp_options *options);
/* The version that a decision under these options is of. */
uint32_t options_peer(const karp_options *options);
/* What is decided on under these (checked) options: the snapshot, or a view of it. */
const karp_snapshot *options_view(const karp_options *options, const karp_snapshot *snapshot, karp_snapshot *seen);

/* Whether it is one for nodes that exist as well as for launches. */
karp_status objective_of_nodes(const karp_objective *objective, karp_error *error);
/* The objective of (checked) options, complete. */
karp_status objective_check(const karp_options *options, karp_objective *out, karp_error *error);

/* Decides on a snapshot or a view of one; the decision is one on the snapshot. */
karp_status provision_view(const karp_snapshot *seen, const karp_options *options, const round_changes *changes,
                           karp_decision **out, karp_error *error);

/* The caller ended the preparation, and wants what is decided by then. */
karp_status provision_nothing(const karp_snapshot *seen, const karp_options *options, karp_decision **out,
                              karp_error *error);
/* The same with the objective COST: lib/optimise. */
karp_status provision_for_cost(const karp_snapshot *seen, const karp_options *options, const karp_objective *objective,
                               const round_changes *changes, karp_decision **out, karp_error *error);

#endif
