/* SPDX-License-Identifier: Apache-2.0 */
#include <base/words.h>

size_t escape_length(karp_str text)
{
    size_t n = 2;
    if (text.len < 3 || text.ptr[0] != '\033' || text.ptr[1] != '[') return 0;
    while (n < text.len && text.ptr[n] != 'm') n++;
    return n < text.len ? n + 1 : 0;
}

enum { BYTES_OF_COLUMN = 4 };

static bool is_space(char c) { return c == ' ' || c == '\n'; }

static size_t columns_of(karp_str text)
{
    size_t columns = 0;
    for (size_t i = 0; i < text.len; i++) {
        size_t escape = escape_length((karp_str){ text.ptr + i, text.len - i });
        if (escape > 0) i += escape - 1;
        else columns += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    }
    return columns;
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* "12", "$45.26", "+3", "1,200": a number, of which the next word says what it counts. */
static bool is_number(karp_str word)
{
    bool digit = false;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        digit = digit || is_digit(c);
        if (!is_digit(c) && strchr("+-$.,", c) == NULL) return false;
    }
    return digit && is_digit(word.ptr[word.len - 1]);
}

static bool leads_on(karp_str word)
{
    static const char *const words[] = { "a", "an", "the", "no", "not" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (equal_str(word, str(words[i]))) return true;
    }
    return is_number(word);
}

static char closing(char c)
{
    static const char pairs[] = "()[]{}\"\"";
    for (size_t i = 0; pairs[i] != '\0'; i += 2) {
        if (pairs[i] == c) return pairs[i + 1];
    }
    return '\0';
}

static size_t word_end(karp_str text, size_t at)
{
    while (at < text.len && !is_space(text.ptr[at])) {
        size_t escape = escape_length((karp_str){ text.ptr + at, text.len - at });
        at += escape > 0 ? escape : 1;
    }
    return at;
}

/* The end of the bracket or quotation that the word opens and leaves open; 0 = it opens none, or none so short. */
static size_t open_end(karp_str text, size_t at, size_t end, size_t most)
{
    for (size_t i = at; i < end; i++) {
        size_t escape = escape_length((karp_str){ text.ptr + i, text.len - i });
        char close = escape > 0 ? '\0' : closing(text.ptr[i]);
        if (escape > 0) i += escape - 1;
        if (close == '\0') continue;
        size_t rest = text.len - i - 1, near = BYTES_OF_COLUMN * most;
        const char *stop = memchr(text.ptr + i + 1, close, rest < near ? rest : near);
        if (stop == NULL) continue;
        if (stop >= text.ptr + end) return word_end(text, (size_t)(stop - text.ptr));
        i = (size_t)(stop - text.ptr); /* closed within the word */
    }
    return 0;
}

karp_str unit_next(karp_str text, size_t *at, size_t most)
{
    while (*at < text.len && is_space(text.ptr[*at])) (*at)++;
    size_t from = *at, word = from, end = word_end(text, from);
    while (end + 1 < text.len && text.ptr[end] == ' ' && !is_space(text.ptr[end + 1])) {
        size_t next = open_end(text, word, end, most);
        if (next == 0 && leads_on((karp_str){ text.ptr + word, end - word })) next = word_end(text, end + 1);
        bool broken = next == 0 || memchr(text.ptr + from, '\n', next - from) != NULL;
        if (broken || columns_of((karp_str){ text.ptr + from, next - from }) > most) break;
        word = end + 1;
        while (word_end(text, word) < next) word = word_end(text, word) + 1;
        end = next;
    }
    *at = end;
    return (karp_str){ text.ptr + from, end - from };
}

bool unit_goes_on(karp_str text, size_t at, size_t most)
{
    for (size_t i = 0; i < at;) {
        karp_str unit = unit_next(text, &i, most);
        if (unit.len == 0) return false;
        size_t from = (size_t)(unit.ptr - text.ptr);
        if (at > from && at < i) return true;
    }
    return false;
}

size_t unit_most(size_t width, size_t indent)
{
    size_t room = width > indent ? width - indent : 1;
    return room < UNIT_MOST ? room : UNIT_MOST;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

void lay_words(karp_str text, size_t at, size_t indent, size_t width, word_sink *put, void *user)
{
    size_t most = unit_most(width, indent), column = at, i = 0;
    bool first = true;
    for (size_t end = 0;; end = i, first = false) {
        karp_str unit = unit_next(text, &i, most);
        if (unit.len == 0) return;
        size_t columns = columns_of(unit), gap = (size_t)(unit.ptr - text.ptr) - end;
        if (!first && column + gap + columns > width) {
            put(user, str("\n"));
            for (column = 0; column < indent; column++) put(user, str(" "));
        } else if (!first) {
            for (size_t n = 0; n < gap; n++, column++) put(user, str(" "));
        }
        put(user, unit);
        column += columns;
    }
}
