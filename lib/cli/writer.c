/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <base/words.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void cli_put_engine(cli_writer *w)
{
    cli_put_format(w, "\"engine\": {\"name\": \"libkarp\", \"version\": \"%s\"}", karp_version());
}

void cli_put_quoted(cli_writer *w, const char *text, size_t length)
{
    cli_put_text(w, "\"");
    for (size_t i = 0, bytes; i<length; i += bytes> 0 ? bytes : 1) {
        unsigned char c = (unsigned char)text[i];
        bytes = utf8_length((karp_str){ text, length }, i);
        if (bytes == 0) cli_put_text(w, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\') cli_put_format(w, "\\%c", c);
        else if (c < 0x20 || c == 0x7f) cli_put_format(w, "\\u%04x", c);
        else cli_put(w, &text[i], bytes);
    }
    cli_put_text(w, "\"");
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

void cli_put_at_most(cli_writer *w, const char *text, size_t length, size_t most)
{
    karp_str shown = { text, length > most ? most : length };
    while (shown.len < length && shown.len > 0 && ((unsigned char)text[shown.len] & 0xc0) == 0x80) shown.len--;
    bool hidden;
    for (size_t i = 0, bytes; i < shown.len; i += bytes) {
        bytes = character_at(shown, i, &hidden);
        const char *instead = w->html ? html_entity(text[i]) : NULL;
        if (hidden) instead = w->html ? "\xef\xbf\xbd" : "?";
        else if (w->markdown && strchr("\\`*_<>|[]#", text[i]) != NULL) cli_put_text(w, "\\");
        if (instead != NULL) cli_put_text(w, instead);
        else cli_put(w, &text[i], bytes);
    }
    if (shown.len < length) cli_put_text(w, " \xe2\x80\xa6");
}

void cli_put_shown(cli_writer *w, const char *text, size_t length) { cli_put_at_most(w, text, length, SHOWN); }

void cli_put_number(cli_writer *w, double value)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(round(value * 1e9) / 1e9, text);
    cli_put_text(w, text);
}

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
        cli_put_at_most(w, text.ptr, text.len, SIZE_MAX);
        cli_put_text(w, "\n");
    }
}

static void put_list(cli_writer *w, const char *name, const karp_str *list, size_t count)
{
    cli_put_format(w, ",\n   \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        karp_str text = list[i];
        (void)is_problem(&text);
        cli_put_text(w, i > 0 ? ", " : "");
        cli_put_quoted(w, text.ptr, text.len);
    }
    cli_put_text(w, "]");
}

void cli_put_notes(cli_writer *w, const cli_input *input)
{
    size_t problems = input->problem_count;
    if (problems > 0) put_list(w, "problems", input->warnings, problems);
    put_list(w, "warnings", input->warnings + problems, input->warning_count - problems);
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

void cli_put_drift_json(cli_writer *w, const karp_drift *drift)
{
    if (drift->nodes == 0) return;
    cli_put_format(w, ", \"driftCourse\": {\"nodes\": %zu", drift->nodes);
    if (drift->played != 0) {
        cli_put_format(w, ", \"left\": %zu, \"atOnce\": %zu", drift->left, drift->at_once);
        bool some = drift->ends != KARP_NO_TIME;
        if (some) cli_put_format(w, ", \"seconds\": %lld", (long long)((drift->ends - drift->begins) / 1000000000));
        cli_put_text(w, ", \"cost\": {\"before\": ");
        cli_put_number(w, drift->cost_before);
        if (some) cli_put_text(w, ", \"during\": ");
        if (some) cli_put_number(w, drift->cost_during);
        cli_put_text(w, ", \"after\": ");
        cli_put_number(w, drift->cost_after);
        cli_put_text(w, "}");
    }
    cli_put_text(w, "}");
}

void cli_put_licences(cli_writer *w, const cli_input *input)
{
    karp_str licences = karp_reader_missing_licences(input->reader);
    if (licences.len == 0) return;
    cli_put_text(w, ", \"withoutLicences\": ");
    cli_put_quoted(w, licences.ptr, licences.len);
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
