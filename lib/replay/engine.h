/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of a replay: a cluster in virtual time under one policy. There are no ticks: time goes from one event to the next. What
 * Karpenter decides, the public functions decide, on a snapshot that is edited, never built anew for an event. docs/replay.md says
 * what the stand-ins for the rest of the world do.
 *
 *     engine.c           events in the order of time         engine_shapes.c    kinds of pods, and which nodes admit them
 *     engine_pods.c      kube-scheduler, evictions           engine_nodes.c     a node from its launch to its end
 *     engine_snapshot.c  the cluster as a snapshot           engine_provision.c pending pods, static pools
 *     engine_disrupt.c   passes, validation, commands        engine_budgets.c   PodDisruptionBudgets
 *     engine_meter.c     what it costs                  engine_adopt.c      nodes that are there at the start
 *     engine_save.c      all of it as a document        engine_resume.c     … and from it
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

/* Resources that some pod asks for. Amounts are whole numbers: billionths of a core, thousandths of anything else. */
enum { RESOURCES_MOST = 16 };
enum { RESOURCE_CPU, RESOURCE_MEMORY, RESOURCE_PODS };

/* ---- pods ---------------------------------------------------------------------------------------------------------------- */

typedef struct replay_shape {
    karp_pod pod; /* in the engine's memory */
    karp_str text; /* the trace's */
    int64_t requests[RESOURCES_MOST];
    int32_t priority;
    bool plain; /* the engine itself can tell which nodes take it; else karp_provision() is asked */
    bool owned; /* a controller makes it anew when it is evicted */
    bool protected_; /* karpenter.sh/do-not-disrupt */
    uint8_t *admits; /* by kind of node: 0 = not known yet, 1 = yes, 2 = no */
    size_t admit_capacity;
    uint64_t full_at; /* the engine's `room` when no node had room for it; 0 = never */
    uint64_t *budgets; /* bits: the budgets that select it; NULL = none */
    uint32_t template_; /* its number in the builder that is open */
    uint64_t template_edit; /* which builder that was */
} replay_shape;

enum { POD_WAITING, POD_RUNNING, POD_GONE };

typedef struct replay_pod {
    karp_str namespace_, name;
    int64_t created, waits_since, started, lasts;
    uint32_t shape, node;
    uint32_t meant; /* where a repack plan sends it; REPLAY_NONE = nowhere */
    uint32_t next, before; /* on its node */
    uint32_t life; /* how often it was evicted: events of an earlier life are void */
    uint8_t state; /* POD_* */
    bool dirty, in_snapshot;
} replay_pod;

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

typedef struct replay_node {
    /* What all nodes are gone through for comes first, and together. */
    int64_t ready_at, last_event;
    uint32_t pool_number;
    uint32_t kind; /* nodes of one kind admit the same pods */
    uint32_t first_pod, pod_count;
    bool ready, deleting, gone, tainted;
    bool consolidatable, drifted; /* as its claim says */
    bool unmanaged; /* it has no NodeClaim */
    bool given; /* of the objects: it is in the snapshot with them, and stays as it is */
    bool dirty, claim_in_snapshot, node_in_snapshot;
    bool shown_disrupted; /* the Node in the snapshot has the taint of disruption: all that changes of it */
    int64_t free[RESOURCES_MOST], allocatable[RESOURCES_MOST];
    int64_t created, deleted_at, gone_at;
    arena memory; /* of what follows until its end */
    karp_str name;
    karp_str pool, instance_type, zone, capacity_type; /* interned */
    const karp_label *labels; /* of the Node */
    const karp_label *annotations;
    const karp_taint *taints, *startup_taints;
    const karp_resource *capacity, *resources; /* resources: allocatable */
    size_t label_count, annotation_count, taint_count, startup_taint_count, capacity_count, resource_count;
    karp_node_class_ref node_class;
    int64_t expire_after, termination_grace_period;
    double price; /* per hour */
    uint64_t serial; /* as how many-eth it was launched, whatever became of the others: its fate is drawn by it */
    int64_t drifted_at; /* when it was seen that it has drifted */
    int64_t billed; /* since when it costs: its launch, or the beginning of the replay */
    double idle; /* dollars spent on what nobody asked for */
    int64_t idle_until;
} replay_node;

/* Nodes with equal labels (but their names) and taints. */
typedef struct replay_kind {
    const karp_label *labels;
    const karp_taint *taints;
    size_t label_count, taint_count;
} replay_kind;

