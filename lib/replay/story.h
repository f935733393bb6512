/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stories: a cluster in documents, and steps that alone advance the clock. The engine of replays (engine.h) plays them;
 * they use its pods, nodes, snapshots and meter. Stories have their own rules for the time of decisions and for
 * carrying them out. Actions take effect at once, and pods run where they were planned. A command is carried out when
 * it is decided a second time. The parts are:
 *
 *     story_read    the story file and the files it names      story_state   workloads, and the nodes of the documents
 *     story_change  steps that change objects                  story_usage   usage, interruptions
 *     story_cluster documents of a cluster managed by Karpenter
 *     story_decide  one decision and its consequences          story_play    steps and events in the order of time
 *     story_write   the output as JSON or text
 */
#pragma once

#include <io/reader.h>
#include <replay/replay.h>

enum { STORY_SCALE, STORY_WAIT, STORY_EXPIRE, STORY_CHANGE, STORY_USAGE, STORY_INTERRUPT, STORY_FAIL };
enum { STORY_REPLICAS_MOST = 1000000 };
#define STORY_SAME UINT64_MAX /* replicas that do not change */

/* What a step does to a Deployment: its pods get the event's shape (NO_ID = they keep theirs) and this number. With
 * workload IO_NONE it is the event alone, at the time of the step. */
typedef struct story_effect {
    uint32_t workload;
    uint64_t replicas;
    trace_event event; /* TRACE_ROLLED: a rollout of the workload, with these replicas */
} story_effect;

typedef struct story_step {
    uint32_t what; /* STORY_* */
    uint32_t workload;
    uint64_t replicas;
    int64_t duration;
    karp_str node;
    const char *verb; /* of a change: "apply", "replace", "delete" */
    karp_str title; /* its objects */
    story_effect *effects; /* in the trace's memory */
    size_t effect_count, effect_capacity;
} story_step;

typedef struct story_workload {
    const tree *object; /* the Deployment */
    karp_str namespace_, name;
    uint64_t replicas; /* from the documents */
    uint64_t pods; /* number of its pods that the story created: numbered from `first` */
    uint64_t first; /* above the numbers of its pods in the documents */
    uint32_t shape;
    uint32_t autoscaler; /* that scales it from a step on that states its usage; IO_NONE = none */
    uint32_t rollout; /* from the first step on that changes its template; IO_NONE = none does */
    trace_event rolled; /* kind TRACE_ROLLED: while playing, the last event of its rollout */
    bool applied; /* by a step: it does not exist at the start */
    bool gone; /* while steps are read: an earlier one deleted it */
    bool refused; /* by the API server as the documents have it: it is not there before a step applies a right one */
    karp_str *owned; /* its pods in a cluster's documents; the last ones are removed first */
    size_t owned_count, owned_capacity;
} story_workload;

/* A file that was read. Its positions in story.marks start at `first`. */
typedef struct story_file {
    karp_str name;
    size_t first;
} story_file;

/* State of a node that only stories need. */
typedef struct story_node {
    bool planned; /* being deleted, and its pods have been planned for */
    uint32_t blocked; /* KARP_REASON_*: why it was kept after its expiry, as last reported */
    uint32_t wait_first, wait_count; /* nodes that must be ready before its pods are evicted */
} story_node;

