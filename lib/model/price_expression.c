/* SPDX-License-Identifier: Apache-2.0 */
#include <model/price_expression.h>

#include <base/str.h>
#include <math.h>

enum { DEEPEST = 32 };

typedef struct price_value {
    bool whole;
    int64_t number;
    double real;
} price_value;

typedef struct reading {
    const char *at, *end;
    double price;
    unsigned depth;
    const char *why; /* what is wrong; NULL = nothing yet */
    bool beyond;
} reading;

static const price_value none = { true, 0, 0 };
static price_value sum(reading *r);

static price_value wrong(reading *r, const char *why, bool beyond)
{
    if (r->why == NULL) {
        r->why = why;
        r->beyond = beyond;
    }
    r->at = r->end;
    return none;
}

static void skip_blanks(reading *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool next_is(reading *r, char c)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool takes_word(reading *r, const char *word)
{
    const char *at = r->at;
    while (*word && at < r->end && *at == *word) at++, word++;
    if (*word || (at < r->end && (is_letter(*at) || is_digit(*at) || *at == '_'))) return false;
    r->at = at;
    return true;
}

static price_value literal(reading *r)
{
    price_value v = none;
    const char *from = r->at;
    bool point = false;
    for (; r->at < r->end && (is_digit(*r->at) || *r->at == '.'); r->at++) point = point || *r->at == '.';
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        point = true;
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-')) r->at++;
        while (r->at < r->end && is_digit(*r->at)) r->at++;
    }
    const karp_str text = { from, (size_t)(r->at - from) };
    if (r->at < r->end && (is_letter(*r->at) || *r->at == '_'))
        return wrong(r, "only decimal numbers are read, without a suffix", true);
    if (point && (text.ptr[text.len - 1] == '.' || karp_double_parse(text, &v.real) != KARP_OK))
        return wrong(r, "a number is not written as CEL does", false);
    v.whole = !point;
    for (size_t i = 0; i < text.len && v.whole; i++) {
        if (__builtin_mul_overflow(v.number, 10, &v.number) ||
            __builtin_add_overflow(v.number, text.ptr[i] - '0', &v.number))
            return wrong(r, "a whole number is too large", false);
    }
    return v;
}

static price_value value(reading *r)
{
    skip_blanks(r);
    if (++r->depth > DEEPEST) return wrong(r, "it is nested too deeply", true);
    price_value v = none;
    if (r->at == r->end) {
        v = wrong(r, "a value is missing", false);
    } else if (next_is(r, '-')) {
        v = value(r);
        if (v.whole && __builtin_sub_overflow(INT64_C(0), v.number, &v.number))
            v = wrong(r, "a whole number is too large", false);
        v.real = -v.real;
    } else if (next_is(r, '(')) {
        v = sum(r);
        if (r->why == NULL && !next_is(r, ')')) v = wrong(r, "a parenthesis is not closed", false);
    } else if (is_digit(*r->at) || *r->at == '.') {
        v = literal(r);
    } else if (takes_word(r, "self") && next_is(r, '.') && (skip_blanks(r), takes_word(r, "price"))) {
        v = (price_value){ .real = r->price };
    } else {
        v = wrong(r, "only self.price, numbers, + - * / and parentheses are evaluated", true);
    }
    r->depth--;
    return v;
}

static price_value combine_whole(reading *r, price_value a, char sign, price_value b)
{
    bool over = sign == '+'   ? __builtin_add_overflow(a.number, b.number, &a.number)
                : sign == '-' ? __builtin_sub_overflow(a.number, b.number, &a.number)
                : sign == '*' ? __builtin_mul_overflow(a.number, b.number, &a.number)
                              : b.number == 0 || (b.number == -1 && a.number == INT64_MIN);
    if (over) return wrong(r, sign == '/' ? "a whole number is divided by 0" : "a whole number is too large", false);
    if (sign == '/') a.number /= b.number;
    return a;
}

static price_value combine(reading *r, price_value a, char sign, price_value b)
{
    if (r->why != NULL) return none;
    if (a.whole != b.whole)
        return wrong(r, "a whole number stands beside another one, which CEL does not mix: write 2.0 instead of 2",
                     false);
    if (a.whole) return combine_whole(r, a, sign, b);
    if (sign == '+') a.real += b.real;
    else if (sign == '-') a.real -= b.real;
    else if (sign == '*') a.real *= b.real;
    else a.real /= b.real;
    return a;
}

/* Terms and their signs, which are read from left to right. */
static price_value chain(reading *r, const char signs[2], price_value (*term)(reading *))
{
    price_value v = term(r);
    for (;;) {
        char sign = next_is(r, signs[0]) ? signs[0] : next_is(r, signs[1]) ? signs[1] : '\0';
        if (sign == '\0') return v;
        v = combine(r, v, sign, term(r));
    }
}

static price_value product(reading *r) { return chain(r, "*/", value); }
static price_value sum(reading *r) { return chain(r, "+-", product); }

bool price_evaluate(karp_str expression, double price, double *out, const char **why, bool *beyond)
{
    reading r = { expression.ptr, expression.ptr + expression.len, price, 0, NULL, false };
    const price_value v = sum(&r);
    skip_blanks(&r);
    if (r.at != r.end) (void)wrong(&r, "only self.price, numbers, + - * / and parentheses are evaluated", true);
    *out = v.whole ? (double)v.number : v.real;
    if (r.why == NULL && !isfinite(*out)) (void)wrong(&r, "the price is not a finite number", false);
    *why = r.why;
    *beyond = r.beyond;
    return r.why == NULL;
}
