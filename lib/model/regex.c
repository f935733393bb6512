/* SPDX-License-Identifier: Apache-2.0 */
#include <model/regex.h>

#include <string.h>

enum { MOST_STEPS = 8192, MOST_RANGES = 4096, MOST_REPEATS = 1000, MOST_DEPTH = 100 };

enum op { OP_RANGES, OP_SPLIT, OP_JUMP, OP_BEGIN, OP_END, OP_LINE_BEGIN, OP_LINE_END, OP_WORD, OP_NO_WORD, OP_MATCH };

/* An instruction of the matcher; targets are indices of instructions. */
typedef struct step {
    uint8_t op;
    bool not_in; /* OP_RANGES: characters outside of the ranges */
    uint32_t x, y; /* targets; OP_RANGES: the first range and the number of ranges */
} step;

typedef struct range {
    uint32_t from, to;
} range;

struct regex {
    step *steps;
    range *ranges;
    uint32_t step_count, range_count;
};

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

typedef struct parser {
    regex *r;
    const unsigned char *at, *end;
    const char *wrong;
    uint32_t depth;
    bool ignore_case, dot_all, lines; /* flags i, s, m */
} parser;

/* Decodes the next UTF-8 character. Invalid bytes are decoded to values beyond all characters. */
static uint32_t decode(const unsigned char **at, const unsigned char *end)
{
    const unsigned char *p = *at;
    uint32_t first = *p++, value = first;
    int more = first >= 0xf0 && first < 0xf8 ? 3 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xc2 && first < 0xe0;
    if (more > 0) value = first & (0x3fu >> more);
    for (int i = 0; i < more; i++) {
        if (p == end || (*p & 0xc0) != 0x80) {
            ++*at;
            return 0x110000 + first;
        }
        value = value << 6 | (*p++ & 0x3f);
    }
    *at = p;
    return first < 0x80 || more > 0 ? value : 0x110000 + first;
}

static void fail_at(parser *p, const char *what)
{
    if (p->wrong == NULL) p->wrong = what;
    p->at = p->end;
}

static uint32_t emit(parser *p, step one)
{
    if (p->r->step_count == MOST_STEPS) {
        fail_at(p, "it is too long");
        return 0;
    }
    p->r->steps[p->r->step_count] = one;
    return p->r->step_count++;
}

static bool jumps(const step *s) { return s->op == OP_SPLIT || s->op == OP_JUMP; }

/* Inserts an instruction before `at`. */
static void insert(parser *p, uint32_t at, step one)
{
    step *s = p->r->steps;
    if (p->r->step_count == MOST_STEPS) {
        fail_at(p, "it is too long");
        return;
    }
    memmove(s + at + 1, s + at, (p->r->step_count - at) * sizeof *s);
    p->r->step_count++;
    for (uint32_t i = at + 1; i < p->r->step_count; i++) {
        if (!jumps(&s[i])) continue;
        s[i].x += s[i].x >= at;
        s[i].y += s[i].op == OP_SPLIT && s[i].y >= at;
    }
    s[at] = one;
}

