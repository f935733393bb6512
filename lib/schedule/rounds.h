/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds. A scheduler is set up once and then runs any number of rounds, each with some nodes removed and their pods
 * to be placed. Changes of a round are logged and undone when the next one begins, so the cost of a round depends on
 * its changes and not on the size of the cluster. Requirement sets, type sets, views and groups that a round creates
 * are kept for later rounds.
 *
 * rounds_repeatable() is false when a round could depend on an earlier one. This is so when pods share a group that
 * should have groups of their own, since the group keeps what the first of them gave it, or when volumes
 * of pods could not be looked up. Then every round needs a new scheduler.
 *
 * Groups that a round creates late count in later rounds from the start. This makes later rounds stricter than
 * Karpenter's, never laxer. rounds_repeatable() does not cover this before the first round (karp_repack()), or for
 * rounds that are not simulations (plans for the least cost).
 */
#pragma once

#include <schedule/pods.h>

struct round {
    uint32_t number; /* from 1; the next one as well after each savepoint that was taken back */
    uint32_t began_as; /* its number before that */
    arena data; /* memory that lives as long as the round */
    struct round_log *log; /* see rounds.c */
    bool begun; /* a round is to be undone */
    uint64_t version; /* incremented with each pod that is placed */
    uint64_t steps;
    bool solving; /* the scheduling loop is running */
    /* the pod being placed is treated as already running there: it is counted, and topology does not reject it */
    bool there;
    bool stopped; /* a step budget or the caller ended the loop */
};

/* How much of the round's log there was at some time. */
typedef struct round_mark {
    size_t counted, counted_hosts;
} round_mark;

bool rounds_init(scheduler *s);
void rounds_free(scheduler *s);

/* Undoes the previous round and begins one without the removed state nodes. The extra pods, in list order, are placed
 * again. */
bool round_begin(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                 uint32_t extra_count);
/* Only undoes the round: nodes and pods are as they were set up. */
void round_undo(scheduler *s);
round_mark round_marked(const scheduler *s);
/* Takes back what topology has counted since the mark. */
void round_rewind(scheduler *s, round_mark mark);
/* Takes back what it has counted between two marks, which stay valid. */
void round_take_back(scheduler *s, round_mark from, round_mark to);
bool rounds_repeatable(const scheduler *s);

/* Changes that other files make and that are logged. */
bool round_count(scheduler *s, uint32_t group_number, uint32_t domain); /* group_count() for a placement */
/* The same in all groups that select the pod and for which counts_every_host() is true. */
bool round_count_hosts(scheduler *s, uint32_t label_group_number, uint32_t host_number);
bool round_touch(scheduler *s, uint32_t host_index); /* call before the host receives a pod */
void class_enter_round(scheduler *s, class_state *c); /* see class_begin_round() */
bool round_withhold(scheduler *s, uint32_t group_number); /* subtracts removed nodes from the counts of a new group */
