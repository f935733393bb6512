/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods, and a simplified kube-scheduler: it filters nodes (resources, taints, node selectors and required node
 * affinity) and scores them with LeastAllocated or MostAllocated. Pods that depend on other pods are placed by
 * karp_provision() (engine_provision.c).
 */
#include <replay/engine_ordered.h>
#include <replay/engine_shapes.h>

/* The pod's key in e->pods.index, valid until the next call. */
static karp_str pod_key(engine *e, karp_str namespace_, karp_str name)
{
    strbuf_clear(&e->key);
    strbuf_addname(&e->key, namespace_, name);
    if (e->key.failed) engine_nomem(e);
    return (karp_str){ e->key.ptr, e->key.failed ? 0 : e->key.len };
}

void pod_enter_name(engine *e, uint32_t pod)
{
    karp_str key = pod_key(e, e->pods.list[pod].namespace_, e->pods.list[pod].name);
    if (key.len && !io_table_put(&e->pods.index, key, pod)) engine_nomem(e);
}

uint32_t pod_of_event(engine *e, const trace_event *event)
{
    karp_str key = pod_key(e, e->pods.shapes[event->shape].pod.meta.namespace_, event->of.pod.name);
    uint32_t pod = key.len ? io_table_get(&e->pods.index, key) : IO_NONE;
    return pod == IO_NONE || e->pods.list[pod].state == POD_GONE ? REPLAY_NONE : pod;
}

void pod_touch(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    e->disruption.changes++;
    if (p->dirty) return;
    p->dirty = engine_push(e, &e->objects.dirty_pods, &e->objects.dirty_pod_count, &e->objects.dirty_pod_capacity, pod);
}

static void attach(engine *e, uint32_t pod, uint32_t node, int64_t since);

/* ---- creation and deletion --------------------------------------------------------------------------------------- */

static void wait_for_node(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    p->state = POD_PENDING;
    p->node = REPLAY_NONE;
    p->waits_since = e->now;
    p->attempts = 0;
    p->errors = 0;
    p->held_until = KARP_NO_TIME;
    (void)engine_push(e, &e->pods.pending, &e->pods.pending_count, &e->pods.pending_capacity, pod);
    if (!e->pods.shapes[p->shape].plain) {
        e->pods.complex_pending++;
        e->provisioning.bind_complex = true;
    }
    e->pods.new_pending = true;
    e->pods.still_pending++;
    e->pods.shapes[e->pods.shapes[p->shape].group].waiting++;
    pod_touch(e, pod);
}

/* The pod is not pending any more. */
static void stop_waiting(engine *e, const replay_pod *p)
{
    e->pods.still_pending--;
    e->pods.shapes[e->pods.shapes[p->shape].group].waiting--;
    e->pods.may_go_on = e->pods.ordered_count > 0;
}

void pod_release(engine *e, uint32_t pod)
{
    e->pods.list[pod].created = e->now;
    wait_for_node(e, pod);
}

/* The list of the pods of a controller. */
static void list_alike(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    replay_shape *s = &e->pods.shapes[e->pods.shapes[p->shape].group];
    p->before_alike = REPLAY_NONE;
    p->next_alike = s->first_pod;
    if (s->first_pod != REPLAY_NONE) e->pods.list[s->first_pod].before_alike = pod;
    s->first_pod = pod;
}

static void unlist_alike(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    if (p->before_alike != REPLAY_NONE) e->pods.list[p->before_alike].next_alike = p->next_alike;
    else e->pods.shapes[e->pods.shapes[p->shape].group].first_pod = p->next_alike;
    if (p->next_alike != REPLAY_NONE) e->pods.list[p->next_alike].before_alike = p->before_alike;
    p->next_alike = p->before_alike = REPLAY_NONE;
}

