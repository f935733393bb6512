/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that a search draws: the same sequence from the same start, which is not 0. */
#ifndef OPTIMISE_CHANCE_H
#define OPTIMISE_CHANCE_H

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

/* 0 … 1, without 1 */
static inline double chance_part(uint64_t *random)
{
    return (double)(chance_next(random) >> 11) * (1.0 / 9007199254740992.0);
}

#endif
