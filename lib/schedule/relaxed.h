/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The question that a finished round answered, in numbers that leave out no plan for the same pods: what may be bought, what is
 * free on existing nodes, and what every rule that numbers can tell asks of both. Rules that they cannot tell are left out, so
 * that what holds for every answer in numbers holds for every plan.
 */
#ifndef SCHEDULE_RELAXED_H
#define SCHEDULE_RELAXED_H

#include <base/memory.h>
#include <schedule/common.h>

#define COPIES_UNLIMITED INT64_MAX

typedef struct relaxed_offer {
    uint32_t template_, offering; /* of the template's table */
    double price;
    bool spot;
} relaxed_offer;

/* Rows are the offers, by template and offering, and then the existing nodes. */
typedef struct relaxed {
    uint32_t dims, class_count, offer_count, node_count;
    karp_str *resources; /* by dimension: their names … */
    amount *units; /* … and what requests and capacity are counted in */
    uint32_t *samples; /* by class: its first pod in the queue */
    uint32_t *class_of; /* by pod; UINT32_MAX = the round has not placed it */
    int64_t *requests; /* [class * dims] */
    int64_t *counts; /* by class: the pods that the round placed … */
    int64_t *bought; /* … and those of them that it did not place on existing nodes */
    int64_t *limits; /* by class: copies on one node */
    relaxed_offer *offers;
    uint32_t *nodes; /* state nodes */
    int64_t *capacity; /* [row * dims] */
    uint64_t *allowed; /* [row * bits_words(class_count)] */
} relaxed;

/* `steps`: at which step of the ladder each pod was placed; what it kept until then is a rule. With any_step no pod keeps what the ladder lets it
 * give up. The lists lie in `a`. false = out of memory. */
bool relaxed_make(scheduler *s, arena *a, const uint16_t *steps, bool any_step, relaxed *out);
/* How an offer is called: its pool, type, zone and capacity type; "" for a zone or capacity type that it does not have. */
void relaxed_offer_names(const scheduler *s, const relaxed_offer *o, karp_str names[4]);

#endif