/* Controllers create pods in waves of 1, 2, 4, …, all controllers at the same time. */
static uint8_t wave_of(engine *e, uint32_t shape)
{
    uint8_t wave = 0;
    replay_shape *group = &e->pods.shapes[e->pods.shapes[shape].group];
    if (!group->owned) return 0;
    if (group->made_at != e->now) group->made = 0;
    group->made_at = e->now;
    for (uint32_t nth = ++group->made; nth > 1; nth /= 2) wave++;
    return wave;
}

void pod_create(engine *e, const trace_event *event)
{
    if (!grow(e->context, (void **)&e->pods.list, &e->pods.capacity, e->pods.count + 1, sizeof *e->pods.list)) {
        engine_nomem(e);
        return;
    }
    uint32_t pod = (uint32_t)e->pods.count++;
    replay_shape *s = &e->pods.shapes[event->shape];
    e->pods.list[pod] = (replay_pod){ .namespace_ = s->pod.meta.namespace_,
                                      .name = event->of.pod.name,
                                      .created = event->of.pod.created ? event->of.pod.created : e->now,
                                      .lasts = event->lasts,
                                      .shape = event->shape,
                                      .wave = wave_of(e, event->shape),
                                      .meant = REPLAY_NONE,
                                      .scheduled = REPLAY_NONE,
                                      .next = REPLAY_NONE,
                                      .before = REPLAY_NONE };
    pod_enter_name(e, pod);
    budgets_note(e, s, 1, 0);
    list_alike(e, pod);
    if (event->of.pod.ordered && ordered_hold(e, pod)) return;
    wait_for_node(e, pod);
    uint32_t node = event->of.pod.node.len ? io_table_get(&e->nodes.index, event->of.pod.node) : IO_NONE;
    if (e->status || node == IO_NONE || !e->nodes.list[node].ready) return;
    e->pods.pending_count--; /* if it is evicted, it waits behind the others */
    attach(e, pod, node, event->of.pod.started);
}

/* Karpenter notes on the NodeClaim that a pod begins to terminate, one NodeClaim after another. A pod without a grace
 * period is gone within milliseconds, so the first of those that a controller deletes at one time is noticed mostly,
 * and the others seldom. */
static bool is_noticed(engine *e, const replay_shape *s, uint32_t pod)
{
    enum { DRAW = 78, OF = 12, FIRST = 9, OTHERS = 2 }; /* measured: docs/twin.md */
    if (e->pods.left_at != e->now || e->pods.left_group != s->group || s->one_by_one) e->pods.left = 0;
    e->pods.left_at = e->now;
    e->pods.left_group = s->group;
    if (e->played || s->pod.termination_grace_seconds != 0) return true;
    return engine_random(e, pod, DRAW) % OF < (e->pods.left++ ? OTHERS : FIRST);
}

/* Removes the pod from its node, which gains room. */
static void leave_node(engine *e, uint32_t pod, bool ended)
{
    replay_pod *p = &e->pods.list[pod];
    replay_node *n = &e->nodes.list[p->node];
    const replay_shape *s = &e->pods.shapes[p->shape];
    meter_node(e, p->node);
    binding_leave(e, pod);
    for (size_t i = 0; i < e->resource_names.count; i++) n->free[i] += s->requests[i];
    if (p->before == REPLAY_NONE) n->first_pod = p->next;
    else e->pods.list[p->before].next = p->next;
    if (p->next != REPLAY_NONE) e->pods.list[p->next].before = p->before;
    p->next = p->before = REPLAY_NONE;
    n->pod_count--;
    e->meter.running--;
    if (n->ready && !n->gone) {
        e->meter.cpu_asked -= s->requests[RESOURCE_CPU];
        e->meter.memory_asked -= s->requests[RESOURCE_MEMORY];
    }
    if (!n->unready) budgets_note(e, &e->pods.shapes[p->shape], 0, -1);
    if (ended || is_noticed(e, s, pod)) node_pod_event(e, p->node);
    if (!n->deleting && !n->gone && !n->tainted) node_freed(e, p->node);
    if (e->pods.complex_pending) e->provisioning.bind_complex = true;
}

