/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a catalogue as a table: allocatable amounts and the lowest price of each capacity type. */
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
    return str_is(name, "cpu") || str_is(name, "memory") || str_is(name, "pods") || str_is(name, "ephemeral-storage") ||
           str_is(name, "vpc.amazonaws.com/pod-eni");
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
        karp_str other = requirement_value(o->requirements, o->requirement_count, "topology.kubernetes.io/zone");
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
        karp_str zone = requirement_value(o->requirements, o->requirement_count, "topology.kubernetes.io/zone");
        row->zones += !zone_seen(type, i, zone);
        karp_str kind = requirement_value(o->requirements, o->requirement_count, "karpenter.sh/capacity-type");
        double *best = str_is(kind, "spot") ? &row->spot : str_is(kind, "on-demand") ? &row->on_demand : NULL;
        if (best != NULL && (*best < 0 || o->price < *best)) *best = o->price;
    }
}

static void fill_row(const catalogue_job *job, size_t index, table_row *row)
{
    const karp_instance_type *type = karp_catalogue_type(job->catalogue, index);
    size_t count = 0;
    const karp_resource *list = karp_catalogue_allocatable(job->catalogue, index, &count);
    count = list == NULL ? 0 : count;
    *row = (table_row){ .cells = { type->name } };
    row->cells[1] = requirement_value(type->requirements, type->requirement_count, "kubernetes.io/arch");
    for (size_t i = 0; i < count; i++) {
        size_t column = str_is(list[i].name, "cpu")      ? 2
                        : str_is(list[i].name, "memory") ? 3
                        : str_is(list[i].name, "pods")   ? 4
                                                         : 0;
        if (column > 0) row->cells[column] = list[i].text;
    }
    best_prices(type, row);
}

static void write_price(write_buffer *b, double price, bool last)
{
    size_t start = b->text.len;
    if (price < 0) {
        buffer_char(b, '-');
    } else {
        buffer_char(b, '$');
        text_money(b, price);
    }
    if (!last) {
        size_t used = b->text.len - start;
        buffer_repeat(b, " ", used < 9 ? 9 - used + 2 : 2);
    }
}

void catalogue_as_text(const catalogue_job *job)
{
    text_out text = { job->out, job->options->width, job->options->color != 0 };
    write_buffer *b = job->out;
    size_t widths[COLUMNS];
    size_t other_width = 5;
    for (size_t c = 0; c < COLUMNS; c++) widths[c] = text_columns(str(titles[c]));
    for (size_t i = 0; i < job->count; i++) {
        table_row row;
        fill_row(job, job->order[i], &row);
        for (size_t c = 0; c < 5; c++) {
            size_t columns = text_columns(row.cells[c]);
            widths[c] = columns > widths[c] ? columns : widths[c];
        }
        size_t count = 0;
        karp_str amount;
        const karp_resource *list = karp_catalogue_allocatable(job->catalogue, job->order[i], &count);
        karp_str other = other_resource(list, list == NULL ? 0 : count, &amount);
        size_t columns = text_columns(other) + 1 + text_columns(amount);
        other_width = columns > other_width ? columns : other_width;
    }
    size_t table = other_width + PRICES;
    for (size_t c = 0; c < 6; c++) table += widths[c] + 2;
    bool last = table > text.width; /* rare resources are last, so that only their lines are broken */
    text_style_begin(&text, STYLE_HEADING);
    for (size_t c = 0; c < COLUMNS; c++) {
        if (c == 6 && last) continue;
        size_t width = c == 6 ? other_width : widths[c];
        bool right = c >= 2 && c <= 5;
        if (right) text_right(b, str(titles[c]), width);
        else text_left(b, str(titles[c]), c + 1 < COLUMNS ? width : 0);
        buffer_text(b, c + 1 < COLUMNS ? "  " : "");
    }
    buffer_text(b, last && table - other_width + 7 <= text.width ? "  OTHER" : "");
    text_style_end(&text, STYLE_HEADING);
    buffer_char(b, '\n');
    for (size_t i = 0; i < job->count; i++) {
        table_row row;
        fill_row(job, job->order[i], &row);
        for (size_t c = 0; c < 2; c++) {
            text_left(b, row.cells[c], widths[c]);
            buffer_text(b, "  ");
        }
        for (size_t c = 2; c < 5; c++) {
            text_right(b, row.cells[c], widths[c]);
            buffer_text(b, "  ");
        }
        buffer_repeat(b, " ", widths[5] - 1);
        buffer_uint(b, row.zones);
        buffer_text(b, "  ");
        size_t count = 0;
        karp_str amount;
        const karp_resource *list = karp_catalogue_allocatable(job->catalogue, job->order[i], &count);
        karp_str other = other_resource(list, list == NULL ? 0 : count, &amount);
        size_t used = 0;
        if (last) {
            write_price(b, row.on_demand, false);
            write_price(b, row.spot, true);
            buffer_text(b, other.len > 0 ? "  " : "");
        }
        if (other.len > 0) {
            text_clean(b, amount);
            buffer_char(b, ' ');
            text_clean(b, other);
            used = text_columns(amount) + 1 + text_columns(other);
        }
        if (!last) {
            buffer_repeat(b, " ", other_width - used + 2);
            write_price(b, row.on_demand, false);
            write_price(b, row.spot, true);
        }
        buffer_char(b, '\n');
    }
    buffer_count(b, job->count, "type");
    buffer_text(b, "; cpu, memory and pods as allocatable; the lowest price per hour of the zones\n");
}
