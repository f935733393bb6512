/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text, cut into elements: no List or Snapshot is ever held as one tree. */
#include <io/reader.h>

#include <string.h>

static karp_status scan_failed(karp_reader *reader, karp_str document, const io_cursor *at, io_scan why)
{
    io_place place = io_place_of(document, at);
    if (why == IO_SCAN_DEEP) {
        return io_reader_fail(reader, KARP_E_LIMIT, &place, NULL, "nested deeper than %u levels",
                              (unsigned)reader->max_nesting);
    }
    const char *found = at->pos >= at->end ? "ends in the middle" : "not JSON here";
    return io_reader_fail(reader, KARP_E_SYNTAX, &place, NULL, "%s", found);
}

/* Parses a member's or element's text. NULL: the status is in reader->error. */
static json_t *parse(karp_reader *reader, karp_str document, const io_cursor *value)
{
    return io_parse(reader->context, value, document, &reader->error);
}

/* What the first pass over a document's members finds. */
typedef struct outline {
    io_cursor kind, api_version, items, objects, now, settings, labels, state, catalogues;
    bool has_kind, has_api_version, has_items, has_objects, has_now, has_settings, has_labels, has_state,
        has_catalogues;
} outline;

static void note_member(outline *o, karp_str key, const io_cursor *value)
{
    const struct {
        const char *name;
        io_cursor *at;
        bool *has;
    } members[] = {
        { "kind", &o->kind, &o->has_kind },
        { "apiVersion", &o->api_version, &o->has_api_version },
        { "items", &o->items, &o->has_items },
        { "objects", &o->objects, &o->has_objects },
        { "now", &o->now, &o->has_now },
        { "settings", &o->settings, &o->has_settings },
        { "labels", &o->labels, &o->has_labels },
        { "state", &o->state, &o->has_state },
        { "catalogues", &o->catalogues, &o->has_catalogues },
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (!io_str_is(key, members[i].name) || io_str_is(io_cursor_text(value), "null")) continue;
        *members[i].at = *value;
        *members[i].has = true;
    }
}

static karp_str bare_text(const io_cursor *value, bool has)
{
    karp_str text = io_cursor_text(value);
    if (!has || text.len < 2 || text.ptr[0] != '"') return (karp_str){ "", 0 };
    return (karp_str){ text.ptr + 1, text.len - 2 };
}

static karp_status read_elements(karp_reader *reader, karp_str document, const io_cursor *array, bool stated,
                                 karp_str list_kind, karp_str api_version)
{
    io_cursor walk = *array, value;
    if (array->text[array->pos] != '[') {
        io_place place = io_place_of(document, array);
        return io_reader_fail(reader, KARP_E_INVALID, &place, stated ? "objects" : "items", "must be a list");
    }
    bool first = true;
    for (;;) {
        io_scan found = io_scan_element(&walk, &first, &value);
        if (found == IO_SCAN_END) return KARP_OK;
        if (found != IO_SCAN_OK) return scan_failed(reader, document, &walk, found);
        json_t *item = parse(reader, document, &value);
        if (!item) return reader->error.status;
        io_place place = io_place_of(document, &value);
        karp_status status = io_read_item(reader, item, &place, stated, list_kind, api_version);
        json_decref(item);
        if (status) return status;
    }
}

/* ---- Snapshot ---------------------------------------------------------------------------------------------------- */

static karp_status read_catalogue(karp_reader *reader, karp_str document, const io_cursor *whole, io_cursor entry,
                                  size_t index)
{
    io_place place = io_place_of(document, whole);
    if (entry.text[entry.pos] != '{') {
        io_place at = io_place_of(document, &entry);
        return io_reader_fail(reader, KARP_E_INVALID, &at, "catalogues", "must be a list of objects");
    }
    /* The types themselves are not made a tree here: the catalogue's reader gets their text. */
    json_t *small = io_map();
    karp_str types = { NULL, 0 };
    karp_status status = small ? KARP_OK : io_reader_nomem(reader);
    io_cursor walk = entry, value;
    bool first = true;
    while (status == KARP_OK) {
        karp_str key = { NULL, 0 };
        io_scan found = io_scan_member(&walk, &first, &key, &value);
        if (found == IO_SCAN_END) break;
        if (found != IO_SCAN_OK) {
            status = scan_failed(reader, document, &walk, found);
        } else if (io_str_is(key, "instanceTypes")) {
            types = io_cursor_text(&value);
        } else {
            json_t *tree = parse(reader, document, &value);
            char *name = tree ? io_arena_string(&reader->scratch, key.ptr, key.len) : NULL;
            if (!tree) {
                status = reader->error.status;
            } else if (!name) {
                json_decref(tree);
                status = io_reader_nomem(reader);
            } else if (!io_set(small, name, tree)) {
                status = io_reader_nomem(reader);
            }
        }
    }
    if (status == KARP_OK) status = io_snapshot_catalogue(reader, small, types, &place, NULL, index);
    json_decref(small);
    return status;
}