static void remove_pod(engine *e, uint32_t pod, bool ended)
{
    replay_pod *p = &e->pods.list[pod];
    if (p->state == POD_RUNNING) leave_node(e, pod, ended);
    else if (p->state == POD_PENDING && !e->pods.shapes[p->shape].plain) e->pods.complex_pending--;
    if (p->state == POD_PENDING) {
        meter_wait(e, e->now - p->waits_since);
        stop_waiting(e, p);
    }
    p->state = POD_GONE;
    p->node = REPLAY_NONE;
    unlist_alike(e, pod);
    binding_forget(e, pod);
    budgets_note(e, &e->pods.shapes[p->shape], -1, 0);
    pod_touch(e, pod);
    if (!ended) disrupt_changed(e);
}

void pod_end(engine *e, uint32_t pod)
{
    e->meter.result.ended_pods++;
    remove_pod(e, pod, true);
}

/* Deletes a pod. A pod that has already ended by itself is ignored. */
void pod_delete(engine *e, const trace_event *event)
{
    uint32_t pod = pod_of_event(e, event);
    if (pod == REPLAY_NONE) return;
    if (e->pods.list[pod].state == POD_RUNNING) e->meter.result.ended_pods++;
    remove_pod(e, pod, false);
}

void pod_evict(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    uint32_t node = p->node;
    bool waits = health_keeps(e, pod);
    leave_node(e, pod, false);
    disrupt_changed(e);
    p->life++;
    p->wave = 0;
    if (e->pods.shapes[p->shape].owned && !p->ends_once) {
        if (waits) health_hold(e, pod, node);
        else wait_for_node(e, pod);
        return;
    }
    if (!p->ends_once) e->meter.result.lost_pods++;
    unlist_alike(e, pod);
    binding_forget(e, pod);
    p->state = POD_GONE;
    p->node = REPLAY_NONE;
    budgets_note(e, &e->pods.shapes[p->shape], -1, 0);
    pod_touch(e, pod);
}

/* Puts the pod on the node, where it has been running since then. */
static void attach(engine *e, uint32_t pod, uint32_t node, int64_t since)
{
    replay_pod *p = &e->pods.list[pod];
    replay_node *n = &e->nodes.list[node];
    const replay_shape *s = &e->pods.shapes[p->shape];
    meter_node(e, node);
    for (size_t i = 0; i < e->resource_names.count; i++) n->free[i] -= s->requests[i];
    if (!s->plain) e->pods.complex_pending--;
    stop_waiting(e, p);
    p->state = POD_RUNNING;
    p->node = node;
    p->started = since;
    p->before = REPLAY_NONE;
    p->next = n->first_pod;
    if (n->first_pod != REPLAY_NONE) e->pods.list[n->first_pod].before = pod;
    n->first_pod = pod;
    n->pod_count++;
    binding_place(e, pod, node);
    e->meter.running++;
    e->meter.cpu_asked += s->requests[RESOURCE_CPU];
    e->meter.memory_asked += s->requests[RESOURCE_MEMORY];
    if (!n->unready) budgets_note(e, &e->pods.shapes[p->shape], 0, 1);
    if (n->executes) health_bound(e, pod);
    if (p->lasts != KARP_DURATION_UNSET && p->lasts <= e->ends - since)
        engine_at(e, since + p->lasts, EVENT_POD_END, pod, p->life);
    pod_touch(e, pod);
    disrupt_changed(e);
}

void pod_bind(engine *e, uint32_t pod, uint32_t node)
{
    attach(e, pod, node, e->now);
    e->meter.result.starts++;
    meter_wait(e, e->now - e->pods.list[pod].waits_since);
    node_pod_event(e, node);
}

/* ---- freed nodes ------------------------------------------------------------------------------------------------- */

/* Counts from 1 how often the free capacity of a node grew. */
static uint64_t freed_so_far(const engine *e) { return e->pods.freed_forgotten + e->pods.freed_count; }

