/* SPDX-License-Identifier: Apache-2.0 */
#include "write_text.h"

#include <base/words.h>
#include <karp/objective.h>
#include <math.h>

size_t text_columns(karp_str text)
{
    size_t columns = 0;
    for (size_t i = 0; i < text.len; i++) columns += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return columns;
}

void text_clean(write_buffer *b, karp_str text)
{
    size_t plain = 0;
    for (size_t i = 0, length; i < text.len; i += length) {
        unsigned char c = (unsigned char)text.ptr[i];
        length = c < 0x80 ? 1 : utf8_length(text, i);
        if (c < 0x80 ? c >= 0x20 && c != 0x7f : length > 0 && !utf8_unseen(text.ptr + i, length)) continue;
        length = length == 0 ? 1 : length;
        buffer_bytes(b, text.ptr + plain, i - plain);
        buffer_char(b, '?');
        plain = i + length;
    }
    if (text.len > plain) buffer_bytes(b, text.ptr + plain, text.len - plain);
}

void text_markdown(write_buffer *b, karp_str text)
{
    size_t plain = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\0' || strchr("|\\`*_<>[]#", text.ptr[i]) == NULL) continue;
        text_clean(b, (karp_str){ text.ptr + plain, i - plain });
        buffer_char(b, '\\');
        plain = i;
    }
    if (text.len > plain) text_clean(b, (karp_str){ text.ptr + plain, text.len - plain });
}

void text_left(write_buffer *b, karp_str text, size_t columns)
{
    size_t used = text_columns(text);
    text_clean(b, text);
    buffer_repeat(b, " ", columns > used ? columns - used : 0);
}

void text_right(write_buffer *b, karp_str text, size_t columns)
{
    size_t used = text_columns(text);
    buffer_repeat(b, " ", columns > used ? columns - used : 0);
    text_clean(b, text);
}