typedef struct replay_pool {
    karp_str name;
    int64_t window; /* consolidateAfter; KARP_DURATION_NEVER possible */
    bool when_empty; /* consolidationPolicy */
    bool is_static; /* it has replicas */
} replay_pool;

typedef struct replay_budget {
    karp_pod_disruption_budget object; /* in the engine's memory */
    uint32_t expected, healthy;
    int32_t allowed, shown; /* disruptions: now, and as the snapshot says; shown −1 = not there */
} replay_budget;

/* A disruption from its decision to its end. */
typedef struct replay_command {
    karp_decision *decision;
    uint32_t index; /* in the decision */
    uint32_t method;
    uint32_t *nodes, *replacements;
    size_t node_count, dropped; /* those that validation let stay are at the end */
    size_t launch_count, replacement_count;
    /* What a document said of one that was decided on before; the decision itself is not there then. */
    karp_launch *launches; /* as many, in the engine's memory; NULL = the decision has them */
    int64_t (*amounts)[RESOURCES_MOST]; /* of each: what the pods that it is for request */
    uint32_t reason; /* KARP_REASON_*: why it does not hold */
    bool terminates_first;
    bool started, over;
} replay_command;

/* Offerings that cannot be had. */
typedef struct replay_loss {
    karp_str instance_type, zone, capacity_type;
    int64_t until;
    bool known; /* Karpenter has seen a launch fail, and takes it for unavailable */
    bool interrupted; /* it could be had: a spot node of it was interrupted, and so it is not asked for until then */
} replay_loss;

/* ---- events -------------------------------------------------------------------------------------------------------------- */

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
    uint64_t order; /* ties go by it */
    uint32_t what, index, life;
} replay_event;

/* ---- results ------------------------------------------------------------------------------------------------------------- */

typedef struct replay_point {
    int64_t at;
    double cost_rate, dollars; /* per hour; so far */
    uint32_t nodes, starting, pods, waiting; /* starting: of the nodes, those that are not ready yet */
    double cpu_requested, cpu, memory_requested, memory; /* cores and bytes, of ready nodes */
} replay_point;

/* A step of a repack plan that was tried. */
typedef struct replay_attempt {
    int64_t began, ended; /* ended: its nodes and their pods are settled; KARP_NO_TIME = not yet */
    uint32_t plan, step, steps; /* from 1; steps: that plan has */
    uint32_t nodes, launches;
    uint32_t reason; /* KARP_REASON_*: why it was not carried out */
    bool done;
    uint64_t evictions;
    double cost; /* per hour, afterwards */
} replay_attempt;

/* What came of a repack plan. */
typedef struct replay_repack_result {
    bool played; /* there was one */
    double cost_before, cost_after, promised_before, promised_after; /* per hour */
    uint64_t evictions, promised_evictions, promised_effort, pending, done;
    uint32_t plans; /* the first, and those made anew */
    int64_t ended; /* KARP_NO_TIME = it was under way when the replay ended */
    replay_attempt *attempts;
    size_t attempt_count, attempt_capacity;
} replay_repack_result;

enum { METHODS_MOST = 8 };
typedef struct replay_result {
    karp_str policy;
    double dollars, node_hours, idle_dollars;
    double cpu_use, memory_use; /* parts of what nodes had, over time */
    uint64_t launches, failed_launches, ended_nodes, evictions, interruptions, expirations, killed_pods, lost_pods,
        starts, ended_pods;
    uint64_t commands[METHODS_MOST], given_up;
    double ended_dollars, ended_hours, ended_idle; /* of nodes that are gone */
    uint64_t decisions, passes;
    uint32_t most_nodes, waiting_pods, running_pods;
    double wait_p50, wait_p99, wait_most; /* seconds */
    replay_repack_result repack;
    replay_point *points;
    size_t point_count, point_capacity;
} replay_result;

/* ---- all of it ----------------------------------------------------------------------------------------------------------- */

/* A node that is there when the replay begins. */
typedef struct replay_given {
    karp_str name;
    const tree *node, *claim; /* one of them may be NULL */
    double price;
    int64_t created;
    uint32_t row; /* in the state that they come with; 0 without one */
} replay_given;

