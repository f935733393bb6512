/* SPDX-License-Identifier: Apache-2.0 */
#include <optimise/knapsack.h>

#include <math.h>
#include <string.h>

enum { AT_ZERO, AT_MOST, IN_BASIS };
/* after so many solves the basis is computed from scratch, because rounding errors accumulate */
enum { SOLVES_IN_A_ROW = 32 };

enum { LANE = 4 }; /* number of items that are processed together */

#define ENTERS 1e-10 /* smallest gain of a pivot, relative to the worth of the share of a full node */

bool knapsack_init(knapsack *k, arena *a, uint32_t dims, uint32_t count)
{
    *k = (knapsack){ .dims = dims, .count = count };
    k->dim_of = arena_array(a, dims + (size_t)1, sizeof(uint32_t));
    k->items = arena_array(a, count + (size_t)1, sizeof(uint32_t));
    k->capacity = arena_array(a, dims + 1, sizeof(double));
    k->most = arena_array(a, count + 1, sizeof(double));
    k->shares = arena_array(a, dims + 1, sizeof(double));
    k->inverse = arena_array(a, (size_t)dims * dims + 1, sizeof(double));
    k->level = arena_array(a, dims + 1, sizeof(double));
    k->paid = arena_array(a, dims + 1, sizeof(double));
    k->column = arena_array(a, dims + 1, sizeof(double));
    k->rate = arena_array(a, dims + 1, sizeof(double));
    k->basis = arena_array(a, dims + 1, sizeof(uint32_t));
    k->state = arena_alloc(a, count + 1);
    return k->dim_of != NULL && k->items != NULL && k->capacity != NULL && k->most != NULL && k->shares != NULL &&
           k->inverse != NULL && k->level != NULL && k->paid != NULL && k->column != NULL && k->rate != NULL &&
           k->basis != NULL && k->state != NULL;
}

/* The items, padded with zeros to whole lanes. */
static size_t row_length(size_t count) { return (count + LANE) / LANE * LANE; }

bool knapsack_alloc(knapsack *k, arena *a, uint32_t dims, uint32_t count)
{
    size_t length = row_length(count);
    k->copies = arena_array(a, length, sizeof(double));
    k->surplus = arena_array(a, length, sizeof(double));
    k->rows = arena_array(a, length * (dims + (size_t)2), sizeof(double));
    return k->copies != NULL && k->surplus != NULL && k->rows != NULL;
}

void knapsack_share(knapsack *k, const knapsack *from)
{
    k->copies = from->copies;
    k->surplus = from->surplus;
    k->rows = from->rows;
}

/* The direction in which the surplus of an item in this state is a gain. */
static const double gains[] = { [AT_ZERO] = 1, [AT_MOST] = -1, [IN_BASIS] = 0 };

static double *gain_row(const knapsack *k) { return k->rows + (k->dims + (size_t)1) * row_length(k->count); }

static void set_state(knapsack *k, uint32_t item, uint8_t state)
{
    k->state[item] = state;
    gain_row(k)[item] = gains[state];
}

/* Copies worth, sizes and gains of the items to consecutive rows, since every pivot reads all of them. */
static void fill_rows(knapsack *k)
{
    size_t length = row_length(k->count);
    double *row = k->rows, *gain = gain_row(k);
    for (uint32_t c = 0; c < k->count; c++) row[c] = k->worth[k->items[c]];
    for (uint32_t d = 0; d < k->dims; d++) {
        const double *sizes = k->sizes + k->dim_of[d];
        row += length;
        for (uint32_t c = 0; c < k->count; c++) row[c] = sizes[(size_t)k->items[c] * k->stride];
    }
    for (uint32_t c = 0; c < k->count; c++) gain[c] = gains[k->state[c]];
    for (row = k->rows; row <= gain; row += length) {
        for (size_t c = k->count; c < length; c++) row[c] = 0;
    }
}

