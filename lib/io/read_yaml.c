/* SPDX-License-Identifier: Apache-2.0 */
/* YAML text, event by event, into the same trees as JSON. Aliases share the anchored tree, but count as copies: what
 * they stand for is limited in size and depth, so that no document is larger than its text allows. */
#include <io/reader.h>
#include <io/yaml_scalar.h>

#include <string.h>
#include <yaml.h>

/* A mapping or sequence that is not closed yet. */
typedef struct frame {
    json_t *node;
    json_t *key; /* of a mapping: a string, while its value is awaited */
    json_t *merges; /* values of "<<" */
    bool merge; /* the key that was read is "<<" */
    uint32_t anchor; /* index in anchors, IO_NONE = none */
    uint64_t size; /* nodes inside, aliases expanded */
    uint32_t height; /* levels below */
} frame;

typedef struct anchor {
    json_t *node; /* held; NULL while it is open */
    uint64_t size;
    uint32_t height;
} anchor;

typedef struct yaml_reader {
    karp_reader *reader;
    karp_str document;
    yaml_parser_t parser;
    frame *frames;
    size_t depth, frame_capacity;
    anchor *anchors;
    size_t anchor_count, anchor_capacity;
    io_table names; /* of anchors -> the latest index */
    io_arena arena; /* for names */
    uint64_t expanded;
    io_marks marks;
    json_t *root;
    yaml_mark_t root_mark;
} yaml_reader;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static uint32_t clip(size_t value) { return value < UINT32_MAX - 1 ? (uint32_t)value + 1 : UINT32_MAX; }

static io_place place_at(const yaml_reader *y, yaml_mark_t mark)
{
    /* libyaml counts characters, not bytes: there is no offset to tell. */
    return (io_place){ .document = y->document,
                       .line = clip(mark.line),
                       .column = clip(mark.column),
                       .offset = KARP_NO_OFFSET,
                       .marks = &y->marks };
}

static karp_status bad(yaml_reader *y, karp_status status, yaml_mark_t mark, const char *message)
{
    io_place place = place_at(y, mark);
    return io_reader_fail(y->reader, status, &place, NULL, "%s", message);
}

static karp_status parser_failed(yaml_reader *y)
{
    const yaml_parser_t *p = &y->parser;
    if (p->error == YAML_MEMORY_ERROR) return io_reader_nomem(y->reader);
    const char *problem = p->problem ? p->problem : "unknown problem";
    yaml_mark_t mark = p->problem_mark;
    if (p->error == YAML_READER_ERROR) mark = p->mark;
    io_place place = place_at(y, mark);
    return io_reader_fail(y->reader, KARP_E_SYNTAX, &place, NULL, "not YAML: %s%s%s", problem, p->context ? " " : "",
                          p->context ? p->context : "");
}

/* ---- a value is complete ----------------------------------------------------------------------------------------- */

static bool mark_node(yaml_reader *y, const void *node, yaml_mark_t mark)
{
    io_mark m = { node, clip(mark.line), clip(mark.column), KARP_NO_OFFSET };
    return io_marks_add(y->reader->context, &y->marks, m);
}

static bool is_shared(const json_t *value) { return json_is_null(value) || json_is_boolean(value); }

/* A key is text; numbers and truth values become text as Kubernetes' tools make it. */
static karp_status take_key(yaml_reader *y, frame *f, json_t *value, yaml_mark_t mark)
{
    karp_status status = KARP_OK;
    io_text text;
    io_text_init(&text, y->reader->context);
    if (json_is_string(value)) {
        f->key = json_incref(value);
    } else if (json_is_number(value) || json_is_boolean(value)) {
        io_write_json(&text, value);
        f->key = text.failed ? NULL : json_stringn_nocheck(text.ptr, text.len);
        if (!f->key) status = io_reader_nomem(y->reader);
    } else {
        status = bad(y, KARP_E_INVALID, mark,
                     json_is_null(value) ? "a key is missing, or null" : "a key must be a scalar");
    }
    io_text_free(&text);
    json_decref(value);
    return status;
}

static karp_status take_merge(yaml_reader *y, frame *f, json_t *value, yaml_mark_t mark)
{
    bool fits = json_is_object(value);
    if (json_is_array(value)) {
        fits = true;
        for (size_t i = 0; i < json_array_size(value); i++) fits = fits && json_is_object(json_array_get(value, i));
    }
    f->merge = false;
    if (!fits) {
        json_decref(value);
        return bad(y, KARP_E_INVALID, mark, "the value of << must be a mapping or a list of mappings");
    }
    if (!f->merges) f->merges = io_list();
    if (!f->merges) json_decref(value);
    return f->merges && io_append(f->merges, value) ? KARP_OK : io_reader_nomem(y->reader);
}

