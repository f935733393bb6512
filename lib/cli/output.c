/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* struct winsize */

#include "writer.h"

#include <base/words.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <karp/inspect.h>
#include <karp/peer.h>

size_t character_at(karp_str text, size_t at, bool *hidden)
{
    size_t length = utf8_length(text, at);
    *hidden = length == 0 || utf8_unseen(text.ptr + at, length);
    return length > 0 ? length : 1;
}

/* Names come from files, and a terminal would interpret control characters in them. */
static void print_bytes(FILE *out, const char *text, size_t length)
{
    bool hidden;
    for (size_t i = 0, bytes; i < length; i += bytes) {
        bytes = character_at((karp_str){ text, length }, i, &hidden);
        if (hidden) fputc('?', out);
        else (void)fwrite(text + i, 1, bytes, out);
    }
}

static void print_clean(const char *text) { print_bytes(stderr, text, strlen(text)); }

static bool quiet, suppressed;

void output_suppress(bool on) { suppressed = on; }

void output_quiet(void) { quiet = true; }

bool output_is_quiet(void) { return quiet; }

static bool take_prefix(karp_str *text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (text->len == length || !str_starts(*text, prefix)) return false;
    *text = (karp_str){ text->ptr + length, text->len - length };
    return true;
}

bool is_change(karp_str *text) { return take_prefix(text, "what if: "); }

bool is_problem(karp_str *text) { return take_prefix(text, KARP_PROBLEM); }

void print_note(karp_str message)
{
    bool problem = is_problem(&message);
    if (suppressed || (quiet && !problem)) return;
    fputs(problem ? "karp: " : "karp: note: ", stderr);
    print_bytes(stderr, message.ptr, message.len);
    fputc('\n', stderr);
}

static void print_part(const char *text)
{
    print_clean(text);
    fputs(": ", stderr);
}

static bool end_problem(const char *message)
{
    print_clean(message);
    fputc('\n', stderr);
    return false;
}

bool print_problem(const char *what, const char *message)
{
    if (suppressed) return false;
    fputs("karp: ", stderr);
    if (what != NULL) print_part(what);
    return end_problem(message);
}

bool problem_of_option(const char *command, const char *option, const char *value, const char *message)
{
    char what[160];
    (void)snprintf(what, sizeof what, "%s: %s %.100s", command, option, value);
    return print_problem(what, message);
}

int problem_of_use(const char *what, const char *message) { return print_problem(what, message) ? 0 : EXIT_ERROR; }

bool print_error(const karp_error *error)
{
    if (suppressed) return false;
    fputs("karp: ", stderr);
    if (error->line > 0 && error->document[0] != '\0') {
        print_clean(error->document);
        fprintf(stderr, ":%lu", (unsigned long)error->line);
        if (error->column > 0) fprintf(stderr, ":%lu", (unsigned long)error->column);
        fputs(": ", stderr);
    } else if (error->document[0] != '\0') print_part(error->document);
    if (error->object[0] != '\0') print_part(error->object);
    if (error->field[0] != '\0') print_part(error->field);
    return end_problem(error->message[0] != '\0' ? error->message : karp_status_name(error->status));
}

static karp_str file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
    return str(name);
}

bool digest_wanted(const cli_options *options)
{
    return options->digest || options->format != KARP_FORMAT_TEXT || options->certificate != NULL;
}

karp_write_options write_options_of(const cli_options *options, const cli_input *input)
{
    karp_write_options out;
    karp_write_options_init(&out, sizeof(out));
    out.format = options->format;
    out.compact = options->compact;
    out.color = options->color;
    out.width = options->width;
    if (options->files.count == 1 && strcmp(options->files.items[0], "-") != 0)
        out.title = file_name(options->files.items[0]);
    if (options->catalogues.count == 1) out.catalogue = file_name(options->catalogues.items[0]);
    else if (input != NULL) out.catalogue = karp_reader_catalogue_title(input->reader);
    if (input != NULL) {
        if (digest_wanted(options)) out.digest = karp_reader_digest(input->reader);
        out.warnings = input->warnings;
        out.warning_count = input->warning_count;
        out.licences = karp_reader_missing_licences(input->reader);
    }
    return out;
}

void made_by(const cli_options *options, const cli_input *input, strbuf *out)
{
    karp_write_options write = write_options_of(options, input);
    strbuf_adds(out, "profile ");
    strbuf_adds(out, karp_profile_name(options->profile, options->peer_version));
    if (write.catalogue.len == 0) return;
    strbuf_put(out, "  \xc2\xb7  catalogue ", write.catalogue, "");
}

bool print_made_by(const cli_answer *answer, const char *verb)
{
    strbuf line = { .context = answer->options->context };
    cli_writer w = { .options = answer->options, .out = &line };
    cli_put_made_by(&w, verb, answer->options, &answer->input);
    bool ok = !line.failed && print_output((karp_str){ line.ptr, line.len });
    strbuf_free(&line);
    return ok;
}

size_t decision_note_count(const karp_decision *decision)
{
    return karp_decision_warning_count(decision) - karp_decision_change_count(decision);
}

void print_warnings(const cli_input *input)
{
    for (size_t i = 0; i < input->warning_count; i++) print_note(input->warnings[i]);
}

bool has_warning(const cli_input *input, karp_str note) { return str_in(note, input->warnings, input->warning_count); }

void print_warnings_of_side(const cli_input *input, const char *name, const cli_input *first)
{
    for (size_t i = 0; i < input->warning_count; i++) {
        karp_str note = input->warnings[i];
        char text[1000];
        if (first != input && has_warning(first, note)) continue;
        const char *problem = is_problem(&note) ? KARP_PROBLEM : "";
        int length = snprintf(text, sizeof text, "%s%s: %.*s", problem, name, str_shown(note, 900), note.ptr);
        print_note((karp_str){ text, length < (int)sizeof text ? (size_t)length : sizeof text - 1 });
    }
}

