/* SPDX-License-Identifier: Apache-2.0 */
/* The pods of a round, and the state of their classes. */
#pragma once

#include <schedule/filters.h>
#include <schedule/views.h>

typedef struct spread_selection spread_selection;

/* What a scheduler computes for a class of pods. */
typedef struct class_state {
    int64_t *requests; /* vector */
    uint32_t *requested; /* resources it requests, only if vectors are so long that this saves time; else NULL */
    uint32_t requested_count;
    uint32_t served_count; /* resources it requests that devices serve */
    uint32_t first_view; /* NO_ID = not created yet */
    uint32_t label_group;
    uint32_t like; /* the first class with the same rules and label group; possibly the class itself */
    uint32_t *inverse_owned; /* inverse groups that belong to it */
    uint32_t inverse_count;
    bool needs_devices; /* it has resource claims, or devices serve a resource that it requests */
    bool registered; /* its required anti-affinity is in the inverse table */
    bool tracked; /* topology counts it; false for pods whose volumes were not found, until they fail */
    filter_terms *filter_terms; /* NULL = not created yet */
    spread_selection *selections; /* by spread constraint; NULL = not created yet */
    struct class_volumes *volumes; /* see volumes.h; NULL = not created yet */
    spread_list default_spread; /* default spread constraints, used when the pods have none of their own */
    uint64_t failed_at; /* version of the round at which the whole ladder failed last */
    uint32_t failed_reason, failed_view;
    /* `refused`: claims that cannot receive the class any more in this round. `barred`: claims whose host cannot
     * receive the class, or one with the same rules; kept by the first of these classes. */
    struct claim_bits {
        uint64_t *bits;
        uint32_t words;
    } refused, barred;
    uint64_t *refused_hosts; /* bits of nodes that cannot receive it in any round */
    uint64_t *closed_hosts; /* bits of nodes that cannot receive it any more in this round */
    uint32_t closed_in; /* the round for which they are valid, and how many changes of nodes they know */
    uint64_t changes_known;
    uint32_t round; /* the round for which these and `failed_at` are valid */
} class_state;

struct pods {
    const uint32_t *items; /* pods to place, in list order */
    uint32_t *buffer; /* for `items`, when no existing list can be used */
    uint32_t count;
    const uint32_t *pending, *displaced; /* in every round: pending pods, and pods of nodes that are being deleted */
    uint32_t pending_count, displaced_count;
    uint8_t *excluded; /* by pod: see exclusion(); NULL = all are excluded, in every round */
    uint64_t *valid_shapes; /* bits by shape: a pending pod of it was looked at, and the shape is valid */
    LIST_OF(struct ignored_pod {
        uint32_t pod;
        uint32_t reason;
        const char *detail;
    })
    ignored;
    class_state *classes;
    uint32_t *entered; /* by class: the last round that it took part in */
    LIST_OF(view) views;
};

/* Finds the pods to place, in list order, and those that are excluded or ignored. The pods to place are those that
 * the input names; without such a list, pending pods and those on nodes that are being deleted. The pods that a
 * simulation moves come between the two. */
bool admission_init(scheduler *s);

/* Whether a pod is being scheduled, so that it is not counted on its current node: 1 = in every round, 2 = in this
 * round. */
static inline unsigned exclusion(const struct pods *p, uint32_t pod_number)
{
    return p->excluded == NULL ? 1 : p->excluded[pod_number];
}
