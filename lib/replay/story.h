/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stories: a cluster in documents, steps, and a clock that only they move. They are played by the engine of replays (engine.h), whose
 * pods, nodes, snapshots and meter they use; when something is decided, and what is carried out, follows rules of their own: everything
 * at once, pods where they were planned, a command when it comes out a second time.
 *
 *     story_read    the story file and the files it names      story_world   workloads, and the nodes of the documents
 *     story_cluster documents of a cluster that Karpenter runs
 *     story_decide  one decision, and what follows from it     story_play    steps and events in the order of time
 *     story_write   what happened, as JSON or text
 */
#ifndef REPLAY_STORY_H
#define REPLAY_STORY_H

#include <io/reader.h>
#include <replay/replay.h>

enum { STORY_SCALE, STORY_WAIT, STORY_EXPIRE };

typedef struct story_step {
    uint32_t what; /* STORY_* */
    uint32_t workload;
    uint64_t replicas;
    int64_t duration;
    karp_str node;
} story_step;

typedef struct story_workload {
    const tree *object; /* the Deployment */
    karp_str namespace_, name;
    uint64_t replicas; /* as the documents say */
    uint64_t pods; /* how many of those the story makes it has: numbers from `first` */
    uint64_t first; /* beyond the numbers that its pods in the documents have */
    uint32_t shape;
    karp_str *owned; /* its pods in the documents of a cluster, of which the last leave first */
    size_t owned_count, owned_capacity;
} story_workload;

/* What a story knows of a node beside the engine. */
typedef struct story_node {
    bool planned; /* it is being deleted, and a decision has been made for its pods */
    uint32_t blocked; /* KARP_REASON_*: why it did not go when it had expired, as told last */
    uint32_t wait_first, wait_count; /* nodes that must be ready before its pods leave */
} story_node;

typedef struct story {
    karp_context *context;
    karp_catalogue *catalogue; /* NULL = as the documents have it */
    karp_options options;
    karp_write_options write;
    karp_error error;
    karp_reader *reader; /* holds the text of names; reads nothing itself */
    tree *base; /* objects other than the workloads */
    tree *head; /* of the Snapshot among them, or NULL */
    tree *root; /* the story */
    io_place place; /* where it stands; */
    io_marks marks; /* and what is in it */
    trees *t; /* the reader's: where all of them lie */
    int64_t begins, delay;
    bool starts; /* the story says when */
    bool is_load; /* of kind Load: no steps, but curves */
    bool old_rules; /* v1alpha5: expiry waits for replacements, one node at a time, and nothing is validated */
    karp_str region;
    karp_str feature_gates; /* the caller's */
    char title[128]; /* of the catalogue, in headers */

    story_step *steps;
    size_t step_count, step_capacity;
    story_workload *workloads;
    size_t workload_count, workload_capacity;

    /* playing */
    replay played; /* what the engine begins with, and the result */
    engine *e; /* NULL = not begun */
    story_node *nodes; /* by the engine's numbers */
    size_t node_count, node_capacity;
    bool rebuilds; /* nodes of the documents may become consolidatable, so each snapshot is read anew */
    uint64_t work, most_work; /* so far; at most: in steps, as docs/formats.md counts them */
    size_t step; /* the one that is being taken */

    strbuf proposed; /* the disruption that waits to be validated: method and nodes */
    int64_t validate_at; /* KARP_NO_TIME = none */
    int64_t unblocked_at; /* when what blocks an expired node may end; KARP_NO_TIME = nobody knows */
    int64_t opens_at; /* when a budget that is used up allows something again; KARP_NO_TIME = none is, or none does */
    bool again; /* something happened that asks for another look at this very instant */

    size_t unschedulable; /* of the plan before */

    strbuf out, told; /* what is written so far; events of this step, in JSON */
    bool first_step, first_decision, first_event;
} story;

/* story_read.c */
karp_status story_init(story *s, karp_context *context); /* freed even when it fails */
void story_free(story *s);
/* Reads the file; with a text, that, and the path is what errors call it. Errors in story.error. */
karp_status story_read(story *s, const char *path, karp_str text);
karp_status story_fail(story *s, karp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same of a field of the story ("steps[1].wait"), with the place where it stands. */
karp_status story_fail_at(story *s, karp_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Of a step, and the member of it ("scale.replicas"; "" = the step itself). */
karp_status story_fail_step(story *s, size_t index, const char *member, karp_status status, const char *message);
karp_status story_nomem(story *s);

/* story_world.c */
/* Readies the engine: the workloads' pods, the nodes of the documents. */
karp_status story_begin(story *s);
karp_status story_scale(story *s, uint32_t workload, uint64_t replicas);
/* The cluster as it is now: borrowed. */
karp_status story_snapshot(story *s, karp_snapshot **out);
karp_status story_engine(story *s); /* what the engine's last work came to */
story_node *story_node_of(story *s, uint32_t node); /* NULL = no memory */
/* The node expires at this instant. */
void story_set_expiry(story *s, uint32_t node, int64_t instant);
int64_t story_expires_at(const story *s, uint32_t node); /* KARP_NO_TIME = never */
/* The pods leave, and the node goes. */
karp_status story_drain(story *s, uint32_t node);

/* story_cluster.c */
/* Whether the documents are of a cluster that Karpenter runs, whose nodes and pods the story takes over. */
bool story_has_cluster(const story *s);
/* Keeps the notes on documents that are no cluster. */
karp_status story_note_input(story *s);
/* Before the engine begins: the cluster as it is read, and the time of the beginning. */
karp_status story_take_cluster(story *s);
/* Once it has begun: the pods, where they are. */
karp_status story_create_pods(story *s);

/* story_decide.c */
karp_status story_provision(story *s);
karp_status story_launch_static(story *s);
karp_status story_disrupt(story *s);
/* Whether a node is being deleted for whose pods nothing has been decided. */
bool story_any_unplanned(const story *s);
/* The node whose expiry is due and whose pods let it go; IO_NONE = none, or something is in the way, which is told. */
karp_status story_choose_expired(story *s, uint32_t *node);

/* story_play.c */
/* Counts work that has been done; the error when it is more than the story may do. */
karp_status story_worked(story *s, uint64_t steps);
karp_status story_play(story *s);

/* story_write.c */
void story_write_begin(story *s);
void story_write_step(story *s, const story_step *step);
void story_write_step_end(story *s);
/* `detail` may be "". */
void story_write_event(story *s, const char *event, karp_str node, karp_str detail);
karp_status story_write_decision(story *s, const karp_decision *decision, bool disruption);
karp_status story_write_end(story *s, karp_text *out);

#endif