typedef struct story {
    karp_context *context;
    karp_catalogue *catalogue; /* NULL = that of the documents */
    karp_options options;
    karp_write_options write;
    karp_error error;
    karp_reader *reader; /* owns the text of names; decodes nothing */
    tree *base; /* objects other than the workloads */
    tree *head; /* the Snapshot among them, or NULL */
    tree *root; /* the story */
    io_place place; /* position of its document */
    io_marks marks; /* positions in all files: `at` of every node that was read is an index here */
    story_file *files; /* in the order of the positions */
    size_t file_count, file_capacity;
    trees *t; /* the reader's trees, which own all of these */
    trace *trace; /* that shapes of pods and effects of steps are in */
    karp_str directory; /* of the story's file, which names of files begin at; "" = they are as they are */
    bool is_text; /* given as a text, without a file */
    tree *into; /* the list of documents that are read */
    const tree **objects; /* as they are at the step that is read; NULL = deleted */
    size_t object_count, object_capacity;
    io_table object_index; /* "kind namespace/name" -> index in objects; empty before the first change */
    int64_t begins, delay;
    bool starts; /* the story sets its start time */
    bool is_load; /* kind Load: curves instead of steps */
    bool old_rules; /* v1alpha5: expiry waits for replacements, one node at a time, without validation */
    karp_str region;
    karp_str ignored_kinds,
        pods_from; /* as document_rules() takes them; set by the caller: instead of the stated ones */
    karp_str feature_gates; /* set by the caller */
    char title[128]; /* of the catalogue, for headers */

    story_step start; /* the Jobs of the documents whose pods end: what applies them */
    story_step *steps;
    size_t step_count, step_capacity;
    story_workload *workloads;
    size_t workload_count, workload_capacity;

    /* while playing */
    replay played; /* the start of the engine, and the result */
    engine *e; /* NULL = not begun */
    story_node *nodes; /* by the engine's numbers */
    size_t node_count, node_capacity;
    bool rebuilds; /* nodes of the documents may become consolidatable, so each snapshot is built anew */
    uint64_t work, most_work; /* so far; limit: in the steps that docs/formats.md defines */
    size_t step; /* the current step */

    strbuf proposed; /* the disruption that awaits validation: method and nodes */
    int64_t validate_at; /* KARP_NO_TIME = none */
    int64_t unblocked_at; /* when an expired node may become unblocked; KARP_NO_TIME = unknown */
    int64_t opens_at; /* when an exhausted budget allows disruptions again; KARP_NO_TIME = none, or never */
    bool again; /* a change requires another evaluation at the same time */

    size_t unschedulable; /* in the previous plan */

    strbuf out, step_events; /* output so far; events of this step, in JSON */
    bool first_step, first_decision, first_event;
} story;

/* story_read.c */
karp_status story_init(story *s, karp_context *context); /* the caller must free it even after a failure */
void story_free(story *s);
/* Reads the file. With a text, reads the text and uses the path in errors only: is_text = there is no file; false = it
 * is what was read of a stream, whose files are named from the current directory. Errors are in story.error. */
