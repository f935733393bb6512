/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of a trace: the load of a cluster as events in the order of time, independent of the file format. Readers
 * of formats fill a trace with the functions below; the engine reads the arrays.
 *
 * Many pods are equal. The content of a Pod (labels, annotations, owner, spec) is therefore stored once, as a shape,
 * and events contain the shape's number.
 */
#pragma once

#include <io/table.h>
#include <kube/job.h>
#include <kube/rollout.h>

/* Kinds of events. The numbers are stable. */
enum {
    TRACE_POD_CREATED = 1, /* namespace, name, shape, lasts */
    TRACE_POD_DELETED = 2, /* namespace, name */
    /* instance_type, zone: "" = any; labels, nodes (0 = one): the matching spot nodes with the longest run time */
    TRACE_NODE_INTERRUPTED = 3,
    TRACE_OBJECT_APPLIED = 4, /* text: a JSON object that is added, or replaces the one with its name */
    TRACE_CAPACITY_LOST = 5, /* instance_type, zone, capacity_type: "" = any; lasts: how long it is unavailable */
    TRACE_OBJECT_DELETED = 6, /* object; with a NodePool its nodes are deleted */
    TRACE_USAGE = 7, /* usage: what all pods that an autoscaler scales use together from now on */
    TRACE_ROLLED = 8, /* rollout: a Deployment from its first change of the template on */
    TRACE_JOB = 9, /* job: a Job whose pods end, or a CronJob of such, begins, changes or is deleted */
    TRACE_NODE_FAILED = 10 /* labels, nodes: the matching nodes with the longest run time; lasts: until they are back */
};

typedef struct trace_event {
    int64_t at; /* in nanoseconds since 1970 */
    int64_t lasts; /* nanoseconds; for a pod: its run time on a node; KARP_DURATION_UNSET = unlimited */
    uint32_t kind; /* TRACE_* */
    uint32_t shape;
    union {
        struct {
            karp_str namespace_, name;
            karp_str node; /* where it runs at the start of the replay; "" = pending */
            int64_t started; /* on that node */
            int64_t created; /* 0 = at the time of the event */
            bool ordered; /* created when the pods before it of its StatefulSet run */
            bool surplus; /* deleted because its ReplicaSet has too many pods: it may choose another one */
        } pod;
        struct {
            karp_str instance_type, zone, capacity_type;
            const karp_label *labels;
            size_t label_count;
            uint64_t nodes;
            bool named; /* the only label is the name of a node, which must run */
        } offering;
        struct {
            uint32_t autoscaler; /* in trace.autoscalers */
            int64_t amounts[2]; /* of cpu and memory, in thousandths; -1 = unknown */
        } usage;
        struct {
            uint32_t rollout, set; /* in trace.rollouts; its present template */
            int32_t replicas;
            kube_strategy strategy;
        } rollout;
        struct {
            uint32_t spec; /* in trace.jobs */
            bool deleted;
        } job;
        struct {
            karp_str kind, namespace_, name; /* namespace_: "default" for kinds without one */
        } object;
        karp_str text;
    } of;
    karp_str document; /* its source; line 0 = unknown */
    uint32_t line;
} trace_event;

/* A DaemonSet's pod or a static pod, on a node that exists at the start. */
typedef struct trace_daemon {
    karp_str node;
    uint32_t shape;
} trace_daemon;

/* A pod of a dump. */
typedef struct trace_dumped {
    uint32_t event; /* the event of its creation */
    uint32_t seen; /* the last dump that contained it; 0 = it has ended */
} trace_dumped;

/* A HorizontalPodAutoscaler whose target's usage is stated. */
typedef struct trace_autoscaler {
    karp_str text, document; /* its JSON */
    uint32_t shape; /* of the pods that it adds, from the event on that states the usage; before it NO_ID */
} trace_autoscaler;

/* A Deployment whose template changes. Its pods of one template are a set, whose number is the template's. */
typedef struct trace_rollout {
    karp_str namespace_, name;
    uint32_t *stated; /* shapes of the templates as the steps state them */
    uint32_t *shapes; /* of the pods: the first one as the API server fills it in */
    size_t count, stated_capacity, capacity;
} trace_rollout;