static void start(knapsack *k)
{
    memset(k->inverse, 0, (size_t)k->dims * k->dims * sizeof(double));
    memset(k->state, AT_ZERO, k->count);
    k->limited = false;
    for (uint32_t c = 0; c < k->count; c++) k->limited = k->limited || k->most[c] < HUGE_VAL;
    for (uint32_t d = 0; d < k->dims; d++) {
        k->inverse[(size_t)d * k->dims + d] = 1;
        k->level[d] = 1;
        k->paid[d] = 0;
        k->basis[d] = k->count + d;
    }
}

/* The dual prices of the rows for the current basis, which are prices of one unit of each resource. */
static void price_rows(knapsack *k)
{
    for (uint32_t d = 0; d < k->dims; d++) {
        double sum = 0;
        for (uint32_t i = 0; i < k->dims; i++) sum += k->paid[i] * k->inverse[(size_t)i * k->dims + d];
        k->shares[d] = sum;
        k->rate[d] = sum / k->capacity[d];
    }
}

double knapsack_surplus(const knapsack *k, uint32_t item)
{
    const double *sizes = k->sizes + (size_t)k->items[item] * k->stride;
    double left = k->worth[k->items[item]];
    for (uint32_t d = 0; d < k->dims; d++) left -= k->rate[d] * sizes[k->dim_of[d]];
    return left;
}

/* left -= rate × takes, one lane at a time. */
static void pay(double *restrict left, const double *restrict takes, double rate, size_t length)
{
    for (size_t c = 0; c < length; c += LANE) {
        for (size_t i = 0; i < LANE; i++) left[c + i] -= rate * takes[c + i];
    }
}

/* The same for CPU, memory and pods together, the most frequent case. */
static void pay_three(double *restrict left, const double *restrict rows, const double *restrict rate, size_t length)
{
    const double *a = rows + length, *b = a + length, *c = b + length;
    double first = rate[0], second = rate[1], third = rate[2];
    for (size_t n = 0; n < length; n += LANE) {
        for (size_t i = n; i < n + LANE; i++) left[i] = rows[i] - first * a[i] - second * b[i] - third * c[i];
    }
}

static void find_surplus(knapsack *k)
{
    size_t length = row_length(k->count);
    if (k->dims == 3) {
        pay_three(k->surplus, k->rows, k->rate, length);
        return;
    }
    memcpy(k->surplus, k->rows, length * sizeof *k->surplus);
    for (uint32_t d = 0; d < k->dims; d++) pay(k->surplus, k->rows + (d + (size_t)1) * length, k->rate[d], length);
}

/* The largest gain of changing any item. */
static double most_gain(const double *restrict surplus, const double *restrict gain, size_t length)
{
    double most[LANE] = { 0 };
    for (size_t c = 0; c < length; c += LANE) {
        for (size_t i = 0; i < LANE; i++) {
            double of_item = surplus[c + i] * gain[c + i];
            most[i] = most[i] > of_item ? most[i] : of_item;
        }
    }
    double best = most[0];
    for (size_t i = 1; i < LANE; i++) best = best > most[i] ? best : most[i];
    return best;
}

/* The entering variable: an item, or count + d; count + dims = the solution is optimal. */
static uint32_t entering(knapsack *k)
{
    uint32_t best = k->count + k->dims;
    const double *gain = gain_row(k);
    find_surplus(k);
    double most = most_gain(k->surplus, gain, row_length(k->count));
    if (most > ENTERS) {
        for (best = 0; k->surplus[best] * gain[best] < most;) best++;
    } else {
        most = ENTERS;
    }
    for (uint32_t d = 0; d < k->dims; d++) {
        if (-k->shares[d] > most) most = -k->shares[d], best = k->count + d;
    }
    return best;
}

static void column_of(knapsack *k, uint32_t enters)
{
    for (uint32_t i = 0; i < k->dims; i++) {
        const double *row = k->inverse + (size_t)i * k->dims;
        double sum = 0;
        for (uint32_t d = 0; d < k->dims && enters < k->count; d++)
            sum += row[d] * k->sizes[(size_t)k->items[enters] * k->stride + k->dim_of[d]] / k->capacity[d];
        k->column[i] = enters < k->count ? sum : row[enters - k->count];
    }
}

