/* SPDX-License-Identifier: Apache-2.0 */
#include <io/yaml_scalar.h>

#include <karp/values.h>

#define TAG_PREFIX "tag:yaml.org,2002:"

/* ---- words ------------------------------------------------------------------------------------------------------- */

typedef enum word { WORD_NONE, WORD_TRUE, WORD_FALSE, WORD_NULL, WORD_NOT_FINITE } word;

static word word_of(karp_str text)
{
    static const struct {
        const char *text;
        word is;
    } words[] = {
        { "y", WORD_TRUE },      { "Y", WORD_TRUE },      { "yes", WORD_TRUE },    { "Yes", WORD_TRUE },
        { "YES", WORD_TRUE },    { "true", WORD_TRUE },   { "True", WORD_TRUE },   { "TRUE", WORD_TRUE },
        { "on", WORD_TRUE },     { "On", WORD_TRUE },     { "ON", WORD_TRUE },     { "n", WORD_FALSE },
        { "N", WORD_FALSE },     { "no", WORD_FALSE },    { "No", WORD_FALSE },    { "NO", WORD_FALSE },
        { "false", WORD_FALSE }, { "False", WORD_FALSE }, { "FALSE", WORD_FALSE }, { "off", WORD_FALSE },
        { "Off", WORD_FALSE },   { "OFF", WORD_FALSE },   { "", WORD_NULL },       { "~", WORD_NULL },
        { "null", WORD_NULL },   { "Null", WORD_NULL },   { "NULL", WORD_NULL },
    };
    static const char *const not_finite[] = { ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF" };
    if (text.len > 5) return WORD_NONE;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (str_is(text, words[i].text)) return words[i].is;
    }
    karp_str unsigned_ = text;
    if (text.len && (text.ptr[0] == '+' || text.ptr[0] == '-')) unsigned_ = (karp_str){ text.ptr + 1, text.len - 1 };
    for (size_t i = 0; i < 6; i++) {
        if (str_is(unsigned_, not_finite[i]) && (unsigned_.len == text.len || i > 2)) return WORD_NOT_FINITE;
    }
    return WORD_NONE;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum { NUMBER_ROOM = 512 }; /* a longer scalar is a string */

/* Parses an integer like Go with base 0: 0x, 0o, 0b, a leading 0 for octal. false = it is none, or does not fit in 64
 * bits. */
static bool integer(const char *text, size_t length, bool *negative, uint64_t *value)
{
    size_t i = 0;
    *negative = length && text[0] == '-';
    if (length && (text[0] == '-' || text[0] == '+')) i++;
    unsigned base = 10;
    if (length - i >= 3 && text[i] == '0' && memchr("xXoObB", text[i + 1], 6)) {
        char mark = (char)(text[i + 1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'o' ? 8 : 2;
        i += 2;
    } else if (length - i >= 2 && text[i] == '0') {
        base = 8;
        i++;
    }
    if (i == length) return false;
    uint64_t sum = 0;
    for (; i < length; i++) {
        unsigned digit = (unsigned)hex_digit(text[i]);
        if (digit >= base || sum > (UINT64_MAX - digit) / base) return false;
        sum = sum * base + digit;
    }
    *value = sum;
    return true;
}

/* Matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? and normalises it so that there is a digit on both sides
 * of the point. */
static bool decimal(const char *text, size_t length, strbuf *normal)
{
    size_t i = 0, whole = 0, part = 0;
    if (length && (text[0] == '-' || text[0] == '+')) {
        if (text[0] == '-') strbuf_addc(normal, '-');
        i++;
    }
    for (; i < length && is_digit(text[i]); i++, whole++) strbuf_addc(normal, text[i]);
    if (!whole) strbuf_addc(normal, '0');
    if (i < length && text[i] == '.') {
        for (i++; i < length && is_digit(text[i]); i++, part++) {
            if (part == 0) strbuf_addc(normal, '.');
            strbuf_addc(normal, text[i]);
        }
    }
    if (!whole && !part) return false;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        strbuf_addc(normal, 'e');
        i++;
        if (i < length && (text[i] == '-' || text[i] == '+')) strbuf_addc(normal, text[i++]);
        size_t digits = 0;
        for (; i < length && is_digit(text[i]); i++, digits++) strbuf_addc(normal, text[i]);
        if (!digits) return false;
    }
    return i == length;
}

/* true = *out is the number, or NULL when out of memory; false = not a number. */
static bool number(trees *t, karp_str text, tree **out)
{
    char plain[NUMBER_ROOM];
    size_t n = 0;
    if (text.len == 0 || text.len > sizeof plain || !memchr("+-.0123456789", text.ptr[0], 13)) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '_' || text.ptr[0] == '.') plain[n++] = text.ptr[i];
    }
    bool negative = false;
    uint64_t value = 0;
    if (text.ptr[0] != '.' && integer(plain, n, &negative, &value)) {
        if (!negative) {
            *out = value <= INT64_MAX ? tree_new_integer(t, (int64_t)value) : tree_new_double(t, (double)value);
            return true;
        }
        if (value <= (uint64_t)INT64_MAX + 1) {
            *out = tree_new_integer(t, value ? -(int64_t)(value - 1) - 1 : 0);
            return true;
        }
    }
    double real = 0;
    strbuf normal = strbuf_on(t->memory.context);
    bool is = decimal(plain, n, &normal) && !normal.failed &&
              karp_double_parse((karp_str){ normal.ptr, normal.len }, &real) == KARP_OK;
    if (is) *out = tree_new_double(t, real);
    if (normal.failed) t->status = KARP_E_NOMEM;
    is = is || normal.failed;
    strbuf_free(&normal);
    return is;
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static io_scalar as_text(trees *t, karp_str text, tree **out)
{
    if (text.len && memchr(text.ptr, '\0', text.len)) return IO_SCALAR_NUL;
    *out = tree_new_text(t, text);
    return IO_SCALAR_OK;
}

static bool is_utf8(karp_str text)
{
    for (size_t i = 0, length; i < text.len; i += length) {
        length = utf8_length(text, i);
        if (length == 0) return false;
    }
    return true;
}

static io_scalar base64(trees *t, karp_str text, tree **out)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    strbuf bytes = strbuf_on(t->memory.context);
    uint32_t bits = 0;
    unsigned have = 0;
    bool good = true;
    for (size_t i = 0; i < text.len && good; i++) {
        if (memchr(" \t\r\n=", text.ptr[i], 5)) continue;
        const char *at = text.ptr[i] ? memchr(alphabet, text.ptr[i], 64) : NULL;
        good = at != NULL;
        bits = (bits << 6 | (uint32_t)(good ? at - alphabet : 0)) & 0xFFFFFF;
        have += 6;
        if (have >= 8) {
            have -= 8;
            strbuf_addc(&bytes, (char)(unsigned char)(bits >> have));
        }
    }
    karp_str decoded = { bytes.ptr, bytes.len };
    io_scalar result = IO_SCALAR_WRONG_TAG;
    if (bytes.failed) {
        t->status = KARP_E_NOMEM;
        result = IO_SCALAR_OK;
    } else if (good) {
        result = as_text(t, decoded, out);
        if (result == IO_SCALAR_OK && !is_utf8(decoded)) result = IO_SCALAR_WRONG_TAG;
    }
    strbuf_free(&bytes);
    return result;
}

