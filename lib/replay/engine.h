/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of a replay: a cluster in virtual time under one policy. There are no ticks: the clock advances from one
 * event to the next. The public functions make Karpenter's decisions, on a snapshot that is edited rather than rebuilt
 * for each event. docs/replay.md describes how the engine simulates everything else. The parts are:
 *
 *     engine.c           events in the order of time         engine_shapes.c    kinds of pods, nodes that admit them
 *     engine_pods.c      kube-scheduler, evictions           engine_nodes.c     a node from its launch to its end
 *     engine_snapshot.c  the cluster as a snapshot           engine_provision.c pending pods, static pools
 *     engine_disrupt.c   passes, validation, commands        engine_budgets.c   PodDisruptionBudgets
 *     engine_meter.c     costs and other figures             engine_adopt.c     nodes that exist at the start
 *     engine_save.c      the state as a document             engine_resume.c    restores that state
 *     engine_repack.c    a repack plan, step by step
 */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include <karp/command.h>
#include <karp/repack.h>
#include <karp/replay.h>
#include <json/tree.h>
#include <replay/trace.h>

#define REPLAY_NONE UINT32_MAX
#define SECOND INT64_C(1000000000)

/* Resources that some pod requests. Amounts are whole numbers: billionths of a core, thousandths of anything else. */
enum { RESOURCES_MOST = 16 };
enum { RESOURCE_CPU, RESOURCE_MEMORY, RESOURCE_PODS };

/* ---- pods -------------------------------------------------------------------------------------------------------- */

typedef struct replay_shape {
    karp_pod pod; /* in the engine's memory */
    karp_str text; /* in the trace's memory */
    int64_t requests[RESOURCES_MOST];
    int32_t priority;
    bool plain; /* the engine itself can decide which nodes admit it; otherwise karp_provision() does */
    bool owned; /* a controller recreates an evicted pod */
    bool protected_; /* karpenter.sh/do-not-disrupt */
    uint8_t *admits; /* by kind of node: 0 = unknown, 1 = yes, 2 = no */
    size_t admit_capacity;
    uint32_t *takers; /* the nodes that took it when it was tried last */
    size_t taker_count, taker_capacity;
    uint64_t tried_freed; /* freed_forgotten + freed_count at that time; 0 = never tried */
    uint64_t *budgets; /* bit set: the budgets that select it; NULL = none */
    bool has_template; /* since the snapshot was built anew */
    uint32_t template_; /* its number in the snapshot and its edits, if there is one */
} replay_shape;

enum { POD_PENDING, POD_RUNNING, POD_GONE };

typedef struct replay_pod {
    karp_str namespace_, name;
    int64_t created, waits_since, started, lasts;
    uint32_t shape, node;
    uint32_t meant; /* target of a repack plan; REPLAY_NONE = none */
    uint32_t next, before; /* list of the node's pods */
    uint32_t life; /* number of evictions: events of an earlier life are ignored */
    uint8_t state; /* POD_* */
    bool dirty, in_snapshot;
} replay_pod;

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

typedef struct replay_node {
    /* Members that loops over all nodes read come first, close together. */
    double price; /* per hour */
    uint64_t listed; /* the number of the last listing of candidates that it is in */
    int64_t ready_at, last_event;
    uint32_t pool_number;
    uint32_t kind; /* nodes of the same kind admit the same pods */
    uint32_t first_pod, pod_count;
    bool ready, deleting, gone, tainted;
    bool consolidatable, drifted; /* conditions of its claim */
    bool unmanaged; /* has no NodeClaim */
    bool given; /* one of the objects: the snapshot contains it already, and it never changes */
    bool dirty, claim_in_snapshot, node_in_snapshot;
    bool shown_disrupted; /* the Node in the snapshot has the disruption taint, the only change a Node can have */
    int64_t free[RESOURCES_MOST], allocatable[RESOURCES_MOST];
    int64_t created, deleted_at, gone_at;
    arena memory; /* of the members below, until the node ends */
    karp_str name;
    karp_str pool, instance_type, zone, capacity_type; /* interned */
    const karp_label *labels; /* of the Node */
    const karp_label *annotations;
    const karp_taint *taints, *startup_taints;
    const karp_resource *capacity, *resources; /* resources: allocatable */
    size_t label_count, annotation_count, taint_count, startup_taint_count, capacity_count, resource_count;
    karp_node_class_ref node_class;
    int64_t expire_after, termination_grace_period;
    uint64_t serial; /* sequence number of the launch, which also selects its random events */
    int64_t drifted_at; /* when its drift was detected */
    int64_t billed; /* start of its costs: its launch, or the start of the replay */
    double idle; /* dollars spent on unrequested capacity */
    int64_t idle_until;
} replay_node;

