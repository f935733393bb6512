/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The orders of pods: by namespace and name, and the one in which they are placed. And which pods
 * are pending.
 */

#include <base/bits.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/reuse_pods.h>

#include <karp/inspect.h>

/* ---- by namespace and name --------------------------------------------------------------------------------------- */

int pods_by_name(const store *s, const pod *a, const pod *b)
{
    if (a->name_space != b->name_space) return compare_str(store_text(s, a->name_space), store_text(s, b->name_space));
    return a->name == b->name ? 0 : compare_str(store_name(s, a->name), store_name(s, b->name));
}

static uint64_t namespace_rank(uint32_t index, const void *user)
{
    const karp_snapshot *s = user;
    return s->facts.rank[pod_at(&s->raw, index)->name_space];
}

static karp_str name_at(uint32_t index, const void *user)
{
    const karp_snapshot *s = user;
    return name_of(s, pod_at(&s->raw, index)->name);
}

static bool order_anew(karp_snapshot *s)
{
    size_t n = s->raw.pods.count;
    for (size_t i = 0; i < n; i++) s->by_name[i] = (uint32_t)i;
    if (!sort_ids_by_texts(s->context, s->by_name, n, &(text_order){ namespace_rank, name_at, s })) return false;
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

/* ---- the queue --------------------------------------------------------------------------------------------------- */

/* Amounts in descending order. */
static int compare_exact(resource_list x, resource_list y, uint32_t resource)
{
    return amount_cmp(resource_list_get(y, resource), resource_list_get(x, resource));
}

/* Classes in descending order of one resource. Vectors have the most units for all amounts that are too large. */
static int compare_requests(const karp_snapshot *s, uint32_t x, uint32_t y, uint32_t resource)
{
    int64_t a = s->classes[x].requests[resource], b = s->classes[y].requests[resource];
    if (a != b) return a > b ? -1 : 1;
    return a < MOST_UNITS ? 0 : compare_exact(shape_of(s, x)->requests, shape_of(s, y)->requests, resource);
}

static int compare_size(const karp_snapshot *s, uint32_t x, uint32_t y)
{
    int order = compare_requests(s, x, y, RESOURCE_CPU);
    return order != 0 ? order : compare_requests(s, x, y, RESOURCE_MEMORY);
}

static int by_size(uint32_t x, uint32_t y, const void *user) { return compare_size(user, x, y); }

/* Compares pods of equal size. */
static int compare_age(const pod *a, const pod *b)
{
    if (a->creation != b->creation) return a->creation < b->creation ? -1 : 1;
    return compare_str((karp_str){ a->uid, a->uid_len }, (karp_str){ b->uid, b->uid_len });
}

static uint64_t creation_of(uint32_t index, const void *user)
{
    const karp_snapshot *s = user;
    return (uint64_t)pod_at(&s->raw, index)->creation ^ (UINT64_C(1) << 63); /* in the order of the signed numbers */
}

static karp_str uid_of(uint32_t index, const void *user)
{
    const pod *p = pod_at(&((const karp_snapshot *)user)->raw, index);
    return (karp_str){ p->uid, p->uid_len };
}

/* Compares pods by their own data, in the complete order. */
static int by_size_and_age(const store *s, const pod *a, const pod *b)
{
    if (a->shape != b->shape) {
        resource_list x = s->shapes.items[a->shape].requests, y = s->shapes.items[b->shape].requests;
        int order = compare_exact(x, y, RESOURCE_CPU);
        if (order == 0) order = compare_exact(x, y, RESOURCE_MEMORY);
        if (order != 0) return order;
    }
    return compare_age(a, b);
}

/* Sizes depend on classes, so classes are sorted and pods are distributed to their sizes. size_of[class] is the
 * number of the size; first[number + 1] is where its pods begin. */
static bool number_sizes(const karp_snapshot *s, uint32_t *order, uint32_t *size_of, uint32_t *sizes)
{
    *sizes = 0;
    for (uint32_t c = 0; c < s->class_count; c++) order[c] = c;
    if (!sort_ids(s->context, order, s->class_count, by_size, s)) return false;
    for (uint32_t i = 0; i < s->class_count; i++) {
        if (i > 0 && compare_size(s, order[i - 1], order[i]) != 0) ++*sizes;
        size_of[order[i]] = *sizes;
    }
    ++*sizes;
    return true;
}

static bool sort_queue(karp_snapshot *s)
{
    size_t n = s->raw.pods.count, bytes = (3 * (size_t)s->class_count + 3) * sizeof(uint32_t);
    uint32_t *order = mem_zalloc(s->context, bytes), sizes = 0;
    if (order == NULL) return false;
    uint32_t *size_of = order + s->class_count, *first = size_of + s->class_count;
    bool ok = number_sizes(s, order, size_of, &sizes);
    for (size_t i = 0; ok && i < n; i++) first[size_of[s->pod_class[i]] + 2]++;
    for (uint32_t k = 2; ok && k < sizes + 2; k++) first[k] += first[k - 1];
    for (size_t i = 0; ok && i < n; i++) s->queue[first[size_of[s->pod_class[i]] + 1]++] = (uint32_t)i;
    for (uint32_t k = 0; ok && k < sizes; k++)
        ok = sort_ids_by_texts(s->context, s->queue + first[k], first[k + 1] - first[k],
                               &(text_order){ creation_of, uid_of, s });
    mem_free(s->context, order, bytes);
    return ok;
}

static bool make_queue(karp_snapshot *s)
{
    s->queue = block_new(s->context, s->raw.pods.count + 1, sizeof *s->queue);
    s->queue_rank = block_new(s->context, s->raw.pods.count + 1, sizeof *s->queue_rank);
    return s->queue != NULL && s->queue_rank != NULL;
}

static bool make_falls(karp_snapshot *s)
{
    s->queue_falls = block_new(s->context, s->raw.pods.count + 1, sizeof *s->queue_falls);
    return s->queue_falls != NULL;
}

static void note_fall(karp_snapshot *s, size_t i)
{
    if (i < s->raw.pods.count) s->queue_falls[i] = i > 0 && s->pod_rank[s->queue[i]] < s->pod_rank[s->queue[i - 1]];
}

static bool fill_queue(karp_snapshot *s)
{
    if (!sort_queue(s)) return false;
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        s->queue_rank[s->queue[i]] = (uint32_t)i;
        note_fall(s, i);
    }
    return true;
}

