/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the names of regions and zones. */
#pragma once

#include <base/str.h>

/* The position after the letters, or digits, that begin at this one. */
static inline size_t skip_letters(karp_str text, size_t at)
{
    while (at < text.len && text.ptr[at] >= 'a' && text.ptr[at] <= 'z') at++;
    return at;
}

static inline size_t skip_digits(karp_str text, size_t at)
{
    while (at < text.len && is_digit(text.ptr[at])) at++;
    return at;
}
