/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of a recording, and what is decided for the cluster just before them. */
#pragma once

#include <io/write_json.h>
#include <io/table.h>
#include <json/tree.h>
#include <karp/replay.h>

/* Recordings in memory, and the objects of the cluster as they are from look to look. */

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

enum { TWIN_EQUAL, TWIN_IN_KIND, TWIN_DIFFERENT, TWIN_VERDICTS };
enum { TWIN_LAUNCH, TWIN_REPLACE, TWIN_REMOVE, TWIN_EXPIRY };

/* A node that was launched, or would be. */
typedef struct twin_node {
    karp_str pool, type, capacity_type, zone; /* zone "" = any */
    const karp_str *zones; /* that a plan allows; NULL = only `zone`, or any */
    size_t zone_count;
} twin_node;

typedef struct twin_set {
    twin_node *launched;
    size_t launched_count;
    karp_str *removed; /* names of nodes */
    size_t removed_count;
} twin_set;

typedef struct twin_decision {
    int64_t at;
    uint32_t what, verdict; /* TWIN_* */
    twin_set real, ours;
    karp_str reason; /* of a disruption, as Karpenter states it */
    karp_str why; /* what may explain a difference */
} twin_decision;

typedef struct twin {
    karp_context *context;
    karp_replay_options options; /* complete; so is `decision` */
    karp_options decision;
    recording r;
    arena memory;
    twin_decision *list;
    size_t count, capacity;
    karp_error error;
    bool failed; /* out of memory: what was found is not to be told */
} twin;

/* twin_ask.c: what is decided for the cluster at `at`, without the rows of the decision. */
typedef struct twin_question {
    int64_t at;
    const size_t *left_out; /* rows of NodeClaims that the decision made */
    size_t left_out_count;
    bool recalled; /* as it was when the decision was made that is carried out now */
    bool late; /* with what changed in the same look */
    const karp_str *only; /* the nodes that may be disrupted; NULL = all */
    size_t only_count;
} twin_question;

karp_str twin_keep(twin *w, karp_str text);
/* Whether pods wait for a node then. */
bool twin_pods_wait(twin *w, int64_t at);
/* Sets verdict and `ours`. */
karp_status twin_judge(twin *w, twin_decision *d, const twin_question *q);
int64_t twin_time(const tree *object, const char *member); /* of metadata; KARP_NO_TIME = not stated */
