/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads YAML text, event by event, to the same trees as JSON. The target of an alias is copied. The nodes, bytes and
 * depth of all copies are limited, so that no document becomes larger than its text allows.
 */
#include <io/reader.h>
#include <io/yaml_scalar.h>

/* The bundled libyaml of the one-file library, else the system's. */
#include "yaml.h"

/* A copied node counts as NODE_BYTES in addition to its text. The aliases of any text may add up to FREELY_COPIED
 * bytes, those of a long text to COPIED_TIMES its length. */
enum { NODE_BYTES = 48, FREELY_COPIED = 64 << 20, COPIED_TIMES = 16 };

/* The size of a node's contents, with aliases expanded. */
typedef struct extent {
    uint64_t nodes;
    uint64_t bytes; /* bytes of text */
    uint32_t height; /* number of levels below the node */
} extent;

/* A mapping or sequence that has not ended yet. */
typedef struct frame {
    tree *node;
    bool has_key; /* in a mapping: the key has been read, the value has not */
    bool merge; /* the key is "<<" */
    karp_str key;
    tree *merges; /* values of "<<" */
    io_table *index; /* for a mapping with many members: name -> index */
    uint32_t anchor; /* index in anchors, IO_NONE = none */
    extent inside;
} frame;

typedef struct anchor {
    tree *node; /* NULL until it ends */
    extent inside;
} anchor;

typedef struct yaml_reader {
    karp_reader *reader;
    trees *t; /* the reader's */
    karp_str document;
    yaml_parser_t parser;
    frame *frames;
    size_t depth, frame_capacity;
    anchor *anchors;
    size_t anchor_count, anchor_capacity;
    io_table names; /* anchor name -> its latest index */
    extent expanded; /* size of all aliases of the document */
    uint64_t copied; /* bytes of the aliases in all documents of the text, including nodes */
    uint64_t most_copied;
    io_marks marks;
    tree *root;
    yaml_mark_t root_mark;
} yaml_reader;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static uint32_t clip(size_t value) { return value < UINT32_MAX - 1 ? (uint32_t)value + 1 : UINT32_MAX; }

