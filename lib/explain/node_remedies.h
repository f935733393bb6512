/* SPDX-License-Identifier: Apache-2.0 */
/* Changes after which a node that stays would be disrupted, each of them tried. */
#pragma once

#include <karp/explain.h>
#include <model/snapshot.h>

typedef struct node_remedies {
    karp_context *context;
    arena *data; /* of texts */
    const karp_snapshot *snapshot;
    uint32_t node;
    const karp_disrupt_options *options;
    const karp_blocker *blockers;
    size_t blocker_count;
    size_t busy; /* nodes of its NodePool that count as disrupted */
    const karp_decision *before; /* its commands come first; NULL = there are none */
    LIST_OF(karp_node_remedy) found; /* the caller frees the list */
    uint32_t tried;
    bool by_preference; /* it goes if Karpenter ignores preferences of pods */
} node_remedies;

/* Each reason by itself, in the order of the blockers, then limits, preferences and topology; all reasons together if
 * none is enough. If it goes with no change when other commands of the pass are over, only room in budgets is tried. */
karp_status find_node_remedies(node_remedies *r, karp_error *error);
