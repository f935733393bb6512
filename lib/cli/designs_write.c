/* SPDX-License-Identifier: Apache-2.0 */
#include "designs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HOURS = 730, SHOWN = 120, ROWS_SHOWN = 40 };

typedef struct writer {
    const cli_options *options;
    cli_text *out;
    bool json, markdown;
    bool refused;
    bool differs;
    size_t rows; /* of the list at hand */
} writer;

static void put(writer *w, const char *bytes, size_t length)
{
    w->refused = w->refused || !text_add(w->options, w->out, bytes, length);
}

static void put_text(writer *w, const char *text) { put(w, text, strlen(text)); }

static void put_format(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_format(writer *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_text(w, text);
}

static void put_quoted(writer *w, const char *text, size_t length)
{
    put_text(w, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') put_format(w, "\\%c", c);
        else if (c < 0x20 || c == 0x7f) put_format(w, "\\u%04x", c);
        else put(w, &text[i], 1);
    }
    put_text(w, "\"");
}

/* What a file says, for people: control characters as '?', cut where it is long, and nothing that markdown reads. */
static void put_shown(writer *w, const char *text, size_t length)
{
    size_t most = length > SHOWN ? SHOWN : length;
    while (most < length && most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
    for (size_t i = 0; i < most; i++) {
        unsigned char c = (unsigned char)text[i];
        if (w->markdown && strchr("\\`*_<>|[]#", text[i]) != NULL) put_text(w, "\\");
        bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && i + 1 < most && (unsigned char)text[i + 1] < 0xa0);
        put(w, control ? "?" : &text[i], 1);
        i += control && c == 0xc2;
    }
    if (most < length) put_text(w, " \xe2\x80\xa6");
}

/* ---- moves --------------------------------------------------------------------------------------------------------- */

/* A pod that goes elsewhere; -1 of a design that has not to place it. */
typedef struct move {
    karp_str pod;
    const char *before, *after, *group_before, *group_after; /* NULL = it is not pending there */
} move;

typedef struct moves {
    const design *a, *b;
    size_t i, k;
} moves;

static int compare_pods(karp_str a, karp_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n > 0 ? memcmp(a.ptr, b.ptr, n) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* The next pod whose place differs; false = there is none. */
static bool next_move(moves *m, move *out)
{
    while (m->i < m->a->place_count || m->k < m->b->place_count) {
        const design_place *x = m->i < m->a->place_count ? &m->a->places[m->i] : NULL;
        const design_place *y = m->k < m->b->place_count ? &m->b->places[m->k] : NULL;
        int order = x == NULL ? 1 : y == NULL ? -1 : compare_pods(x->pod, y->pod);
        m->i += order <= 0;
        m->k += order >= 0;
        *out = (move){ .pod = x != NULL && order <= 0 ? x->pod : y->pod };
        if (x != NULL && order <= 0) {
            out->before = m->a->texts.ptr + x->text;
            out->group_before = m->a->texts.ptr + x->group;
        }
        if (y != NULL && order >= 0) {
            out->after = m->b->texts.ptr + y->text;
            out->group_after = m->b->texts.ptr + y->group;
        }
        if (order != 0 || strcmp(out->before, out->after) != 0) return true;
    }
    return false;
}

static bool same_text(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

/* ---- fields -------------------------------------------------------------------------------------------------------- */

static void json_row(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    writer *w = user;
    w->differs = true;
    put_text(w, w->rows++ > 0 ? ",\n   {\"object\": " : "\n   {\"object\": ");
    put_quoted(w, object.ptr, object.len);
    put_text(w, ", \"field\": ");
    put_quoted(w, field.ptr, field.len);
    put_text(w, ", \"before\": ");
    put(w, before.len > 0 ? before.ptr : "null", before.len > 0 ? before.len : 4);
    put_text(w, ", \"after\": ");
    put(w, after.len > 0 ? after.ptr : "null", after.len > 0 ? after.len : 4);
    put_text(w, "}");
}

static void text_row(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    writer *w = user;
    w->differs = true;
    if (w->rows++ >= ROWS_SHOWN) return;
    put_text(w, w->markdown ? "- **" : "  ");
    put_shown(w, object.ptr, object.len);
    put_text(w, w->markdown ? "** " : "  ");
    if (field.len == 0) {
        put_text(w, before.len > 0 ? "is not there\n" : "is new\n");
        return;
    }
    put_shown(w, field.ptr, field.len);
    put_text(w, ": ");
    put_shown(w, before.len > 0 ? before.ptr : "\xe2\x80\x93", before.len > 0 ? before.len : 3);
    put_text(w, " \xe2\x86\x92 ");
    put_shown(w, after.len > 0 ? after.ptr : "\xe2\x80\x93", after.len > 0 ? after.len : 3);
    put_text(w, "\n");
}

static void put_fields(writer *w, const design *a, const design *b, karp_reader_difference *row)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    w->rows = 0;
    if (karp_reader_compare(a->input.reader, b->input.reader, row, w, &error) != KARP_OK) w->refused = true;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

/* To a billionth, so that sums do not show what a double cannot hold. */
static void put_number(writer *w, double value)
{
    char text[KARP_VALUE_TEXT];
    karp_double_format(round(value * 1e9) / 1e9, text);
    put_text(w, text);
}

static void json_groups(writer *w, const char *name, const design_groups *groups)
{
    put_format(w, ",\n   \"%s\": [", name);
    for (size_t i = 0; i < groups->count; i++) {
        put_text(w, i > 0 ? ", {\"name\": " : "{\"name\": ");
        put_quoted(w, groups->items[i].name.ptr, groups->items[i].name.len);
        put_format(w, ", \"nodes\": %zu, \"perHour\": ", groups->items[i].nodes);
        put_number(w, groups->items[i].price);
        put_text(w, "}");
    }
    put_text(w, "]");
}

static void json_use(writer *w, const char *name, double requested, double allocatable)
{
    put_format(w, ",\n   \"%s\": {\"requested\": ", name);
    put_number(w, requested);
    put_text(w, ", \"allocatable\": ");
    put_number(w, allocatable);
    put_text(w, "}");
}

static void json_design(writer *w, const design *d)
{
    put_text(w, "\n  {\"name\": ");
    put_quoted(w, d->name, strlen(d->name));
    karp_str digest = karp_reader_digest(d->input.reader);
    put_text(w, ", \"sha256\": ");
    put_quoted(w, digest.ptr, digest.len);
    put_format(w, ",\n   \"nodes\": %zu, \"launches\": %zu, \"podsPlaced\": %zu, \"podsLeft\": %zu", d->nodes,
               d->launched, d->placed, d->left);
    put_text(w, ",\n   \"cost\": {\"perHour\": ");
    put_number(w, d->price);
    put_text(w, ", \"perMonth\": ");
    put_number(w, d->price * HOURS);
    put_text(w, ", \"spot\": ");
    put_number(w, d->spot_price);
    put_text(w, "}");
    json_use(w, "cpu", d->cpu_requested, d->cpu_allocatable);
    json_use(w, "memory", d->memory_requested, d->memory_allocatable);
    json_groups(w, "nodePools", &d->pools);
    json_groups(w, "zones", &d->zones);
    json_groups(w, "capacityTypes", &d->capacity_types);
    put_text(w, "}");
}

static void json_place(writer *w, const char *name, const char *place)
{
    put_format(w, ", \"%s\": ", name);
    if (place == NULL) put_text(w, "null");
    else put_quoted(w, place, strlen(place));
}

static void json_difference(writer *w, const design *a, const design *b)
{
    moves m = { a, b, 0, 0 };
    move one;
    put_text(w, "\n  {\"design\": ");
    put_quoted(w, b->name, strlen(b->name));
    put_text(w, ", \"fields\": [");
    put_fields(w, a, b, json_row);
    put_text(w, "],\n   \"moves\": [");
    for (size_t n = 0; next_move(&m, &one); n++) {
        w->differs = true;
        put_text(w, n > 0 ? ",\n   {\"pod\": " : "\n   {\"pod\": ");
        put_quoted(w, one.pod.ptr, one.pod.len);
        json_place(w, "before", one.before);
        json_place(w, "after", one.after);
        put_text(w, "}");
    }
    put_text(w, "]}");
}

static void write_json(writer *w, design *list, size_t count)
{
    put_text(w, "{\"apiVersion\": \"karp/v1\", \"kind\": \"Comparison\",\n \"designs\": [");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) put_text(w, ",");
        json_design(w, &list[i]);
    }
    put_text(w, "],\n \"differences\": [");
    for (size_t i = 1; i < count; i++) {
        if (i > 1) put_text(w, ",");
        json_difference(w, &list[0], &list[i]);
    }
    put_text(w, "]}\n");
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

enum { LABEL = 28, COLUMN = 22 };

static void begin_row(writer *w, const char *label, size_t length)
{
    put_text(w, w->markdown ? "| " : "");
    size_t start = w->out->len;
    put_shown(w, label, length);
    if (w->markdown) return;
    for (size_t i = w->out->len - start; i < LABEL; i++) put_text(w, " ");
}

static void put_cell(writer *w, const char *text)
{
    if (w->markdown) put_format(w, " | %s", text);
    else put_format(w, "%*s", COLUMN, text);
}

static void end_row(writer *w) { put_text(w, w->markdown ? " |\n" : "\n"); }

static void money_cell(writer *w, double price, double before, bool first)
{
    char text[64], change[32] = "";
    if (!first && before > 0 && fabs(price - before) > 1e-9)
        (void)snprintf(change, sizeof change, " (%+.1f%%)", (price / before - 1) * 100);
    (void)snprintf(text, sizeof text, "$%.2f%s", price * HOURS, change);
    put_cell(w, text);
}

static void count_row(writer *w, const char *label, const design *list, size_t count, size_t offset)
{
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[64];
        size_t number, first;
        memcpy(&number, (const char *)&list[i] + offset, sizeof number);
        memcpy(&first, (const char *)&list[0] + offset, sizeof first);
        if (number == first) (void)snprintf(text, sizeof text, "%zu", number);
        else (void)snprintf(text, sizeof text, "%zu (%+lld)", number, (long long)number - (long long)first);
        put_cell(w, text);
    }
    end_row(w);
}

static void part_row(writer *w, const char *label, const design *list, size_t count, size_t of, size_t all)
{
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[32];
        double part, whole;
        memcpy(&part, (const char *)&list[i] + of, sizeof part);
        memcpy(&whole, (const char *)&list[i] + all, sizeof whole);
        (void)snprintf(text, sizeof text, whole > 0 ? "%.0f%%" : "-", whole > 0 ? part / whole * 100 : 0);
        put_cell(w, text);
    }
    end_row(w);
}