/* A node that takes a pod. */
typedef struct replay_candidate {
    int64_t score;
    uint32_t node;
} replay_candidate;

/* Nodes with equal labels (except hostnames) and equal taints. */
typedef struct replay_kind {
    const karp_label *labels;
    const karp_taint *taints;
    size_t label_count, taint_count;
} replay_kind;

typedef struct replay_pool {
    karp_str name;
    int64_t window; /* consolidateAfter, or KARP_DURATION_NEVER */
    bool when_empty; /* consolidationPolicy WhenEmpty */
    bool is_static; /* has replicas */
} replay_pool;

typedef struct replay_budget {
    karp_pod_disruption_budget object; /* in the engine's memory */
    uint32_t expected, healthy;
    int32_t allowed, shown; /* allowed disruptions: now, and in the snapshot; shown −1 = not in the snapshot */
} replay_budget;

/* A disruption from its decision to its end. */
typedef struct replay_command {
    karp_decision *decision;
    uint32_t index; /* in the decision */
    uint32_t method;
    uint32_t *nodes, *replacements;
    size_t node_count, dropped; /* nodes that validation dropped are at the end */
    size_t launch_count, replacement_count;
    /* From a document, for a command of an earlier replay; its decision is not available. */
    karp_launch *launches; /* launch_count launches, in the engine's memory; NULL = those of the decision */
    int64_t (*amounts)[RESOURCES_MOST]; /* by launch: the requests of its pods */
    uint32_t reason; /* KARP_REASON_*: why it is not valid */
    bool terminates_first;
    bool started, over;
} replay_command;

/* Unavailable offerings. */
typedef struct replay_loss {
    karp_str instance_type, zone, capacity_type;
    int64_t until;
    bool known; /* Karpenter has seen a launch fail and treats the offering as unavailable */
    bool interrupted; /* the offering is not lost: Karpenter avoids it until then after a spot interruption */
} replay_loss;

/* ---- events ------------------------------------------------------------------------------------------------------ */

enum {
    EVENT_POD_END,
    EVENT_READY,
    EVENT_EXPIRED,
    EVENT_INTERRUPTED,
    EVENT_KILLED,
    EVENT_BATCH,
    EVENT_PASS,
    EVENT_VALIDATE,
    EVENT_RETRY,
    EVENT_PLAN,
    EVENT_STATIC /* never in a document: it is due when it is queued */
};

typedef struct replay_event {
    int64_t at;
    uint64_t order; /* breaks ties */
    uint32_t what, index, life;
} replay_event;

/* ---- results ----------------------------------------------------------------------------------------------------- */

typedef struct replay_point {
    int64_t at;
    double cost_rate, dollars; /* per hour; total so far */
    uint32_t nodes, starting, pods, pending; /* starting: the nodes that are not ready yet */
    double cpu_requested, cpu, memory_requested, memory; /* cores and bytes, of ready nodes */
} replay_point;

/* An attempted step of a repack plan. */
typedef struct replay_attempt {
    int64_t began, ended; /* ended: all its nodes and pods are settled; KARP_NO_TIME = not yet */
    uint32_t plan, step, steps; /* from 1; steps: the number of steps of the plan */
    uint32_t nodes, launches;
    uint32_t reason; /* KARP_REASON_*: why it was not carried out */
    bool done;
    uint64_t evictions;
    double cost; /* per hour, after the step */
} replay_attempt;

