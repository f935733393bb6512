/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The internal state of a packing search (packing.h), shared by packing.c, packing_fill.c, packing_moves.c and
 * packing_exact.c.
 */
#pragma once

#include <optimise/chance.h>
#include <optimise/packing.h>

enum { PACKING_SHAPES = 32 };

/* A node and the resources its pods use. */
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
    uint64_t most_work; /* work at which placing pods ends; 0 = no limit */
    LIST_OF(filled) nodes; /* the current plan */
    double cost; /* cost of the current plan, infinite = there is none */
    packing_bins best;
    bool best_is_at_hand; /* the best plan is the current one, so it must be copied before a change for the worse */
    bool failed;
    uint64_t stale; /* moves since the best plan was found */
    uint32_t plans; /* number of greedy plans that were made */
    bool exact; /* the best plan is optimal */
    uint64_t milestone, before; /* steps at which the temperature reaches its minimum, and the milestone before */
    uint32_t *promising; /* offers, by highest worth of their contents per dollar, descending */
    double *part; /* [offer * dims]: fraction of an offer's price that belongs to the resource, per unit */
    /* Offers with the same proportions of resources share one order of classes. */
    uint32_t *shape; /* by offer */
    uint32_t first_of_shape[PACKING_SHAPES]; /* the offer that represents them */
    uint32_t shape_count;
    /* The pods to place. */
    uint32_t *rest; /* by class: number of pods still to place */
    uint32_t *open; /* classes with pods to place */
    uint32_t open_count;
    uint32_t window, window_from; /* the classes considered for one node: so many, from this index on */
    uint32_t tries; /* maximum number of offers considered */
    bool balanced; /* fill every node evenly */
    double *value; /* by class: its worth in the current move */
    struct rated {
        double ratio;
        uint32_t class_;
    } * rated; /* [shape][class] */
    uint32_t *copies, *best_copies; /* by index in `open` */
    uint32_t *place; /* by class: index in `open` */
    uint32_t *candidates; /* indices in `open` */
    uint64_t *barred; /* classes that conflict with the contents of the current node */
    uint64_t *common; /* offers that all classes on the node can use */
    int64_t *left; /* [dims] */
    double *rate; /* [dims]: worth of a unit of the free resource */
    LIST_OF(filled) fresh; /* nodes of the current move; those beyond fresh_count are kept for their memory */
    uint32_t fresh_count;
};

/* ---- packing.c --------------------------------------------------------------------------------------------------- */

bool packing_node_init(packing *k, filled *n);
void packing_node_free(packing *k, filled *n);
bool packing_node_put(packing *k, filled *n, uint32_t class_, uint32_t copies);
/* The cheapest offer that can contain the node's pods; UINT32_MAX = none can. */
uint32_t packing_cheapest_for(packing *k, const filled *n);
/* Copies the current plan, which is the best. */
bool packing_save_best(packing *k);

/* ---- packing_fill.c ---------------------------------------------------------------------------------------------- */

bool packing_fill_init(packing *k);
/* Allows all offers and classes, and chooses how nodes are filled in this move. */
void packing_fill_freely(packing *k);
filled *packing_fresh_node(packing *k);
/* Places all pods that are to be placed on new nodes (k->fresh). Considers one in `sample` offers. Returns the cost
 * of the nodes; infinite = more than `most`, or impossible. */
double packing_recreate(packing *k, double most, uint32_t sample);

/* ---- packing_exact.c --------------------------------------------------------------------------------------------- */

/* Finds an optimal plan, if there are few pods. false = there are too many, or out of memory. */
bool packing_exact(packing *k);

/* ---- packing_moves.c --------------------------------------------------------------------------------------------- */

/* Ruins a few nodes and places their pods again. The result is kept if it costs at most `slack` more. */
void packing_move(packing *k, double slack);
