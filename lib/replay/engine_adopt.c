/* SPDX-License-Identifier: Apache-2.0 */
/* Takes over nodes that exist at the start of a replay, as if the replay had launched them. */
#include <replay/engine.h>

#include <base/admit.h>
#include <io/decode_fields.h>

#define DISRUPTED "karpenter.sh/disrupted"

/* The time since which the condition is true; KARP_NO_TIME = it is not. */
static int64_t since(const karp_condition *list, size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++) {
        if (!str_is(list[i].type, type)) continue;
        return str_is(list[i].status, "True") ? list[i].last_transition : KARP_NO_TIME;
    }
    return KARP_NO_TIME;
}

/* The reason of the condition; "" = there is none. */
static karp_str reason_of(const karp_condition *list, size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].type, type)) return list[i].reason;
    }
    return (karp_str){ "", 0 };
}

static bool holds(const karp_condition *list, size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].type, type)) return str_is(list[i].status, "True");
    }
    return false;
}

static karp_str label(const karp_meta *meta, const char *key)
{
    return label_or_none(meta->labels, meta->label_count, key);
}

/* The disruption taint is not taken over: Karpenter removes it at start-up if it has no command for the node. */
static size_t lasting_taints(const karp_taint *list, size_t count, karp_taint *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!str_is(list[i].key, DISRUPTED)) out[kept++] = list[i];
    }
    return kept;
}

static karp_launch as_launch(const replay_given *g, const karp_node *node, const karp_node_claim *claim)
{
    const karp_meta *meta = g->node ? &node->meta : &claim->meta;
    karp_launch launch = { .size = sizeof launch };
    launch.node_pool = label(meta, LABEL_NODE_POOL);
    launch.choice = (karp_choice){ label(meta, LABEL_TYPE), label(meta, LABEL_ZONE), label(meta, LABEL_CAPACITY_TYPE),
                                   g->price };
    launch.labels = meta->labels;
    launch.label_count = meta->label_count;
    launch.capacity = g->node ? node->capacity : claim->capacity;
    launch.capacity_count = g->node ? node->capacity_count : claim->capacity_count;
    launch.allocatable = g->node ? node->allocatable : claim->allocatable;
    launch.allocatable_count = g->node ? node->allocatable_count : claim->allocatable_count;
    launch.expire_after = launch.termination_grace_period = KARP_DURATION_UNSET;
    if (!g->claim) return launch;
    launch.annotations = claim->meta.annotations;
    launch.annotation_count = claim->meta.annotation_count;
    launch.startup_taints = claim->startup_taints;
    launch.startup_taint_count = claim->startup_taint_count;
    launch.node_class = claim->node_class;
    launch.expire_after = claim->expire_after;
    launch.termination_grace_period = claim->termination_grace_period;
    return launch;
}

static void take_state(engine *e, replay_node *n, const replay_given *g, const karp_node *node,
                       const karp_node_claim *claim)
{
    int64_t ready = g->node ? since(node->conditions, node->condition_count, "Ready") : KARP_NO_TIME;
    if (g->created < e->now) n->created = g->created > 0 ? g->created : 0;
    n->ready = g->node != NULL;
    n->ready_at = n->ready ? n->created : n->created + e->options->boot;
    if (ready != KARP_NO_TIME) n->ready_at = ready;
    n->unmanaged = g->claim == NULL;
    if (!g->claim) return;
    int64_t initialized = since(claim->conditions, claim->condition_count, "Initialized");
    if (initialized != KARP_NO_TIME) n->ready_at = initialized - e->options->initialization;
    n->last_event = claim->last_pod_event;
    n->consolidatable = holds(claim->conditions, claim->condition_count, "Consolidatable");
    n->drifted = holds(claim->conditions, claim->condition_count, "Drifted");
    n->drifted_at = since(claim->conditions, claim->condition_count, "Drifted");
    n->drift_reason = engine_text(e, reason_of(claim->conditions, claim->condition_count, "Drifted"));
}

/* DaemonSet pods use part of the node's room, but are not pods of the replay. */
static void reserve_daemons(engine *e, replay_node *n)
{
    for (size_t i = 0; i < e->trace->daemon_count; i++) {
        const trace_daemon *d = &e->trace->daemons[i];
        if (!equal_str(d->node, n->name)) continue;
        for (size_t k = 0; k < e->resource_names.count; k++) n->free[k] -= e->pods.shapes[d->shape].requests[k];
    }
}

static karp_status adopt(engine *e, const replay_given *g)
{
    io_decoder d;
    karp_node node;
    karp_node_claim claim;
    arena memory = arena_on(e->context);
    io_decoder_init(&d, &memory);
    karp_node_init(&node, sizeof node);
    karp_node_claim_init(&claim, sizeof claim);
    if (g->node) io_decode(&d, &io_node_record, g->node, &node);
    if (g->claim) io_decode(&d, &io_node_claim_record, g->claim, &claim);
    size_t taints = g->node ? node.taint_count : claim.taint_count;
    karp_taint *kept = arena_alloc(&memory, (taints + 1) * sizeof *kept);
    if (d.status) e->error = d.error;
    if (!kept && !d.status) d.status = fail_nomem(&e->error);
    if (!d.status) {
        karp_launch launch = as_launch(g, &node, &claim);
        launch.taints = kept;
        launch.taint_count = lasting_taints(g->node ? node.taints : claim.taints, taints, kept);
        uint32_t number = node_add(e, &launch, g->name);
        if (number != REPLAY_NONE) {
            take_state(e, &e->nodes.list[number], g, &node, &claim);
            reserve_daemons(e, &e->nodes.list[number]);
            node_begin(e, number);
            if (g->claim && claim.meta.deletion != KARP_NO_TIME && !e->base->state) node_delete(e, number);
        }
    }
    arena_free(&memory);
    return d.status ? d.status : e->status;
}

karp_status engine_adopt(engine *e)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < e->base->given_count && !status; i++) status = adopt(e, &e->base->given[i]);
    return status;
}
