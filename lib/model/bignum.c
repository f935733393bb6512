/* SPDX-License-Identifier: Apache-2.0 */
#include <model/decimal.h>

#include <string.h>

/* The callers' bounds keep every number below BIGNUM_WORDS words. Further words would be dropped, not written. */
static void push(bignum *n, uint32_t word)
{
    if (word != 0 && n->count < BIGNUM_WORDS) n->words[n->count++] = word;
}

static void trim(bignum *n)
{
    while (n->count > 0 && n->words[n->count - 1] == 0) n->count--;
}

void bignum_set(bignum *n, uint64_t value)
{
    n->words[0] = (uint32_t)value;
    n->words[1] = (uint32_t)(value >> 32);
    n->count = 2;
    trim(n);
}

void bignum_copy(bignum *to, const bignum *from)
{
    memcpy(to->words, from->words, from->count * sizeof from->words[0]);
    to->count = from->count;
}

void bignum_times(bignum *n, uint32_t by, uint32_t plus)
{
    uint64_t carry = plus;
    for (unsigned i = 0; i < n->count; i++) {
        carry += (uint64_t)n->words[i] * by;
        n->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    push(n, (uint32_t)carry);
    trim(n);
}

void bignum_times_ten(bignum *n, unsigned power)
{
    for (; power >= 9; power -= 9) bignum_times(n, 1000000000, 0);
    uint32_t rest = 1;
    for (; power > 0; power--) rest *= 10;
    bignum_times(n, rest, 0);
}

void bignum_shift(bignum *n, unsigned bits)
{
    unsigned words = bits / 32;
    if (n->count == 0) return;
    bignum_times(n, UINT32_C(1) << bits % 32, 0);
    if (words == 0 || n->count + words > BIGNUM_WORDS) return;
    memmove(n->words + words, n->words, n->count * sizeof n->words[0]);
    memset(n->words, 0, words * sizeof n->words[0]);
    n->count += words;
}

void bignum_subtract(bignum *n, const bignum *by)
{
    uint64_t borrow = 0;
    for (unsigned i = 0; i < n->count; i++) {
        uint64_t take = (i < by->count ? by->words[i] : 0) + borrow;
        borrow = n->words[i] < take;
        n->words[i] = (uint32_t)(n->words[i] - take);
    }
    trim(n);
}

int bignum_compare(const bignum *a, const bignum *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (unsigned i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
    }
    return 0;
}

/* From the most significant word down, lead is c - (a + b) over the words visited so far. The words below add less
 * than 1 to it and subtract less than 2, so only for 0 and 1 the result is not decided yet. */
int bignum_compare_sum(const bignum *a, const bignum *b, const bignum *c)
{
    unsigned count = a->count > b->count ? a->count : b->count;
    if (c->count > count) count = c->count;
    int64_t lead = 0;
    for (unsigned i = count; i-- > 0;) {
        uint64_t sum = (uint64_t)(i < a->count ? a->words[i] : 0) + (i < b->count ? b->words[i] : 0);
        lead = lead * ((int64_t)UINT32_MAX + 1) + (int64_t)(i < c->count ? c->words[i] : 0) - (int64_t)sum;
        if (lead >= 2) return -1;
        if (lead < 0) return 1;
    }
    return lead > 0 ? -1 : 0;
}

unsigned bignum_bits(const bignum *n)
{
    if (n->count == 0) return 0;
    return n->count * 32 - (unsigned)__builtin_clz(n->words[n->count - 1]);
}
