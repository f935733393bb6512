/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans the bytes of JSON text, several at a time: 16 with SSE2, which every x86-64 has, otherwise 8 in one word.
 * Most of the time for reading a large document is spent here, on finding the ends of strings and the brackets
 * between them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined __SSE2__ && defined __GNUC__
#include <emmintrin.h>
#endif

#define JSON_ONES UINT64_C(0x0101010101010101)
#define JSON_HIGHS UINT64_C(0x8080808080808080)

/* The number of bytes before the first quote, backslash, control character or non-ASCII byte, among eight. May be
 * smaller where the exact number cannot be computed quickly. */
static inline size_t plain_of_eight(const char *bytes)
{
    uint64_t v;
    memcpy(&v, bytes, sizeof v);
    uint64_t quote = v ^ (JSON_ONES * '"'), slash = v ^ (JSON_ONES * '\\');
    /* The highest bit of the first such byte is set, and those of all bytes before it are clear. */
    uint64_t special = (((quote - JSON_ONES) & ~quote) | ((slash - JSON_ONES) & ~slash) |
                        ((v - JSON_ONES * 0x20) & ~v) | v) &
                       JSON_HIGHS;
    if (special == 0) return 8;
#if defined __GNUC__ && defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (size_t)__builtin_ctzll(special) / 8;
#else
    return 0;
#endif
}

#if defined __SSE2__ && defined __GNUC__

enum { PLAIN_AT_ONCE = 16 };

static inline size_t plain_bytes(const char *bytes)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    /* Bytes are signed here, so non-ASCII bytes are less than a space, like control characters. */
    unsigned special = (unsigned)_mm_movemask_epi8(_mm_or_si128(ends, _mm_cmplt_epi8(v, _mm_set1_epi8(' '))));
    return special ? (size_t)__builtin_ctz(special) : 16;
}

#else

enum { PLAIN_AT_ONCE = 8 };

static inline size_t plain_bytes(const char *bytes) { return plain_of_eight(bytes); }

#endif

/* ---- brackets in 64 bytes ---------------------------------------------------------------------------------------- */

/* Bit masks of 64 bytes. */
typedef struct json_block {
    uint64_t quotes, slashes, opens, closes, lines;
} json_block;

#if defined __SSE2__ && defined __GNUC__

enum { BLOCKS_AT_HAND = 1 };

static inline uint64_t equal_bytes(__m128i v, char c)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
}

static inline json_block block_read(const char *bytes)
{
    json_block b = { 0, 0, 0, 0, 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        /* [ and { differ in one bit, and ] and } in the same bit. */
        __m128i bracket = _mm_or_si128(v, _mm_set1_epi8(0x20));
        b.quotes |= equal_bytes(v, '"') << i;
        b.slashes |= equal_bytes(v, '\\') << i;
        b.opens |= equal_bytes(bracket, '{') << i;
        b.closes |= equal_bytes(bracket, '}') << i;
        b.lines |= equal_bytes(v, '\n') << i;
    }
    return b;
}

static inline unsigned first_bit(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }
static inline unsigned last_bit(uint64_t bits) { return 63u - (unsigned)__builtin_clzll(bits); }

#else

enum { BLOCKS_AT_HAND = 0 };

static inline json_block block_read(const char *bytes)
{
    (void)bytes;
    return (json_block){ 0, 0, 0, 0, 0 };
}

static inline unsigned first_bit(uint64_t bits) { return (void)bits, 0; }
static inline unsigned last_bit(uint64_t bits) { return (void)bits, 0; }

#endif

/* For each byte, whether the number of quotes up to and including it is odd. This is so from an opening quote to the
 * byte before the closing quote. */
static inline uint64_t inside_strings(uint64_t quotes)
{
    for (unsigned by = 1; by < 64; by *= 2) quotes ^= quotes << by;
    return quotes;
}

static inline unsigned count_bits(uint64_t bits)
{
    unsigned count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}
