/* SPDX-License-Identifier: Apache-2.0 */
/* The order of pods by namespace and name, and the texts that show them. */
#include <model/prepare.h>

#include <base/error.h>
#include <base/sort.h>
#include <string.h>

static int by_namespace_and_name(uint32_t x, uint32_t y, const void *user)
{
    const karp_snapshot *s = user;
    const pod *a = &s->raw.pods.items[x], *b = &s->raw.pods.items[y];
    if (a->name_space != b->name_space) return s->facts.rank[a->name_space] < s->facts.rank[b->name_space] ? -1 : 1;
    return compare_str(name_of(s, a->name), name_of(s, b->name));
}

static bool show_names(karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        karp_str space = text_of(s, s->raw.pods.items[i].name_space), name = name_of(s, s->raw.pods.items[i].name);
        char *shown = arena_alloc(&s->data, space.len + name.len + 2);
        if (shown == NULL) return false;
        if (space.len > 0) memcpy(shown, space.ptr, space.len);
        shown[space.len] = '/';
        memcpy(shown + space.len + 1, name.ptr, name.len);
        shown[space.len + name.len + 1] = '\0';
        s->pod_names[i] = (karp_str){ shown, space.len + name.len + 1 };
    }
    return true;
}

karp_status prepare_names(karp_snapshot *s, karp_error *error)
{
    size_t n = s->raw.pods.count;
    s->pod_names = arena_array(&s->data, n + 1, sizeof *s->pod_names);
    s->by_name = arena_array(&s->data, n + 1, sizeof *s->by_name);
    s->pod_rank = arena_array(&s->data, n + 1, sizeof *s->pod_rank);
    if (s->pod_names == NULL || s->by_name == NULL || s->pod_rank == NULL || !show_names(s)) return fail_nomem(error);
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        s->by_name[i] = (uint32_t)i;
        if (i > 0 && by_namespace_and_name((uint32_t)i - 1, (uint32_t)i, s) > 0) sorted = false;
    }
    if (!sorted && !sort_ids(s->context, s->by_name, n, by_namespace_and_name, s)) return fail_nomem(error);
    for (size_t i = 0; i < n; i++) s->pod_rank[s->by_name[i]] = (uint32_t)i;
    return KARP_OK;
}

karp_str karp_snapshot_pod_name(const karp_snapshot *snapshot, size_t index)
{
    return index < snapshot->raw.pods.count ? snapshot->pod_names[index] : (karp_str){ NULL, 0 };
}
