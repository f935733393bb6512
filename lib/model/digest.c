/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), to distinguish inputs and decisions. Not for secrets. */
#include <model/digest_x86.h>

#include <string.h>

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
    uint32_t t1 = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + more;
    *d += t1;
    *h = t1 + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
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
        uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (size_t i = 0; i < 64; i += 8) eight_rounds(v, round_constants + i, w + i);
    for (size_t i = 0; i < 8; i++) state[i] += v[i];
}

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
    if (blocks >= LEAST_BLOCKS_X86 && digest_blocks_x86(state, from, blocks, round_constants)) return;
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
