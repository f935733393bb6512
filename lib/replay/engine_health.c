/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/engine.h>

#include <base/admit.h>

#include <karp/library.h>

enum { DRAW_LEASE = 81, DRAW_LOOKS = 82, DRAW_COLLECTOR = 83 };
#define LEASE (10 * SECOND) /* a kubelet renews its lease so often */
#define COLLECTOR (20 * SECOND) /* the collector of pods looks so often */
#define QUARANTINE (40 * SECOND) /* and waits so long after it has missed a node */
#define GRACE INT64_C(30) /* terminationGracePeriodSeconds of pods that state none */
#define STUCK (60 * SECOND) /* a drain ignores a pod so long after it should have ended */
#define TOLERATED 300 /* seconds for which admission lets pods tolerate a node that is not ready, or unreachable */

static void sooner_of(int64_t at, int64_t *due)
{
    if (at < *due) *due = at;
}

/* The first time from `at` on of those that are a period apart. The seed says where they begin; in a story all begin
 * with it. */
static int64_t next_time(const engine *e, uint64_t number, uint64_t draw, int64_t period, int64_t at)
{
    int64_t first = e->trace->begins - (e->played ? 0 : (int64_t)(engine_random(e, number, draw) % (uint64_t)period));
    int64_t since = at - first;
    return first + (since + period - 1) / period * period;
}

static int64_t next_look(const engine *e, int64_t at)
{
    return next_time(e, UINT64_MAX - 3, DRAW_LOOKS, KUBE_NODE_PERIOD, at);
}

static replay_failed *failed_of(engine *e, uint32_t node)
{
    for (size_t i = 0; i < e->health.failed_count; i++) {
        if (e->health.failed[i].node == node) return &e->health.failed[i];
    }
    return NULL;
}

static uint32_t zone_of(engine *e, const replay_node *n)
{
    struct replay_health *h = &e->health;
    uint32_t zone = io_table_get(&h->zone_index, n->zone);
    if (zone != IO_NONE) return zone;
    if (!grow(e->context, (void **)&h->zones, &h->zone_capacity, h->zone_count + 1, sizeof *h->zones) ||
        !io_table_put(&h->zone_index, n->zone, (uint32_t)h->zone_count)) {
        engine_nomem(e);
        return 0;
    }
    h->zones[h->zone_count] = (kube_watched_zone){ 0 };
    return (uint32_t)h->zone_count++;
}

