/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/claims.h>

#include <base/go_sort.h>
#include <schedule/scheduler.h>
#include <string.h>

/*
 * The slice is sorted, and then one claim receives a pod. If a claim with its old pod count follows, the slice has one
 * inversion. With up to 12 claims, Go's sort moves the grown claim behind those. From 50 claims on it does the same,
 * unless it notices the inversion while it looks for a pivot, at three neighbours around each quarter. Otherwise it
 * partitions, and equals change places. A new claim comes from the end, where Go does not look for a pivot.
 */

static claim *at(scheduler *s, uint32_t number) { return &s->claims.list.items[number]; }

void slice_clear(scheduler *s) { s->claims.slice = (struct claim_slice){ .first = NO_ID }; }

/* Makes room for claims with up to that many pods, and for sorting. */
static bool make_room(scheduler *s, uint32_t pods)
{
    struct claim_slice *l = &s->claims.slice;
    uint32_t wanted = l->last_count == 0 ? 64 : l->last_count, slots = l->slot_count == 0 ? 64 : l->slot_count;
    while (wanted <= pods) wanted *= 2;
    while (slots < l->count) slots *= 2;
    if (wanted > l->last_count) {
        uint32_t *wider = arena_array(&s->round.data, wanted, sizeof *wider);
        s->failed = s->failed || wider == NULL;
        if (wider == NULL) return false;
        if (l->last_count > 0) memcpy(wider, l->last, l->last_count * sizeof *wider);
        for (uint32_t i = l->last_count; i < wanted; i++) wider[i] = NO_ID;
        l->last = wider;
        l->last_count = wanted;
    }
    if (slots > l->slot_count) {
        l->slots = arena_array(&s->round.data, slots, sizeof *l->slots);
        s->failed = s->failed || l->slots == NULL;
        l->slot_count = l->slots == NULL ? 0 : slots;
    }
    return !s->failed;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void take_out(scheduler *s, claim *c)
{
    if (c->before == NO_ID) s->claims.slice.first = c->after;
    else at(s, c->before)->after = c->after;
    if (c->after != NO_ID) at(s, c->after)->before = c->before;
}

/* Puts the claim behind another; NO_ID = at the start. */
static void put_behind(scheduler *s, claim *c, uint32_t number, uint32_t other)
{
    uint32_t *link = other == NO_ID ? &s->claims.slice.first : &at(s, other)->after;
    c->before = other;
    c->after = *link;
    *link = number;
    if (c->after != NO_ID) at(s, c->after)->before = number;
}

static bool precedes(const claim *a, const claim *b)
{
    return a->pods < b->pods || (a->pods == b->pods && a->stamp < b->stamp);
}

static void find_quarters(scheduler *s)
{
    struct claim_slice *l = &s->claims.slice;
    uint32_t number = l->first, index = 0;
    for (uint32_t i = 0; i < SLICE_QUARTERS; i++) {
        for (; index < (i + 1) * (l->count / 4); index++) number = at(s, number)->after;
        l->quarters[i] = number;
    }
}

/* Whether Go looks at the claim, or at it and the next one, for a pivot. */
static bool noticed(scheduler *s, uint32_t number)
{
    for (uint32_t i = 0; i < SLICE_QUARTERS; i++) {
        uint32_t quarter = s->claims.slice.quarters[i];
        if (number == quarter || number == at(s, quarter)->before) return true;
    }
    return false;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static void sort_all(scheduler *s)
{
    struct claim_slice *l = &s->claims.slice;
    uint32_t n = 0, before = NO_ID;
    for (uint32_t number = l->first; number != NO_ID; number = at(s, number)->after)
        l->slots[n++] = (uint64_t)at(s, number)->pods << 32 | number;
    go_sort(l->slots, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = (uint32_t)l->slots[i];
        claim *c = at(s, number);
        c->before = before;
        c->after = i + 1 < n ? (uint32_t)l->slots[i + 1] : NO_ID;
        c->stamp = i;
        l->last[c->pods] = before = number;
    }
    l->first = (uint32_t)l->slots[0];
    s->claims.front_stamp = 0;
    s->claims.back_stamp = n;
    if (n >= GO_SORT_LONG) find_quarters(s);
}

void slice_sort_again(scheduler *s)
{
    struct claim_slice *l = &s->claims.slice;
    if (!s->settings.peer_order || l->count == 0) return;
    for (uint32_t i = 0; i < l->last_count; i++) l->last[i] = NO_ID;
    sort_all(s);
}

bool slice_sort_grown(scheduler *s, uint32_t number)
{
    struct claim_slice *l = &s->claims.slice;
    claim *c = at(s, number);
    uint32_t had = c->pods - 1;
    if (!make_room(s, c->pods)) return false;
    if (l->last[had] == number) {
        bool more = c->before != NO_ID && at(s, c->before)->pods == had;
        l->last[had] = more ? c->before : NO_ID;
    } else if (l->count <= GO_SORT_SHORT || (l->count >= GO_SORT_LONG && !noticed(s, number))) {
        bool passed[SLICE_QUARTERS] = { false };
        for (uint32_t i = 0; i < SLICE_QUARTERS && l->count >= GO_SORT_LONG; i++) {
            const claim *quarter = at(s, l->quarters[i]);
            passed[i] = quarter->pods == had && c->stamp < quarter->stamp;
        }
        take_out(s, c);
        put_behind(s, c, number, l->last[had]);
        for (uint32_t i = 0; i < SLICE_QUARTERS; i++) {
            if (passed[i]) l->quarters[i] = at(s, l->quarters[i])->after;
        }
    } else {
        sort_all(s);
        return true;
    }
    if (l->last[c->pods] == NO_ID) l->last[c->pods] = number;
    c->stamp = --s->claims.front_stamp;
    return false;
}

/* One claim more, which is in its place. */
static void keep_quarters(scheduler *s, const claim *c)
{
    struct claim_slice *l = &s->claims.slice;
    bool on = l->count / 4 != (l->count - 1) / 4;
    if (l->count < GO_SORT_LONG) return;
    if (l->count == GO_SORT_LONG) {
        find_quarters(s);
        return;
    }
    for (uint32_t i = 0; i < SLICE_QUARTERS; i++) {
        if (precedes(c, at(s, l->quarters[i]))) l->quarters[i] = at(s, l->quarters[i])->before;
        for (uint32_t k = 0; on && k <= i; k++) l->quarters[i] = at(s, l->quarters[i])->after;
    }
}

bool slice_sort_opened(scheduler *s, uint32_t number)
{
    struct claim_slice *l = &s->claims.slice;
    claim *c = at(s, number);
    l->count++;
    if (!make_room(s, c->pods)) return false;
    c->stamp = ++s->claims.back_stamp;
    put_behind(s, c, number, l->last[1]);
    l->last[1] = number;
    if (c->after != NO_ID && l->count > GO_SORT_SHORT && l->count < GO_SORT_LONG) {
        /* it is the last before the slice is sorted */
        uint32_t end = c->after;
        while (at(s, end)->after != NO_ID) end = at(s, end)->after;
        take_out(s, c);
        put_behind(s, c, number, end);
        sort_all(s);
        return true;
    }
    keep_quarters(s, c);
    return false;
}
