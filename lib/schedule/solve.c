/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduling loop. */
#include <schedule/solve.h>

#include <base/error.h>
#include <base/sort.h>
#include <schedule/claim_order.h>
#include <schedule/claims.h>
#include <schedule/devices.h>
#include <schedule/gang_loop.h>
#include <schedule/guide.h>
#include <schedule/hosts.h>
#include <schedule/loop.h>
#include <schedule/rounds.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/views.h>
#include <schedule/volumes.h>

enum {
    POLL_EVERY = 1024,
    FEW_AHEAD = 8 /* pods that spread over domains: placing fewer one by one is as fast */
};

/* A ring buffer. Pods that failed are moved to the end and tried again as long as other pods are being placed. */
typedef struct queue {
    const uint32_t *pods; /* the snapshot's queue until a pod fails, then `ring` */
    uint32_t *ring; /* own copy; NULL = not needed yet */
    /* by position, for pods that have not been tried, if the queue is the snapshot's; else NULL */
    const uint32_t *classes;
    uint32_t capacity, head, length;
    uint32_t fresh; /* number of pods, from the head on, that have not been tried */
    uint32_t run_end; /* end of the run that was examined last */
} queue;

/* Allocates the ring and copies the pods that are queued. */
static bool own_ring(scheduler *s, queue *q)
{
    q->ring = arena_alloc(&s->round.data, (q->capacity + (size_t)1) * sizeof *q->ring);
    if (q->ring == NULL) return false;
    if (q->pods != NULL && q->capacity > 0) memcpy(q->ring, q->pods, q->capacity * sizeof *q->ring);
    q->pods = q->ring;
    return true;
}

static bool queue_init(scheduler *s, queue *q)
{
    const karp_snapshot *snapshot = s->snapshot;
    size_t pods = snapshot->raw.pods.count;
    q->capacity = q->length = q->fresh = s->pods.count;
    q->head = 0;
    if (s->pods.count == pods) {
        q->pods = snapshot->queue;
        q->classes = snapshot->queue_class;
        return true;
    }
    if (!own_ring(s, q)) return false;
    if (s->pods.count > pods / 16) { /* for most pods: the snapshot's order, filtered */
        uint32_t n = 0;
        for (size_t i = 0; i < pods; i++) {
            if (exclusion(&s->pods, snapshot->queue[i])) q->ring[n++] = snapshot->queue[i];
        }
        return true;
    }
    if (s->pods.count > 0) memcpy(q->ring, s->pods.items, s->pods.count * sizeof *q->ring);
    return sort_ids(s->context, q->ring, s->pods.count, by_rank, snapshot->queue_rank);
}

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

/* Whether trying claims is pointless: no type satisfies the pod's preference, which is going to be relaxed. The
 * reason of such a view is never reported. */
static bool in_vain(scheduler *s, uint32_t view_number)
{
    if (!claims_typeless(s, view_number)) return false;
    uint32_t next = view_relax(s, view_number);
    return next != LAST_VIEW && next != NO_ID;
}

/* On an existing node, else in an open claim, else in a new one. */
static uint32_t place_pod(scheduler *s, uint32_t pod_number, uint32_t view_number)
{
    if (class_needs_devices(s, s->pods.views.items[view_number].class_)) {
        uint32_t refused = devices_refuse(s, s->pods.views.items[view_number].class_);
        if (refused != KARP_REASON_NONE) return refused;
    }
    if (volumes_look_up_fails(s, s->pods.views.items[view_number].class_)) return KARP_REASON_VOLUME_LOOK_UP;
    if (volumes_rule_out(s, s->pods.views.items[view_number].class_)) return KARP_REASON_VOLUME;
    if (hosts_place(s, pod_number, view_number) || s->failed) return KARP_REASON_NONE;
    if (in_vain(s, view_number)) return KARP_REASON_TUPLE;
    if (claims_place(s, pod_number, view_number) || s->failed) return KARP_REASON_NONE;
    return claims_open(s, pod_number, view_number);
}

static void note_given_up(scheduler *s, uint32_t pod_number, uint32_t view_number)
{
    uint32_t step = s->pods.views.items[view_number].step;
    s->placement.gave_up[pod_number] = step < UINT16_MAX ? (uint16_t)step : UINT16_MAX;
}

