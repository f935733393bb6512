/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON text element by element, so that no List or Snapshot is ever one tree in memory. */
#include <io/reader.h>

static karp_status scan_failed(karp_reader *reader, karp_str document, const io_cursor *at, io_scan why)
{
    io_place place = io_place_of(document, at);
    if (why == IO_SCAN_STOPPED) return io_reader_nomem(reader);
    if (why == IO_SCAN_DEEP) {
        return io_reader_fail(reader, KARP_E_LIMIT, &place, NULL, "nested deeper than %u levels",
                              (unsigned)reader->limits.nesting);
    }
    const char *found = at->pos >= at->end ? "ends in the middle" : "not JSON here";
    return io_reader_fail(reader, KARP_E_SYNTAX, &place, NULL, "%s", found);
}

/* Parses the value at the cursor, and moves past it. A failure is in reader->error. */
static karp_status parse(karp_reader *reader, trees *t, karp_str document, io_cursor *at, tree **out)
{
    tree_fault found;
    size_t length = 0;
    karp_str text = io_cursor_text(at);
    if (tree_parse(t, text, reader->limits.nesting, out, &length, &found) == KARP_OK) {
        io_cursor_skip(at, length);
        return KARP_OK;
    }
    if (found.status == KARP_E_NOMEM) return io_reader_nomem(reader);
    io_cursor_skip(at, found.at);
    io_place place = io_place_of(document, at);
    return io_reader_fail(reader, found.status, &place, NULL, found.status == KARP_E_SYNTAX ? "not JSON: %s" : "%s",
                          found.why);
}

/* Parses a part of the object `whole`. */
static karp_status parse_part(karp_reader *reader, karp_str document, const io_cursor *whole, const io_cursor *part,
                              tree **out)
{
    io_cursor at = *part;
    karp_status status = parse(reader, &reader->passing, document, &at, out);
    if (status == KARP_OK) io_shift_positions(*out, part->pos - whole->pos);
    return status;
}

/* The result of the first pass over a document's members. */
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
        if (!str_is(key, members[i].name) || str_is(io_cursor_text(value), "null")) continue;
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

/* Whether the element is a Pod by its first "kind", or by the list's if it has none. *head: the beginning of an element
 * that is one by its kind, as far as this shows; most begin alike. */
static bool is_pod(const io_cursor *element, karp_str list_kind, karp_str *head)
{
    io_cursor walk = *element, value;
    karp_str name;
    if (walk.pos >= walk.end || walk.text[walk.pos] != '{') return false;
    if (head->len && str_has_prefix(io_cursor_text(element), *head)) return true;
    for (bool first = true; io_scan_member(&walk, &first, &name, &value) == IO_SCAN_OK;) {
        if (!str_is(name, "kind")) continue;
        if (!str_is(io_cursor_text(&value), "\"Pod\"")) return false;
        *head = (karp_str){ element->text + element->pos, value.end - element->pos };
        return true;
    }
    return str_is(list_kind, "PodList");
}

/* Parses an element. Pods share the values that they have in common, unless changes may be applied to them later. Other
 * objects do not, because filling them in changes more of them than these values themselves. *apart = the tree is one
 * of reader->pod_trees. */
static karp_status parse_element(karp_reader *reader, trees *t, karp_str document, io_cursor *walk, karp_str list_kind,
                                 karp_str *head, tree_repeats *repeats, tree **out, bool *apart)
{
    io_cursor from = *walk;
    *apart = false;
    if (reader->options.editable || !is_pod(walk, list_kind, head)) return parse(reader, t, document, walk, out);
    trees *own = t == &reader->trees ? io_pod_trees_open(reader) : t;
    if (!own) return io_reader_nomem(reader);
    own->repeats = repeats;
    karp_status status = parse(reader, own, document, walk, out);
    own->repeats = NULL;
    *apart = own != t;
    const tree *kind = status == KARP_OK ? tree_get(*out, "kind") : NULL;
    if (!kind || str_is(tree_text(kind), "Pod")) return status;
    *walk = from; /* it has another kind after the first one */
    *apart = false;
    return parse(reader, t, document, walk, out);
}

