/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/cell_table.h>

#include <io/cells.h>
#include <replay/document.h>

karp_status cell_table_wrong(cell_table *t, const char *message)
{
    karp_status status = fail(&t->r->error, KARP_E_INVALID, "%s", message);
    error_set_place(&t->r->error, t->name, t->line, 0, KARP_NO_OFFSET);
    return status;
}

/* The next line that is not empty and no comment. */
static bool next_line(cell_table *t, karp_str *line)
{
    while (t->text.len > 0) {
        *line = cell_trimmed(str_until(&t->text, '\n'));
        t->line++;
        if (line->len > 0 && line->ptr[0] != '#') return true;
        if (line->len > 0 && t->comment.len == 0 && t->cell_count == 0)
            t->comment = cell_trimmed((karp_str){ line->ptr + 1, line->len - 1 });
    }
    return false;
}

static karp_status read_header(cell_table *t)
{
    karp_str line, cell;
    bool there[CELL_COLUMNS] = { false }, all = true;
    if (!next_line(t, &line)) return cell_table_wrong(t, t->wanted);
    while (line.len > 0) {
        size_t column = 0;
        if (t->cell_count == t->column_count || !cell_next(&line, &cell)) return cell_table_wrong(t, t->wanted);
        while (column < t->column_count && !str_is(cell_trimmed(cell), t->columns[column])) column++;
        if (column == t->column_count || there[column]) return cell_table_wrong(t, t->wanted);
        there[column] = true;
        t->order[t->cell_count++] = column;
    }
    for (size_t i = 0; i < t->needed; i++) all = all && there[i];
    return all ? KARP_OK : cell_table_wrong(t, t->wanted);
}

karp_status cell_table_open(cell_table *t, replay *r, const karp_replay_document *document)
{
    t->r = r;
    t->name = document->name;
    karp_status status = document_text(r->base.context, document, &t->file, &t->text, &r->error);
    return status ? status : read_header(t);
}

bool cell_table_next(cell_table *t, karp_str *cells, karp_status *status)
{
    karp_str line;
    for (size_t i = 0; i < t->column_count; i++) cells[i] = (karp_str){ "", 0 };
    if (*status || !next_line(t, &line)) return false;
    for (size_t i = 0; i < t->cell_count && !*status; i++) {
        if (!cell_next(&line, &cells[t->order[i]])) *status = cell_table_wrong(t, "a quote is not closed");
        cells[t->order[i]] = cell_trimmed(cells[t->order[i]]);
    }
    if (!*status && line.len > 0) *status = cell_table_wrong(t, "the row has more cells than there are columns");
    return *status == KARP_OK;
}

void cell_table_close(cell_table *t) { strbuf_free(&t->file); }
