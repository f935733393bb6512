/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text into jansson's values.
 *
 * The text is read here rather than by jansson's own reader because that one, up to 2.15, may leave a character of a
 * string out when an allocation fails once, and calls the result good. Its constructors do tell of every failure.
 */
#include <io/tree.h>
#include <io/write_buffer.h>

#include <karp/values.h>
#include <stdlib.h>
#include <string.h>

/* Of nested values, whatever the context allows: each level is a call of its own. */
enum { DEEPEST = 2048 };

typedef struct parser {
    karp_context *context;
    const char *text;
    size_t pos, end;
    unsigned depth;
    karp_status status;
    const char *why;
} parser;

static json_t *value(parser *p);

/* NULL, so that a caller can return it. The first reason stays. */
static json_t *refuse(parser *p, karp_status status, const char *why)
{
    if (p->status == KARP_OK) {
        p->status = status;
        p->why = why;
    }
    return NULL;
}

static json_t *refuse_memory(parser *p) { return refuse(p, KARP_E_NOMEM, "out of memory"); }

static json_t *checked(parser *p, json_t *made) { return made ? made : refuse_memory(p); }

static void skip_space(parser *p)
{
    while (p->pos < p->end &&
           (p->text[p->pos] == ' ' || p->text[p->pos] == '\n' || p->text[p->pos] == '\t' || p->text[p->pos] == '\r'))
        p->pos++;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static bool four_digits(const parser *p, size_t at, uint32_t *out)
{
    if (p->end - at < 4) return false;
    *out = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = p->text[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16) return false;
        *out = *out * 16 + digit;
    }
    return true;
}

static size_t put_character(char *into, uint32_t code)
{
    if (code < 0x80) {
        into[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = length; i-- > 1; code >>= 6) into[i] = (char)(0x80 | (code & 0x3f));
    into[0] = (char)(lead[length] | code);
    return length;
}

/* Four hexadecimal digits, behind \u; twice that where the first ones are half of a character. 0 = refused. */
static size_t put_code(parser *p, char *into)
{
    uint32_t code, low;
    if (!four_digits(p, p->pos, &code)) {
        refuse(p, KARP_E_SYNTAX, "four hexadecimal digits have to follow \\u");
        return 0;
    }
    p->pos += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        bool pair = p->end - p->pos >= 6 && p->text[p->pos] == '\\' && p->text[p->pos + 1] == 'u' &&
                    four_digits(p, p->pos + 2, &low);
        if (pair && low >= 0xdc00 && low < 0xe000) {
            p->pos += 6;
            return put_character(into, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        }
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000)) {
        refuse(p, KARP_E_SYNTAX, code == 0 ? "a NUL in a string" : "half a character in a string");
        return 0;
    }
    return put_character(into, code);
}

/* An escape, behind the backslash. 0 = refused. */
static size_t put_escape(parser *p, char *into)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = p->pos < p->end ? p->text[p->pos++] : '\0';
    if (c == 'u') return put_code(p, into);
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL) {
        p->pos--;
        refuse(p, KARP_E_SYNTAX, "an escape that JSON does not have");
        return 0;
    }
    into[0] = to[known - from];
    return 1;
}

/* Up to the next quote, backslash, or what may not be in a string. */
static void skip_plain(parser *p)
{
    while (p->pos < p->end) {
        unsigned char c = (unsigned char)p->text[p->pos];
        if (c == '"' || c == '\\' || c < 0x20) return;
        size_t length = c < 0x80 ? 1 : utf8_length((karp_str){ p->text, p->end }, p->pos);
        if (length == 0) {
            refuse(p, KARP_E_SYNTAX, "what is not UTF-8");
            return;
        }
        p->pos += length;
    }
}

/* The rest of a string with escapes, whose beginning is in `into`; its length. An escape is never shorter than what it
 * stands for, so there is room. */
static size_t unescape(parser *p, char *into, size_t length)
{
    for (;;) {
        size_t from = p->pos;
        skip_plain(p);
        memcpy(into + length, p->text + from, p->pos - from);
        length += p->pos - from;
        if (p->status != KARP_OK || p->pos >= p->end || p->text[p->pos] != '\\') return length;
        p->pos++;
        length += put_escape(p, into + length);
        if (p->status != KARP_OK) return length;
    }
}