static io_place place_at(const yaml_reader *y, yaml_mark_t mark)
{
    /* libyaml counts characters, not bytes, so the offset is unknown. */
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

/* ---- completed values -------------------------------------------------------------------------------------------- */

static karp_status failed(yaml_reader *y) { return y->t->status == KARP_OK ? KARP_OK : io_reader_nomem(y->reader); }

/* Sets a node's position. */
static void mark_node(yaml_reader *y, tree *node, yaml_mark_t mark)
{
    io_marks *m = &y->marks;
    if (!node) return;
    if (!grow(y->reader->context, (void **)&m->list, &m->capacity, m->count + 1, sizeof *m->list)) {
        y->t->status = KARP_E_NOMEM;
        return;
    }
    m->list[m->count] = (io_mark){ clip(mark.line), clip(mark.column) };
    node->at = m->count < TREE_NOWHERE ? (uint32_t)m->count : TREE_NOWHERE;
    m->count++;
}

/* Reads a key. Numbers and booleans are converted to text as Kubernetes' tools do. */
static karp_status take_key(yaml_reader *y, frame *f, const tree *value, yaml_mark_t mark)
{
    f->has_key = true;
    if (tree_is(value, TREE_STRING)) {
        f->key = tree_text(value);
        return KARP_OK;
    }
    if (!tree_is_number(value) && !tree_is_bool(value)) {
        return bad(y, KARP_E_INVALID, mark,
                   tree_is_null(value) ? "a key is missing, or null" : "a key must be a scalar");
    }
    strbuf text = strbuf_on(y->reader->context);
    tree_write(&text, value);
    if (text.failed) y->t->status = KARP_E_NOMEM;
    f->key = tree_text(tree_new_text(y->t, (karp_str){ text.ptr, text.len }));
    strbuf_free(&text);
    return failed(y);
}

static karp_status take_merge(yaml_reader *y, frame *f, tree *value, yaml_mark_t mark)
{
    bool fits = tree_is(value, TREE_MAP) || tree_is(value, TREE_LIST);
    for (size_t i = 0; tree_is(value, TREE_LIST) && i < tree_count(value); i++)
        fits = fits && tree_is(tree_item(value, i), TREE_MAP);
    f->merge = false;
    if (!fits) return bad(y, KARP_E_INVALID, mark, "the value of << must be a mapping or a list of mappings");
    if (!f->merges) f->merges = tree_new(y->t, TREE_LIST);
    tree_append(y->t, f->merges, value);
    return failed(y);
}

enum { FEW_MEMBERS = 32 };

static void free_index(frame *f)
{
    if (!f->index) return;
    karp_context *context = f->index->names.context;
    io_table_free(f->index);
    mem_free(context, f->index, sizeof *f->index);
    f->index = NULL;
}

/* The index is created when there are so many members that a linear search is slow. */
static bool add_to_index(yaml_reader *y, frame *f, karp_str name)
{
    karp_context *context = y->reader->context;
    size_t count = tree_count(f->node);
    if (count < FEW_MEMBERS) return true;
    if (f->index) return io_table_put(f->index, name, (uint32_t)count - 1);
    f->index = mem_alloc(context, sizeof *f->index);
    if (!f->index) return false;
    io_table_init(f->index, context);
    for (size_t i = 0; i < count; i++) {
        if (!io_table_put(f->index, tree_member_name(tree_member_at(f->node, i)), (uint32_t)i)) return false;
    }
    return true;
}

static tree_member *find_member(const frame *f, karp_str name)
{
    if (f->index) {
        uint32_t at = io_table_get(f->index, name);
        return at == IO_NONE ? NULL : &f->node->of.members[at];
    }
    for (size_t i = 0; i < tree_count(f->node); i++) {
        if (equal_str(tree_member_name(&f->node->of.members[i]), name)) return &f->node->of.members[i];
    }
    return NULL;
}

static void add_member(yaml_reader *y, frame *f, karp_str name, tree *value)
{
    tree_add_member(y->t, f->node, name, value);
    if (y->t->status == KARP_OK && !add_to_index(y, f, name)) y->t->status = KARP_E_NOMEM;
}

static karp_status take_member(yaml_reader *y, frame *f, tree *value, yaml_mark_t mark)
{
    karp_str name = f->key;
    tree_member *known = find_member(f, name);
    f->has_key = false;
    if (!known) {
        add_member(y, f, name, value);
        return failed(y);
    }
    known->value = value;
    const io_place at = { .document = y->document, .line = clip(mark.line) };
    return io_not_understood_at(y->reader, &at, "the key %.*s appears twice; the later one counts",
                                str_shown(name, 100), name.ptr);
}

static karp_status put(yaml_reader *y, tree *value, extent inside, yaml_mark_t mark, bool is_merge_word)
{
    if (y->depth == 0) {
        y->root = value;
        y->root_mark = mark;
        return KARP_OK;
    }
    frame *f = &y->frames[y->depth - 1];
    f->inside.nodes += inside.nodes;
    f->inside.bytes += inside.bytes;
    if (inside.height + 1 > f->inside.height) f->inside.height = inside.height + 1;
    if (tree_is(f->node, TREE_LIST)) {
        tree_append(y->t, f->node, value);
        return failed(y);
    }
    if (f->merge) return take_merge(y, f, value, mark);
    if (f->has_key) return take_member(y, f, value, mark);
    if (!is_merge_word) return take_key(y, f, value, mark);
    f->merge = true;
    return KARP_OK;
}

/* ---- anchors ----------------------------------------------------------------------------------------------------- */

static karp_status new_anchor(yaml_reader *y, const yaml_char_t *name, uint32_t *index)
{
    *index = IO_NONE;
    if (!name) return KARP_OK;
    if (y->anchor_count >= IO_NONE ||
        !grow(y->reader->context, (void **)&y->anchors, &y->anchor_capacity, y->anchor_count + 1, sizeof(anchor)) ||
        !io_table_put(&y->names, str((const char *)name), (uint32_t)y->anchor_count))
        return io_reader_nomem(y->reader);
    *index = (uint32_t)y->anchor_count;
    y->anchors[y->anchor_count++] = (anchor){ .node = NULL };
    return KARP_OK;
}

static void close_anchor(yaml_reader *y, uint32_t index, tree *node, extent inside)
{
    if (index != IO_NONE) y->anchors[index] = (anchor){ node, inside };
}

static uint64_t sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* The limit for the aliases of a text: together with the text, at most the maximum size of a document. */
static uint64_t most_copied(uint64_t text, uint64_t most)
{
    uint64_t times = text > UINT64_MAX / COPIED_TIMES ? UINT64_MAX : text * COPIED_TIMES;
    uint64_t usual = times > FREELY_COPIED ? times : FREELY_COPIED;
    uint64_t left = most > text ? most - text : 0;
    return usual < left ? usual : left;
}

static uint64_t copied_bytes(const extent *inside)
{
    uint64_t nodes = inside->nodes > UINT64_MAX / NODE_BYTES ? UINT64_MAX : inside->nodes * NODE_BYTES;
    return sum(nodes, inside->bytes);
}

static karp_status too_much_copied(yaml_reader *y, yaml_mark_t mark)
{
    io_place place = place_at(y, mark);
    return io_reader_fail(y->reader, KARP_E_LIMIT, &place, NULL, "the aliases expand to more than %llu bytes",
                          (unsigned long long)y->most_copied);
}

static karp_status on_alias(yaml_reader *y, const yaml_event_t *event)
{
    uint32_t index = io_table_get(&y->names, str((const char *)event->data.alias.anchor));
    if (index == IO_NONE) return bad(y, KARP_E_SYNTAX, event->start_mark, "an alias without its anchor");
    const anchor *a = &y->anchors[index];
    if (!a->node) return bad(y, KARP_E_INVALID, event->start_mark, "an alias inside what it stands for");
    y->expanded.nodes = sum(y->expanded.nodes, a->inside.nodes);
    if (y->expanded.nodes > y->reader->limits.aliases)
        return bad(y, KARP_E_LIMIT, event->start_mark, "the aliases expand to more nodes than the limit");
    y->copied = sum(y->copied, copied_bytes(&a->inside));
    if (y->copied > y->most_copied) return too_much_copied(y, event->start_mark);
    if (y->depth + a->inside.height > y->reader->limits.nesting)
        return bad(y, KARP_E_LIMIT, event->start_mark, "the aliases nest deeper than the limit");
    extent inside = a->inside;
    tree *copy = tree_deep_copy(y->t, a->node, false);
    return copy ? put(y, copy, inside, event->start_mark, false) : io_reader_nomem(y->reader);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static karp_status on_scalar(yaml_reader *y, const yaml_event_t *event)
{
    karp_str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    bool plain = event->data.scalar.plain_implicit != 0;
    const char *tag = (const char *)event->data.scalar.tag;
    tree *value = NULL;
    uint32_t index = IO_NONE;
    switch (io_yaml_scalar(y->t, text, tag, plain, &value)) {
    case IO_SCALAR_OK: break;
    case IO_SCALAR_NOT_FINITE:
        return bad(y, KARP_E_INVALID, event->start_mark, "a number must be finite (quote it if it is text)");
    case IO_SCALAR_WRONG_TAG: return bad(y, KARP_E_INVALID, event->start_mark, "the scalar is not what its tag says");
    case IO_SCALAR_NUL: return bad(y, KARP_E_INVALID, event->start_mark, "a NUL character in text");
    }
    karp_status status = new_anchor(y, event->data.scalar.anchor, &index);
    mark_node(y, value, event->start_mark);
    if (status == KARP_OK) status = failed(y);
    if (status) return status;
    extent inside = { 1, text.len, 0 };
    close_anchor(y, index, value, inside);
    return put(y, value, inside, event->start_mark, plain && !tag && str_is(text, "<<"));
}

static karp_status open_node(yaml_reader *y, tree_type type, const yaml_char_t *name, yaml_mark_t mark)
{
    uint32_t index = IO_NONE;
    if (y->depth >= y->reader->limits.nesting) return bad(y, KARP_E_LIMIT, mark, "nested deeper than the limit");
    tree *node = tree_new(y->t, type);
    mark_node(y, node, mark);
    karp_status status = failed(y);
    if (status == KARP_OK) status = new_anchor(y, name, &index);
    if (status) return status;
    if (!grow(y->reader->context, (void **)&y->frames, &y->frame_capacity, y->depth + 1, sizeof(frame)))
        return io_reader_nomem(y->reader);
    y->frames[y->depth++] = (frame){ .node = node, .anchor = index, .inside = { .nodes = 1 } };
    return KARP_OK;
}

/* Members merged by "<<" do not replace written ones. If several merged mappings have a member, the first one
 * counts. */
static void apply_merges(yaml_reader *y, frame *f)
{
    for (size_t i = 0; i < tree_count(f->merges); i++) {
        const tree *value = tree_item(f->merges, i);
        size_t parts = tree_is(value, TREE_LIST) ? tree_count(value) : 1;
        for (size_t k = 0; k < parts; k++) {
            const tree *part = tree_is(value, TREE_LIST) ? tree_item(value, k) : value;
            for (size_t n = 0; n < tree_count(part); n++) {
                const tree_member *m = tree_member_at(part, n);
                if (!find_member(f, tree_member_name(m))) add_member(y, f, tree_member_name(m), m->value);
            }
        }
    }
}

static karp_status close_node(yaml_reader *y)
{
    frame f = y->frames[--y->depth];
    apply_merges(y, &f);
    free_index(&f);
    karp_status status = failed(y);
    if (status) return status;
    close_anchor(y, f.anchor, f.node, f.inside);
    return put(y, f.node, f.inside, y->parser.mark, false);
}

static void forget_document(yaml_reader *y)
{
    while (y->depth > 0) free_index(&y->frames[--y->depth]);
    y->anchor_count = 0;
    y->expanded = (extent){ 0, 0, 0 };
    io_table_free(&y->names);
    mem_free(y->reader->context, y->marks.list, y->marks.capacity * sizeof *y->marks.list);
    y->marks = (io_marks){ NULL, 0, 0 };
    y->root = NULL;
}

/* A copy of the marks that stays in memory, because mistakes in deferred objects are found later. NULL = out of
 * memory. */
static const io_marks *keep_marks(const yaml_reader *y)
{
    arena *keep = &y->reader->keep;
    const io_marks *m = &y->marks;
    io_marks kept = { arena_copy(keep, m->list, m->count * sizeof *m->list), m->count, m->count };
    return kept.list ? arena_copy(keep, &kept, sizeof kept) : NULL;
}

static karp_status use_document(yaml_reader *y)
{
    karp_reader *reader = y->reader;
    io_place place = place_at(y, y->root_mark);
    place.line = place.column = 0;
    io_place_refine(&place, y->root, NULL, 0);
    if (reader->take) return reader->take(reader, y->root, &place, reader->take_user);
    place.marks = keep_marks(y);
    return place.marks ? io_read_tree(reader, y->root, &place, false) : io_reader_nomem(reader);
}

static karp_status end_document(yaml_reader *y)
{
    karp_status status = y->root && !tree_is_null(y->root) ? use_document(y) : KARP_OK;
    forget_document(y);
    return status;
}

static karp_status on_event(yaml_reader *y, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT: return on_alias(y, event);
    case YAML_SCALAR_EVENT: return on_scalar(y, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(y, TREE_LIST, event->data.sequence_start.anchor, event->start_mark);
    case YAML_MAPPING_START_EVENT: return open_node(y, TREE_MAP, event->data.mapping_start.anchor, event->start_mark);
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

/* The most memory that libyaml may allocate with malloc() for a text. A scalar is kept in a buffer that is doubled by
 * reallocation; levels and directives are in lists. 0 = overflow. */
static size_t most_of_libyaml(karp_str text, size_t levels)
{
    enum { FIXED = 96 << 10, SCALARS = 4, LISTED = 256 };
    size_t directives = 0, bytes, lists;
    for (const char *at = text.ptr, *end = text.ptr + text.len; at < end && (at = memchr(at, '%', (size_t)(end - at)));
         at++)
        directives += at == text.ptr || at[-1] == '\n' || at[-1] == '\r';
    if (levels > text.len) levels = text.len;
    if (!size_mul(text.len, SCALARS, &bytes) || !size_mul(directives + levels, LISTED, &lists) ||
        !size_add(bytes, lists, &bytes) || !size_add(bytes, FIXED, &bytes))
        return 0;
    return bytes;
}

static karp_status read_events(yaml_reader *y, karp_str text)
{
    karp_status status = KARP_OK;
    if (!yaml_parser_initialize(&y->parser)) return io_reader_nomem(y->reader);
    yaml_parser_set_input_string(&y->parser, (const unsigned char *)text.ptr, text.len);
    yaml_parser_set_encoding(&y->parser, YAML_UTF8_ENCODING);
    for (bool more = true; more && status == KARP_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&y->parser, &event)) {
            status = parser_failed(y);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        status = on_event(y, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&y->parser);
    return status;
}

karp_status io_read_yaml(karp_reader *reader, karp_str document, karp_str text)
{
    yaml_reader y;
    memset(&y, 0, sizeof y);
    y.reader = reader;
    y.t = &reader->trees;
    y.document = document;
    y.most_copied = most_copied(text.len, reader->limits.bytes);
    io_table_init(&y.names, reader->context);
    /* libyaml does not support custom allocators. So as much memory as it may need is allocated from the context and
     * left unused meanwhile, so that max_memory includes it. */
    size_t held = most_of_libyaml(text, reader->limits.nesting);
    void *place = held > 0 ? mem_alloc(reader->context, held) : NULL;
    karp_status status = place ? read_events(&y, text) : io_reader_nomem(reader);
    mem_free(reader->context, place, held);
    forget_document(&y);
    mem_free(reader->context, y.frames, y.frame_capacity * sizeof(frame));
    mem_free(reader->context, y.anchors, y.anchor_capacity * sizeof(anchor));
    return status;
}
