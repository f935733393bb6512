/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/completions.h>

#include <base/sort.h>

enum { MOST_CELLS = 1 << 11, MOST_NUMBERS = 1 << 20, MOST_SCARCE = 64, LEAST_WIDTH = 16 };

bool completions_init(completions *x, arena *a, uint32_t class_count)
{
    size_t most = (class_count + (size_t)1) * MOST_CELLS;
    *x = (completions){ .capacity = most < MOST_NUMBERS ? most : MOST_NUMBERS };
    x->memory = arena_alloc(a, x->capacity * COMPLETION_TABLES * sizeof *x->memory);
    return x->memory != NULL;
}

/* ---- choosing tables --------------------------------------------------------------------------------------------- */

static double price_of(const load_form *f, uint32_t field) { return f->rates[field] * (double)f->full[field]; }

static void find_scarce(completions *x)
{
    const load_form *f = x->form;
    uint64_t least = MOST_SCARCE;
    x->scarce = UINT32_MAX;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->full[i] >= least) continue;
        least = f->full[i];
        x->scarce = i;
    }
}

/* A table for each of the fields with the highest prices. */
static void choose_fields(completions *x)
{
    const load_form *f = x->form;
    for (x->table_count = 0; x->table_count < COMPLETION_TABLES; x->table_count++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < f->count; i++) {
            if (i == x->scarce || !(price_of(f, i) > 0) || ids_have(x->field, x->table_count, i)) continue;
            if (best == UINT32_MAX || price_of(f, i) > price_of(f, best)) best = i;
        }
        if (best == UINT32_MAX) return;
        x->field[x->table_count] = best;
    }
}

/* The amounts of the scarce field. */
static size_t rows_of(const completions *x)
{
    return x->scarce != UINT32_MAX ? (size_t)x->form->full[x->scarce] + 1 : 1;
}

static double *table_of(const completions *x, uint32_t table) { return x->memory + table * x->capacity; }

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* The option of one more lot of copies, which takes this much of both fields. */
static void add_lot(double *now, size_t rows, size_t width, size_t scarce, size_t coarse, double gain)
{
    if (scarce >= rows || coarse >= width) return;
    for (size_t s = rows; s-- > scarce;) {
        double *to = now + s * width + coarse;
        const double *from = now + (s - scarce) * width;
        for (size_t i = width - coarse; i-- > 0;) {
            double with = from[i] + gain;
            to[i] = to[i] > with ? to[i] : with;
        }
    }
}

static void add_copies(completions *x, uint32_t table, const completion_classes *c, uint32_t class_, double gain,
                       double *now)
{
    const load_form *f = x->form;
    size_t rows = rows_of(x), width = x->width[table];
    size_t coarse = (size_t)(load_field(f, c->load[class_], x->field[table]) >> x->shift[table]);
    size_t scarce = x->scarce != UINT32_MAX ? (size_t)load_field(f, c->load[class_], x->scarce) : 0;
    size_t left = (size_t)c->most[class_];
    if (scarce == 0 && coarse == 0) { /* they take no room */
        for (size_t i = 0; i < rows * width; i++) now[i] += gain * (double)left;
        x->work += rows * width / 8;
        return;
    }
    for (size_t lot = 1; left > 0; lot *= 2) { /* lots of 1, 2, 4 … and a rest add up to any number */
        size_t n = lot < left ? lot : left;
        add_lot(now, rows, width, scarce * n, coarse * n, gain * (double)n);
        x->work += rows * width / 8;
        left -= n;
    }
}

static void fill_table(completions *x, uint32_t table, const completion_classes *c)
{
    const load_form *f = x->form;
    size_t cells = rows_of(x) * x->width[table];
    double *now = table_of(x, table) + c->count * cells;
    memset(now, 0, cells * sizeof *now);
    for (uint32_t i = c->count; i-- > 0;) {
        uint32_t class_ = c->items[i];
        double gain = c->worth[class_];
        for (uint32_t e = 0; e < f->count; e++) {
            if (e != x->field[table] && e != x->scarce) gain -= f->rates[e] * (double)load_field(f, c->load[class_], e);
        }
        memcpy(now - cells, now, cells * sizeof *now);
        now -= cells;
        if (gain > 0) add_copies(x, table, c, class_, gain, now);
        x->work += cells / 16;
    }
}

void completions_make(completions *x, const load_form *form, const completion_classes *c, uint32_t cells)
{
    x->form = form;
    x->work = 0;
    find_scarce(x);
    choose_fields(x);
    size_t rows = rows_of(x), most = cells < MOST_CELLS ? cells : MOST_CELLS;
    if (most > x->capacity / (c->count + (size_t)1)) most = x->capacity / (c->count + (size_t)1);
    size_t width = most / rows;
    if (width < LEAST_WIDTH) x->table_count = 0;
    for (uint32_t t = 0; t < x->table_count; t++) {
        uint64_t full = form->full[x->field[t]];
        x->shift[t] = 0;
        while (full >> x->shift[t] >= width) x->shift[t]++;
        x->width[t] = (uint32_t)(full >> x->shift[t]) + 1;
        fill_table(x, t, c);
    }
}

double completions_worth(const completions *x, uint32_t from, uint64_t load)
{
    const load_form *f = x->form;
    uint64_t left[LOAD_FIELDS];
    double paid = 0, least = 0;
    for (uint32_t e = 0; e < f->count; e++) {
        left[e] = f->full[e] - load_field(f, load, e);
        if (e != x->scarce) paid += f->rates[e] * (double)left[e];
    }
    for (uint32_t t = 0; t < x->table_count; t++) {
        uint32_t field = x->field[t];
        size_t row = x->scarce != UINT32_MAX ? (size_t)left[x->scarce] : 0;
        size_t at = (from * rows_of(x) + row) * x->width[t] + (size_t)(left[field] >> x->shift[t]);
        double worth = table_of(x, t)[at] + paid - f->rates[field] * (double)left[field];
        if (t == 0 || worth < least) least = worth;
    }
    return least;
}
