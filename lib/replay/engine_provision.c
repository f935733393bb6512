/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of pending pods, as Karpenter's batcher forms them, and their launches; static pools. */
#include <replay/engine.h>

#define IDLE (1 * SECOND) /* a batch ends when no pod has come for this time */
#define LONGEST (10 * SECOND) /* and at the latest after this time */

void batch_open(engine *e)
{
    if (e->played || (e->provisioning.batch_due != KARP_NO_TIME && e->provisioning.batch_due == e->now)) return;
    if (e->provisioning.batch_first == KARP_NO_TIME) e->provisioning.batch_first = e->now;
    int64_t due = e->now + IDLE, last = e->provisioning.batch_first + LONGEST;
    due = due < last ? due : last;
    if (due == e->provisioning.batch_due) return;
    e->provisioning.batch_due = due;
    engine_at(e, due, EVENT_BATCH, 0, 0);
}

static void launch_all(engine *e, const karp_decision *d)
{
    uint64_t failed = e->meter.result.failed_launches;
    for (size_t i = 0; i < karp_decision_launch_count(d) && !e->status; i++) {
        karp_launch launch = { .size = sizeof launch };
        karp_status status = karp_decision_launch(d, i, &launch);
        if (status) keep_failure(&e->status, fail_hidden(&e->error, status));
        else (void)node_start(e, d, &launch);
    }
    /* Retries without offerings that are now known to be lost. Those of interrupted nodes are retried when their time
     * is over. */
    if (e->meter.result.failed_launches == failed || !e->objects.stale) return;
    static_open(e);
    batch_open(e);
}

static void count_preferences(replay_result *into, const karp_decision *d)
{
    /* While nodes start, their pods are placed again and again. */
    bool launches = d != NULL && karp_decision_launch_count(d) > 0;
    size_t count = launches ? karp_decision_preference_count(d) : 0;
    for (size_t i = 0; i < count; i++) {
        karp_preference row = { .size = sizeof row };
        if (karp_decision_preference(d, i, &row) != KARP_OK) continue;
        into->preferences_kept += row.kept;
        into->preferences_dropped += row.dropped;
    }
}

static karp_decision *decide(engine *e)
{
    karp_decision *d = NULL;
    karp_snapshot *snapshot = engine_snapshot(e);
    if (!snapshot) return NULL;
    karp_status status = karp_provision(snapshot, &e->decision, &d, &e->error);
    keep_failure(&e->status, status);
    e->meter.result.decisions++;
    count_preferences(&e->meter.result, d);
    return d;
}

/* Nodes that pods of the cluster are planned for; virtual ones of buffers do not count. */
static void nominate_placed(engine *e, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_placement_count(d) && !e->status; i++) {
        karp_placement p = { .size = sizeof p };
        karp_status status = karp_decision_placement(d, i, &p);
        bool real = false;
        for (size_t k = 0; !status && k < p.pod_count && !real; k++)
            real = !buffer_requests(e, karp_decision_pod_name(d, p.pods[k]));
        uint32_t node = real ? io_table_get(&e->nodes.index, p.node) : IO_NONE;
        if (node != IO_NONE) node_nominate(e, node, e->now);
    }
}

static bool any_pods_leave(const engine *e)
{
    bool any = false;
    for (size_t i = 0; i < e->nodes.drain_count && !any; i++) any = e->nodes.list[e->nodes.drains[i]].pod_count > 0;
    return any;
}

void provision(engine *e)
{
    e->provisioning.batch_first = e->provisioning.batch_due = KARP_NO_TIME;
    if (!e->pods.still_pending && !any_pods_leave(e) && !e->buffers.count) return;
    karp_decision *d = decide(e);
    buffers_decided(e);
    if (d) nominate_placed(e, d);
    if (d) launch_all(e, d);
    karp_decision_unref(d);
}

uint32_t provision_unplaced(engine *e)
{
    karp_decision *d = NULL;
    uint32_t count = 0;
    karp_snapshot *snapshot = e->pods.still_pending && !e->status ? engine_snapshot(e) : NULL;
    if (snapshot) keep_failure(&e->status, karp_provision(snapshot, &e->decision, &d, &e->error));
    for (size_t i = 0; d && i < karp_decision_unschedulable_count(d); i++) {
        karp_unschedulable row = { .size = sizeof row };
        if (karp_decision_unschedulable(d, i, &row) != KARP_OK) continue;
        uint32_t pod = io_table_get(&e->pods.index, karp_decision_pod_name(d, row.pod));
        count += pod != IO_NONE && e->pods.list[pod].state == POD_PENDING;
    }
    karp_decision_unref(d);
    return count;
}

