/* SPDX-License-Identifier: Apache-2.0 */
#include "write_rows.h"

#include <stdio.h>
#include <string.h>

#include <karp/library.h>

enum { MOST_APART = 3, NAMED_TYPES = 4, NO_END = 1000 };

static const uint32_t none = UINT32_MAX;

/* ---- equal launches ---------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, karp_str text)
{
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (hash ^ text.len) * UINT64_C(0x100000001b3);
}

static void launch_at(const launch_folds *folds, const write_job *job, size_t index, karp_launch *out)
{
    get_launch(job, folds->decision, folds->first + index, out);
}

static karp_str workload_at(const launch_folds *folds, const karp_launch *l, size_t pod)
{
    return text_workload(karp_decision_pod_name(folds->decision, l->pods[pod]));
}

static uint64_t hash_launch(const launch_folds *folds, const karp_launch *l)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), l->node_pool);
    hash = mix(hash, l->choice.instance_type);
    hash = mix(hash, l->choice.zone);
    hash = mix(hash, l->choice.capacity_type);
    for (size_t i = 0; i < l->pod_count; i++) hash = mix(hash, workload_at(folds, l, i));
    return hash;
}

static bool same_amounts(const karp_launch *a, const karp_launch *b)
{
    if (a->request_count != b->request_count) return false;
    for (size_t i = 0; i < a->request_count; i++) {
        if (!equal_str(a->requests[i].name, b->requests[i].name) ||
            !equal_str(a->requests[i].text, b->requests[i].text))
            return false;
    }
    return true;
}

static bool same_types(const karp_launch *a, const karp_launch *b)
{
    if (!equal_str(a->runner_up.instance_type, b->runner_up.instance_type) || a->runner_up.price != b->runner_up.price)
        return false;
    for (size_t i = 0; i < NAMED_TYPES; i++) {
        bool in_a = i < a->instance_type_count, in_b = i < b->instance_type_count;
        if (in_a != in_b || (in_a && !equal_str(a->instance_types[i], b->instance_types[i]))) return false;
    }
    return true;
}

static bool alike(const launch_folds *folds, const karp_launch *a, const karp_launch *b)
{
    node_row x = launch_row(a), y = launch_row(b);
    if (!equal_str(a->node_pool, b->node_pool) || !equal_str(x.instance_type, y.instance_type) ||
        !equal_str(x.zone, y.zone) || !equal_str(x.capacity_type, y.capacity_type) || x.cpu != y.cpu ||
        x.memory != y.memory || x.price != y.price || a->pod_count != b->pod_count)
        return false;
    for (size_t i = 0; i < a->pod_count; i++) {
        if (!equal_str(workload_at(folds, a, i), workload_at(folds, b, i))) return false;
    }
    return equal_str(a->apart, b->apart) && same_amounts(a, b) && same_types(a, b);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static void all_apart(launch_folds *folds)
{
    for (size_t i = 0; i < folds->count; i++) {
        folds->same[i] = 1;
        folds->next[i] = none;
    }
}

/* A hash table of the first and the last launch of each group so far. */
typedef struct fold_table {
    uint32_t *first, *last;
    size_t slots; /* a power of two greater than twice the number of launches */
} fold_table;

static void put_launch(launch_folds *folds, const fold_table *table, const write_job *job, uint32_t index)
{
    karp_launch launch, other;
    launch_at(folds, job, index, &launch);
    size_t slot = (size_t)hash_launch(folds, &launch) & (table->slots - 1);
    while (table->first[slot] != none) {
        launch_at(folds, job, table->first[slot], &other);
        if (alike(folds, &launch, &other)) {
            folds->next[table->last[slot]] = index;
            table->last[slot] = index;
            folds->same[table->first[slot]]++;
            folds->same[index] = 0;
            return;
        }
        slot = (slot + 1) & (table->slots - 1);
    }
    table->first[slot] = table->last[slot] = index;
}

static void part_small(launch_folds *folds)
{
    for (size_t i = 0; i < folds->count; i++) {
        if (folds->same[i] == 0 || folds->same[i] > MOST_APART) continue;
        for (uint32_t k = (uint32_t)i, next; k != none; k = next) {
            next = folds->next[k];
            folds->same[k] = 1;
            folds->next[k] = none;
        }
    }
}

