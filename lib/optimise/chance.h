/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo-random numbers for searches: the same seed, which must not be 0, gives the same sequence. */
#pragma once

#include <stdint.h>

static inline uint64_t chance_next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* 0 … n - 1 */
static inline uint32_t chance_below(uint64_t *random, uint32_t n)
{
    return (uint32_t)(((chance_next(random) >> 32) * n) >> 32);
}

/* 0 … 1, excluding 1 */
static inline double chance_part(uint64_t *random)
{
    return (double)(chance_next(random) >> 11) * (1.0 / 9007199254740992.0);
}