void node_freed(engine *e, uint32_t node)
{
    (void)engine_push(e, &e->pods.freed_nodes, &e->pods.freed_count, &e->pods.freed_capacity, node);
}

void nodes_tried(engine *e)
{
    enum { FREED_MOST = 1 << 16 };
    e->pods.freed_settled = freed_so_far(e);
    if (e->pods.freed_count < FREED_MOST) return;
    e->pods.freed_forgotten = e->pods.freed_settled;
    e->pods.freed_count = 0;
}

/* ---- kube-scheduler ---------------------------------------------------------------------------------------------- */

static bool has_room(const engine *e, const replay_node *n, const replay_shape *s)
{
    for (size_t i = 0; i < e->resource_names.count; i++) {
        if (s->requests[i] > n->free[i] && s->requests[i] > 0) return false;
    }
    return true;
}

/* From 0 to 200: the sum of the free percentages of CPU and memory with the pod on the node, or 200 minus that for
 * MostAllocated. */
static int64_t score(const engine *e, const replay_node *n, const replay_shape *s)
{
    int64_t left = 0;
    for (uint32_t i = RESOURCE_CPU; i <= RESOURCE_MEMORY; i++) {
        int64_t hundredth = n->allocatable[i] / 100;
        if (hundredth > 0) left += (n->free[i] - s->requests[i]) / hundredth;
    }
    return e->options->most_allocated ? 200 - left : left;
}

static bool takes(engine *e, const replay_node *n, uint32_t shape)
{
    return node_takes_pods(n) && has_room(e, n, &e->pods.shapes[shape]) && shape_admitted(e, shape, n);
}

/* Whether the node lacks CPU or memory, as most nodes do. */
static bool lacks(const replay_node *n, const replay_shape *s)
{
    int64_t cpu = s->requests[RESOURCE_CPU], memory = s->requests[RESOURCE_MEMORY];
    return (cpu > n->free[RESOURCE_CPU] && cpu > 0) || (memory > n->free[RESOURCE_MEMORY] && memory > 0);
}

/* Pods of one shape often come in sequence. Each changes only the node on which it is placed, so the nodes that take
 * such a pod (e->pods.candidates) are kept for the next one. */
typedef struct row_of_pods {
    uint32_t shape; /* REPLAY_NONE = none */
    size_t count; /* of e->pods.candidates */
    size_t last; /* the index of the last pod's node */
} row_of_pods;

static bool reserve_candidates(engine *e, replay_shape *s, size_t count)
{
    bool ok = grow(e->context, (void **)&e->pods.candidates, &e->pods.candidate_capacity, count + 1,
                   sizeof *e->pods.candidates) &&
              grow(e->context, (void **)&s->takers, &s->taker_capacity, count + 1, sizeof *s->takers);
    if (!ok) engine_nomem(e);
    return ok;
}

/* Adds those nodes that take the shape and that this listing has not met before. */
static void list_nodes(engine *e, row_of_pods *row, const uint32_t *nodes, size_t count)
{
    replay_shape *s = &e->pods.shapes[row->shape];
    for (size_t i = 0; i < count; i++) {
        uint32_t node = nodes[i]; /* the list may be s->takers itself */
        replay_node *n = &e->nodes.list[node];
        if (i + AHEAD < count) __builtin_prefetch(&e->nodes.list[nodes[i + AHEAD]]);
        if (n->listed == e->pods.listings || lacks(n, s) || !takes(e, n, row->shape)) continue;
        n->listed = e->pods.listings;
        s->takers[row->count] = node;
        e->pods.candidates[row->count++] = (replay_candidate){ score(e, n, s), node };
    }
}

