/* SPDX-License-Identifier: Apache-2.0 */
/* karp_catalogue_read() and karp_catalogue_read_file(). */
#include <io/catalogue_read.h>

#include <stdio.h>
#include <string.h>

static karp_status read_json(catalogue_reader *reader, karp_str text, karp_error *error)
{
    io_cursor at;
    io_cursor_init(&at, text, karp_context_get_options(reader->context)->max_nesting);
    io_skip_space(&at);
    karp_status status = catalogue_reader_add_list(reader, &at, error);
    if (status != KARP_OK) return status;
    io_skip_space(&at);
    if (at.pos == at.end) return KARP_OK;
    io_place place = io_place_of(reader->document, &at);
    io_fail(error, KARP_E_SYNTAX, "something follows the list");
    if (error) io_error_place(error, &place);
    return KARP_E_SYNTAX;
}

/* JSON unless the name or the first character says otherwise. */
static bool is_yaml(karp_str name, karp_str text)
{
    if (io_str_ends(name, ".yaml") || io_str_ends(name, ".yml")) return true;
    size_t at = 0;
    while (at < text.len && memchr(" \t\r\n", text.ptr[at], 4)) at++;
    return at < text.len && text.ptr[at] != '[' && text.ptr[at] != '{';
}

karp_status karp_catalogue_read(karp_context *context, karp_str name, karp_str text, karp_catalogue **out, karp_error *error)
{
    const karp_context_options *options = karp_context_get_options(context);
    if (text.len > options->max_document_bytes) {
        io_fail(error, KARP_E_LIMIT, "longer than %llu bytes", (unsigned long long)options->max_document_bytes);
        if (error) io_error_text(error->document, sizeof error->document, name);
        return KARP_E_LIMIT;
    }
    static const char mark[] = "\xEF\xBB\xBF"; /* a byte order mark means nothing */
    if (text.len >= 3 && memcmp(text.ptr, mark, 3) == 0) text = (karp_str){ text.ptr + 3, text.len - 3 };
    if (!text.ptr) text.ptr = "";
    catalogue_reader reader;
    catalogue_reader_init(&reader, context, name);
    karp_status status = is_yaml(name, text) ? KARP_E_UNSUPPORTED : read_json(&reader, text, error);
    if (status == KARP_OK) status = catalogue_reader_finish(&reader, out, error);
    catalogue_reader_free(&reader);
    return status;
}

karp_status karp_catalogue_read_file(karp_context *context, const char *path, karp_catalogue **out, karp_error *error)
{
    karp_str name = io_str(path);
    FILE *file = fopen(path, "rb");
    if (!file) {
        io_fail(error, KARP_E_IO, "cannot be opened");
        if (error) io_error_text(error->document, sizeof error->document, name);
        return KARP_E_IO;
    }
    uint64_t most = karp_context_get_options(context)->max_document_bytes;
    io_text text;
    io_text_init(&text, context);
    char piece[16384];
    size_t got = 0;
    /* One byte beyond the limit is enough for the reader to refuse. */
    while (!text.failed && text.len <= most && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        io_text_add(&text, piece, got);
    }
    karp_status status = KARP_OK;
    if (ferror(file)) {
        status = io_fail(error, KARP_E_IO, "cannot be read");
        if (error) io_error_text(error->document, sizeof error->document, name);
    } else if (text.failed) {
        status = io_nomem(error);
    }
    (void)fclose(file);
    if (status == KARP_OK) status = karp_catalogue_read(context, name, (karp_str){ text.ptr, text.len }, out, error);
    io_text_free(&text);
    return status;
}
