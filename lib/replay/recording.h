/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings in memory, and the objects of the cluster as they are from look to look. */
#pragma once

#include <io/table.h>
#include <json/tree.h>
#include <karp/replay.h>

typedef struct recording_look {
    int64_t at;
    bool whole; /* `objects` are all there are; otherwise those that have changed */
    const tree *objects, *gone;
    const tree *patched; /* others, as what has changed of them; once they are read they are among the objects */
} recording_look;

/* An object. */
typedef struct recording_row {
    const tree *now, *next; /* before this look, and after it; NULL = it does not exist */
    const tree *then; /* as of recording_recall() */
    const tree *last; /* the last version of the recording */
    bool changed; /* in this look */
    bool judged; /* a NodeClaim whose end has been compared */
} recording_row;

typedef struct recording {
    karp_context *context;
    trees t;
    strbuf *texts;
    size_t text_count;
    recording_look *looks;
    size_t count, capacity;
    io_table index; /* "Kind/namespace/name" -> rows */
    recording_row *rows;
    size_t row_count, row_capacity;
    size_t recalled; /* so many looks are in `then` */
    size_t skipped; /* incomplete lines at the end of a part */
} recording;

/* The caller frees it even after a failure. */
karp_status recording_read(recording *r, karp_context *context, const karp_replay_document *parts, size_t count,
                           karp_error *error);
void recording_free(recording *r);
/* Sets `next` of all rows as of this look: looks are taken in their order. */
void recording_take(recording *r, size_t look);
void recording_settle(recording *r); /* `now` is `next` */
/* Sets `then` of all rows as of that instant, which is not before the one of the last call. */
void recording_recall(recording *r, int64_t at);