void launch_folds_find(launch_folds *folds, const write_job *job, const karp_decision *decision, size_t first,
                       size_t count, size_t width)
{
    *folds = (launch_folds){ decision, first, count, write_array(job, count, sizeof(uint32_t)),
                             write_array(job, count, sizeof(uint32_t)) };
    if (folds->same == NULL || folds->next == NULL) {
        launch_folds_free(folds, job);
        return;
    }
    all_apart(folds);
    if (count <= MOST_APART || width >= NO_END) return;
    fold_table table = { .slots = 8 };
    while (table.slots < 2 * count) table.slots *= 2;
    table.first = write_array(job, table.slots, sizeof(uint32_t));
    table.last = write_array(job, table.slots, sizeof(uint32_t));
    if (table.first != NULL && table.last != NULL) {
        memset(table.first, 0xff, table.slots * sizeof(uint32_t));
        for (size_t i = 0; i < count; i++) put_launch(folds, &table, job, (uint32_t)i);
        part_small(folds);
    }
    karp_free(job->context, table.first, table.slots * sizeof(uint32_t));
    karp_free(job->context, table.last, table.slots * sizeof(uint32_t));
}

void launch_folds_free(launch_folds *folds, const write_job *job)
{
    size_t bytes = (folds->count == 0 ? 1 : folds->count) * sizeof(uint32_t);
    karp_free(job->context, folds->same, bytes);
    karp_free(job->context, folds->next, bytes);
    *folds = (launch_folds){ 0 };
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The name "new-{1..24}", or "new-{1,4,7,…}" if other launches are in between. */
static karp_str fold_name(const launch_folds *folds, size_t first, char room[FOLD_TEXT])
{
    uint32_t last = (uint32_t)first, at[3] = { last, none, none };
    for (uint32_t k = folds->next[first], n = 1; k != none; k = folds->next[k], n++) {
        if (n < 3) at[n] = k;
        last = k;
    }
    bool in_a_row = last - first + 1 == folds->same[first];
    int length = in_a_row ? snprintf(room, FOLD_TEXT, "new-{%zu..%zu}", first + 1, (size_t)last + 1)
                          : snprintf(room, FOLD_TEXT, "new-{%zu,%zu,%zu,\xe2\x80\xa6}", (size_t)at[0] + 1,
                                     (size_t)at[1] + 1, (size_t)at[2] + 1);
    return (karp_str){ room, (size_t)length };
}

node_row folded_row(const launch_folds *folds, const write_job *job, size_t first, char name[FOLD_TEXT],
                    char type[FOLD_TEXT])
{
    karp_launch launch;
    launch_at(folds, job, first, &launch);
    node_row row = launch_row(&launch);
    uint32_t same = folds->same[first];
    if (same == 1) return row;
    row.name = fold_name(folds, first, name);
    int shown = str_shown(row.instance_type, 100);
    int length = snprintf(type, FOLD_TEXT, "%u \xc3\x97 %.*s", (unsigned)same, shown, row.instance_type.ptr);
    row.instance_type = (karp_str){ type, (size_t)length };
    if (row.price >= 0) row.price *= same;
    return row;
}

size_t folded_type_count(const launch_folds *folds, const write_job *job, size_t first)
{
    size_t least = SIZE_MAX;
    for (uint32_t k = (uint32_t)first; k != none; k = folds->next[k]) {
        karp_launch launch;
        launch_at(folds, job, k, &launch);
        if (launch.instance_type_count < least) least = launch.instance_type_count;
    }
    return least;
}

/* Collects the pods by workload. In equal launches the pods of a workload are at the same positions. */
static void gather(const launch_folds *folds, const write_job *job, size_t first, uint32_t *pods)
{
    karp_launch one, launch;
    launch_at(folds, job, first, &one);
    size_t filled = 0;
    for (size_t from = 0, to; from < one.pod_count; from = to) {
        for (to = from + 1; to < one.pod_count; to++) {
            if (!equal_str(workload_at(folds, &one, to), workload_at(folds, &one, from))) break;
        }
        for (uint32_t k = (uint32_t)first; k != none; k = folds->next[k]) {
            launch_at(folds, job, k, &launch);
            memcpy(pods + filled, launch.pods + from, (to - from) * sizeof(*pods));
            filled += to - from;
        }
    }
}

void folded_pods(const text_out *t, const launch_folds *folds, const write_job *job, const char *verb, size_t first)
{
    karp_launch launch;
    launch_at(folds, job, first, &launch);
    size_t count = launch.pod_count * folds->same[first];
    if (count == 0) return;
    uint32_t *pods = write_array(job, count, sizeof(*pods));
    if (pods == NULL) return;
    gather(folds, job, first, pods);
    rows_pods(t, job, folds->decision, verb, pods, count);
    karp_free(job->context, pods, count * sizeof(*pods));
}
