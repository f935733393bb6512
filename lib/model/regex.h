/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions in RE2's syntax, for reasons of node conditions. Matching takes time proportional to the length
 * of the pattern times that of the text.
 */
#pragma once

#include <base/memory.h>
#include <karp/values.h>

typedef struct regex regex;

/* Compiles into the arena. NULL: out of memory, or *wrong describes unsupported syntax, such as Unicode classes (\p).
 */
regex *regex_compile(arena *a, karp_str pattern, const char **wrong);
/* Whether the pattern matches anywhere in the text. `scratch` is reset before the function returns. *refused: out of
 * memory. */
bool regex_found(const regex *r, karp_str text, arena *scratch, bool *refused);