/* When something happens next. A look is needed where the controller has something left to do. */
static void plan(engine *e)
{
    struct replay_health *h = &e->health;
    bool open = h->changed && h->failed_count > 0;
    h->due = INT64_MAX;
    for (size_t i = 0; i < h->timer_count; i++) sooner_of(h->timers[i].at, &h->due);
    for (size_t i = 0; i < h->stuck_count; i++) sooner_of(h->stuck[i].at, &h->due);
    for (size_t i = 0; i < h->failed_count; i++) {
        const replay_failed *f = &h->failed[i];
        bool silent = f->returns_at > e->now, evicts = f->watched.evicts != KUBE_NODE_READY;
        if (silent) sooner_of(f->returns_at, &h->due);
        open = open || silent != (f->watched.state == KUBE_NODE_UNKNOWN) || silent != evicts;
    }
    if (open) sooner_of(next_look(e, h->looked < e->now ? e->now : e->now + 1), &h->due);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Admission adds tolerations to pods without one of the key. */
static int64_t due_of(engine *e, const replay_node *n, const karp_pod *pod, int64_t due)
{
    size_t most = pod->toleration_count + 2, taint_count = 0;
    karp_toleration *tolerations = karp_alloc(e->context, most * sizeof *tolerations);
    karp_taint *taints = karp_alloc(e->context, (n->node_taint_count + 1) * sizeof *taints);
    int64_t out = KARP_NO_TIME;
    if (!tolerations || !taints) {
        engine_nomem(e);
    } else {
        if (pod->toleration_count) memcpy(tolerations, pod->tolerations, pod->toleration_count * sizeof *tolerations);
        for (size_t i = 0; i < 2; i++)
            tolerations[pod->toleration_count + i] = (karp_toleration){ .key = str(i ? KUBE_TAINT_UNREACHABLE
                                                                                     : KUBE_TAINT_NOT_READY),
                                                                        .effect = str("NoExecute"),
                                                                        .op = KARP_TOLERATION_EXISTS,
                                                                        .has_seconds = true,
                                                                        .seconds = TOLERATED };
        for (size_t i = 0; i < n->node_taint_count; i++) {
            if (str_is(n->node_taints[i].effect, "NoExecute")) taints[taint_count++] = n->node_taints[i];
        }
        if (taint_count) out = kube_taint_evicts(taints, taint_count, tolerations, most, due, e->now);
    }
    karp_free(e->context, tolerations, most * sizeof *tolerations);
    karp_free(e->context, taints, (n->node_taint_count + 1) * sizeof *taints);
    return out;
}

/* Sets, keeps or ends the pod's timer. */
static void time_pod(engine *e, uint32_t pod)
{
    struct replay_health *h = &e->health;
    const replay_pod *p = &e->pods.list[pod];
    size_t at = 0;
    while (at < h->timer_count && (h->timers[at].pod != pod || h->timers[at].life != p->life)) at++;
    int64_t due = at < h->timer_count ? h->timers[at].at : KARP_NO_TIME;
    due = due_of(e, &e->nodes.list[p->node], &e->pods.shapes[p->shape].pod, due);
    if (due == KARP_NO_TIME) {
        if (at < h->timer_count) h->timers[at] = h->timers[--h->timer_count];
        return;
    }
    if (at == h->timer_count &&
        !grow(e->context, (void **)&h->timers, &h->timer_capacity, h->timer_count + 1, sizeof *h->timers)) {
        engine_nomem(e);
        return;
    }
    h->timers[at] = (replay_timer){ pod, p->life, due };
    h->timer_count += at == h->timer_count;
}

void health_bound(engine *e, uint32_t pod)
{
    time_pod(e, pod);
    plan(e);
}

/* Taint eviction asks no budget. */
static bool evict_due(engine *e)
{
    struct replay_health *h = &e->health;
    bool any = false;
    for (size_t i = 0; i < h->timer_count && !e->status;) {
        replay_timer t = h->timers[i];
        const replay_pod *p = &e->pods.list[t.pod];
        bool there = p->state == POD_RUNNING && p->life == t.life;
        if (there && t.at > e->now) {
            i++;
            continue;
        }
        h->timers[i] = h->timers[--h->timer_count];
        if (!there) continue;
        any = true;
        e->meter.result.taint_evictions++;
        pod_evict(e, t.pod);
    }
    return any;
}

bool health_keeps(engine *e, uint32_t pod)
{
    const replay_pod *p = &e->pods.list[pod];
    replay_node *n = &e->nodes.list[p->node];
    const replay_shape *s = &e->pods.shapes[p->shape];
    int64_t grace = s->pod.termination_grace_seconds < 0 ? GRACE : s->pod.termination_grace_seconds;
    if (!n->silent || grace == 0) return false;
    int64_t until = grace > INT64_MAX / 4 / SECOND ? INT64_MAX / 4 : e->now + grace * SECOND + STUCK;
    if (until > n->stuck_until) n->stuck_until = until;
    engine_at(e, n->stuck_until, EVENT_DRAINED, p->node, 0);
    return s->one_by_one;
}

void health_hold(engine *e, uint32_t pod, uint32_t node)
{
    struct replay_health *h = &e->health;
    if (!grow(e->context, (void **)&h->stuck, &h->stuck_capacity, h->stuck_count + 1, sizeof *h->stuck)) {
        engine_nomem(e);
        return;
    }
    h->stuck[h->stuck_count++] = (replay_stuck){ pod, e->pods.list[pod].life, node, INT64_MAX };
    e->pods.list[pod].state = POD_HELD;
    e->pods.list[pod].node = REPLAY_NONE;
    pod_touch(e, pod);
}

static void let_go(engine *e, uint32_t node, int64_t at)
{
    for (size_t i = 0; i < e->health.stuck_count; i++) {
        if (e->health.stuck[i].node == node && e->health.stuck[i].at > at) e->health.stuck[i].at = at;
    }
}

static bool release_due(engine *e)
{
    struct replay_health *h = &e->health;
    size_t kept = 0;
    bool any = false;
    for (size_t i = 0; i < h->stuck_count; i++) {
        const replay_pod *p = &e->pods.list[h->stuck[i].pod];
        if (p->state != POD_HELD || p->life != h->stuck[i].life) continue;
        if (h->stuck[i].at > e->now) h->stuck[kept++] = h->stuck[i];
        else pod_release(e, h->stuck[i].pod);
        any = any || h->stuck[i].at <= e->now;
    }
    h->stuck_count = kept;
    return any;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void each_pod(engine *e, uint32_t node, void (*visit)(engine *e, uint32_t pod))
{
    for (uint32_t p = e->nodes.list[node].first_pod; p != REPLAY_NONE && !e->status; p = e->pods.list[p].next)
        visit(e, p);
}

/* The controller marks pods not ready, and kubelets that are back say that they are. */
static void note_readiness(engine *e, uint32_t pod)
{
    const replay_pod *p = &e->pods.list[pod];
    budgets_note(e, &e->pods.shapes[p->shape], 0, e->nodes.list[p->node].unready ? -1 : 1);
    pod_touch(e, pod);
}

static void show(engine *e, const replay_failed *f)
{
    replay_node *n = &e->nodes.list[f->node];
    bool unready = f->watched.state == KUBE_NODE_UNKNOWN, evicts = f->watched.evicts != KUBE_NODE_READY;
    if (unready != n->unready) {
        n->unready = unready;
        n->health_since = e->now;
        each_pod(e, f->node, note_readiness);
    } else if (evicts == n->evicts) {
        return;
    }
    n->evicts = evicts;
    node_retaint(e, f->node);
    each_pod(e, f->node, time_pod);
    disrupt_changed(e);
}

/* The node lifecycle controller looks at all nodes. */
static void look(engine *e)
{
    struct replay_health *h = &e->health;
    size_t room = e->nodes.alive_count + 1, count = 0;
    kube_watched_node *all = karp_alloc(e->context, room * sizeof *all);
    if (!all) engine_nomem(e);
    for (size_t i = 0; all && i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        replay_failed *f = n->failed ? failed_of(e, e->nodes.alive[i]) : NULL;
        if (!n->ready) continue;
        if (f && !n->silent) f->watched.seen_at = e->now; /* it renews its lease */
        all[count++] = f ? f->watched : (kube_watched_node){ .zone = zone_of(e, n), .seen_at = e->now };
    }
    if (all && !e->status) kube_watch_nodes(all, count, h->zones, h->zone_count, e->now);
    count = 0;
    for (size_t i = 0; all && i < e->nodes.alive_count; i++) {
        const replay_node *n = &e->nodes.list[e->nodes.alive[i]];
        replay_failed *f = n->failed ? failed_of(e, e->nodes.alive[i]) : NULL;
        if (f && n->ready) f->watched = all[count];
        count += n->ready;
    }
    karp_free(e->context, all, room * sizeof *all);
    h->looked = e->now;
    h->changed = false;
    for (size_t i = 0; i < h->failed_count && !e->status; i++) show(e, &h->failed[i]);
}

/* Nodes that are back and whose taints are gone, and those that have ended, are nothing to the controller any more. */
static void forget(engine *e)
{
    struct replay_health *h = &e->health;
    size_t kept = 0;
    for (size_t i = 0; i < h->failed_count; i++) {
        replay_node *n = &e->nodes.list[h->failed[i].node];
        n->failed = !n->gone && (n->silent || h->failed[i].watched.evicts != KUBE_NODE_READY);
        if (n->failed) h->failed[kept++] = h->failed[i];
    }
    h->failed_count = kept;
}

/* Its kubelet reports at once, and ends what should have ended. */
static void come_back(engine *e, replay_failed *f)
{
    replay_node *n = &e->nodes.list[f->node];
    if (n->gone) return;
    n->silent = false;
    n->stuck_until = KARP_NO_TIME;
    kube_node_reports(&f->watched, KUBE_NODE_READY);
    show(e, f);
    let_go(e, f->node, e->now);
    for (uint32_t p = n->first_pod; p != REPLAY_NONE; p = e->pods.list[p].next) {
        const replay_pod *pod = &e->pods.list[p];
        if (pod->lasts != KARP_DURATION_UNSET && pod->started + pod->lasts <= e->now)
            engine_at(e, e->now, EVENT_POD_END, p, pod->life);
    }
}

bool health_go_on(engine *e)
{
    struct replay_health *h = &e->health;
    if (h->due > e->now) return false;
    bool any = false, looks = next_look(e, e->now) == e->now && h->looked != e->now && h->failed_count > 0;
    for (size_t i = 0; i < h->failed_count && !e->status; i++) {
        replay_failed *f = &h->failed[i];
        if (f->returns_at > e->now || !e->nodes.list[f->node].silent) continue;
        come_back(e, f);
        any = true;
    }
    if (looks) look(e);
    any = evict_due(e) || any || looks;
    any = release_due(e) || any;
    forget(e);
    plan(e);
    return any;
}

void health_fail(engine *e, uint32_t node, int64_t lasts)
{
    struct replay_health *h = &e->health;
    replay_node *n = &e->nodes.list[node];
    replay_failed *f = failed_of(e, node);
    int64_t lease = next_time(e, n->serial, DRAW_LEASE, LEASE, e->now) - LEASE, seen = next_look(e, lease + 1);
    if (!f && !grow(e->context, (void **)&h->failed, &h->failed_capacity, h->failed_count + 1, sizeof *h->failed)) {
        engine_nomem(e);
        return;
    }
    if (!f) {
        f = &h->failed[h->failed_count++];
        *f = (replay_failed){ .watched = { .zone = zone_of(e, n) } };
    }
    f->node = node;
    f->returns_at = lasts == KARP_DURATION_UNSET || lasts > INT64_MAX / 2 - e->now ? INT64_MAX : e->now + lasts;
    f->watched.lease = f->watched.seen_lease = lease;
    f->watched.seen_at = seen;
    n->silent = n->failed = true;
    e->meter.result.failures++;
    plan(e);
}

void health_node_changed(engine *e, uint32_t node)
{
    struct replay_health *h = &e->health;
    if (e->nodes.list[node].gone)
        let_go(e, node, next_time(e, UINT64_MAX - 4, DRAW_COLLECTOR, COLLECTOR, e->now) + QUARANTINE);
    if (h->failed_count == 0 && h->stuck_count == 0) return;
    h->changed = true;
    if (e->nodes.list[node].gone) forget(e);
    plan(e);
}

bool health_any(const engine *e) { return e->health.failed_count + e->health.stuck_count + e->health.timer_count > 0; }

void health_begin(engine *e)
{
    io_table_init(&e->health.zone_index, e->context);
    e->health.due = INT64_MAX;
    e->health.looked = KARP_NO_TIME;
}

void health_free(engine *e)
{
    struct replay_health *h = &e->health;
    karp_free(e->context, h->failed, h->failed_capacity * sizeof *h->failed);
    karp_free(e->context, h->timers, h->timer_capacity * sizeof *h->timers);
    karp_free(e->context, h->stuck, h->stuck_capacity * sizeof *h->stuck);
    karp_free(e->context, h->zones, h->zone_capacity * sizeof *h->zones);
    io_table_free(&h->zone_index);
}