/* What all policies begin with. */
typedef struct replay_base {
    karp_context *context;
    trace trace;
    karp_reader *reader; /* holds the trees; reads nothing into objects */
    tree *objects; /* every object of the documents */
    tree *head; /* of their Snapshot: its catalogues, settings and labels; NULL = they have none */
    const karp_replay_options *options;
    replay_given *given; /* by age */
    size_t given_count;
    karp_catalogue **catalogues; /* of the objects, each for pools: those that launches choose from */
    const karp_str **catalogue_pools; /* of each; none = all */
    size_t *catalogue_pool_counts;
    size_t catalogue_count;
    int64_t starts; /* the time of that cluster; KARP_NO_TIME = there is none */
    const tree *state; /* of the replay that wrote it; NULL = it begins anew */
    const karp_str *notes; /* on the objects, in the trace's memory */
    size_t note_count;
    karp_str title; /* what the instance types are called in headers */
    uint64_t earlier_pods; /* that the trace had created by then */
    karp_str repack_name, repack_text; /* the plan that is carried out; ptr NULL = none */
    bool ends_with_plan; /* and nothing else says when */
    size_t resumed_pods; /* so many of the trace's first events are the pods of that state, in its order */
} replay_base;

typedef struct engine {
    karp_context *context;
    const trace *trace;
    const karp_replay_options *options;
    bool played; /* by a story, which says what happens when: nothing goes into the queue */
    bool resuming; /* the queue is read from a document: nothing else goes into it */
    karp_options decision; /* of the policy */
    karp_objective objective;
    karp_error error;
    karp_status status; /* the first failure; later work is left out */
    int64_t now, ends;
    size_t next_event_of_trace;
    arena memory; /* of what lives as long as the engine */
    strings texts; /* interned: labels, names of pools … */
    strings resource_names;
    bool resources_settled;

    replay_shape *shapes;
    size_t shape_count;
    replay_pod *pods;
    size_t pod_count, pod_capacity;
    io_table pod_index; /* "namespace/name" -> the newest pod of that name */
    uint32_t *waiting; /* pods, in the order in which they are tried */
    size_t waiting_count, waiting_capacity;
    size_t complex_waiting;
    size_t pending; /* pending pods: the list may have others, which are gone */
    bool ordered; /* all priorities are equal: `waiting` is in order as it is */

    replay_node *nodes;
    size_t node_count, node_capacity, given_count; /* given_count: of the objects */
    uint64_t next_serial;
    uint64_t created_pods; /* by the trace */
    uint32_t *alive; /* nodes that are not gone, by number */
    size_t alive_count, alive_capacity;
    int64_t *scores; /* of nodes, for pods of one shape: scratch of engine_pods.c */
    size_t score_capacity;
    io_table node_index;
    replay_kind *kinds;
    size_t kind_count, kind_capacity;
    io_table kind_index;
    replay_pool *pools;
    size_t pool_count, pool_capacity;
    replay_budget *budgets;
    size_t budget_count, budget_capacity;

    bool fresh_node; /* one became ready at this instant */
    bool new_waiting; /* pods came at this instant that have not been tried */
    uint64_t room; /* counts how often a node got more room, from 1 */
    uint64_t settled_room; /* `room` when all waiting pods had been tried */
    uint32_t *roomier; /* nodes that did at this instant */
    size_t roomier_count, roomier_capacity;

    replay_event *heap;
    size_t heap_count, heap_capacity;
    uint64_t order;

    /* snapshot */
    const replay_base *base;
    trees objects_memory;
    tree *objects; /* what the documents say, and what the trace applied over them */
    trees shapes_memory;
    karp_snapshot *snapshot;
    uint32_t *dirty_pods, *dirty_nodes;
    size_t dirty_pod_count, dirty_pod_capacity, dirty_node_count, dirty_node_capacity;
    uint64_t edits, rows_since_rebuild; /* rows removed: memory that only a fresh snapshot gives back */
    bool stale; /* the next snapshot is built from nothing */
    bool pools_changed; /* pools are to be read anew, and nodes may have drifted from them */

    /* provisioning */
    int64_t batch_first, batch_due; /* KARP_NO_TIME = no window is open */
    int64_t
        static_due; /* when the controllers of static pools look next; KARP_NO_TIME = nothing has happened to those */
    bool bind_complex; /* pods that the engine cannot judge may have got room */
    replay_loss *losses;
    size_t loss_count, loss_capacity;

    /* disruption */
    int64_t pass_due; /* KARP_NO_TIME = none is scheduled */
    uint32_t validating; /* commands that wait to be looked at again: no pass meanwhile */
    uint64_t changes, planned_changes; /* of the cluster; when the next pass was scheduled */
    bool repacks; /* policy cost+repack */
    int64_t repack_due; /* KARP_NO_TIME = at once */
    struct replay_repack *repack; /* NULL = no plan is carried out */
    int64_t last_pass, look_again; /* look_again: when a budget changes. KARP_NO_TIME = none */
    replay_command *commands;
    size_t command_count, command_capacity, first_command;
    size_t draining; /* nodes that are being deleted and have pods */

    /* meter */
    replay_result result;
    int64_t metered; /* until when the integrals go */
    double cost_rate; /* of what runs now */
    int64_t cpu_asked, cpu_had, memory_asked, memory_had; /* of nodes that are ready */
    double sums[4]; /* the last four over time */
    double *waits; /* seconds, of every start */
    size_t wait_count, wait_capacity;
    int64_t next_point, step;
    size_t running, nodes_running, nodes_starting;
} engine;