static double most_of(const knapsack *k, uint32_t variable)
{
    return variable < k->count ? k->most[variable] : HUGE_VAL;
}

/* The step length of the entering variable, and the row that limits it; dims = its own bound. */
static double step_length(const knapsack *k, uint32_t enters, double sign, uint32_t *row)
{
    double length = most_of(k, enters);
    *row = k->dims;
    for (uint32_t i = 0; i < k->dims; i++) {
        double change = sign * k->column[i], to;
        if (change > 1e-12) to = k->level[i] / change;
        else if (change < -1e-12) to = (most_of(k, k->basis[i]) - k->level[i]) / -change;
        else continue;
        if (to < length) length = to < 0 ? 0 : to, *row = i;
    }
    return length;
}

static void exchange(knapsack *k, uint32_t row, uint32_t enters, double level)
{
    uint32_t leaves = k->basis[row];
    if (leaves < k->count) set_state(k, leaves, k->level[row] > k->most[leaves] / 2 ? AT_MOST : AT_ZERO);
    double *pivot_row = k->inverse + (size_t)row * k->dims, pivot = k->column[row];
    for (uint32_t d = 0; d < k->dims; d++) pivot_row[d] /= pivot;
    for (uint32_t i = 0; i < k->dims; i++) {
        if (i == row) continue;
        for (uint32_t d = 0; d < k->dims; d++) k->inverse[(size_t)i * k->dims + d] -= k->column[i] * pivot_row[d];
    }
    k->basis[row] = enters;
    k->level[row] = level;
    k->paid[row] = enters < k->count ? k->worth[k->items[enters]] : 0;
    if (enters < k->count) set_state(k, enters, IN_BASIS);
}

/* Writes the result. `best`: the simplex ended at the optimum. */
static void answer(knapsack *k, bool best)
{
    bool changed = !best; /* otherwise the surplus has just been computed */
    k->value = 0;
    for (uint32_t d = 0; d < k->dims; d++) {
        changed = changed || k->shares[d] < 0;
        if (!(k->shares[d] > 0)) k->shares[d] = k->rate[d] = 0;
        k->value += k->shares[d];
    }
    if (changed) find_surplus(k);
    memset(k->copies, 0, k->count * sizeof *k->copies);
    for (uint32_t c = 0; c < k->count && k->limited; c++) {
        if (k->state[c] == AT_MOST) k->copies[c] = k->most[c];
        if (k->surplus[c] > 0 && k->most[c] < HUGE_VAL) k->value += k->surplus[c] * k->most[c];
    }
    for (uint32_t i = 0; i < k->dims; i++) {
        if (k->basis[i] < k->count) k->copies[k->basis[i]] = k->level[i] > 0 ? k->level[i] : 0;
    }
}

uint32_t knapsack_solve(knapsack *k)
{
    if (k->solved++ % SOLVES_IN_A_ROW == 0) {
        start(k);
    } else {
        for (uint32_t i = 0; i < k->dims; i++) {
            if (k->basis[i] < k->count) k->paid[i] = k->worth[k->items[k->basis[i]]];
        }
    }
    fill_rows(k);
    price_rows(k);
    uint32_t tries = 8 * k->dims + 2 * k->count + 16, t = 0;
    bool best = false;
    for (; t < tries; t++) {
        uint32_t enters = entering(k), row;
        best = enters == k->count + k->dims;
        if (best) break;
        bool down = enters < k->count && k->state[enters] == AT_MOST;
        double sign = down ? -1 : 1;
        column_of(k, enters);
        double length = step_length(k, enters, sign, &row);
        if (!(length < HUGE_VAL)) break;
        for (uint32_t i = 0; i < k->dims; i++) k->level[i] -= sign * length * k->column[i];
        if (row == k->dims) set_state(k, enters, down ? AT_ZERO : AT_MOST);
        else exchange(k, row, enters, down ? k->most[enters] - length : length);
        price_rows(k);
    }
    answer(k, best);
    return t;
}
