/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities as exact amounts, for sums and shares that the functions of karp/values.h do not have. */
#include <io/sizes.h>

/* What a unit with this suffix has of 10^-9: first × second. false = it is an exponent. */
static bool unit_of(karp_str suffix, uint64_t *first, uint64_t *second)
{
    static const char decimal[] = "kMGTPE";
    const char *at;
    *first = AMOUNT_NANO;
    *second = 1;
    if (suffix.len == 0) return true;
    if (suffix.len == 2 && suffix.ptr[1] == 'i' && (at = memchr("KMGTPE", suffix.ptr[0], 6)) != NULL) {
        for (const char *c = "KMGTPE"; *c; c++) {
            *second *= 1024;
            if (*c == *at) return true;
        }
    }
    if (suffix.len != 1) return false;
    if (suffix.ptr[0] == 'm') *first = 1000000;
    else if (suffix.ptr[0] == 'u') *first = 1000;
    else if (suffix.ptr[0] == 'n') *first = 1;
    else if ((at = memchr(decimal, suffix.ptr[0], 6)) != NULL)
        for (const char *c = decimal; c <= at; c++) *second *= 1000;
    else return false;
    return true;
}

/* "e3": 10^3 units. A canonical quantity has no negative exponent beyond -9. */
static bool times_exponent(karp_str suffix, amount *out)
{
    bool negative = suffix.len > 1 && suffix.ptr[1] == '-';
    unsigned power = 0;
    if (!amount_mul(*out, AMOUNT_NANO, out)) return false;
    for (size_t i = negative ? 2 : 1; i < suffix.len && power < 100; i++)
        power = power * 10 + (unsigned)(is_digit(suffix.ptr[i]) ? suffix.ptr[i] - '0' : 0);
    for (; power > 0; power--) {
        uint64_t rest = 0;
        if (negative) amount_divide(*out, 10, out, &rest);
        else if (!amount_mul(*out, 10, out)) return false;
    }
    return true;
}

bool io_exact(karp_str quantity, amount *out)
{
    char text[KARP_VALUE_TEXT];
    amount a = amount_from(0);
    uint64_t first, second;
    size_t i = 0;
    if (quantity.len == 0 || karp_quantity_canonical(quantity, text) != KARP_OK) return false;
    karp_str canonical = str(text);
    for (; i < canonical.len && is_digit(text[i]); i++) {
        if (!amount_mul(a, 10, &a) || !amount_add(a, amount_from(text[i] - '0'), &a)) return false;
    }
    karp_str suffix = { text + i, canonical.len - i };
    if (i == 0) return false; /* negative */
    bool plain = unit_of(suffix, &first, &second);
    if (plain ? !amount_mul(a, first, &a) || !amount_mul(a, second, &a) : !times_exponent(suffix, &a)) return false;
    *out = a;
    return true;
}

bool io_exact_up(amount *a, uint64_t unit)
{
    amount whole;
    uint64_t rest;
    amount_divide(*a, unit, &whole, &rest);
    return (rest == 0 || amount_add(whole, amount_from(1), &whole)) && amount_mul(whole, unit, a);
}

const char *io_exact_text(amount a, size_t resource, char text[KARP_VALUE_TEXT])
{
    static const uint64_t kibi = 1024, mebi = 1024 * 1024;
    char digits[20], given[KARP_VALUE_TEXT] = "";
    const char *suffix = resource == SIZE_CPU ? "m" : "";
    amount whole, part;
    uint64_t rest;
    amount_divide(a, resource == SIZE_CPU ? UINT64_C(1000000) : (uint64_t)AMOUNT_NANO, &whole, &rest);
    for (size_t i = 0; resource != SIZE_CPU && i < 2; i++) {
        amount_divide(whole, i == 0 ? mebi : kibi, &part, &rest);
        if (rest != 0) continue;
        whole = part;
        suffix = i == 0 ? "Mi" : "Ki";
        break;
    }
    int64_t number = 0;
    if (!amount_scale(whole, amount_from(1), &number) || number < 0) number = INT64_MAX;
    size_t length = write_digits(digits, (uint64_t)number);
    str_append(given, sizeof given, "%.*s%s", (int)length, digits, suffix);
    if (karp_quantity_canonical(str(given), text) != KARP_OK) str_shorten(text, KARP_VALUE_TEXT, str(given));
    return text;
}
