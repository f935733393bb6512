/* SPDX-License-Identifier: Apache-2.0 */
/* Durations in Go's notation ("1h30m", "1.5s", "-2ms"), in nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DURATION_TEXT 64

enum { DURATION_OK, DURATION_SYNTAX, DURATION_RANGE };

/* instant + length, at most the last instant and at least the first, which comes after INT64_MIN = no time. */
static inline int64_t instant_after(int64_t instant, int64_t length)
{
    int64_t sum;
    if (__builtin_add_overflow(instant, length, &sum)) return length < 0 ? INT64_MIN + 1 : INT64_MAX;
    return sum == INT64_MIN ? INT64_MIN + 1 : sum;
}

/* *out is written only on success. */
int duration_read(const char *text, size_t len, int64_t *out);

/* The same, for callers that do not need the kind of failure. */
bool duration_parse(const char *text, size_t len, int64_t *out);

/* Writes text such as "1h30m0s" and returns its length. */
size_t duration_format(int64_t nanoseconds, char out[DURATION_TEXT]);
