/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a price list in CSV: one instance type per line, with columns that are named in the first line. Each line
 * becomes an entry in the full format.
 */
#include <io/catalogue_read.h>
#include <io/cells.h>

enum { CELLS_MOST = 16 };

/* The known columns; the first six are required. */
enum { NAME, CPU, MEMORY, PODS, ZONES, PRICE, NEEDED, SPOT = NEEDED, ARCH, STORAGE, COLUMNS };

static const char *const columns[COLUMNS] = { "name", "cpu",  "memory",           "pods", "zones", "price",
                                              "spot", "arch", "ephemeral-storage" };

typedef struct csv {
    catalogue_reader *reader;
    karp_str rest;
    uint32_t line;
    size_t place[COLUMNS]; /* position of each column in a line; CELLS_MOST = there is none */
    size_t count; /* number of cells in a line */
    karp_str cells[CELLS_MOST];
} csv;

static karp_status bad(const csv *c, const char *field, karp_error *error, const char *why)
{
    fail(error, KARP_E_INVALID, "%s", why);
    error_set_field(error, "%s", field);
    if (c->count > 0 && c->place[NAME] < c->count)
        error_set_object(error, "InstanceType", str(""), c->cells[c->place[NAME]]);
    if (error) error_set_place(error, c->reader->document, c->line, 1, 0);
    return KARP_E_INVALID;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Reads the cells of the next line that is neither empty nor a comment (beginning with #). *more = there was one. */
static karp_status next_line(csv *c, bool *more, karp_error *error)
{
    *more = false;
    while (c->rest.len > 0 && !*more) {
        karp_str line = cell_trimmed(str_until(&c->rest, '\n'));
        c->line++;
        c->count = 0;
        *more = line.len > 0 && line.ptr[0] != '#';
        bool comma = *more && line.ptr[line.len - 1] == ',';
        while (*more && line.len > 0) {
            if (c->count == CELLS_MOST) return bad(c, "", error, "has more than 16 cells");
            if (!cell_next(&line, &c->cells[c->count])) return bad(c, "", error, "has a quote without its end");
            c->count++;
        }
        if (comma && c->count < CELLS_MOST) c->cells[c->count++] = str("");
    }
    return KARP_OK;
}

static karp_status read_header(csv *c, karp_error *error)
{
    bool more;
    karp_status status = next_line(c, &more, error);
    if (status) return status;
    size_t cells = c->count;
    for (size_t k = 0; k < COLUMNS; k++) c->place[k] = CELLS_MOST;
    c->count = 0; /* an empty line */
    if (!more) return bad(c, "", error, "is empty: name,cpu,memory,pods,zones,price must be its first line");
    for (size_t i = 0; i < cells; i++) {
        size_t k = 0;
        while (k < COLUMNS && !str_is(c->cells[i], columns[k])) k++;
        if (k == COLUMNS || c->place[k] < CELLS_MOST)
            return bad(c, "", error,
                       "the first line must name columns, each once, of name, cpu, memory, pods, zones, price, spot, "
                       "arch, ephemeral-storage");
        c->place[k] = i;
    }
    for (size_t k = 0; k < NEEDED; k++) {
        if (c->place[k] == CELLS_MOST) return bad(c, columns[k], error, "is not a column of the first line");
    }
    c->count = cells;
    return KARP_OK;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static karp_str cell_of(const csv *c, size_t column)
{
    return c->place[column] < c->count ? c->cells[c->place[column]] : str("");
}

static tree *text(trees *t, karp_str value) { return tree_new_slice(t, TREE_STRING, value); }

static void add_offering(trees *t, tree *offerings, karp_str zone, const char *kind, karp_str price)
{
    tree *one = tree_new(t, TREE_MAP);
    tree_set(t, one, "zone", text(t, zone));
    tree_set_text(t, one, "capacityType", str(kind));
    tree_set(t, one, "price", text(t, price));
    tree_append(t, offerings, one);
}

static tree *one_value(trees *t, karp_str value)
{
    tree *list = tree_new(t, TREE_LIST);
    tree_append(t, list, text(t, value));
    return list;
}

/* Zones are separated by spaces or semicolons; in quotes also by commas. */
static karp_status add_zones(const csv *c, trees *t, tree *labels, tree *offerings, karp_error *error)
{
    karp_str zones = cell_of(c, ZONES), spot = cell_of(c, SPOT);
    tree *names = tree_new(t, TREE_LIST), *kinds = one_value(t, str("on-demand"));
    if (spot.len > 0) tree_append(t, kinds, text(t, str("spot")));
    while (zones.len > 0) {
        size_t n = 0;
        while (n < zones.len && memchr(" ;,", zones.ptr[n], 3) == NULL) n++;
        karp_str zone = { zones.ptr, n };
        zones = (karp_str){ zones.ptr + n + (n < zones.len), zones.len - n - (n < zones.len) };
        if (n == 0) continue;
        for (size_t i = 0; i < tree_count(names); i++) {
            if (equal_str(tree_text(tree_item(names, i)), zone)) return bad(c, "zones", error, "names a zone twice");
        }
        tree_append(t, names, text(t, zone));
        add_offering(t, offerings, zone, "on-demand", cell_of(c, PRICE));
        if (spot.len > 0) add_offering(t, offerings, zone, "spot", spot);
    }
    tree_set_str(t, labels, catalogue_key_zone, names);
    tree_set_str(t, labels, catalogue_key_capacity_type, kinds);
    return KARP_OK;
}

static tree *capacity_of(const csv *c, trees *t)
{
    static const size_t amounts[] = { CPU, MEMORY, PODS, STORAGE };
    tree *capacity = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        karp_str value = cell_of(c, amounts[i]);
        if (value.len > 0) tree_set(t, capacity, columns[amounts[i]], text(t, value));
    }
    return capacity;
}

static karp_status add_machine(csv *c, karp_error *error)
{
    trees *t = &c->reader->trees;
    if (c->count > CELLS_MOST) return bad(c, "", error, "has too many cells");
    for (size_t k = 0; k < NEEDED; k++) {
        if (cell_of(c, k).len == 0) return bad(c, columns[k], error, "is empty");
    }
    karp_str arch = cell_of(c, ARCH);
    tree *root = tree_new(t, TREE_MAP), *labels = tree_new(t, TREE_MAP), *offerings = tree_new(t, TREE_LIST);
    tree_set(t, root, "name", text(t, cell_of(c, NAME)));
    tree_set_str(t, labels, catalogue_key_type, one_value(t, cell_of(c, NAME)));
    tree_set_str(t, labels, catalogue_key_arch, one_value(t, arch.len > 0 ? arch : str("amd64")));
    tree_set_str(t, labels, catalogue_key_os, one_value(t, str("linux")));
    karp_status status = add_zones(c, t, labels, offerings, error);
    if (status) return status;
    tree_set(t, root, "labels", labels);
    tree_set(t, root, "capacity", capacity_of(c, t));
    tree_set(t, root, "offerings", offerings);
    if (t->status != KARP_OK) return fail_nomem(error);
    io_place place = { .document = c->reader->document, .line = c->line, .column = 1 };
    return catalogue_reader_add(c->reader, root, &place, error);
}

karp_status catalogue_read_csv(catalogue_reader *reader, karp_str given, karp_error *error)
{
    csv c;
    memset(&c, 0, sizeof c);
    c.reader = reader;
    c.rest = given;
    bool more = true;
    karp_status status = read_header(&c, error);
    size_t cells = c.count;
    while (status == KARP_OK) {
        status = next_line(&c, &more, error);
        if (status || !more) break;
        status = c.count > cells ? bad(&c, "", error, "has more cells than the first line") : add_machine(&c, error);
    }
    return status;
}