static const design_groups *groups_of(const design *d, size_t offset)
{
    return (const design_groups *)(const void *)((const char *)d + offset);
}

static const design_group *find_group(const design_groups *g, karp_str name)
{
    for (size_t i = 0; i < g->count; i++) {
        if (compare_pods(g->items[i].name, name) == 0) return &g->items[i];
    }
    return NULL;
}

static void group_row(writer *w, const char *what, karp_str name, const design *list, size_t count, size_t offset)
{
    char label[64];
    (void)snprintf(label, sizeof label, "%s%.*s", what, name.len < 40 ? (int)name.len : 40,
                   name.len > 0 ? name.ptr : "");
    begin_row(w, label, strlen(label));
    for (size_t i = 0; i < count; i++) {
        char text[64] = "-";
        const design_group *g = find_group(groups_of(&list[i], offset), name);
        if (g != NULL) (void)snprintf(text, sizeof text, "%zu, $%.2f", g->nodes, g->price * HOURS);
        put_cell(w, text);
    }
    end_row(w);
}

/* Groups of every design, each once. */
static void group_rows(writer *w, const char *what, const design *list, size_t count, size_t offset)
{
    for (size_t i = 0; i < count; i++) {
        const design_groups *g = groups_of(&list[i], offset);
        for (size_t k = 0; k < g->count; k++) {
            bool before = false;
            for (size_t n = 0; n < i; n++) before = before || find_group(groups_of(&list[n], offset), g->items[k].name);
            if (!before)
                group_row(w, g->items[k].name.len > 0 ? what : "nodes of no NodePool", g->items[k].name, list, count,
                          offset);
        }
    }
}

