/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <base/words.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { SHOWN = 120 };

void cli_put(cli_writer *w, const char *bytes, size_t length) { strbuf_add(w->out, bytes, length); }

void cli_put_text(cli_writer *w, const char *text) { cli_put(w, text, strlen(text)); }

void cli_put_format(cli_writer *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_put_text(w, text);
}

void cli_put_made_by(cli_writer *w, const char *verb, const cli_options *options, const cli_input *input)
{
    strbuf line = { .context = options->context };
    made_by(options, input, &line);
    w->out->failed = w->out->failed || line.failed;
    if (w->html) {
        cli_put_text(w, "<div class=\"s\">");
    } else if (!w->markdown) {
        cli_put_format(w, "karp %s  \xc2\xb7  ", verb);
        cli_put_words(w, strlen("karp ") + strlen(verb) + 5, 2, line.ptr == NULL ? "" : line.ptr, line.len);
    }
    if (w->html || w->markdown) cli_put_shown(w, line.ptr == NULL ? "" : line.ptr, line.len);
    cli_put_text(w, w->html ? "</div>\n" : "\n\n");
    strbuf_free(&line);
}

size_t cli_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

static void put_piece(void *user, karp_str piece)
{
    cli_writer *w = user;
    if (equal_str(piece, str("\n"))) cli_put(w, piece.ptr, piece.len);
    else cli_put_shown(w, piece.ptr, piece.len);
}

void cli_put_words(cli_writer *w, size_t at, size_t indent, const char *text, size_t length)
{
    size_t width = w->options->width > 0 ? w->options->width : 100;
    lay_words((karp_str){ text, length }, at, indent, width, put_piece, w);
}

enum { DEPTH = 8 }; /* brackets that are closed after a cut */

/* The part of JSON up to its last comma, and what closes it: {"values":["a", -> ]} */
static karp_str cut_json(karp_str json, char closing[DEPTH + 1])
{
    size_t depth = 0, end = json.len - DEPTH;
    bool quoted = false, escaped = false; /* the last character was a backslash, and no escaped one */
    while (end > 0 && json.ptr[end - 1] != ',') end--;
    for (size_t i = 0; i < end; i++) {
        char c = json.ptr[i];
        if (c == '"' && !escaped) quoted = !quoted;
        escaped = c == '\\' && !escaped;
        if (quoted) continue;
        if ((c == '{' || c == '[') && depth < DEPTH) closing[depth++] = c == '{' ? '}' : ']';
        if ((c == '}' || c == ']') && depth > 0) depth--;
    }
    closing[depth] = '\0';
    for (size_t i = 0; i < depth / 2; i++) {
        char c = closing[i];
        closing[i] = closing[depth - 1 - i];
        closing[depth - 1 - i] = c;
    }
    return (karp_str){ json.ptr, quoted ? 0 : end };
}

static void put_at_most(cli_writer *w, const char *text, size_t length, size_t most)
{
    char closing[DEPTH + 1] = "";
    karp_str shown = str_cut((karp_str){ text, length }, most);
    bool hidden;
    if (shown.len < length && shown.len > DEPTH && (text[0] == '{' || text[0] == '[')) {
        karp_str whole = cut_json(shown, closing);
        if (whole.len > 0) shown = whole;
        else closing[0] = '\0';
    }
    for (size_t i = 0, bytes; i < shown.len; i += bytes) {
        bytes = character_at(shown, i, &hidden);
        const char *instead = w->html ? html_entity(text[i]) : NULL;
        if (hidden) instead = w->html ? "\xef\xbf\xbd" : "?";
        else if (w->markdown && strchr("\\`*_<>|[]#", text[i]) != NULL) cli_put_text(w, "\\");
        if (instead != NULL) cli_put_text(w, instead);
        else cli_put(w, &text[i], bytes);
    }
    if (shown.len < length) cli_put_text(w, closing[0] != '\0' ? "\xe2\x80\xa6" : " \xe2\x80\xa6");
    cli_put_text(w, closing);
}

void cli_put_shown(cli_writer *w, const char *text, size_t length) { put_at_most(w, text, length, SHOWN); }

void cli_list_notes(cli_writer *w, const cli_input *input, const char *side, const cli_input *first)
{
    size_t count = 0;
    for (size_t i = 0; i < input->warning_count; i++) {
        if (first != NULL && first != input && has_warning(first, input->warnings[i])) continue;
        if (count++ == 0) {
            cli_put_text(w, side == NULL ? "\n## Notes" : "\n## Notes on ");
            cli_put_shown(w, side == NULL ? "" : side, side == NULL ? 0 : strlen(side));
            cli_put_text(w, "\n\n");
        }
        karp_str text = input->warnings[i];
        cli_put_text(w, is_problem(&text) ? "- **not planned:** " : "- ");
        put_at_most(w, text.ptr, text.len, SIZE_MAX);
        cli_put_text(w, "\n");
    }
}

void cli_put_drift(cli_writer *w, const char *side, const karp_drift *drift)
{
    char text[KARP_DRIFT_TEXT];
    if (karp_drift_text(drift, text) != KARP_OK || text[0] == '\0') return;
    cli_put_text(w, w->html ? "<p>" : w->markdown ? "\n" : "");
    cli_put_text(w, side == NULL ? "Drift: " : "Drift of ");
    if (side != NULL) cli_put_shown(w, side, strlen(side));
    cli_put_text(w, side == NULL ? "" : ": ");
    cli_put_shown(w, text, strlen(text));
    cli_put_text(w, w->html ? ".</p>\n" : ".\n");
}

void cli_put_incomplete(cli_writer *w, const char *side, const cli_input *input)
{
    char text[INCOMPLETE_TEXT];
    if (!input_incomplete(input, text)) return;
    cli_put_text(w, w->markdown ? "\n" : "");
    cli_put_text(w, "INCOMPLETE: ");
    cli_put_shown(w, side == NULL ? "" : side, side == NULL ? 0 : strlen(side));
    cli_put_format(w, "%s%s\n", side == NULL ? "" : ": ", text);
}