static karp_status read_catalogues(karp_reader *reader, karp_str document, const io_cursor *whole,
                                   const io_cursor *array)
{
    io_cursor walk = *array, value;
    if (array->text[array->pos] != '[') {
        io_place place = io_place_of(document, array);
        return io_reader_fail(reader, KARP_E_INVALID, &place, "catalogues", "must be a list");
    }
    reader->has_catalogues = true;
    bool first = true;
    for (size_t index = 0;; index++) {
        io_scan found = io_scan_element(&walk, &first, &value);
        if (found == IO_SCAN_END) return KARP_OK;
        if (found != IO_SCAN_OK) return scan_failed(reader, document, &walk, found);
        karp_status status = read_catalogue(reader, document, whole, value, index);
        if (status) return status;
    }
}

static karp_status read_snapshot(karp_reader *reader, karp_str document, const io_cursor *whole, const outline *o)
{
    io_place place = io_place_of(document, whole);
    karp_status status = io_snapshot_begin(reader, &place);
    if (status) return status;
    io_snapshot_head head = { 0 };
    const struct {
        const io_cursor *at;
        bool has;
        json_t **tree;
    } parts[] = {
        { &o->now, o->has_now, &head.now },
        { &o->settings, o->has_settings, &head.settings },
        { &o->labels, o->has_labels, &head.labels },
        { &o->state, o->has_state, &head.state },
    };
    for (size_t i = 0; i < 4 && status == KARP_OK; i++) {
        if (!parts[i].has) continue;
        *parts[i].tree = parse(reader, document, parts[i].at);
        if (!*parts[i].tree) status = reader->error.status;
    }
    if (status == KARP_OK) status = io_snapshot_head_read(reader, &head, &place, NULL);
    for (size_t i = 0; i < 4; i++) json_decref(*parts[i].tree);
    if (status == KARP_OK && o->has_catalogues) status = read_catalogues(reader, document, whole, &o->catalogues);
    if (status == KARP_OK && o->has_objects) {
        status = read_elements(reader, document, &o->objects, true, (karp_str){ "", 0 }, (karp_str){ "", 0 });
    }
    return status;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static karp_status read_document(karp_reader *reader, karp_str document, const io_cursor *whole)
{
    outline o;
    memset(&o, 0, sizeof o);
    io_cursor walk = *whole;
    bool first = true;
    for (;;) {
        karp_str key = { NULL, 0 };
        io_cursor value;
        io_scan found = io_scan_member(&walk, &first, &key, &value);
        if (found == IO_SCAN_END) break;
        if (found != IO_SCAN_OK) return scan_failed(reader, document, &walk, found);
        note_member(&o, key, &value);
    }
    karp_str kind = bare_text(&o.kind, o.has_kind);
    karp_str api_version = bare_text(&o.api_version, o.has_api_version);
    if (io_str_is(kind, "Snapshot") && io_str_is(io_group_of(api_version), "karp"))
        return read_snapshot(reader, document, whole, &o);
    if (io_str_ends(kind, "List") && o.has_items) {
        return read_elements(reader, document, &o.items, false, kind, api_version);
    }
    json_t *tree = parse(reader, document, whole);
    if (!tree) return reader->error.status;
    io_place place = io_place_of(document, whole);
    karp_status status = io_read_tree(reader, tree, &place, false);
    json_decref(tree);
    return status;
}

karp_status io_read_json(karp_reader *reader, karp_str document, karp_str text)
{
    io_cursor at, value;
    io_cursor_init(&at, text, reader->max_nesting);
    for (;;) {
        io_skip_space(&at);
        if (at.pos >= at.end) return KARP_OK;
        if (at.text[at.pos] != '{') {
            io_place place = io_place_of(document, &at);
            return io_reader_fail(reader, at.text[at.pos] == '[' ? KARP_E_INVALID : KARP_E_SYNTAX, &place, NULL,
                                  "a document must be an object ({…})");
        }
        io_cursor start = at;
        io_scan found = io_scan_value(&at, &value);
        if (found == IO_SCAN_SYNTAX) {
            io_place place = io_place_of(document, &start);
            return io_reader_fail(reader, KARP_E_SYNTAX, &place, NULL, "not JSON: what starts here does not end");
        }
        if (found != IO_SCAN_OK) return scan_failed(reader, document, &at, found);
        karp_status status = read_document(reader, document, &value);
        if (status) return status;
    }
}