/* The results of a repack plan. */
typedef struct replay_repack_result {
    bool played; /* there was a plan */
    double cost_before, cost_after, promised_before, promised_after; /* per hour */
    uint64_t evictions, promised_evictions, promised_effort, pending, done;
    uint32_t plans; /* the first plan and all new ones */
    int64_t ended; /* KARP_NO_TIME = still in progress at the end of the replay */
    replay_attempt *attempts;
    size_t attempt_count, attempt_capacity;
} replay_repack_result;

enum { METHODS_MOST = 8 };
typedef struct replay_result {
    karp_str policy;
    double dollars, node_hours, idle_dollars;
    double cpu_use, memory_use; /* fractions of the nodes' capacity, averaged over time */
    uint64_t launches, failed_launches, ended_nodes, evictions, interruptions, expirations, killed_pods, lost_pods,
        starts, ended_pods;
    uint64_t commands[METHODS_MOST], given_up;
    double ended_dollars, ended_hours, ended_idle; /* of nodes that have ended */
    uint64_t decisions, passes;
    uint32_t most_nodes, pending_pods, running_pods;
    double wait_p50, wait_p99, wait_most; /* seconds */
    replay_repack_result repack;
    replay_point *points;
    size_t point_count, point_capacity;
} replay_result;

/* ---- the engine -------------------------------------------------------------------------------------------------- */

/* A node that exists at the start of the replay. */
typedef struct replay_given {
    karp_str name;
    const tree *node, *claim; /* one of them may be NULL */
    double price;
    int64_t created;
    uint32_t row; /* in the saved state of the cluster; 0 without one */
} replay_given;

/* The common start of all policies. */
typedef struct replay_base {
    karp_context *context;
    trace trace;
    karp_reader *reader; /* owns the trees; does not decode them */
    tree *objects; /* all objects of the documents */
    tree *head; /* of their Snapshot: catalogues, settings and labels; NULL = none */
    const karp_replay_options *options;
    replay_given *given; /* by age */
    size_t given_count;
    karp_catalogue **catalogues; /* of the objects, with their pools: those that launches choose from */
    const karp_str **catalogue_pools; /* by catalogue; none = all pools */
    size_t *catalogue_pool_counts;
    size_t catalogue_count;
    int64_t starts; /* the time of the cluster; KARP_NO_TIME = no cluster */
    const tree *state; /* of the replay that dumped the cluster; NULL = a new replay */
    const karp_str *notes; /* notes on the objects, in the trace's memory */
    size_t note_count;
    karp_str title; /* name of the instance types in headers */
    uint64_t earlier_pods; /* pods that the trace had created before the dump */
    karp_str repack_name, repack_text; /* the plan to carry out; ptr NULL = none */
    bool ends_with_plan; /* nothing else ends the replay */
    size_t resumed_pods; /* the trace's first events are this many pods of that state, in its order */
} replay_base;

