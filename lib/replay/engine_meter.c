/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a replay: integrals over time, points of the series, and waiting times of pods. */
#include <replay/commit.h>
#include <base/money.h>
#include <replay/engine.h>

#define HOUR 3.6e12

static double cores(int64_t amount) { return (double)amount / 1e9; }
static double bytes(int64_t amount) { return (double)amount / 1e3; }

static void add_point(engine *e, int64_t at)
{
    replay_result *r = &e->meter.result;
    if (!grow(e->context, (void **)&r->points, &r->point_capacity, r->point_count + 1, sizeof *r->points)) {
        engine_nomem(e);
        return;
    }
    r->points[r->point_count++] = (replay_point){ .at = at,
                                                  .cost_rate = e->meter.cost_rate,
                                                  .dollars = r->dollars,
                                                  .nodes = (uint32_t)e->nodes.alive_count,
                                                  .starting = (uint32_t)e->meter.nodes_starting,
                                                  .pods = (uint32_t)e->meter.running,
                                                  .pending = (uint32_t)e->pods.still_pending,
                                                  .cpu_requested = cores(e->meter.cpu_asked),
                                                  .cpu = cores(e->meter.cpu_had),
                                                  .memory_requested = bytes(e->meter.memory_asked),
                                                  .memory = bytes(e->meter.memory_had) };
}

static void add_time(engine *e, int64_t at)
{
    double hours = (double)(at - e->meter.metered) / HOUR;
    e->meter.result.dollars += e->meter.cost_rate * hours;
    e->meter.sums[0] += cores(e->meter.cpu_asked) * hours;
    e->meter.sums[1] += cores(e->meter.cpu_had) * hours;
    e->meter.sums[2] += bytes(e->meter.memory_asked) * hours;
    e->meter.sums[3] += bytes(e->meter.memory_had) * hours;
    e->meter.metered = at;
}

/* A point shows the state after all events of its time. */
void meter_to(engine *e, int64_t at)
{
    while (e->meter.next_point < at && e->meter.next_point <= e->ends && !e->status) {
        add_time(e, e->meter.next_point);
        add_point(e, e->meter.next_point);
        e->meter.next_point += e->meter.step;
    }
    add_time(e, at);
}

void meter_node(engine *e, uint32_t node)
{
    replay_node *n = &e->nodes.list[node];
    double used = 0;
    for (uint32_t i = RESOURCE_CPU; i <= RESOURCE_MEMORY && n->ready; i++) {
        if (n->allocatable[i] <= 0) continue;
        double share = (double)(n->allocatable[i] - n->free[i]) / (double)n->allocatable[i];
        if (share > used) used = share;
    }
    n->idle += n->price * (1 - (used < 1 ? used : 1)) * ((double)(e->now - n->idle_until) / HOUR);
    n->idle_until = e->now;
}

void meter_wait(engine *e, int64_t nanoseconds)
{
    if (!grow(e->context, (void **)&e->meter.waits, &e->meter.wait_capacity, e->meter.wait_count + 1,
              sizeof *e->meter.waits)) {
        engine_nomem(e);
        return;
    }
    e->meter.waits[e->meter.wait_count++] = (double)nanoseconds / 1e9;
}

/* The p-th per mille of the sorted waiting times. */
static double per_mille(const engine *e, size_t p)
{
    if (e->meter.wait_count == 0) return 0;
    size_t rank = (e->meter.wait_count * p + 999) / 1000;
    return e->meter.waits[rank ? rank - 1 : 0];
}

void meter_ended(engine *e, uint32_t node)
{
    replay_result *r = &e->meter.result;
    const replay_node *n = &e->nodes.list[node];
    double hours = (double)(n->gone_at - n->billed) / HOUR;
    r->ended_hours += hours;
    r->ended_dollars += n->price * hours;
    r->ended_idle += n->idle;
    r->ended_expected += node_interruptions(e, node) * hours;
    r->unpriced_nodes += !n->unmanaged && !has_price(n->price);
}

static void settle_nodes(engine *e)
{
    replay_result *r = &e->meter.result;
    r->dollars = r->ended_dollars;
    r->node_hours = r->ended_hours;
    r->idle_dollars = r->ended_idle;
    r->expected = r->ended_expected;
    for (uint32_t i = 0; i < e->nodes.count; i++) {
        replay_node *n = &e->nodes.list[i];
        if (n->gone) continue;
        meter_node(e, i);
        double hours = (double)(e->now - n->billed) / HOUR;
        r->node_hours += hours;
        r->dollars += n->price * hours;
        r->idle_dollars += n->idle;
        r->expected += node_interruptions(e, i) * hours;
        r->unpriced_nodes += !n->unmanaged && !has_price(n->price);
    }
}

void meter_end(engine *e)
{
    replay_result *r = &e->meter.result;
    meter_to(e, e->ends);
    e->now = e->ends;
    if (r->point_count == 0 || r->points[r->point_count - 1].at < e->ends) add_point(e, e->ends);
    for (size_t i = 0; i < e->pods.count; i++) {
        if (e->pods.list[i].state == POD_PENDING) meter_wait(e, e->now - e->pods.list[i].waits_since);
    }
    settle_nodes(e);
    commit_find(e);
    if (!sort_stable(e->context, e->meter.waits, e->meter.wait_count, sizeof *e->meter.waits, by_double, NULL))
        engine_nomem(e);
    r->wait_p50 = per_mille(e, 500);
    r->wait_p99 = per_mille(e, 990);
    r->wait_most = per_mille(e, 1000);
    r->cpu_use = e->meter.sums[1] > 0 ? e->meter.sums[0] / e->meter.sums[1] : 0;
    r->memory_use = e->meter.sums[3] > 0 ? e->meter.sums[2] / e->meter.sums[3] : 0;
    r->pending_pods = (uint32_t)e->pods.still_pending;
    r->running_pods = (uint32_t)e->meter.running;
    r->unplaced_pods = provision_unplaced(e);
}
