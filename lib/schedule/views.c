/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/views.h>

#include <base/go_sort.h>
#include <base/sort.h>
#include <model/prepare.h>
#include <model/taints.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>

static int heavier_pod_term(const void *x, const void *y, const void *user)
{
    int32_t a = ((const pod_term *)x)->weight, b = ((const pod_term *)y)->weight;
    (void)user;
    return a > b ? -1 : a < b;
}

/* A sorted copy of a list in the arena. NULL = out of memory. */
static pod_term *sorted_copy(scheduler *s, const pod_term_list *terms)
{
    pod_term *copy = arena_alloc(&s->data, terms->count * sizeof *copy);
    if (copy == NULL || terms->count == 0) return copy;
    memcpy(copy, terms->items, terms->count * sizeof *copy);
    return sort_stable(s->context, copy, terms->count, sizeof *copy, heavier_pod_term, NULL) ? copy : NULL;
}

/* The preferred node affinity terms by weight. Unlike the other preferences Karpenter sorts them with Go's sort.Slice,
 * so that equals among more than 12 terms change places. NULL = out of memory. */
static node_term *sorted_terms(scheduler *s, const node_term_list *terms)
{
    node_term *sorted = arena_alloc(&s->data, terms->count * sizeof *sorted);
    size_t bytes = terms->count * sizeof(uint64_t);
    uint64_t *slots = sorted == NULL ? NULL : mem_alloc(s->context, bytes + 1);
    if (slots == NULL) return NULL;
    for (uint32_t i = 0; i < terms->count; i++)
        slots[i] = (uint64_t)((int64_t)INT32_MAX - terms->items[i].weight) << 32 | i;
    go_sort(slots, terms->count);
    for (uint32_t i = 0; i < terms->count; i++) sorted[i] = terms->items[(uint32_t)slots[i]];
    mem_free(s->context, slots, bytes + 1);
    return sorted;
}

/* strict = the node selector and the first remaining OR-term; full = strict and the remaining preference of the
 * highest weight. */
static bool view_demands(scheduler *s, view *v)
{
    const shape *h = shape_of(s->snapshot, v->class_);
    v->strict = (demand){ EMPTY_SET, NO_ID };
    if (!demand_of_labels(&s->algebra, h->node_selector, &v->strict)) return false;
    if (v->required_first < h->required.count &&
        !demand_of_expressions(&s->algebra, h->required.items[v->required_first].expressions, &v->strict))
        return false;
    v->full = v->strict;
    if (s->settings.ignore_preferences || v->preferred_count == 0) return true;
    return demand_of_expressions(&s->algebra, v->preferred[0].expressions, &v->full);
}

static bool tolerate(scheduler *s, view *v)
{
    v->tolerated = arena_array(&s->data, bits_words(s->templates.count) + 1, sizeof *v->tolerated);
    for (uint32_t t = 0; v->tolerated != NULL && t < s->templates.count; t++) {
        if (taints_tolerated(s->snapshot, v->tolerations, s->templates.items[t].taints)) bits_set(v->tolerated, t);
    }
    return v->tolerated != NULL;
}

/* Computes what depends on the lists of a view. */
static bool complete(scheduler *s, view *v)
{
    if (v->tolerated == NULL && !tolerate(s, v)) return false;
    return view_demands(s, v) && !s->failed && !s->algebra.failed;
}

/* Whether all later views have the same groups. (Tolerations are part of a spread's identity.) */
static bool settled(const scheduler *s, const view *v)
{
    const shape *h = shape_of(s->snapshot, v->class_);
    bool any = false;
    for (uint32_t i = 0; i < v->spread_count && !any; i++) any = v->spread.items[v->spread_left[i]].schedule_anyway;
    return !any && h->required.count - v->required_first <= 1 && v->preferred_count == 0 &&
           v->preferred_affinity.count == 0 && v->preferred_anti.count == 0 &&
           (!s->settings.tolerate_prefer_no_schedule || tolerates_prefer_no_schedule(s, v->tolerations));
}

static uint32_t push_view(scheduler *s, view *v)
{
    v->settled = settled(s, v);
    view *slot = complete(s, v) ? list_push(s->context, &s->pods.views, sizeof *slot) : NULL;
    if (slot == NULL) return mem_refused_id(&s->failed);
    *slot = *v;
    slot->barred_round = 0; /* nodes that rejected the previous step may accept this one */
    return (uint32_t)(s->pods.views.count - 1);
}

static uint32_t *no_groups(scheduler *s, uint32_t count)
{
    uint32_t *list = arena_array(&s->data, count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++) list[i] = NO_ID;
    return list;
}

static bool all_spread(scheduler *s, view *v)
{
    if (v->spread.count == 0) return true;
    v->spread_left = arena_array(&s->data, v->spread.count, sizeof *v->spread_left);
    v->spread_groups = no_groups(s, v->spread.count);
    if (v->spread_left == NULL || v->spread_groups == NULL) return mem_refused(&s->failed);
    while (v->spread_count < v->spread.count) {
        v->spread_left[v->spread_count] = v->spread_count;
        v->spread_count++;
    }
    return true;
}

/* Clears the groups. */
static void disown(view *v)
{
    v->owned = NULL;
    v->owned_count = 0;
    v->updated = v->elsewhere = false;
}