typedef struct engine {
    karp_context *context;
    const trace *trace;
    const karp_replay_options *options;
    bool played; /* by a story, which controls all events: the queue stays empty */
    bool resuming; /* the queue is read from a document: nothing else is queued */
    karp_options decision; /* options of the policy's decisions */
    karp_objective objective;
    karp_error error;
    karp_status status; /* the first failure; later work is skipped */
    int64_t now, ends;
    size_t next_event_of_trace;
    arena memory; /* lives as long as the engine */
    strings texts; /* interned: labels, names of pools … */
    strings resource_names;
    bool resources_settled;
    strbuf key; /* scratch space for keys of the tables below */

    replay_shape *shapes;
    size_t shape_count;
    replay_pod *pods;
    size_t pod_count, pod_capacity;
    io_table pod_index; /* "namespace/name" -> the newest pod with this name */
    uint32_t *pending; /* pods in the order in which they are tried; also some that have ended */
    size_t pending_count, pending_capacity;
    size_t complex_pending;
    size_t still_pending; /* how many pods of the list are pending */
    bool ordered; /* all priorities are equal, so `pending` is already sorted */

    replay_node *nodes;
    size_t node_count, node_capacity, given_count; /* given_count: those from the objects */
    uint64_t next_serial;
    uint64_t created_pods; /* by the trace */
    uint32_t *alive; /* numbers of the nodes that have not ended */
    size_t alive_count, alive_capacity;
    replay_candidate *candidates; /* scratch space of engine_pods.c */
    size_t candidate_capacity;
    io_table node_index;
    replay_kind *kinds;
    size_t kind_count, kind_capacity;
    io_table kind_index;
    replay_pool *pools;
    size_t pool_count, pool_capacity;
    replay_budget *budgets;
    size_t budget_count, budget_capacity;

    bool fresh_node; /* a node became ready at this time */
    bool new_pending; /* pods were created at this time and not tried yet */
    uint32_t *freed_nodes; /* nodes whose free capacity grew, oldest first; see freed_forgotten */
    size_t freed_count, freed_capacity;
    uint64_t freed_forgotten; /* 1 + how many older entries the list no longer has */
    uint64_t freed_settled; /* freed_forgotten + freed_count when all pending pods had been tried */
    uint64_t listings; /* of candidates */

    replay_event *heap;
    size_t heap_count, heap_capacity;
    uint64_t order;

    /* for snapshots */
    const replay_base *base;
    trees objects_memory;
    tree *objects; /* from the documents, with the objects that the trace applied */
    trees shapes_memory;
    karp_snapshot *snapshot;
    uint32_t *dirty_pods, *dirty_nodes;
    size_t dirty_pod_count, dirty_pod_capacity, dirty_node_count, dirty_node_capacity;
    uint64_t rows_since_rebuild; /* rows removed: their memory is only freed by a new snapshot */
    bool stale; /* the next snapshot is built anew */
    bool pools_changed; /* pools must be read again, and nodes may have drifted */

    /* for provisioning */
    int64_t batch_first, batch_due; /* KARP_NO_TIME = no batching window is open */
    int64_t static_due; /* next run of the static pools' controllers; KARP_NO_TIME = not needed */
    bool bind_complex; /* pods that the engine cannot judge may have room now */
    replay_loss *losses;
    size_t loss_count, loss_capacity;

    /* for disruption */
    uint32_t *young; /* nodes that may become consolidatable as time passes, unless `review_all` */
    uint32_t *changing; /* scratch space */
    size_t young_count, young_capacity, changing_count, changing_capacity;
    bool review_all; /* pools were read */
    int64_t pass_due; /* KARP_NO_TIME = none is scheduled */
    uint32_t validating; /* commands that await validation: no pass takes place meanwhile */
    uint64_t changes, planned_changes; /* number of changes of the cluster: now; when the next pass was scheduled */
    bool repacks; /* policy cost+repack */
    int64_t repack_due; /* KARP_NO_TIME = immediately */
    struct replay_repack *repack; /* NULL = there is no plan */
    int64_t last_pass, look_again; /* look_again: when a budget changes. KARP_NO_TIME = none */
    replay_command *commands;
    size_t command_count, command_capacity, first_command;
    uint32_t *drains; /* nodes that are being deleted, and some that are gone */
    size_t drain_count, drain_capacity;
    size_t draining; /* nodes that are being deleted and still have pods */

    /* for the meter */
    replay_result result;
    int64_t metered; /* the end of the time already integrated */
    double cost_rate; /* of all running nodes */
    int64_t cpu_asked, cpu_had, memory_asked, memory_had; /* of ready nodes */
    double sums[4]; /* integrals of these four over time */
    double *waits; /* waiting time of every started pod, in seconds */
    size_t wait_count, wait_capacity;
    int64_t next_point, step;
    size_t running, nodes_running, nodes_starting;
} engine;

/* ---- engine.c */
karp_status engine_run(engine *e);
/* Runs all events up to this time and none after it. The state is then that of this time. */
karp_status engine_run_until(engine *e, int64_t at);
/* Runs all events of the next time; false = no more events, or a failure. */
bool engine_step(engine *e);
void engine_init(engine *e, const replay_base *base);
karp_status engine_begin(engine *e);
void engine_free(engine *e);
void engine_find_pool(const engine *e, replay_node *n);
void engine_fail(engine *e, karp_status status); /* with the error in e->error, or NOMEM */
void engine_nomem(engine *e);
void engine_at(engine *e, int64_t at, uint32_t what, uint32_t index, uint32_t life);
uint64_t engine_random(const engine *e, uint64_t a, uint64_t b); /* deterministic: equal for equal seed and numbers */
enum { AHEAD = 16 }; /* distance in nodes at which loops prefetch */
/* Prefetches a node that the loop over alive nodes reads a few iterations later. */
static inline void engine_ahead(const engine *e, size_t i)
{
    if (i + AHEAD < e->alive_count) __builtin_prefetch(&e->nodes[e->alive[i + AHEAD]]);
}
bool engine_push(engine *e, uint32_t **list, size_t *count, size_t *capacity, uint32_t value);
karp_str engine_text(engine *e, karp_str text); /* interned */

