/* SPDX-License-Identifier: Apache-2.0 */
#include <io/one_document.h>

#include <string.h>

static karp_status scan_failed(const io_cursor *at, const char *what, karp_str name, io_scan result, karp_error *error)
{
    karp_status status = result == IO_SCAN_DEEP ? io_fail(error, KARP_E_LIMIT, "nested deeper than %lu", (unsigned long)at->max_nesting)
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

static karp_status decode_tree(io_document *document, const char *what, karp_str name, karp_str text, io_decode_fn *decode, void *out, karp_error *error)
{
    io_decoder d;
    io_decoder_init(&d, &document->arena);
    if (json_is_object(document->tree)) decode(&d, document->tree, out);
    else io_bad(&d, KARP_E_INVALID, "%s is an object", what);
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

karp_status io_document_read(io_document *document, karp_context *context, const char *what, karp_str name, karp_str text, io_decode_fn *decode,
                             void *out, karp_error *error)
{
    karp_error own;
    karp_error_init(&own, sizeof own);
    const karp_context_options *options = karp_context_get_options(context);
    *document = (io_document){ .context = context };
    if (text.len > options->max_document_bytes) {
        io_fail(error, KARP_E_LIMIT, "longer than %llu bytes", (unsigned long long)options->max_document_bytes);
        if (error) io_error_text(error->document, sizeof error->document, name);
        return KARP_E_LIMIT;
    }
    if (!text.ptr) text.ptr = "";
    io_arena_init(&document->arena, context);
    document->tree = parse(context, what, name, text, &own);
    karp_status status = document->tree ? decode_tree(document, what, name, text, decode, out, &own) : own.status;
    if (status == KARP_OK) {
        (void)karp_context_ref(context);
        return KARP_OK;
    }
    io_document_free(document);
    if (error) *error = own;
    return status;
}

void io_document_free(io_document *document)
{
    if (document->tree) json_decref(document->tree);
    document->tree = NULL;
    io_arena_free(&document->arena);
}