/* Appends a copy of the instructions. */
static void copy_piece(parser *p, uint32_t from, uint32_t to)
{
    uint32_t shift = p->r->step_count - from;
    for (uint32_t i = from; i < to && p->wrong == NULL; i++) {
        step one = p->r->steps[i];
        if (jumps(&one)) {
            one.x += shift;
            one.y += shift;
        }
        emit(p, one);
    }
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static void add_range(parser *p, uint32_t from, uint32_t to)
{
    if (p->r->range_count + 3 > MOST_RANGES) {
        fail_at(p, "it is too long");
        return;
    }
    p->r->ranges[p->r->range_count++] = (range){ from, to };
    if (!p->ignore_case) return;
    uint32_t low = from > 'a' ? from : 'a', high = to < 'z' ? to : 'z';
    if (low <= high) p->r->ranges[p->r->range_count++] = (range){ low - 32, high - 32 };
    low = from > 'A' ? from : 'A';
    high = to < 'Z' ? to : 'Z';
    if (low <= high) p->r->ranges[p->r->range_count++] = (range){ low + 32, high + 32 };
}

static void add_ranges(parser *p, const range *list, size_t count, bool complement)
{
    uint32_t from = 0;
    for (size_t i = 0; i < count; i++) {
        if (!complement) add_range(p, list[i].from, list[i].to);
        else if (list[i].from > from) add_range(p, from, list[i].from - 1);
        from = list[i].to + 1;
    }
    if (complement) add_range(p, from, UINT32_MAX);
}

static const range digits[] = { { '0', '9' } }, words_[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } },
                   blanks[] = { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' } };

/* \d \D \w \W \s \S */
static bool class_escape(parser *p, uint32_t c)
{
    bool upper = c >= 'A' && c <= 'Z';
    switch (upper ? c + 32 : c) {
    case 'd': add_ranges(p, digits, 1, upper); return true;
    case 'w': add_ranges(p, words_, 4, upper); return true;
    case 's': add_ranges(p, blanks, 3, upper); return true;
    default: return false;
    }
}

static int hex(uint32_t c)
{
    return c >= '0' && c <= '9'   ? (int)c - '0'
           : c >= 'a' && c <= 'f' ? (int)c - 'a' + 10
           : c >= 'A' && c <= 'F' ? (int)c - 'A' + 10
                                  : -1;
}

/* The character that an escape stands for, if it is a single character. */
static uint32_t escaped(parser *p, uint32_t c)
{
    static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
    const char *known = c < 128 && c != 0 ? strchr(names, (int)c) : NULL;
    if (known != NULL) return (unsigned char)values[known - names];
    if (c == 'x' && p->end - p->at >= 2 && hex(p->at[0]) >= 0 && hex(p->at[1]) >= 0) {
        uint32_t value = (uint32_t)(hex(p->at[0]) * 16 + hex(p->at[1]));
        p->at += 2;
        return value;
    }
    bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || c >= 128) fail_at(p, "an escape is not known");
    return c;
}

/* [:alpha:] and others; the colon comes next. */
static bool named_class(parser *p)
{
    static const struct {
        const char *name;
        range list[4];
        size_t count;
    } names[] = {
        { "alpha:]", { { 'A', 'Z' }, { 'a', 'z' } }, 2 },
        { "digit:]", { { '0', '9' } }, 1 },
        { "alnum:]", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } }, 3 },
        { "upper:]", { { 'A', 'Z' } }, 1 },
        { "lower:]", { { 'a', 'z' } }, 1 },
        { "space:]", { { '\t', '\r' }, { ' ', ' ' } }, 2 },
        { "blank:]", { { '\t', '\t' }, { ' ', ' ' } }, 2 },
        { "punct:]", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } }, 4 },
        { "xdigit:]", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } }, 3 },
        { "word:]", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } }, 4 },
    };
    const unsigned char *at = p->at + 1;
    bool complement = at < p->end && *at == '^';
    at += complement;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i].name);
        if ((size_t)(p->end - at) < length || memcmp(at, names[i].name, length) != 0) continue;
        add_ranges(p, names[i].list, names[i].count, complement);
        p->at = at + length;
        return true;
    }
    return false;
}

/* One end of a range in brackets. */
static uint32_t class_end(parser *p)
{
    uint32_t c = decode(&p->at, p->end);
    return c == '\\' && p->at < p->end ? escaped(p, decode(&p->at, p->end)) : c;
}

/* After '['. */
static void parse_class(parser *p)
{
    step one = { .op = OP_RANGES, .x = p->r->range_count };
    one.not_in = p->at < p->end && *p->at == '^';
    p->at += one.not_in;
    for (bool first = true; p->at < p->end && (first || *p->at != ']'); first = false) {
        if (*p->at == '[' && p->at + 1 < p->end && p->at[1] == ':') {
            p->at++;
            if (named_class(p)) continue;
            fail_at(p, "a named class is not known");
            return;
        }
        if (*p->at == '\\' && p->at + 1 < p->end && class_escape(p, p->at[1])) {
            p->at += 2;
            continue;
        }
        uint32_t from = class_end(p), to = from;
        if (p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            to = class_end(p);
        }
        if (to < from) fail_at(p, "a range goes backwards");
        add_range(p, from, to);
    }
    if (p->wrong == NULL && p->at == p->end) fail_at(p, "a bracket is not closed");
    if (p->wrong != NULL) return;
    p->at++;
    one.y = p->r->range_count - one.x;
    emit(p, one);
}

