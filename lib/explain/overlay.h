/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot in which one kind of pods, or one pool, is another: borrowed but for what is changed. */
#ifndef EXPLAIN_OVERLAY_H
#define EXPLAIN_OVERLAY_H

#include <karp/schedule.h>
#include <model/snapshot.h>

typedef struct overlay_view {
    const karp_snapshot *snapshot;
    karp_snapshot view;
    arena data;
} overlay_view;

/* false = out of memory. To be freed in any case. */
bool overlay_view_init(overlay_view *o, const karp_snapshot *snapshot);
void overlay_view_free(overlay_view *o);
/* Everything is as in the snapshot again. */
void overlay_view_reset(overlay_view *o);

shape *overlay_shape(overlay_view *o, uint32_t number); /* to be changed in place */
node_pool *overlay_pool(overlay_view *o, uint32_t number);
/* Every pod of the shape asks for so much of a resource, in the snapshot's units. false = out of memory. */
bool overlay_request(overlay_view *o, uint32_t shape_number, uint32_t resource, int64_t units);

/* karp_provision() on the view; the decision is one on the snapshot. */
karp_status overlay_decide(const overlay_view *o, const karp_options *options, karp_decision **out, karp_error *error);

#endif
