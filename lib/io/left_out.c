/* SPDX-License-Identifier: Apache-2.0 */
#include <io/notes.h>

karp_status io_leave_out(karp_reader *reader, karp_status status, const tree *root, const io_place *place)
{
    if (!reader->options.skip_unknown || (status != KARP_E_INVALID && status != KARP_E_RANGE)) return status;
    char why[800] = "", name[100];
    karp_str kind = tree_get_text(root, "kind"), document = place->document;
    unsigned long line = reader->error.document[0] ? reader->error.line : place->line;
    str_shorten(name, sizeof name, tree_get_text(tree_get(root, "metadata"), "name"));
    str_append(why, sizeof why, "%.*s %s: %s%s%s", str_shown(kind, 64), kind.len ? kind.ptr : "", name,
               reader->error.field, reader->error.field[0] ? ": " : "", reader->error.message);
    karp_error_init(&reader->error, sizeof reader->error);
    return io_problem_left_out(reader, document, line, why);
}

karp_status io_leave_out_wrong(karp_reader *reader)
{
    for (size_t i = 0; reader->options.skip_unknown && i < reader->deferred_count; i++) {
        io_deferred *w = &reader->deferred[i];
        if (w->gone || w->stated || !w->root) continue;
        karp_status status = io_object_check(reader, w->info, w->root, &w->place);
        if (status == KARP_OK) continue;
        status = io_leave_out(reader, status, w->root, &w->place);
        if (status) return status;
        reader->deferred[i].gone = true;
    }
    return KARP_OK;
}
