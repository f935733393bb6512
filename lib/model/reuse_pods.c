/* SPDX-License-Identifier: Apache-2.0 */
#include <model/reuse_pods.h>

#include <base/bisect.h>
#include <base/sort.h>

/* Places that were written to, and those behind the previous last place. */
static size_t list_places(const struct reused_pods *k, const store *now, uint32_t *out)
{
    size_t began = k->before->raw.pods.count, n = 0;
    for (size_t i = 0; i < now->changed.count; i++) out[n++] = now->changed.items[i];
    for (size_t i = began; i < k->count; i++) out[n++] = (uint32_t)i;
    return n;
}

bool reused_pods_find(struct reused_pods *k, const karp_snapshot *before, const store *now)
{
    size_t began = before->raw.pods.count, count = now->pods.count;
    *k = (struct reused_pods){ .before = before, .alone = snapshot_has_one_owner(before), .count = count };
    bool virtual_ones = began > 0 && (pod_at(&before->raw, began - 1)->flags & POD_VIRTUAL);
    size_t most = now->changed.count + (count > began ? count - began : 0);
    if (virtual_ones || most > count / 2 + 16) return true;
    k->capacity = most + 1;
    uint32_t *places = mem_alloc(before->context, k->capacity * sizeof *places);
    k->gone = mem_alloc(before->context, k->capacity * sizeof *k->gone);
    k->fresh = mem_alloc(before->context, k->capacity * sizeof *k->fresh);
    size_t n = places == NULL ? 0 : list_places(k, now, places);
    bool ok = places != NULL && k->gone != NULL && k->fresh != NULL && sort_numbers_once(before->context, places, &n);
    for (size_t i = 0; ok && i < n; i++) {
        if (places[i] < began) k->gone[k->gone_count++] = places[i];
        if (places[i] < count) k->fresh[k->fresh_count++] = places[i];
    }
    mem_free(before->context, places, k->capacity * sizeof *places);
    return ok;
}

void reused_pods_free(struct reused_pods *k, karp_context *context)
{
    mem_free(context, k->gone, k->capacity * sizeof *k->gone);
    mem_free(context, k->fresh, k->capacity * sizeof *k->fresh);
    reused_node_state_free(&k->node_state, context);
    *k = (struct reused_pods){ .before = NULL };
}

bool pods_reused(const karp_snapshot *s)
{
    const struct reused_pods *k = s->reused;
    return k != NULL && k->capacity > 0 &&
           k->count == s->raw.pods.count; /* false if virtual pods of capacity buffers follow them */
}

bool place_gone(const struct reused_pods *k, uint32_t place) { return numbers_have(k->gone, k->gone_count, place); }

/* ---- orders ------------------------------------------------------------------------------------------------------ */

struct ordering {
    const store *raw;
    compare_pods compare;
};

/* The number of pods in the previous order that sort before the pod. */
static uint32_t position(const karp_snapshot *s, const uint32_t *was, size_t count, compare_pods compare, const pod *p,
                         uint32_t place)
{
    bisection b = bisect(count);
    while (bisecting(&b)) {
        int order = compare(&s->raw, pod_at(&s->reused->before->raw, was[b.at]), p);
        bisect_step(&b, order < 0 || (order == 0 && was[b.at] < place));
    }
    return (uint32_t)b.at;
}

static int by_content(uint32_t a, uint32_t b, const void *user)
{
    const struct ordering *o = user;
    return o->compare(o->raw, pod_at(o->raw, a), pod_at(o->raw, b));
}

static bool unchanged(const order_change *o, const uint32_t *was)
{
    if (o->gone_count != o->fresh_count) return false;
    for (size_t i = 0; i < o->gone_count; i++) {
        if (o->gone_at[i] != o->fresh_at[i] || was[o->gone_at[i]] != o->fresh[i]) return false;
    }
    return true;
}