static void literal(parser *p, uint32_t c)
{
    step one = { .op = OP_RANGES, .x = p->r->range_count };
    add_range(p, c, c);
    one.y = p->r->range_count - one.x;
    emit(p, one);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void parse_choice(parser *p);

/* Flags after "(?"; true = they apply to a group that follows, false = to the rest. */
static bool parse_flags(parser *p)
{
    bool on = true;
    for (; p->at < p->end; p->at++) {
        switch (*p->at) {
        case '-': on = false; break;
        case 'i': p->ignore_case = on; break;
        case 's': p->dot_all = on; break;
        case 'm': p->lines = on; break;
        case 'U': break; /* greediness does not change whether there is a match */
        case ':':
        case ')': return *p->at++ == ':';
        default: fail_at(p, "a flag is not known"); return false;
        }
    }
    fail_at(p, "a parenthesis is not closed");
    return false;
}

/* After "(?P<" or "(?<": skips the name. */
static void skip_name(parser *p)
{
    while (p->at < p->end && *p->at != '>') p->at++;
    if (p->at < p->end) p->at++;
    else fail_at(p, "the name of a group does not end");
}

/* After '('. */
static void parse_group(parser *p)
{
    parser before = *p;
    if (p->at < p->end && *p->at == '?') {
        p->at++;
        if (p->end - p->at >= 2 && p->at[0] == 'P' && p->at[1] == '<') {
            p->at += 2;
            skip_name(p);
        } else if (p->at < p->end && *p->at == '<') {
            p->at++;
            skip_name(p);
        } else if (!parse_flags(p)) {
            return;
        }
    }
    if (++p->depth > MOST_DEPTH) fail_at(p, "it is nested too deeply");
    parse_choice(p);
    p->depth--;
    if (p->wrong == NULL && (p->at == p->end || *p->at != ')')) fail_at(p, "a parenthesis is not closed");
    if (p->wrong != NULL) return;
    p->at++;
    p->ignore_case = before.ignore_case;
    p->dot_all = before.dot_all;
    p->lines = before.lines;
}

static void parse_escape(parser *p)
{
    if (p->at == p->end) {
        fail_at(p, "a backslash is at the end");
        return;
    }
    uint32_t c = decode(&p->at, p->end);
    step one = { .op = OP_RANGES, .x = p->r->range_count };
    if (c == 'A') one.op = OP_BEGIN;
    else if (c == 'z') one.op = OP_END;
    else if (c == 'b') one.op = OP_WORD;
    else if (c == 'B') one.op = OP_NO_WORD;
    else if (!class_escape(p, c)) {
        c = escaped(p, c);
        if (p->wrong == NULL) literal(p, c);
        return;
    }
    one.y = one.op == OP_RANGES ? p->r->range_count - one.x : 0;
    emit(p, one);
}

static void parse_dot(parser *p)
{
    step one = { .op = OP_RANGES, .not_in = true, .x = p->r->range_count };
    if (!p->dot_all) add_range(p, '\n', '\n');
    one.y = p->r->range_count - one.x;
    emit(p, one);
}

static void parse_atom(parser *p)
{
    uint32_t c = decode(&p->at, p->end);
    switch (c) {
    case '(': parse_group(p); return;
    case '[': parse_class(p); return;
    case '\\': parse_escape(p); return;
    case '.': parse_dot(p); return;
    case '^': emit(p, (step){ .op = p->lines ? OP_LINE_BEGIN : OP_BEGIN }); return;
    case '$': emit(p, (step){ .op = p->lines ? OP_LINE_END : OP_END }); return;
    case '*':
    case '+':
    case '?': fail_at(p, "there is nothing to repeat"); return;
    default: literal(p, c); return;
    }
}

static bool parse_number(const unsigned char **at, const unsigned char *end, uint32_t *out)
{
    const unsigned char *start = *at;
    *out = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && *out <= MOST_REPEATS; ++*at) *out = *out * 10 + (**at - '0');
    return *at > start;
}

