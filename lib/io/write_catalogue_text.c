/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a catalogue as a table: allocatable amounts and the lowest price of each capacity type. */
#include <karp/inspect.h>

#include <base/labels.h>

#include "write_catalogue.h"

#include "write_text.h"

enum { COLUMNS = 9, PRICES = 2 + 11 + 9 };

static const char *const titles[COLUMNS] = { "TYPE",  "ARCH",  "CPU",       "MEMORY", "PODS",
                                             "ZONES", "OTHER", "ON-DEMAND", "SPOT" };

typedef struct table_row {
    karp_str cells[COLUMNS];
    uint32_t zones;
    double on_demand; /* negative = none */
    double spot;
} table_row;

static bool is_common(karp_str name)
{
    return str_in_list(name, "cpu memory pods ephemeral-storage vpc.amazonaws.com/pod-eni");
}

/* The most notable resource of a type: its accelerators, else the first that most types do not have. */
static karp_str other_resource(const karp_resource *list, size_t count, karp_str *amount)
{
    karp_str found = { "", 0 };
    *amount = found;
    for (size_t i = 0; i < count; i++) {
        bool network = str_is(list[i].name, "vpc.amazonaws.com/efa");
        if (is_common(list[i].name) || str_starts(list[i].name, "hugepages-") || str_is(list[i].text, "0") ||
            (found.len > 0 && network)) {
            continue;
        }
        found = list[i].name;
        *amount = list[i].text;
        if (!network) break;
    }
    return found;
}

static bool zone_seen(const karp_instance_type *type, size_t before, karp_str zone)
{
    for (size_t i = 0; i < before; i++) {
        const karp_offering *o = &type->offerings[i];
        karp_str other = requirement_value(o->requirements, o->requirement_count, LABEL_ZONE);
        if (o->available && equal_str(other, zone)) return true;
    }
    return false;
}

static void best_prices(const karp_instance_type *type, table_row *row)
{
    row->on_demand = -1;
    row->spot = -1;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *o = &type->offerings[i];
        if (!o->available) continue;
        karp_str zone = requirement_value(o->requirements, o->requirement_count, LABEL_ZONE);
        row->zones += !zone_seen(type, i, zone);
        karp_str kind = requirement_value(o->requirements, o->requirement_count, LABEL_CAPACITY_TYPE);
        double *best = str_is(kind, "spot") ? &row->spot : str_is(kind, "on-demand") ? &row->on_demand : NULL;
        if (best != NULL && (*best <= 0 || (o->price > 0 && o->price < *best))) *best = o->price;
    }
}

static void fill_row(const catalogue_job *job, size_t index, table_row *row)
{
    const karp_instance_type *type = karp_catalogue_type(job->catalogue, index);
    size_t count = 0;
    const karp_resource *list = karp_catalogue_allocatable(job->catalogue, index, &count);
    count = list == NULL ? 0 : count;
    *row = (table_row){ .cells = { type->name } };
    row->cells[1] = requirement_value(type->requirements, type->requirement_count, LABEL_ARCH);
    for (size_t i = 0; i < count; i++) {
        size_t column = str_is(list[i].name, "cpu")      ? 2
                        : str_is(list[i].name, "memory") ? 3
                        : str_is(list[i].name, "pods")   ? 4
                                                         : 0;
        if (column > 0) row->cells[column] = list[i].text;
    }
    best_prices(type, row);
}

/* Negative = there is no offering, 0 = its price is unknown. */
static void write_price(write_buffer *b, double price, bool last)
{
    size_t start = b->text.len;
    if (price <= 0) {
        buffer_text(b, price < 0 ? "-" : "unknown");
    } else {
        buffer_char(b, '$');
        text_money(b, price);
    }
    if (!last) {
        size_t used = b->text.len - start;
        buffer_repeat(b, " ", used < 9 ? 9 - used + 2 : 2);
    }
}

typedef struct table_layout {
    size_t widths[COLUMNS]; /* of columns 0 to 5 */
    size_t other; /* width of column OTHER */
    size_t all; /* of the table, if OTHER stands before the prices */
    bool last; /* OTHER is the last column, so that lines with rare resources are the only ones that are broken */
} table_layout;

