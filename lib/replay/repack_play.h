/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay that carries out a repack plan, as docs/repack.md describes for a controller. Each step is a command. It is
 * validated before anything happens, and its launches become ready before its nodes are deleted. If a step cannot be
 * carried out, a new plan is made.
 *
 *     repack_read.c     the document as steps          engine_repack.c    the steps in virtual time
 */
#pragma once

#include <replay/common.h>

/* The target of a pod in a step: a node, or a launch of this step or an earlier one. */
typedef struct repack_move {
    karp_str pod, to;
} repack_move;

typedef struct repack_play_step {
    const karp_str *nodes; /* the nodes to remove */
    size_t node_count;
    karp_launch *launches;
    int64_t (*amounts)[RESOURCES_MOST]; /* by launch: the requests of the pods that this and later steps move there */
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
    int64_t now; /* time of the plan's cluster; KARP_NO_TIME = not stated */
} repack_plan_read;

void repack_plan_begin(repack_plan_read *p, karp_context *context);
/* Errors: SYNTAX, INVALID (not a RepackPlan, a launch without a choice), LIMIT, RANGE, NOMEM. */
karp_status repack_plan_take(repack_plan_read *p, karp_context *context, karp_str name, karp_str text,
                             karp_error *error);
void repack_plan_end(repack_plan_read *p);

enum { PLAY_BETWEEN, PLAY_UNDER_WAY, PLAY_DRAINING, PLAY_OVER };

struct replay_repack {
    repack_plan_read plan; /* the current plan */
    io_table launched; /* its launched nodes, by launch id */
    size_t next; /* index of the current or next step */
    uint32_t phase; /* PLAY_* */
    uint32_t command; /* the command of the current step */
    bool begun, again; /* again: the rest must be planned again */
    bool done_any; /* some step of this plan has been carried out */
    uint32_t fruitless; /* consecutive plans without such a step */
    int64_t decided; /* time of the plan */
    int64_t not_before; /* of the next attempt; also the deadline of a step's drains */
    uint64_t pending, evictions; /* at the start of the step; at the start of the plan */
    uint64_t moved_before; /* at the start of the step */
};