/* {n}, {n,} or {n,m} at the current position; other braces are literal. */
static bool parse_bounds(parser *p, uint32_t *least, uint32_t *most)
{
    const unsigned char *at = p->at + 1;
    if (!parse_number(&at, p->end, least)) return false;
    *most = *least;
    if (at < p->end && *at == ',') {
        at++;
        *most = UINT32_MAX;
        if (at < p->end && *at != '}' && !parse_number(&at, p->end, most)) return false;
    }
    if (at == p->end || *at != '}') return false;
    p->at = at + 1;
    if (*least > MOST_REPEATS || (*most != UINT32_MAX && (*most > MOST_REPEATS || *most < *least)))
        fail_at(p, "it repeats too often");
    return true;
}

/* Repeats the instructions from `from` on. */
static void repeat(parser *p, uint32_t from, uint32_t least, uint32_t most)
{
    uint32_t to = p->r->step_count, length = to - from;
    if (most == 0) {
        p->r->step_count = from;
        return;
    }
    for (uint32_t i = 1; i < least && p->wrong == NULL; i++) copy_piece(p, from, to);
    if (most == UINT32_MAX) {
        if (least > 0) { /* the last copy loops back to itself */
            uint32_t back = p->r->step_count - length;
            emit(p, (step){ .op = OP_SPLIT, .x = back, .y = p->r->step_count + 1 });
        } else {
            insert(p, from, (step){ .op = OP_SPLIT, .x = from + 1, .y = to + 2 });
            emit(p, (step){ .op = OP_JUMP, .x = from });
        }
        return;
    }
    if (least == 0) {
        insert(p, from, (step){ .op = OP_SPLIT, .x = from + 1, .y = to + 1 });
        from++;
        to++;
        least = 1;
    }
    for (uint32_t i = least; i < most && p->wrong == NULL; i++) {
        uint32_t here = emit(p, (step){ .op = OP_SPLIT, .x = p->r->step_count + 1 });
        copy_piece(p, from, to);
        p->r->steps[here].y = p->r->step_count;
    }
}

static void parse_piece(parser *p)
{
    uint32_t from = p->r->step_count, least, most;
    parse_atom(p);
    for (bool again = false; p->wrong == NULL && p->at < p->end; again = true) {
        unsigned char c = *p->at;
        if (c == '{' ? !parse_bounds(p, &least, &most) : c != '*' && c != '+' && c != '?') return;
        if (again) fail_at(p, "a repetition is repeated");
        if (p->wrong != NULL) return;
        if (c != '{') {
            p->at++;
            least = c == '+';
            most = c == '?' ? 1 : UINT32_MAX;
        }
        if (p->at < p->end && *p->at == '?') p->at++; /* greediness does not change whether there is a match */
        repeat(p, from, least, most);
    }
}

static void parse_choice(parser *p)
{
    uint32_t from = p->r->step_count, last = UINT32_MAX; /* the jumps to the end of the group, linked by y */
    for (;;) {
        while (p->wrong == NULL && p->at < p->end && *p->at != '|' && *p->at != ')') parse_piece(p);
        if (p->wrong != NULL) return;
        if (p->at == p->end || *p->at != '|') break;
        p->at++;
        insert(p, from, (step){ .op = OP_SPLIT, .x = from + 1, .y = p->r->step_count + 2 });
        last = emit(p, (step){ .op = OP_JUMP, .y = last });
        from = p->r->step_count;
    }
    while (last != UINT32_MAX) {
        uint32_t before = p->r->steps[last].y;
        p->r->steps[last] = (step){ .op = OP_JUMP, .x = p->r->step_count };
        last = before;
    }
}

