/* SPDX-License-Identifier: Apache-2.0 */
/* The plan at hand of a search (repack_search.h), and the changes of a move, which can be undone. */
#ifndef OPTIMISE_REPACK_STATE_H
#define OPTIMISE_REPACK_STATE_H

#include <optimise/repack_search.h>

#define NO_OFFER UINT32_MAX

/* A node that stays, with the pods that came to it, or a launch. */
typedef struct repack_place {
    uint32_t offer; /* NO_OFFER: a node that exists, or a launch that was given up */
    LIST_OF(packing_entry) entries;
    int64_t *free;
    double worth; /* of the pods that came */
} repack_place;

typedef struct repack_change {
    enum { CHANGE_PUT, CHANGE_OFFER, CHANGE_NEW, CHANGE_TOGGLE } kind;
    uint32_t place, class_;
    int32_t copies;
    uint32_t offer; /* the one before */
} repack_change;

struct repack_search {
    karp_context *context;
    const repack_problem *p;
    packing *packing; /* what launches are chosen with */
    arena data;
    size_t host_words, offer_words, class_words;
    uint64_t random, work, runs; /* runs: so many there were */
    uint64_t looked, most_looked; /* steps of whole passes so far; of work at which the one at hand ends */
    bool failed, begun;
    bool counts_space, suits; /* what free space is worth counts in the order of nodes; pods go where they suit it */
    LIST_OF(repack_place) places; /* the hosts, then the launches */
    bool *gone, *fixed; /* by node */
    bool *closed; /* by host: its node is gone */
    uint32_t *list, *at; /* nodes: those that stay, those that are gone, those that are fixed; and where each is */
    uint32_t kept_count, fixed_count;
    double cost; /* of launches, less that of removed nodes */
    uint64_t evictions, most;
    struct {
        double cost, spread;
        uint64_t evictions;
    } began;
    double
        spread; /* sum over places of the square of what space without pods is worth: large when few have all of it */
    LIST_OF(repack_change) log;
    LIST_OF(uint32_t) shrunk;
    int64_t *demand; /* by class: pods to be placed; less than 0: to be taken back */
    bool *is_open;
    uint32_t *open, open_count; /* classes with a demand */
    double *value;
    uint32_t *ruined, ruined_count, *rated; /* hosts that are to be filled first; classes by how well they suit one … */
    double *ratio; /* … which is this */
    double *worth, part; /* by node: what its pods are worth, about; the part of that which counts now */
    packing_entry *wanted;
    uint32_t *by_ratio, *host_order;
    uint32_t *first_open; /* by class: the first host in order that may have space */
    uint64_t *touched, move; /* by host: the last move that changed it; the number of the one at hand */
    uint32_t next; /* in by_ratio: where a pass goes on */
    int64_t *used; /* [dims] */
    double *rate,
        *space; /* [host * dims]: what free resources are worth there; by host: all of them. NULL = too many to ask */
    double mean_price;
    repack_plan best;
    double best_objective;
    bool best_at_hand; /* the best plan is that at hand, and not saved */
};

/* How many more copies of the class fit there, `want` at most. */
uint32_t state_fits(repack_search *q, uint32_t place, uint32_t class_, uint32_t want);
uint32_t state_copies(const repack_search *q, uint32_t place, uint32_t class_);
/* These change, and note it in the log. */
bool state_put(repack_search *q, uint32_t place, uint32_t class_, int32_t copies);
bool state_new_bin(repack_search *q, uint32_t offer, uint32_t *place);
bool state_remove(repack_search *q, uint32_t node); /* its pods are asked for */
void state_restore(repack_search *q, uint32_t node); /* they are taken back */
void state_empty(repack_search *q, uint32_t place); /* what came there is asked for; a launch is given up */
void state_resize(repack_search *q, uint32_t place); /* the cheapest offer for a launch */
void state_note_shrunk(repack_search *q, uint32_t place);

/* Fills `rate` and `space`. false = refused. */
bool state_value_hosts(repack_search *q);
/* What the space that a pod takes there is worth beyond the pod. */
double state_lost(const repack_search *q, uint32_t host, uint32_t class_);

void state_commit(repack_search *q);
void state_undo(repack_search *q);
void state_fix(repack_search *q, uint32_t node); /* which stays */

bool state_save(repack_search *q, repack_plan *out);
bool state_take(repack_search *q, const repack_plan *from);
bool state_copy_plan(karp_context *context, const repack_plan *from, repack_plan *out);

#endif
