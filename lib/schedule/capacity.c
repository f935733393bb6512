/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which variants of a template have enough capacity. Every variant has CPU, memory and pods. Most variants lack most
 * other resources. For those there is an index of the variants that have some, so that resources which every type
 * lacks cost nothing.
 */
#include <schedule/capacity.h>

#include <base/bisect.h>
#include <base/bits.h>
#include <base/sort.h>
#include <schedule/scheduler.h>
#include <schedule/types.h>

/* The variants of a template sorted by their free capacity of one resource. Those with enough of it are at the end of
 * the order. There is a mask of the rest of the order at every STRIDE positions; variants in between are cleared one by
 * one. */
enum { STRIDE = 16 };

/* The order for one resource. */
struct capacity_order {
    int64_t *spaces; /* free capacities, ascending */
    uint32_t *variants; /* the variant with each of them */
    uint64_t *masks; /* [position / STRIDE * words]: the variants from that position on */
};

/* ---- variants by resource ---------------------------------------------------------------------------------------- */

/* Variants that the template has filtered out have no space. Most templates never need to say so. */
static void complete_spaces(const scheduler *s, const template_ *t)
{
    size_t width = t->table->variant_count, dims = s->vectors.dims;
    if (t->capacity->complete) return;
    for (size_t v = 0; v < width; v++) {
        if (!bits_test(t->filtered, v)) memset(t->space + v * dims, 0, dims * sizeof *t->space);
    }
    t->capacity->complete = true;
}

static bool has_some(const scheduler *s, const template_ *t, uint32_t variant_number, uint32_t dim)
{
    return t->space[(size_t)variant_number * s->vectors.dims + dim] > 0;
}

/* An index in both directions: the variants of each sparse resource, and the sparse resources of each variant. */
static bool list_holders(scheduler *s, const template_ *t, struct capacity *c)
{
    uint32_t width = t->table->variant_count, dims = s->vectors.dims;
    size_t total = 0;
    c->holder_first = arena_array(&s->data, dims + (size_t)2, sizeof *c->holder_first);
    c->dim_first = arena_array(&s->data, width + (size_t)2, sizeof *c->dim_first);
    if (c->holder_first == NULL || c->dim_first == NULL) return false;
    complete_spaces(s, t);
    for (uint32_t v = 0; v < width; v++) {
        for (uint32_t d = CAPACITY_DENSE; d < dims; d++) {
            bool some = has_some(s, t, v, d);
            c->holder_first[d + 2] += some;
            total += some;
        }
    }
    for (uint32_t d = 2; d < dims + 2; d++) c->holder_first[d] += c->holder_first[d - 1];
    c->holders = arena_array(&s->data, total + 1, sizeof *c->holders);
    c->dims = arena_array(&s->data, total + 1, sizeof *c->dims);
    if (c->holders == NULL || c->dims == NULL) return false;
    total = 0;
    for (uint32_t v = 0; v < width; v++) {
        for (uint32_t d = CAPACITY_DENSE; d < dims; d++) {
            if (!has_some(s, t, v, d)) continue;
            c->holders[c->holder_first[d + 1]++] = v;
            c->dims[total++] = d;
        }
        c->dim_first[v + 1] = (uint32_t)total;
    }
    return true;
}

bool capacity_init(scheduler *s, template_ *t)
{
    struct capacity *c = t->capacity = arena_array(&s->data, 1, sizeof *c);
    if (c == NULL) return false;
    c->orders = arena_array(&s->data, s->vectors.dims, sizeof *c->orders);
    if (c->orders == NULL) return false;
    size_t words_ = template_words(t);
    if (words_ > s->templates.scratch_words) {
        s->templates.scratch = arena_array(&s->data, words_, sizeof *s->templates.scratch);
        s->templates.scratch_words = words_;
    }
    if (s->templates.scratch == NULL && words_ > 0) return false;
    return s->vectors.dims <= CAPACITY_DENSE || list_holders(s, t, c);
}

bool variant_fits(const scheduler *s, const template_ *t, uint32_t variant_number, const int64_t *total)
{
    return vector_within(total, t->space + (size_t)variant_number * s->vectors.dims, s->vectors.dims);
}

bool variant_covers(const scheduler *s, const template_ *t, uint32_t variant_number, uint32_t other)
{
    const int64_t *mine = t->space + (size_t)variant_number * s->vectors.dims;
    const int64_t *theirs = t->space + (size_t)other * s->vectors.dims;
    if (!vector_within(theirs, mine, CAPACITY_DENSE)) return false;
    if (s->vectors.dims <= CAPACITY_DENSE) return true;
    const struct capacity *c = t->capacity;
    for (uint32_t i = c->dim_first[other]; i < c->dim_first[other + 1]; i++) {
        if (theirs[c->dims[i]] > mine[c->dims[i]]) return false;
    }
    return true;
}

