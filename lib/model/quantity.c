/* SPDX-License-Identifier: Apache-2.0 */
#include <model/quantity.h>
#include <base/str.h>

/* The parts of a text, before any arithmetic. */
typedef struct pieces {
    const char *whole, *fraction; /* digits */
    size_t whole_len, fraction_len;
    bool negative;
    bool binary, scientific; /* both false: decimal suffixes */
    int64_t exponent; /* of 10, or of 2 when binary */
} pieces;

static const uint64_t powers_of_ten[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

#define MOST_DIGITS ((size_t)18) /* fits any uint64_t */

static size_t count_digits(const char *text, const char *end)
{
    size_t count = 0;
    while (text + count < end && is_digit(text[count])) count++;
    return count;
}

/* text < end. Like Kubernetes, parses 64 bits and uses the lower 32. */
static int parse_exponent(const char *text, const char *end, int64_t *out)
{
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    size_t digits = count_digits(text, end);
    if (digits == 0 || text + digits != end) return QUANTITY_SYNTAX;
    int64_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        int64_t digit = negative ? '0' - text[i] : text[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
            return QUANTITY_SYNTAX;
    }
    uint32_t kept = (uint32_t)(uint64_t)value;
    *out = kept > INT32_MAX ? (int64_t)kept - (INT64_C(1) << 32) : (int64_t)kept;
    return QUANTITY_OK;
}

static const char decimal_letters[] = "num kMGTPE"; /* 10^-9 to 10^18, in steps of 3; the blank is not a suffix */
static const char binary_letters[] = "KMGTPE"; /* 2^10 to 2^60 */

static int parse_suffix(const char *text, const char *end, pieces *p)
{
    size_t len = (size_t)(end - text);
    if (len == 0) return QUANTITY_OK;
    if (len == 1 && *text != ' ' && *text != '\0') {
        const char *letter = strchr(decimal_letters, *text);
        if (!letter) return QUANTITY_SYNTAX;
        p->exponent = (letter - decimal_letters) * 3 - 9;
        return QUANTITY_OK;
    }
    if (len == 2 && text[1] == 'i' && *text != '\0') {
        const char *letter = strchr(binary_letters, *text);
        if (!letter) return QUANTITY_SYNTAX;
        p->exponent = (letter - binary_letters) * 10 + 10;
        p->binary = true;
        return QUANTITY_OK;
    }
    p->scientific = *text == 'e' || *text == 'E';
    return p->scientific ? parse_exponent(text + 1, end, &p->exponent) : QUANTITY_SYNTAX;
}

/* A text without digits ("-", ".", "Mi"). Kubernetes parses most of these as 0 in its fast path, which does not
 * require digits. The fast path excludes exponents of more than 40 binary places or below -9 decimal places. */
static bool zero_without_digits(const pieces *p) { return p->binary ? p->exponent <= 40 : p->exponent >= -9; }

static int split(const char *text, size_t len, pieces *p)
{
    memset(p, 0, sizeof *p);
    if (len == 0) return QUANTITY_SYNTAX;
    const char *end = text + len;
    if (*text == '-' || *text == '+') p->negative = *text++ == '-';
    p->whole = text;
    p->whole_len = count_digits(text, end);
    text += p->whole_len;
    if (text < end && *text == '.') {
        text++;
        p->fraction = text;
        p->fraction_len = count_digits(text, end);
        text += p->fraction_len;
    }
    int status = parse_suffix(text, end, p);
    bool digits = p->whole_len + p->fraction_len > 0;
    return status == QUANTITY_OK && !digits && !zero_without_digits(p) ? QUANTITY_SYNTAX : status;
}

static unsigned digit_at(const pieces *p, size_t i)
{
    char c = i < p->whole_len ? p->whole[i] : p->fraction[i - p->whole_len];
    return (unsigned)(c - '0');
}

static bool append_digit(amount *value, unsigned digit)
{
    return amount_mul(*value, 10, value) && amount_add(*value, amount_from((int64_t)digit), value);
}

/* Nearly all quantities: few digits, none of them below 10^-9. */
static bool decimal_short(const pieces *p, size_t digits, int64_t keep, amount *out)
{
    if (digits > MOST_DIGITS || keep < (int64_t)digits || keep - (int64_t)digits > (int64_t)MOST_DIGITS) return false;
    int64_t value = 0;
    for (size_t i = 0; i < digits; i++) value = value * 10 + (int64_t)digit_at(p, i);
    return amount_mul(amount_from(value), powers_of_ten[keep - (int64_t)digits], out);
}

/* The magnitude in units of 10^-9. The first `keep` digits are its integer part; further digits round up. */
static int decimal_value(const pieces *p, amount *out)
{
    size_t digits = p->whole_len + p->fraction_len;
    int64_t keep = (int64_t)p->whole_len + p->exponent + 9;
    if (decimal_short(p, digits, keep, out)) return QUANTITY_OK;

    amount value = amount_from(0);
    bool any = false, more = false;
    for (size_t i = 0; i < digits; i++) {
        unsigned digit = digit_at(p, i);
        any = any || digit != 0;
        if ((int64_t)i >= keep) more = more || digit != 0;
        else if (any && !append_digit(&value, digit)) return QUANTITY_RANGE;
    }
    if (any) {
        for (int64_t i = (int64_t)digits; i < keep; i++) {
            if (!append_digit(&value, 0)) return QUANTITY_RANGE;
        }
    }
    if (more && !amount_add(value, amount_from(1), &value)) return QUANTITY_RANGE;
    *out = value;
    return QUANTITY_OK;
}

/* The fraction's digits times `unit`, rounded up. Each step, from the last digit to the first, is (digit * unit +
 * rest) / 10. Since the floor of nested divisions is the floor of the whole, only whether anything was cut off has to
 * be recorded. */
static amount fraction_value(const pieces *p, amount unit)
{
    amount value = amount_from(0), piece = value;
    bool more = false;
    for (size_t i = p->fraction_len; i-- > 0;) {
        uint64_t remainder = 0;
        (void)amount_mul(unit, (uint64_t)(p->fraction[i] - '0'), &piece);
        (void)amount_add(piece, value, &piece);
        amount_divide(piece, 10, &value, &remainder);
        more = more || remainder != 0;
    }
    if (more) (void)amount_add(value, amount_from(1), &value);
    return value;
}

/* unit = 2^10 … 2^60 * 10^9 < 2^90, so nothing below can overflow once the integer part is below the cap. */
static amount binary_value(const pieces *p)
{
    const amount cap = amount_whole(INT64_MAX);
    amount unit = amount_whole(INT64_C(1) << p->exponent);
    amount value = amount_from(0);
    if (p->whole_len <= MOST_DIGITS && p->fraction_len == 0) { /* nearly all quantities */
        uint64_t whole = 0;
        for (size_t i = 0; i < p->whole_len; i++) whole = whole * 10 + digit_at(p, i);
        return amount_mul(unit, whole, &value) ? amount_min(value, cap) : cap;
    }
    for (size_t i = 0; i < p->whole_len; i++) {
        amount piece = unit;
        (void)amount_mul(unit, digit_at(p, i), &piece);
        (void)amount_mul(value, 10, &value);
        (void)amount_add(value, piece, &value);
        if (amount_cmp(value, cap) >= 0) return cap;
    }
    (void)amount_add(value, fraction_value(p, unit), &value);
    return amount_min(value, cap);
}

int quantity_parse(const char *text, size_t len, quantity *out)
{
    pieces p;
    int status = split(text, len, &p);
    if (status != QUANTITY_OK) return status;
    quantity q = { { 0, 0 }, p.binary, p.scientific };
    if (p.binary) {
        q.value = binary_value(&p);
        /* Values below 1 have no exact text in the binary family. */
        if (amount_sign(q.value) > 0 && amount_cmp(q.value, amount_whole(1)) < 0) q.binary = false;
    } else {
        status = decimal_value(&p, &q.value);
        if (status != QUANTITY_OK) return status;
    }
    if (p.negative) q.value = amount_neg(q.value);
    *out = q;
    return QUANTITY_OK;
}

/* Divides as often as possible without remainder, at most `most` times; returns the number of divisions. */
static unsigned strip(amount *value, uint64_t by, unsigned most)
{
    unsigned times = 0;
    while (times < most) {
        amount quotient;
        uint64_t remainder = 0;
        amount_divide(*value, by, &quotient, &remainder);
        if (remainder != 0) break;
        *value = quotient;
        times++;
    }
    return times;
}

static size_t print_number(amount value, char out[QUANTITY_TEXT])
{
    char digits[40];
    size_t at = sizeof digits, len = 0;
    bool negative = amount_sign(value) < 0;
    while (value.hi != 0) { /* more than 64 bits, or negative */
        uint64_t digit = 0;
        amount_divide(value, 10, &value, &digit);
        digits[--at] = (char)('0' + digit);
    }
    for (uint64_t left = value.lo; left != 0 || at == sizeof digits; left /= 10) digits[--at] = (char)('0' + left % 10);
    if (negative) out[len++] = '-';
    memcpy(out + len, digits + at, sizeof digits - at);
    len += sizeof digits - at;
    out[len] = '\0';
    return len;
}

static size_t print(amount value, char suffix, bool binary, char out[QUANTITY_TEXT])
{
    size_t len = print_number(value, out);
    if (suffix != ' ') out[len++] = suffix;
    if (binary) out[len++] = 'i';
    out[len] = '\0';
    return len;
}

/* thousands: number of times that the value was divided by 1000 */
static size_t print_scientific(amount value, unsigned thousands, char out[QUANTITY_TEXT])
{
    size_t len = print_number(value, out);
    int exponent = (int)thousands * 3 - 9;
    if (exponent == 0) return len;
    out[len++] = 'e';
    return len + print_number(amount_from(exponent), out + len);
}

size_t quantity_format(quantity q, char out[QUANTITY_TEXT])
{
    amount value = q.value;
    if (amount_sign(value) == 0) return print(value, ' ', false, out);
    if (q.binary) {
        amount whole;
        uint64_t remainder = 0, least = 0;
        amount_divide(value, (uint64_t)AMOUNT_NANO, &whole, &remainder);
        amount_divide(whole, 1024, &value, &least);
        if (remainder == 0 && amount_sign(value) != 0) {
            unsigned times = strip(&whole, 1024, 6);
            return print(whole, times > 0 ? binary_letters[times - 1] : ' ', times > 0, out);
        }
        value = q.value;
    }
    unsigned times = strip(&value, 1000, q.exponent ? 13 : 9); /* 10^39 is out of range */
    if (q.exponent) return print_scientific(value, times, out);
    return print(value, decimal_letters[times], false, out);
}
