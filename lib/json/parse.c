/* SPDX-License-Identifier: Apache-2.0 */
/* A one-pass parser from JSON text to trees. */
#include <json/tree.h>

#include <base/hash.h>
#include <json/bytes.h>
#include <karp/library.h>
#include <karp/values.h>

/* Maximum nesting, whatever the caller allows: each level is a recursive call. */
enum { DEEPEST = 2048 };

typedef struct parser {
    trees *t;
    const char *start, *at, *end;
    const char *base; /* positions of nodes count from here */
    tree_repeats *repeats;
    unsigned depth, deepest;
    tree_fault fault;
} parser;

static tree *value(parser *p);
static tree *container(parser *p, tree_type type);

/* Returns NULL, for the caller to return. The first error is kept. */
static void *refuse(parser *p, karp_status status, const char *why)
{
    if (p->fault.status == KARP_OK) p->fault = (tree_fault){ status, why, (size_t)(p->at - p->start) };
    return NULL;
}

static void *refuse_memory(parser *p)
{
    if (p->t->status == KARP_OK) p->t->status = KARP_E_NOMEM;
    return refuse(p, p->t->status, p->t->status == KARP_E_NOMEM ? "out of memory" : "too large");
}

static inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/* Skips white space and returns the first byte after it; NUL at the end. */
static inline char after_space(parser *p)
{
    while (p->at < p->end) {
        char c = *p->at;
        if ((unsigned char)c > ' ' || !is_space(c)) return c;
        p->at++;
    }
    return '\0';
}

static inline char next(const parser *p) { return p->at < p->end ? *p->at : '\0'; }

static inline tree *made(parser *p, tree_type type, const char *from, karp_str text)
{
    tree *node = p->t->status == KARP_OK ? tree_at_hand(p->t) : NULL;
    if (!node) node = tree_new_slice(p->t, type, text);
    if (!node) return refuse_memory(p);
    *node = (tree){
        .of.text = text.ptr, .count = (uint32_t)text.len, .at = (uint32_t)(from - p->base), .type = (uint8_t)type
    };
    return node;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static bool four_digits(const parser *p, const char *at, uint32_t *out)
{
    if (p->end - at < 4) return false;
    *out = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return false;
        *out = *out * 16 + (uint32_t)digit;
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

/* Four hexadecimal digits after \u, and another escape if they are half of a surrogate pair. 0 = error. */
static size_t put_code(parser *p, char *into)
{
    uint32_t code, low;
    if (!four_digits(p, p->at, &code)) {
        refuse(p, KARP_E_SYNTAX, "four hexadecimal digits have to follow \\u");
        return 0;
    }
    p->at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        bool pair = p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u' && four_digits(p, p->at + 2, &low);
        if (pair && low >= 0xdc00 && low < 0xe000) {
            p->at += 6;
            return put_character(into, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        }
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000)) {
        refuse(p, KARP_E_SYNTAX, code == 0 ? "a NUL in a string" : "half of a surrogate pair in a string");
        return 0;
    }
    return put_character(into, code);
}

/* An escape, after the backslash. 0 = error. */
static size_t put_escape(parser *p, char *into)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = p->at < p->end ? *p->at++ : '\0';
    if (c == 'u') return put_code(p, into);
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL) {
        p->at--;
        refuse(p, KARP_E_SYNTAX, "an escape that JSON does not have");
        return 0;
    }
    into[0] = to[known - from];
    return 1;
}

/* Skips to the next quote, backslash, or invalid character. */
static void skip_plain(parser *p)
{
    const char *at = p->at;
    for (;;) {
        for (size_t plain = PLAIN_AT_ONCE; plain == PLAIN_AT_ONCE && p->end - at >= PLAIN_AT_ONCE; at += plain)
            plain = plain_bytes(at);
        if (at == p->end) break;
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\' || c < 0x20) break;
        size_t length = c < 0x80 ? 1 : utf8_length((karp_str){ at, (size_t)(p->end - at) }, 0);
        if (length == 0) {
            p->at = at;
            refuse(p, KARP_E_SYNTAX, "what is not UTF-8");
            return;
        }
        at += length;
    }
    p->at = at;
}

