/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/certificate.h>

#include <string.h>

enum { MOST_CELLS = 1 << 11, MOST_NUMBERS = 1 << 20, MOST_SCARCE = 64, LEAST_WIDTH = 16 };

static uint64_t field_of(const rest_form *f, uint64_t load, uint32_t field)
{
    return load >> f->at[field] & ((UINT64_C(1) << f->bits[field]) - 1);
}

/* Whether all sums are within the range of int64_t. */
static bool within_range(const rest_form *f, const rest_classes *c)
{
    amount sum = amount_from(0), part;
    int64_t out;
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->count; i++)
        ok = amount_mul(amount_from(f->rates[i]), f->full[i] + 1, &part) && amount_add(sum, part, &sum);
    for (uint32_t i = 0; ok && i < c->count; i++) {
        uint32_t class_ = c->classes[i];
        ok = amount_mul(amount_from(c->y[class_]), (uint64_t)c->room[class_], &part) && amount_add(sum, part, &sum);
    }
    return ok && amount_scale(sum, amount_from(1), &out) && out < INT64_MAX / 4;
}

static void choose_fields(rest_tables *x)
{
    const rest_form *f = &x->form;
    uint64_t least = MOST_SCARCE;
    x->scarce = UINT32_MAX;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->full[i] < least) least = f->full[i], x->scarce = i;
    }
    x->rows = x->scarce != UINT32_MAX ? (size_t)least + 1 : 1;
    for (uint32_t i = 0; i < f->count && x->table_count < REST_TABLES; i++) {
        if (i != x->scarce && f->rates[i] > 0) x->field[x->table_count++] = i;
    }
}

/* Adds the option of `n` more copies, which take so much of both fields. */
static void add_lot(int64_t *now, size_t rows, size_t width, size_t scarce, size_t coarse, int64_t gain)
{
    if (scarce >= rows || coarse >= width) return;
    for (size_t s = rows; s-- > scarce;) {
        int64_t *to = now + s * width + coarse;
        const int64_t *from = now + (s - scarce) * width;
        for (size_t i = width - coarse; i-- > 0;) {
            int64_t with = from[i] + gain;
            if (with > to[i]) to[i] = with;
        }
    }
}

static void add_class(const rest_tables *x, uint32_t t, const rest_classes *c, uint32_t class_, int64_t gain,
                      int64_t *now)
{
    const rest_form *f = &x->form;
    size_t width = x->width[t], left = (size_t)c->room[class_];
    size_t coarse = (size_t)(field_of(f, c->loads[class_], x->field[t]) >> x->shift[t]);
    size_t scarce = x->scarce != UINT32_MAX ? (size_t)field_of(f, c->loads[class_], x->scarce) : 0;
    if (scarce == 0 && coarse == 0) { /* they take no room */
        for (size_t i = 0; i < x->rows * width; i++) now[i] += gain * (int64_t)left;
        return;
    }
    for (size_t lot = 1; left > 0; lot *= 2) { /* lots of 1, 2, 4 … and a rest add up to any number */
        size_t n = lot < left ? lot : left;
        if (scarce * n < x->rows && coarse * n < width)
            add_lot(now, x->rows, width, scarce * n, coarse * n, gain * (int64_t)n);
        left -= n;
    }
}

static void fill_table(const rest_tables *x, uint32_t t, const rest_classes *c)
{
    const rest_form *f = &x->form;
    size_t cells = x->rows * x->width[t];
    int64_t *now = x->most[t] + c->count * cells;
    memset(now, 0, cells * sizeof *now);
    for (uint32_t i = c->count; i-- > 0;) {
        uint32_t class_ = c->classes[i];
        int64_t gain = c->y[class_];
        for (uint32_t e = 0; e < f->count; e++) {
            if (e != x->field[t] && e != x->scarce) gain -= f->rates[e] * (int64_t)field_of(f, c->loads[class_], e);
        }
        memcpy(now - cells, now, cells * sizeof *now);
        now -= cells;
        if (gain > 0) add_class(x, t, c, class_, gain, now);
    }
}

bool rest_make(arena *a, rest_tables *x, const rest_form *form, const rest_classes *c)
{
    *x = (rest_tables){ .form = *form };
    if (!within_range(form, c)) return true;
    choose_fields(x);
    size_t most = MOST_NUMBERS / (c->count + (size_t)1), width = (most < MOST_CELLS ? most : MOST_CELLS) / x->rows;
    if (width < LEAST_WIDTH) x->table_count = 0;
    for (uint32_t t = 0; t < x->table_count; t++) {
        uint64_t full = form->full[x->field[t]];
        while (full >> x->shift[t] >= width) x->shift[t]++;
        x->width[t] = (size_t)(full >> x->shift[t]) + 1;
        x->most[t] = arena_alloc(a, (c->count + (size_t)1) * x->rows * x->width[t] * sizeof *x->most[t]);
        if (x->most[t] == NULL || !mem_work(a->context, c->count * x->rows * x->width[t])) return false;
        fill_table(x, t, c);
    }
    return true;
}

int64_t rest_worth(const rest_tables *x, uint32_t from, uint64_t load)
{
    const rest_form *f = &x->form;
    uint64_t left[REST_FIELDS];
    int64_t paid = 0, least = INT64_MAX;
    for (uint32_t e = 0; x->table_count > 0 && e < f->count; e++) {
        left[e] = f->full[e] - field_of(f, load, e);
        if (e != x->scarce) paid += f->rates[e] * (int64_t)left[e];
    }
    for (uint32_t t = 0; t < x->table_count; t++) {
        uint32_t field = x->field[t];
        size_t row = x->scarce != UINT32_MAX ? (size_t)left[x->scarce] : 0;
        size_t at = (from * x->rows + row) * x->width[t] + (size_t)(left[field] >> x->shift[t]);
        int64_t worth = x->most[t][at] + paid - f->rates[field] * (int64_t)left[field];
        if (worth < least) least = worth;
    }
    return least;
}
