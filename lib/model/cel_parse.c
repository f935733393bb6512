/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser. It covers the whole grammar of CEL, so that invalid expressions are detected. Maps, messages and bytes
 * are parsed and reported as unsupported.
 */
#include <model/cel_tree.h>
#include <base/str.h>

#include <karp/values.h>

enum token {
    T_END,
    T_IDENTIFIER,
    T_CONSTANT,
    T_BAD,
    T_DOT,
    T_COMMA,
    T_COLON,
    T_QUESTION,
    T_OPEN,
    T_CLOSE,
    T_OPEN_LIST,
    T_CLOSE_LIST,
    T_OPEN_MAP,
    T_CLOSE_MAP,
    T_NOT,
    T_MINUS,
    T_PLUS,
    T_STAR,
    T_SLASH,
    T_PERCENT,
    T_AND,
    T_OR,
    T_EQUAL,
    T_UNEQUAL,
    T_LESS,
    T_LESS_EQUAL,
    T_MORE,
    T_MORE_EQUAL,
    T_IN
};

enum { MOST_TEXT = 1 << 16 }; /* Kubernetes allows 10 KiB */

typedef struct parser {
    arena *to;
    const char *at, *end;
    enum token token;
    karp_str text; /* for an identifier */
    cel_value constant; /* for a constant */
    unsigned nesting;
    bool wrong, beyond, refused;
} parser;

static cel_node *expression(parser *p);

/* ---- characters -------------------------------------------------------------------------------------------------- */

static bool letter(char c) { return is_letter(c) || c == '_'; }
static char peek(const parser *p, size_t ahead) { return (size_t)(p->end - p->at) > ahead ? p->at[ahead] : '\0'; }

static void skip_space(parser *p)
{
    while (p->at < p->end) {
        if (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r' || *p->at == '\f') {
            p->at++;
        } else if (peek(p, 0) == '/' && peek(p, 1) == '/') {
            while (p->at < p->end && *p->at != '\n') p->at++;
        } else {
            return;
        }
    }
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static void bad_token(parser *p)
{
    p->wrong = true;
    p->token = T_BAD;
}

static void read_number(parser *p)
{
    const char *start = p->at;
    unsigned base = peek(p, 0) == '0' && (peek(p, 1) == 'x' || peek(p, 1) == 'X') ? 16 : 10;
    bool real = false, overflow = false;
    uint64_t value = 0;
    p->token = T_CONSTANT;
    if (base == 16) p->at += 2;
    const char *digits = p->at;
    for (; p->at < p->end && (base == 16 ? hex_digit(*p->at) >= 0 : is_digit(*p->at)); p->at++) {
        unsigned one = (unsigned)hex_digit(*p->at);
        if (value > (UINT64_MAX - one) / base) overflow = true;
        else value = value * base + one;
    }
    if (p->at == digits && base == 16) {
        bad_token(p);
        return;
    }
    if (base == 10 && peek(p, 0) == '.' && is_digit(peek(p, 1))) {
        real = true;
        for (p->at++; p->at < p->end && is_digit(*p->at);) p->at++;
    }
    if (base == 10 && (peek(p, 0) == 'e' || peek(p, 0) == 'E')) {
        size_t sign = peek(p, 1) == '+' || peek(p, 1) == '-';
        if (is_digit(peek(p, 1 + sign))) {
            real = true;
            for (p->at += 1 + sign; p->at < p->end && is_digit(*p->at);) p->at++;
        }
    }
    p->constant = (cel_value){ .type = real ? CEL_T_DOUBLE : CEL_T_INT };
    if (real) {
        karp_str text = { start, (size_t)(p->at - start) };
        if (karp_double_parse(text, &p->constant.as.real) != KARP_OK) bad_token(p);
    } else if (peek(p, 0) == 'u' || peek(p, 0) == 'U') {
        p->at++;
        p->constant.type = CEL_T_UINT;
        p->constant.as.natural = value;
        if (overflow) bad_token(p);
    } else if (overflow || value > (uint64_t)INT64_MAX) {
        if (!overflow && value == (uint64_t)INT64_MAX + 1) p->beyond = true; /* valid only after a minus */
        else bad_token(p);
    } else {
        p->constant.as.integer = (int64_t)value;
    }
}

/* Writes the UTF-8 form of a code point; returns its length, 0 = invalid. */
static size_t put_code(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code >= 0xd800 && code < 0xe000) return 0;
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    if (code > 0x10ffff) return 0;
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Reads what follows a backslash; returns the length in `out`, 0 = not an escape. */
static size_t read_escape(parser *p, char *out)
{
    static const char plain[] = "abfnrtv\\?\"'`", meant[] = "\a\b\f\n\r\t\v\\?\"'`";
    char c = peek(p, 0);
    const char *found = c != '\0' ? strchr(plain, c) : NULL;
    if (found != NULL) {
        p->at++;
        out[0] = meant[found - plain];
        return 1;
    }
    size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : c >= '0' && c <= '3' ? 3 : 0;
    if (digits == 0) return 0;
    bool octal = digits == 3;
    if (!octal) p->at++;
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++, p->at++) {
        int one = hex_digit(peek(p, 0));
        if (one < 0 || (octal && one > 7)) return 0;
        code = code * (octal ? 8 : 16) + (uint32_t)one;
    }
    return put_code(code, out);
}

