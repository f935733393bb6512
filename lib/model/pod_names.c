/* SPDX-License-Identifier: Apache-2.0 */
/* The order of pods by namespace and name, and the texts that show them. */
#include <model/prepare.h>

#include <base/error.h>
#include <base/sort.h>
#include <model/kept_pods.h>
#include <string.h>

static int by_namespace_and_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const pod *a = &s->raw.pods.items[x], *b = &s->raw.pods.items[y];
    if (a->name_space != b->name_space) return s->facts.rank[a->name_space] < s->facts.rank[b->name_space] ? -1 : 1;
    return compare_str(name_of(s, a->name), name_of(s, b->name));
}

/* The texts are the store's, so that snapshots which continue this one share them. */
static bool show_names(karp_snapshot *s)
{
    const struct kept_pods *k = s->kept;
    for (size_t i = 0; k != NULL && i < k->before->raw.pods.count; i++) {
        if (k->moved[i] != NO_ID) s->pod_names[k->moved[i]] = k->before->pod_names[i];
    }
    for (size_t i = k == NULL ? 0 : k->count; i < s->raw.pods.count; i++) {
        karp_str space = text_of(s, s->raw.pods.items[i].name_space), name = name_of(s, s->raw.pods.items[i].name);
        char *shown = arena_alloc(&s->raw.shown, space.len + name.len + 2);
        if (shown == NULL) return false;
        if (space.len > 0) memcpy(shown, space.ptr, space.len);
        shown[space.len] = '/';
        memcpy(shown + space.len + 1, name.ptr, name.len);
        shown[space.len + name.len + 1] = '\0';
        s->pod_names[i] = (karp_str){ shown, space.len + name.len + 1 };
    }
    return true;
}

/* Often they are given in this order. */
static bool order_anew(karp_snapshot *s)
{
    bool sorted = true;
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        s->by_name[i] = (uint32_t)i;
        if (i > 0 && by_namespace_and_name((uint32_t)i - 1, (uint32_t)i, s) > 0) sorted = false;
    }
    return sorted || sort_ids(s->context, s->by_name, s->raw.pods.count, by_namespace_and_name, s);
}

karp_status prepare_names(karp_snapshot *s, karp_error *error)
{
    size_t n = s->raw.pods.count;
    s->pod_names = arena_array(&s->data, n + 1, sizeof *s->pod_names);
    s->by_name = arena_array(&s->data, n + 1, sizeof *s->by_name);
    s->pod_rank = arena_array(&s->data, n + 1, sizeof *s->pod_rank);
    if (s->pod_names == NULL || s->by_name == NULL || s->pod_rank == NULL || !show_names(s)) return fail_nomem(error);
    if (!(mostly_new(s) ? order_anew(s) : kept_order(s, s->kept->before->by_name, s->by_name, by_namespace_and_name))) return fail_nomem(error);
    for (size_t i = 0; i < n; i++) s->pod_rank[s->by_name[i]] = (uint32_t)i;
    return KARP_OK;
}

karp_str karp_snapshot_pod_name(const karp_snapshot *snapshot, size_t index)
{
    return index < snapshot->raw.pods.count ? snapshot->pod_names[index] : (karp_str){ NULL, 0 };
}
