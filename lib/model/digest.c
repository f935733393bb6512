/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), to distinguish inputs and decisions. Not for secrets. */

#include <base/error.h>
#include <karp/values.h>

/* For fewer blocks it does not pay to detect the processor's features. */
enum { LEAST_BLOCKS_X86 = 64 };

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned by) { return (x >> by) | (x << (32 - by)); }

/* One round. The eight words rotate by one position per round; the caller does this by the order of the arguments, so
 * that nothing is moved. */
static inline void one_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g,
                             uint32_t *h, uint32_t more)
{
    uint32_t t1 = *h + turn(turn(turn(e, 14) ^ e, 5) ^ e, 6) + (g ^ (e & (f ^ g))) + more;
    *d += t1;
    *h = t1 + turn(turn(turn(a, 9) ^ a, 11) ^ a, 2) + (((a ^ b) & (b ^ c)) ^ b);
}

static void eight_rounds(uint32_t v[8], const uint32_t *constants, const uint32_t *w)
{
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
    one_round(a, b, c, &d, e, f, g, &h, constants[0] + w[0]);
    one_round(h, a, b, &c, d, e, f, &g, constants[1] + w[1]);
    one_round(g, h, a, &b, c, d, e, &f, constants[2] + w[2]);
    one_round(f, g, h, &a, b, c, d, &e, constants[3] + w[3]);
    one_round(e, f, g, &h, a, b, c, &d, constants[4] + w[4]);
    one_round(d, e, f, &g, h, a, b, &c, constants[5] + w[5]);
    one_round(c, d, e, &f, g, h, a, &b, constants[6] + w[6]);
    one_round(b, c, d, &e, f, g, h, &a, constants[7] + w[7]);
    const uint32_t after[8] = { a, b, c, d, e, f, g, h };
    memcpy(v, after, sizeof after);
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        uint32_t s0 = turn(turn(x, 11) ^ x, 7) ^ (x >> 3), s1 = turn(turn(y, 2) ^ y, 17) ^ (y >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (size_t i = 0; i < 64; i += 8) eight_rounds(v, round_constants + i, w + i);
    for (size_t i = 0; i < 8; i++) state[i] += v[i];
}

/* ---- the SHA extensions of x86-64 -------------------------------------------------------------------------------- */

/* The state is in two vectors, {a b e f} and {c d g h}. Each instruction performs two rounds. */
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

WITH_SHA static void add_blocks(uint32_t state[8], const unsigned char *from, size_t blocks)
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
            four_rounds(&abef, &cdgh, w[i], round_constants + 4 * i);
        }
        for (unsigned i = 4; i < 16; i++) {
            __m128i next = next_words(w[0], w[1], w[2], w[3]);
            w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = next;
            four_rounds(&abef, &cdgh, next, round_constants + 4 * i);
        }
        abef = _mm_add_epi32(abef, first);
        cdgh = _mm_add_epi32(cdgh, second);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Adds whole blocks of 64 bytes to the state. false = not supported by this processor, and the state is unchanged. */
static bool digest_blocks_x86(uint32_t state[8], const unsigned char *from, size_t blocks)
{
    if (!processor_has_sha()) return false;
    add_blocks(state, from, blocks);
    return true;
}

#else

static bool digest_blocks_x86(uint32_t state[8], const unsigned char *from, size_t blocks)
{
    (void)state, (void)from, (void)blocks;
    return false;
}

#endif

#define FIRST_DIGEST_SIZE SIZE_THROUGH(karp_digest, block)

void karp_digest_init(karp_digest *digest, size_t size)
{
    static const karp_digest start = { sizeof start,
                                       0,
                                       { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                         0x1f83d9ab, 0x5be0cd19 },
                                       { 0 } };
    if (digest == NULL || size < FIRST_DIGEST_SIZE) return;
    digest->size = size;
    (void)struct_give(digest, &start, sizeof start, FIRST_DIGEST_SIZE);
}

static void compress_all(uint32_t state[8], const unsigned char *from, size_t blocks)
{
    if (blocks >= LEAST_BLOCKS_X86 && digest_blocks_x86(state, from, blocks)) return;
    for (; blocks > 0; from += 64, blocks--) compress(state, from);
}

void karp_digest_add(karp_digest *digest, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    size_t have = (size_t)(digest->bytes % 64);
    digest->bytes += bytes;
    if (have && bytes) {
        size_t take = bytes < 64 - have ? bytes : 64 - have;
        memcpy(digest->block + have, from, take);
        from += take;
        bytes -= take;
        if (have + take < 64) return;
        compress(digest->state, digest->block);
    }
    compress_all(digest->state, from, bytes / 64);
    if (bytes % 64) memcpy(digest->block, from + bytes / 64 * 64, bytes % 64);
}

void karp_digest_text(const karp_digest *digest, char out[KARP_DIGEST_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    karp_digest end = { .size = sizeof end };
    memcpy(&end, digest, FIRST_DIGEST_SIZE);
    uint64_t bits = end.bytes * 8;
    unsigned char tail[72] = { 0x80 };
    size_t pad = 64 - (size_t)((end.bytes + 8) % 64);
    for (size_t i = 0; i < 8; i++) tail[pad + i] = (unsigned char)(bits >> (56 - 8 * i));
    karp_digest_add(&end, tail, pad + 8);
    for (size_t i = 0; i < 64; i++) out[i] = digits[(end.state[i / 8] >> (28 - 4 * (i % 8))) & 15];
    out[64] = '\0';
}