static void read_text(parser *p, bool raw)
{
    char quote = *p->at;
    bool triple = peek(p, 1) == quote && peek(p, 2) == quote;
    p->at += triple ? 3 : 1;
    const char *close = p->at;
    while (close < p->end && *close != quote) close += *close == '\\' && !raw ? 2 : 1;
    if (triple || close > p->end) close = p->end;
    char *out = arena_alloc_aligned(p->to, (size_t)(close - p->at) + 1, 1);
    size_t length = 0;
    if (out == NULL) {
        p->refused = true;
        p->token = T_BAD;
        return;
    }
    for (;;) { /* every escape is at least as long as its value */
        if (p->at >= p->end || (!triple && (*p->at == '\n' || *p->at == '\r'))) {
            bad_token(p);
            return;
        }
        if (*p->at == quote && (!triple || (peek(p, 1) == quote && peek(p, 2) == quote))) break;
        if (*p->at == '\\' && !raw) {
            p->at++;
            size_t n = read_escape(p, out + length);
            if (n == 0) {
                bad_token(p);
                return;
            }
            length += n;
        } else {
            out[length++] = *p->at++;
        }
    }
    p->at += triple ? 3 : 1;
    p->token = T_CONSTANT;
    p->constant = (cel_value){ .type = CEL_T_TEXT, .as.text = { out, length } };
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static bool reserved(karp_str word)
{
    static const char words[] =
        "as break const continue else for function if import let loop package namespace return var void "
        "while";
    return str_in_list(word, words);
}

static void read_word(parser *p)
{
    const char *start = p->at;
    while (p->at < p->end && (letter(*p->at) || is_digit(*p->at))) p->at++;
    p->text = (karp_str){ start, (size_t)(p->at - start) };
    p->token = T_IDENTIFIER;
    if (str_is(p->text, "in")) p->token = T_IN;
    bool yes = str_is(p->text, "true");
    if (yes || str_is(p->text, "false")) {
        p->token = T_CONSTANT;
        p->constant = (cel_value){ .type = CEL_T_BOOL, .as.boolean = yes };
    } else if (str_is(p->text, "null")) {
        p->token = T_CONSTANT;
        p->constant = (cel_value){ .type = CEL_T_NULL };
    }
}

/* Prefixes of strings: r"…", b"…", rb"…" */
static bool read_prefixed(parser *p)
{
    bool raw = false, bytes = false;
    size_t n = 0;
    for (; n < 2; n++) {
        char c = peek(p, n);
        if ((c == 'r' || c == 'R') && !raw) raw = true;
        else if ((c == 'b' || c == 'B') && !bytes) bytes = true;
        else break;
    }
    if (n == 0 || (peek(p, n) != '"' && peek(p, n) != '\'')) return false;
    p->at += n;
    if (bytes) p->beyond = true;
    read_text(p, raw);
    return true;
}

static void advance(parser *p)
{
    static const struct {
        char text[3];
        enum token token;
    } marks[] = {
        { "&&", T_AND },        { "||", T_OR },         { "==", T_EQUAL },   { "!=", T_UNEQUAL },
        { "<=", T_LESS_EQUAL }, { ">=", T_MORE_EQUAL }, { "<", T_LESS },     { ">", T_MORE },
        { "!", T_NOT },         { "-", T_MINUS },       { "+", T_PLUS },     { "*", T_STAR },
        { "/", T_SLASH },       { "%", T_PERCENT },     { ".", T_DOT },      { ",", T_COMMA },
        { ":", T_COLON },       { "?", T_QUESTION },    { "(", T_OPEN },     { ")", T_CLOSE },
        { "[", T_OPEN_LIST },   { "]", T_CLOSE_LIST },  { "{", T_OPEN_MAP }, { "}", T_CLOSE_MAP },
    };
    skip_space(p);
    if (p->at >= p->end) {
        p->token = T_END;
        return;
    }
    char c = *p->at;
    if (is_digit(c) || (c == '.' && is_digit(peek(p, 1)))) {
        read_number(p);
        return;
    }
    if (c == '"' || c == '\'') {
        read_text(p, false);
        return;
    }
    if (letter(c)) {
        if (!read_prefixed(p)) read_word(p);
        return;
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i].text);
        if (c != marks[i].text[0] || (n == 2 && peek(p, 1) != marks[i].text[1])) continue;
        p->at += n;
        p->token = marks[i].token;
        return;
    }
    bad_token(p);
}