/* ---- engine_shapes.c */
karp_status engine_shapes(engine *e); /* decodes the shapes, and reads their requests from the base snapshot */
/* Whether nodes of the kind admit pods of the shape. */
bool shape_judge(engine *e, uint32_t shape, uint32_t kind);
static inline bool shape_admitted(engine *e, uint32_t shape, const replay_node *node)
{
    const replay_shape *s = &e->shapes[shape];
    if (node->kind < s->admit_capacity && s->admits[node->kind] != 0) return s->admits[node->kind] == 1;
    return shape_judge(e, shape, node->kind);
}
int64_t engine_amount(const karp_resource *r, uint32_t resource);
uint32_t engine_resource(engine *e, karp_str name); /* REPLAY_NONE = no pod requests it */

/* ---- engine_pods.c */
void pod_create(engine *e, const trace_event *event);
void pod_delete(engine *e, const trace_event *event);
void pod_end(engine *e, uint32_t pod);
void pod_bind(engine *e, uint32_t pod, uint32_t node);
/* Removes the pod from its node. Its controller recreates it, or the pod is lost. */
void pod_evict(engine *e, uint32_t pod);
void node_freed(engine *e, uint32_t node); /* the node may take pods that it did not take before */
void nodes_tried(engine *e); /* all pending pods have been tried on the freed nodes */
void pods_settle(engine *e); /* kube-scheduler, at the end of each time */
void pod_touch(engine *e, uint32_t pod); /* marks its row of the snapshot as changed */

/* ---- engine_nodes.c */
/* REPLAY_NONE = the cloud has no suitable machine now. */
uint32_t node_start(engine *e, const karp_decision *d, const karp_launch *launch);
uint32_t node_launch(engine *e, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST]);
/* Adds an existing node. The caller must set its state and then call node_begin(). REPLAY_NONE = a failure. */
uint32_t node_add(engine *e, const karp_launch *launch, karp_str name);
void node_begin(engine *e, uint32_t node);
/* The requests of the pods for which the decision makes the launch. */
void launch_amounts(const engine *e, const karp_decision *d, const karp_launch *launch, int64_t out[RESOURCES_MOST]);
void node_ready(engine *e, uint32_t node);
void node_delete(engine *e, uint32_t node); /* starts to drain it */
void node_kill(engine *e, uint32_t node); /* the machine ends, together with its pods */
void node_empty(engine *e, uint32_t node); /* likewise, after all its pods were evicted */
/* A node of the objects that only runs pods; `name` must stay valid. */
uint32_t node_given(engine *e, karp_str name);
void node_interrupt(engine *e, uint32_t node);
void node_touch(engine *e, uint32_t node); /* marks its row of the snapshot as changed */
void node_pod_event(engine *e, uint32_t node);
void node_drains(engine *e, uint32_t node); /* notes that it is being deleted */
void nodes_drain(engine *e);

/* ---- engine_adopt.c */
karp_status engine_adopt(engine *e); /* adds the nodes of the objects */

/* ---- machine.c */
/* The instance types for the pool's launches; NULL = unknown. */
const karp_catalogue *engine_catalogue(const engine *e, karp_str pool);
void note_interrupted(engine *e, uint32_t node); /* marks the node's offering as unavailable for a while */

/* ---- engine_budgets.c */
void budgets_note(engine *e, const replay_shape *shape, int total, int healthy);
bool budgets_allow(engine *e, uint32_t shape); /* uses up a disruption of the budgets if they allow it */
/* Reads the budgets of the objects, and finds the shapes that they select. */
karp_status budgets_read(engine *e);
karp_status budgets_read_again(engine *e); /* an object of this kind has changed */