static uint32_t first_view(scheduler *s, uint32_t class_number)
{
    const shape *h = shape_of(s->snapshot, class_number);
    view v = { .class_ = class_number, .next = NO_ID, .tolerations = h->tolerations, .spread = h->spread };
    v.preferred = sorted_terms(s, &h->preferred);
    v.preferred_count = h->preferred.count;
    v.preferred_affinity.items = sorted_copy(s, &h->preferred_affinity);
    v.preferred_affinity.count = h->preferred_affinity.count;
    v.preferred_anti.items = sorted_copy(s, &h->preferred_anti);
    v.preferred_anti.count = h->preferred_anti.count;
    v.affinity_groups = no_groups(s, h->preferred_affinity.count);
    v.anti_groups = no_groups(s, h->preferred_anti.count);
    if (v.affinity_groups == NULL || v.anti_groups == NULL || v.preferred == NULL ||
        v.preferred_affinity.items == NULL || v.preferred_anti.items == NULL)
        return mem_refused_id(&s->failed);
    if (v.spread.count == 0) v.spread = s->pods.classes[class_number].default_spread;
    return all_spread(s, &v) ? push_view(s, &v) : NO_ID;
}

/* The view of a class for which a class with the same rules has a view: it shares lists and groups. */
static uint32_t view_like(scheduler *s, uint32_t class_number)
{
    class_state *c = &s->pods.classes[class_number];
    const class_state *like = &s->pods.classes[c->like];
    view *slot = list_push(s->context, &s->pods.views, sizeof *slot);
    if (slot == NULL) return mem_refused_id(&s->failed);
    *slot = s->pods.views.items[like->first_view];
    slot->barred_round = 0;
    slot->class_ = class_number;
    slot->next = NO_ID;
    if (slot->updated && c->tracked) {
        c->registered = true;
        c->inverse_owned = like->inverse_owned;
        c->inverse_count = like->inverse_count;
    } else {
        disown(slot);
    }
    return (uint32_t)(s->pods.views.count - 1);
}

uint32_t view_of_class(scheduler *s, uint32_t class_number)
{
    class_state *c = &s->pods.classes[class_number];
    if (c->first_view != NO_ID) return c->first_view;
    bool known = c->like != class_number && s->pods.classes[c->like].first_view != NO_ID;
    c->first_view = known ? view_like(s, class_number) : first_view(s, class_number);
    return c->first_view;
}

/* Drops the first ScheduleAnyway constraint. As in the peer, the last constraint takes its place. */
static bool drop_spread(scheduler *s, view *v)
{
    uint32_t first = 0;
    while (first < v->spread_count && !v->spread.items[v->spread_left[first]].schedule_anyway) first++;
    if (first == v->spread_count) return false;
    uint32_t *left = arena_array(&s->data, v->spread_count, sizeof *left);
    if (left == NULL) return mem_refused(&s->failed);
    memcpy(left, v->spread_left, v->spread_count * sizeof *left);
    left[first] = left[--v->spread_count];
    v->spread_left = left;
    v->gave_up = "topology spread constraint (ScheduleAnyway)";
    return true;
}

/* One step of the relaxation ladder, on a copy; false = nothing left to relax. Karpenter never returns to an OR-term
 * that it has dropped. So a pod may fail although an earlier term would do without a preference. Without the
 * quirk, each dropped preference brings all terms back. */
static bool give_up(scheduler *s, view *v)
{
    const shape *h = shape_of(s->snapshot, v->class_);
    if (h->required.count - v->required_first > 1) {
        v->required_first++;
        v->gave_up = "required node affinity term";
        return true;
    }
    if (v->preferred_affinity.count > 0) {
        v->preferred_affinity.items++;
        v->affinity_groups++;
        v->preferred_affinity.count--;
        v->gave_up = "preferred pod affinity";
    } else if (v->preferred_anti.count > 0) {
        v->preferred_anti.items++;
        v->anti_groups++;
        v->preferred_anti.count--;
        v->gave_up = "preferred pod anti-affinity";
    } else if (v->preferred_count > 0) {
        v->preferred++;
        v->preferred_count--;
        v->gave_up = "preferred node affinity";
    } else if (!drop_spread(s, v)) {
        if (!s->settings.tolerate_prefer_no_schedule || tolerates_prefer_no_schedule(s, v->tolerations)) return false;
        v->gave_up = "PreferNoSchedule taints";
        if (!add_prefer_no_schedule(s, &v->tolerations)) return false;
        v->tolerated = NULL;
    }
    if (!quirk(s, 21)) v->required_first = 0;
    return true;
}

/* Terms and tolerations are part of a spread's identity. When they change, it has a different group. */
static bool regroup(scheduler *s, const view *before, view *v)
{
    bool same = v->required_first == before->required_first && v->tolerations.items == before->tolerations.items;
    if (same || v->spread_count == 0 || !quirk(s, 5)) return true;
    v->spread_groups = no_groups(s, v->spread.count);
    s->failed = s->failed || v->spread_groups == NULL;
    return !s->failed;
}

uint32_t view_relax(scheduler *s, uint32_t view_number)
{
    uint32_t next = s->pods.views.items[view_number].next;
    if (next != NO_ID) return next;
    view v = s->pods.views.items[view_number];
    v.step++;
    v.typeless_known = false;
    disown(&v);
    bool more = give_up(s, &v) && regroup(s, &s->pods.views.items[view_number], &v);
    next = more ? push_view(s, &v) : s->failed ? NO_ID : LAST_VIEW;
    s->pods.views.items[view_number].next = next;
    return next;
}

uint32_t view_after(scheduler *s, uint32_t class_number, uint32_t step)
{
    uint32_t number = view_of_class(s, class_number);
    while (number != NO_ID && s->pods.views.items[number].step < step) {
        uint32_t next = s->pods.views.items[number].next;
        if (next == NO_ID || next == LAST_VIEW) break;
        number = next;
    }
    return number;
}
