/* SPDX-License-Identifier: Apache-2.0 */
/* A replay as a whole: its options, the common start of all policies, and their results. */
#pragma once

#include <io/write_json.h>
#include <kube/config.h>
#include <replay/result.h>

typedef struct replay_price {
    karp_str name; /* of a node */
    double price;
} replay_price;

typedef struct replay {
    replay_base base;
    karp_replay_options options; /* complete */
    karp_write_options write;
    char title[128]; /* of the catalogue, for headers */
    karp_error error;
    replay_result *results; /* one for each policy */
    size_t result_count;
    int64_t step;
    uint64_t pods; /* of the trace */
    char rates_note[300]; /* where rates of interruptions are from; "" = nothing is known of it */
    karp_text cluster; /* all objects as one Snapshot, if they include nodes; otherwise empty */
    io_table left_out; /* otherwise: namespace/name of pods that are not planned: Helm hooks, and refused ones */
    tree *made; /* otherwise: pods and claims that controllers make of the objects */
    tree *replaced; /* objects that replace others */
    replay_price *prices; /* of these nodes */
    size_t price_count;
    kube_config scheduler;
    karp_reader *sized; /* of the objects, with what containers request then; NULL = what is stated */
} replay;

/* The default interval between the points of a series. */
int64_t replay_step(int64_t length);

/* Builds the common start of all policies from the options and the events of the trace. */
karp_status replay_prepare(replay *r);

/* Puts the table of interruptions before the rates of the options. */
karp_status replay_read_rates(replay *r);

/* Keeps the notes on the objects that were read, or those of the replay that wrote them. */
karp_status replay_keep_notes(replay *r, const karp_reader *reader);
/* Adds the notes of the results to them. */
karp_status replay_note_results(replay *r);

/* ---- initial_nodes.c */

/* If the snapshot of the objects contains nodes, reads the cluster, its time, and the prices of the nodes. */
karp_status replay_read_cluster(replay *r, karp_reader *reader, const karp_snapshot *snapshot);
/* Moves the nodes from the objects, trees of `t`, to base.given. */
karp_status replay_take_nodes(replay *r, trees *t);
/* Finds the state of a replay in the documents, if any. Errors: INVALID, UNSUPPORTED. */
karp_status replay_state_find(replay *r);
/* The interval between the points of the series in that state. */
int64_t replay_state_step(const replay *r);
/* Continues the checked and sorted trace from the cluster: drops what has ended by then, and puts the cluster's pods
 * first. */
karp_status replay_continue_trace(replay *r);

/* ---- write_replay_plan.c: the results of a repack plan; nothing without a plan */

void replay_write_plan_json(json_out *j, const replay_result *p); /* a member of an open object */
void replay_write_plan_text(const replay *r, write_buffer *out);

/* ---- write_replay.c */

/* The figures of a policy, in an open object. */
void replay_write_figures(json_out *j, const replay_result *p);
karp_str replay_catalogue(const replay *r); /* "us-west-2, prices 2026-07-20" */
void replay_write_rows(const replay *r, size_t from, size_t to, write_buffer *out); /* from some policies */
void replay_write_notes_text(const replay *r, write_buffer *out);
void replay_write_json(const replay *r, write_buffer *out);
void replay_write_text(const replay *r, write_buffer *out);
void replay_write_csv(const replay *r, write_buffer *out);

/* ---- outcome.c */

/* Fills in the outcome that the caller asked for, after replay_note_results(). */
karp_status replay_give_outcome(replay *r);

/* ---- write_replay_html.c */

void replay_write_html(const replay *r, const char *verb, write_buffer *out);

/* Right sizes in a replay: what pods of the trace and of the objects request by recommendations. */

/* Tells the reader of the objects the rules, what containers use, and which pods the trace has. karp_reader_finish()
 * then changes the trace, too. Nothing if the options have no rules. */
karp_status replay_read_requests(replay *r, karp_reader *reader);
/* Changes the pods and DaemonSets of base.objects as that reader, which has finished, did with its own. */
karp_status replay_resize_objects(replay *r);
