/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placing a group: its pods, or the groups of a composite, in the best domain of its topology key. What a round of
 * gang_loop.h does for one unit of its queue.
 */
#pragma once

#include <schedule/gangs.h>

typedef struct gang_loop {
    scheduler *s;
    const struct group_index *all;
    gang_result *results; /* by group */
    uint32_t *first_child, *next_child; /* by group: those of a composite by age, then by name; NO_ID = none */
    struct unit *units;
    uint32_t unit_count;
    uint32_t *batch; /* scratch: pods */
    int64_t *wanted; /* scratch: a vector */
    enum { PEER_NOT, PEER_BEST, PEER_WORST } peer; /* groups are tried as kube-scheduler does; nothing of that stays */
    uint32_t flavor; /* the only ResourceFlavor whose alternatives are tried; NO_TEXT = all are */
} gang_loop;

bool gang_is_placed(scheduler *s, uint32_t pod_number);

/* Places a group without one above it, or nothing of it. *lacks: kube-scheduler may not start it, on the nodes that
 * exist. */
bool gang_place(gang_loop *l, uint32_t id, bool *lacks);
/* What was noted of the group and of those below it becomes final, or is taken back with a savepoint. */
void gang_settle(gang_loop *l, uint32_t id, bool final);
/* The alternative that has places, of a composite whose groups are alternatives; NO_ID = none has. */
uint32_t gang_taken(gang_loop *l, uint32_t id);

/* gang_queue.c: the turn of a workload of a queue; it may have several, if pods that are placed later are what it waits
 * for. Returns whether something was placed. */
bool gang_take_turn(gang_loop *l, uint32_t id);
