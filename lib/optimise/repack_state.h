/* SPDX-License-Identifier: Apache-2.0 */
/* The current plan of a search (repack_search.h), and the log with which the changes of a move are undone. */
#pragma once

#include <optimise/repack_search.h>

#define NO_OFFER UINT32_MAX

/* A node that stays, with the pods moved to it, or a launch. */
typedef struct repack_place {
    uint32_t offer; /* NO_OFFER = an existing node, or a launch that was dropped */
    LIST_OF(packing_entry) entries;
    int64_t *free;
    double worth; /* of the pods moved to it */
} repack_place;

typedef struct repack_change {
    enum { CHANGE_PUT, CHANGE_OFFER, CHANGE_NEW, CHANGE_TOGGLE } kind;
    uint32_t place, class_;
    int32_t copies;
    uint32_t offer; /* the previous offer */
} repack_change;

struct repack_search {
    karp_context *context;
    const repack_problem *p;
    packing *packing; /* chooses launches */
    arena data;
    size_t host_words, offer_words, class_words;
    uint64_t random, work, runs; /* runs: number of runs so far */
    /* looked: steps of full passes so far; most_looked: work at which the current pass ends */
    uint64_t looked, most_looked;
    bool failed, begun;
    /* counts_space: the order of nodes includes the worth of free space; suits: pods are moved to hosts whose free
     * space suits them */
    bool counts_space, suits;
    LIST_OF(repack_place) places; /* hosts, followed by launches */
    bool *gone, *fixed; /* by node */
    bool *host_removed; /* by host: its node was removed */
    /* nodes: those that stay, those that were removed, and fixed ones; `at` has the position of each */
    uint32_t *list, *at;
    uint32_t kept_count, fixed_count;
    double cost; /* of launches, minus that of removed nodes */
    uint64_t evictions, most;
    struct {
        double cost, spread;
        uint64_t evictions;
    } began;
    /* sum over places of the squared worth of their unused space: large if the free space is on few of them */
    double spread;
    LIST_OF(repack_change) log;
    LIST_OF(uint32_t) shrunk;
    int64_t *demand; /* by class: pods to be placed; negative: pods to be taken back */
    bool *is_open;
    uint32_t *open, open_count; /* classes whose demand is not 0 */
    double *value;
    /* ruined: hosts to be filled first; rated: classes by how well they suit a host */
    uint32_t *ruined, ruined_count, *rated;
    double *ratio; /* how well each class suits it */
    double *worth, part; /* by node: approximate worth of its pods; part: the factor applied to it at present */
    packing_entry *wanted;
    uint32_t *by_ratio, *host_order;
    uint32_t *first_open; /* by class: the first host in order that may have space */
    uint64_t *touched, move; /* by host: the last move that changed it; number of the current move */
    uint32_t next; /* index in by_ratio at which a pass continues */
    int64_t *used; /* [dims] */
    double *rate,
        /* rate [host * dims]: worth of a unit of each free resource; space by host: worth of all of them. NULL = too
         * many to compute */
        *space;
    double mean_price;
    repack_plan best;
    double best_objective;
    bool best_at_hand; /* the best plan is the current one and has not been saved */
};

/* The number of additional copies of the class that fit there, at most `want`. */
uint32_t state_fits(repack_search *q, uint32_t place, uint32_t class_, uint32_t want);
uint32_t state_copies(const repack_search *q, uint32_t place, uint32_t class_);
/* These change the plan and record the change in the log. */
bool state_put(repack_search *q, uint32_t place, uint32_t class_, int32_t copies);
bool state_new_bin(repack_search *q, uint32_t offer, uint32_t *place);
bool state_remove(repack_search *q, uint32_t node); /* adds its pods to the demand */
void state_restore(repack_search *q, uint32_t node); /* subtracts its pods from the demand */
void state_empty(repack_search *q, uint32_t place); /* adds the pods moved there to the demand; drops a launch */
void state_resize(repack_search *q, uint32_t place); /* chooses the cheapest offer for a launch */
void state_note_shrunk(repack_search *q, uint32_t place);

/* Computes `rate` and `space`. false = out of memory. */
bool state_value_hosts(repack_search *q);
/* The worth of the space that a pod would use there, minus the worth of the pod. */
double state_lost(const repack_search *q, uint32_t host, uint32_t class_);

void state_commit(repack_search *q);
void state_undo(repack_search *q);
void state_fix(repack_search *q, uint32_t node); /* excludes the node from removal */

bool state_save(repack_search *q, repack_plan *out);
bool state_take(repack_search *q, const repack_plan *from);
bool state_copy_plan(karp_context *context, const repack_plan *from, repack_plan *out);
