/* SPDX-License-Identifier: Apache-2.0 */
#include <io/one_document.h>

#include <io/files.h>

#include <karp/library.h>

static karp_status scan_failed(const io_cursor *at, const char *what, karp_str name, io_scan result, karp_error *error)
{
    if (result == IO_SCAN_STOPPED) return fail_nomem(error);
    karp_status status = result == IO_SCAN_DEEP
                             ? fail(error, KARP_E_LIMIT, "nested deeper than %lu", (unsigned long)at->max_nesting)
                             : fail(error, KARP_E_SYNTAX, "not JSON: expected %s", what);
    io_place place = io_place_of(name, at);
    if (error) io_error_place(error, &place);
    return status;
}

/* `text` stays valid as long as the document. */
static karp_status parse(io_document *document, const char *what, karp_str name, karp_str text, tree **out,
                         karp_error *error)
{
    io_cursor at, value;
    io_cursor_init(&at, text, document->context);
    io_skip_space(&at);
    io_scan result = at.pos < at.end ? io_scan_value(&at, &value) : IO_SCAN_SYNTAX;
    if (result == IO_SCAN_OK) io_skip_space(&at);
    if (result != IO_SCAN_OK || at.pos != at.end) return scan_failed(&at, what, name, result, error);
    return tree_read(&document->trees, name, text, out, error);
}

karp_status io_decoded(const io_decoder *d, const tree *root, karp_str name, karp_str text, karp_error *error)
{
    if (!d->status) return KARP_OK;
    io_place place = { .document = name, .line = 1, .column = 1, .text = text };
    io_place_refine(&place, root, d->path, d->depth < IO_PATH_MOST ? d->depth : IO_PATH_MOST);
    *error = d->error;
    io_error_place(error, &place);
    return d->status;
}

static karp_status decode_tree(io_document *document, const io_document_kind *kind, karp_str name, karp_str text,
                               const tree *root, karp_error *error)
{
    io_decoder d;
    io_decoder_init(&d, &document->arena);
    if (tree_is(root, TREE_MAP)) kind->decode(&d, root, (char *)document + kind->value);
    else io_bad(&d, KARP_E_INVALID, "%s is an object", kind->what);
    return io_decoded(&d, root, name, text, error);
}

karp_status io_document_read(karp_context *context, const io_document_kind *kind, karp_str name, karp_str text,
                             void *out, karp_error *error)
{
    if (!str_given(name) || !str_given(text)) return fail_null(error, "name or text");
    if (!context || !out) return fail_null(error, "context or out");
    karp_error own = { .size = sizeof own };
    const karp_context_options *options = karp_context_get_options(context);
    if (text.len > options->max_document_bytes) {
        fail(error, KARP_E_LIMIT, "longer than %llu bytes", (unsigned long long)options->max_document_bytes);
        if (error) str_shorten(error->document, sizeof error->document, name);
        return KARP_E_LIMIT;
    }
    io_document *document = mem_zalloc(context, kind->bytes);
    if (!document) return karp_context_refusal(context, fail_nomem(error), error);
    document->context = karp_context_ref(context);
    document->bytes = kind->bytes;
    arena_init(&document->arena, context);
    trees_init(&document->trees, context);
    const char *kept = arena_string(&document->arena, text.ptr, text.len);
    text.ptr = kept;
    tree *root = NULL;
    karp_status status = kept ? parse(document, kind->what, name, text, &root, &own) : fail_nomem(&own);
    if (status == KARP_OK) status = decode_tree(document, kind, name, text, root, &own);
    if (status == KARP_OK) {
        memcpy(out, &document, sizeof document); /* pointers to structs have one representation */
        return KARP_OK;
    }
    io_document_free(document);
    status = karp_context_refusal(context, status, &own);
    (void)error_give(&own, error);
    return status;
}

karp_status io_document_read_file(karp_context *context, const io_document_kind *kind, const char *path, void *out,
                                  karp_error *error)
{
    if (!context || !path || !out) return fail_null(error, "context, path or out");
    strbuf text;
    karp_status status = io_whole_file(context, str(path), &text, error);
    if (status == KARP_OK)
        status = io_document_read(context, kind, str(path), (karp_str){ text.ptr, text.len }, out, error);
    strbuf_free(&text);
    return karp_context_refusal(context, status, error);
}

void io_document_free(io_document *document)
{
    if (!document) return;
    karp_context *context = document->context;
    trees_free(&document->trees);
    arena_free(&document->arena);
    karp_free(context, document, document->bytes);
    karp_context_unref(context);
}
