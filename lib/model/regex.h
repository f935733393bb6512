/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions as RE2 reads them, for reasons of node conditions: matched in time that grows with pattern times text. */
#ifndef MODEL_REGEX_H
#define MODEL_REGEX_H

#include <base/memory.h>
#include <karp/values.h>

typedef struct regex regex;

/* In the arena. NULL: refused, or with *wrong what is not understood; classes of Unicode (\p) are not. */
regex *regex_compile(arena *a, karp_str pattern, const char **wrong);
/* Whether the pattern is found anywhere in the text. `scratch` is released before it returns. *refused: no memory. */
bool regex_found(const regex *r, karp_str text, arena *scratch, bool *refused);

#endif