/* The schedule of a CronJob. */
typedef struct trace_cron {
    const struct cron_schedule *when; /* schedule.h */
    bool forbids, replaces, suspended; /* concurrencyPolicy, suspend */
    int64_t deadline; /* startingDeadlineSeconds; 0 = none */
    int64_t last; /* lastScheduleTime; KARP_NO_TIME = before it is there */
} trace_cron;

/* What a Job, or each of a CronJob, is from some time on, if it says how long its pods run. */
typedef struct trace_job {
    uint32_t job; /* the Job's number, or the CronJob's */
    const trace_cron *cron; /* NULL = it is no CronJob */
    uint32_t shape; /* of its pods */
    karp_str namespace_, name;
    kube_job j; /* its spec; without indexes */
    const kube_failure_rule *rules;
    size_t rule_count;
    int64_t lasts, lasts_most; /* how long a pod runs */
    int32_t exit_code; /* of each pod; 0 = it succeeds */
} trace_job;

/* An object at the start. */
typedef struct trace_object {
    karp_str text; /* JSON */
    karp_str document; /* where it was read */
    uint32_t line; /* 0 = unknown */
} trace_object;

typedef struct trace {
    karp_context *context;
    arena memory; /* of all texts */
    strings shapes; /* id -> canonical JSON of a Pod: metadata without a name, spec; nothing specific to one pod */
    strings documents; /* names of files */
    trace_event *events;
    size_t count, capacity;
    trace_object *objects;
    size_t object_count, object_capacity;
    karp_str *problems; /* with objects that events apply; each begins with KARP_PROBLEM */
    size_t problem_count, problem_capacity;
    trace_daemon *daemons;
    size_t daemon_count, daemon_capacity;
    trace_autoscaler *autoscalers;
    size_t autoscaler_count, autoscaler_capacity;
    trace_rollout *rollouts;
    size_t rollout_count, rollout_capacity;
    trace_job *jobs;
    size_t job_count, job_capacity;
    uint32_t job_kinds, cron_kinds; /* how many Jobs and CronJobs these are of */
    io_table machine_types; /* types of Azure's packing trace -> shape */
    io_table dumped; /* "namespace/name" -> index in dumped_pods, over all dumps so far */
    trace_dumped *dumped_pods;
    size_t dumped_count, dumped_capacity;
    uint32_t dumps;
    int64_t dump_before; /* the time of the last dump */
    int64_t begins, ends; /* KARP_NO_TIME = the time of the first and the last event */
    bool has_cluster; /* the objects have nodes, which are there before the first event */
    int64_t cluster_at; /* the stated time of these nodes; KARP_NO_TIME = the latest one that the objects have */
    karp_str region; /* "" = not stated */
    karp_str ignored_kinds, pods_from; /* as document_rules() takes them; set before: instead of those of stories */
    int64_t boot; /* from a launch to a ready node; KARP_DURATION_UNSET = not stated */
    uint64_t notes; /* events left out because of contradictions (lenient) */
} trace;

void trace_init(trace *t, karp_context *context);
void trace_free(trace *t);

/* A copy in the trace's memory; ptr NULL = out of memory. */
karp_str trace_keep(trace *t, karp_str text);
/* The number of the shape with this JSON (tree_write() of a Pod); NO_ID = out of memory. */
uint32_t trace_shape(trace *t, karp_str pod);
/* The number of the shape of a Pod, made in `memory`; NO_ID = out of memory. */
uint32_t trace_shape_of(trace *t, const trees *memory, const tree *pod);
/* Adds an event whose texts are already in the trace's memory. Events may be added in any order. false = out of
 * memory. */
bool trace_add(trace *t, const trace_event *event);
/* Adds an object, whose texts are copied. false = out of memory. */
bool trace_add_object(trace *t, const trace_object *object);
/* Adds the reader's problems from this one on. false = out of memory. */
bool trace_add_problems(trace *t, const karp_reader *reader, size_t from);

/* Sorts the events by time; events with equal times stay in the order in which they were added. */
karp_status trace_sort(trace *t, karp_error *error);

/*
 * Sorts the events as trace_sort() does, and checks them: a pod is only created while it does not exist, and only
 * deleted while it exists, and no duration is negative. A violation is an error with document and line; with `lenient`,
 * the event is left out and counted. Errors: INVALID, NOMEM.
 */
karp_status trace_finish(trace *t, bool lenient, karp_error *error);
