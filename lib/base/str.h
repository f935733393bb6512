/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for karp_str. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <string.h>
#include <karp/base.h>

/* A karp_str for NUL-terminated text; NULL is "". */
static inline karp_str str(const char *text) { return (karp_str){ text, text ? strlen(text) : 0 }; }

/* Whether the text is valid: ptr may be NULL only if the text is empty. */
static inline bool str_given(karp_str text) { return text.ptr != NULL || text.len == 0; }

static inline bool equal_str(karp_str a, karp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline bool str_is(karp_str a, const char *text) { return equal_str(a, str(text)); }

/* Compares bytes; a prefix is less than the longer text. */
int compare_str(karp_str a, karp_str b);
static inline bool str_starts(karp_str a, const char *prefix)
{
    size_t length = strlen(prefix);
    return a.len >= length && memcmp(a.ptr, prefix, length) == 0;
}
static inline bool str_ends(karp_str a, const char *suffix)
{
    size_t length = strlen(suffix);
    return a.len >= length && (length == 0 || memcmp(a.ptr + a.len - length, suffix, length) == 0);
}

/* Copies the text, truncated at a character boundary, with a NUL. */
void str_shorten(char *into, size_t room, karp_str text);

/* Whether a sequence measured by utf8_length() is a control character, a bidirectional mark or a zero-width
 * character: a name with it could look different from what it is. */
bool utf8_unseen(const char *at, size_t length);

/* Length of the UTF-8 sequence at text[at]; 0 = invalid. */
size_t utf8_length(karp_str text, size_t at);

#endif
