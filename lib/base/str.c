/* SPDX-License-Identifier: Apache-2.0 */
#include <base/str.h>

#include <stdarg.h>
#include <stdio.h>

int compare_str(karp_str a, karp_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
    if (order != 0) return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool str_contains(karp_str a, karp_str part)
{
    for (; a.len >= part.len; a.ptr++, a.len--) {
        if (str_has_prefix(a, part)) return true;
        if (a.len == 0) break;
    }
    return false;
}

karp_str str_before(karp_str a, char c)
{
    const char *at = a.len ? memchr(a.ptr, c, a.len) : NULL;
    return (karp_str){ a.ptr, at ? (size_t)(at - a.ptr) : 0 };
}

karp_str str_after(karp_str a, char c)
{
    const char *at = a.len > 0 ? memchr(a.ptr, c, a.len) : NULL;
    return at == NULL ? a : (karp_str){ at + 1, a.len - (size_t)(at + 1 - a.ptr) };
}

karp_str str_after_last(karp_str a, char c)
{
    size_t at = a.len;
    while (at > 0 && a.ptr[at - 1] != c) at--;
    return (karp_str){ a.ptr + at, a.len - at };
}

karp_str str_until(karp_str *rest, char end)
{
    const char *at = rest->len ? memchr(rest->ptr, end, rest->len) : NULL;
    karp_str part = { rest->ptr, at ? (size_t)(at - rest->ptr) : rest->len };
    size_t used = part.len + (at != NULL);
    if (used > 0) *rest = (karp_str){ rest->ptr + used, rest->len - used };
    return part;
}

bool str_in(karp_str a, const karp_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i], a)) return true;
    }
    return false;
}

bool str_in_list(karp_str word, const char *list)
{
    for (const char *at = list; *at != '\0'; at += *at == ' ') {
        size_t length = 0;
        while (at[length] != ' ' && at[length] != '\0') length++;
        if (equal_str((karp_str){ at, length }, word)) return true;
        at += length;
    }
    return false;
}

bool str_in_words(karp_str a, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(a, words[i])) return true;
    }
    return false;
}

int hex_digit(char c)
{
    if (is_digit(c)) return c - '0';
    c = ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool equal_letters(karp_str a, karp_str b)
{
    bool same = a.len == b.len;
    for (size_t i = 0; same && i < a.len; i++) same = ascii_lower(a.ptr[i]) == ascii_lower(b.ptr[i]);
    return same;
}

const char *html_entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

karp_str str_cut(karp_str text, size_t most)
{
    size_t length = text.len < most ? text.len : most;
    while (length < text.len && length > 0 && ((unsigned char)text.ptr[length] & 0xc0) == 0x80) length--;
    return (karp_str){ text.ptr, length };
}

void str_shorten(char *into, size_t room, karp_str text)
{
    text = str_cut(text, room - 1);
    if (text.len) memcpy(into, text.ptr, text.len);
    into[text.len] = '\0';
}

void str_append(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
}

size_t utf8_length(karp_str text, size_t at)
{
    const unsigned char *p = (const unsigned char *)text.ptr + at;
    size_t left = text.len - at;
    unsigned char c = p[0];
    if (c < 0x80) return 1;
    size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || length > left) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    bool overlong = (c == 0xe0 && p[1] < 0xa0) || (c == 0xf0 && p[1] < 0x90);
    bool surrogate = c == 0xed && p[1] >= 0xa0;
    bool beyond = c == 0xf4 && p[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

static bool within(uint32_t c, uint32_t first, uint32_t last) { return c >= first && c <= last; }

bool utf8_unseen(const char *at, size_t length)
{
    const unsigned char *p = (const unsigned char *)at;
    uint32_t c = length == 1 ? p[0] : p[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) c = c << 6 | (p[i] & 0x3fu);
    return c < 0x20 || within(c, 0x7f, 0x9f) || within(c, 0x200b, 0x200f) || within(c, 0x2028, 0x202e) ||
           within(c, 0x2060, 0x206f) || c == 0x061c || c == 0xfeff;
}

karp_str str_short_duration(karp_str duration)
{
    if (str_ends(duration, "m0s")) duration.len -= 2;
    if (str_ends(duration, "h0m")) duration.len -= 2;
    return duration;
}
