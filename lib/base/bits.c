/* SPDX-License-Identifier: Apache-2.0 */
#include <base/bits.h>

#include <string.h>

void bits_fill(uint64_t *set, size_t bits)
{
    size_t whole = bits / 64;
    if (whole > 0) memset(set, 0xff, whole * sizeof *set);
    if (bits % 64 != 0) set[whole] = (UINT64_C(1) << (bits % 64)) - 1;
}

void bits_and(uint64_t *into, const uint64_t *with, size_t words)
{
    for (size_t i = 0; i < words; i++) into[i] &= with[i];
}

void bits_or(uint64_t *into, const uint64_t *with, size_t words)
{
    for (size_t i = 0; i < words; i++) into[i] |= with[i];
}

void bits_and_not(uint64_t *into, const uint64_t *without, size_t words)
{
    for (size_t i = 0; i < words; i++) into[i] &= ~without[i];
}

bool bits_any(const uint64_t *set, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if (set[i] != 0) return true;
    }
    return false;
}

bool bits_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
    return words == 0 || memcmp(a, b, words * sizeof *a) == 0;
}

size_t bits_count(const uint64_t *set, size_t words)
{
    size_t count = 0;
    for (size_t i = 0; i < words; i++) count += (size_t)__builtin_popcountll(set[i]);
    return count;
}

size_t bits_next_from_word(const uint64_t *set, size_t bits, size_t word)
{
    for (size_t words = bits_words(bits); word < words; word++) {
        if (set[word] != 0) return word * 64 + (size_t)__builtin_ctzll(set[word]);
    }
    return bits;
}
