/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What snapshots have in common that differ in their pods alone: instance types, requirement sets, units, and the memory that all
 * this is in, and what state nodes point to. A snapshot that is made afresh makes a frame; one that continues another takes the
 * other's over, where nothing has changed that it was made from, or lays a frame on top of it. What frames on top have is more
 * than is needed, so only so much is laid on one.
 */
#ifndef MODEL_FRAME_H
#define MODEL_FRAME_H

#include <model/snapshot.h>

struct frame *frame_new(karp_context *context); /* empty; NULL = out of memory */
void frame_release(struct frame *f); /* NULL is allowed */
/* What the steps have made goes into the frame; the snapshot holds it, and reads it as before. */
void frame_fill(struct frame *f, karp_snapshot *s);

/* The snapshot gets a frame of its own on top of the one it has taken over, for what became different of so many nodes. What is
 * to be kept of them comes from the arena. NULL = out of memory. */
arena *frame_on_top(karp_snapshot *s, size_t nodes);

/* A snapshot whose pods are kept (reused_pods.h) takes over the frame of the one it continues, with what is said of strings and
 * the classes of pods. *taken false: there was something in the way, and nothing is taken over. Errors: NOMEM. */
karp_status frame_take_over(karp_snapshot *s, bool *taken, karp_error *error);

#endif
