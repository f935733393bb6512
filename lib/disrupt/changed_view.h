/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot with a list of changes applied. The view borrows everything but the offerings, whose prices and
 * availability it replaces. Removed nodes are listed separately, in the form that a scheduling round takes.
 */
#ifndef DISRUPT_CHANGED_VIEW_H
#define DISRUPT_CHANGED_VIEW_H

#include <karp/what_if.h>
#include <model/snapshot.h>

typedef struct changed_view {
    const karp_snapshot *snapshot; /* the unchanged snapshot */
    karp_snapshot view;
    arena data;
    uint64_t *gone; /* removed state nodes, as a bit set */
    uint32_t *removed, removed_count; /* the same as a list, by name */
    uint32_t *moving, moving_count; /* their pods, by node and name */
} changed_view;

/* Errors: NOT_FOUND, INVALID, NOMEM. The view must be freed in any case. */
karp_status changed_view_init(changed_view *v, const karp_snapshot *snapshot, const karp_change *changes, size_t count,
                              karp_error *error);
void changed_view_free(changed_view *v);

#endif