int standard_output_written(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_OK;
    return problem_of_use("standard output", strerror(errno));
}

bool print_output(karp_str text)
{
    (void)fwrite(text.ptr, 1, text.len, stdout);
    return standard_output_written() == EXIT_OK;
}

/* Writes the text to standard output and frees it. false after printing the error. */
static bool print_text(karp_text *text)
{
    bool good = print_output((karp_str){ text->ptr, text->len });
    karp_text_free(text);
    return good;
}

/* ---- width ------------------------------------------------------------------------------------------------------- */

enum { PLAIN = 100, LEAST = 40, MOST_OF_TERMINAL = 400 };

/* 0 = not a terminal, or its width is unknown. */
static uint32_t columns_of_terminal(void)
{
#if defined(TIOCGWINSZ)
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
    return 0; /* WASI has no terminals */
}

uint32_t columns_of_output(void)
{
    const char *given = getenv("COLUMNS");
    uint64_t columns = 0;
    if (given == NULL || !parse_count(given, &columns) || columns == 0) columns = columns_of_terminal();
    if (columns == 0) return PLAIN;
    return columns < LEAST ? LEAST : columns > MOST_OF_TERMINAL ? MOST_OF_TERMINAL : (uint32_t)columns;
}

bool print_folded(const cli_options *options, karp_str text)
{
    karp_text folded = { 0 };
    if (options->format != KARP_FORMAT_TEXT) return print_output(text);
    karp_error error = { .size = sizeof error };
    if (karp_text_fold(options->context, text, options->width, &folded, &error) != KARP_OK) return print_error(&error);
    return print_text(&folded);
}

static void print_piece(void *user, karp_str piece) { (void)fwrite(piece.ptr, 1, piece.len, (FILE *)user); }

/* Where the paragraph ends: at an empty line, or where a line ends with a point or a colon. */
static size_t paragraph(const char *text)
{
    size_t end = strcspn(text, "\n");
    while (text[end] != '\0' && text[end + 1] != '\0' && text[end + 1] != '\n' &&
           (end == 0 || strchr(".:", text[end - 1]) == NULL))
        end += 1 + strcspn(text + end + 1, "\n");
    return end;
}

/* For help texts: without allocations. */
void print_words(FILE *out, const char *text, size_t at, size_t indent)
{
    for (size_t end = paragraph(text);; end = paragraph(text)) {
        lay_words((karp_str){ text, end }, at, indent, columns_of_output(), print_piece, out);
        text += end;
        if (*text == '\0' || text[1] == '\0') break;
        text++;
        fprintf(out, "\n%*s", (int)indent, "");
        at = indent;
    }
    fputc('\n', out);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

karp_status answer_note(cli_answer *answer, const char *text)
{
    size_t count = answer->write.warning_count;
    karp_str *list = arena_array(&answer->notes, count + 1, sizeof *list);
    char *kept = arena_string(&answer->notes, text, strlen(text));
    if (list == NULL || kept == NULL) return fail_nomem(&answer->error);
    if (count > 0) memcpy(list, answer->write.warnings, count * sizeof *list);
    list[count] = str(kept);
    answer->write.warnings = list;
    answer->write.warning_count = count + 1;
    return KARP_OK;
}

static int give(cli_answer *answer, cli_make *make, void *own)
{
    int result = EXIT_OK;
    answer->notes = arena_on(answer->options->context);
    karp_error_init(&answer->error, sizeof(answer->error));
    answer->write = write_options_of(answer->options, answer->input.reader == NULL ? NULL : &answer->input);
    karp_status status = make(answer, own, &result);
    arena_free(&answer->notes);
    if (status == KARP_E_NOT_FOUND && answer->subject != NULL) print_problem(answer->subject, answer->error.message);
    else if (status != KARP_OK) print_error(&answer->error);
    if (status != KARP_OK) {
        karp_text_free(&answer->text);
        return EXIT_ERROR;
    }
    if (result == EXIT_ERROR && answer->text.len == 0) { /* the reason has been printed */
        karp_text_free(&answer->text);
        return result;
    }
    return print_text(&answer->text) ? result : EXIT_ERROR;
}

int answer_without_input(const cli_options *options, cli_make *make, void *own)
{
    cli_answer answer = { .options = options };
    bool named = options->catalogues.count == 0 && (options->region != NULL || options->provider != NULL);
    if (named) answer.input.reader = provider_reader(options);
    int result = named && answer.input.reader == NULL ? EXIT_ERROR : give(&answer, make, own);
    input_free(options, &answer.input);
    return result;
}

/* Whether documents in that format contain the notes. */
static bool shows_notes(uint32_t format)
{
    return format == KARP_FORMAT_TEXT || format == KARP_FORMAT_JSON || format == KARP_FORMAT_MARKDOWN ||
           format == KARP_FORMAT_HTML || format == KARP_FORMAT_SARIF;
}

static void print_problems(const cli_input *input)
{
    for (size_t i = 0; i < input->problem_count; i++) print_note(input->warnings[i]);
}

int answer_input(const cli_options *options, bool keep_documents, bool notes_apart, cli_make *make, void *own)
{
    cli_answer answer = { .options = options };
    if (!input_read(options, keep_documents, &answer.input)) return EXIT_ERROR;
    if (notes_apart) print_warnings(&answer.input);
    else if (!shows_notes(options->format)) print_problems(&answer.input);
    int result = give(&answer, make, own);
    input_free(options, &answer.input);
    return result;
}
