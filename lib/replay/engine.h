/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine of a replay: a cluster in virtual time under one policy. There are no ticks: the clock advances from one
 * event to the next. The public functions make Karpenter's decisions, on a snapshot that is edited rather than rebuilt
 * for each event. docs/replay.md describes how the engine simulates everything else. The parts are:
 *
 *     engine.c           events in the order of time         engine_shapes.c    kinds of pods, nodes that admit them
 *     engine_pods.c      pending pods, evictions             engine_nodes.c     a node from its launch to its end
 *     engine_snapshot.c  the cluster as a snapshot           engine_provision.c pending pods, static pools
 *     engine_disrupt.c   passes, validation, commands        engine_budgets.c   PodDisruptionBudgets
 *     engine_meter.c     costs and other figures             engine_adopt.c     nodes that exist at the start
 *     engine_save.c      the state as a document             engine_resume.c    restores that state
 *     engine_repack.c    a repack plan, step by step         engine_buffers.c   CapacityBuffers
 *     engine_drift.c     nodes drift from changed objects engine_health.c    nodes that fail, taint-based eviction
 */
#pragma once

#include <karp/repack.h>
#include <replay/engine_autoscale.h>
#include <replay/engine_backoff.h>
#include <replay/engine_budgets.h>
#include <replay/engine_buffers.h>
#include <replay/engine_drift.h>
#include <replay/engine_health.h>
#include <replay/engine_jobs.h>
#include <replay/engine_meter.h>
#include <replay/engine_provision.h>
#include <replay/engine_repack.h>
#include <replay/engine_replicas.h>
#include <replay/engine_rollouts.h>
#include <replay/engine_scheduler.h>
#include <replay/engine_snapshot.h>
#include <replay/machine.h>

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
    EVENT_DRAINED, /* a node may end now */
    EVENT_TRY, /* pods are tried again that kube-scheduler held back; the last kind in documents */
    EVENT_PLAN,
    EVENT_STATIC, /* it is due when it is queued */
    EVENT_BUFFERS /* a buffer gives up; not in documents, which tell when */
};

typedef struct replay_event {
    int64_t at;
    uint64_t order; /* breaks ties */
    uint32_t what, index, life;
} replay_event;

struct replay_events {
    replay_event *heap;
    size_t count, capacity;
    uint64_t order;
};

/* ---- the engine -------------------------------------------------------------------------------------------------- */

struct engine {
    karp_context *context;
    const replay_base *base;
    const trace *trace;
    const karp_replay_options *options;
    bool played; /* by a story, which controls all events: the queue stays empty */
    bool resuming; /* the queue is read from a document: nothing else is queued */
    bool repacks; /* policy cost+repack */
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
    strbuf key; /* scratch space for keys of tables */
    struct replay_events events;
    struct replay_pods pods;
    struct replay_nodes nodes;
    struct replay_scheduler scheduler;
    struct replay_budgets budgets;
    struct replay_autoscalers autoscalers;
    struct replay_rollouts rollouts;
    struct replay_jobs jobs;
    struct replay_health health;
    struct replay_buffers buffers;
    struct replay_objects objects;
    struct replay_losses losses;
    struct replay_reservations reservations;
    struct replay_backoffs backoffs;
    struct replay_provisioning provisioning;
    struct replay_disruption disruption;
    struct replay_drift drift;
    int64_t repack_due; /* KARP_NO_TIME = immediately */
    struct replay_repack *repack; /* NULL = there is no plan */
    struct replay_meter meter;
    arena *commit_memory; /* of the result's commitments; NULL = they are not looked for */
};

karp_status engine_run(engine *e);
/* Runs all events up to this time and none after it. The state is then that of this time. */
karp_status engine_run_until(engine *e, int64_t at);
/* Runs all events of the next time; false = no more events, or a failure. */
bool engine_step(engine *e);
void engine_take(engine *e, const trace_event *event); /* an event of the trace happens now */
void engine_init(engine *e, const replay_base *base);
karp_status engine_begin(engine *e);
void engine_free(engine *e);
void engine_find_pool(const engine *e, replay_node *n);
void engine_nomem(engine *e);
void engine_at(engine *e, int64_t at, uint32_t what, uint32_t index, uint32_t life);
uint64_t engine_random(const engine *e, uint64_t a, uint64_t b); /* deterministic: equal for equal seed and numbers */
/* Whether it runs on a node that the controllers have heard of lately. */
static inline bool pod_is_ready(const engine *e, const replay_pod *p)
{
    return p->state == POD_RUNNING && !e->nodes.list[p->node].unready;
}
enum { AHEAD = 16 }; /* distance in nodes at which loops prefetch */
/* Prefetches a node that the loop over alive nodes reads a few iterations later. */
static inline void engine_ahead(const engine *e, size_t i)
{
    if (i + AHEAD < e->nodes.alive_count) __builtin_prefetch(&e->nodes.list[e->nodes.alive[i + AHEAD]]);
}
/* "kind namespace/name", valid until the next key is made; "" = a failure, which the engine keeps. */
karp_str engine_key(engine *e, karp_str kind, karp_str namespace_, karp_str name);
bool engine_push(engine *e, uint32_t **list, size_t *count, size_t *capacity, uint32_t value);
karp_str engine_text(engine *e, karp_str text); /* interned */