/* ---- engine.c */
karp_status engine_run(engine *e);
/* All that happens until then, and nothing of what comes later: the state of that instant. */
karp_status engine_run_until(engine *e, int64_t at);
/* Everything that happens at the next instant; false = there is none, or a failure. */
bool engine_step(engine *e);
void engine_init(engine *e, const replay_base *base);
karp_status engine_begin(engine *e);
void engine_free(engine *e);
void engine_find_pool(const engine *e, replay_node *n);
void engine_fail(engine *e, karp_status status); /* what is in e->error, or NOMEM */
void engine_nomem(engine *e);
void engine_at(engine *e, int64_t at, uint32_t what, uint32_t index, uint32_t life);
uint64_t engine_random(const engine *e, uint64_t a, uint64_t b); /* the same for the same seed and numbers */
/* What the loop over alive nodes reads a few rounds later, of which there are many, is on its way. */
static inline const replay_node *engine_ahead(const engine *e, size_t i)
{
    enum { AHEAD = 8 };
    const replay_node *n = &e->nodes[e->alive[i + AHEAD < e->alive_count ? i + AHEAD : i]];
    __builtin_prefetch(n);
    return n;
}
bool engine_push(engine *e, uint32_t **list, size_t *count, size_t *capacity, uint32_t value);
karp_str engine_text(engine *e, karp_str text); /* interned */

/* ---- engine_shapes.c */
karp_status engine_shapes(engine *e); /* decodes them, and reads what the base snapshot says of them */
bool shape_admitted(engine *e, uint32_t shape, const replay_node *node);
int64_t engine_amount(const karp_resource *r, uint32_t resource);
uint32_t engine_resource(engine *e, karp_str name); /* REPLAY_NONE = no pod asks for it */

/* ---- engine_pods.c */
void pod_create(engine *e, const trace_event *event);
void pod_delete(engine *e, const trace_event *event);
void pod_end(engine *e, uint32_t pod);
void pod_bind(engine *e, uint32_t pod, uint32_t node);
/* It leaves its node; its controller makes it anew, or it is lost. */
void pod_evict(engine *e, uint32_t pod);
void pods_settle(engine *e); /* kube-scheduler's work at the end of an instant */

/* ---- engine_nodes.c */
/* What the nodes of the pool are chosen from; NULL = nobody knows. */
const karp_catalogue *engine_catalogue(const engine *e, karp_str pool);
/* REPLAY_NONE = the cloud has no such machine now. */
uint32_t node_start(engine *e, const karp_decision *d, const karp_launch *launch);
uint32_t node_launch(engine *e, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST]);
/* One that is there: it has to be given its state, and then node_begin(). REPLAY_NONE = a failure. */
uint32_t node_add(engine *e, const karp_launch *launch, karp_str name);
void node_begin(engine *e, uint32_t node);
/* What the pods request that a launch of the decision is for. */
void launch_amounts(const engine *e, const karp_decision *d, const karp_launch *launch, int64_t out[RESOURCES_MOST]);
karp_status engine_adopt(engine *e); /* engine_adopt.c */
void node_ready(engine *e, uint32_t node);
void node_delete(engine *e, uint32_t node); /* begins to drain */
void node_drain(engine *e, uint32_t node); /* as far as budgets let it */
void node_kill(engine *e, uint32_t node); /* the machine is gone, whatever is on it */
void node_empty(engine *e, uint32_t node); /* likewise, after all pods were evicted from it */
/* A node that the objects have and that only takes pods; its name lasts. */
uint32_t node_given(engine *e, karp_str name);
void node_interrupt(engine *e, uint32_t node);
void note_interrupted(engine *e, uint32_t node); /* its offering is unavailable for a while */
void node_touch(engine *e, uint32_t node); /* its row of the snapshot has changed */
void node_pod_event(engine *e, uint32_t node);
void nodes_drain(engine *e);