/* A string with escapes, starting at the first one. An escape is never shorter than its value. */
static bool unescape(parser *p, const char *from, karp_str *out)
{
    /* Usually the string ends at the next quote. */
    const char *quote = memchr(p->at, '"', (size_t)(p->end - p->at));
    while (quote && quote[-1] == '\\') quote = memchr(quote + 1, '"', (size_t)(p->end - quote - 1));
    if (!quote) quote = p->end;
    char *into = arena_alloc_aligned(&p->t->memory, (size_t)(quote - from), 1);
    if (!into) return refuse_memory(p) != NULL;
    p->t->has_texts = true;
    size_t length = 0;
    const char *plain = from;
    for (;;) {
        memcpy(into + length, plain, (size_t)(p->at - plain));
        length += (size_t)(p->at - plain);
        if (p->fault.status != KARP_OK || next(p) != '\\') break;
        p->at++;
        length += put_escape(p, into + length);
        plain = p->at;
        if (p->fault.status != KARP_OK) return false;
        skip_plain(p);
    }
    *out = (karp_str){ into, length };
    return p->fault.status == KARP_OK;
}

/* A string whose first character is at p->at. false = error. */
static bool long_string(parser *p, karp_str *out)
{
    const char *from = p->at;
    skip_plain(p);
    *out = (karp_str){ from, (size_t)(p->at - from) };
    if (p->fault.status != KARP_OK || (next(p) == '\\' && !unescape(p, from, out))) return false;
    if (next(p) != '"') {
        refuse(p, KARP_E_SYNTAX, p->at == p->end ? "a string without an end" : "a control character in a string");
        return false;
    }
    p->at++;
    if (out->len >= UINT32_MAX) return refuse(p, KARP_E_LIMIT, "too large") != NULL;
    return true;
}

/* A string, starting at its opening quote. false = error. Most strings are short and end at a quote. */
static inline bool string(parser *p, karp_str *out)
{
    const char *from = ++p->at;
    size_t plain = p->end - from >= PLAIN_AT_ONCE ? plain_bytes(from) : PLAIN_AT_ONCE;
    if (plain == PLAIN_AT_ONCE || from[plain] != '"') return long_string(p, out);
    *out = (karp_str){ from, plain };
    p->at = from + plain + 1;
    return true;
}

/* ---- numbers and words ------------------------------------------------------------------------------------------- */

static size_t skip_digits(parser *p)
{
    const char *from = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
    return (size_t)(p->at - from);
}

static bool fits_64_bits(const char *from, const char *end)
{
    bool negative = *from == '-';
    uint64_t whole = 0, most = (uint64_t)INT64_MAX + negative;
    for (from += negative; from < end; from++) {
        uint64_t digit = (uint64_t)(*from - '0');
        if (whole > (most - digit) / 10) return false;
        whole = whole * 10 + digit;
    }
    return true;
}

static tree *number(parser *p)
{
    const char *from = p->at;
    bool whole = true;
    p->at += *p->at == '-';
    const char *first = p->at;
    size_t digits = skip_digits(p);
    bool good = digits > 0 && (digits == 1 || *first != '0');
    if (good && next(p) == '.') {
        whole = false;
        p->at++;
        good = skip_digits(p) > 0;
    }
    if (good && (next(p) == 'e' || next(p) == 'E')) {
        whole = false;
        p->at++;
        p->at += next(p) == '+' || next(p) == '-';
        good = skip_digits(p) > 0;
    }
    if (!good) return refuse(p, KARP_E_SYNTAX, "not a number as JSON has them");
    karp_str text = { from, (size_t)(p->at - from) };
    double real = 0;
    if (whole && digits > 18 && !fits_64_bits(from, p->at)) return refuse(p, KARP_E_RANGE, "an integer beyond 64 bits");
    karp_status status = whole ? KARP_OK : karp_double_parse(text, &real);
    if (status != KARP_OK) return refuse(p, status, "a number too large for a double");
    return made(p, whole ? TREE_INTEGER : TREE_REAL, from, text);
}

