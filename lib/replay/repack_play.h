/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay that carries a repack plan out, as docs/repack.md says a controller does: step by step, each a command that is validated
 * before anything happens, its launches ready before its nodes go. What cannot be carried out is planned anew.
 *
 *     repack_read.c     the document as steps          engine_repack.c    the steps in virtual time
 */
#ifndef REPLAY_REPACK_PLAY_H
#define REPLAY_REPACK_PLAY_H

#include <replay/engine.h>

/* Where a step sends a pod: a node, or a launch of this step or of one before it. */
typedef struct repack_move {
    karp_str pod, to;
} repack_move;

typedef struct repack_play_step {
    const karp_str *nodes; /* that go */
    size_t node_count;
    karp_launch *launches;
    int64_t (*amounts)[RESOURCES_MOST]; /* of each launch: what the pods request that this and later steps send there */
    size_t launch_count;
    const repack_move *moves;
    size_t move_count;
} repack_play_step;

typedef struct repack_plan_read {
    arena memory;
    trees trees;
    karp_plan_document *document;
    const tree *root;
    repack_play_step *steps;
    size_t step_count;
    double cost_before, cost_after;
    uint64_t evictions, effort;
    int64_t now; /* of the cluster that it is for; KARP_NO_TIME = it does not say */
    bool failed; /* no memory */
} repack_plan_read;

void repack_plan_begin(repack_plan_read *p, karp_context *context);
/* Errors: SYNTAX, INVALID (no RepackPlan, a launch without a choice), LIMIT, RANGE, NOMEM. */
karp_status repack_plan_take(repack_plan_read *p, karp_context *context, karp_str name, karp_str text,
                             karp_error *error);
void repack_plan_end(repack_plan_read *p);

enum { PLAY_BETWEEN, PLAY_UNDER_WAY, PLAY_DRAINING, PLAY_OVER };

struct replay_repack {
    repack_plan_read plan; /* the one at hand */
    io_table launched; /* its launches that are there, by id */
    size_t next; /* its step */
    uint32_t phase; /* PLAY_* */
    uint32_t command; /* that the step is */
    bool begun, again; /* again: what is left is to be planned anew */
    bool done_any; /* of this plan some step has been carried out */
    uint32_t fruitless; /* plans in a row of which none was */
    int64_t decided; /* when the plan was made */
    int64_t not_before; /* the next attempt; likewise the end of a step's drains at the latest */
    uint64_t pending, evictions; /* when the step began; when the plan did */
    uint64_t moved_before; /* at the beginning of the step */
};

#endif