typedef struct piece {
    karp_str text;
    char *owned; /* what the text lies in, if not in the document */
    size_t room;
} piece;

static void piece_free(const parser *p, const piece *s) { karp_free(p->context, s->owned, s->room); }

/* A string, at its opening quote. false = refused; nothing is left to free then. */
static bool string(parser *p, piece *out)
{
    size_t from = ++p->pos;
    *out = (piece){ { p->text + from, 0 }, NULL, 0 };
    skip_plain(p);
    size_t length = p->pos - from;
    if (p->status == KARP_OK && p->pos < p->end && p->text[p->pos] == '\\') {
        out->room = p->end - from;
        const char *quote = memchr(p->text + p->pos, '"', p->end - p->pos);
        /* Mostly the string ends at the next quote. */
        while (quote && quote[-1] == '\\') quote = memchr(quote + 1, '"', (size_t)(p->text + p->end - quote - 1));
        if (quote) out->room = (size_t)(quote - p->text) - from;
        out->owned = karp_alloc(p->context, out->room);
        if (out->owned == NULL) return refuse_memory(p) != NULL;
        memcpy(out->owned, p->text + from, length);
        out->text.ptr = out->owned;
        length = unescape(p, out->owned, length);
    }
    out->text.len = length;
    if (p->status == KARP_OK && (p->pos >= p->end || p->text[p->pos] != '"')) {
        refuse(p, KARP_E_SYNTAX, p->pos >= p->end ? "a string without an end" : "a control character in a string");
    }
    if (p->status != KARP_OK) {
        piece_free(p, out);
        return false;
    }
    p->pos++;
    return true;
}

static json_t *string_value(parser *p)
{
    piece s;
    if (!string(p, &s)) return NULL;
    json_t *made = checked(p, json_stringn_nocheck(s.text.ptr, s.text.len));
    piece_free(p, &s);
    return made;
}

/* ---- numbers and words --------------------------------------------------------------------------------------------- */

static size_t skip_digits(parser *p)
{
    size_t from = p->pos;
    while (p->pos < p->end && p->text[p->pos] >= '0' && p->text[p->pos] <= '9') p->pos++;
    return p->pos - from;
}

static json_t *integer_value(parser *p, size_t from)
{
    bool negative = p->text[from] == '-';
    uint64_t whole = 0, most = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    for (size_t i = from + negative; i < p->pos; i++) {
        uint64_t digit = (uint64_t)(p->text[i] - '0');
        if (whole > (most - digit) / 10) return refuse(p, KARP_E_RANGE, "an integer beyond 64 bits");
        whole = whole * 10 + digit;
    }
    int64_t number = negative ? -(int64_t)(whole - (whole > 0)) - (whole > 0) : (int64_t)whole;
    return checked(p, json_integer(number));
}

static json_t *number_value(parser *p)
{
    size_t from = p->pos;
    bool whole = true, good;
    p->pos += p->text[p->pos] == '-';
    size_t first = p->pos, digits = skip_digits(p);
    good = digits > 0 && (digits == 1 || p->text[first] != '0');
    if (good && p->pos < p->end && p->text[p->pos] == '.') {
        whole = false;
        p->pos++;
        good = skip_digits(p) > 0;
    }
    if (good && p->pos < p->end && (p->text[p->pos] == 'e' || p->text[p->pos] == 'E')) {
        whole = false;
        p->pos++;
        p->pos += p->pos < p->end && (p->text[p->pos] == '+' || p->text[p->pos] == '-');
        good = skip_digits(p) > 0;
    }
    if (!good) return refuse(p, KARP_E_SYNTAX, "not a number as JSON has them");
    if (whole) return integer_value(p, from);
    double number = 0;
    karp_status status = karp_double_parse((karp_str){ p->text + from, p->pos - from }, &number);
    return status == KARP_OK ? checked(p, json_real(number)) : refuse(p, status, "a number too large for a double");
}

