/* SPDX-License-Identifier: Apache-2.0 */
#include <io/whole_file.h>

#include <io/place.h>
#include <stdio.h>
#include <string.h>

karp_status io_whole_file(karp_context *context, const char *path, strbuf *text, karp_error *error)
{
    strbuf_init(text, context);
    bool standard_input = strcmp(path, "-") == 0;
    FILE *file = standard_input ? stdin : fopen(path, "rb");
    karp_status status = KARP_OK;
    if (!file) {
        status = fail(error, KARP_E_IO, "cannot be opened");
        if (error) str_shorten(error->document, sizeof error->document, str(path));
        return status;
    }
    uint64_t most = karp_context_get_options(context)->max_document_bytes;
    char piece[16384];
    size_t got = 0;
    while (!text->failed && text->len <= most && (got = fread(piece, 1, sizeof piece, file)) > 0)
        strbuf_add(text, piece, got);
    if (ferror(file)) {
        status = fail(error, KARP_E_IO, "cannot be read");
        if (error) str_shorten(error->document, sizeof error->document, str(path));
    } else if (text->failed) {
        status = fail_nomem(error);
    }
    if (!standard_input) (void)fclose(file);
    return status;
}