static bool stopped(const parser *p) { return p->wrong || p->refused; }

static bool take(parser *p, enum token token)
{
    if (stopped(p) || p->token != token) return false;
    advance(p);
    return true;
}

static void need(parser *p, enum token token)
{
    if (!stopped(p) && !take(p, token)) p->wrong = true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void deepen(parser *p, cel_node *n, const cel_node *below)
{
    if (below == NULL || below->depth < n->depth) return;
    n->depth = (uint16_t)(below->depth + 1);
    if (n->depth > CEL_MOST_DEPTH) p->beyond = true;
    if (n->depth > 30000) p->refused = true; /* the counter would overflow */
}

static cel_node *new_node(parser *p, enum cel_kind kind, cel_node *first, cel_node *second, cel_node *third)
{
    cel_node *n = stopped(p) ? NULL : arena_zalloc(p->to, sizeof *n);
    if (n == NULL) {
        if (!p->wrong) p->refused = true;
        return NULL;
    }
    n->kind = kind;
    n->first = first;
    n->second = second;
    n->third = third;
    deepen(p, n, first);
    deepen(p, n, second);
    deepen(p, n, third);
    return n;
}

/* Parses arguments up to and including the closing token. `of` is NULL only when out of memory. */
static void arguments(parser *p, cel_node *of, enum token close)
{
    if (of == NULL) return;
    cel_node **last = &of->arguments;
    while (!stopped(p) && p->token != close) {
        if (close == T_CLOSE_LIST && take(p, T_QUESTION)) p->beyond = true;
        cel_node *one = expression(p);
        if (one == NULL) return;
        deepen(p, of, one);
        *last = one;
        last = &one->next;
        of->argument_count++;
        if (!take(p, T_COMMA)) break;
        if (p->token == close && close == T_CLOSE) p->wrong = true;
    }
    need(p, close);
}

/* Maps and messages are parsed, but not represented. */
static cel_node *map_literal(parser *p, bool message)
{
    p->beyond = true;
    while (!stopped(p) && p->token != T_CLOSE_MAP) {
        (void)take(p, T_QUESTION);
        if (message) need(p, T_IDENTIFIER);
        else (void)expression(p);
        need(p, T_COLON);
        (void)expression(p);
        if (!take(p, T_COMMA)) break;
    }
    need(p, T_CLOSE_MAP);
    return new_node(p, CEL_CONSTANT, NULL, NULL, NULL);
}

static cel_node *named(parser *p)
{
    if (reserved(p->text)) {
        p->wrong = true;
        return NULL;
    }
    cel_node *n = new_node(p, CEL_NAME, NULL, NULL, NULL);
    if (n == NULL) return NULL;
    n->text = p->text;
    advance(p);
    if (take(p, T_OPEN)) {
        n->kind = CEL_CALL;
        arguments(p, n, T_CLOSE);
    }
    return n;
}

static cel_node *primary(parser *p)
{
    cel_node *n = NULL;
    if (stopped(p)) return NULL;
    if (take(p, T_DOT)) {
        if (p->token != T_IDENTIFIER) p->wrong = true;
        return p->wrong ? NULL : named(p);
    }
    if (p->token == T_IDENTIFIER) return named(p);
    if (p->token == T_CONSTANT) {
        n = new_node(p, CEL_CONSTANT, NULL, NULL, NULL);
        if (n == NULL) return NULL;
        n->constant = p->constant;
        advance(p);
        return n;
    }
    if (take(p, T_OPEN)) {
        n = expression(p);
        need(p, T_CLOSE);
        return n;
    }
    if (take(p, T_OPEN_LIST)) {
        n = new_node(p, CEL_LIST, NULL, NULL, NULL);
        arguments(p, n, T_CLOSE_LIST);
        return n;
    }
    if (take(p, T_OPEN_MAP)) return map_literal(p, false);
    p->wrong = true;
    return NULL;
}

static bool message_name(const cel_node *n)
{
    while (n->kind == CEL_SELECT && !n->maybe) n = n->first;
    return n->kind == CEL_NAME;
}

static cel_node *member(parser *p)
{
    cel_node *n = primary(p);
    while (n != NULL && !stopped(p)) {
        if (take(p, T_DOT)) {
            bool maybe = take(p, T_QUESTION);
            cel_node *up = new_node(p, CEL_SELECT, n, NULL, NULL);
            if (up == NULL || p->token != T_IDENTIFIER) {
                if (up != NULL) p->wrong = true;
                return NULL;
            }
            up->maybe = maybe;
            up->text = p->text;
            advance(p);
            if (!maybe && take(p, T_OPEN)) {
                up->kind = CEL_CALL;
                up->on_first = true;
                arguments(p, up, T_CLOSE);
            }
            n = up;
        } else if (take(p, T_OPEN_LIST)) {
            bool maybe = take(p, T_QUESTION);
            n = new_node(p, CEL_INDEX, n, expression(p), NULL);
            if (n != NULL) n->maybe = maybe;
            need(p, T_CLOSE_LIST);
        } else if (p->token == T_OPEN_MAP && message_name(n)) {
            advance(p);
            n = map_literal(p, true);
        } else {
            break;
        }
    }
    return stopped(p) ? NULL : n;
}

static cel_node *unary(parser *p)
{
    enum token sign = p->token;
    size_t times = 0;
    if (sign != T_NOT && sign != T_MINUS) return member(p);
    while (take(p, sign)) times++;
    cel_node *n = member(p);
    /* Pairs of equal signs cancel out. */
    if (times % 2 == 1) return new_node(p, sign == T_NOT ? CEL_NOT : CEL_MINUS, n, NULL, NULL);
    return n != NULL ? new_node(p, sign == T_NOT ? CEL_NOT : CEL_MINUS,
                                new_node(p, sign == T_NOT ? CEL_NOT : CEL_MINUS, n, NULL, NULL), NULL, NULL)
                     : NULL;
}

struct level {
    size_t count;
    struct {
        enum token token;
        enum cel_kind kind;
    } operators[7];
};

static const struct level levels[] = {
    { 1, { { T_OR, CEL_OR } } },
    { 1, { { T_AND, CEL_AND } } },
    { 7,
      { { T_EQUAL, CEL_EQUAL },
        { T_UNEQUAL, CEL_UNEQUAL },
        { T_LESS, CEL_LESS },
        { T_LESS_EQUAL, CEL_LESS_EQUAL },
        { T_MORE, CEL_MORE },
        { T_MORE_EQUAL, CEL_MORE_EQUAL },
        { T_IN, CEL_IN } } },
    { 2, { { T_PLUS, CEL_ADD }, { T_MINUS, CEL_SUBTRACT } } },
    { 3, { { T_STAR, CEL_MULTIPLY }, { T_SLASH, CEL_DIVIDE }, { T_PERCENT, CEL_MODULO } } },
};

/* Left-associative operators of one precedence level. */
static cel_node *binary(parser *p, size_t level)
{
    if (level == sizeof levels / sizeof *levels) return unary(p);
    cel_node *n = binary(p, level + 1);
    while (n != NULL && !stopped(p)) {
        size_t i = 0;
        while (i < levels[level].count && levels[level].operators[i].token != p->token) i++;
        if (i == levels[level].count) break;
        advance(p);
        cel_node *right = binary(p, level + 1);
        n = right != NULL ? new_node(p, levels[level].operators[i].kind, n, right, NULL) : NULL;
    }
    return n;
}

static cel_node *expression(parser *p)
{
    if (++p->nesting > CEL_MOST_NESTING) {
        p->beyond = true;
        p->refused = true; /* ends parsing; cel_parse() recognizes the cause by `beyond` */
        return NULL;
    }
    cel_node *n = binary(p, 0);
    if (n != NULL && take(p, T_QUESTION)) {
        cel_node *yes = binary(p, 0);
        need(p, T_COLON);
        cel_node *no = expression(p);
        n = yes != NULL && no != NULL ? new_node(p, CEL_CHOICE, n, yes, no) : NULL;
    }
    p->nesting--;
    return n;
}

uint32_t cel_parse(arena *a, karp_str text, cel_node **root)
{
    if (text.len > MOST_TEXT) return CEL_BEYOND;
    parser p = { .to = a, .at = text.ptr, .end = text.len > 0 ? text.ptr + text.len : text.ptr };
    advance(&p);
    cel_node *n = expression(&p);
    if (!stopped(&p) && p.token != T_END) p.wrong = true;
    if (p.wrong) return CEL_WRONG;
    if (p.beyond) return CEL_BEYOND;
    if (p.refused || n == NULL) return CEL_REFUSED; /* never: no tree without one of these causes */
    *root = n;
    return CEL_COMPILED;
}