static karp_status take_member(yaml_reader *y, frame *f, json_t *value, yaml_mark_t mark)
{
    json_t *key = f->key;
    f->key = NULL;
    const char *name = json_string_value(key);
    karp_status status = KARP_OK;
    if (json_object_get(f->node, name)) {
        status = io_warn(y->reader, "%.*s:%u: the key %.100s appears twice; the later one counts",
                         (int)(y->document.len < 200 ? y->document.len : 200), y->document.ptr,
                         (unsigned)clip(mark.line), name);
    }
    bool shared = is_shared(value);
    if (json_object_set_new_nocheck(f->node, name, value) != 0) {
        status = io_reader_nomem(y->reader);
    } else if (shared && !mark_node(y, json_object_iter_key(json_object_iter_at(f->node, name)), mark)) {
        status = io_reader_nomem(y->reader);
    }
    json_decref(key);
    return status;
}

/* Takes over `value`, of `size` nodes and `height` levels, whatever happens. */
static karp_status put(yaml_reader *y, json_t *value, uint64_t size, uint32_t height, yaml_mark_t mark,
                       bool is_merge_word)
{
    if (y->depth == 0) {
        y->root = value;
        y->root_mark = mark;
        return KARP_OK;
    }
    frame *f = &y->frames[y->depth - 1];
    f->size += size;
    if (height + 1 > f->height) f->height = height + 1;
    if (json_is_array(f->node)) return io_append(f->node, value) ? KARP_OK : io_reader_nomem(y->reader);
    if (f->merge) return take_merge(y, f, value, mark);
    if (f->key) return take_member(y, f, value, mark);
    if (is_merge_word) {
        f->merge = true;
        json_decref(value);
        return KARP_OK;
    }
    return take_key(y, f, value, mark);
}

/* ---- anchors ----------------------------------------------------------------------------------------------------- */

static karp_status new_anchor(yaml_reader *y, const yaml_char_t *name, uint32_t *index)
{
    *index = IO_NONE;
    if (!name) return KARP_OK;
    void *list = y->anchors;
    bool ok = y->anchor_count < IO_NONE &&
              io_grow(y->reader->context, &list, &y->anchor_capacity, y->anchor_count + 1, sizeof(anchor));
    if (ok) {
        y->anchors = list;
        ok = io_table_put(&y->names, io_str((const char *)name), (uint32_t)y->anchor_count);
    }
    if (!ok) return io_reader_nomem(y->reader);
    *index = (uint32_t)y->anchor_count;
    y->anchors[y->anchor_count++] = (anchor){ NULL, 0, 0 };
    return KARP_OK;
}

static void close_anchor(yaml_reader *y, uint32_t index, json_t *node, uint64_t size, uint32_t height)
{
    if (index != IO_NONE) y->anchors[index] = (anchor){ json_incref(node), size, height };
}