static tree *word(parser *p)
{
    static const struct {
        const char *text;
        size_t length;
        tree_type type;
    } known[] = { { "null", 4, TREE_NULL }, { "true", 4, TREE_TRUE }, { "false", 5, TREE_FALSE } };
    for (size_t i = 0; i < 3; i++) {
        if ((size_t)(p->end - p->at) < known[i].length || memcmp(p->at, known[i].text, known[i].length) != 0) continue;
        const char *from = p->at;
        p->at += known[i].length;
        return made(p, known[i].type, from, (karp_str){ "", 0 });
    }
    return refuse(p, KARP_E_SYNTAX, p->at < p->end ? "no value begins like this" : "it ends in the middle");
}

/* ---- lists and maps ---------------------------------------------------------------------------------------------- */

static bool push(parser *p, karp_str name, tree *item)
{
    return tree_gather(p->t, name, item) || refuse_memory(p) != NULL;
}

/* After a bracket or a value: whether another value follows. Skips the closing bracket. */
static bool more(parser *p, bool first, char close)
{
    char c = after_space(p);
    if (c == close) {
        p->at++;
        return false;
    }
    if (first) return true;
    if (c != ',') {
        refuse(p, KARP_E_SYNTAX,
               p->at == p->end ? "it ends in the middle" : "a comma or the closing bracket is missing");
        return false;
    }
    p->at++;
    return true;
}

/* ---- repeated values --------------------------------------------------------------------------------------------- */

enum {
    LOOKED_AT = 64, /* bytes by which a value is looked for */
    MOST_CHANGES = 4, /* a place in which this many values were kept in vain keeps no more */
    LEAST_SLOTS = 16,
    MOST_SLOTS = 16384,
    BYTES_OF_A_SLOT = 256,
    PLACES = 4 /* neighbouring slots that a value may be in */
};

bool tree_repeats_init(tree_repeats *r, trees *memory, const karp_str *names, size_t name_count, size_t bytes)
{
    size_t count = LEAST_SLOTS;
    while (count < MOST_SLOTS && count < bytes / BYTES_OF_A_SLOT) count *= 2;
    *r = (tree_repeats){ .memory = memory, .names = names, .name_count = name_count, .slot_count = count };
    r->slots = mem_zalloc(memory->memory.context, count * sizeof *r->slots);
    return r->slots != NULL;
}

void tree_repeats_free(tree_repeats *r)
{
    mem_free(r->memory->memory.context, r->slots, r->slot_count * sizeof *r->slots);
}

/* A short value without inner lists and maps is looked for by its own bytes: those that follow may be another name in
 * each pod. A bracket in a text ends it sooner, which is as good a key. */
static size_t bytes_looked_at(const char *from, size_t rest)
{
    size_t most = rest < LOOKED_AT ? rest : LOOKED_AT;
    const char *end = memchr(from, *from == '{' ? '}' : ']', most);
    if (!end) return most;
    size_t own = (size_t)(end - from) + 1;
    return memchr(from + 1, '{', own - 1) || memchr(from + 1, '[', own - 1) ? most : own;
}

static uint64_t hash_of_end(const char *from, const char *end)
{
    size_t length = (size_t)(end - from);
    return hash_bytes(length < LOOKED_AT ? from : end - LOOKED_AT, length < LOOKED_AT ? length : LOOKED_AT, length);
}

/* Equal text at the same depth is an equal value: a list or map ends with its last bracket. */
static bool is_kept(const parser *p, const tree_repeat *kept)
{
    return kept->text && kept->depth == p->depth && kept->length <= (size_t)(p->end - p->at) &&
           memcmp(kept->text, p->at, kept->length) == 0;
}

