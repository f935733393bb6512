/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/slices.h>

#include <schedule/scheduler.h>
#include <string.h>

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
    const karp_snapshot *w = t->s->snapshot;
    if (count == 1) return (pod_list){ w->queue + t->items.items[*which].first, t->items.items[*which].count };
    pod_list x = merge_all(t, which, count / 2, spare, to);
    pod_list y = merge_all(t, which + count / 2, count - count / 2, spare + x.count, to + x.count);
    merge(w->pod_rank, x, y, to);
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

bool gather_slices(const scheduler *s, arena *a, pod_list **out)
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
