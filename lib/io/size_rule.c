/* SPDX-License-Identifier: Apache-2.0 */
/* Rules such as "p95+15%,min=10m", and the requests that follow from them. */
#include <io/sizes.h>

enum { ALL_PERCENT = 100000, ALL_SHARES = 10000 };

static const char *const figures[SIZE_FIGURES] = { "target", "lower", "upper" };

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

/* Digits with at most `decimals` decimals, as a number of 10^-decimals. */
static bool read_decimal(karp_str text, unsigned decimals, uint32_t most, uint32_t *out)
{
    karp_str rest = text, whole = str_until(&rest, '.');
    uint64_t number = 0;
    bool dot = whole.len < text.len;
    if (whole.len == 0 || whole.len > 6 || (dot && (rest.len == 0 || rest.len > decimals))) return false;
    for (size_t i = 0; i < whole.len + decimals; i++) {
        size_t at = i - whole.len;
        char c = i < whole.len ? whole.ptr[i] : dot && at < rest.len ? rest.ptr[at] : '0';
        if (!is_digit(c)) return false;
        number = number * 10 + (uint64_t)(c - '0');
    }
    *out = (uint32_t)number;
    return number <= most;
}

static bool read_statistic(karp_str text, io_size_rule *out)
{
    for (uint32_t i = 0; i < SIZE_FIGURES; i++) {
        if (!str_is(text, figures[i])) continue;
        out->which = i;
        return true;
    }
    if (str_is(text, "keep")) out->statistic = SIZE_KEEP;
    else if (str_is(text, "mean")) out->statistic = SIZE_MEAN;
    else out->statistic = SIZE_PERCENTILE;
    if (out->statistic != SIZE_PERCENTILE) return true;
    out->which = ALL_PERCENT;
    if (str_is(text, "max")) return true;
    return text.len > 1 && text.ptr[0] == 'p' &&
           read_decimal((karp_str){ text.ptr + 1, text.len - 1 }, 3, ALL_PERCENT, &out->which) && out->which > 0;
}

static bool read_bound(karp_str text, io_size_rule *out)
{
    karp_str value = text, name = str_until(&value, '=');
    bool least = str_is(name, "min");
    if (!least && !str_is(name, "max")) return false;
    *(least ? &out->has_least : &out->has_most) = true;
    return io_exact(value, least ? &out->least : &out->most);
}

bool io_size_rule_read(karp_str text, size_t resource, io_size_rule *out)
{
    karp_str rest = text.len ? text : str(resource == SIZE_CPU ? "p95" : "max+15%"), first = str_until(&rest, ',');
    karp_str more = first, statistic = str_until(&more, '+');
    *out = (io_size_rule){ .statistic = SIZE_OF_FIGURE };
    if (!read_statistic(statistic, out)) return false;
    if (statistic.len < first.len) {
        if (more.len < 2 || more.ptr[more.len - 1] != '%') return false;
        if (!read_decimal((karp_str){ more.ptr, more.len - 1 }, 2, 100 * ALL_SHARES, &out->more)) return false;
    }
    while (rest.len > 0) {
        if (!read_bound(str_until(&rest, ','), out)) return false;
    }
    return !out->has_least || !out->has_most || amount_cmp(out->least, out->most) <= 0;
}

/* ---- what follows ------------------------------------------------------------------------------------------------ */

static int by_amount(const void *a, const void *b, const void *user)
{
    (void)user;
    return amount_cmp(*(const amount *)a, *(const amount *)b);
}

/* The smallest sample that at least so many thousandths of a percent of them do not exceed. */
static bool percentile(karp_context *context, io_size_known *known, uint32_t which, amount *out)
{
    if (!sort_stable(context, known->samples, known->count, sizeof *known->samples, by_amount, NULL)) return false;
    uint64_t parts = (uint64_t)known->count / ALL_PERCENT * which, rest = (uint64_t)known->count % ALL_PERCENT * which;
    uint64_t rank = parts + rest / ALL_PERCENT + (rest % ALL_PERCENT != 0);
    *out = known->samples[rank == 0 ? 0 : rank - 1];
    return true;
}