/* Parses a value and keeps it. Its nodes are in memory of the repeats, and their positions count from its start. */
static void keep_value(parser *p, tree_repeat *into, uint32_t hash)
{
    const char *base = p->base, *from = p->at;
    trees *t = p->t;
    p->t = p->repeats->memory;
    p->base = from;
    tree *kept = *from == '{' ? container(p, TREE_MAP) : container(p, TREE_LIST);
    p->t = t;
    p->base = base;
    if (!kept) return;
    *into = (tree_repeat){
        .text = from,
        .value = kept,
        .length = (uint32_t)(p->at - from),
        .hash = hash,
        .depth = p->depth,
        .changes = into->changes + 1,
        .end = hash_of_end(from, p->at),
    };
}

/* The value's place: where one of its hash is, else a free one, else the first. */
static tree_repeat *place_of(const tree_repeats *r, uint32_t hash)
{
    for (size_t i = 0; i < PLACES; i++) {
        tree_repeat *slot = &r->slots[(hash + i) & (r->slot_count - 1)];
        if (slot->text == NULL || slot->hash == hash) return slot;
    }
    return &r->slots[hash & (r->slot_count - 1)];
}

/* container() of a member that may be repeated. */
static tree *repeated_value(parser *p)
{
    tree_repeats *r = p->repeats;
    const char *from = p->at;
    uint32_t hash = 0;
    tree_repeat *before = r->before, *slot = before->next;
    tree *out = NULL;
    bool kept = slot && is_kept(p, slot);
    if (!kept) {
        hash = (uint32_t)hash_bytes(from, bytes_looked_at(from, (size_t)(p->end - from)), r->last);
        slot = place_of(r, hash);
        kept = is_kept(p, slot);
    }
    if (kept) {
        slot->changes = 0;
        if (!mem_work(p->t->memory.context, slot->length)) return refuse_memory(p);
        p->at += slot->length;
    } else if (slot->changes < MOST_CHANGES) {
        keep_value(p, slot, hash);
        if (p->fault.status != KARP_OK) return NULL;
    } else {
        out = value(p);
        if (!out) return NULL;
    }
    before->next = r->before = slot;
    r->last = out ? hash_of_end(from, p->at) : slot->end;
    if (out) return out;
    out = made(p, slot->value->type, from, (karp_str){ "", 0 });
    if (!out) return NULL;
    uint32_t at = out->at;
    *out = *slot->value;
    out->at = at;
    out->capacity = 0;
    out->repeated = true;
    return out;
}

/* A text beside the values that may be repeated, as the kind: the same node in every object that has it in the same
 * place. */
static tree *repeated_text(parser *p)
{
    const char *from = p->at;
    uint32_t at = (uint32_t)(from - p->base);
    tree **slot = &p->repeats->texts[at / 8 % TREE_REPEATED_TEXTS];
    karp_str text;
    if (!string(p, &text)) return NULL;
    if (text.ptr != from + 1) return made(p, TREE_STRING, from, text); /* it had escapes */
    if (*slot && (*slot)->at == at && equal_str(tree_text(*slot), text)) return *slot;
    trees *t = p->t;
    p->t = p->repeats->memory;
    *slot = made(p, TREE_STRING, from, text);
    p->t = t;
    return *slot;
}

static void item(parser *p)
{
    tree *made_item = value(p);
    if (made_item) push(p, (karp_str){ NULL, 0 }, made_item);
}

static void member(parser *p)
{
    karp_str name;
    if (after_space(p) != '"') {
        refuse(p, KARP_E_SYNTAX, p->at == p->end ? "it ends in the middle" : "a member's name is missing");
        return;
    }
    if (!string(p, &name)) return;
    if (after_space(p) != ':') {
        refuse(p, KARP_E_SYNTAX, "\":\" is missing");
        return;
    }
    p->at++;
    char c = p->repeats ? after_space(p) : '\0';
    tree *made_value = (c == '{' || c == '[') && str_in(name, p->repeats->names, p->repeats->name_count)
                           ? repeated_value(p)
                       : c == '"' && p->depth == 1 ? repeated_text(p)
                                                   : value(p);
    if (made_value) push(p, name, made_value);
}

