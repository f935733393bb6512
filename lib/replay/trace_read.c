/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/trace_read.h>

#include <base/error.h>
#include <io/whole_file.h>

/* A table's first line has commas and the name of a column that such a table needs; a story's has neither. */
static bool looks_like_table(karp_str text, const char *column)
{
    const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    size_t length = end ? (size_t)(end - text.ptr) : text.len, wanted = strlen(column);
    for (size_t i = 0; i + wanted <= length; i++) {
        if (memcmp(text.ptr + i, column, wanted) == 0)
            return memchr(text.ptr, ',', length) && !memchr(text.ptr, ':', length);
    }
    return false;
}

static karp_status read_text(trace *t, karp_str format, const karp_replay_document *document, karp_str text,
                             bool lenient, karp_error *error)
{
    if (format.len == 0)
        format = str(looks_like_table(text, "cpu_milli") ? "openb" : looks_like_table(text, "start") ? "csv" : "story");
    if (str_is(format, "csv")) return trace_read_csv(t, false, document->name, text, lenient, error);
    if (str_is(format, "openb")) return trace_read_csv(t, true, document->name, text, lenient, error);
    if (str_is(format, "story")) return trace_read_story(t, document, error);
    return fail(error, KARP_E_UNSUPPORTED, "no such format of traces: csv, openb and story are known");
}

karp_status trace_read(trace *t, karp_str format, const karp_replay_document *document, bool lenient, karp_error *error)
{
    strbuf path, text;
    if (document->text.ptr) return read_text(t, format, document, document->text, lenient, error);
    strbuf_init(&path, t->context);
    strbuf_init(&text, t->context);
    strbuf_addstr(&path, document->name);
    karp_status status = path.failed ? fail_nomem(error) : KARP_OK;
    if (!status) status = io_whole_file(t->context, path.ptr ? path.ptr : "", &text, error);
    if (!status) status = read_text(t, format, document, (karp_str){ text.ptr, text.len }, lenient, error);
    strbuf_free(&path);
    strbuf_free(&text);
    return status;
}