static io_scalar resolved(trees *t, karp_str text, tree **out)
{
    switch (word_of(text)) {
    case WORD_TRUE: *out = tree_new(t, TREE_TRUE); return IO_SCALAR_OK;
    case WORD_FALSE: *out = tree_new(t, TREE_FALSE); return IO_SCALAR_OK;
    case WORD_NULL: *out = tree_new(t, TREE_NULL); return IO_SCALAR_OK;
    case WORD_NOT_FINITE: return IO_SCALAR_NOT_FINITE;
    case WORD_NONE: break;
    }
    return number(t, text, out) ? IO_SCALAR_OK : as_text(t, text, out);
}

io_scalar io_yaml_scalar(trees *t, karp_str text, const char *tag, bool plain, tree **out)
{
    *out = NULL;
    if (!tag) return plain ? resolved(t, text, out) : as_text(t, text, out);
    size_t prefix = strlen(TAG_PREFIX);
    if (strncmp(tag, TAG_PREFIX, prefix) != 0) return as_text(t, text, out);
    const char *name = tag + prefix;
    if (strcmp(name, "str") == 0 || strcmp(name, "timestamp") == 0) return as_text(t, text, out);
    if (strcmp(name, "binary") == 0) return base64(t, text, out);
    io_scalar result = resolved(t, text, out);
    if (result != IO_SCALAR_OK || t->status) return result;
    bool fits = strcmp(name, "int") == 0     ? tree_is(*out, TREE_INTEGER)
                : strcmp(name, "float") == 0 ? tree_is_number(*out)
                : strcmp(name, "bool") == 0  ? tree_is_bool(*out)
                : strcmp(name, "null") == 0  ? tree_is(*out, TREE_NULL)
                                             : true;
    return fits ? IO_SCALAR_OK : IO_SCALAR_WRONG_TAG;
}