regex *regex_compile(arena *a, karp_str pattern, const char **wrong)
{
    regex *r = arena_alloc(a, sizeof *r);
    *wrong = NULL;
    if (r == NULL) return NULL;
    *r = (regex){ .steps = arena_array(a, MOST_STEPS, sizeof(step)),
                  .ranges = arena_array(a, MOST_RANGES, sizeof(range)) };
    if (r->steps == NULL || r->ranges == NULL) return NULL;
    parser p = { .r = r, .at = (const unsigned char *)pattern.ptr };
    p.end = p.at + pattern.len;
    if (pattern.len > 0) parse_choice(&p);
    if (p.wrong == NULL && p.at < p.end) p.wrong = "a parenthesis was not opened";
    emit(&p, (step){ .op = OP_MATCH });
    *wrong = p.wrong;
    return p.wrong == NULL ? r : NULL;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* The current set of instructions, each once. */
typedef struct places {
    uint32_t *items, count;
    uint32_t *seen; /* by instruction: the round in which it was added */
} places;

typedef struct machine {
    const regex *r;
    uint32_t *stack;
    uint32_t round;
    uint32_t before, after; /* the characters before and after the position; UINT32_MAX = end of the text */
} machine;

static bool word_character(uint32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool holds_here(const machine *m, const step *s)
{
    bool word = word_character(m->before) != word_character(m->after);
    switch (s->op) {
    case OP_BEGIN: return m->before == UINT32_MAX;
    case OP_END: return m->after == UINT32_MAX;
    case OP_LINE_BEGIN: return m->before == UINT32_MAX || m->before == '\n';
    case OP_LINE_END: return m->after == UINT32_MAX || m->after == '\n';
    case OP_WORD: return word;
    default: return !word;
    }
}

/* Adds the instruction and all that follow it without consuming a character. true = the pattern matches. */
static bool reach(machine *m, places *to, uint32_t first)
{
    uint32_t depth = 0;
    m->stack[depth++] = first;
    while (depth > 0) {
        uint32_t at = m->stack[--depth];
        const step *s = &m->r->steps[at];
        if (to->seen[at] == m->round) continue;
        to->seen[at] = m->round;
        if (s->op == OP_MATCH) return true;
        if (s->op == OP_RANGES) to->items[to->count++] = at;
        else if (s->op == OP_JUMP) m->stack[depth++] = s->x;
        else if (s->op == OP_SPLIT) {
            m->stack[depth++] = s->y;
            m->stack[depth++] = s->x;
        } else if (holds_here(m, s)) m->stack[depth++] = at + 1;
    }
    return false;
}

static bool takes(const regex *r, const step *s, uint32_t c)
{
    for (uint32_t i = s->x; i < s->x + s->y; i++) {
        if (c >= r->ranges[i].from && c <= r->ranges[i].to) return !s->not_in;
    }
    return s->not_in;
}

static bool run_machine(machine *m, places *now, places *next, karp_str text)
{
    const unsigned char *at = (const unsigned char *)text.ptr, *end = at + text.len;
    m->before = UINT32_MAX;
    m->round = 1;
    for (;;) {
        const unsigned char *here = at;
        m->after = here < end ? decode(&at, end) : UINT32_MAX;
        if (reach(m, now, 0)) return true;
        if (here == end) return false;
        /* The next instructions are at the position after the character, which has different neighbours. */
        machine then = *m;
        const unsigned char *peek = at;
        then.before = m->after;
        then.after = at < end ? decode(&peek, end) : UINT32_MAX;
        then.round = m->round + 1;
        next->count = 0;
        for (uint32_t i = 0; i < now->count; i++) {
            if (takes(m->r, &m->r->steps[now->items[i]], m->after) && reach(&then, next, now->items[i] + 1))
                return true;
        }
        places swap = *now;
        *now = *next;
        *next = swap;
        m->before = m->after;
        m->round++;
    }
}

bool regex_found(const regex *r, karp_str text, arena *scratch, bool *refused)
{
    arena_mark mark = arena_get_mark(scratch);
    size_t count = r->step_count;
    uint32_t *room = arena_array(scratch, 6 * count + 2, sizeof *room);
    *refused = room == NULL;
    if (room == NULL) return false;
    machine m = { .r = r, .stack = room + 4 * count };
    places now = { .items = room, .seen = room + count },
           next = { .items = room + 2 * count, .seen = room + 3 * count };
    bool found = run_machine(&m, &now, &next, text);
    arena_release(scratch, mark);
    return found;
}
