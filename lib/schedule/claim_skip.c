/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/claim_skip.h>

#include <base/sort.h>
#include <schedule/scheduler.h>
#include <string.h>

enum {
    FEW_CLASSES = 16, /* with fewer classes, or */
    FEW_PODS = 16, /* with fewer pods per class, checking every claim is as fast */
    LEAST_AHEAD = 4, /* how many sizes ahead a claim is checked initially */
    MOST_AHEAD = 64 /* then as many as it has been skipped for, but at most this many */
};

static int by_size(uint32_t x, uint32_t y, const void *user)
{
    const class_state *classes = user;
    const int64_t *a = classes[x].requests, *b = classes[y].requests;
    if (a[RESOURCE_CPU] != b[RESOURCE_CPU]) return a[RESOURCE_CPU] > b[RESOURCE_CPU] ? -1 : 1;
    if (a[RESOURCE_MEMORY] != b[RESOURCE_MEMORY]) return a[RESOURCE_MEMORY] > b[RESOURCE_MEMORY] ? -1 : 1;
    return 0;
}

/* Sorts all classes by size, once for all rounds. */
static bool order_classes(scheduler *s)
{
    uint32_t count = s->snapshot->class_count;
    if (s->claims.size_ranks.by_size != NULL) return true;
    s->claims.size_ranks.of_class = arena_array(&s->data, count, sizeof *s->claims.size_ranks.of_class);
    s->claims.size_ranks.by_size = arena_array(&s->data, count, sizeof *s->claims.size_ranks.by_size);
    if (s->claims.size_ranks.of_class == NULL || s->claims.size_ranks.by_size == NULL) return false;
    for (uint32_t c = 0; c < count; c++) s->claims.size_ranks.by_size[c] = c;
    return sort_ids(s->context, s->claims.size_ranks.by_size, count, by_size, s->pods.classes);
}

bool skip_begin_round(scheduler *s, uint32_t entered)
{
    s->claims.size_ranks.count = 0;
    if (entered < FEW_CLASSES || s->pods.count / FEW_PODS < entered) return true;
    s->claims.size_ranks.sizes = arena_array(&s->round.data, (size_t)entered * s->vectors.dims,
                                             sizeof *s->claims.size_ranks.sizes);
    if (s->claims.size_ranks.sizes == NULL || !order_classes(s)) return false;
    for (uint32_t i = 0; i < s->snapshot->class_count; i++) {
        uint32_t c = s->claims.size_ranks.by_size[i];
        if (s->pods.entered[c] != s->round.number) continue;
        memcpy(s->claims.size_ranks.sizes + (size_t)s->claims.size_ranks.count * s->vectors.dims,
               s->pods.classes[c].requests, s->vectors.dims * sizeof *s->claims.size_ranks.sizes);
        s->claims.size_ranks.of_class[c] = s->claims.size_ranks.count++;
    }
    return true;
}

uint32_t skip_rank(const scheduler *s, uint32_t class_number)
{
    return s->claims.size_ranks.count == 0 ? NO_ID : s->claims.size_ranks.of_class[class_number];
}

static bool claim_fits(const scheduler *s, const claim *c, const int64_t *size)
{
    const typeset *ts = &s->types.sets.items[c->types];
    const int64_t *spaces = s->templates.items[ts->template_].space;
    for (uint32_t i = 0; i < ts->maximal_count; i++) {
        const int64_t *space = spaces + (size_t)ts->maximal[i] * s->vectors.dims;
        uint32_t d = 0;
        while (d < s->vectors.dims && size[d] <= space[d] - c->requests[d]) d++;
        if (d == s->vectors.dims) return true;
    }
    return false;
}

void skip_from_now(const scheduler *s, claim *c, uint32_t rank)
{
    if (rank == NO_ID) return;
    if (c->skip.to != rank) c->skip = (struct skip_range){ rank, rank };
    uint32_t ahead = c->skip.to - c->skip.from, left = s->claims.size_ranks.count - rank - 1;
    if (ahead < LEAST_AHEAD) ahead = LEAST_AHEAD;
    if (ahead > MOST_AHEAD) ahead = MOST_AHEAD;
    if (ahead > left) ahead = left;
    c->skip.to = rank + 1;
    while (ahead-- > 0 && !claim_fits(s, c, s->claims.size_ranks.sizes + (size_t)c->skip.to * s->vectors.dims))
        c->skip.to++;
}

uint32_t skip_to_first(const scheduler *s, claim_list *b, uint32_t rank)
{
    struct skip_range all = { 0, NO_ID };
    if (skips(&b->skip, rank)) return NO_ID;
    for (uint32_t number = b->first; number != NO_ID; number = s->claims.list.items[number].next) {
        const struct skip_range *r = &s->claims.list.items[number].skip;
        if (!skips(r, rank)) return number;
        if (r->from > all.from) all.from = r->from;
        if (r->to < all.to) all.to = r->to;
    }
    b->skip = all;
    return NO_ID;
}
