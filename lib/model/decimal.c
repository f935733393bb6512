/* SPDX-License-Identifier: Apache-2.0 */
#include <model/decimal.h>
#include <base/str.h>

/* Powers of ten that are exactly representable. */
static const double exact_tens[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};
#define MOST_EXACT_TEN 22

/* A number halfway between two doubles has at most 768 significant digits. Digits after that only decide whether a
 * value is above such a number, which a single further digit can represent. */
#define MOST_DIGITS 770

static double from_image(uint64_t image)
{
    double value;
    memcpy(&value, &image, sizeof value);
    return value;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct number {
    char digits[MOST_DIGITS + 1]; /* significant digits, as values 0–9; the first is not 0 */
    unsigned count;
    int64_t exponent; /* value = 0.d1d2d3… * 10^exponent */
    bool negative;
} number;

static void add_digit(number *n, char digit)
{
    if (n->count < MOST_DIGITS) n->digits[n->count++] = digit;
    /* One further digit represents all digits that are cut off. */
    else if (digit != 0) n->digits[MOST_DIGITS] = 1;
}

/* Reads the digits of one group and returns their number. Leading zeros only change the exponent. */
static size_t read_digits(number *n, const char *text, const char *end, bool fraction)
{
    const char *at = text;
    for (; at < end && is_digit(*at); at++) {
        bool leading = n->count == 0 && *at == '0';
        if (!leading) add_digit(n, (char)(*at - '0'));
        if (!fraction && !leading) n->exponent++;
        if (fraction && leading) n->exponent--;
    }
    return (size_t)(at - text);
}

static bool read_exponent(number *n, const char *text, const char *end)
{
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+')) text++;
    if (text == end) return false;
    int64_t value = 0;
    for (; text < end; text++) {
        if (!is_digit(*text)) return false;
        /* Larger exponents are cut off. They are far beyond any length of text, so digits cannot compensate for them.
         */
        if (value < INT64_MAX / 100) value = value * 10 + (*text - '0');
    }
    n->exponent += negative ? -value : value;
    return true;
}

static bool read_number(const char *text, size_t len, number *n)
{
    n->count = 0;
    n->digits[MOST_DIGITS] = 0;
    n->exponent = 0;
    n->negative = false;
    if (len == 0) return false;
    const char *end = text + len;
    if (*text == '-' || *text == '+') n->negative = *text++ == '-';
    size_t digits = read_digits(n, text, end, false);
    text += digits;
    if (text < end && *text == '.') {
        size_t behind = read_digits(n, text + 1, end, true);
        digits += behind;
        text += 1 + behind;
    }
    if (digits == 0) return false;
    if (text < end && (*text == 'e' || *text == 'E')) return read_exponent(n, text + 1, end);
    return text == end;
}

/* If the digits and the power of ten are exact doubles, one multiplication or division rounds correctly. */
static bool short_number(const number *n, double *out)
{
    if (n->count > 15) return false;
    int64_t power = n->exponent - (int64_t)n->count;
    if (power < -MOST_EXACT_TEN || power > MOST_EXACT_TEN) return false;
    int64_t digits = 0;
    for (unsigned i = 0; i < n->count; i++) digits = digits * 10 + n->digits[i];
    double value = (double)digits;
    *out = power < 0 ? value / exact_tens[-power] : value * exact_tens[power];
    return true;
}

static void load_digits(const number *n, bignum *out, unsigned *count)
{
    *count = n->count;
    bignum_set(out, 0);
    for (unsigned i = 0; i < n->count; i++) bignum_times(out, 10, (uint32_t)n->digits[i]);
    if (n->count == MOST_DIGITS && n->digits[MOST_DIGITS] != 0) {
        bignum_times(out, 10, 1);
        ++*count;
    }
}

/* The quotient of two natural numbers as the bits of a double, rounded to even. Overflow results in infinity. */
static uint64_t round_quotient(bignum *top, bignum *bottom)
{
    /* Shifts the smaller one so that the quotient is at least 1 and below 2. */
    int exponent = (int)bignum_bits(top) - (int)bignum_bits(bottom);
    if (exponent >= 0) bignum_shift(bottom, (unsigned)exponent);
    else bignum_shift(top, (unsigned)-exponent);
    if (bignum_compare(top, bottom) < 0) {
        bignum_shift(top, 1);
        exponent--;
    }
    /* Subnormal numbers have fewer bits; below the smallest of them there are none. */
    int bits = exponent < -1022 ? 53 - (-1022 - exponent) : 53;
    if (bits < 0) return 0;
    uint64_t mantissa = 0;
    for (int i = 0; i < bits; i++) {
        mantissa <<= 1;
        if (bignum_compare(top, bottom) >= 0) {
            mantissa |= 1;
            bignum_subtract(top, bottom);
        }
        bignum_shift(top, 1);
    }
    int rest = bignum_compare(top, bottom);
    mantissa += rest > 0 || (rest == 0 && (mantissa & 1) != 0);
    if (bits < 53) return mantissa; /* a carry into bit 52 results in the smallest normal double */
    int biased = exponent + 1022;
    /* the mantissa's top bit, or a carry, is added to the exponent */
    uint64_t image = ((uint64_t)biased << 52) + mantissa;
    uint64_t infinity = UINT64_C(0x7ff) << 52;
    return exponent > 1023 ? infinity : image; /* a value that is rounded up to infinity already has its bits */
}

int decimal_parse(const char *text, size_t len, double *out)
{
    number n;
    if (!read_number(text, len, &n)) return DECIMAL_SYNTAX;
    double value = 0;
    if (n.count > 0 && n.exponent > 310) return DECIMAL_RANGE;
    if (n.count > 0 && n.exponent > -330 && !short_number(&n, &value)) {
        bignum top, bottom;
        unsigned count = 0;
        load_digits(&n, &top, &count);
        bignum_set(&bottom, 1);
        int64_t power = n.exponent - (int64_t)count;
        if (power >= 0) bignum_times_ten(&top, (unsigned)power);
        else bignum_times_ten(&bottom, (unsigned)-power);
        uint64_t image = round_quotient(&top, &bottom);
        if (image == UINT64_C(0x7ff) << 52) return DECIMAL_RANGE;
        value = from_image(image);
    }
    *out = n.negative ? -value : value;
    return DECIMAL_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The output: value = 0.d1d2d3… * 10^exponent. */
typedef struct shortest {
    char digits[20]; /* values 0–9 */
    int count;
    int exponent;
} shortest;

/* Most prices and counts are decimals of at most 15 digits. No two such decimals are the same double. So the first
 * one that reads back (one exact division, rounded once) is the result. */
static bool few_digits(double value, shortest *out)
{
    if (!(value >= 1e-6 && value < 1e15)) return false;
    for (int power = 0;; power++) { /* 10^-6 times the largest power is already too large */
        double scaled = value * exact_tens[power];
        if (scaled >= 1e15) return false;
        uint64_t whole = (uint64_t)(scaled + 0.5);
        if (whole == 0 || (double)whole / exact_tens[power] != value) continue;
        int count = 0;
        char reversed[20];
        for (uint64_t rest = whole; rest > 0; rest /= 10) reversed[count++] = (char)(rest % 10);
        for (int i = 0; i < count; i++) out->digits[i] = reversed[count - 1 - i];
        out->count = count;
        out->exponent = count - power;
        while (out->count > 1 && out->digits[out->count - 1] == 0) out->count--;
        return true;
    }
}

/* value = rest / scale. All numbers from (rest - below) / scale to (rest + above) / scale read back as the value. */
typedef struct span {
    bignum rest, scale, below, above;
    bool closed; /* the ends read back as well, because ties are rounded to even */
} span;

static void open_span(uint64_t image, span *s)
{
    uint64_t mantissa = image & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(image >> 52);
    bool lowest = mantissa == 0 && biased > 1; /* the next smaller double is half as far away as the next larger one */
    if (biased > 0) mantissa |= UINT64_C(1) << 52;
    int exponent = (biased > 0 ? biased : 1) - 1075;
    /* Doubled so that half the distance to a neighbour is an integer; doubled again for half of the half distance. */
    unsigned extra = lowest ? 2 : 1;
    bignum_set(&s->rest, mantissa);
    bignum_set(&s->scale, 1);
    bignum_set(&s->below, 1);
    bignum_shift(&s->rest, extra);
    bignum_shift(&s->scale, extra);
    if (exponent > 0) {
        bignum_shift(&s->rest, (unsigned)exponent);
        bignum_shift(&s->below, (unsigned)exponent);
    } else {
        bignum_shift(&s->scale, (unsigned)-exponent);
    }
    bignum_copy(&s->above, &s->below);
    if (lowest) bignum_shift(&s->above, 1);
    s->closed = (mantissa & 1) == 0;
}

static void scale_span(span *s, unsigned power)
{
    bignum_times_ten(&s->rest, power);
    bignum_times_ten(&s->below, power);
    bignum_times_ten(&s->above, power);
}

/* Scales the upper end of the span to 0.1 … 1 (excluding 1 if the span is closed). Returns the power of ten. */
static int scale_to_one(span *s)
{
    int bits = (int)bignum_bits(&s->rest) - (int)bignum_bits(&s->scale);
    /* An approximation of log10(2) such that the estimate is never too large, and too small by at most two. */
    int exponent = (bits - 1) * 30103 / 100000 - 1;
    if (exponent >= 0) bignum_times_ten(&s->scale, (unsigned)exponent);
    else scale_span(s, (unsigned)-exponent);
    for (;; exponent++) {
        int order = bignum_compare_sum(&s->rest, &s->above, &s->scale);
        /* never: both, because only 10^23 is halfway between two doubles, and the lower one is even */
        if (order < 0 || (order == 0 && !s->closed)) return exponent;
        bignum_times_ten(&s->scale, 1);
    }
}

static void generate(uint64_t image, shortest *out)
{
    span s;
    open_span(image, &s);
    out->exponent = scale_to_one(&s);
    out->count = 0;
    bool low = false, high = false;
    do {
        scale_span(&s, 1);
        char digit = 0;
        for (; bignum_compare(&s.rest, &s.scale) >= 0; digit++) bignum_subtract(&s.rest, &s.scale);
        int under = bignum_compare(&s.rest, &s.below);
        int over = bignum_compare_sum(&s.rest, &s.above, &s.scale);
        low = under < 0 || (under == 0 && s.closed);
        high = over > 0 || (over == 0 && s.closed);
        out->digits[out->count++] = digit;
    } while (!low && !high && out->count < 18); /* never: 17 digits distinguish all doubles */

    char *last = &out->digits[out->count - 1];
    int half = bignum_compare_sum(&s.rest, &s.rest, &s.scale);
    bool up = high && (!low || half > 0 || (half == 0 && (*last & 1) != 0));
    if (up) ++*last; /* never 10: a shorter text would have been in the span before */
}

static char *put_digits(char *to, const shortest *s, int from, int until)
{
    for (int i = from; i < until; i++) *to++ = (char)('0' + (i < s->count ? s->digits[i] : 0));
    return to;
}

static char *put_plain(char *to, const shortest *s)
{
    if (s->exponent <= 0) {
        *to++ = '0';
        *to++ = '.';
        for (int i = s->exponent; i < 0; i++) *to++ = '0';
        return put_digits(to, s, 0, s->count);
    }
    to = put_digits(to, s, 0, s->exponent);
    if (s->count <= s->exponent) return to;
    *to++ = '.';
    return put_digits(to, s, s->exponent, s->count);
}

static char *put_scientific(char *to, const shortest *s)
{
    to = put_digits(to, s, 0, 1);
    if (s->count > 1) *to++ = '.';
    to = put_digits(to, s, 1, s->count);
    int exponent = s->exponent - 1;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent >= 100) *to++ = (char)('0' + exponent / 100);
    if (exponent >= 10) *to++ = (char)('0' + exponent / 10 % 10);
    *to++ = (char)('0' + exponent % 10);
    return to;
}

static size_t put_word(const char *word, char *out)
{
    size_t len = strlen(word);
    memcpy(out, word, len + 1);
    return len;
}

size_t decimal_format(double value, char out[DECIMAL_TEXT])
{
    uint64_t image;
    memcpy(&image, &value, sizeof image);
    bool negative = image >> 63 != 0;
    image &= UINT64_MAX >> 1;
    if (image > UINT64_C(0x7ff) << 52) return put_word("NaN", out);
    if (image == UINT64_C(0x7ff) << 52) return put_word(negative ? "-Inf" : "+Inf", out);
    if (image == 0) return put_word(negative ? "-0" : "0", out);

    shortest s;
    if (!few_digits(from_image(image), &s)) generate(image, &s);
    char *to = out;
    if (negative) *to++ = '-';
    /* 10^-6 is 0.1 * 10^-5, and the largest number below 10^21 is 0.999… * 10^21. */
    to = s.exponent >= -5 && s.exponent <= 21 ? put_plain(to, &s) : put_scientific(to, &s);
    *to = '\0';
    return (size_t)(to - out);
}