static karp_status read_each(karp_reader *reader, karp_str document, const io_cursor *array, bool stated,
                             karp_str list_kind, karp_str api_version, tree_repeats *repeats)
{
    io_cursor walk = *array;
    karp_str head = { NULL, 0 };
    trees *t = io_trees(reader, stated);
    for (bool first = true;;) {
        io_scan found = io_scan_next(&walk, &first, ']');
        if (found == IO_SCAN_END) return KARP_OK;
        if (found != IO_SCAN_OK) return scan_failed(reader, document, &walk, found);
        io_cursor value = walk;
        tree *item = NULL;
        if (t == &reader->passing) trees_clear(t);
        bool apart;
        karp_status status = parse_element(reader, t, document, &walk, list_kind, &head, repeats, &item, &apart);
        if (status) return status;
        value.end = walk.pos;
        io_place place = io_place_of(document, &value);
        size_t before = reader->deferred_count;
        status = io_read_item(reader, item, &place, stated, list_kind, api_version);
        if (apart) io_pod_trees_close(reader, before);
        if (status) return status;
    }
}

static karp_status read_elements(karp_reader *reader, karp_str document, const io_cursor *array, bool stated,
                                 karp_str list_kind, karp_str api_version)
{
    tree_repeats repeats;
    if (array->text[array->pos] != '[') {
        io_place place = io_place_of(document, array);
        return io_reader_fail(reader, KARP_E_INVALID, &place, stated ? "objects" : "items", "must be a list");
    }
    trees passing = trees_on(reader->context);
    karp_status status = KARP_OK;
    if (!tree_repeats_init(&repeats, stated ? &passing : &reader->trees, io_in_common, IO_IN_COMMON,
                           array->end - array->pos))
        status = io_reader_nomem(reader);
    if (status == KARP_OK) status = read_each(reader, document, array, stated, list_kind, api_version, &repeats);
    tree_repeats_free(&repeats);
    if (stated) io_pod_templates_clear(&reader->pod_templates);
    trees_free(&passing);
    return status;
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
    /* The instance types are not parsed here: the catalogue reader receives their text. */
    trees *t = &reader->passing;
    trees_clear(t);
    tree *small = tree_new(t, TREE_MAP);
    karp_str types = { NULL, 0 };
    io_cursor walk = entry, value;
    for (bool first = true;;) {
        karp_str key = { NULL, 0 };
        io_scan found = io_scan_member(&walk, &first, &key, &value);
        if (found == IO_SCAN_END) break;
        if (found != IO_SCAN_OK) return scan_failed(reader, document, &walk, found);
        tree *member = NULL;
        if (str_is(key, "instanceTypes")) {
            types = io_cursor_text(&value);
            continue;
        }
        karp_status status = parse_part(reader, document, whole, &value, &member);
        if (status) return status;
        tree_set_str(t, small, key, member);
    }
    if (t->status) return io_reader_nomem(reader);
    small->at = (uint32_t)(entry.pos - whole->pos);
    return io_snapshot_catalogue(reader, small, types, &place, index);
}

static karp_status read_catalogues(karp_reader *reader, karp_str document, const io_cursor *whole,
                                   const io_cursor *array)
{
    io_cursor walk = *array, value;
    if (array->text[array->pos] != '[') {
        io_place place = io_place_of(document, array);
        return io_reader_fail(reader, KARP_E_INVALID, &place, "catalogues", "must be a list");
    }
    reader->catalogues.stated = true;
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
        const char *name;
        const io_cursor *at;
        bool has;
        tree **into;
    } parts[] = {
        { "now", &o->now, o->has_now, &head.now },
        { "settings", &o->settings, o->has_settings, &head.settings },
        { "labels", &o->labels, o->has_labels, &head.labels },
        { "state", &o->state, o->has_state, &head.state },
    };
    trees_clear(&reader->passing);
    tree *root = tree_new(&reader->passing, TREE_MAP);
    for (size_t i = 0; i < 4 && status == KARP_OK; i++) {
        if (!parts[i].has) continue;
        status = parse_part(reader, document, whole, parts[i].at, parts[i].into);
        tree_set(&reader->passing, root, parts[i].name, *parts[i].into);
    }
    if (status == KARP_OK && reader->passing.status) status = io_reader_nomem(reader);
    if (status == KARP_OK) status = io_snapshot_head_read(reader, &head, &place, root);
    if (status == KARP_OK && o->has_catalogues) status = read_catalogues(reader, document, whole, &o->catalogues);
    if (status == KARP_OK && o->has_objects) {
        status = read_elements(reader, document, &o->objects, true, (karp_str){ "", 0 }, (karp_str){ "", 0 });
    }
    return status;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

