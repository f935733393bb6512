/* SPDX-License-Identifier: Apache-2.0 */
/* A search for a packing (packing.h) from inside: what packing.c, packing_fill.c and packing_moves.c share. */
#ifndef OPTIMISE_PACKING_STATE_H
#define OPTIMISE_PACKING_STATE_H

#include <optimise/chance.h>
#include <optimise/packing.h>

enum { PACKING_SHAPES = 32 };

/* A node with what is left of it. */
typedef struct filled {
    uint32_t offer;
    LIST_OF(packing_entry) entries;
    int64_t *used; /* [dims] */
} filled;

struct packing {
    karp_context *context;
    const packing_problem *p;
    arena data;
    size_t offer_words, class_words;
    uint64_t random, work;
    uint64_t most_work; /* at which nothing more is placed; 0 = there is no such limit */
    LIST_OF(filled) nodes; /* the plan at hand … */
    double cost; /* … and its cost, infinite = there is none */
    packing_bins best;
    bool best_is_at_hand; /* and has to be copied before it changes for the worse */
    bool failed;
    uint64_t stale; /* moves since the best plan was found */
    uint32_t plans; /* greedy ones that were made */
    bool exact; /* the best plan is the cheapest there is */
    uint64_t milestone, before; /* steps: where the temperature is down, and the milestone before it */
    uint32_t *promising; /* offers, those whose content can be worth most per dollar first */
    double *part; /* [offer * dims]: which part of an offer's price is for the resource, and each unit of it */
    /* Offers with the same proportions: one order of classes serves all of them. */
    uint32_t *shape; /* by offer */
    uint32_t first_of_shape[PACKING_SHAPES]; /* the offer that stands for them */
    uint32_t shape_count;
    /* what is to be placed */
    uint32_t *rest; /* by class */
    uint32_t *open; /* classes with a rest */
    uint32_t open_count;
    uint32_t window, window_from; /* so many of them, from this place on, are looked at for one node */
    uint32_t tries; /* so many offers are, at most */
    bool balanced; /* every node is filled evenly */
    double *value; /* by class: its worth in this move */
    struct rated {
        double ratio;
        uint32_t class_;
    } * rated; /* [shape][class] */
    uint32_t *copies, *best_copies; /* by place among `open` … */
    uint32_t *place; /* … which is this, by class */
    uint32_t *candidates; /* places */
    uint64_t *barred; /* classes that conflict with what is on the node at hand */
    uint64_t *common; /* offers */
    int64_t *left; /* [dims] */
    double *rate; /* [dims]: what a unit of what is left is worth */
    LIST_OF(filled) fresh; /* of the move at hand; those beyond fresh_count keep their memory */
    uint32_t fresh_count;
};

/* ---- packing.c ----------------------------------------------------------------------------------------------------------- */

bool packing_node_init(packing *k, filled *n);
void packing_node_free(packing *k, filled *n);
bool packing_node_put(packing *k, filled *n, uint32_t class_, uint32_t copies);
/* The cheapest offer that holds what is on the node; UINT32_MAX = none does. */
uint32_t packing_cheapest_for(packing *k, const filled *n);
/* Copies the plan at hand, which is the best. */
bool packing_save_best(packing *k);

/* ---- packing_fill.c ------------------------------------------------------------------------------------------------------ */

bool packing_fill_init(packing *k);
/* All offers and classes may be looked at, and nodes are filled one way or the other. */
void packing_fill_freely(packing *k);
filled *packing_fresh_node(packing *k);
/* Puts everything that is to be placed on new nodes: k->fresh. One in `sample` offers is looked at. Returns what they cost;
 * infinite = more than `most`, or it cannot be. */
double packing_recreate(packing *k, double most, uint32_t sample);

/* ---- packing_exact.c ----------------------------------------------------------------------------------------------------- */

/* The cheapest plan of all, where pods are few; false = they are not, or refused. */
bool packing_exact(packing *k);

/* ---- packing_moves.c ----------------------------------------------------------------------------------------------------- */

/* Ruins a few nodes and places their pods anew; that stays when the plan is at most `slack` dearer for it. */
void packing_move(packing *k, double slack);

#endif
