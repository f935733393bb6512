/* SPDX-License-Identifier: Apache-2.0 */
#include <base/amount.h>

#include <stddef.h>
#include <string.h>

#if defined(__SIZEOF_INT128__) && !defined(KARP_NO_INT128)
#define HAVE_WIDE 1
__extension__ typedef unsigned __int128 wide;
#else
#define HAVE_WIDE 0
#endif

/* The absolute value of an amount. */
typedef struct magnitude {
    uint64_t lo, hi;
} magnitude;

static magnitude magnitude_of(amount a)
{
    magnitude m = { a.lo, (uint64_t)a.hi };
    if (a.hi < 0) {
        m.lo = 0 - m.lo;
        m.hi = ~m.hi + (m.lo == 0);
    }
    return m;
}

/* false = the magnitude is too large for its sign */
static bool with_sign(magnitude m, bool negative, amount *out)
{
    if (m.hi >> 63 != 0 && !(negative && m.hi == UINT64_C(1) << 63 && m.lo == 0)) return false;
    if (negative) {
        m.lo = 0 - m.lo;
        m.hi = ~m.hi + (m.lo == 0);
    }
    out->lo = m.lo;
    out->hi = (int64_t)m.hi;
    return true;
}

#if HAVE_WIDE

static wide to_wide(magnitude m) { return (wide)m.hi << 64 | m.lo; }

static magnitude from_wide(wide w)
{
    magnitude m = { (uint64_t)w, (uint64_t)(w >> 64) };
    return m;
}

static magnitude multiply64(uint64_t a, uint64_t b) { return from_wide((wide)a * b); }

static magnitude divide(magnitude a, magnitude by, magnitude *remainder)
{
    wide quotient = to_wide(a) / to_wide(by);
    *remainder = from_wide(to_wide(a) - quotient * to_wide(by));
    return from_wide(quotient);
}

#else

static magnitude multiply64(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    magnitude m = { other << 32 | (low & UINT32_MAX), a1 * b1 + (middle >> 32) + (other >> 32) };
    return m;
}

