/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates of interruptions: CSV with the columns instance_type, per_hour and zone, or the JSON of AWS' Spot Instance
 * Advisor, which has bands of the part of the instances that was interrupted within a month.
 */
#include <replay/cell_table.h>

#include <io/cells.h>
#include <replay/document.h>
#include <math.h>

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

static karp_status read_csv(replay *r, const karp_replay_document *document, rate_list *list)
{
    static const char *const names[RATE_COLUMNS] = { "instance_type", "per_hour", "zone" };
    cell_table t = { .columns = names,
                     .column_count = RATE_COLUMNS,
                     .needed = RATE_ZONE,
                     .wanted = "a table of interruptions has the columns instance_type, zone (if you like), per_hour" };
    karp_str cells[RATE_COLUMNS];
    karp_status status = cell_table_open(&t, r, document);
    while (cell_table_next(&t, cells, &status)) status = read_row(&t, list, cells);
    if (!status && t.comment.len)
        str_append(r->rates_note, sizeof r->rates_note, "rates of interruptions of %.*s: %.*s",
                   str_shown(document->name, 100), document->name.ptr, str_shown(t.comment, 160), t.comment.ptr);
    cell_table_close(&t);
    return status;
}

/* ---- the Spot Instance Advisor ----------------------------------------------------------------------------------- */

/* The part of the instances that was interrupted within a month, by band: its middle; the last one is open. */
static const double bands[] = { 0.025, 0.075, 0.125, 0.175, 0.25 };
#define HOURS_OF_MONTH 730

static karp_status advisor_wrong(replay *r, const karp_replay_document *document, const char *message)
{
    karp_status status = fail(&r->error, KARP_E_INVALID, "%s", message);
    error_set_place(&r->error, document->name, 0, 0, KARP_NO_OFFSET);
    return status;
}

static karp_status read_advised(replay *r, const karp_replay_document *document, const tree *types, rate_list *list)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(types) && !status; i++) {
        const tree_member *m = tree_member_at(types, i);
        int64_t band = -1;
        if (!tree_integer(tree_get(m->value, "r"), &band) || band < 0 ||
            band >= (int64_t)(sizeof bands / sizeof *bands))
            return advisor_wrong(r, document, "a type without its band of interruptions: r from 0 to 4");
        karp_replay_interruption row = { .per_hour = -log1p(-bands[band]) / HOURS_OF_MONTH };
        row.instance_type = trace_keep(&r->base.trace, tree_member_name(m));
        status = row.instance_type.ptr ? add_rate(r, list, &row) : fail_nomem(&r->error);
    }
    return status;
}

static karp_status read_advisor(replay *r, const karp_replay_document *document, karp_str text, rate_list *list)
{
    char region[64];
    tree *root = NULL;
    trees memory = trees_on(r->base.context);
    karp_status status = tree_read(&memory, document->name, text, &root, &r->error);
    const tree *regions = tree_get(root, "spot_advisor");
    str_shorten(region, sizeof region, r->options.region.len ? r->options.region : r->base.trace.region);
    if (!region[0] && tree_count(regions) == 1)
        str_shorten(region, sizeof region, tree_member_name(tree_member_at(regions, 0)));
    const tree *types = tree_get(tree_get(regions, region), "Linux");
    if (!status && !tree_is(regions, TREE_MAP))
        status = advisor_wrong(r, document, "JSON without spot_advisor is not the data of the Spot Instance Advisor");
    if (!status && tree_count(types) == 0)
        status = advisor_wrong(r, document,
                               region[0] ? "it has no Linux types of the region"
                                         : "it has several regions: state one, --region NAME");
    if (!status) status = read_advised(r, document, types, list);
    if (!status)
        str_append(r->rates_note, sizeof r->rates_note,
                   "rates of interruptions of %.*s: Spot Instance Advisor, Linux, %s, the middle of each band within a "
                   "month; the file has no date",
                   str_shown(document->name, 100), document->name.ptr, region);
    trees_free(&memory);
    return status;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static karp_status read_document(replay *r, const karp_replay_document *document, rate_list *list)
{
    strbuf file;
    karp_replay_document read = *document;
    karp_status status = document_text(r->base.context, document, &file, &read.text, &r->error);
    const bool json = str_starts(cell_trimmed(read.text), "{");
    if (!status) status = json ? read_advisor(r, &read, read.text, list) : read_csv(r, &read, list);
    strbuf_free(&file);
    return status;
}

karp_status replay_read_rates(replay *r)
{
    rate_list list = { 0 };
    if (!r->options.interruption_table) return KARP_OK;
    karp_status status = read_document(r, r->options.interruption_table, &list);
    for (size_t i = 0; i < r->options.interruption_count && !status; i++)
        status = add_rate(r, &list, &r->options.interruptions[i]);
    r->options.interruptions = list.items;
    r->options.interruption_count = list.count;
    return status;
}
