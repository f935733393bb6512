/* SPDX-License-Identifier: Apache-2.0 */
/* The pods that every claim and node received, sorted by name. */
#include <schedule/report.h>

#include <base/sort.h>
#include <schedule/placement.h>
#include <schedule/scheduler.h>
#include <schedule/slices.h>
#include <string.h>

static int by_pod_rank(uint32_t x, uint32_t y, const void *user)
{
    const uint32_t *rank = user;
    return rank[x] < rank[y] ? -1 : rank[x] > rank[y];
}

/* The pods of the round sorted by namespace and name. */
static bool pods_by_name(const scheduler *s, uint32_t *order)
{
    const karp_snapshot *w = s->snapshot;
    uint32_t n = 0;
    if (s->pods.count <= w->raw.pods.count / 16) {
        if (s->pods.count > 0) memcpy(order, s->pods.items, s->pods.count * sizeof *order);
        return sort_ids(s->context, order, s->pods.count, by_pod_rank, w->pod_rank);
    }
    for (size_t i = 0; i < w->raw.pods.count; i++) {
        if (exclusion(&s->pods, w->by_name[i])) order[n++] = w->by_name[i];
    }
    return true;
}

/* By target + 1: the index at which the pods of each target of one kind begin. The last element is their total
 * number. */
static uint32_t *starts(const scheduler *s, arena *a, uint8_t where, size_t targets)
{
    uint32_t *first = arena_array(a, targets + 2, sizeof *first);
    for (size_t i = 0; i < targets && first != NULL; i++) {
        first[i + 2] = first[i + 1] +
                       (where == PLACE_CLAIM ? s->claims.list.items[i].pods : s->hosts.items[i].received);
    }
    return first;
}

/* The lists that are concatenated in `pods`; first[i] is the start of the i-th. NULL = out of memory. */
static pod_list *lists_of(arena *a, const uint32_t *first, size_t targets, const uint32_t *pods)
{
    pod_list *lists = arena_array(a, targets + 1, sizeof *lists);
    for (size_t i = 0; i < targets && lists != NULL; i++)
        lists[i] = (pod_list){ pods + first[i], first[i + 1] - first[i] };
    return lists;
}

/* The pods of every target of one kind. They are added in the order of names, so that every list is sorted. NULL =
 * out of memory. */
static pod_list *gather(const scheduler *s, arena *a, uint8_t where, size_t targets, const uint32_t *order)
{
    uint32_t *first = starts(s, a, where, targets);
    if (first == NULL) return NULL;
    uint32_t count = first[targets + 1] == 0 ? 0 : s->pods.count;
    uint32_t *pods = arena_alloc(a, (first[targets + 1] + (size_t)1) * sizeof *pods);
    if (pods == NULL) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (s->placement.places[order[i]].where == where)
            pods[first[s->placement.places[order[i]].target + 1]++] = order[i];
    }
    return lists_of(a, first, targets, pods);
}

/* The same when all pods of the snapshot were placed on claims, in runs. It is limited by memory bandwidth. */
static pod_list *gather_runs(const scheduler *s, arena *a)
{
    const karp_snapshot *w = s->snapshot;
    uint32_t *first = starts(s, a, PLACE_CLAIM, s->claims.list.count);
    if (first == NULL) return NULL;
    uint32_t placed = first[s->claims.list.count + 1];
    size_t bytes = (s->pods.count + (size_t)1) * sizeof(uint32_t);
    uint32_t *pods = arena_alloc(a, (placed + (size_t)1) * sizeof *pods), *claim_of = mem_alloc(s->context, bytes);
    bool ok = pods != NULL && claim_of != NULL;
    if (ok) {
        if (placed < s->pods.count) memset(claim_of, 0xff, bytes);
        for (size_t i = 0; i < s->placement.runs.count; i++) {
            const pod_run *r = &s->placement.runs.items[i];
            for (uint32_t k = 0; k < r->count; k++) claim_of[w->queue[r->first + k]] = r->target;
        }
        for (uint32_t i = 0; i < s->pods.count; i++) {
            uint32_t p = w->by_name[i], c = claim_of[p];
            if (c != NO_ID) pods[first[c + 1]++] = p;
        }
    }
    mem_free(s->context, claim_of, bytes);
    return ok ? lists_of(a, first, s->claims.list.count, pods) : NULL;
}

static bool gather_claims(const scheduler *s, arena *a, const uint32_t *order, received *out)
{
    if (!s->placement.in_runs) out->claims = gather(s, a, PLACE_CLAIM, s->claims.list.count, order);
    else if (!gather_slices(s, a, &out->claims)) return false;
    else if (out->claims == NULL) out->claims = gather_runs(s, a);
    return out->claims != NULL;
}

static bool receive(const scheduler *s, arena *a, bool hosts_too, received *out)
{
    bool all = s->pods.count == s->snapshot->raw.pods.count;
    size_t bytes = all ? 0 : (s->pods.count + (size_t)1) * sizeof(uint32_t);
    uint32_t *own = all ? NULL : mem_alloc(s->context, bytes);
    const uint32_t *order = all ? s->snapshot->by_name : own;
    *out = (received){ NULL, NULL };
    bool ok = order != NULL && (all || pods_by_name(s, own)) && gather_claims(s, a, order, out);
    if (ok && hosts_too) out->hosts = gather(s, a, PLACE_HOST, s->hosts.count, order);
    mem_free(s->context, own, bytes);
    return ok && (!hosts_too || out->hosts != NULL);
}

bool report_received(scheduler *s, arena *a, received *out) { return receive(s, a, true, out); }
bool report_claims_received(scheduler *s, arena *a, received *out) { return receive(s, a, false, out); }