static void write_table(writer *w, const design *list, size_t count)
{
    begin_row(w, "", 0);
    for (size_t i = 0; i < count; i++) put_cell(w, list[i].name);
    end_row(w);
    if (w->markdown) {
        put_text(w, "|---");
        for (size_t i = 0; i < count; i++) put_text(w, "|--:");
        put_text(w, "|\n");
    }
    begin_row(w, "$/month (730 h)", 15);
    for (size_t i = 0; i < count; i++) money_cell(w, list[i].price, list[0].price, i == 0);
    end_row(w);
    count_row(w, "nodes", list, count, offsetof(design, nodes));
    count_row(w, "nodes to launch", list, count, offsetof(design, launched));
    count_row(w, "pods that get a node", list, count, offsetof(design, placed));
    count_row(w, "pods without a node", list, count, offsetof(design, left));
    part_row(w, "cost that is spot", list, count, offsetof(design, spot_price), offsetof(design, price));
    part_row(w, "CPU requested", list, count, offsetof(design, cpu_requested), offsetof(design, cpu_allocatable));
    part_row(w, "memory requested", list, count, offsetof(design, memory_requested),
             offsetof(design, memory_allocatable));
    group_rows(w, "NodePool ", list, count, offsetof(design, pools));
    group_rows(w, "zone ", list, count, offsetof(design, zones));
    group_rows(w, "", list, count, offsetof(design, capacity_types));
}

