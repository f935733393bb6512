/* SPDX-License-Identifier: Apache-2.0 */
#include <io/fill.h>

#include <io/owner.h>
#include <io/pod_amount.h>

/* What a quota may limit, by its names; requests and limits are those of containers. */
static const struct {
    const char *names[2], *resource; /* NULL = the number of pods */
    bool limits; /* of the containers' limits, not their requests */
    bool stated; /* each container has to state it, unless the pod has resources as a whole */
} amounts[IO_QUOTA_AMOUNTS] = {
    { { "pods", "count/pods" }, NULL, false, false },
    { { "requests.cpu", "cpu" }, "cpu", false, true },
    { { "requests.memory", "memory" }, "memory", false, true },
    { { "requests.nvidia.com/gpu", "requests.nvidia.com/gpu" }, "nvidia.com/gpu", false, false },
    { { "limits.cpu", "limits.cpu" }, "cpu", true, true },
    { { "limits.memory", "limits.memory" }, "memory", true, true },
};

void io_quotas_init(io_quotas *q, karp_context *context)
{
    *q = (io_quotas){ 0 };
    io_table_init(&q->first, context);
}

void io_quotas_free(io_quotas *q, karp_context *context)
{
    io_table_free(&q->first);
    mem_free(context, q->list, q->capacity * sizeof *q->list);
}

static karp_str hard_of(const karp_reader *reader, const io_quota *quota, size_t amount)
{
    const tree *hard = tree_get(tree_get(reader->deferred[quota->number].root, "spec"), "hard");
    karp_str limit = tree_text_or_digits(tree_get(hard, amounts[amount].names[0]));
    return limit.len ? limit : tree_text_or_digits(tree_get(hard, amounts[amount].names[1]));
}

karp_status io_quotas_note(io_quotas *q, karp_reader *reader, const io_deferred *w)
{
    if (w->info->kind != IO_KIND_QUOTA || w->gone || w->stated) return KARP_OK;
    const tree *spec = tree_get(w->root, "spec");
    if (tree_get(spec, "scopes") || tree_get(spec, "scopeSelector"))
        return io_warn(reader, "ResourceQuota %.*s: it has a scope, so karp does not count which pods it refuses",
                       str_shown(w->name, 100), w->name.ptr);
    uint32_t head = io_table_get(&q->first, w->namespace_);
    if (!grow(reader->context, (void **)&q->list, &q->capacity, q->count + 1, sizeof *q->list))
        return io_reader_nomem(reader);
    io_quota *own = &q->list[q->count];
    *own = (io_quota){ .number = (uint32_t)(w - reader->deferred), .next = head == IO_NONE ? 0 : head + 1 };
    for (size_t i = 0; i < IO_QUOTA_AMOUNTS; i++) {
        karp_str limit = hard_of(reader, own, i);
        if (limit.len && karp_quantity_check(limit) == KARP_OK) memcpy(own->used[i], "0", 2);
    }
    return io_table_put(&q->first, w->namespace_, (uint32_t)q->count++) ? KARP_OK : io_reader_nomem(reader);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Whether each container of the list states the amount: a limit is also a request. */
static bool all_state(const tree *list, size_t amount)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *resources = tree_get(tree_item(list, i), "resources");
        karp_str resource = str(amounts[amount].resource);
        bool stated = tree_find_str(tree_get(resources, "limits"), resource) ||
                      (!amounts[amount].limits && tree_find_str(tree_get(resources, "requests"), resource));
        if (!stated) return false;
    }
    return true;
}

/* Kubernetes refuses pods that do not state what the quota counts. */
static bool is_stated(const tree *spec, size_t amount)
{
    return !amounts[amount].stated || tree_count(tree_get(spec, "resources")) > 0 ||
           (all_state(tree_get(spec, "containers"), amount) && all_state(tree_get(spec, "initContainers"), amount));
}

/* Whether the pod keeps within the quota; then it is counted. */
static bool take(io_quota *quota, const karp_reader *reader, const tree *spec, bool created)
{
    char after[IO_QUOTA_AMOUNTS][KARP_VALUE_TEXT];
    int32_t compared = 0;
    for (size_t i = 0; i < IO_QUOTA_AMOUNTS; i++) {
        char own[KARP_VALUE_TEXT];
        memcpy(after[i], quota->used[i], sizeof after[i]);
        if (quota->used[i][0] == '\0') continue;
        if (!amounts[i].resource) memcpy(own, "1", 2);
        else if (amounts[i].limits) io_pod_limit(spec, str(amounts[i].resource), own);
        else io_pod_amount(spec, str(amounts[i].resource), true, own);
        io_add_amount(after[i], str(own));
        bool over = karp_quantity_compare(str(after[i]), hard_of(reader, quota, i), &compared) == KARP_OK &&
                    compared > 0;
        if (created && (over || !is_stated(spec, i))) return false;
    }
    memcpy(quota->used, after, sizeof after);
    return true;
}

void io_quotas_count(io_quotas *q, const karp_reader *reader, const tree *pod, bool created)
{
    if (q->count == 0 || io_pod_ended(pod)) return;
    uint32_t head = io_table_get(&q->first, io_namespace(pod));
    for (uint32_t at = head == IO_NONE ? 0 : head + 1; at; at = q->list[at - 1].next) {
        io_quota *quota = &q->list[at - 1];
        quota->created += created;
        quota->refused += !take(quota, reader, tree_get(pod, "spec"), created);
    }
}

karp_status io_quotas_end(const io_quotas *q, karp_reader *reader)
{
    karp_status status = KARP_OK;
    for (size_t k = 0; k < q->count && status == KARP_OK; k++) {
        const io_quota *quota = &q->list[k];
        const io_deferred *w = &reader->deferred[quota->number];
        char limits[320] = "";
        for (size_t i = 0; i < IO_QUOTA_AMOUNTS; i++) {
            karp_str limit = hard_of(reader, quota, i);
            if (quota->used[i][0] == '\0') continue;
            str_append(limits, sizeof limits, "%s%s %.*s", limits[0] ? ", " : "", amounts[i].names[0],
                       str_shown(limit, 40), limit.ptr);
        }
        if (quota->refused == 0) continue;
        status = io_warn(
            reader,
            "ResourceQuota %.*s/%.*s refuses %llu of the %llu pods that are created in its namespace (%s); "
            "they are planned all the same",
            str_shown(w->namespace_, 64), w->namespace_.ptr, str_shown(w->name, 100), w->name.ptr,
            (unsigned long long)quota->refused, (unsigned long long)quota->created, limits);
    }
    return status;
}
