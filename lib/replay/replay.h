/* SPDX-License-Identifier: Apache-2.0 */
/* A replay as a whole: its options, what all policies begin with, and their results. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <io/write_json.h>
#include <replay/engine.h>

typedef struct replay_price {
    karp_str name; /* of a node */
    double price;
} replay_price;

typedef struct replay {
    replay_base base;
    karp_replay_options options; /* complete */
    karp_write_options write;
    char title[128]; /* of the catalogue, in headers */
    karp_error error;
    replay_result *results; /* one for each policy */
    size_t result_count;
    int64_t step;
    uint64_t pods; /* of the trace */
    karp_text cluster; /* all objects as one Snapshot, when they have nodes; else without bytes */
    replay_price *prices; /* of these nodes */
    size_t price_count;
} replay;

/* Between the points of a series, when nobody says. */
int64_t replay_step(int64_t length);

/* How a policy is called, and the n-th: without any, "karpenter". */
karp_str replay_policy(const replay *r, size_t index);

/* From the options and the events of the trace to what all policies begin with. */
karp_status replay_prepare(replay *r);

/* Keeps the notes on the objects that were read, or those that the replay had which wrote them. */
karp_status replay_keep_notes(replay *r, const karp_reader *reader);

/* ---- given.c */

/* When the snapshot of the objects has nodes: the cluster, its time, and what the nodes cost. */
karp_status replay_given_read(replay *r, karp_reader *reader, const karp_snapshot *snapshot);
/* Nodes leave the objects for base.given. */
karp_status replay_given_take(replay *r);
/* The state of a replay, when one of the documents has it. Errors: INVALID, UNSUPPORTED. */
karp_status replay_state_find(replay *r);
/* Between the points of the series that it has begun. */
int64_t replay_state_step(const replay *r);
/* The trace, checked and in order, goes on from the cluster: what is over by then is left out, and the cluster's pods come first. */
karp_status replay_given_go_on(replay *r);

/* ---- write_replay_plan.c: what came of a repack plan; nothing where there was none ---- */

void replay_write_plan_json(json_out *j, const replay_result *p); /* a member of an object that is open */
void replay_write_plan_text(const replay *r, write_buffer *out);

/* ---- write_replay.c, write_replay_html.c ------------------------------------------------------------------------------------- */

/* The figures of a policy, in an object that is open; all of them, a line each with a column a policy. */
void replay_write_figures(json_out *j, const replay_result *p);
karp_str replay_catalogue(const replay *r); /* "us-west-2, prices 2026-07-20" */
void replay_write_rows(const replay *r, size_t from, size_t to, write_buffer *out); /* of some policies */
void replay_write_notes_json(json_out *j, const replay *r); /* a member of an object that is open; none without notes */
void replay_write_notes_text(const replay *r, write_buffer *out);
void replay_write_json(const replay *r, write_buffer *out);
void replay_write_text(const replay *r, write_buffer *out);
void replay_write_csv(const replay *r, write_buffer *out);
void replay_write_html(const replay *r, const char *verb, write_buffer *out);

#endif
