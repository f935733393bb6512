/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of interruption rates: CSV with the columns instance_type, zone and per_hour, in any order. */
#include <replay/replay.h>

#include <base/error.h>
#include <io/cells.h>
#include <io/files.h>

enum { RATE_TYPE, RATE_ZONE, RATE_PER_HOUR, RATE_COLUMNS };

typedef struct rate_table {
    replay *r;
    karp_str name, text; /* of the document; what is left of it */
    size_t columns[RATE_COLUMNS]; /* RATE_* */
    size_t column_count;
    uint32_t line;
    karp_replay_interruption *list;
    size_t count, room;
} rate_table;

static karp_status wrong(rate_table *t, const char *message)
{
    karp_status status = fail(&t->r->error, KARP_E_INVALID, "%s", message);
    error_set_place(&t->r->error, t->name, t->line, 0, KARP_NO_OFFSET);
    return status;
}

/* The next line that is not empty. */
static bool next_line(rate_table *t, karp_str *line)
{
    while (t->text.len > 0) {
        *line = cell_trimmed(str_until(&t->text, '\n'));
        t->line++;
        if (line->len > 0) return true;
    }
    return false;
}

static karp_status read_header(rate_table *t)
{
    static const char *const names[RATE_COLUMNS] = { "instance_type", "zone", "per_hour" };
    static const char wanted[] = "a table of interruptions has the columns instance_type, zone (if you like), per_hour";
    karp_str line, cell;
    bool there[RATE_COLUMNS] = { false };
    if (!next_line(t, &line)) return wrong(t, wanted);
    while (line.len > 0) {
        size_t column = 0;
        if (t->column_count == RATE_COLUMNS || !cell_next(&line, &cell)) return wrong(t, wanted);
        while (column < RATE_COLUMNS && !str_is(cell_trimmed(cell), names[column])) column++;
        if (column == RATE_COLUMNS || there[column]) return wrong(t, wanted);
        there[column] = true;
        t->columns[t->column_count++] = column;
    }
    return there[RATE_TYPE] && there[RATE_PER_HOUR] ? KARP_OK : wrong(t, wanted);
}

static karp_status add_rate(rate_table *t, const karp_replay_interruption *row)
{
    if (!arena_grow(&t->r->base.trace.memory, (void **)&t->list, &t->room, t->count + 1, sizeof *row))
        return fail_nomem(&t->r->error);
    t->list[t->count++] = *row;
    return KARP_OK;
}

static karp_status read_row(rate_table *t, karp_str line)
{
    karp_str cells[RATE_COLUMNS] = { { "", 0 }, { "", 0 }, { "", 0 } };
    karp_replay_interruption row = { .per_hour = 0 };
    for (size_t i = 0; i < t->column_count; i++) {
        if (!cell_next(&line, &cells[t->columns[i]])) return wrong(t, "a quote is not closed");
    }
    if (line.len > 0) return wrong(t, "the row has more cells than there are columns");
    if (karp_double_parse(cell_trimmed(cells[RATE_PER_HOUR]), &row.per_hour) != KARP_OK ||
        !(row.per_hour >= 0 && row.per_hour < 1e6))
        return wrong(t, "per_hour is not a number from 0 to a million");
    row.instance_type = trace_keep(&t->r->base.trace, cell_trimmed(cells[RATE_TYPE]));
    row.zone = trace_keep(&t->r->base.trace, cell_trimmed(cells[RATE_ZONE]));
    if (!row.instance_type.ptr || !row.zone.ptr) return fail_nomem(&t->r->error);
    return add_rate(t, &row);
}

static karp_status read_table(rate_table *t)
{
    karp_str line;
    karp_status status = read_header(t);
    while (!status && next_line(t, &line)) status = read_row(t, line);
    return status;
}

karp_status replay_read_rates(replay *r)
{
    const karp_replay_document *document = r->options.interruption_table;
    if (!document) return KARP_OK;
    rate_table t = { .r = r, .name = document->name, .text = document->text };
    strbuf text;
    strbuf_init(&text, r->base.context);
    karp_status status = KARP_OK;
    if (!document->text.ptr) {
        strbuf_free(&text);
        status = io_whole_file(r->base.context, document->name, &text, &r->error);
        t.text = (karp_str){ text.ptr, text.len };
    }
    if (!status) status = read_table(&t);
    for (size_t i = 0; i < r->options.interruption_count && !status; i++)
        status = add_rate(&t, &r->options.interruptions[i]);
    strbuf_free(&text);
    r->options.interruptions = t.list;
    r->options.interruption_count = t.count;
    return status;
}
