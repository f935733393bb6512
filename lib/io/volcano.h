/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of Volcano that wait in its queue, without pods. */
#pragma once

#include <io/pods_of.h>
#include <io/reader.h>

enum { IO_ENQUEUE_AMOUNTS = 3 };

/* What counts for Volcano's queue, of each resource. */
typedef struct io_enqueue {
    bool known; /* the nodes and pods of the input were added up */
    char total[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT]; /* allocatable of all nodes */
    char used[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT]; /* by pods on them, and by Jobs before this one */
} io_enqueue;

/* Notes a Job of Volcano for which its scheduler would create no pods yet. Errors: NOMEM. */
karp_status io_enqueue_note(io_enqueue *queue, karp_reader *reader, const io_deferred *w, const io_pods *pods);
