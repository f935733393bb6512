/* SPDX-License-Identifier: Apache-2.0 */
/* Durations in Go's notation ("1h30m", "1.5s", "-2ms"), in nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DURATION_TEXT 64

enum { DURATION_OK, DURATION_SYNTAX, DURATION_RANGE };

/* *out is written only on success. */
int duration_read(const char *text, size_t len, int64_t *out);

/* The same, for callers that do not need the kind of failure. */
bool duration_parse(const char *text, size_t len, int64_t *out);

/* Writes text such as "1h30m0s" and returns its length. */
size_t duration_format(int64_t nanoseconds, char out[DURATION_TEXT]);