/* Only nodes that took the shape when it was tried before, and nodes freed since, may take it. */
static bool list_candidates(engine *e, row_of_pods *row, uint32_t shape)
{
    replay_shape *s = &e->pods.shapes[shape];
    bool known = s->tried_freed >= e->pods.freed_forgotten;
    size_t tried = known ? (size_t)(s->tried_freed - e->pods.freed_forgotten) : 0, since = e->pods.freed_count - tried;
    known = known && since < e->nodes.alive_count;
    if (!reserve_candidates(e, s, known ? s->taker_count + since : e->nodes.alive_count)) return false;
    *row = (row_of_pods){ .shape = shape };
    e->pods.listings++;
    list_nodes(e, row, known ? s->takers : e->nodes.alive, known ? s->taker_count : e->nodes.alive_count);
    if (known && since > 0) list_nodes(e, row, e->pods.freed_nodes + tried, since);
    s->taker_count = row->count;
    s->tried_freed = freed_so_far(e);
    return true;
}

/* Of the node that the last pod went to. */
static void score_again(engine *e, row_of_pods *row)
{
    replay_candidate *c = &e->pods.candidates[row->last];
    const replay_node *n = &e->nodes.list[c->node];
    if (takes(e, n, row->shape)) c->score = score(e, n, &e->pods.shapes[row->shape]);
    else *c = e->pods.candidates[--row->count];
}

/* The index of the candidate with the best score; of equal scores, the node that was launched first. */
static size_t best_of(const replay_candidate *list, size_t count)
{
    replay_candidate best = list[0];
    size_t at = 0;
    for (size_t i = 1; i < count; i++) {
        if (list[i].score < best.score || (list[i].score == best.score && list[i].node > best.node)) continue;
        best = list[i];
        at = i;
    }
    return at;
}

static uint32_t choose_node(engine *e, row_of_pods *row, uint32_t shape)
{
    const replay_shape *s = &e->pods.shapes[shape];
    if (s->tried_freed == freed_so_far(e) && s->taker_count == 0) return REPLAY_NONE;
    if (row->shape == shape) score_again(e, row);
    else if (!list_candidates(e, row, shape)) return REPLAY_NONE;
    if (row->count == 0) {
        row->shape = REPLAY_NONE;
        return REPLAY_NONE;
    }
    row->last = best_of(e->pods.candidates, row->count);
    return e->pods.candidates[row->last].node;
}

/* The node to which a repack plan moves the pod, as long as that node admits it. */
static uint32_t meant_node(engine *e, uint32_t pod)
{
    replay_pod *p = &e->pods.list[pod];
    uint32_t node = p->meant;
    if (node == REPLAY_NONE) return node;
    p->meant = REPLAY_NONE;
    bool fits = binding_handles(e, pod) ? binding_fits(e, pod, node) : takes(e, &e->nodes.list[node], p->shape);
    return fits ? node : REPLAY_NONE;
}

static int by_priority(uint32_t a, uint32_t b, const void *user)
{
    const engine *e = user;
    int32_t x = e->pods.shapes[e->pods.list[a].shape].priority, y = e->pods.shapes[e->pods.list[b].shape].priority;
    return x > y ? -1 : x < y;
}

static int by_wave(uint32_t a, uint32_t b, const void *user)
{
    const replay_pod *list = ((const engine *)user)->pods.list;
    return (int)list[a].wave - (int)list[b].wave;
}

/* New pods are in the order of their waves. */
static void sort_new(engine *e)
{
    size_t first = e->pods.settled;
    if (e->scheduler.on && first < e->pods.pending_count &&
        !sort_ids(e->context, e->pods.pending + first, e->pods.pending_count - first, by_wave, e))
        engine_nomem(e);
}

static bool nothing_to_try(const engine *e)
{
    return e->status || (e->pods.freed_settled == freed_so_far(e) && !e->pods.new_pending && !e->pods.try_again &&
                         !e->provisioning.bind_complex);
}