/* ---- types by capacity ------------------------------------------------------------------------------------------- */

struct by_space {
    const int64_t *spaces;
    uint32_t dims;
};

static int smaller_space(uint32_t x, uint32_t y, const void *user)
{
    const struct by_space *b = user;
    int64_t rx = b->spaces[(size_t)x * b->dims], ry = b->spaces[(size_t)y * b->dims];
    return rx < ry ? -1 : rx > ry;
}

static bool make_order(scheduler *s, const template_ *t, uint32_t dim, struct capacity_order *o)
{
    uint32_t width = t->table->variant_count;
    size_t words_ = template_words(t), masks = width / STRIDE + (size_t)1;
    o->spaces = arena_array(&s->data, width + (size_t)1, sizeof *o->spaces);
    o->variants = arena_array(&s->data, width + (size_t)1, sizeof *o->variants);
    o->masks = arena_array(&s->data, masks * words_ + 1, sizeof *o->masks);
    if (o->spaces == NULL || o->variants == NULL || o->masks == NULL) return false;
    for (uint32_t v = 0; v < width; v++) o->variants[v] = v;
    struct by_space user = { t->space + dim, s->vectors.dims };
    complete_spaces(s, t);
    if (!sort_ids(s->context, o->variants, width, smaller_space, &user)) return false;
    for (uint32_t i = width; i-- > 0;) {
        uint32_t v = o->variants[i];
        o->spaces[i] = t->space[(size_t)v * s->vectors.dims + dim];
        uint64_t *mask = o->masks + (i / STRIDE) * words_;
        if (i % STRIDE == STRIDE - 1 && i + 1 < width) bits_or(mask, mask + words_, words_);
        bits_set(mask, v);
    }
    return true;
}

static const struct capacity_order *order_of(scheduler *s, template_ *t, uint32_t dim)
{
    struct capacity *c = t->capacity;
    if (c->orders[dim].spaces == NULL && !make_order(s, t, dim, &c->orders[dim])) return mem_refused_null(&s->failed);
    return &c->orders[dim];
}

/* The first position with at least that much space. */
static uint32_t first_with(const struct capacity_order *o, uint32_t width, int64_t least)
{
    bisection b = bisect(width);
    while (bisecting(&b)) bisect_step(&b, o->spaces[b.at] < least);
    return (uint32_t)b.at;
}

static void keep_enough(const struct capacity_order *o, uint32_t width, int64_t least, uint64_t *bits)
{
    uint32_t first = first_with(o, width, least);
    bits_and(bits, o->masks + (first / STRIDE) * bits_words(width), bits_words(width));
    for (uint32_t i = first / STRIDE * STRIDE; i < first; i++) bits_clear(bits, o->variants[i]);
}

/* For a resource that few variants have. */
static void keep_holders(scheduler *s, const template_ *t, uint32_t dim, int64_t least, uint64_t *bits)
{
    holders h = capacity_holders(t, dim);
    uint64_t *left = s->templates.scratch;
    memset(left, 0, template_words(t) * sizeof *left);
    for (uint32_t i = 0; i < h.count; i++) {
        uint32_t v = h.variants[i];
        if (t->space[(size_t)v * s->vectors.dims + dim] >= least) bits_set(left, v);
    }
    bits_and(bits, left, template_words(t));
}

/* With few resources, variants are checked one by one so many times before it is worth making the orders. */
enum { FEW_LOOKUPS = 64, FEW_DIMS = 8 };

static void keep_fitting(const scheduler *s, const template_ *t, const int64_t *total, uint64_t *bits)
{
    size_t width = t->table->variant_count;
    for (size_t v = bits_next(bits, width, 0); v < width; v = bits_next(bits, width, v + 1)) {
        const int64_t *space = t->space + v * s->vectors.dims;
        bool fits = true;
        for (uint32_t d = 0; d < s->vectors.dims; d++)
            fits = fits && (total[d] <= space[d] || (d >= CAPACITY_DENSE && total[d] <= 0));
        if (!fits) bits_clear(bits, v);
    }
}

void capacity_filter(scheduler *s, template_ *t, const int64_t *total, uint64_t *bits)
{
    uint32_t width = t->table->variant_count;
    if (s->vectors.dims <= FEW_DIMS && t->capacity->lookups < FEW_LOOKUPS) {
        t->capacity->lookups++;
        keep_fitting(s, t, total, bits);
        return;
    }
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        bool sparse = d >= CAPACITY_DENSE && capacity_holders(t, d).count < width / 4;
        if (d >= CAPACITY_DENSE && total[d] <= 0) continue; /* variants with a negative amount are not in the set */
        const struct capacity_order *o = sparse ? NULL : order_of(s, t, d);
        if (s->failed) return;
        if (sparse) keep_holders(s, t, d, total[d], bits);
        else keep_enough(o, width, total[d], bits);
    }
}