static json_t *word_value(parser *p)
{
    static const struct {
        const char *text;
        size_t length;
    } words[] = { { "null", 4 }, { "true", 4 }, { "false", 5 } };
    for (size_t i = 0; i < 3; i++) {
        if (p->end - p->pos < words[i].length || memcmp(p->text + p->pos, words[i].text, words[i].length) != 0)
            continue;
        p->pos += words[i].length;
        return i == 0 ? json_null() : json_boolean(i == 1);
    }
    return refuse(p, KARP_E_SYNTAX, "no value starts like this");
}

/* ---- arrays and objects -------------------------------------------------------------------------------------------- */

/* Behind a bracket or a value: whether another value follows. The bracket that closes is stepped over. */
static bool more(parser *p, bool first, char close)
{
    skip_space(p);
    char c = p->pos < p->end ? p->text[p->pos] : '\0';
    if (c == close) {
        p->pos++;
        return false;
    }
    if (first) return true;
    if (c != ',') {
        refuse(p, KARP_E_SYNTAX,
               p->pos >= p->end ? "it ends in the middle"
               : close == ']'   ? "\",\" or \"]\" is missing"
                                : "\",\" or \"}\" is missing");
        return false;
    }
    p->pos++;
    skip_space(p);
    return true;
}

static void element(parser *p, json_t *array)
{
    json_t *item = value(p);
    if (item != NULL && json_array_append_new(array, item) != 0) refuse_memory(p);
}

static void member(parser *p, json_t *object)
{
    piece name;
    if (p->pos >= p->end || p->text[p->pos] != '"') {
        refuse(p, KARP_E_SYNTAX, p->pos >= p->end ? "it ends in the middle" : "a member's name is missing");
        return;
    }
    if (!string(p, &name)) return;
    skip_space(p);
    if (p->pos < p->end && p->text[p->pos] == ':') {
        p->pos++;
        skip_space(p);
        json_t *item = value(p);
        if (item != NULL && json_object_setn_new_nocheck(object, name.text.ptr, name.text.len, item) != 0)
            refuse_memory(p);
    } else {
        refuse(p, KARP_E_SYNTAX, "\":\" is missing");
    }
    piece_free(p, &name);
}

static json_t *container(parser *p, bool is_object)
{
    if (p->depth >= DEEPEST) return refuse(p, KARP_E_LIMIT, "nested too deep");
    json_t *out = checked(p, is_object ? json_object() : json_array());
    if (out == NULL) return NULL;
    p->depth++;
    p->pos++;
    for (bool first = true; more(p, first, is_object ? '}' : ']'); first = false) {
        if (is_object) member(p, out);
        else element(p, out);
        if (p->status != KARP_OK) break;
    }
    p->depth--;
    if (p->status == KARP_OK) return out;
    json_decref(out);
    return NULL;
}

static json_t *value(parser *p)
{
    switch (p->pos < p->end ? p->text[p->pos] : '\0') {
    case '{': return container(p, true);
    case '[': return container(p, false);
    case '"': return string_value(p);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return number_value(p);
    default: return p->pos < p->end ? word_value(p) : refuse(p, KARP_E_SYNTAX, "it ends in the middle");
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

json_t *io_parse(karp_context *context, const io_cursor *at, karp_str document, karp_error *error)
{
    parser p = { .context = context, .text = at->text, .pos = at->pos, .end = at->end };
    skip_space(&p);
    json_t *tree = value(&p);
    skip_space(&p);
    if (tree != NULL && p.pos == p.end) return tree;
    if (tree != NULL) {
        json_decref(tree);
        refuse(&p, KARP_E_SYNTAX, "something follows the value");
    }
    if (p.status == KARP_E_NOMEM) {
        io_nomem(error);
        return NULL;
    }
    io_fail(error, p.status, p.status == KARP_E_SYNTAX ? "not JSON: %s" : "%s", p.why);
    io_cursor stop = *at;
    for (; stop.pos < p.pos; stop.pos++) {
        if (stop.text[stop.pos] != '\n') continue;
        stop.line++;
        stop.line_start = stop.pos + 1;
    }
    io_place place = io_place_of(document, &stop);
    io_error_place(error, &place);
    return NULL;
}