static bool queue_anew(karp_snapshot *s) { return make_queue(s) && make_falls(s) && fill_queue(s); }

/* Where no pod was added or removed, neighbouring names are the same as before. */
static bool continue_falls(karp_snapshot *s, const order_change *change)
{
    const karp_snapshot *before = s->reused->before;
    size_t began = before->raw.pods.count;
    if (change->none && s->pod_rank == before->pod_rank) {
        s->queue_falls = block_ref(before->queue_falls);
        return true;
    }
    if (!make_falls(s)) return false;
    /* The values of fresh pods are written below. */
    order_change_apply(change, before->queue_falls, began, change->fresh, sizeof *s->queue_falls, s->queue_falls);
    for (size_t i = 0; i < change->fresh_count; i++) {
        note_fall(s, s->queue_rank[change->fresh[i]]);
        note_fall(s, s->queue_rank[change->fresh[i]] + (size_t)1);
    }
    for (size_t i = 0; i < change->gone_count; i++) {
        size_t after = change->gone_at[i] + (size_t)1;
        bool gone_too = i + 1 < change->gone_count && change->gone_at[i + 1] == after;
        if (after < began && !gone_too) note_fall(s, s->queue_rank[before->queue[after]]);
    }
    return true;
}

static void fill_queue_class(karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.pods.count; i++) s->queue_class[i] = s->pod_class[s->queue[i]];
}

static bool class_queue(karp_snapshot *s)
{
    s->queue_class = block_new(s->context, s->raw.pods.count + 1, sizeof *s->queue_class);
    if (s->queue_class != NULL) fill_queue_class(s);
    return s->queue_class != NULL;
}

bool queue_of_view(karp_snapshot *view, arena *a)
{
    size_t pods = view->raw.pods.count + 1;
    view->queue = arena_array(a, pods, sizeof *view->queue);
    view->queue_rank = arena_array(a, pods, sizeof *view->queue_rank);
    view->queue_falls = arena_array(a, pods, sizeof *view->queue_falls);
    view->queue_class = arena_array(a, pods, sizeof *view->queue_class);
    if (view->queue == NULL || view->queue_rank == NULL || view->queue_falls == NULL || view->queue_class == NULL ||
        !fill_queue(view))
        return false;
    fill_queue_class(view);
    return true;
}

/* The same for classes, if they have the same numbers as before. */
static bool class_change(karp_snapshot *s, const order_change *change)
{
    const karp_snapshot *before = s->reused->before;
    uint32_t *fresh = mem_alloc(s->context, s->reused->capacity * sizeof *fresh);
    s->queue_class = block_new(s->context, s->raw.pods.count + 1, sizeof *s->queue_class);
    bool ok = fresh != NULL && s->queue_class != NULL;
    for (size_t i = 0; ok && i < change->fresh_count; i++) fresh[i] = s->pod_class[change->fresh[i]];
    if (ok)
        order_change_apply(change, before->queue_class, before->raw.pods.count, fresh, sizeof *fresh, s->queue_class);
    mem_free(s->context, fresh, s->reused->capacity * sizeof *fresh);
    return ok;
}

