/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), for digests of inputs; not meant for secrets. */
#ifndef IO_SHA256_H
#define IO_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} sha256;

void sha256_init(sha256 *s);
void sha256_add(sha256 *s, const void *data, size_t bytes);
void sha256_end(sha256 *s, unsigned char digest[32]);
/* The digest as 64 hex digits and a NUL. */
void sha256_hex(sha256 *s, char hex[65]);

#endif