/* Kinds that the story says create no pods, and where the pods of others are. */
karp_status story_add_rules(story *s, karp_reader *reader);
karp_status story_read(story *s, const char *path, karp_str text, bool is_text);
/* The position of an object that was read. */
io_place story_place(const story *s, const tree *object);
karp_status story_fail(story *s, karp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a field of the story ("steps[1].wait"), with its position. */
karp_status story_fail_at(story *s, karp_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a member of a step ("scale.replicas"; "" = the step itself). */
karp_status story_fail_step(story *s, size_t index, const char *member, karp_status status, const char *message);
karp_status story_nomem(story *s);
/* Reads the documents of a file beside the story. */
karp_status story_read_file(story *s, karp_str name, tree *into);
/* Adds a Deployment. */
karp_status story_add_workload(story *s, tree *object);

/* The Deployment; IO_NONE = there is none. */
uint32_t story_find_workload(const story *s, karp_str name, karp_str namespace_);

/* story_usage.c */
karp_status story_read_usage(story *s, size_t index, const tree *given, story_step *step);
/* Of the step "interrupt" or "fail". */
karp_status story_read_interrupt(story *s, size_t index, const char *verb, const tree *given, story_step *step);

/* story_jobs.c */
/* Jobs of the documents whose pods end begin at the start. */
karp_status story_take_jobs(story *s);
/* The spec of the Job, or of those of the CronJob, that says how long its pods run; NULL = it is none. */
const tree *story_ending_job(const tree *object);
/* What the Job or CronJob was last, in the trace's list; IO_NONE = nothing. */
uint32_t story_last_job(const story *s, const tree *object);
/* Adds the Job to the trace's list, without the shape of its pods. `wrong`: a field that is not understood, or NULL. */
karp_status story_read_job(story *s, const tree *object, uint32_t *out, const char **wrong);

/* story_change.c */
/* Reads the step's member apply, replace or delete, and what it does. */
karp_status story_read_change(story *s, size_t index, const char *member, tree *given, story_step *step);

/* story_state.c */
/* Prepares the engine: the workloads' pods, the nodes of the documents. */
karp_status story_begin(story *s);
karp_status story_scale(story *s, uint32_t workload, uint64_t replicas);
/* What a changed Deployment with so many pods is scaled to. It is there from then on. */
bool story_has_nodes(const story *s); /* among its documents */
/* Notes the pods that the documents have of Deployments: scaling starts from them. */
karp_status story_note_owned(story *s);
uint64_t story_replicas_after(story_workload *w, const story_effect *effect, uint64_t pods);
karp_status story_change(story *s, const story_step *step);
karp_status story_use(story *s, const story_step *step);
karp_status story_interrupt(story *s, const story_step *step);
/* The autoscalers look, and scale their Deployments. */
karp_status story_autoscale(story *s, bool *changed);
/* The current cluster: borrowed. */
karp_status story_snapshot(story *s, karp_snapshot **out);
karp_status story_engine(story *s); /* the status of the engine's last work */
story_node *story_node_of(story *s, uint32_t node); /* NULL = out of memory */
/* Sets the time at which the node expires. */
void story_set_expiry(story *s, uint32_t node, int64_t instant);
int64_t story_expires_at(const story *s, uint32_t node); /* KARP_NO_TIME = never */
/* Evicts the pods and deletes the node. */
karp_status story_drain(story *s, uint32_t node);

/* story_workloads.c */
/* What all readers of a story have in common. */
karp_reader_options story_reader_options(const story *s);
/* Reads everything as any other input, so that pods count for their workloads and missing values are completed. */
karp_status story_read_all(story *s, karp_reader **out, karp_snapshot **snapshot);
/* Gives Deployments that are manifests the replicas that autoscalers leave to them, and pods as the API server would
 * create them. Called after the reader's notes were kept: those that are made here were made before. */
karp_status story_settle_by(story *s, karp_reader *reader);
/* Both. */
karp_status story_settle_workloads(story *s);

/* story_cluster.c */
/* Whether the documents are of a cluster managed by Karpenter. The story then takes over its nodes and pods. */
bool story_has_cluster(const story *s);
/* Keeps the notes on documents that are not of a cluster. */
karp_status story_note_input(story *s);
/* Reads the cluster and the start time, before the engine begins. */
karp_status story_take_cluster(story *s);
/* Creates the pods on their nodes, after the engine has begun. */
karp_status story_create_pods(story *s);

/* story_decide.c */
karp_status story_provision(story *s);
karp_status story_launch_static(story *s);
karp_status story_disrupt(story *s);
/* Whether a node is being deleted and its pods have not been planned for. */
bool story_any_unplanned(const story *s);
/* The expired node that can be removed now; IO_NONE = none, or it is blocked, which is reported. */
karp_status story_choose_expired(story *s, uint32_t *node);

/* story_play.c */
/* Counts completed work; an error if it exceeds the story's limit. */
karp_status story_worked(story *s, uint64_t steps);

/* story_write.c */
void story_write_begin(story *s);
void story_write_step(story *s, const story_step *step);
void story_write_step_end(story *s);
/* `detail` may be "". */
void story_write_event(story *s, const char *event, karp_str node, karp_str detail);
karp_status story_write_decision(story *s, const karp_decision *decision, bool disruption);
karp_status story_write_end(story *s, karp_text *out);