static bool continue_queue_class(karp_snapshot *s, const order_change *change)
{
    if (!s->reused->classes || s->reused->renumbered) return class_queue(s);
    if (!change->none || s->pod_class != s->reused->before->pod_class) return class_change(s, change);
    s->queue_class = block_ref(s->reused->before->queue_class);
    return true;
}

static bool continue_queue(karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    size_t began = before->raw.pods.count;
    order_change change;
    bool ok = order_change_find(&change, s, before->queue, before->queue_rank, began, by_size_and_age, NULL);
    if (ok && change.none) {
        s->queue = block_ref(before->queue);
        s->queue_rank = block_ref(before->queue_rank);
    } else if (ok) {
        ok = make_queue(s);
        if (ok) order_change_apply(&change, before->queue, began, change.fresh, sizeof *s->queue, s->queue);
        if (ok) order_change_ranks(&change, s, before->queue_rank, s->queue, s->queue_rank);
    }
    ok = ok && continue_falls(s, &change) && continue_queue_class(s, &change);
    order_change_free(&change, s->context);
    return ok;
}

/* ---- pending pods ------------------------------------------------------------------------------------------------ */

/* Whether kube-scheduler has tried the pod in vain, so that Karpenter considers it. */
static bool is_unscheduled(const pod *p)
{
    return p->node == NO_ID && (p->flags & POD_UNSCHEDULABLE) &&
           !(p->flags & (POD_NOMINATED | POD_OF_DAEMON_SET | POD_OF_NODE | POD_VIRTUAL));
}

static bool is_plain(const store *s, const pod *p)
{
    const shape *h = &s->shapes.items[p->shape];
    return h->node_selector.count == 0 && h->required.count == 0 && h->preferred.count == 0 &&
           s->volumes.entries[p->volumes].count == 0;
}

static bool make_pending(karp_snapshot *s)
{
    size_t n = s->raw.pods.count;
    s->pending = block_new(s->context, n + 1, sizeof *s->pending);
    s->plain = block_new(s->context, bits_words(n) + 1, sizeof *s->plain);
    if (s->plain != NULL) memset(s->plain, 0, (bits_words(n) + 1) * sizeof *s->plain);
    return s->pending != NULL && s->plain != NULL;
}

static void list_pending(karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.pods.count; i++) {
        const pod *p = pod_at(&s->raw, s->by_name[i]);
        if (!is_unscheduled(p)) continue;
        if (is_plain(&s->raw, p)) bits_set(s->plain, s->by_name[i]);
        s->pending[s->pending_count++] = s->by_name[i];
    }
}

static void continue_plain(karp_snapshot *s)
{
    const struct reused_pods *k = s->reused;
    size_t words_were = bits_words(k->before->raw.pods.count), words_are = bits_words(s->raw.pods.count);
    memcpy(s->plain, k->before->plain, (words_were < words_are ? words_were : words_are) * sizeof *s->plain);
    for (size_t i = 0; i < k->gone_count; i++) {
        if (k->gone[i] < words_are * 64) bits_clear(s->plain, k->gone[i]); /* including places behind the last pod */
    }
    for (size_t i = 0; i < k->fresh_count; i++) {
        const pod *p = pod_at(&s->raw, k->fresh[i]);
        if (is_unscheduled(p) && is_plain(&s->raw, p)) bits_set(s->plain, k->fresh[i]);
    }
}

static bool continue_pending(karp_snapshot *s)
{
    const karp_snapshot *before = s->reused->before;
    order_change change;
    bool ok = order_change_find(&change, s, before->pending, NULL, before->pending_count, pods_by_name,
                                is_unscheduled) &&
              make_pending(s);
    if (ok) {
        order_change_apply(&change, before->pending, before->pending_count, change.fresh, sizeof *s->pending,
                           s->pending);
        s->pending_count = before->pending_count - (uint32_t)change.gone_count + (uint32_t)change.fresh_count;
        continue_plain(s);
    }
    order_change_free(&change, s->context);
    return ok;
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static bool find_places(karp_snapshot *s)
{
    if (!s->raw.pods_given) return true;
    s->place = arena_array(&s->data, s->raw.pods_to_place.count + 1, sizeof *s->place);
    if (s->place == NULL) return false;
    for (size_t i = 0; i < s->raw.pods_to_place.count; i++) {
        uint64_t key = s->raw.pods_to_place.items[i];
        uint32_t p = store_find(&s->raw, KIND_POD, (uint32_t)(key >> 32), (uint32_t)key);
        if (p != NO_ID) s->place[s->place_count++] = p;
    }
    return true;
}

karp_status prepare_queue(karp_snapshot *s, karp_error *error)
{
    bool ok;
    if (pods_reused(s)) {
        ok = continue_queue(s) && continue_pending(s);
    } else {
        ok = queue_anew(s) && class_queue(s) && make_pending(s);
        if (ok) list_pending(s);
    }
    return ok && find_places(s) ? KARP_OK : fail_nomem(error);
}