static bool mean(const io_size_known *known, amount *out)
{
    amount sum = amount_from(0), part;
    uint64_t rest;
    for (size_t i = 0; i < known->count; i++) {
        if (!amount_add(sum, known->samples[i], &sum)) return false;
    }
    amount_divide(sum, known->count, &part, &rest);
    return amount_add(part, amount_from(rest != 0), out);
}

static bool add_share(amount *a, uint32_t more)
{
    amount part;
    uint64_t rest;
    if (!amount_mul(*a, ALL_SHARES + (uint64_t)more, a)) return false;
    amount_divide(*a, ALL_SHARES, &part, &rest);
    return amount_add(part, amount_from(rest != 0), a);
}

/* The rule for samples, or for figures: of the other kind, the default. */
static io_size_rule rule_for(const io_size_rule *rule, size_t resource, bool samples)
{
    io_size_rule own = *rule;
    if (samples == (rule->statistic != SIZE_OF_FIGURE) || rule->statistic == SIZE_KEEP) return own;
    if (samples) (void)io_size_rule_read(str(""), resource, &own);
    else own = (io_size_rule){ .statistic = SIZE_OF_FIGURE, .which = SIZE_TARGET };
    own.least = rule->least;
    own.most = rule->most;
    own.has_least = rule->has_least;
    own.has_most = rule->has_most;
    return own;
}

bool io_size_of(karp_context *context, const io_size_rule *rule, size_t resource, io_size_known *known, amount *out,
                karp_status *status)
{
    io_size_rule own = rule_for(rule, resource, known->count > 0);
    if (own.statistic == SIZE_KEEP || (known->count == 0 && !known->has[own.which])) return false;
    bool fits = true;
    if (own.statistic == SIZE_OF_FIGURE) *out = known->figures[own.which];
    else if (own.statistic == SIZE_MEAN) fits = mean(known, out);
    else if (!percentile(context, known, own.which, out)) *status = KARP_E_NOMEM;
    if (*status) return false;
    fits = fits && add_share(out, own.more);
    /* Kubernetes counts millicores and bytes; what was measured is rounded to a text that people can read. */
    uint64_t unit = resource == SIZE_CPU ? UINT64_C(1000000)
                    : known->count > 0   ? UINT64_C(1048576) * (uint64_t)AMOUNT_NANO
                                         : (uint64_t)AMOUNT_NANO;
    fits = fits && io_exact_up(out, unit);
    if (own.has_least) *out = amount_max(*out, own.least);
    if (own.has_most) *out = amount_min(*out, own.most);
    fits = fits && io_exact_up(out, resource == SIZE_CPU ? UINT64_C(1000000) : (uint64_t)AMOUNT_NANO);
    if (!fits) *status = KARP_E_RANGE;
    return fits;
}

/* "95", "99.9" */
static void append_percent(char *text, size_t room, uint32_t number, uint32_t of_one)
{
    str_append(text, room, "%u", (unsigned)(number / of_one));
    uint32_t rest = number % of_one;
    for (uint32_t unit = of_one / 10; rest > 0; unit /= 10) {
        str_append(text, room, "%s%u", unit == of_one / 10 ? "." : "", (unsigned)(rest / unit));
        rest %= unit;
    }
}

void io_size_source(const io_size_rule *rule, size_t resource, const io_size_known *known, char *text, size_t room)
{
    io_size_rule own = rule_for(rule, resource, known->count > 0);
    text[0] = '\0';
    if (own.statistic == SIZE_OF_FIGURE) str_append(text, room, "%s", figures[own.which]);
    else if (own.statistic == SIZE_MEAN) str_append(text, room, "mean");
    else if (own.which == ALL_PERCENT) str_append(text, room, "max");
    else {
        str_append(text, room, "p");
        append_percent(text, room, own.which, 1000);
    }
    if (own.more) {
        str_append(text, room, "+");
        append_percent(text, room, own.more, 100);
        str_append(text, room, "%%");
    }
    karp_str from = known->count > 0 ? known->of_samples : known->of_figures;
    if (known->count > 0)
        str_append(text, room, " of %llu sample%s in %.*s", (unsigned long long)known->count,
                   known->count == 1 ? "" : "s", str_shown(from, 120), from.ptr);
    else str_append(text, room, " of %.*s", str_shown(from, 120), from.ptr);
}
