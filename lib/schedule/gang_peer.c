/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gang_peer.h>

#include <base/str.h>
#include <math.h>
#include <schedule/gang_search.h>
#include <schedule/scheduler.h>

enum { MOST_PODS = 64, MOST_PLACES = 20000 }; /* pods of a group; pods times nodes */

typedef struct peer {
    scheduler *s;
    double (*size)[2]; /* by host: allocatable CPU and memory, in units of vectors */
    uint32_t *order; /* hosts, the best first */
    double *score; /* by host */
    bool worst; /* the best is the one with the lowest score */
} peer;

/* Older pods come first, and then by name. */
static bool comes_before(const scheduler *s, uint32_t x, uint32_t y)
{
    const karp_snapshot *snapshot = s->snapshot;
    const pod *a = pod_at(&snapshot->raw, x), *b = pod_at(&snapshot->raw, y);
    const shape *one = shape_of(snapshot, snapshot->pod_class[x]), *other = shape_of(snapshot, snapshot->pod_class[y]);
    int32_t first = one->has_priority ? one->priority : 0, second = other->has_priority ? other->priority : 0;
    if (first != second) return first > second;
    if (a->creation != b->creation) return a->creation < b->creation;
    return compare_str(name_of(snapshot, a->name), name_of(snapshot, b->name)) < 0;
}

static void sort_pods(const scheduler *s, uint32_t *pods, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = pods[i], at = i;
        for (; at > 0 && comes_before(s, moved, pods[at - 1]); at--) pods[at] = pods[at - 1];
        pods[at] = moved;
    }
}

static bool measure(peer *k)
{
    const karp_snapshot *s = k->s->snapshot;
    static const uint32_t resources[] = { RESOURCE_CPU, RESOURCE_MEMORY };
    for (uint32_t h = 0; h < k->s->hosts.count; h++) {
        const state_node *n = &s->nodes[k->s->hosts.items[h].node];
        for (size_t r = 0; r < 2; r++) {
            int64_t units = 0;
            (void)amount_scale(resource_list_get(n->allocatable, resources[r]), s->units[resources[r]], &units);
            k->size[h][r] = (double)units;
        }
    }
    return !k->s->failed;
}

/* BalancedAllocation of CPU and memory, 0 … 100. */
static double balance(const double used[2]) { return floor((1 - fabs(used[0] - used[1]) / 2) * 100); }

/* LeastAllocated, and BalancedAllocation as it is since 1.36: what the pod changes. */
static double score_of(const peer *k, uint32_t host_index, const int64_t *requests)
{
    double before[2] = { 1, 1 }, after[2] = { 1, 1 }, least = 0;
    for (size_t r = 0; r < 2; r++) {
        double size = k->size[host_index][r], left = (double)k->s->hosts.items[host_index].left[r];
        if (!(size > 0)) continue;
        before[r] = (size - left) / size;
        after[r] = before[r] + (double)requests[r] / size;
        least += floor((1 - after[r]) * 100);
    }
    return floor(least / 2) + 50 + floor((50 + balance(after) - balance(before)) / 2);
}

/* Lists the hosts that are offered, the best first; of equal ones the first. Returns their number. */
static uint32_t rank(peer *k, const int64_t *requests)
{
    uint32_t count = 0;
    for (size_t h = bits_next(k->s->hosts.offered, k->s->hosts.count, 0); h < k->s->hosts.count;
         h = bits_next(k->s->hosts.offered, k->s->hosts.count, h + 1)) {
        double score = k->score[h] = score_of(k, (uint32_t)h, requests) * (k->worst ? -1 : 1);
        uint32_t at = count++;
        for (; at > 0 && k->score[k->order[at - 1]] < score; at--) k->order[at] = k->order[at - 1];
        k->order[at] = (uint32_t)h;
    }
    return count;
}

static bool place_best(peer *k, uint32_t pod_number)
{
    uint32_t count = rank(k, k->s->pods.classes[k->s->snapshot->pod_class[pod_number]].requests);
    for (uint32_t i = 0; i < count && !k->s->failed; i++) {
        if (gang_put(k->s, pod_number, k->order[i])) return true;
    }
    return false;
}

bool gang_peer_can(const scheduler *s, uint32_t pods)
{
    return pods <= MOST_PODS && (uint64_t)pods * s->hosts.count <= MOST_PLACES;
}

uint32_t gang_peer_place(scheduler *s, const uint32_t *pods, uint32_t count, bool worst)
{
    size_t hosts = s->hosts.count + (size_t)1;
    peer k = { .s = s,
               .worst = worst,
               .size = arena_array(&s->round.data, hosts, sizeof *k.size),
               .order = arena_array(&s->round.data, hosts, sizeof *k.order),
               .score = arena_array(&s->round.data, hosts, sizeof *k.score) };
    uint32_t *own = arena_copy(&s->round.data, pods, (count + (size_t)1) * sizeof *own), placed = 0;
    if (k.size == NULL || k.order == NULL || k.score == NULL || own == NULL) {
        s->failed = true;
        return 0;
    }
    if (!measure(&k)) return 0;
    sort_pods(s, own, count);
    s->round.solving = true;
    for (uint32_t i = 0; i < count && !s->failed; i++) placed += place_best(&k, own[i]);
    s->round.solving = false;
    return placed;
}
