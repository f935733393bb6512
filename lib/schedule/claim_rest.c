/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/claim_rest.h>

#include <base/sort.h>
#include <string.h>

enum {
    FEW_CLASSES = 16, /* with fewer, or … */
    FEW_PODS = 16, /* … with fewer pods to a class, asking is as quick */
    LEAST_AHEAD = 4, /* how far a claim looks ahead: at first so many sizes, … */
    MOST_AHEAD = 64 /* … then as many as it has rested for, and at most so many */
};

static int by_size(uint32_t x, uint32_t y, const void *user)
{
    const class_state *classes = user;
    const int64_t *a = classes[x].requests, *b = classes[y].requests;
    if (a[RESOURCE_CPU] != b[RESOURCE_CPU]) return a[RESOURCE_CPU] > b[RESOURCE_CPU] ? -1 : 1;
    if (a[RESOURCE_MEMORY] != b[RESOURCE_MEMORY]) return a[RESOURCE_MEMORY] > b[RESOURCE_MEMORY] ? -1 : 1;
    return 0;
}

/* All classes by size, once for all rounds. */
static bool order_classes(scheduler *s)
{
    uint32_t count = s->snapshot->class_count;
    if (s->turns.by_size != NULL) return true;
    s->turns.of_class = arena_array(&s->data, count, sizeof *s->turns.of_class);
    s->turns.by_size = arena_array(&s->data, count, sizeof *s->turns.by_size);
    if (s->turns.of_class == NULL || s->turns.by_size == NULL) return false;
    for (uint32_t c = 0; c < count; c++) s->turns.by_size[c] = c;
    return sort_ids(s->context, s->turns.by_size, count, by_size, s->classes);
}

bool rest_begin_round(scheduler *s, uint32_t entered)
{
    s->turns.count = 0;
    if (entered < FEW_CLASSES || s->pod_count / FEW_PODS < entered) return true;
    s->turns.sizes = arena_array(&s->round_data, (size_t)entered * s->dims, sizeof *s->turns.sizes);
    if (s->turns.sizes == NULL || !order_classes(s)) return false;
    for (uint32_t i = 0; i < s->snapshot->class_count; i++) {
        uint32_t c = s->turns.by_size[i];
        if (s->entered[c] != s->round) continue;
        memcpy(s->turns.sizes + (size_t)s->turns.count * s->dims, s->classes[c].requests,
               s->dims * sizeof *s->turns.sizes);
        s->turns.of_class[c] = s->turns.count++;
    }
    return true;
}

uint32_t rest_turn(const scheduler *s, uint32_t class_number)
{
    return s->turns.count == 0 ? NO_ID : s->turns.of_class[class_number];
}

static bool has_room(const scheduler *s, const claim *c, const int64_t *size)
{
    const typeset *ts = &s->typesets.items[c->types];
    const int64_t *rooms = s->templates[ts->template_].room;
    for (uint32_t i = 0; i < ts->maximal_count; i++) {
        const int64_t *room = rooms + (size_t)ts->maximal[i] * s->dims;
        uint32_t d = 0;
        while (d < s->dims && size[d] <= room[d] - c->requests[d]) d++;
        if (d == s->dims) return true;
    }
    return false;
}

void rest_from_now(const scheduler *s, claim *c, uint32_t turn)
{
    if (turn == NO_ID) return;
    if (c->rest.to != turn) c->rest = (struct rest){ turn, turn };
    uint32_t ahead = c->rest.to - c->rest.from, left = s->turns.count - turn - 1;
    if (ahead < LEAST_AHEAD) ahead = LEAST_AHEAD;
    if (ahead > MOST_AHEAD) ahead = MOST_AHEAD;
    if (ahead > left) ahead = left;
    c->rest.to = turn + 1;
    while (ahead-- > 0 && !has_room(s, c, s->turns.sizes + (size_t)c->rest.to * s->dims)) c->rest.to++;
}

uint32_t rest_passes(const scheduler *s, bucket *b, uint32_t turn)
{
    struct rest all = { 0, NO_ID };
    if (rests(&b->rest, turn)) return NO_ID;
    for (uint32_t number = b->first; number != NO_ID; number = s->claims.items[number].next) {
        const struct rest *r = &s->claims.items[number].rest;
        if (!rests(r, turn)) return number;
        if (r->from > all.from) all.from = r->from;
        if (r->to < all.to) all.to = r->to;
    }
    b->rest = all;
    return NO_ID;
}
