/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds. A scheduler is set up once and then runs any number of rounds, each with some nodes removed and their pods to be
 * placed. Changes of a round are logged and undone when the next one begins, so the cost of a round depends on what it does and
 * not on the size of the cluster. Requirement sets, type sets, views and groups that a round creates stay for later rounds.
 *
 * rounds_repeatable() is false when a round could depend on an earlier one: a group shared by pods that should have groups of
 * their own keeps what the first of them gave it, and so do pods whose volumes could not be looked up. Then
 * every round needs a new scheduler. Whoever asks before the first round (karp_repack()), or of rounds that are no simulations (plans for the
 * least cost), learns nothing of groups that a round will bring up late: they stay, and count in later rounds from the start. Those are stricter
 * than Karpenter's own, and keep the constraint.
 */
#ifndef SCHEDULE_ROUNDS_H
#define SCHEDULE_ROUNDS_H

#include <schedule/pods.h>

struct round {
    uint32_t number; /* from 1 */
    arena data; /* what lasts as long as a round */
    struct round_log *log; /* see rounds.c */
    bool begun; /* there is one to be undone */
    uint64_t version; /* counts successes */
    uint64_t steps;
    bool solving; /* the scheduling loop is running */
    bool there; /* the pod that is being placed is taken to run there already: it counts, and no topology refuses it */
    bool stopped; /* a budget or the caller ended the loop */
};

bool rounds_init(scheduler *s);
void rounds_free(scheduler *s);

/* Undoes the previous round and begins one without the removed state nodes, in which the extra pods (in list order) move. */
bool round_begin(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                 uint32_t extra_count);
/* Undoes it alone: nodes and pods are as they are without a round. */
void round_undo(scheduler *s);
bool rounds_repeatable(const scheduler *s);

/* Changes that other files log. */
bool round_count(scheduler *s, uint32_t group_number, uint32_t domain); /* group_count() for a placement */
/* The same in all groups that select the pod and that counts_every_host() says of. */
bool round_count_hosts(scheduler *s, uint32_t label_group_number, uint32_t host_number);
bool round_touch(scheduler *s, uint32_t host_index); /* the host is about to receive a pod */
/* Clears what a class remembers of an earlier round. */
void class_begin_round(scheduler *s, class_state *c);
bool round_withhold(scheduler *s, uint32_t group_number); /* takes removed nodes out of the counts of a new group */

#endif