/* ---- engine_snapshot.c */
/* The current cluster: borrowed, NULL after a failure. */
karp_snapshot *engine_snapshot(engine *e);
/* A reader with the current objects, before its completion. */
karp_status engine_reader(engine *e, bool keep_documents, karp_reader **out);

/* ---- engine_dump.c */
karp_status engine_dump(engine *e, karp_text *out);

/* ---- engine_save.c, engine_resume.c, launch_state.c */
/* The state of the replay beyond the cluster, as member "replay" of its Snapshot. NULL = a failure. */
tree *engine_state(engine *e, trees *t);
/* Restores the engine's state from that of the replay that dumped the cluster. The engine must have just begun with
 * that cluster. */
karp_status engine_resume(engine *e, const tree *state);
/* A launch with the requests of its pods. */
tree *launch_state(engine *e, trees *t, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST]);
void launch_from_state(engine *e, const tree *state, karp_launch *launch, int64_t amounts[RESOURCES_MOST]);
tree *amounts_state(const engine *e, trees *t, const int64_t amounts[RESOURCES_MOST]);
void amounts_from_state(engine *e, const tree *state, int64_t amounts[RESOURCES_MOST]);

/* ---- engine_provision.c */
void batch_open(engine *e); /* some pod is pending */
void provision(engine *e);
void static_open(engine *e); /* something happened to a static pool or its nodes, if any */
void static_pools(engine *e); /* scales static pools to their replicas */
/* Launches the replacement for a drifted node of a static pool that is already marked; `own` is the command's launch.
 * REPLAY_NONE = none is launched. */
uint32_t static_replacement(engine *e, const karp_decision *drift, const karp_launch *own);
void provision_bind(engine *e); /* binds pods that the engine cannot judge to the nodes of karp_provision() */

/* ---- machine.c: the machine that the cloud provides for a launch */
bool loss_applies(const replay_loss *l, karp_str type, karp_str zone, karp_str capacity_type);
/* The result of a launch. Everything is borrowed. */
typedef struct machine {
    karp_choice choice;
    const karp_instance_type *type; /* NULL = the launch's own choice */
    const karp_offering *offering;
    const karp_resource *allocatable;
    size_t allocatable_count;
} machine;

/* Finds the launch's choice, or if it is unavailable the cheapest other option that the launch allows. false = there is
 * none. */
bool find_machine(engine *e, const karp_launch *launch, machine *out);

/* ---- engine_disrupt.c */
void disrupt_plan(engine *e); /* schedules the next pass, if there is anything to evaluate */
void disrupt_pass(engine *e);
/* Determines which nodes are consolidatable now. Returns whether a pass could select one of them or a drifted node. */
bool disrupt_conditions(engine *e);
void disrupt_young(engine *e, uint32_t node); /* the node may become consolidatable as time passes */
int64_t disrupt_consolidatable_at(const engine *e, const replay_node *n); /* KARP_NO_TIME = never */
void disrupt_validate(engine *e, uint32_t command);
void disrupt_replacement_ready(engine *e, uint32_t node);
void disrupt_node_gone(engine *e, uint32_t node);
void disrupt_free(engine *e);

/* Adds the command to the list; returns its number, or REPLAY_NONE after a failure. */
uint32_t disrupt_note(engine *e, const karp_command *command);

/* ---- engine_repack.c */
typedef struct replay_repack replay_repack;
karp_status repack_begin(engine *e);
void repack_free(engine *e);
bool repack_runs(const engine *e); /* no passes take place during a plan */
bool repack_owns(const engine *e, const replay_command *c); /* the command is the current step */
void repack_carried_out(engine *e, const replay_command *c); /* before its nodes are deleted */
void repack_refused(engine *e, uint32_t reason);
void repack_go_on(engine *e); /* at the end of a time */
void repack_finish(engine *e); /* at the end of the replay */

/* ---- engine_meter.c */
void meter_to(engine *e, int64_t at);
void meter_node(engine *e, uint32_t node); /* before any change on the node */
void meter_ended(engine *e, uint32_t node); /* the node has ended */
void meter_wait(engine *e, int64_t nanoseconds);
void meter_end(engine *e);

#endif
