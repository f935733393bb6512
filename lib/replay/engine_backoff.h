/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preview P-4 (kubernetes-sigs/karpenter#3178): NodePools whose replacements of drifted nodes fail are left out of
 * drift for a while, which doubles from 1 to 10 minutes with each such while. A success ends it. Failures within it do
 * not count. Without the preview nothing here has an effect.
 */
#pragma once

#include <replay/common.h>

typedef struct replay_backoff {
    karp_str pool;
    int64_t until;
    uint32_t level; /* whiles in a row */
} replay_backoff;

struct replay_backoffs {
    bool on;
    replay_backoff *list;
    karp_str *pools; /* scratch space: of those that wait */
    size_t count, capacity, pool_capacity;
};

struct engine;
void backoffs_begin(struct engine *e); /* the decisions' options are known */
/* A command against drift of this NodePool has ended. */
void backoffs_note(struct engine *e, karp_str pool, bool succeeded);
/* The NodePools that wait. *next = when the first of them goes on; unchanged if there are none. */
size_t backoffs_waiting(struct engine *e, const karp_str **pools, int64_t *next);
tree *backoffs_state(const struct engine *e, trees *t);
void backoffs_resume(struct engine *e, const tree *list);
