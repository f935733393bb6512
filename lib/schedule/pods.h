/* SPDX-License-Identifier: Apache-2.0 */
/* The pods of a round (scheduling.md §2), and the state of their classes. */
#ifndef SCHEDULE_PODS_H
#define SCHEDULE_PODS_H

#include <schedule/filters.h>
#include <schedule/views.h>

typedef struct spread_selection spread_selection;

/* What a scheduler knows of a class of pods. */
typedef struct class_state {
    int64_t *requests; /* vector */
    uint32_t *asked; /* what it asks for any of, in vectors so long that this matters; else NULL */
    uint32_t asked_count;
    uint32_t first_view; /* NO_ID = not made yet */
    uint32_t label_group;
    uint32_t like; /* the first class with the same rules and label group; itself if there is none before it */
    uint32_t *inverse_owned; /* inverse groups it owns */
    uint32_t inverse_count;
    bool registered; /* its required anti-affinity is in the inverse table */
    bool tracked; /* topology knows it: false for pods whose volumes were not found, until they fail */
    filter_terms *filter_terms; /* NULL = not made yet … */
    spread_selection *selections; /* … nor these, by spread constraint */
    struct class_volumes *volumes; /* see volumes.h; NULL = not made yet */
    spread_list default_spread; /* §15, when the pods have no constraints of their own */
    uint64_t failed_at; /* version of the run at which the whole ladder failed last */
    uint32_t failed_reason, failed_view;
    struct claim_bits {
        uint64_t *bits;
        uint32_t words;
    } refused, /* claims that cannot take it any more in this round, … */
        barred; /* … and those whose host can never take it or a class like it: of the first of these */
    uint64_t *refused_hosts; /* nodes that cannot take it in any round … */
    uint64_t *closed_hosts; /* … and those that cannot any more in this round */
    uint32_t round; /* the round that these and `failed_at` speak of */
} class_state;

struct pods {
    const uint32_t *items; /* to place, in list order */
    uint32_t *buffer; /* for `items`, when no existing list can be used */
    uint32_t count;
    const uint32_t *pending, *displaced; /* of every round: pending pods, pods of nodes being deleted */
    uint32_t pending_count, displaced_count;
    uint8_t *excluded; /* by pod: see exclusion(); NULL = all are, in every round */
    LIST_OF(struct ignored_pod {
        uint32_t pod;
        uint32_t reason;
        const char *detail;
    })
    ignored;
    class_state *classes;
    uint32_t *entered; /* by class: the round it has come into last */
    LIST_OF(view) views;
};

/* Finds pending and displaced pods (in list order), excluded and ignored ones: the pods the input names, else pending ones and
 * those of nodes being deleted. The pods that a simulation moves come between the two. */
bool admission_init(scheduler *s);

/* Whether a pod is being scheduled now, so not counted where it is: 1 = in every round, 2 = in this one. */
static inline unsigned exclusion(const struct pods *p, uint32_t pod_number)
{
    return p->excluded == NULL ? 1 : p->excluded[pod_number];
}

/* Why a pending pod is invalid; KARP_REASON_NONE when it is valid. *detail receives one line, in the arena. */
uint32_t pod_invalid(scheduler *s, uint32_t pod_number, const char **detail);

#endif
