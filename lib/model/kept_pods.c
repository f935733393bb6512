/* SPDX-License-Identifier: Apache-2.0 */
#include <model/kept_pods.h>

#include <base/sort.h>
#include <string.h>

bool kept_pods_find(struct kept_pods *k, const karp_snapshot *before, size_t began, const uint64_t *removed, size_t removed_count)
{
    size_t all = before->raw.pods.count;
    *k = (struct kept_pods){ .before = before };
    k->moved = mem_zalloc(before->context, (all + 1) * sizeof *k->moved);
    if (k->moved == NULL) return false;
    for (size_t i = began; i < all; i++) k->moved[i] = NO_ID;
    for (size_t i = 0; i < removed_count; i++) {
        if (removed[i] >> 32 == KIND_POD && (uint32_t)removed[i] < began) k->moved[(uint32_t)removed[i]] = NO_ID;
    }
    for (size_t i = 0; i < began; i++) {
        if (k->moved[i] != NO_ID) k->moved[i] = k->count++;
    }
    return true;
}

void kept_pods_free(struct kept_pods *k, karp_context *context)
{
    if (k->before != NULL) mem_free(context, k->moved, (k->before->raw.pods.count + 1) * sizeof *k->moved);
    *k = (struct kept_pods){ .before = NULL };
}

bool mostly_new(const karp_snapshot *s)
{
    size_t n = s->raw.pods.count;
    return s->kept == NULL || n - s->kept->count > n / 16;
}

/* How many of the ordered ids come before the id or equal it. */
static size_t up_to(const karp_snapshot *s, const uint32_t *ids, size_t count, uint32_t id, int (*compare)(uint32_t a, uint32_t b, const void *user))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(ids[middle], id, s) <= 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

bool kept_order(const karp_snapshot *s, const uint32_t *was, uint32_t *out, int (*compare)(uint32_t a, uint32_t b, const void *user))
{
    const struct kept_pods *k = s->kept;
    size_t kept = 0, fresh = s->raw.pods.count - k->count;
    uint32_t *ids = mem_alloc(s->context, (fresh + 1) * sizeof *ids);
    if (ids == NULL) return false;
    for (size_t i = 0; i < k->before->raw.pods.count; i++) {
        uint32_t now = k->moved[was[i]];
        if (now != NO_ID) out[kept++] = now;
    }
    for (size_t i = 0; i < fresh; i++) ids[i] = k->count + (uint32_t)i;
    bool ok = sort_ids(s->context, ids, fresh, compare, s);
    for (size_t i = fresh; ok && i-- > 0;) { /* from the last on, so that each block moves once */
        size_t place = up_to(s, out, kept, ids[i], compare);
        memmove(out + place + i + 1, out + place, (kept - place) * sizeof *out);
        out[place + i] = ids[i];
        kept = place;
    }
    mem_free(s->context, ids, (fresh + 1) * sizeof *ids);
    return ok;
}