static int magnitude_cmp(magnitude a, magnitude b)
{
    if (a.hi != b.hi) return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

/* Long division, bit by bit. The bit shifted out of `rest` counts as 2^128. */
static magnitude divide(magnitude a, magnitude by, magnitude *remainder)
{
    if (a.hi == 0 && by.hi == 0) {
        magnitude quotient = { a.lo / by.lo, 0 };
        *remainder = (magnitude){ a.lo % by.lo, 0 };
        return quotient;
    }
    magnitude quotient = { 0, 0 }, rest = { 0, 0 };
    for (unsigned bit = 128; bit-- > 0;) {
        uint64_t top = rest.hi >> 63;
        rest.hi = rest.hi << 1 | rest.lo >> 63;
        rest.lo = rest.lo << 1 | ((bit < 64 ? a.lo >> bit : a.hi >> (bit - 64)) & 1);
        if (top == 0 && magnitude_cmp(rest, by) < 0) continue;
        uint64_t borrow = rest.lo < by.lo;
        rest.lo -= by.lo;
        rest.hi -= by.hi + borrow;
        if (bit < 64) quotient.lo |= UINT64_C(1) << bit;
        else quotient.hi |= UINT64_C(1) << (bit - 64);
    }
    *remainder = rest;
    return quotient;
}

#endif

amount amount_from(int64_t nano_units)
{
    amount a = { (uint64_t)nano_units, nano_units < 0 ? -1 : 0 };
    return a;
}

amount amount_whole(int64_t whole_units)
{
    amount a = { 0, 0 };
    (void)amount_mul(amount_from(whole_units), (uint64_t)AMOUNT_NANO, &a);
    return a;
}

bool amount_add(amount a, amount b, amount *out)
{
    uint64_t lo = a.lo + b.lo;
    uint64_t hi = (uint64_t)a.hi + (uint64_t)b.hi + (lo < a.lo);
    /* Overflow: both operands have the same sign, and the result has the other. */
    if (((~((uint64_t)a.hi ^ (uint64_t)b.hi) & ((uint64_t)a.hi ^ hi)) >> 63) != 0) return false;
    out->lo = lo;
    out->hi = (int64_t)hi;
    return true;
}

bool amount_sub(amount a, amount b, amount *out)
{
    uint64_t lo = a.lo - b.lo;
    uint64_t hi = (uint64_t)a.hi - (uint64_t)b.hi - (a.lo < b.lo);
    if (((((uint64_t)a.hi ^ (uint64_t)b.hi) & ((uint64_t)a.hi ^ hi)) >> 63) != 0) return false;
    out->lo = lo;
    out->hi = (int64_t)hi;
    return true;
}

bool amount_mul(amount a, uint64_t by, amount *out)
{
    magnitude m = magnitude_of(a);
    magnitude low = multiply64(m.lo, by);
    magnitude high = multiply64(m.hi, by);
    if (high.hi != 0 || high.lo > UINT64_MAX - low.hi) return false;
    low.hi += high.lo;
    return with_sign(low, a.hi < 0, out);
}

int amount_cmp(amount a, amount b)
{
    if (a.hi != b.hi) return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

int amount_sign(amount a)
{
    if (a.hi < 0) return -1;
    return a.hi > 0 || a.lo > 0;
}

amount amount_max(amount a, amount b) { return amount_cmp(a, b) < 0 ? b : a; }

amount amount_min(amount a, amount b) { return amount_cmp(b, a) < 0 ? b : a; }

amount amount_neg(amount a)
{
    amount r;
    r.lo = 0 - a.lo;
    r.hi = (int64_t)(~(uint64_t)a.hi + (r.lo == 0));
    return r;
}

amount amount_gcd(amount a, amount b)
{
    magnitude x = magnitude_of(a), y = magnitude_of(b);
    while (y.lo != 0 || y.hi != 0) {
        magnitude rest;
        (void)divide(x, y, &rest);
        x = y;
        y = rest;
    }
    /* The absolute value of the smallest amount, 2^127, has no positive form; it stays as it is. */
    amount r = { x.lo, (int64_t)x.hi };
    return r;
}

bool amount_scale(amount a, amount by, int64_t *out)
{
    if (amount_sign(by) <= 0) return false;
    magnitude rest;
    magnitude quotient = divide(magnitude_of(a), magnitude_of(by), &rest);
    if (rest.lo != 0 || rest.hi != 0 || quotient.hi != 0) return false;
    if (a.hi >= 0) {
        if (quotient.lo > (uint64_t)INT64_MAX) return false;
        *out = (int64_t)quotient.lo;
    } else {
        if (quotient.lo > (uint64_t)INT64_MAX + 1) return false;
        *out = (int64_t)(0 - quotient.lo);
    }
    return true;
}

void amount_divide(amount a, uint64_t by, amount *quotient, uint64_t *remainder)
{
    if (a.hi == 0 && by != 0) { /* true for nearly all amounts */
        *quotient = (amount){ .lo = a.lo / by, .hi = 0 };
        *remainder = a.lo % by;
        return;
    }
    magnitude m = { 0, 0 }, rest = { 0, 0 }, divisor = { by, 0 };
    if (by != 0) m = divide(magnitude_of(a), divisor, &rest);
    (void)with_sign(m, a.hi < 0, quotient);
    *remainder = rest.lo;
}

#define EXACT_DOUBLES (UINT64_C(1) << 53) /* all integers up to here are exact doubles */

double amount_double(amount a)
{
    magnitude m = magnitude_of(a);
    if (m.lo == 0 && m.hi == 0) return 0;
    /* Nearly all amounts: both numbers are exact doubles, so one division rounds correctly. */
    if (m.hi == 0 && m.lo <= EXACT_DOUBLES) {
        double near = (double)m.lo / (double)AMOUNT_NANO;
        return a.hi < 0 ? -near : near;
    }
    /* With the highest bit set, the quotient by 10^9 has at least 98 bits: 53, a rounding bit, and more. */
    int shift = m.hi != 0 ? __builtin_clzll(m.hi) : 64 + __builtin_clzll(m.lo);
    if (shift >= 64) {
        m.hi = m.lo;
        m.lo = 0;
    }
    int rest_shift = shift % 64;
    if (rest_shift > 0) {
        m.hi = m.hi << rest_shift | m.lo >> (64 - rest_shift);
        m.lo <<= rest_shift;
    }
    magnitude rest, nano = { (uint64_t)AMOUNT_NANO, 0 };
    magnitude q = divide(m, nano, &rest);

    int width = 128 - __builtin_clzll(q.hi); /* q.hi is not 0 */
    int drop = width - 53; /* 45 … 46 bits below the mantissa */
    uint64_t mantissa = q.hi << (64 - drop) | q.lo >> drop;
    uint64_t below = q.lo & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    bool more = below > half || (below == half && (rest.lo != 0 || (mantissa & 1) != 0));
    mantissa += more;
    int exponent = drop - shift;
    if (mantissa >> 53 != 0) {
        mantissa >>= 1;
        exponent++;
    }
    /* Every value from 10^-9 to 2^127 / 10^9 is a normal double. */
    uint64_t image = (uint64_t)(exponent + 52 + 1023) << 52 | (mantissa & ((UINT64_C(1) << 52) - 1));
    if (a.hi < 0) image |= UINT64_C(1) << 63;
    double value;
    memcpy(&value, &image, sizeof value);
    return value;
}
