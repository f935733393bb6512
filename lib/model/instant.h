/* SPDX-License-Identifier: Apache-2.0 */
/* Instants (nanoseconds since 1970 in UTC) and RFC 3339. */
#pragma once

#include <base/civil.h>
#include <stdbool.h>
#include <stddef.h>

#define INSTANT_TEXT 64

enum { INSTANT_OK, INSTANT_SYNTAX, INSTANT_RANGE };

/* Years 1678 to 2261 in UTC. Digits of a second beyond the ninth are dropped. *out is written only on success. */
int instant_read(const char *text, size_t len, int64_t *out);

/* The same, for callers that do not need the kind of failure. */
bool instant_parse(const char *text, size_t len, int64_t *out);

/* Writes the instant in UTC, with as many decimals as needed, and returns the length. */
size_t instant_format(int64_t instant, char out[INSTANT_TEXT]);