/* Scans the document at the cursor for its members, and moves past it. */
static karp_status find_members(karp_reader *reader, karp_str document, io_cursor *at, outline *o)
{
    io_cursor walk = *at, value;
    walk.max_nesting -= walk.max_nesting > 0;
    for (bool first = true;;) {
        karp_str key = { NULL, 0 };
        io_scan found = io_scan_member(&walk, &first, &key, &value);
        if (found == IO_SCAN_OK) {
            note_member(o, key, &value);
            continue;
        }
        if (found == IO_SCAN_END) break;
        io_cursor again = *at;
        io_scan whole = io_scan_value(&again, &value);
        if (whole == IO_SCAN_OK) return scan_failed(reader, document, &walk, found);
        if (whole != IO_SCAN_SYNTAX) return scan_failed(reader, document, &again, whole);
        io_place place = io_place_of(document, at);
        return io_reader_fail(reader, KARP_E_SYNTAX, &place, NULL,
                              "not JSON: the value that begins here is not closed");
    }
    walk.max_nesting = at->max_nesting;
    *at = walk;
    return KARP_OK;
}

/* The text, or a copy of it, that stays in memory, because the trees of deferred objects refer to it. NULL = out of
 * memory. */
static const char *keep_text(karp_reader *reader, const io_cursor *at, strbuf *file)
{
    if (!file) return arena_copy(&reader->keep, at->text, at->end);
    if (!grow(reader->context, (void **)&reader->files, &reader->file_capacity, reader->file_count + 1, sizeof *file))
        return NULL;
    reader->files[reader->file_count++] = *file;
    strbuf_init(file, reader->context);
    return at->text;
}

/* `kept` is the text that stays in memory; NULL = none of it needs to. */
static karp_status read_document(karp_reader *reader, karp_str document, io_cursor *at, strbuf *file, const char **kept)
{
    outline o;
    memset(&o, 0, sizeof o);
    io_cursor whole = *at;
    karp_status status = find_members(reader, document, at, &o);
    if (status) return status;
    whole.end = at->pos;
    karp_str kind = bare_text(&o.kind, o.has_kind);
    karp_str api_version = bare_text(&o.api_version, o.has_api_version);
    bool snapshot = io_is_snapshot(kind, api_version);
    if (!*kept && (!snapshot || reader->options.editable)) {
        *kept = keep_text(reader, at, file);
        if (!*kept) return io_reader_nomem(reader);
    }
    if (*kept) whole.text = o.items.text = o.objects.text = *kept;
    if (snapshot) return read_snapshot(reader, document, &whole, &o);
    if (str_ends(kind, "List") && o.has_items)
        return read_elements(reader, document, &o.items, false, kind, api_version);
    tree *root = NULL;
    io_cursor value = whole;
    status = parse(reader, &reader->trees, document, &value, &root);
    if (status) return status;
    io_place place = io_place_of(document, &whole);
    return io_read_tree(reader, root, &place, false);
}

karp_status io_read_json(karp_reader *reader, karp_str document, karp_str text, strbuf *file)
{
    io_cursor at;
    const char *kept = NULL;
    io_cursor_init(&at, text, reader->context);
    for (;;) {
        io_skip_space(&at);
        if (at.pos >= at.end) return KARP_OK;
        if (at.text[at.pos] != '{') {
            io_place place = io_place_of(document, &at);
            return io_reader_fail(reader, at.text[at.pos] == '[' ? KARP_E_INVALID : KARP_E_SYNTAX, &place, NULL,
                                  "a document must be an object ({…})");
        }
        karp_status status = read_document(reader, document, &at, file, &kept);
        if (status) return status;
    }
}
