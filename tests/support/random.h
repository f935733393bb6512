/* SPDX-License-Identifier: Apache-2.0 */
/* Repeatable numbers for tests. */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>

/* *state is any number; the same start gives the same sequence. */
static inline uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t a = *state;
    a = (a ^ (a >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    a = (a ^ (a >> 27)) * UINT64_C(0x94d049bb133111eb);
    return a ^ (a >> 31);
}

/* 0 … below - 1 */
static inline uint64_t random_below(uint64_t *state, uint64_t below) { return random_next(state) % below; }

/* All magnitudes alike: a number of 0 … 64 random bits. */
static inline uint64_t random_width(uint64_t *state)
{
    uint64_t width = random_below(state, 65);
    return width == 0 ? 0 : random_next(state) >> (64 - width);
}

#endif