static karp_status on_alias(yaml_reader *y, const yaml_event_t *event)
{
    karp_str name = io_str((const char *)event->data.alias.anchor);
    uint32_t index = io_table_get(&y->names, name);
    if (index == IO_NONE) return bad(y, KARP_E_SYNTAX, event->start_mark, "an alias without its anchor");
    const anchor *a = &y->anchors[index];
    if (!a->node) return bad(y, KARP_E_INVALID, event->start_mark, "an alias inside what it stands for");
    y->expanded = a->size > UINT64_MAX - y->expanded ? UINT64_MAX : y->expanded + a->size;
    if (y->expanded > y->reader->max_aliases) {
        return bad(y, KARP_E_LIMIT, event->start_mark, "the aliases expand to more nodes than the limit");
    }
    if (y->depth + a->height > y->reader->max_nesting) {
        return bad(y, KARP_E_LIMIT, event->start_mark, "the aliases nest deeper than the limit");
    }
    return put(y, json_incref(a->node), a->size, a->height, event->start_mark, false);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static karp_status on_scalar(yaml_reader *y, const yaml_event_t *event)
{
    karp_str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    bool plain = event->data.scalar.plain_implicit != 0;
    const char *tag = (const char *)event->data.scalar.tag;
    json_t *value = NULL;
    uint32_t index = IO_NONE;
    switch (io_yaml_scalar(y->reader->context, text, tag, plain, &value)) {
    case IO_SCALAR_OK: break;
    case IO_SCALAR_NO_MEMORY: return io_reader_nomem(y->reader);
    case IO_SCALAR_NOT_FINITE:
        return bad(y, KARP_E_INVALID, event->start_mark, "a number must be finite (quote it if it is text)");
    case IO_SCALAR_WRONG_TAG: return bad(y, KARP_E_INVALID, event->start_mark, "the scalar is not what its tag says");
    case IO_SCALAR_NUL: return bad(y, KARP_E_INVALID, event->start_mark, "a NUL character in text");
    }
    karp_status status = new_anchor(y, event->data.scalar.anchor, &index);
    if (status == KARP_OK && !is_shared(value) && !mark_node(y, value, event->start_mark))
        status = io_reader_nomem(y->reader);
    if (status) {
        json_decref(value);
        return status;
    }
    close_anchor(y, index, value, 1, 0);
    return put(y, value, 1, 0, event->start_mark, plain && !tag && io_str_is(text, "<<"));
}

static karp_status open_node(yaml_reader *y, json_t *node, const yaml_char_t *name, yaml_mark_t mark)
{
    void *list = y->frames;
    uint32_t index = IO_NONE;
    karp_status status = KARP_OK;
    if (!node || !mark_node(y, node, mark)) {
        status = io_reader_nomem(y->reader);
    } else if (y->depth >= y->reader->max_nesting) {
        status = bad(y, KARP_E_LIMIT, mark, "nested deeper than the limit");
    } else if (!io_grow(y->reader->context, &list, &y->frame_capacity, y->depth + 1, sizeof(frame))) {
        status = io_reader_nomem(y->reader);
    } else {
        y->frames = list;
        status = new_anchor(y, name, &index);
    }
    if (status) {
        json_decref(node);
        return status;
    }
    y->frames[y->depth++] = (frame){ .node = node, .anchor = index, .size = 1 };
    return KARP_OK;
}

/* Members that "<<" brings do not replace written ones; of several, the first brings it. */
static karp_status apply_merges(yaml_reader *y, const frame *f)
{
    for (size_t i = 0; i < json_array_size(f->merges); i++) {
        json_t *value = json_array_get(f->merges, i);
        size_t parts = json_is_array(value) ? json_array_size(value) : 1;
        for (size_t k = 0; k < parts; k++) {
            json_t *part = json_is_array(value) ? json_array_get(value, k) : value;
            if (json_object_update_missing(f->node, part) != 0) return io_reader_nomem(y->reader);
        }
    }
    return KARP_OK;
}

static karp_status close_node(yaml_reader *y)
{
    frame f = y->frames[--y->depth];
    karp_status status = f.merges ? apply_merges(y, &f) : KARP_OK;
    json_decref(f.merges);
    json_decref(f.key);
    if (status) {
        json_decref(f.node);
        return status;
    }
    close_anchor(y, f.anchor, f.node, f.size, f.height);
    yaml_mark_t mark = y->parser.mark;
    return put(y, f.node, f.size, f.height, mark, false);
}

static void forget_document(yaml_reader *y)
{
    while (y->depth > 0) {
        const frame *f = &y->frames[--y->depth];
        json_decref(f->node);
        json_decref(f->key);
        json_decref(f->merges);
    }
    for (size_t i = 0; i < y->anchor_count; i++) json_decref(y->anchors[i].node);
    y->anchor_count = 0;
    y->expanded = 0;
    io_table_free(&y->names);
    io_arena_reset(&y->arena);
    io_marks_free(y->reader->context, &y->marks);
    json_decref(y->root);
    y->root = NULL;
}

static karp_status end_document(yaml_reader *y)
{
    karp_status status = KARP_OK;
    if (y->root && !json_is_null(y->root)) {
        io_place place = place_at(y, y->root_mark);
        place.line = place.column = 0;
        io_place_refine(&place, y->root, NULL, 0);
        karp_reader *reader = y->reader;
        status = reader->take ? reader->take(reader, y->root, &place, reader->take_user)
                              : io_read_tree(reader, y->root, &place, false);
    }
    forget_document(y);
    return status;
}

static karp_status on_event(yaml_reader *y, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT: return on_alias(y, event);
    case YAML_SCALAR_EVENT: return on_scalar(y, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(y, io_list(), event->data.sequence_start.anchor, event->start_mark);
    case YAML_MAPPING_START_EVENT: return open_node(y, io_map(), event->data.mapping_start.anchor, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_node(y);
    case YAML_DOCUMENT_END_EVENT: return end_document(y);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT: break;
    }
    return KARP_OK;
}

karp_status io_read_yaml(karp_reader *reader, karp_str document, karp_str text)
{
    yaml_reader y;
    memset(&y, 0, sizeof y);
    y.reader = reader;
    y.document = document;
    io_arena_init(&y.arena, reader->context);
    io_table_init(&y.names, &y.arena);
    if (!yaml_parser_initialize(&y.parser)) return io_reader_nomem(reader);
    yaml_parser_set_input_string(&y.parser, (const unsigned char *)text.ptr, text.len);
    yaml_parser_set_encoding(&y.parser, YAML_UTF8_ENCODING);
    karp_status status = KARP_OK;
    for (bool more = true; more && status == KARP_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&y.parser, &event)) {
            status = parser_failed(&y);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        status = on_event(&y, &event);
        yaml_event_delete(&event);
    }
    forget_document(&y);
    karp_free(reader->context, y.frames, y.frame_capacity * sizeof(frame));
    karp_free(reader->context, y.anchors, y.anchor_capacity * sizeof(anchor));
    io_arena_free(&y.arena);
    yaml_parser_delete(&y.parser);
    return status;
}