/* ---- engine_budgets.c */
void budgets_note(engine *e, const replay_shape *shape, int total, int healthy);
bool budgets_allow(engine *e, uint32_t shape); /* and takes the disruption from those that do */
/* Reads those of the objects, and says which shapes they select. */
karp_status budgets_read(engine *e);
karp_status budgets_read_again(engine *e); /* one of the objects has changed */

/* ---- engine_snapshot.c */
/* The cluster as it is now: borrowed, NULL after a failure. */
karp_snapshot *engine_snapshot(engine *e);
void pod_touch(engine *e, uint32_t pod);
karp_status engine_dump(engine *e, karp_text *out); /* engine_dump.c */
/* A reader of the objects as they are now, with nothing finished yet. */
karp_status engine_reader(engine *e, bool keep_documents, karp_reader **out);

/* ---- engine_save.c, engine_resume.c, launch_state.c */
/* What goes on, beside the cluster itself, as the member "replay" of its Snapshot. NULL = a failure. */
tree *engine_state(engine *e, trees *t);
/* The engine, which has just begun with that cluster, becomes the one that wrote it. */
karp_status engine_resume(engine *e, const tree *state);
/* A launch, with what the pods request that it is for. */
tree *launch_state(engine *e, trees *t, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST]);
void launch_from_state(engine *e, const tree *state, karp_launch *launch, int64_t amounts[RESOURCES_MOST]);
tree *amounts_state(const engine *e, trees *t, const int64_t amounts[RESOURCES_MOST]);
void amounts_from_state(engine *e, const tree *state, int64_t amounts[RESOURCES_MOST]);

/* ---- engine_provision.c */
void batch_open(engine *e); /* something is pending */
void provision(engine *e);
void static_open(engine *e); /* something happened to a static pool or its nodes, if there is one */
void static_pools(engine *e); /* launches what they lack, deletes what they have beyond their replicas */
/* The node that takes the place of one of a static pool that has drifted and is marked already; the command's launch is `own`.
 * REPLAY_NONE = none is launched. */
uint32_t static_replacement(engine *e, const karp_decision *drift, const karp_launch *own);
void provision_bind(engine *e); /* pods that the engine cannot judge, by where karp_provision() puts them */
bool loss_applies(const replay_loss *l, karp_str type, karp_str zone, karp_str capacity_type);

/* ---- engine_disrupt.c */
void disrupt_plan(engine *e); /* schedules the next pass, if there is anything to look at */
void disrupt_pass(engine *e);
/* Which nodes are consolidatable now. Whether one of them, or one that has drifted, may be taken by a pass. */
bool disrupt_conditions(engine *e);
int64_t disrupt_consolidatable_at(const engine *e, const replay_node *n); /* KARP_NO_TIME = never */
void disrupt_validate(engine *e, uint32_t command);
void disrupt_replacement_ready(engine *e, uint32_t node);
void disrupt_node_gone(engine *e, uint32_t node);
void disrupt_free(engine *e);

/* Notes it among the commands; its number, or REPLAY_NONE after a failure. */
uint32_t disrupt_note(engine *e, const karp_command *command);

/* ---- engine_repack.c */
typedef struct replay_repack replay_repack;
karp_status repack_begin(engine *e);
void repack_free(engine *e);
bool repack_runs(const engine *e); /* while it does, no passes are made */
bool repack_owns(const engine *e, const replay_command *c); /* the command is the step that is under way */
void repack_carried_out(engine *e, const replay_command *c); /* its nodes are about to go */
void repack_refused(engine *e, uint32_t reason);
void repack_go_on(engine *e); /* at the end of an instant */
void repack_finish(engine *e); /* at the end of the replay */

/* ---- engine_meter.c */
void meter_to(engine *e, int64_t at);
void meter_node(engine *e, uint32_t node); /* before anything on it changes */
void meter_ended(engine *e, uint32_t node); /* it is gone */
void meter_wait(engine *e, int64_t nanoseconds);
void meter_end(engine *e);

#endif
