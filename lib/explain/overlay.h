/* SPDX-License-Identifier: Apache-2.0 */
/* A view of a snapshot in which the pods of one shape, or one NodePool, are changed. Everything else is borrowed. */
#ifndef EXPLAIN_OVERLAY_H
#define EXPLAIN_OVERLAY_H

#include <karp/schedule.h>
#include <model/snapshot.h>

typedef struct overlay_view {
    const karp_snapshot *snapshot;
    karp_snapshot view;
    arena data;
} overlay_view;

/* false = out of memory. Call overlay_view_free() in any case. */
bool overlay_view_init(overlay_view *o, const karp_snapshot *snapshot);
void overlay_view_free(overlay_view *o);
/* Undoes all changes. */
void overlay_view_reset(overlay_view *o);

shape *overlay_shape(overlay_view *o, uint32_t number); /* can be modified */
node_pool *overlay_pool(overlay_view *o, uint32_t number);
/* Sets the amount of a resource that every pod of the shape requests, in the snapshot's units. false = out of memory. */
bool overlay_request(overlay_view *o, uint32_t shape_number, uint32_t resource, int64_t units);

/* karp_provision() on the view. The decision refers to the snapshot. */
karp_status overlay_decide(const overlay_view *o, const karp_options *options, karp_decision **out, karp_error *error);

#endif
