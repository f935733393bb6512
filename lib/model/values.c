/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/values.h>
#include <base/str.h>

#include <model/decimal.h>
#include <base/duration.h>
#include <model/instant.h>
#include <model/quantity.h>

/* NOLINTNEXTLINE(misc-redundant-expression): compares all of them although some are currently equal */
_Static_assert(KARP_VALUE_TEXT >= QUANTITY_TEXT && KARP_VALUE_TEXT >= DURATION_TEXT &&
                   KARP_VALUE_TEXT >= INSTANT_TEXT && KARP_VALUE_TEXT >= DECIMAL_TEXT,
               "KARP_VALUE_TEXT is enough for the text of every value");

/* All parsers of this module number their errors alike. */
_Static_assert(QUANTITY_OK == 0 && DURATION_OK == 0 && INSTANT_OK == 0 && DECIMAL_OK == 0, "0 is success");
_Static_assert(QUANTITY_SYNTAX == 1 && DURATION_SYNTAX == 1 && INSTANT_SYNTAX == 1 && DECIMAL_SYNTAX == 1,
               "1 is no such value");

static karp_status status_of(int result)
{
    if (result == 0) return KARP_OK;
    return result == 1 ? KARP_E_INVALID : KARP_E_RANGE;
}

static karp_status parse(karp_str text, quantity *out) { return status_of(quantity_parse(text.ptr, text.len, out)); }

karp_status karp_quantity_check(karp_str text)
{
    if (!str_given(text)) return KARP_E_INVALID;
    quantity q;
    return parse(text, &q);
}

karp_status karp_quantity_compare(karp_str a, karp_str b, int32_t *order)
{
    if (order == NULL || !str_given(a) || !str_given(b)) return KARP_E_INVALID;
    quantity x, y;
    karp_status status = parse(a, &x);
    if (status == KARP_OK) status = parse(b, &y);
    if (status != KARP_OK) return status;
    *order = amount_cmp(x.value, y.value);
    return KARP_OK;
}

karp_status karp_quantity_double(karp_str text, double *out)
{
    if (out == NULL || !str_given(text)) return KARP_E_INVALID;
    quantity q;
    karp_status status = parse(text, &q);
    if (status == KARP_OK) *out = amount_double(q.value);
    return status;
}

karp_status karp_quantity_add(karp_str a, karp_str b, char out[KARP_VALUE_TEXT])
{
    if (out == NULL || !str_given(a) || !str_given(b)) return KARP_E_INVALID;
    quantity x, y, sum;
    karp_status status = parse(a, &x);
    if (status == KARP_OK) status = parse(b, &y);
    if (status != KARP_OK) return status;
    if (!amount_add(x.value, y.value, &sum.value)) return KARP_E_RANGE;
    const quantity *family = amount_sign(x.value) != 0 ? &x : &y;
    sum.binary = family->binary;
    sum.exponent = family->exponent;
    (void)quantity_format(sum, out);
    return KARP_OK;
}

karp_status karp_quantity_canonical(karp_str text, char out[KARP_VALUE_TEXT])
{
    if (out == NULL || !str_given(text)) return KARP_E_INVALID;
    quantity q;
    karp_status status = parse(text, &q);
    if (status == KARP_OK) (void)quantity_format(q, out);
    return status;
}

karp_status karp_duration_parse(karp_str text, int64_t *nanoseconds)
{
    if (nanoseconds == NULL || !str_given(text)) return KARP_E_INVALID;
    return status_of(duration_read(text.ptr, text.len, nanoseconds));
}

void karp_duration_format(int64_t nanoseconds, char out[KARP_VALUE_TEXT]) { (void)duration_format(nanoseconds, out); }

karp_status karp_time_parse(karp_str text, int64_t *instant)
{
    if (instant == NULL || !str_given(text)) return KARP_E_INVALID;
    return status_of(instant_read(text.ptr, text.len, instant));
}

void karp_time_format(int64_t instant, char out[KARP_VALUE_TEXT]) { (void)instant_format(instant, out); }

void karp_double_format(double value, char out[KARP_VALUE_TEXT]) { (void)decimal_format(value, out); }

karp_status karp_double_parse(karp_str text, double *out)
{
    if (out == NULL || !str_given(text)) return KARP_E_INVALID;
    return status_of(decimal_parse(text.ptr, text.len, out));
}