/* Tries pending pods in their order until so many have been bound. Returns how many were. */
static size_t try_pending(engine *e, size_t most)
{
    size_t kept = 0, bound = 0, i = 0;
    sort_new(e);
    row_of_pods row = { .shape = REPLAY_NONE };
    if (!e->pods.ordered && (e->pods.new_pending || e->scheduler.on) &&
        !sort_ids(e->context, e->pods.pending, e->pods.pending_count, by_priority, e))
        engine_nomem(e);
    for (; i < e->pods.pending_count && bound < most && !e->status; i++) {
        uint32_t pod = e->pods.pending[i];
        if (e->pods.list[pod].state != POD_PENDING) continue;
        uint32_t node = meant_node(e, pod);
        if (e->pods.shapes[e->pods.list[pod].shape].pod.gated) node = REPLAY_NONE;
        else if (node != REPLAY_NONE) row.shape = REPLAY_NONE;
        else if (binding_handles(e, pod)) node = binding_choose(e, pod);
        else if (e->pods.shapes[e->pods.list[pod].shape].plain) node = choose_node(e, &row, e->pods.list[pod].shape);
        if (node == REPLAY_NONE) {
            e->pods.pending[kept++] = pod;
            continue;
        }
        pod_bind(e, pod, node);
        bound++;
    }
    for (; i < e->pods.pending_count && !e->status; i++) e->pods.pending[kept++] = e->pods.pending[i];
    if (!e->status) e->pods.pending_count = e->pods.settled = kept;
    return bound;
}

/* A node is created with a taint that Karpenter takes away a quarter of a second later. So kube-scheduler tries all
 * pods in vain, and holds each back for 1, 2, 4, 8 or 10 s, the longer the more attempts it has had: those with fewer
 * come first. A pod that is held back when it is created, for its first attempt, comes before them. */
static uint32_t turn_of(const engine *e, uint32_t pod)
{
    enum { LONGEST = 5 };
    const replay_pod *p = &e->pods.list[pod];
    if (e->now - p->waits_since <= SECOND + SECOND / 4) return 0;
    return p->attempts < LONGEST ? 1 + p->attempts : 1 + LONGEST;
}

static int by_turn(uint32_t a, uint32_t b, const void *user)
{
    uint32_t x = turn_of(user, a), y = turn_of(user, b);
    return x < y ? -1 : x > y;
}

void pods_order(engine *e)
{
    e->pods.joined = true;
    sort_new(e);
    e->pods.settled = e->pods.pending_count;
    if (!sort_ids(e->context, e->pods.pending, e->pods.pending_count, by_turn, e)) engine_nomem(e);
}

/* Those that the nodes did not take. */
static void count_attempts(engine *e)
{
    for (size_t i = 0; i < e->pods.pending_count; i++) e->pods.list[e->pods.pending[i]].attempts++;
    e->pods.joined = false;
}

void pods_settle(engine *e)
{
    if (nothing_to_try(e)) return;
    /* A pod planned for a node that is ready now may have lost its room to others. It is planned again. */
    bool fresh = e->pods.new_pending || e->nodes.fresh;
    /* Pods that others attract may find their place once those have theirs. */
    while (try_pending(e, SIZE_MAX) && e->scheduler.on && e->pods.pending_count && !e->status) {
    }
    nodes_tried(e);
    e->pods.new_pending = e->pods.try_again = e->nodes.fresh = false;
    if (e->pods.joined) count_attempts(e);
    if (e->provisioning.bind_complex && e->pods.complex_pending && !e->status) provision_bind(e);
    e->provisioning.bind_complex = false;
    if (fresh && e->pods.still_pending) batch_open(e);
}

void pods_settle_joined(engine *e, uint64_t serial)
{
    enum { DRAW = 79, MEANWHILE = 32, PARTS = 1000 }; /* so many pods while all join, however many: docs/twin.md */
    uint64_t most = 2 * MEANWHILE * PARTS / (e->pods.joining + 1), parts = engine_random(e, serial, DRAW) % most;
    if (!nothing_to_try(e)) (void)try_pending(e, (size_t)((parts + PARTS / 2) / PARTS));
}