/* Relaxes as far as possible and returns the reason of the last attempt. *last receives the last view. */
static uint32_t try_schedule(scheduler *s, uint32_t pod_number, uint32_t *last)
{
    uint32_t view_number = view_of_class(s, s->snapshot->pod_class[pod_number]);
    for (;;) {
        if (view_number == NO_ID || s->failed) return KARP_REASON_NOT_REACHED;
        *last = view_number;
        class_state *c = &s->pods.classes[s->pods.views.items[view_number].class_];
        if (c->tracked && !topology_update(s, view_number)) return KARP_REASON_NOT_REACHED;
        uint32_t reason = place_pod(s, pod_number, view_number);
        if (s->failed || reason == KARP_REASON_NONE) return reason;
        if (reason == KARP_REASON_RESERVED || reason == KARP_REASON_DRA || reason == KARP_REASON_DRA_NOT_EVALUATED)
            return reason;
        uint32_t next = view_relax(s, view_number);
        if (next == LAST_VIEW) return reason;
        c = &s->pods.classes[s->pods.views.items[view_number].class_];
        c->tracked =
            true; /* Update(pod) after a relaxation step adds the pod to the topology, whatever its volumes */
        view_number = next;
        if (s->placement.gave_up != NULL && next != NO_ID) note_given_up(s, pod_number, next);
    }
}

/* Whether a pod's result depends only on its class and the state of the round. */
static bool answer_is_the_class_s(const scheduler *s, uint32_t class_number)
{
    return !s->settings.shield && shape_of(s->snapshot, class_number)->ports.count == 0;
}

