/* SPDX-License-Identifier: Apache-2.0 */
#include <io/one_document.h>

#include <io/whole_file.h>
#include <string.h>

static karp_status scan_failed(const io_cursor *at, const char *what, karp_str name, io_scan result, karp_error *error)
{
    karp_status status = result == IO_SCAN_DEEP
                             ? io_fail(error, KARP_E_LIMIT, "nested deeper than %lu", (unsigned long)at->max_nesting)
                             : io_fail(error, KARP_E_SYNTAX, "not JSON: %s is wanted here", what);
    io_place place = io_place_of(name, at);
    if (error) io_error_place(error, &place);
    return status;
}

/* NULL = *error is filled. */
static json_t *parse(karp_context *context, const char *what, karp_str name, karp_str text, karp_error *error)
{
    io_cursor at, value;
    io_cursor_init(&at, text, karp_context_get_options(context)->max_nesting);
    io_skip_space(&at);
    io_scan result = at.pos < at.end ? io_scan_value(&at, &value) : IO_SCAN_SYNTAX;
    if (result == IO_SCAN_OK) io_skip_space(&at);
    if (result != IO_SCAN_OK || at.pos != at.end) {
        (void)scan_failed(&at, what, name, result, error);
        return NULL;
    }
    return io_parse(context, &value, name, error);
}

static karp_status decode_tree(io_document *document, const io_document_kind *kind, karp_str name, karp_str text,
                               karp_error *error)
{
    io_decoder d;
    io_decoder_init(&d, &document->arena);
    if (json_is_object(document->tree)) kind->decode(&d, document->tree, (char *)document + kind->value);
    else io_bad(&d, KARP_E_INVALID, "%s is an object", kind->what);
    if (!d.status) return KARP_OK;
    io_cursor at;
    io_cursor_init(&at, text, karp_context_get_options(document->context)->max_nesting);
    io_skip_space(&at);
    io_place place = io_place_of(name, &at);
    io_place_refine(&place, document->tree, d.path, d.depth < IO_PATH_MOST ? d.depth : IO_PATH_MOST);
    *error = d.error;
    io_error_place(error, &place);
    return d.status;
}

karp_status io_document_read(karp_context *context, const io_document_kind *kind, karp_str name, karp_str text,
                             io_document **out, karp_error *error)
{
    karp_error own;
    karp_error_init(&own, sizeof own);
    const karp_context_options *options = karp_context_get_options(context);
    if (text.len > options->max_document_bytes) {
        io_fail(error, KARP_E_LIMIT, "longer than %llu bytes", (unsigned long long)options->max_document_bytes);
        if (error) io_error_text(error->document, sizeof error->document, name);
        return KARP_E_LIMIT;
    }
    if (!text.ptr) text.ptr = "";
    io_document *document = karp_alloc(context, kind->bytes);
    if (!document) return io_nomem(error);
    memset(document, 0, kind->bytes);
    document->context = karp_context_ref(context);
    document->bytes = kind->bytes;
    io_arena_init(&document->arena, context);
    document->tree = parse(context, kind->what, name, text, &own);
    karp_status status = document->tree ? decode_tree(document, kind, name, text, &own) : own.status;
    if (status == KARP_OK) {
        *out = document;
        return KARP_OK;
    }
    io_document_free(document);
    if (error) *error = own;
    return status;
}

karp_status io_document_read_file(karp_context *context, const io_document_kind *kind, const char *path,
                                  io_document **out, karp_error *error)
{
    io_text text;
    karp_status status = io_whole_file(context, path, &text, error);
    if (status == KARP_OK)
        status = io_document_read(context, kind, io_str(path), (karp_str){ text.ptr, text.len }, out, error);
    io_text_free(&text);
    return karp_context_refusal(context, status, error);
}

void io_document_free(io_document *document)
{
    if (!document) return;
    karp_context *context = document->context;
    if (document->tree) json_decref(document->tree);
    io_arena_free(&document->arena);
    karp_free(context, document, document->bytes);
    karp_context_free(context);
}
