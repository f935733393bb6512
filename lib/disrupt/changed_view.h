/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot seen through a list of changes. The view borrows everything but the offerings, whose prices and availability
 * it states anew; nodes that go are listed beside it, as a round of the scheduler takes them.
 */
#ifndef DISRUPT_CHANGED_VIEW_H
#define DISRUPT_CHANGED_VIEW_H

#include <karp/what_if.h>
#include <model/snapshot.h>

typedef struct changed_view {
    const karp_snapshot *snapshot; /* as it is */
    karp_snapshot view;
    arena data;
    uint64_t *gone; /* state nodes, as bits … */
    uint32_t *removed, removed_count; /* … and listed, by name */
    uint32_t *moving, moving_count; /* their pods, by node and name */
} changed_view;

/* Errors: NOT_FOUND, INVALID, NOMEM. To be freed in any case. */
karp_status changed_view_init(changed_view *v, const karp_snapshot *snapshot, const karp_change *changes, size_t count,
                              karp_error *error);
void changed_view_free(changed_view *v);

#endif
