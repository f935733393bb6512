/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SHA extensions of x86-64. The state is in two vectors, {a b e f} and {c d g h}. Each instruction performs two
 * rounds.
 */
#include <model/digest_x86.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <cpuid.h>
#include <immintrin.h>

#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

static bool processor_has_sha(void)
{
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

/* Four rounds with the message words w and the round constants. */
WITH_SHA static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i w, const uint32_t *constants)
{
    __m128i sum = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(const void *)constants));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

/* The next four words of the message schedule: w0 has the oldest four of the last sixteen. */
WITH_SHA static inline __m128i next_words(__m128i w0, __m128i w1, __m128i w2, __m128i w3)
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
    return _mm_sha256msg2_epu32(sum, w3);
}

WITH_SHA static void add_blocks(uint32_t state[8], const unsigned char *from, size_t blocks,
                                const uint32_t constants[64])
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; blocks > 0; from += 64, blocks--) {
        __m128i first = abef, second = cdgh, w[4];
        for (unsigned i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(from + 16 * i)), big_endian);
            four_rounds(&abef, &cdgh, w[i], constants + 4 * i);
        }
        for (unsigned i = 4; i < 16; i++) {
            __m128i next = next_words(w[0], w[1], w[2], w[3]);
            w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
            four_rounds(&abef, &cdgh, next, constants + 4 * i);
        }
        abef = _mm_add_epi32(abef, first);
        cdgh = _mm_add_epi32(cdgh, second);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool digest_blocks_x86(uint32_t state[8], const unsigned char *from, size_t blocks, const uint32_t constants[64])
{
    if (!processor_has_sha()) return false;
    add_blocks(state, from, blocks, constants);
    return true;
}

#else

bool digest_blocks_x86(uint32_t state[8], const unsigned char *from, size_t blocks, const uint32_t constants[64])
{
    (void)state, (void)from, (void)blocks, (void)constants;
    return false;
}

#endif