static karp_str other_of(const catalogue_job *job, size_t index, karp_str *amount)
{
    size_t count = 0;
    const karp_resource *list = karp_catalogue_allocatable(job->catalogue, index, &count);
    return other_resource(list, list == NULL ? 0 : count, amount);
}

static void lay_out(const catalogue_job *job, size_t line_width, table_layout *l)
{
    l->other = 5;
    for (size_t c = 0; c < COLUMNS; c++) l->widths[c] = text_columns(str(titles[c]));
    for (size_t i = 0; i < job->count; i++) {
        table_row row;
        fill_row(job, job->order[i], &row);
        for (size_t c = 0; c < 5; c++) {
            size_t columns = text_columns(row.cells[c]);
            l->widths[c] = columns > l->widths[c] ? columns : l->widths[c];
        }
        karp_str amount, other = other_of(job, job->order[i], &amount);
        size_t columns = text_columns(other) + 1 + text_columns(amount);
        l->other = columns > l->other ? columns : l->other;
    }
    l->all = l->other + PRICES;
    for (size_t c = 0; c < 6; c++) l->all += l->widths[c] + 2;
    l->last = l->all > line_width;
}

static void write_titles(const text_out *text, const table_layout *l)
{
    write_buffer *b = text->out;
    text_style_begin(text, STYLE_HEADING);
    for (size_t c = 0; c < COLUMNS; c++) {
        if (c == 6 && l->last) continue;
        size_t width = c == 6 ? l->other : l->widths[c];
        bool right = c >= 2 && c <= 5;
        if (right) text_right(b, str(titles[c]), width);
        else text_left(b, str(titles[c]), c + 1 < COLUMNS ? width : 0);
        buffer_text(b, c + 1 < COLUMNS ? "  " : "");
    }
    buffer_text(b, l->last && l->all - l->other + 7 <= text->width ? "  OTHER" : "");
    text_style_end(text, STYLE_HEADING);
    buffer_char(b, '\n');
}

/* Writes the amount and the name. Returns the number of columns. */
static size_t write_other(write_buffer *b, karp_str other, karp_str amount)
{
    if (other.len == 0) return 0;
    text_clean(b, amount);
    buffer_char(b, ' ');
    text_clean(b, other);
    return text_columns(amount) + 1 + text_columns(other);
}

static void write_prices(write_buffer *b, const table_row *row)
{
    write_price(b, row->on_demand, false);
    write_price(b, row->spot, true);
}

static void write_row(const catalogue_job *job, size_t index, const table_layout *l)
{
    write_buffer *b = job->out;
    table_row row;
    fill_row(job, index, &row);
    for (size_t c = 0; c < 5; c++) {
        if (c < 2) text_left(b, row.cells[c], l->widths[c]);
        else text_right(b, row.cells[c], l->widths[c]);
        buffer_text(b, "  ");
    }
    buffer_repeat(b, " ", l->widths[5] - 1);
    buffer_uint(b, row.zones);
    buffer_text(b, "  ");
    karp_str amount, other = other_of(job, index, &amount);
    if (l->last) {
        write_prices(b, &row);
        buffer_text(b, other.len > 0 ? "  " : "");
        (void)write_other(b, other, amount);
    } else {
        size_t used = write_other(b, other, amount);
        buffer_repeat(b, " ", l->other - used + 2);
        write_prices(b, &row);
    }
    buffer_char(b, '\n');
}

void catalogue_as_text(const catalogue_job *job)
{
    const text_out text = { job->out, job->options->width, job->options->color != 0 };
    table_layout layout;
    lay_out(job, text.width, &layout);
    write_titles(&text, &layout);
    for (size_t i = 0; i < job->count; i++) write_row(job, job->order[i], &layout);
    buffer_count(job->out, job->count, "type");
    buffer_text(job->out, "; cpu, memory and pods as allocatable; the lowest price per hour of the zones\n");
}
