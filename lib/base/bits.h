/* SPDX-License-Identifier: Apache-2.0 */
/* Bit sets of any width, as arrays of 64-bit words. Bits beyond the width are always zero. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t bits_words(size_t bits) { return (bits + 63) / 64; }
static inline bool bits_test(const uint64_t *set, size_t bit) { return (set[bit >> 6] >> (bit & 63)) & 1; }
static inline void bits_set(uint64_t *set, size_t bit) { set[bit >> 6] |= UINT64_C(1) << (bit & 63); }
static inline void bits_clear(uint64_t *set, size_t bit) { set[bit >> 6] &= ~(UINT64_C(1) << (bit & 63)); }

/* sets the first `bits` bits, and clears the remaining bits of the last word */
void bits_fill(uint64_t *set, size_t bits);
void bits_and(uint64_t *into, const uint64_t *with, size_t words);
void bits_or(uint64_t *into, const uint64_t *with, size_t words);
void bits_and_not(uint64_t *into, const uint64_t *without, size_t words);
bool bits_any(const uint64_t *set, size_t words);
bool bits_equal(const uint64_t *a, const uint64_t *b, size_t words);
size_t bits_count(const uint64_t *set, size_t words);
/* The first set bit at or after the word with index `word`; `bits` if there is none. */
size_t bits_next_from_word(const uint64_t *set, size_t bits, size_t word);
/* The first set bit at or after `from`, or `bits` if there is none. */
static inline size_t bits_next(const uint64_t *set, size_t bits, size_t from)
{
    if (from >= bits) return bits;
    uint64_t rest = set[from / 64] >> (from % 64);
    return rest != 0 ? from + (size_t)__builtin_ctzll(rest) : bits_next_from_word(set, bits, from / 64 + 1);
}
