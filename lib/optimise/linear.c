/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/linear.h>

#include <base/context.h>
#include <math.h>
#include <string.h>

#define PAYS 1e-9 /* smallest gain for which a column enters the basis */
#define SMALL 1e-9 /* smallest pivot element */

bool linear_init(linear *l, arena *a, uint32_t rows)
{
    size_t n = rows;
    *l = (linear){ .context = a->context, .rows = rows };
    l->inverse = arena_array(a, n * n + 1, sizeof *l->inverse);
    l->level = arena_array(a, n + 1, sizeof *l->level);
    l->paid = arena_array(a, n + 1, sizeof *l->paid);
    l->direction = arena_array(a, n + 1, sizeof *l->direction);
    l->y = arena_array(a, n + 1, sizeof *l->y);
    l->basis = arena_array(a, n + 1, sizeof *l->basis);
    if (l->basis != NULL) memset(l->basis, 0xff, n * sizeof *l->basis);
    return l->inverse != NULL && l->level != NULL && l->paid != NULL && l->direction != NULL && l->y != NULL &&
           l->basis != NULL;
}

void linear_free(linear *l)
{
    list_free(l->context, &l->columns, sizeof *l->columns.items);
    list_free(l->context, &l->entries, sizeof *l->entries.items);
}

void linear_start(linear *l, uint32_t row, double need, double price)
{
    l->inverse[(size_t)row * l->rows + row] = 1;
    l->level[row] = need;
    l->paid[row] = price;
}

void linear_start_left_over(linear *l, uint32_t row, double need)
{
    l->inverse[(size_t)row * l->rows + row] = -1;
    l->level[row] = -need;
    l->paid[row] = 0;
}

bool linear_column_add(linear *l, double price)
{
    linear_column *slot = list_push(l->context, &l->columns, sizeof *slot);
    if (slot != NULL) *slot = (linear_column){ .first = l->entries.count, .price = price };
    return slot != NULL;
}

bool linear_entry_add(linear *l, uint32_t row, double value)
{
    linear_entry *slot = list_push(l->context, &l->entries, sizeof *slot);
    if (slot == NULL) return false;
    *slot = (linear_entry){ .row = row, .amount = value };
    l->columns.items[l->columns.count - 1].count++;
    return true;
}

static void find_prices(linear *l)
{
    memset(l->y, 0, l->rows * sizeof *l->y);
    l->cost = 0;
    for (uint32_t i = 0; i < l->rows; i++) {
        const double *inverse = l->inverse + (size_t)i * l->rows;
        for (uint32_t j = 0; l->paid[i] != 0 && j < l->rows; j++) l->y[j] += l->paid[i] * inverse[j];
        l->cost += l->paid[i] * l->level[i];
    }
}

static double gain_of(const linear *l, const linear_column *c)
{
    double sum = -c->price;
    for (uint32_t i = 0; i < c->count; i++) {
        const linear_entry *e = &l->entries.items[c->first + i];
        sum += l->y[e->row] * e->amount;
    }
    return sum;
}

/* The column with the largest gain; UINT32_MAX = none has any. From columns.count on: surplus variables of the rows. */
static uint32_t best_column(const linear *l)
{
    uint32_t best = UINT32_MAX;
    double most = PAYS;
    for (uint32_t r = 0; r < l->rows; r++) {
        if (-l->y[r] > most) most = -l->y[r], best = (uint32_t)l->columns.count + r;
    }
    for (uint32_t i = 0; i < l->columns.count; i++) {
        double gain = gain_of(l, &l->columns.items[i]);
        if (gain > most) most = gain, best = i;
    }
    return best;
}

/* The price of a column, and its gain at the current dual prices. */
static double price_of(const linear *l, uint32_t column)
{
    return column < l->columns.count ? l->columns.items[column].price : 0;
}

static double gain_at(const linear *l, uint32_t column)
{
    return column < l->columns.count ? gain_of(l, &l->columns.items[column]) : -l->y[column - l->columns.count];
}

/* The column in terms of the basis, by row. */
static void find_direction(linear *l, uint32_t column)
{
    for (uint32_t i = 0; i < l->rows; i++) {
        const double *inverse = l->inverse + (size_t)i * l->rows;
        double sum = 0;
        if (column >= l->columns.count) {
            sum = -inverse[column - l->columns.count];
        } else {
            const linear_column *c = &l->columns.items[column];
            const linear_entry *e = l->entries.items + c->first;
            for (uint32_t j = 0; j < c->count; j++) sum += inverse[e[j].row] * e[j].amount;
        }
        l->direction[i] = sum;
    }
}

/* The row that limits the entering column; UINT32_MAX = none. Of equal rows, the one with the largest pivot element. */
static uint32_t limiting_row(const linear *l)
{
    uint32_t row = UINT32_MAX;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < l->rows; i++) {
        if (!(l->direction[i] > SMALL)) continue;
        double length = l->level[i] / l->direction[i];
        bool equal = row != UINT32_MAX && fabs(length - least) <= 1e-12;
        if (equal ? l->direction[i] > l->direction[row] : length < least) least = length, row = i;
    }
    return row;
}

static void subtract(double *restrict from, const double *restrict what, double times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) from[i] -= times * what[i];
}

static void exchange(linear *l, uint32_t row, uint32_t column)
{
    double price = price_of(l, column), gain = gain_at(l, column);
    uint32_t n = l->rows;
    double *pivot = l->inverse + (size_t)row * n, length = l->level[row] / l->direction[row];
    for (uint32_t j = 0; j < n; j++) pivot[j] /= l->direction[row];
    subtract(l->y, pivot, gain, n);
    for (uint32_t i = 0; i < n; i++) {
        double times = l->direction[i];
        if (i == row || fabs(times) <= 1e-12) continue;
        double left = l->level[i] - length * times;
        l->level[i] = left > 0 ? left : 0;
        subtract(l->inverse + (size_t)i * n, pivot, times, n);
    }
    l->level[row] = length;
    l->paid[row] = price;
    l->basis[row] = column < l->columns.count ? column : UINT32_MAX;
}

bool linear_solve(linear *l, uint64_t most)
{
    bool ended = false;
    find_prices(l);
    for (; l->exchanges < most && !ended; l->exchanges++) {
        uint32_t column = best_column(l);
        if (column == UINT32_MAX) break;
        if (!mem_work(l->context, l->rows * (size_t)l->rows)) return false;
        if (l->context->stop_noted) break;
        find_direction(l, column);
        uint32_t row = limiting_row(l);
        ended = row == UINT32_MAX;
        if (!ended) exchange(l, row, column);
    }
    find_prices(l);
    return true;
}