void text_style_begin(const text_out *t, text_style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",          [STYLE_HEADING] = "\033[1m", [STYLE_ADD] = "\033[32m",
        [STYLE_REMOVE] = "\033[31m", [STYLE_CHANGE] = "\033[33m", [STYLE_ALERT] = "\033[1;31m",
        [STYLE_DIM] = "\033[2m",
    };
    if (t->color) buffer_text(t->out, codes[style]);
}

void text_style_end(const text_out *t, text_style style)
{
    if (t->color && style != STYLE_PLAIN) buffer_text(t->out, "\033[0m");
}

void text_styled(const text_out *t, text_style style, const char *text)
{
    text_style_begin(t, style);
    buffer_text(t->out, text);
    text_style_end(t, style);
}

void text_subject(const text_out *t, karp_str name)
{
    text_style_begin(t, STYLE_HEADING);
    text_clean(t->out, name);
    text_style_end(t, STYLE_HEADING);
}

static double within(double fraction, double most) { return fraction > 0 ? (fraction < most ? fraction : most) : 0; }

void text_bar(write_buffer *b, double fraction, size_t cells)
{
    size_t full = (size_t)(within(fraction, 1) * (double)cells + 0.5);
    if (full == cells && fraction < 1 && cells > 0) {
        full--; /* a full bar only for 100 % */
    }
    buffer_repeat(b, "\xe2\x96\x88", full);
    buffer_repeat(b, "\xe2\x96\x91", cells - full);
}

void text_percent(write_buffer *b, double fraction, size_t width)
{
    uint64_t percent = (uint64_t)(within(fraction, 1e6) * 100 + 0.5);
    size_t used = percent < 10 ? 2 : percent < 100 ? 3 : 4;
    buffer_repeat(b, " ", width > used ? width - used : 0);
    buffer_uint(b, percent);
    buffer_char(b, '%');
}

void text_fixed(write_buffer *b, double value, uint32_t least, uint32_t most)
{
    double scale = 1;
    for (uint32_t i = 0; i < most; i++) scale *= 10;
    if (!(fabs(value) < 1e14)) {
        buffer_double(b, value);
        return;
    }
    uint64_t units = (uint64_t)(fabs(value) * scale + 0.5);
    if (value < 0 && units > 0) buffer_char(b, '-');
    while (most > least && units % 10 == 0) {
        units /= 10;
        scale /= 10;
        most--;
    }
    buffer_uint(b, units / (uint64_t)scale);
    if (most > 0) {
        buffer_char(b, '.');
        uint64_t rest = units % (uint64_t)scale;
        for (uint64_t unit = (uint64_t)scale / 10; unit > 0; unit /= 10) buffer_char(b, (char)('0' + rest / unit % 10));
    }
}

void text_money(write_buffer *b, double value)
{
    char text[MONEY_TEXT];
    buffer_bytes(b, text, money_hourly(value, text));
}

void text_between_money(write_buffer *b, const char *before, double value, const char *after)
{
    buffer_text(b, before);
    text_money(b, value);
    buffer_text(b, after);
}

void text_between(write_buffer *b, const char *before, karp_str text, const char *after)
{
    buffer_text(b, before);
    text_clean(b, text);
    buffer_text(b, after);
}

void flow_begin(text_flow *flow, const text_out *t, size_t indent, size_t column, size_t most_lines)
{
    *flow = (text_flow){ t, indent, column, most_lines > 0 ? most_lines - 1 : 0, false };
}

void text_dollars(write_buffer *b, double value, bool sign)
{
    char text[MONEY_TEXT];
    buffer_bytes(b, text, money_dollars(value, sign, text));
}

void text_per_month(write_buffer *b, double per_hour, bool sign)
{
    text_dollars(b, per_hour * HOURS_A_MONTH, sign);
    buffer_text(b, "/month (730 h)");
}

bool flow_fits(text_flow *flow, size_t columns)
{
    if (flow->column + columns <= flow->t->width || flow->column <= flow->indent) {
        flow->column += columns;
        flow->wrapped = false;
        return true;
    }
    if (flow->lines_left == 0) return false;
    flow->lines_left--;
    buffer_char(flow->t->out, '\n');
    buffer_repeat(flow->t->out, " ", flow->indent);
    flow->column = flow->indent + columns;
    flow->wrapped = true;
    return true;
}

bool flow_words(text_flow *flow, karp_str text)
{
    size_t at = 0, most = unit_most(flow->t->width, flow->indent);
    for (karp_str unit; (unit = unit_next(text, &at, most)).len > 0;) {
        enum { DOTS = 2 };
        bool first = flow->column <= flow->indent;
        size_t columns = text_columns(unit) + (first ? 0 : 1);
        bool last_line = flow->lines_left == 0 && at < text.len && !first; /* the "…" needs room, too */
        bool full = last_line && flow->column + columns + DOTS > flow->t->width;
        if (full || !flow_fits(flow, columns)) {
            buffer_text(flow->t->out, " \xe2\x80\xa6");
            return false;
        }
        if (!first && !flow->wrapped) buffer_char(flow->t->out, ' ');
        text_clean(flow->t->out, unit);
    }
    return true;
}

void flow_line(const text_out *t, const char *begins, size_t indent, size_t most_lines, write_buffer *words)
{
    text_flow flow;
    buffer_text(t->out, begins);
    flow_begin(&flow, t, indent, indent, most_lines);
    flow_words(&flow, buffer_content(words));
    t->out->text.failed = t->out->text.failed || words->text.failed;
    buffer_free(words);
    buffer_char(t->out, '\n');
}

static void plain_percent(write_buffer *b, double fraction)
{
    text_fixed(b, fraction * 100, 1, 1);
    buffer_text(b, "%");
}

bool text_saving(write_buffer *b, const karp_decision *decision)
{
    karp_cost cost = { .size = sizeof(cost) };
    if (karp_decision_cost(decision, &cost) != KARP_OK) return false;
    text_between_money(b, "Cost of launches: $", cost.cost, "/h. Karpenter's own plan: $");
    text_money(b, cost.compatible_cost);
    buffer_text(b, "/h");
    if (cost.cost < cost.compatible_cost) {
        buffer_text(b, " (-");
        plain_percent(b, (cost.compatible_cost - cost.cost) / cost.compatible_cost);
        buffer_char(b, ')');
    }
    buffer_char(b, '.');
    if (cost.optimal != 0) {
        buffer_text(b, " No plan can cost less (proven).");
    } else if (cost.bound > 0) {
        text_between_money(b, " No plan can cost less than $", cost.bound, "/h (proven); this one is at most ");
        plain_percent(b, cost.gap);
        buffer_text(b, " above it.");
    }
    if (cost.stopped != 0) buffer_text(b, " The search was stopped.");
    return true;
}

/* ---- width: longer lines are broken at spaces -------------------------------------------------------------------- */

enum { MARK_MOST = 3, HANG = 2 };

static size_t escape_at(const char *at, const char *end) { return escape_length((karp_str){ at, (size_t)(end - at) }); }

/* Moves over a colour sequence, which has no width, or over a byte. true = the byte takes a column. */
static bool step(const char **at, const char *end)
{
    size_t escape = escape_at(*at, end);
    bool takes = escape == 0 && ((unsigned char)**at & 0xc0) != 0x80;
    *at += escape > 0 ? escape : 1;
    return takes;
}

static bool is_wider(const char *line, const char *end, size_t width)
{
    size_t columns = 0;
    while (line < end && columns <= width) columns += step(&line, end);
    return columns > width;
}

/* Skips spaces, and colour sequences between them. */
static size_t skip_spaces(const char **at, const char *end)
{
    size_t columns = 0;
    while (*at < end && (**at == ' ' || escape_at(*at, end) > 0)) columns += step(at, end);
    return columns;
}

/* The indent of continuation lines: after a mark ("+", "->", "!") or a first word with a colon ("Cost:"), otherwise
 * slightly more than the line itself. At most half of the width. */
static size_t hang_of(const char *line, const char *end, size_t width)
{
    size_t lead = skip_spaces(&line, end), column = lead;
    bool mark = true;
    char last = '\0';
    while (line < end && *line != ' ') {
        char c = *line;
        if (step(&line, end)) {
            mark = mark && strchr("+-~!*>/", c) != NULL;
            last = c;
            column++;
        }
    }
    bool titled = (mark && column - lead <= MARK_MOST) || (lead == 0 && last == ':');
    size_t hang = titled ? column + skip_spaces(&line, end) : lead + HANG;
    return hang > width / 2 ? width / 2 : hang;
}

/* Finds the spaces at which to break a line that begins at column `at`: the last ones within the width, preferably
 * those between columns of a table. If there are none, the first ones beyond the width. false = there are no
 * spaces. */
static bool find_break(const char *line, const char *end, size_t at, size_t width, const char **from, const char **to)
{
    const char *best = NULL, *p = line;
    size_t column = at + skip_spaces(&p, end), most = unit_most(width, at);
    const karp_str whole = { line, (size_t)(end - line) };
    bool table = false, best_within = false;
    while (p < end && (best == NULL || column <= width)) {
        if (*p != ' ') {
            column += step(&p, end);
            continue;
        }
        bool gap = p + 1 < end && p[1] == ' ';
        bool within = !gap && unit_goes_on(whole, (size_t)(p - line), most);
        if (best == NULL || (column <= width && (gap || !table) && (!within || best_within))) {
            best = p;
            best_within = within;
            table = gap && column - at >= (width - at) / 2;
        }
        column += skip_spaces(&p, end);
    }
    *from = *to = best;
    if (best != NULL) (void)skip_spaces(to, end);
    return best != NULL && *to < end;
}

static void fold_line(write_buffer *out, const char *line, const char *end, size_t width)
{
    size_t at = 0, hang = 0;
    const char *from, *to;
    while (is_wider(line, end, width - at) && find_break(line, end, at, width, &from, &to)) {
        hang = at == 0 ? hang_of(line, end, width) : hang;
        buffer_bytes(out, line, (size_t)(from - line));
        for (const char *p = from; p < to; p++) {
            size_t escape = escape_at(p, to);
            if (escape > 0) buffer_bytes(out, p, escape);
        }
        buffer_char(out, '\n');
        buffer_repeat(out, " ", hang);
        line = to;
        at = hang;
    }
    buffer_bytes(out, line, (size_t)(end - line));
}

static bool has_wider_line(karp_str text, size_t width)
{
    const char *end = text.ptr + text.len;
    for (const char *line = text.ptr; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop == NULL ? end : stop;
        if ((size_t)(stop - line) > width && is_wider(line, stop, width)) return true;
        line = stop + 1;
    }
    return false;
}

/* Appends the text with its long lines broken. Only parts without spaces can exceed the width. */
static void fold(write_buffer *out, karp_str text, size_t width)
{
    const char *end = text.ptr + text.len;
    if (width >= FOLD_NEVER) {
        buffer_str(out, text);
        return;
    }
    for (const char *line = text.ptr; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        bool whole = stop != NULL;
        stop = whole ? stop : end;
        if ((size_t)(stop - line) > width) fold_line(out, line, stop, width);
        else buffer_bytes(out, line, (size_t)(stop - line));
        if (whole) buffer_char(out, '\n');
        line = stop + 1;
    }
}

void text_fold_buffer(write_buffer *b, size_t width)
{
    karp_str text = buffer_content(b);
    if (b->text.failed || b->status != KARP_OK || width >= FOLD_NEVER || text.len == 0 || !has_wider_line(text, width))
        return;
    write_buffer folded = buffer_on(b->text.context);
    fold(&folded, text, width);
    folded.text.failed = folded.text.failed || b->text.failed;
    buffer_free(b);
    *b = folded;
}

karp_status karp_text_fold(karp_context *context, karp_str text, uint32_t width, karp_text *out, karp_error *error)
{
    if (context == NULL || out == NULL || (text.ptr == NULL && text.len > 0))
        return fail(error, KARP_E_INVALID, "context, text and out must not be NULL");
    write_buffer folded = buffer_on(context);
    fold(&folded, text.ptr == NULL ? (karp_str){ "", 0 } : text, width == 0 ? FOLD_USUAL : width);
    return buffer_finish(&folded, out, error);
}
