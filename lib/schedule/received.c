/* SPDX-License-Identifier: Apache-2.0 */
/* The pods that every claim and node received, sorted by name. */
#include <schedule/report.h>

#include <base/sort.h>
#include <schedule/placement.h>
#include <schedule/scheduler.h>

/* ---- slices of the queue ----------------------------------------------------------------------------------------- */

/*
 * Pods of equal age with numbered names are consecutive in the queue and already sorted by name. Such a part of the
 * queue is a stretch. The list of a claim with pods of one stretch is a slice of the snapshot's queue and needs no
 * memory of its own. The pods of several stretches are merged.
 */

/*
 * The cost of merging depends on the number of stretches and on how they interleave. It is worth it with this average
 * number of pods per stretch (measured).
 */
enum { PODS_A_STRETCH = 64 };

/* The runs of the round, split where a name sorts before its predecessor, and data for merging those of a claim. */
typedef struct stretches {
    const scheduler *s;
    LIST_OF(pod_run) items;
    uint32_t *first; /* by claim: start of its stretches in by_claim */
    uint32_t *by_claim;
    uint32_t *spare; /* for the pods of any claim with several stretches */
    uint32_t pod_total; /* number of pods of all these claims */
    size_t first_bytes, spare_bytes;
} stretches;

static bool cut_run(stretches *t, pod_run run)
{
    const uint8_t *falls = t->s->snapshot->queue_falls;
    for (uint32_t end = run.first + run.count; run.first < end; run.first += run.count) {
        const uint8_t *fall = memchr(falls + run.first + 1, 1, end - run.first - 1);
        run.count = (fall == NULL ? end : (uint32_t)(fall - falls)) - run.first;
        pod_run *slot = list_push(t->s->context, &t->items, sizeof *slot);
        if (slot == NULL) return false;
        *slot = run;
    }
    return true;
}

/* *suit: the stretches are long enough. false = out of memory. */
static bool cut_runs(stretches *t, bool *suit)
{
    const scheduler *s = t->s;
    *suit = s->placement.runs.count <= s->pods.count / PODS_A_STRETCH;
    for (size_t i = 0; i < s->placement.runs.count && *suit; i++) {
        if (!cut_run(t, s->placement.runs.items[i])) return false;
        *suit = t->items.count <= s->pods.count / PODS_A_STRETCH;
    }
    return true;
}

static bool list_by_claim(stretches *t)
{
    const scheduler *s = t->s;
    uint32_t most = 0;
    t->first_bytes = (s->claims.list.count + 2 + t->items.count) * sizeof *t->first;
    t->first = mem_zalloc(s->context, t->first_bytes);
    if (t->first == NULL) return false;
    t->by_claim = t->first + s->claims.list.count + 2;
    for (size_t i = 0; i < t->items.count; i++) t->first[t->items.items[i].target + 2]++;
    for (size_t c = 0; c < s->claims.list.count; c++) {
        uint32_t pods = t->first[c + 2] > 1 ? s->claims.list.items[c].pods : 0;
        t->pod_total += pods;
        most = pods > most ? pods : most;
        t->first[c + 2] += t->first[c + 1];
    }
    for (size_t i = 0; i < t->items.count; i++) t->by_claim[t->first[t->items.items[i].target + 1]++] = (uint32_t)i;
    t->spare_bytes = (most + (size_t)1) * sizeof *t->spare;
    t->spare = mem_alloc(s->context, t->spare_bytes);
    return t->spare != NULL;
}

static void stretches_free(stretches *t)
{
    list_free(t->s->context, &t->items, sizeof(pod_run));
    mem_free(t->s->context, t->first, t->first_bytes);
    mem_free(t->s->context, t->spare, t->spare_bytes);
}

/* The number of pods in the list, which is sorted by name, before the name with rank `limit`. Exponential search, so
 * that small results are as fast as large ones. */
static uint32_t before(const uint32_t *rank, pod_list l, uint32_t limit)
{
    uint32_t low = 0, step = 1;
    while (low + step <= l.count && rank[l.pods[low + step - 1]] < limit) {
        low += step;
        step *= 2;
    }
    uint32_t high = low + step <= l.count ? low + step - 1 : l.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rank[l.pods[middle]] < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Neither list is empty. */
static void merge(const uint32_t *rank, pod_list x, pod_list y, uint32_t *to)
{
    while (y.count > 0) { /* the list with pods left becomes y */
        uint32_t n = before(rank, x, rank[*y.pods]);
        memcpy(to, x.pods, n * sizeof *to);
        to += n;
        pod_list rest = { x.pods + n, x.count - n };
        x = y;
        y = rest;
    }
    memcpy(to, x.pods, x.count * sizeof *to);
}

/* Merges the pods of some stretches by name. The result is a slice of the queue, or in `to`; `spare` has the same
 * size. */
static pod_list merge_all(const stretches *t, const uint32_t *which, uint32_t count, uint32_t *to, uint32_t *spare)
{
    const karp_snapshot *s = t->s->snapshot;
    if (count == 1) return (pod_list){ s->queue + t->items.items[*which].first, t->items.items[*which].count };
    pod_list x = merge_all(t, which, count / 2, spare, to);
    pod_list y = merge_all(t, which + count / 2, count - count / 2, spare + x.count, to + x.count);
    merge(s->pod_rank, x, y, to);
    return (pod_list){ to, x.count + y.count };
}

static void fill_lists(const stretches *t, uint32_t *to, pod_list *lists)
{
    for (size_t c = 0; c < t->s->claims.list.count; c++) {
        uint32_t count = t->first[c + 1] - t->first[c];
        if (count == 0) continue; /* never: a claim is opened for its first pod */
        lists[c] = merge_all(t, t->by_claim + t->first[c], count, to, t->spare);
        if (count > 1) to += lists[c].count;
    }
}

/* The pods of every claim, allocated in `a` unless they are a slice of the queue. Placements must be recorded in
 * runs. *out stays NULL when the stretches are too short to be worth it. false = out of memory. */
static bool gather_slices(const scheduler *s, arena *a, pod_list **out)
{
    stretches t = { .s = s };
    bool suit = false, ok = cut_runs(&t, &suit);
    if (ok && suit) {
        ok = list_by_claim(&t);
        uint32_t *to = ok ? arena_alloc(a, (t.pod_total + (size_t)1) * sizeof *to) : NULL;
        *out = to != NULL ? arena_array(a, s->claims.list.count + 1, sizeof **out) : NULL;
        ok = *out != NULL;
        if (ok) fill_lists(&t, to, *out);
    }
    stretches_free(&t);
    return ok;
}

/* ---- all lists --------------------------------------------------------------------------------------------------- */

/* The pods of the round sorted by namespace and name. */
static bool pods_by_name(const scheduler *s, uint32_t *order)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t n = 0;
    if (s->pods.count <= snapshot->raw.pods.count / 16) {
        if (s->pods.count > 0) memcpy(order, s->pods.items, s->pods.count * sizeof *order);
        return sort_ids(s->context, order, s->pods.count, by_rank, snapshot->pod_rank);
    }
    for (size_t i = 0; i < snapshot->raw.pods.count; i++) {
        if (exclusion(&s->pods, snapshot->by_name[i])) order[n++] = snapshot->by_name[i];
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
    const karp_snapshot *snapshot = s->snapshot;
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
            for (uint32_t k = 0; k < r->count; k++) claim_of[snapshot->queue[r->first + k]] = r->target;
        }
        for (uint32_t i = 0; i < s->pods.count; i++) {
            uint32_t p = snapshot->by_name[i], c = claim_of[p];
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
