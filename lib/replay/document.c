/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/document.h>

#include <io/files.h>
#include <io/notes.h>

karp_status document_text(karp_context *context, const karp_replay_document *document, strbuf *file, karp_str *text,
                          karp_error *error)
{
    *text = document->text;
    strbuf_init(file, context);
    if (text->ptr) return KARP_OK;
    karp_status status = io_whole_file(context, document->name, file, error);
    *text = (karp_str){ file->ptr ? file->ptr : "", file->len };
    return status;
}

karp_status document_read(karp_reader *reader, const karp_replay_document *document, bool replace, karp_error *error)
{
    enum { PATH_ROOM = 4096 };
    char path[PATH_ROOM];
    karp_str name = document->name;
    if (document->text.ptr)
        return replace ? karp_reader_replace(reader, name, document->text, error)
                       : karp_reader_add(reader, name, document->text, error);
    if (name.len >= PATH_ROOM) return fail(error, KARP_E_INVALID, "a path that is too long");
    memcpy(path, name.ptr, name.len);
    path[name.len] = '\0';
    return replace ? karp_reader_replace_path(reader, path, error) : karp_reader_add_path(reader, path, error);
}

karp_status document_rules(karp_reader *reader, karp_str ignored_kinds, karp_str pods_from, karp_error *error)
{
    reader->options.ignored_kinds = ignored_kinds;
    karp_status status = io_ignored_read(reader);
    if (status) return error_give(&reader->error, error);
    while (pods_from.len > 0 && status == KARP_OK)
        status = karp_reader_add_pod_kind(reader, str_until(&pods_from, '\n'), error);
    return status;
}
