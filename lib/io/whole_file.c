/* SPDX-License-Identifier: Apache-2.0 */
#include <io/whole_file.h>

#include <errno.h>
#include <io/place.h>
#include <string.h>

#include <karp/library.h>

static karp_status cannot(const char *path, const char *what, karp_error *error)
{
    karp_status status = fail(error, KARP_E_IO, "%s", what);
    if (error) str_shorten(error->document, sizeof error->document, str(path));
    return status;
}

karp_status io_whole_file(karp_context *context, const char *path, strbuf *text, karp_error *error)
{
    strbuf_init(text, context);
    bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : io_open_file(path);
    karp_status status = KARP_OK;
    if (!file) return cannot(path, errno ? "cannot be opened" : "is not a regular file", error);
    uint64_t most = karp_context_get_options(context)->max_document_bytes;
    char piece[16384];
    size_t got = 0;
    while (!text->failed && text->len <= most && (got = fread(piece, 1, sizeof piece, file)) > 0)
        strbuf_add(text, piece, got);
    if (ferror(file)) {
        status = cannot(path, "cannot be read", error);
    } else if (text->failed) {
        status = fail_nomem(error);
    }
    if (!standard_input) (void)fclose(file);
    return status;
}
