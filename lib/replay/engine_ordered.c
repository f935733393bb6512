/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>
#include <replay/engine_ordered.h>

static replay_shape *group_of(engine *e, uint32_t pod)
{
    return &e->pods.shapes[e->pods.shapes[e->pods.list[pod].shape].group];
}

/* Held pods that were deleted leave the list. */
static void forget_deleted(engine *e, replay_shape *g)
{
    while (g->first_held != REPLAY_NONE && e->pods.list[g->first_held].state == POD_GONE)
        g->first_held = e->pods.list[g->first_held].next;
}

bool ordered_hold(engine *e, uint32_t pod)
{
    replay_shape *g = group_of(e, pod);
    bool first = g->first_held == REPLAY_NONE;
    forget_deleted(e, g);
    if (g->waiting == 0 && g->first_held == REPLAY_NONE) return false;
    e->pods.list[pod].state = POD_HELD;
    e->pods.list[pod].node = REPLAY_NONE;
    if (g->first_held == REPLAY_NONE) g->first_held = pod;
    else e->pods.list[g->last_held].next = pod;
    g->last_held = pod;
    uint32_t number = (uint32_t)(g - e->pods.shapes);
    if (first) (void)engine_push(e, &e->pods.ordered_groups, &e->pods.ordered_count, &e->pods.ordered_capacity, number);
    return true;
}

bool ordered_go_on(engine *e)
{
    size_t kept = 0;
    bool any = false;
    if (!e->pods.may_go_on) return false;
    e->pods.may_go_on = false;
    for (size_t i = 0; i < e->pods.ordered_count && !e->status; i++) {
        replay_shape *g = &e->pods.shapes[e->pods.ordered_groups[i]];
        forget_deleted(e, g);
        if (g->first_held != REPLAY_NONE && g->waiting == 0) {
            uint32_t pod = g->first_held;
            g->first_held = e->pods.list[pod].next;
            e->pods.list[pod].next = REPLAY_NONE;
            pod_release(e, pod);
            any = true;
        }
        if (g->first_held != REPLAY_NONE) e->pods.ordered_groups[kept++] = e->pods.ordered_groups[i];
    }
    if (!e->status) e->pods.ordered_count = kept;
    return any && !e->status;
}
