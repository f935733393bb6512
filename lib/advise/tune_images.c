/* SPDX-License-Identifier: Apache-2.0 */
/* Architectures that all images are made for, by a table: only these are varied. */
#include <advise/tune.h>

#include <io/cells.h>
#include <io/foreign.h>

#define ARCHITECTURES "amd64+arm64"
enum { MOST_KEPT = 100 };
#define OF_THE_TRACE "" /* an image that is not known: only a row for all others is about it */

typedef struct image_row {
    karp_str image, architectures;
    bool prefix; /* the image ended with a star, which is left out */
} image_row;

typedef struct image_table {
    karp_tune *t;
    image_row *rows;
    size_t count, room;
} image_table;

static karp_status wrong(size_t line, const char *what, karp_error *error)
{
    return fail(error, KARP_E_INVALID, "the table of image architectures, line %zu: %s", line, what);
}

static karp_status read_row(image_table *table, karp_str line, size_t number, karp_error *error)
{
    karp_str image, architectures;
    bool cells = cell_next(&line, &image) && cell_next(&line, &architectures);
    if (!cells || cell_trimmed(image).len == 0 || cell_trimmed(architectures).len == 0)
        return wrong(number, "expected image,architectures, as in nginx:1.29,amd64+arm64", error);
    image_row row = { .image = cell_trimmed(image), .architectures = cell_trimmed(architectures) };
    for (karp_str rest = row.architectures; rest.len > 0;) {
        karp_str word = str_until(&rest, '+');
        if (!tune_has_word(str(ARCHITECTURES), word))
            return wrong(number, "an architecture is amd64 or arm64, or both as amd64+arm64", error);
    }
    row.prefix = row.image.ptr[row.image.len - 1] == '*';
    row.image.len -= row.prefix;
    if (!arena_grow(&table->t->data, (void **)&table->rows, &table->room, table->count + 1, sizeof row))
        return fail_nomem(error);
    table->rows[table->count++] = row;
    return KARP_OK;
}

static karp_status read_table(image_table *table, karp_str text, karp_error *error)
{
    karp_status status = KARP_OK;
    bool headed = false;
    char binary[300] = "";
    if (io_foreign_binary(str("FILE"), text, false, binary, sizeof binary)) return wrong(1, binary, error);
    for (size_t number = 1; text.len > 0 && !status; number++) {
        karp_str line = cell_trimmed(str_until(&text, '\n'));
        if (line.len == 0 || line.ptr[0] == '#') continue;
        if (headed) status = read_row(table, line, number, error);
        else if (!str_is(line, "image,architectures"))
            status = wrong(number, "the first line is image,architectures", error);
        headed = true;
    }
    return status;
}

/* The row of its name, or else that of the longest beginning. */
static const image_row *find(const image_table *table, karp_str image)
{
    const image_row *best = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const image_row *row = &table->rows[i];
        bool fits = row->prefix ? row->image.len <= image.len && memcmp(row->image.ptr, image.ptr, row->image.len) == 0
                                : equal_str(row->image, image);
        if (fits && !row->prefix) return row;
        if (fits && (!best || row->image.len > best->image.len)) best = row;
    }
    return best;
}

/* Names an image that is not made for all; the first hundred of them. */
static bool keep(karp_tune *t, karp_str image)
{
    karp_str name = image.len > 0 ? image : str("pods of the trace");
    if (t->image_count == MOST_KEPT || str_in(name, t->images, t->image_count)) return true;
    if (!arena_grow(&t->data, (void **)&t->images, &t->image_room, t->image_count + 1, sizeof *t->images)) return false;
    t->images[t->image_count] = (karp_str){ arena_string(&t->data, name.ptr, name.len), name.len };
    return t->images[t->image_count++].ptr != NULL;
}

/* Takes from the architectures those that the image is not made for. */
static bool restrict_to(const image_table *table, karp_str image)
{
    karp_tune *t = table->t;
    const image_row *row = find(table, image);
    strbuf left = strbuf_on(t->context);
    bool all = true;
    strbuf_adds(&left, "");
    for (karp_str rest = str(ARCHITECTURES); rest.len > 0;) {
        karp_str word = str_until(&rest, '+');
        bool made = row && tune_has_word(row->architectures, word);
        all = all && made;
        if (!made || !tune_has_word(t->architectures, word)) continue;
        strbuf_adds(&left, left.len > 0 ? "+" : "");
        strbuf_addstr(&left, word);
    }
    bool moved = all || strbuf_move(&left, &t->data, &t->architectures);
    strbuf_free(&left);
    return moved && (all || keep(t, image));
}

static bool restrict_all(const image_table *table, const tree *containers)
{
    for (size_t i = 0; i < tree_count(containers); i++) {
        if (!restrict_to(table, tree_get_text(tree_item(containers, i), "image"))) return false;
    }
    return true;
}

karp_status tune_read_images(karp_tune *t, karp_str text, const tree *objects, karp_error *error)
{
    image_table table = { .t = t };
    if (!text.ptr) return KARP_OK;
    karp_str copy = { arena_string(&t->data, text.ptr, text.len), text.len };
    if (!copy.ptr) return fail_nomem(error);
    t->architectures = str(ARCHITECTURES);
    karp_status status = read_table(&table, copy, error);
    bool memory = !t->replay || status || restrict_to(&table, str(OF_THE_TRACE));
    for (size_t i = 0; i < tree_count(objects) && !status && memory; i++) {
        const tree *object = tree_item(objects, i), *spec = tree_get(object, "spec");
        karp_str kind = tree_get_text(object, "kind");
        if (str_is(kind, "DaemonSet")) spec = tree_get(tree_get(spec, "template"), "spec");
        else if (!str_is(kind, "Pod")) continue;
        memory = restrict_all(&table, tree_get(spec, "containers")) &&
                 restrict_all(&table, tree_get(spec, "initContainers"));
    }
    return status || memory ? status : fail_nomem(error);
}

karp_str karp_tune_kept_image(const karp_tune *tune, size_t index)
{
    return tune && index < tune->image_count ? tune->images[index] : str("");
}