/* ---- static pools ------------------------------------------------------------------------------------------------ */

void static_open(engine *e)
{
    bool any = false;
    for (size_t i = 0; i < e->nodes.pool_count && !any; i++) any = e->nodes.pools[i].is_static;
    if (!any || e->played || e->resuming || e->provisioning.static_due == e->now) return;
    e->provisioning.static_due = e->now;
    engine_at(e, e->now, EVENT_STATIC, 0, 0);
}

static void delete_all(engine *e, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_command_count(d) && !e->status; i++) {
        karp_command c = { .size = sizeof c };
        karp_status status = karp_decision_command(d, i, &c);
        if (status) keep_failure(&e->status, fail_hidden(&e->error, status));
        for (size_t k = 0; !status && k < c.node_count; k++) {
            uint32_t node = io_table_get(&e->nodes.index, c.nodes[k]);
            if (node != IO_NONE) node_delete(e, node);
        }
    }
}

void static_pools(engine *e)
{
    karp_decision *d = NULL;
    e->provisioning.static_due = KARP_NO_TIME;
    karp_snapshot *snapshot = engine_snapshot(e);
    if (!snapshot) return;
    karp_status status = karp_launch_static_pools(snapshot, &e->decision, &d, &e->error);
    keep_failure(&e->status, status);
    if (d) launch_all(e, d);
    if (d) delete_all(e, d);
    karp_decision_unref(d);
}

/* The pool's controller would launch the same node, because the drifted node is being removed, and it knows the
 * requests of DaemonSets. If it launches nothing (its feature gate is off, the pool is not ready), the command still
 * launches its replacement. */
uint32_t static_replacement(engine *e, const karp_launch *own, const int64_t amounts[RESOURCES_MOST])
{
    karp_decision *d = NULL;
    uint32_t node = REPLAY_NONE;
    karp_snapshot *snapshot = engine_snapshot(e);
    karp_status status = snapshot ? karp_launch_static_pools(snapshot, &e->decision, &d, &e->error) : KARP_OK;
    keep_failure(&e->status, status);
    bool found = false;
    for (size_t i = 0; d && i < karp_decision_launch_count(d) && !found; i++) {
        karp_launch launch = { .size = sizeof launch };
        found = karp_decision_launch(d, i, &launch) == KARP_OK && equal_str(launch.node_pool, own->node_pool);
        if (found) node = node_start(e, d, &launch);
    }
    karp_decision_unref(d);
    if (!found && !e->status) node = node_launch(e, own, amounts);
    return node;
}

/* ---- pods that depend on others ---------------------------------------------------------------------------------- */

static void bind_placement(engine *e, const karp_decision *d, const karp_placement *p)
{
    uint32_t node = io_table_get(&e->nodes.index, p->node);
    if (node == IO_NONE) return;
    const replay_node *n = &e->nodes.list[node];
    if (!n->ready || n->gone || n->deleting || n->tainted) return;
    for (size_t i = 0; i < p->pod_count && !e->status; i++) {
        uint32_t pod = io_table_get(&e->pods.index, karp_decision_pod_name(d, p->pods[i]));
        if (pod == IO_NONE || e->pods.list[pod].state != POD_PENDING || e->pods.shapes[e->pods.list[pod].shape].plain)
            continue;
        pod_bind(e, pod, node);
    }
}

static void forget_bound(engine *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->pods.pending_count; i++) {
        if (e->pods.list[e->pods.pending[i]].state == POD_PENDING) e->pods.pending[kept++] = e->pods.pending[i];
    }
    e->pods.pending_count = e->pods.settled = kept;
}

void provision_bind(engine *e)
{
    if (e->meter.nodes_running == 0) return;
    karp_decision *d = decide(e);
    for (size_t i = 0; d && i < karp_decision_placement_count(d) && !e->status; i++) {
        karp_placement p = { .size = sizeof p };
        karp_status status = karp_decision_placement(d, i, &p);
        if (status) keep_failure(&e->status, fail_hidden(&e->error, status));
        else bind_placement(e, d, &p);
    }
    karp_decision_unref(d);
    forget_bound(e);
}
