/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of interruption rates: CSV with the columns instance_type, per_hour and zone. */
#include <replay/cell_table.h>

#include <base/error.h>

enum { RATE_TYPE, RATE_PER_HOUR, RATE_ZONE, RATE_COLUMNS };

typedef struct rate_list {
    karp_replay_interruption *items;
    size_t count, room;
} rate_list;

static karp_status add_rate(replay *r, rate_list *list, const karp_replay_interruption *row)
{
    if (!arena_grow(&r->base.trace.memory, (void **)&list->items, &list->room, list->count + 1, sizeof *row))
        return fail_nomem(&r->error);
    list->items[list->count++] = *row;
    return KARP_OK;
}

static karp_status read_row(cell_table *t, rate_list *list, const karp_str *cells)
{
    karp_replay_interruption row = { .per_hour = 0 };
    if (karp_double_parse(cells[RATE_PER_HOUR], &row.per_hour) != KARP_OK || !(row.per_hour >= 0 && row.per_hour < 1e6))
        return cell_table_wrong(t, "per_hour is not a number from 0 to a million");
    row.instance_type = trace_keep(&t->r->base.trace, cells[RATE_TYPE]);
    row.zone = trace_keep(&t->r->base.trace, cells[RATE_ZONE]);
    if (!row.instance_type.ptr || !row.zone.ptr) return fail_nomem(&t->r->error);
    return add_rate(t->r, list, &row);
}

karp_status replay_read_rates(replay *r)
{
    static const char *const names[RATE_COLUMNS] = { "instance_type", "per_hour", "zone" };
    const karp_replay_document *document = r->options.interruption_table;
    if (!document) return KARP_OK;
    cell_table t = { .columns = names,
                     .column_count = RATE_COLUMNS,
                     .needed = RATE_ZONE,
                     .wanted = "a table of interruptions has the columns instance_type, zone (if you like), per_hour" };
    rate_list list = { 0 };
    karp_str cells[RATE_COLUMNS];
    karp_status status = cell_table_open(&t, r, document);
    while (cell_table_next(&t, cells, &status)) status = read_row(&t, &list, cells);
    for (size_t i = 0; i < r->options.interruption_count && !status; i++)
        status = add_rate(r, &list, &r->options.interruptions[i]);
    cell_table_close(&t);
    r->options.interruptions = list.items;
    r->options.interruption_count = list.count;
    return status;
}
