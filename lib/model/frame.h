/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames: the data that snapshots share if only their pods differ. A frame has the instance types, requirement sets
 * and units, the data that state nodes point to, and the memory of all this.
 *
 * A snapshot made from scratch creates a frame. A snapshot that continues another one takes over its frame, unless
 * the objects that the frame was made from have changed. If only some nodes have changed, their new data is in an
 * additional frame on top of the other. The data that it replaces stays allocated. So when the frames on top have
 * become large, what is still used of them is gathered in one.
 */
#pragma once

#include <model/snapshot.h>

struct frame *frame_new(karp_context *context); /* an empty frame; NULL = out of memory */
void frame_release(struct frame *f); /* NULL is allowed */
/* Moves the results of the preparation steps into the frame. The snapshot owns the frame and reads the data as
 * before. */
void frame_fill(struct frame *f, karp_snapshot *s);

/* Gives the snapshot a frame of its own on top of the one it has taken over, for the new data of so many changed
 * nodes. Returns the arena for this data; NULL = out of memory. */
arena *frame_on_top(karp_snapshot *s, size_t nodes);

/* Whether frames on top have so much data that it should be gathered. */
bool frame_is_high(const karp_snapshot *s);
/* Replaces the snapshot's frames on top of the lowest one with a single frame that has this data, which must be all
 * that the snapshot uses of them. false = out of memory: nothing has changed, and the data is still the caller's. */
bool frame_gather(karp_snapshot *s, arena *data);

/* Takes over the frame of the snapshot that s continues, the string facts and the pod classes. The pods must have
 * been reused (reuse_pods.h). *taken false: this is not possible, and nothing was taken over. Errors: NOMEM. */
karp_status frame_take_over(karp_snapshot *s, bool *taken, karp_error *error);
