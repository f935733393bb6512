/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A relaxation of the problem that a finished round solved, as numbers: the offerings that can be bought, the free
 * capacity of existing nodes, and every rule that numbers can express. Other rules are left out. So every plan for
 * the same pods is a solution of the relaxation, and a bound on its solutions is a bound on all plans.
 */
#pragma once

#include <schedule/common.h>
#include <schedule/relaxed_choice.h>

#define COPIES_UNLIMITED INT64_MAX

enum { RELAXED_CLASSES = 400 }; /* classes are divided as long as they are not more */

typedef struct relaxed_offer {
    uint32_t template_, offering; /* offering of the template's table */
    double price;
    bool spot;
} relaxed_offer;

/* Rows are the offers, by template and offering, followed by the existing nodes. */
typedef struct relaxed {
    uint32_t dims, class_count, offer_count, node_count;
    karp_str *resources; /* by dimension: their names */
    amount *units; /* by dimension: the unit of requests and capacity */
    uint32_t *samples; /* by class: its first pod in the queue */
    uint32_t *class_of; /* by pod; UINT32_MAX = not placed by the round */
    int64_t *requests; /* [class * dims] */
    int64_t *counts; /* by class: number of pods that the round placed */
    int64_t *bought; /* by class: number of pods that it placed on launches */
    int64_t *limits; /* by class: most copies on one node */
    int64_t *most; /* by class: most pods that it can have; NULL = their number */
    uint32_t *domains; /* by class: text id of the zone that its pods are in, NO_ID = any; NULL = all are in any */
    uint32_t *parts; /* by class: the first of the classes of zones that follow one another; NO_ID = none; NULL = all */
    /* by class of a zone: of the pods of a constraint that run there, most millionths that are more than have to; NULL
     * = no class is of a zone */
    uint32_t *surplus;
    relaxed_offer *offers;
    uint32_t *nodes; /* state nodes, by index */
    int64_t *capacity; /* [row * dims] */
    uint64_t *allowed; /* [row * bits_words(class_count)]: classes that can be placed on the row */
    relaxed_choice *choices;
    uint32_t choice_count, spread_choices; /* spread_choices: the first ones, of pods that are spread over zones */
    bool lenient; /* labels that a NodePool does not have may become known on its nodes */
} relaxed;

/* `steps` has the ladder step at which each pod was placed; preferences that it still had there are rules. With
 * any_step, everything that the ladder can relax is left out. The lists are allocated in `a`. false = out of memory. */
bool relaxed_make(scheduler *s, arena *a, const uint16_t *steps, bool any_step, relaxed *out);
/* Divides classes whose pods are spread over zones with at most this maxSkew: so many pods as every plan that places
 * all of them has in a zone become a class of the zone, with the same sample. class_of then has only one of the classes
 * of a pod. With maxSkew 1 the others choose different zones: those that do have a class before the classes of zones.
 * false = out of memory. */
bool relaxed_split(scheduler *s, arena *a, const uint16_t *steps, bool any_step, int32_t most_skew, relaxed *r);
/* The class of the same pods that is of this zone; the class itself = there is none. */
uint32_t relaxed_class_in(const relaxed *r, uint32_t class_, uint32_t zone);
/* Makes classes of groups of pods that have to be in one domain. Call it last. false = out of memory. */
bool relaxed_choose(scheduler *s, arena *a, relaxed *r);
/* Makes room for more classes. false = out of memory. */
bool relaxed_widen(arena *a, relaxed *r, uint32_t classes);
/* Adds the offers that meet the requirements. false = out of memory. */
bool relaxed_reach(scheduler *s, arena *a, const relaxed *r, uint32_t required, uint64_t *rows);
/* The names that identify an offer: its NodePool, type, zone and capacity type; "" for a zone or capacity type that
 * it does not have. */
void relaxed_offer_names(const scheduler *s, const relaxed_offer *o, karp_str names[4]);