static tree *container(parser *p, tree_type type)
{
    if (p->depth >= p->deepest) return refuse(p, KARP_E_LIMIT, "nested too deep");
    tree *out = made(p, type, p->at, (karp_str){ "", 0 });
    if (!out) return NULL;
    out->of.items = NULL;
    size_t from = p->t->stack_count;
    p->depth++;
    p->at++;
    for (bool first = true; more(p, first, type == TREE_MAP ? '}' : ']'); first = false) {
        if (type == TREE_MAP) member(p);
        else item(p);
        if (p->fault.status != KARP_OK) break;
    }
    p->depth--;
    if (p->fault.status == KARP_OK && !tree_take_gathered(p->t, out, from)) refuse_memory(p);
    p->t->stack_count = from;
    return p->fault.status == KARP_OK ? out : NULL;
}

/* The value after white space. */
static tree *value(parser *p)
{
    char c = after_space(p);
    if (c == '"') {
        const char *from = p->at;
        karp_str text;
        return string(p, &text) ? made(p, TREE_STRING, from, text) : NULL;
    }
    if (c == '{') return container(p, TREE_MAP);
    if (c == '[') return container(p, TREE_LIST);
    return c == '-' || (c >= '0' && c <= '9') ? number(p) : word(p);
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

karp_status tree_parse(trees *t, karp_str text, uint32_t max_nesting, tree **out, size_t *length, tree_fault *fault)
{
    parser p = { .t = t,
                 .start = text.ptr,
                 .at = text.ptr,
                 .base = text.ptr,
                 .repeats = t->repeats,
                 .end = text.ptr + text.len,
                 .deepest = max_nesting < DEEPEST ? max_nesting : DEEPEST };
    *out = NULL;
    if (p.repeats) {
        p.repeats->last = 0;
        p.repeats->before = &p.repeats->none;
    }
    if (t->status) refuse_memory(&p);
    if (text.len >= UINT32_MAX) refuse(&p, KARP_E_LIMIT, "too large");
    tree *root = p.fault.status == KARP_OK ? value(&p) : NULL;
    if (root && !length) {
        (void)after_space(&p);
        if (p.at < p.end) refuse(&p, KARP_E_SYNTAX, "something follows the value");
    }
    *fault = p.fault;
    if (p.fault.status != KARP_OK) return p.fault.status;
    if (length) *length = (size_t)(p.at - p.start);
    *out = root;
    return KARP_OK;
}

void tree_position(karp_str text, size_t at, uint32_t *line, uint32_t *column)
{
    size_t start = 0;
    *line = 1;
    for (size_t i = 0; i < at && i < text.len; i++) {
        if (text.ptr[i] != '\n') continue;
        if (*line < UINT32_MAX) ++*line;
        start = i + 1;
    }
    *column = at - start < UINT32_MAX ? (uint32_t)(at - start) + 1 : UINT32_MAX;
}

karp_status tree_read(trees *t, karp_str document, karp_str text, tree **out, karp_error *error)
{
    const karp_context_options *limits = karp_context_get_options(t->memory.context);
    tree_fault found;
    *out = NULL;
    if (!text.ptr) text.ptr = "";
    if (text.len > limits->max_document_bytes) {
        found = (tree_fault){ KARP_E_LIMIT, "the document is longer than the limit", 0 };
    } else if (tree_parse(t, text, limits->max_nesting, out, NULL, &found) == KARP_OK) {
        return KARP_OK;
    }
    if (found.status == KARP_E_NOMEM) return fail_nomem(error);
    fail(error, found.status, found.status == KARP_E_SYNTAX ? "not JSON: %s" : "%s", found.why);
    uint32_t line, column;
    tree_position(text, found.at, &line, &column);
    error_set_place(error, document, line, column, found.at);
    return found.status;
}
