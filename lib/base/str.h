/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for karp_str. */
#pragma once

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
static inline bool str_has_prefix(karp_str a, karp_str prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.ptr, prefix.ptr, prefix.len) == 0);
}
static inline bool str_has_suffix(karp_str a, karp_str suffix)
{
    return a.len >= suffix.len && (suffix.len == 0 || memcmp(a.ptr + a.len - suffix.len, suffix.ptr, suffix.len) == 0);
}
static inline bool str_starts(karp_str a, const char *prefix) { return str_has_prefix(a, str(prefix)); }
static inline bool str_ends(karp_str a, const char *suffix) { return str_has_suffix(a, str(suffix)); }
/* A duration without the zeros at its end: "8h" of "8h0m0s". */
karp_str str_short_duration(karp_str duration);
bool str_contains(karp_str a, karp_str part);
/* The part before the first such character; "" if there is none. */
karp_str str_before(karp_str a, char c);
/* What follows the first such character; all of the text if there is none. */
karp_str str_after(karp_str a, char c);
/* What follows the last such character, or all of it. */
karp_str str_after_last(karp_str a, char c);
/* Takes the part before the first such character, or all of it, from the text. The character is left out. */
karp_str str_until(karp_str *rest, char end);

/* Whether the text is in a list. */
bool str_in(karp_str a, const karp_str *list, size_t count);
/* Whether the word is one of these, which are separated by one space each. */
bool str_in_list(karp_str word, const char *list);
bool str_in_words(karp_str a, const char *const *words, size_t count);

/* ASCII, whatever the locale. */
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
int hex_digit(char c); /* -1 = it is none */
/* Whether the texts are equal when case is ignored. */
bool equal_letters(karp_str a, karp_str b);

/* The entity of a character that HTML would read as syntax, or NULL. */
const char *html_entity(char c);

/* The precision for %.*s: the length, but at most this. */
static inline int str_shown(karp_str text, size_t most) { return (int)(text.len < most ? text.len : most); }

/* The beginning of at most so many bytes, of whole characters. */
karp_str str_cut(karp_str text, size_t most);
/* Copies the text, truncated at a character boundary, with a NUL. */
void str_shorten(char *into, size_t room, karp_str text);

/* Appends formatted text to the NUL-terminated text, truncated to the room. The format is printf's, without floating
 * point. */
void str_append(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Whether a sequence measured by utf8_length() is a control character, a bidirectional mark or a zero-width
 * character: a name with it could look different from what it is. */
bool utf8_unseen(const char *at, size_t length);

/* Length of the UTF-8 sequence at text[at]; 0 = invalid. */
size_t utf8_length(karp_str text, size_t at);