/* If a fresh pod and the pod that was in its place compare equal, its position is that pod's. */
static uint32_t place_before(const karp_snapshot *s, const uint32_t *was, const uint32_t *ranks, size_t count,
                             compare_pods compare, uint32_t place)
{
    const store *before = &s->reused->before->raw;
    const pod *p = pod_at(&s->raw, place);
    bool alike = ranks != NULL && place < before->pods.count && compare(&s->raw, pod_at(before, place), p) == 0;
    return alike ? ranks[place] : position(s, was, count, compare, p, place);
}

bool order_change_find(order_change *o, const karp_snapshot *s, const uint32_t *was, const uint32_t *ranks,
                       size_t count, compare_pods compare, bool (*picks)(const pod *p))
{
    const struct reused_pods *k = s->reused;
    const struct ordering ordering = { &s->raw, compare };
    *o = (order_change){ .pods = k };
    o->gone_at = mem_alloc(s->context, k->capacity * sizeof *o->gone_at);
    o->fresh_at = mem_alloc(s->context, k->capacity * sizeof *o->fresh_at);
    o->fresh = mem_alloc(s->context, k->capacity * sizeof *o->fresh);
    if (o->gone_at == NULL || o->fresh_at == NULL || o->fresh == NULL) return false;
    for (size_t i = 0; i < k->gone_count; i++) {
        const pod *p = pod_at(&k->before->raw, k->gone[i]);
        if (picks != NULL && !picks(p)) continue;
        o->gone_at[o->gone_count++] = ranks ? ranks[k->gone[i]] : position(s, was, count, compare, p, k->gone[i]);
    }
    for (size_t i = 0; i < k->fresh_count; i++) {
        if (picks == NULL || picks(pod_at(&s->raw, k->fresh[i]))) o->fresh[o->fresh_count++] = k->fresh[i];
    }
    if (!sort_numbers(s->context, o->gone_at, o->gone_count)) return false;
    if (!sort_ids(s->context, o->fresh, o->fresh_count, by_content, &ordering)) return false;
    for (size_t i = 0; i < o->fresh_count; i++)
        o->fresh_at[i] = place_before(s, was, ranks, count, compare, o->fresh[i]);
    o->none = unchanged(o, was);
    return true;
}

void order_change_free(order_change *o, karp_context *context)
{
    mem_free(context, o->gone_at, o->pods->capacity * sizeof *o->gone_at);
    mem_free(context, o->fresh_at, o->pods->capacity * sizeof *o->fresh_at);
    mem_free(context, o->fresh, o->pods->capacity * sizeof *o->fresh);
}

void order_change_apply(const order_change *o, const void *was, size_t count, const void *fresh, size_t size, void *out)
{
    const uint8_t *old = was, *new = fresh;
    uint8_t *to = out;
    size_t from = 0, g = 0, f = 0;
    for (;;) {
        size_t cut = g < o->gone_count ? o->gone_at[g] : count;
        if (f < o->fresh_count && o->fresh_at[f] < cut) cut = o->fresh_at[f];
        if (cut > from) memcpy(to, old + from * size, (cut - from) * size);
        to += (cut - from) * size;
        from = cut;
        if (f < o->fresh_count && o->fresh_at[f] == cut) {
            memcpy(to, new + f++ *size, size);
            to += size;
        } else if (g < o->gone_count) {
            g++;
            from++;
        } else {
            return;
        }
    }
}

void order_change_ranks(const order_change *o, const karp_snapshot *s, const uint32_t *was, const uint32_t *now,
                        uint32_t *out)
{
    size_t began = s->reused->before->raw.pods.count, count = s->raw.pods.count, first = count, last = 0;
    if (began > 0) memcpy(out, was, (began < count ? began : count) * sizeof *out);
    const uint32_t *const at[] = { o->gone_at, o->fresh_at };
    const size_t counts[] = { o->gone_count, o->fresh_count };
    for (size_t i = 0; i < 2; i++) {
        if (counts[i] == 0) continue;
        if (at[i][0] < first) first = at[i][0];
        if (at[i][counts[i] - 1] >= last) last = at[i][counts[i] - 1] + (size_t)1;
    }
    /* otherwise the pods after them keep their positions */
    if (o->gone_count != o->fresh_count || last > count) last = count;
    for (size_t i = first; i < last; i++) out[now[i]] = (uint32_t)i;
}
