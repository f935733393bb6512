/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds: a scheduler is set up once and can then be asked again and again, each time with some nodes gone and their pods
 * to be placed. What a round changes is written down and undone when the next one begins, so that a round costs what it
 * does, not what the cluster is. Requirement sets, type sets, views and groups that a round makes stay for later ones.
 *
 * A group that stands for pods it should not stand for would carry what the first pod of an earlier round gave
 * it into later ones; then, and when volumes could not be looked up, rounds_repeatable() is false, and every round
 * needs a scheduler of its own.
 */
#ifndef SCHEDULE_ROUNDS_H
#define SCHEDULE_ROUNDS_H

#include <schedule/pods.h>

struct round {
    uint32_t number; /* from 1 */
    arena data; /* what lasts as long as a round */
    struct round_log *log; /* see rounds.c */
    uint64_t version; /* counts successes */
    uint64_t steps;
    bool solving; /* the loop is running */
    bool stopped; /* a budget or the caller ended the loop */
};

bool rounds_init(scheduler *s);
void rounds_free(scheduler *s);

/* Undoes the round before and begins one without these state nodes, in which these pods (in list order) move. */
bool round_begin(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                 uint32_t extra_count);
bool rounds_repeatable(const scheduler *s);

/* What the other files write down. */
bool round_count(scheduler *s, uint32_t group_number, uint32_t domain); /* group_count() for a placement */
bool round_touch(scheduler *s, uint32_t host_index); /* the host is about to receive a pod */
/* Wipes what a class remembers of an earlier round. */
void class_begin_round(scheduler *s, class_state *c);
bool round_withhold(scheduler *s, uint32_t group_number); /* a new group was seeded: take out what is gone */

#endif
