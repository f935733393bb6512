/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Volcano's overcommit plugin, which its charts configure: the pods of a Job are created when what it needs at least
 * fits into 1.2 times the nodes that exist, beside what is used. An autoscaler never sees the pods of a Job that waits.
 * Source: volcano, pkg/scheduler/plugins/overcommit/overcommit.go, pkg/controllers/job/job_controller_actions.go.
 */
#include <io/fill.h>

#include <io/owner.h>
#include <io/pod_amount.h>

static const char *const resources[IO_ENQUEUE_AMOUNTS] = { "cpu", "memory", "nvidia.com/gpu" };

/* Adds the amount that many times. */
static void add_times(char sum[KARP_VALUE_TEXT], const char *amount, uint64_t times)
{
    char doubled[KARP_VALUE_TEXT];
    memcpy(doubled, amount, sizeof doubled);
    for (; times > 0; times /= 2) {
        char again[KARP_VALUE_TEXT];
        if (times % 2 == 1) io_add_amount(sum, str(doubled));
        memcpy(again, doubled, sizeof again);
        io_add_amount(doubled, str(again));
    }
}

static void add_pod(char sums[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT], const tree *spec, uint64_t count)
{
    for (size_t i = 0; i < IO_ENQUEUE_AMOUNTS; i++) {
        char own[KARP_VALUE_TEXT] = "";
        io_pod_amount(spec, str(resources[i]), true, own);
        if (own[0] != '\0') add_times(sums[i], own, count);
    }
}

/* Adds up the nodes of the input, and the pods on them. */
static void learn(io_enqueue *queue, const karp_reader *reader)
{
    queue->known = true;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->gone || !w->root) continue;
        const tree *spec = tree_get(w->root, "spec"), *amounts = tree_get(tree_get(w->root, "status"), "allocatable");
        for (size_t k = 0; w->info->kind == IO_KIND_NODE && k < IO_ENQUEUE_AMOUNTS; k++) {
            karp_str own = tree_text_or_digits(tree_find_str(amounts, str(resources[k])));
            if (own.len) io_add_amount(queue->total[k], own);
        }
        if (w->info->kind == IO_KIND_POD && tree_get_text(spec, "nodeName").len && !io_pod_ended(w->root))
            add_pod(queue->used, spec, 1);
    }
}

/* What the Job needs at least: the requests of its first pods, as many as minAvailable says. */
static void add_least(char sums[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT], const io_pods *pods)
{
    int64_t stated = 0;
    uint64_t left = UINT64_MAX;
    if (tree_integer(tree_get(tree_get(pods->object, "spec"), "minAvailable"), &stated) && stated > 0)
        left = (uint64_t)stated;
    for (size_t i = 0; i < pods->count && left > 0; i++) {
        uint64_t count = pods->sets[i].count < left ? pods->sets[i].count : left;
        add_pod(sums, tree_get(pods->sets[i].template_, "spec"), count);
        left -= count;
    }
}

/* Whether that much is within 1.2 times the total: ten times the one and twelve times the other. */
static bool fits(const char *needed, const char *total)
{
    char ten[KARP_VALUE_TEXT] = "0", twelve[KARP_VALUE_TEXT] = "0";
    int32_t order = 0;
    add_times(ten, needed, 10);
    if (total[0] != '\0') add_times(twelve, total, 12);
    return karp_quantity_compare(str(ten), str(twelve), &order) != KARP_OK || order <= 0;
}

karp_status io_enqueue_note(io_enqueue *queue, karp_reader *reader, const io_deferred *w, const io_pods *pods)
{
    char least[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT] = { "", "", "" }, after[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT];
    char short_of[200] = "";
    if (reader->options.no_lint_notes || pods->count == 0 || pods->problem.len > 0) return KARP_OK;
    if (!queue->known) learn(queue, reader);
    add_least(least, pods);
    memcpy(after, queue->used, sizeof after);
    for (size_t i = 0; i < IO_ENQUEUE_AMOUNTS; i++) {
        if (least[i][0] == '\0') continue;
        io_add_amount(after[i], str(least[i]));
        if (fits(after[i], queue->total[i])) continue;
        const char *total = queue->total[i][0] ? queue->total[i] : "0",
                   *used = queue->used[i][0] ? queue->used[i] : "0";
        str_append(short_of, sizeof short_of, "%s%s %s, while the nodes have %s and %s is used",
                   short_of[0] ? "; " : "", resources[i], least[i], total, used);
    }
    if (short_of[0] == '\0') {
        memcpy(queue->used, after, sizeof after);
        return KARP_OK;
    }
    return io_warn(
        reader,
        "Job %.*s: Volcano creates its pods only when what it needs at least fits into 1.2 times the nodes that "
        "exist (its overcommit plugin): %s; so it gets no pods, and no node is launched for it, unless others "
        "bring nodes; it is planned as if they were created",
        str_shown(w->name, 100), w->name.ptr, short_of);
}
