/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stories: a cluster in documents, steps, and a clock that only they move. Between the steps stand-ins play the parts of the
 * world that Karpenter only watches: Deployments make and take pods, the scheduler binds pods to nodes that are ready, the
 * cloud starts a node after a fixed delay. Whatever is decided, is decided by karp_provision() and karp_disrupt() on a
 * snapshot of that moment, read from documents as any other.
 *
 *     story_read    the story file and the files it names      story_world   pods and nodes as they are, as documents
 *     story_decide  one decision, and what follows from it     story_play    steps and events in the order of time
 *     story_write   what happened, as JSON or text
 */
#ifndef REPLAY_STORY_H
#define REPLAY_STORY_H

#include <io/reader.h>

/* Nodes are numbered as they are started; the documents' own have this added to their place in `base`. */
#define STORY_OWN_NODES UINT32_C(0x80000000)

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
    uint64_t replicas;
} story_workload;

typedef struct story_pool {
    karp_str name;
    int64_t window; /* consolidateAfter; KARP_DURATION_NEVER possible */
} story_pool;

/* A pod of a workload. */
typedef struct story_pod {
    karp_str full_name; /* "namespace/name" */
    uint32_t workload;
    uint64_t number;
    uint32_t node; /* IO_NONE = bound nowhere */
    bool gone;
    int64_t created, bound_at;
} story_pod;

/* A node that was started in the story. */
typedef struct story_node {
    karp_str name;
    tree *claim, *node; /* the objects as they would be now */
    int64_t ready_at, expires_at, last_event, window; /* expires_at KARP_NO_TIME = never */
    bool ready, deleting, gone;
    bool planned; /* deleting, and a decision has been made for its pods */
    uint32_t blocked; /* KARP_REASON_*: why it did not go when it had expired, as told last */
    int64_t created;
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
    tree *root; /* the story */
    trees *t; /* the reader's: where all of them lie */
    trees world; /* the cluster that is being written for a snapshot */
    int64_t now, delay;
    bool old_rules; /* v1alpha5: expiry waits for replacements, one node at a time, and nothing is validated */
    karp_str region;

    story_step *steps;
    size_t step_count, step_capacity;
    story_workload *workloads;
    size_t workload_count, workload_capacity;
    story_pool *pools;
    size_t pool_count, pool_capacity;
    story_pod *pods;
    size_t pod_count, pod_capacity;
    story_node *nodes;
    size_t node_count, node_capacity;
    io_table pod_index, node_index;

    strbuf proposed; /* the disruption that waits to be validated: method and nodes */
    int64_t validate_at; /* KARP_NO_TIME = none */
    int64_t unblocked_at; /* when what blocks an expired node may end; KARP_NO_TIME = nobody knows */
    bool again; /* something happened that asks for another look at this very instant */

    size_t unschedulable; /* of the plan before */

    strbuf out, events; /* what is written so far; events of this step, in JSON */
    bool first_step, first_decision, first_event;
} story;

/* story_read.c: reads the file; with a text, that, and the path is what errors call it. Errors in story.error. */
karp_status story_read(story *s, const char *path, karp_str text);
karp_status story_fail(story *s, karp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
karp_status story_nomem(story *s);

/* story_world.c */
karp_status story_scale(story *s, uint32_t workload, uint64_t replicas);
karp_status story_snapshot(story *s, karp_reader **reader, karp_snapshot **out);
/* A node for a launch of the decision; it starts now. */
karp_status story_start_node(story *s, const karp_launch *launch);
karp_status story_bind(story *s, uint32_t pod, uint32_t node);
karp_status story_mark_deleting(story *s, uint32_t node);
/* The node expires at this instant. */
karp_status story_set_expiry(story *s, uint32_t node, int64_t instant);
karp_status story_make_ready(story *s, uint32_t node);
/* The pods leave, and the node goes. */
karp_status story_drain(story *s, uint32_t node);

/* story_decide.c */
karp_status story_provision(story *s);
karp_status story_disrupt(story *s);
/* The node whose expiry is due and whose pods let it go; IO_NONE = none, or something is in the way, which is told. */
karp_status story_choose_expired(story *s, uint32_t *node);

/* story_play.c */
karp_status story_init(story *s, karp_context *context); /* freed even when it fails */
void story_free(story *s);
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
