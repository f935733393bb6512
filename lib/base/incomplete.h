/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of an input that was not wholly planned. */
#pragma once

#include <base/str.h>

enum { INCOMPLETE_TEXT = 160 };

/* "2 objects create pods that are not planned; 1 part of the input is not understood" */
static inline void incomplete_text(size_t unplanned, size_t unknown, char out[INCOMPLETE_TEXT])
{
    out[0] = '\0';
    if (unplanned > 0)
        str_append(out, INCOMPLETE_TEXT, "%zu %s pods that are not planned", unplanned,
                   unplanned == 1 ? "object creates" : "objects create");
    if (unknown > 0)
        str_append(out, INCOMPLETE_TEXT, "%s%zu %s of the input %s not understood", unplanned > 0 ? "; " : "", unknown,
                   unknown == 1 ? "part" : "parts", unknown == 1 ? "is" : "are");
}
