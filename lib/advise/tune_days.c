/* SPDX-License-Identifier: Apache-2.0 */
/* What a replayed design cost on each day, by the points of its series. */
#include <advise/tune.h>

#include <math.h>

enum { DAY = 86400 }; /* seconds */

static double number_at(const tree *list, size_t index)
{
    double value = 0;
    (void)tree_double(tree_item(list, index), &value);
    return value;
}

static int64_t day_of(double seconds) { return (int64_t)floor(seconds / (double)DAY); }

/* What is spent between two points counts for each day by its part of the time. */
static void spread(tune_design *d, double from, double to, double dollars)
{
    for (int64_t day = day_of(from); to > from && day <= day_of(to); day++) {
        double begins = fmax(from, (double)(day * DAY)), ends = fmin(to, (double)((day + 1) * DAY));
        if (ends > begins) d->days[day - d->first_day] += dollars * (ends - begins) / (to - from);
    }
}

void tune_forget_days(karp_tune *t, tune_design *d)
{
    mem_free(t->context, d->days, d->day_count * sizeof *d->days);
    d->days = NULL;
    d->day_count = 0;
}

bool tune_take_days(karp_tune *t, tune_design *d, const tree *series)
{
    const tree *times = tree_get(series, "time"), *dollars = tree_get(series, "dollars");
    size_t count = tree_count(times);
    tune_forget_days(t, d);
    if (count < 2 || tree_count(dollars) != count || !(number_at(times, count - 1) < 1e11)) return true;
    d->first_day = day_of(number_at(times, 0));
    /* A replay that ends at midnight has nothing of the next day. */
    int64_t days = day_of(nextafter(number_at(times, count - 1), 0)) - d->first_day + 1;
    if (d->first_day < 0 || days < 1 || days > 10000) return true;
    d->days = mem_zalloc(t->context, (size_t)days * sizeof *d->days);
    if (!d->days) return false;
    d->day_count = (size_t)days;
    for (size_t i = 0; i + 1 < count; i++)
        spread(d, number_at(times, i), number_at(times, i + 1), number_at(dollars, i + 1) - number_at(dollars, i));
    return true;
}

karp_status karp_tune_get_day(const karp_tune *tune, size_t design, size_t index, karp_tune_day *out)
{
    if (!tune || !out) return KARP_E_INVALID;
    if (design >= tune->design_count || index >= tune->designs[design].day_count) return KARP_E_NOT_FOUND;
    const tune_design *d = &tune->designs[design];
    const karp_tune_day day = { .size = sizeof day,
                                .begins = (d->first_day + (int64_t)index) * DAY * INT64_C(1000000000),
                                .cost = round(d->days[index] * 1e9) / 1e9 };
    return struct_give(out, &day, sizeof *out, SIZE_THROUGH(karp_tune_day, cost));
}