/* ---- differences for people ---------------------------------------------------------------------------------------- */

static void put_place(writer *w, const char *place)
{
    const char *text = place == NULL ? "not pending" : place;
    put_shown(w, text, strlen(text));
}

/* Pods that move alike are one row; the first of them begins it. */
static void write_moves(writer *w, const design *a, const design *b)
{
    moves m = { a, b, 0, 0 };
    move one, other;
    size_t rows = 0, all = 0;
    while (next_move(&m, &one)) {
        moves before = { a, b, 0, 0 };
        bool first = true;
        size_t count = 0, at = 0;
        all++;
        while (first && rows < ROWS_SHOWN && next_move(&before, &other)) {
            bool alike = same_text(one.group_before, other.group_before) &&
                         same_text(one.group_after, other.group_after);
            if (alike && count == 0) first = compare_pods(other.pod, one.pod) == 0;
            count += alike;
            at++;
        }
        if (!first || rows++ >= ROWS_SHOWN) continue;
        put_text(w, w->markdown ? "- " : "  ");
        put_shown(w, one.pod.ptr, one.pod.len);
        if (count > 1) put_format(w, " and %zu more", count - 1);
        put_text(w, ": ");
        bool coarse = count > 1 && !same_text(one.group_before, one.group_after);
        put_place(w, coarse ? one.group_before : one.before);
        put_text(w, " \xe2\x86\x92 ");
        put_place(w, coarse ? one.group_after : one.after);
        put_text(w, "\n");
    }
    if (all > 0) w->differs = true;
    if (rows > ROWS_SHOWN) put_format(w, "%s and others (-o json has all)\n", w->markdown ? "-" : " ");
}

static void heading(writer *w, const char *text, const char *name)
{
    put_text(w, w->markdown ? "\n## " : "\n");
    put_text(w, text);
    put_shown(w, name, strlen(name));
    put_text(w, w->markdown ? "\n\n" : "\n");
}

static void write_difference(writer *w, const design *a, const design *b)
{
    size_t start = w->out->len, body;
    heading(w, "What differs in ", b->name);
    body = w->out->len;
    put_fields(w, a, b, text_row);
    if (w->rows > ROWS_SHOWN)
        put_format(w, "%s and %zu more (-o json has all)\n", w->markdown ? "-" : " ", w->rows - ROWS_SHOWN);
    if (w->out->len == body && !w->refused) w->out->len = start;
    start = w->out->len;
    heading(w, "Pods that go elsewhere in ", b->name);
    body = w->out->len;
    write_moves(w, a, b);
    if (w->out->len == body && !w->refused) w->out->len = start;
}

bool designs_write(const cli_options *options, design *list, size_t count, cli_text *out, bool *differs)
{
    writer w = { .options = options,
                 .out = out,
                 .json = options->format == KARP_FORMAT_JSON,
                 .markdown = options->format == KARP_FORMAT_MARKDOWN };
    if (w.json) {
        write_json(&w, list, count);
    } else {
        if (w.markdown) put_text(&w, "# Designs side by side\n\n");
        write_table(&w, list, count);
        for (size_t i = 1; i < count; i++) write_difference(&w, &list[0], &list[i]);
        if (!w.differs) put_text(&w, "\nNothing differs.\n");
    }
    *differs = w.differs;
    return !w.refused;
}
