/* SPDX-License-Identifier: Apache-2.0 */
/* The order of pods by namespace and name. */
#include <model/prepare.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/reuse_pods.h>

int pods_by_name(const store *s, const pod *a, const pod *b)
{
    if (a->name_space != b->name_space) return compare_str(store_text(s, a->name_space), store_text(s, b->name_space));
    return a->name == b->name ? 0 : compare_str(store_name(s, a->name), store_name(s, b->name));
}

static int by_namespace_and_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const pod *a = pod_at(&s->raw, x), *b = pod_at(&s->raw, y);
    if (a->name_space != b->name_space) return s->facts.rank[a->name_space] < s->facts.rank[b->name_space] ? -1 : 1;
    return compare_str(name_of(s, a->name), name_of(s, b->name));
}

/* The input is often in this order already. */
static bool order_anew(karp_snapshot *s)
{
    bool sorted = true;
    size_t n = s->raw.pods.count;
    for (size_t i = 0; i < n; i++) {
        s->by_name[i] = (uint32_t)i;
        if (i > 0 && sorted) sorted = by_namespace_and_name((uint32_t)i - 1, (uint32_t)i, s) <= 0;
    }
    if (!sorted && !sort_ids(s->context, s->by_name, n, by_namespace_and_name, s)) return false;
    for (size_t i = 0; i < n; i++) s->pod_rank[s->by_name[i]] = (uint32_t)i;
    return true;
}

static bool make_room(karp_snapshot *s)
{
    s->by_name = block_new(s->context, s->raw.pods.count + 1, sizeof *s->by_name);
    s->pod_rank = block_new(s->context, s->raw.pods.count + 1, sizeof *s->pod_rank);
    return s->by_name != NULL && s->pod_rank != NULL;
}

static bool continue_order(karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    order_change change;
    bool ok = order_change_find(&change, s, before->by_name, before->pod_rank, before->raw.pods.count, pods_by_name,
                                NULL);
    if (ok && change.none) {
        s->by_name = block_ref(before->by_name);
        s->pod_rank = block_ref(before->pod_rank);
    } else if (ok) {
        ok = make_room(s);
        if (ok)
            order_change_apply(&change, before->by_name, before->raw.pods.count, change.fresh, sizeof *s->by_name,
                               s->by_name);
        if (ok) order_change_ranks(&change, s, before->pod_rank, s->by_name, s->pod_rank);
    }
    order_change_free(&change, s->context);
    return ok;
}

karp_status prepare_names(karp_snapshot *s, karp_error *error)
{
    bool ok = pods_reused(s) ? continue_order(s) : make_room(s) && order_anew(s);
    return ok ? KARP_OK : fail_nomem(error);
}

karp_str karp_snapshot_pod_name(const karp_snapshot *snapshot, size_t index)
{
    return index < snapshot->raw.pods.count ? pod_name(snapshot, index) : (karp_str){ NULL, 0 };
}
