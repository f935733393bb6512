/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace says: the load of a cluster as events in the order of time, whatever file they came from. Readers of formats make one
 * with the functions below; the engine reads the arrays.
 *
 * Pods are alike in large numbers, so what a Pod is (labels, annotations, owner, spec) is kept once, as a shape, and an event has
 * the number of it.
 */
#ifndef REPLAY_TRACE_H
#define REPLAY_TRACE_H

#include <io/table.h>

/* Kinds of events. Numbers never change. */
enum {
    TRACE_POD_CREATED = 1, /* namespace, name, shape, lasts */
    TRACE_POD_DELETED = 2, /* namespace, name */
    TRACE_NODE_INTERRUPTED = 3, /* instance_type, zone: "" = of any; the spot node of these that has run longest */
    TRACE_OBJECT_APPLIED = 4, /* text: an object as JSON that comes, or takes the place of the one of its name */
    TRACE_CAPACITY_LOST = 5 /* instance_type, zone, capacity_type: "" = any; lasts: no such node can be had so long */
};

typedef struct trace_event {
    int64_t at; /* instant */
    int64_t lasts; /* nanoseconds; of a pod: from its start on a node to its end; KARP_DURATION_UNSET = without end */
    uint32_t kind; /* TRACE_* */
    uint32_t shape;
    union {
        struct {
            karp_str namespace_, name;
            karp_str node; /* it runs there when the replay begins; "" = it is pending */
            int64_t started; /* on that node */
            int64_t created; /* 0 = when the event happens */
        } pod;
        struct {
            karp_str instance_type, zone, capacity_type;
        } offering;
        karp_str text;
    } of;
    karp_str document; /* where it was said; line 0 = unknown */
    uint32_t line;
} trace_event;

/* A pod of a DaemonSet, or one that the node itself runs, on a node that is there from the start. */
typedef struct trace_daemon {
    karp_str node;
    uint32_t shape;
} trace_daemon;

/* A pod of a dump. */
typedef struct trace_dumped {
    uint32_t event; /* of its creation */
    uint32_t seen; /* in which dump last; 0 = it is gone */
} trace_dumped;

typedef struct trace {
    karp_context *context;
    arena memory; /* of all texts */
    strings shapes; /* id -> canonical JSON of a Pod: metadata without a name, spec; nothing of its own */
    strings documents; /* names of files */
    trace_event *events;
    size_t count, capacity;
    karp_str *objects; /* documents of what is there from the start: YAML, or one JSON object each */
    size_t object_count, object_capacity;
    trace_daemon *daemons;
    size_t daemon_count, daemon_capacity;
    io_table machine_types; /* of Azure's packing trace -> shape */
    io_table dumped; /* "namespace/name" -> dumped_pods: of the dumps read so far */
    trace_dumped *dumped_pods;
    size_t dumped_count, dumped_capacity;
    uint32_t dumps;
    int64_t dump_before; /* the time of the last */
    int64_t begins, ends; /* instants; KARP_NO_TIME = those of the first and the last event */
    karp_str region; /* "" = not told */
    int64_t boot; /* from a launch to a ready node; KARP_DURATION_UNSET = not told */
    uint64_t notes; /* events left out because they contradict others (lenient) */
} trace;

void trace_init(trace *t, karp_context *context);
void trace_free(trace *t);

/* A copy in the trace's memory; ptr NULL = no memory. */
karp_str trace_keep(trace *t, karp_str text);
/* The number of the shape with this JSON (tree_write() of a Pod); NO_ID = no memory. */
uint32_t trace_shape(trace *t, karp_str pod);
/* Adds an event, whose texts are in the trace's memory already. Any order. false = no memory. */
bool trace_add(trace *t, const trace_event *event);
/* A document of objects, copied. false = no memory. */
bool trace_add_objects(trace *t, karp_str text);

/* Sorts the events by time, those of one instant in the order in which they were added. */
karp_status trace_sort(trace *t, karp_error *error);

/*
 * Sorts the events by time, those of one instant in the order in which they were added, and checks them: no pod is created while
 * it is there, none is deleted that is not, no duration is negative. A fault is an error with its document and line; when
 * `lenient`, the event is left out and counted. Errors: INVALID, NOMEM.
 */
karp_status trace_finish(trace *t, bool lenient, karp_error *error);

#endif