static uint32_t schedule_pod(scheduler *s, uint32_t pod_number, uint32_t *last)
{
    uint32_t class_number = s->snapshot->pod_class[pod_number];
    class_state *c = &s->pods.classes[class_number];
    class_begin_round(s, c);
    if (c->failed_at == s->round.version + 1 && answer_is_the_class_s(s, class_number)) {
        *last = c->failed_view;
        return c->failed_reason;
    }
    uint32_t reason = try_schedule(s, pod_number, last);
    if (s->failed) return reason;
    if (reason == KARP_REASON_NONE) {
        s->round.version++;
        return reason;
    }
    c = &s->pods.classes[class_number];
    c->tracked = true;
    /* Update(original pod): its groups exist from now on. */
    if (!topology_update(s, c->first_view)) return reason;
    c->failed_at = s->round.version + 1;
    c->failed_view = *last;
    c->failed_reason = reason;
    return reason;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static bool must_stop(scheduler *s, uint64_t *polled)
{
    const karp_options *o = s->settings.options;
    if (o->max_steps > 0 && s->round.steps >= o->max_steps) return true;
    if (s->own_context.stop_noted) return true;
    if (o->should_stop == NULL || s->round.steps - *polled < POLL_EVERY / 2) return false;
    *polled = s->round.steps;
    return o->should_stop(o->stop_user) != 0;
}

bool loop_fail(scheduler *s, uint32_t pod_number, uint32_t view_number, uint32_t reason)
{
    failure *f = list_push(s->context, &s->placement.failures, sizeof *f);
    if (f == NULL) return mem_refused(&s->failed);
    *f = (failure){ .pod = pod_number, .view = view_number, .reason = reason };
    return true;
}

bool loop_fail_left(scheduler *s, uint32_t pod_number)
{
    const struct pod_outcome *o = s->placement.outcomes == NULL ? NULL : &s->placement.outcomes[pod_number];
    if (o == NULL || o->reason == KARP_REASON_NONE) return loop_fail(s, pod_number, NO_ID, KARP_REASON_NOT_REACHED);
    return loop_fail(s, pod_number, o->view, o->reason);
}

/* After the loop: every pod that is still queued has failed or was not reached. */
static void note_remaining(scheduler *s, const queue *q)
{
    for (uint32_t i = 0; i < q->length && !s->failed; i++)
        (void)loop_fail_left(s, q->pods[(q->head + i) % q->capacity]);
}

/* The end of the consecutive pods of one class that start at `from`. Compares many at a time, since runs may be long.
 */
static uint32_t class_end(const uint32_t *classes, uint32_t from, uint32_t end, uint32_t class_number)
{
    enum { AT_ONCE = 16 };
    while (end - from >= AT_ONCE) {
        const uint32_t *some = classes + from;
        uint32_t other = 0;
        for (size_t k = 0; k < AT_ONCE; k++) other |= some[k] ^ class_number;
        if (other != 0) break;
        from += AT_ONCE;
    }
    while (from < end && classes[from] == class_number) from++;
    return from;
}

/* The number of pods after the one just placed that may be placed together. Limited if should_stop or a step budget
 * has to be checked. */
static uint32_t run_ahead(const scheduler *s, queue *q, uint32_t class_number)
{
    const uint32_t *class_of = s->snapshot->pod_class;
    uint32_t end = q->head + q->fresh;
    uint64_t steps_each = 2;
    if (q->run_end <= q->head) {
        q->run_end = q->head;
        if (q->classes == NULL) {
            while (q->run_end < end && class_of[q->pods[q->run_end]] == class_number) q->run_end++;
        } else {
            q->run_end = class_end(q->classes, q->head, end, class_number);
        }
    }
    uint64_t most = q->run_end - q->head;
    if (s->settings.options->should_stop != NULL && most > POLL_EVERY / 8) most = POLL_EVERY / 8;
    if (s->settings.options->max_steps > 0) {
        uint64_t left = s->settings.options->max_steps > s->round.steps
                            ? s->settings.options->max_steps - s->round.steps
                            : 0;
        if (most > left / steps_each) most = left / steps_each;
    }
    return (uint32_t)most;
}

/* The number of pods that are also consecutive in the snapshot's queue: a guide may have removed some from the
 * round's queue. */
static uint32_t in_a_row(const scheduler *s, const uint32_t *pods, uint32_t count)
{
    const uint32_t *rank = s->snapshot->queue_rank;
    uint32_t n = 0;
    while (n < count && rank[pods[n]] == rank[pods[0]] + n) n++;
    return n;
}

/* Places the next pods of the view's class by counting. */
static void fill_run(scheduler *s, queue *q, uint32_t view_number)
{
    const view *v = &s->pods.views.items[view_number];
    uint32_t ahead = run_ahead(s, q, v->class_), first = q->head;
    if (v->elsewhere && (ahead < FEW_AHEAD || !claims_countable_by_domain(s, v) || hosts_remain(s, view_number)))
        return;
    if (ahead > 0 && q->classes == NULL && s->placement.in_runs) {
        first = s->snapshot->queue_rank[q->pods[q->head]];
        ahead = in_a_row(s, q->pods + q->head, ahead);
    }
    uint32_t placed = ahead == 0 ? 0 : claims_fill(s, q->pods + q->head, first, ahead, view_number);
    s->round.version += placed;
    s->round.steps += 2 * (uint64_t)placed;
    q->fresh -= placed;
    q->length -= placed;
    q->head = (q->head + placed) % q->capacity;
}

/* Places a run of equal pods by counting, if they change only amounts, and counts of domains. */
static void fill_up(scheduler *s, queue *q, uint32_t view_number)
{
    const view *v = &s->pods.views.items[view_number];
    if (s->splitting.on) return; /* it looks at each pod */
    if (q->fresh == 0 || s->placement.last_where != PLACE_CLAIM || !answer_is_the_class_s(s, v->class_)) return;
    /* A pod placed after relaxation may have opened a claim that the next pod can use without relaxation. */
    if (s->pods.classes[v->class_].first_view != view_number || !v->settled) return;
    if (v->elsewhere || claims_countable(s, v)) fill_run(s, q, view_number);
}

static bool outcomes_exist(scheduler *s)
{
    if (s->placement.outcomes == NULL)
        s->placement.outcomes = arena_array(&s->data, s->snapshot->raw.pods.count + 1, sizeof *s->placement.outcomes);
    if (s->placement.outcomes == NULL) s->failed = true;
    return s->placement.outcomes != NULL;
}

static void run_loop(scheduler *s, queue *q)
{
    uint64_t polled = 0;
    s->round.solving = true;
    while (q->length > 0 && !s->failed && !s->algebra.failed && !s->round.stopped) {
        uint32_t p = q->pods[q->head], last = NO_ID;
        if (q->fresh == 0 && s->placement.outcomes[p].last_length == q->length)
            break; /* a full pass without a success */
        if (must_stop(s, &polled)) {
            s->round.stopped = true;
            break;
        }
        s->round.steps++;
        q->head = q->head + 1 == q->capacity ? 0 : q->head + 1;
        q->length--;
        q->fresh -= q->fresh > 0;
        uint32_t reason = schedule_pod(s, p, &last);
        if (reason == KARP_REASON_NONE) {
            fill_up(s, q, last);
            continue;
        }
        if (!outcomes_exist(s)) break;
        if (s->placement.gave_up != NULL) s->placement.gave_up[p] = 0; /* starts again without relaxation */
        if (q->ring == NULL && !own_ring(s, q)) {
            s->failed = true;
            break;
        }
        uint32_t end = q->head + q->length;
        q->ring[end >= q->capacity ? end - q->capacity : end] = p;
        s->placement.outcomes[p] = (struct pod_outcome){ ++q->length, reason, last };
    }
    s->round.solving = false;
}

uint32_t loop_place(scheduler *s, uint32_t *pods, uint32_t count)
{
    queue q = { .pods = pods, .ring = pods, .capacity = count, .length = count, .fresh = count };
    run_loop(s, &q);
    return q.length;
}

/* Adds the classes of the round to the topology, in the order of their first pods (with the first member
 * represents a group), and computes the smallest requests. */
static bool enter_classes(scheduler *s)
{
    for (uint32_t d = 0; d < s->vectors.dims; d++) s->claims.least_requests[d] = INT64_MAX;
    uint32_t all = s->snapshot->class_count, left = all;
    if (s->pods.views.count == 0 &&
        !list_reserve_more(s->context, &s->pods.views, sizeof(view), all < s->pods.count ? all : s->pods.count))
        return false;
    for (uint32_t i = 0; i < s->pods.count && left > 0; i++) {
        uint32_t class_number = s->snapshot->pod_class[s->pods.items[i]];
        if (s->pods.entered[class_number] == s->round.number) continue;
        s->pods.entered[class_number] = s->round.number;
        if (!scheduler_worked(s, 512)) return false;
        if (s->own_context.stop_noted) { /* no pod has been placed, and none will be */
            s->round.stopped = true;
            break;
        }
        left--;
        const int64_t *r = s->pods.classes[class_number].requests;
        for (uint32_t d = 0; d < s->vectors.dims; d++)
            s->claims.least_requests[d] = r[d] < s->claims.least_requests[d] ? r[d] : s->claims.least_requests[d];
        uint32_t v = view_of_class(s, class_number);
        if (v == NO_ID) return false;
        if (s->pods.classes[class_number].tracked && !topology_update(s, v)) return false;
    }
    return skip_begin_round(s, all - left);
}

karp_status scheduler_stopped(const scheduler *s, karp_error *error)
{
    if (!s->round.stopped || s->settings.options->keep_partial) return KARP_OK;
    return fail(error, KARP_E_CANCELED, "stopped before all pods were looked at");
}

bool scheduler_repeatable(const scheduler *s) { return rounds_repeatable(s); }

/* Removes from the queue the pods that were placed where the guide wants them. */
static bool follow(scheduler *s, guide *g, queue *q)
{
    if (q->ring == NULL && !own_ring(s, q)) return false;
    q->classes = NULL;
    s->round.solving = true;
    q->length = q->fresh = guide_place(s, g, q->ring, q->length);
    s->round.solving = false;
    return !s->failed && !s->algebra.failed;
}

/* Everything before the loop. */
static bool begin_round(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                        uint32_t extra_count, queue *q)
{
    split_begin_round(s);
    if (!round_begin(s, removed, removed_count, extra, extra_count)) return false;
    scheduler_limit_work(s);
    bool entered = enter_classes(s);
    context_limit_run(&s->own_context, 0); /* the loop counts its own steps */
    return entered && queue_init(s, q);
}

/* Places the pods of the queue, or, if there are groups that start together, all pods that have no place yet. */
static bool place_queue(scheduler *s, queue *q)
{
    if (gang_loop_applies(s)) return gang_loop_run(s);
    run_loop(s, q);
    note_remaining(s, q);
    uint32_t *pods, count;
    while (!s->failed && !s->round.stopped && split_claims(s, &pods, &count)) {
        queue again = { .pods = pods, .ring = pods, .capacity = count, .length = count, .fresh = count };
        run_loop(s, &again);
        note_remaining(s, &again);
    }
    return true;
}

karp_status scheduler_guided_round(scheduler *s, guide *g, const uint32_t *removed, uint32_t removed_count,
                                   const uint32_t *extra, uint32_t extra_count, karp_error *error)
{
    queue q = { .pods = NULL, .ring = NULL, .classes = NULL };
    if (!begin_round(s, removed, removed_count, extra, extra_count, &q)) return fail_nomem(error);
    for (uint32_t i = 0; i < g->closed_count; i++) bits_clear(s->hosts.offered, g->closed[i]);
    if (s->templates.usable_pools > 0) {
        if (!s->round.stopped && !follow(s, g, &q)) return fail_nomem(error);
        if (!place_queue(s, &q)) return fail_nomem(error);
    }
    if (s->failed || s->algebra.failed) return fail_nomem(error);
    return scheduler_stopped(s, error);
}

void scheduler_finish(scheduler *s) { context_finish_run(&s->own_context); }

karp_status scheduler_round(scheduler *s, const uint32_t *removed, uint32_t removed_count, const uint32_t *extra,
                            uint32_t extra_count, karp_error *error)
{
    queue q = { .pods = NULL, .ring = NULL, .classes = NULL };
    if (!begin_round(s, removed, removed_count, extra, extra_count, &q)) return context_nomem(s->context, error);
    /* Without a usable NodePool Karpenter does nothing; workloads of a queue may start on existing nodes all the same.
     */
    if ((s->templates.usable_pools > 0 || s->workloads != NULL) && !place_queue(s, &q))
        return context_nomem(s->context, error);
    if (s->failed || s->algebra.failed) return context_nomem(s->context, error);
    if (s->round.stopped) scheduler_finish(s);
    return scheduler_stopped(s, error);
}
