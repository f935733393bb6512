/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/capacity_order.h>

#include <base/bits.h>
#include <base/sort.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>

/* A mask for every so many places; what lies between is taken out one by one. */
enum { STRIDE = 16 };

/* One resource. */
struct capacity_order {
    int64_t *rooms; /* rising */
    uint32_t *variants; /* whose they are */
    uint64_t *masks; /* [place / STRIDE * words]: the variants from that place on */
};

struct by_room {
    const int64_t *rooms;
    uint32_t dims;
};

static int smaller_room(uint32_t x, uint32_t y, const void *user)
{
    const struct by_room *b = user;
    int64_t rx = b->rooms[(size_t)x * b->dims], ry = b->rooms[(size_t)y * b->dims];
    return rx < ry ? -1 : rx > ry;
}

static bool make_order(scheduler *s, const template_ *t, uint32_t dim, struct capacity_order *o)
{
    uint32_t width = t->table->variant_count;
    size_t words_ = template_words(t), masks = width / STRIDE + (size_t)1;
    o->rooms = arena_array(&s->data, width + (size_t)1, sizeof *o->rooms);
    o->variants = arena_array(&s->data, width + (size_t)1, sizeof *o->variants);
    o->masks = arena_array(&s->data, masks * words_ + 1, sizeof *o->masks);
    if (o->rooms == NULL || o->variants == NULL || o->masks == NULL) return false;
    for (uint32_t v = 0; v < width; v++) o->variants[v] = v;
    struct by_room user = { t->room + dim, s->vectors.dims };
    if (!sort_ids(s->context, o->variants, width, smaller_room, &user)) return false;
    for (uint32_t i = width; i-- > 0;) {
        uint32_t v = o->variants[i];
        o->rooms[i] = t->room[(size_t)v * s->vectors.dims + dim];
        uint64_t *mask = o->masks + (i / STRIDE) * words_;
        if (i % STRIDE == STRIDE - 1 && i + 1 < width) bits_or(mask, mask + words_, words_);
        bits_set(mask, v);
    }
    return true;
}

static bool make_orders(scheduler *s, template_ *t)
{
    struct capacity_order *orders = arena_array(&s->data, s->vectors.dims, sizeof *orders);
    bool ok = orders != NULL;
    for (uint32_t d = 0; d < s->vectors.dims && ok; d++) ok = make_order(s, t, d, &orders[d]);
    if (!ok) s->failed = true;
    else t->capacity_orders = orders;
    return ok;
}

/* The first place with at least that much room. */
static uint32_t first_with(const struct capacity_order *o, uint32_t width, int64_t asked)
{
    uint32_t low = 0, high = width;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (o->rooms[middle] < asked) low = middle + 1;
        else high = middle;
    }
    return low;
}

void capacity_filter(scheduler *s, template_ *t, const int64_t *total, uint64_t *bits)
{
    uint32_t width = t->table->variant_count;
    size_t words_ = template_words(t);
    if (t->capacity_orders == NULL && !make_orders(s, t)) return;
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        const struct capacity_order *o = &t->capacity_orders[d];
        uint32_t first = first_with(o, width, total[d]);
        bits_and(bits, o->masks + (first / STRIDE) * words_, words_);
        for (uint32_t i = first / STRIDE * STRIDE; i < first; i++) bits_clear(bits, o->variants[i]);
    }
}
