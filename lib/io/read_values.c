/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a document from a tree of the caller's (karp/document.h), element by element, as read_json.c does from text. */
#include <io/reader.h>

#include <math.h>

enum {
    DEEPEST = 2048, /* maximum nesting, whatever the context allows: each level is a recursive call */
    VALUE_BYTES = 4, /* what a value takes in text beside its own: brackets, quotes, a comma */
    LOOKED_AT = 64, /* bytes of texts by which a value is looked for */
    MOST_CHANGES = 4, /* a place in which this many values were kept in vain keeps no more */
    LEAST_PLACES = 16,
    MOST_PLACES = 16384,
    VALUES_OF_A_POD = 8,
    NEIGHBOURS = 4, /* places that a value may be in */
    NAMES = 64
};

/* A value that pods have in common, see "repeated values" in json/tree.h. */
typedef struct kept_value {
    const void *node; /* the same node has the same value */
    const tree *value; /* NULL = none yet */
    uint64_t bytes;
    uint32_t hash;
    uint32_t changes; /* how often another value was kept since this place was last of use */
} kept_value;

typedef struct values {
    karp_reader *reader;
    const karp_value_source *source;
    io_place place; /* the name of the document */
    trees *t;
    kept_value *kept; /* NULL = values are not shared */
    size_t places; /* a power of two */
    trees *kept_memory; /* of names, too */
    karp_str names[NAMES]; /* copied before, at the place of their lengths and bytes */
    uint64_t last; /* the hash of the value before, by which this one is looked for as well: a spec by its owner */
    uint64_t bytes; /* about what was read would be as text */
    io_decoder path; /* of the failure */
} values;

static tree *convert(values *v, const void *node);

static void read(const values *v, const void *node, karp_value *out)
{
    *out = (karp_value){ 0 };
    v->source->read(v->source->user, node, out);
}

static const void *next(const values *v, const void *node, void **position, karp_str *name)
{
    *name = (karp_str){ NULL, 0 };
    return v->source->next(v->source->user, node, position, name);
}

/* NULL, for the caller to return. The first failure is kept. */
static void *refuse(values *v, karp_status status, const char *why)
{
    io_bad(&v->path, status, "%s", why);
    return NULL;
}

static void *refuse_memory(values *v)
{
    return v->t->status == KARP_E_LIMIT ? refuse(v, KARP_E_LIMIT, "too large")
                                        : refuse(v, KARP_E_NOMEM, "out of memory");
}

static bool count_bytes(values *v, uint64_t bytes)
{
    v->bytes += bytes + VALUE_BYTES;
    if (v->bytes <= v->reader->limits.bytes) return true;
    return refuse(v, KARP_E_LIMIT, "the document is longer than the limit") != NULL;
}

/* ---- single values ----------------------------------------------------------------------------------------------- */

/* The number of bytes from here that are ASCII and not NUL, eight at a time. */
static size_t plain_bytes(karp_str text, size_t at)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    size_t from = at;
    for (; text.len - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.ptr + at, 8);
        if (((word - ones) | word) & ones * 0x80) break;
    }
    return at - from;
}

static bool check_text(values *v, karp_str text)
{
    if (!str_given(text)) return refuse(v, KARP_E_INVALID, "a text that is NULL") != NULL;
    if (text.len >= UINT32_MAX) return refuse(v, KARP_E_LIMIT, "too large") != NULL;
    for (size_t at = plain_bytes(text, 0), length; at < text.len; at += length) {
        unsigned char c = (unsigned char)text.ptr[at];
        length = c < 0x80 ? c != 0 : utf8_length(text, at);
        if (length == 0) return refuse(v, KARP_E_SYNTAX, c ? "what is not UTF-8" : "a NUL in a string") != NULL;
    }
    return count_bytes(v, text.len);
}

/* A copy: the caller's tree may change after the call. Most names were copied before. */
static bool copy_name(values *v, karp_str *name)
{
    karp_str *known = &v->names[(tree_key(name->ptr, name->len) >> 32 ^ tree_key(name->ptr, name->len) >> 8) % NAMES];
    if (known->ptr && equal_str(*known, *name)) {
        *name = *known;
        return count_bytes(v, name->len);
    }
    if (!check_text(v, *name)) return false;
    name->ptr = arena_string(&v->kept_memory->memory, name->ptr, name->len);
    if (!name->ptr) return refuse_memory(v) != NULL;
    *known = *name;
    return true;
}

static tree *made(values *v, tree *node) { return node ? node : refuse_memory(v); }

static tree *convert_array(values *v, const void *node, tree *into)
{
    void *position = NULL;
    karp_str name;
    size_t from = v->t->stack_count, index = 0;
    for (const void *item; (item = next(v, node, &position, &name)) != NULL; index++) {
        io_push_index(&v->path, index);
        tree *value = convert(v, item);
        io_pop(&v->path);
        if (!value) return NULL;
        if (!tree_gather(v->t, (karp_str){ NULL, 0 }, value)) return refuse_memory(v);
    }
    return tree_take_gathered(v->t, into, from) ? into : refuse_memory(v);
}

static tree *shared_value(values *v, const void *node, const karp_value *value);
static tree *convert_value(values *v, const karp_value *value, const void *node);

static tree *convert_member(values *v, karp_str name, const void *node)
{
    karp_value value;
    read(v, node, &value);
    bool shared = v->kept && value.kind >= KARP_VALUE_ARRAY && str_in(name, io_in_common, IO_IN_COMMON);
    return shared ? shared_value(v, node, &value) : convert_value(v, &value, node);
}

static tree *convert_object(values *v, const void *node, tree *into)
{
    void *position = NULL;
    karp_str name;
    size_t from = v->t->stack_count;
    for (const void *member; (member = next(v, node, &position, &name)) != NULL;) {
        io_push_key(&v->path, name);
        tree *value = copy_name(v, &name) ? convert_member(v, name, member) : NULL;
        io_pop(&v->path);
        if (!value) return NULL;
        if (!tree_gather(v->t, name, value)) return refuse_memory(v);
    }
    return tree_take_gathered(v->t, into, from) ? into : refuse_memory(v);
}

static tree *convert_container(values *v, const void *node, uint32_t kind)
{
    unsigned deepest = v->reader->limits.nesting < DEEPEST ? v->reader->limits.nesting : DEEPEST;
    if (v->path.depth >= deepest) {
        io_bad(&v->path, KARP_E_LIMIT, "nested deeper than %u levels", deepest);
        return NULL;
    }
    tree *into = count_bytes(v, 0) ? made(v, tree_new(v->t, kind == KARP_VALUE_ARRAY ? TREE_LIST : TREE_MAP)) : NULL;
    if (!into) return NULL;
    size_t from = v->t->stack_count;
    into = kind == KARP_VALUE_ARRAY ? convert_array(v, node, into) : convert_object(v, node, into);
    v->t->stack_count = from;
    return into;
}

static tree *convert_value(values *v, const karp_value *value, const void *node)
{
    if (value->kind < KARP_VALUE_STRING && !count_bytes(v, 0)) return NULL;
    switch (value->kind) {
    case KARP_VALUE_NULL: return made(v, tree_new(v->t, TREE_NULL));
    case KARP_VALUE_BOOLEAN: return made(v, tree_new(v->t, value->boolean ? TREE_TRUE : TREE_FALSE));
    case KARP_VALUE_INTEGER: return made(v, tree_new_integer(v->t, value->integer));
    case KARP_VALUE_REAL:
        if (!isfinite(value->real)) return refuse(v, KARP_E_RANGE, "a number must be finite");
        return made(v, tree_new_double(v->t, value->real));
    case KARP_VALUE_STRING: return check_text(v, value->text) ? made(v, tree_new_text(v->t, value->text)) : NULL;
    case KARP_VALUE_ARRAY:
    case KARP_VALUE_OBJECT: return convert_container(v, node, value->kind);
    default: return refuse(v, KARP_E_INVALID, "a value of an unknown kind");
    }
}

/* A value; NULL after a failure. */
static tree *convert(values *v, const void *node)
{
    karp_value value;
    read(v, node, &value);
    return convert_value(v, &value, node);
}

/* ---- values that pods have in common ----------------------------------------------------------------------------- */

/* Adds the beginning of a value to the hash: names and texts, as many as `room` has bytes for. */
static uint64_t hash_beginning(const values *v, const void *node, const karp_value *value, size_t *room, uint64_t hash)
{
    if (value->kind == KARP_VALUE_INTEGER) hash = hash_mix(hash ^ (uint64_t)value->integer);
    size_t length = value->kind == KARP_VALUE_STRING ? value->text.len : 1;
    if (value->kind == KARP_VALUE_STRING && length > 0) hash = hash_bytes(value->text.ptr, length, hash);
    *room = length < *room ? *room - length : 0;
    void *position = NULL;
    karp_str name;
    for (const void *item; value->kind >= KARP_VALUE_ARRAY && *room > 0;) {
        item = next(v, node, &position, &name);
        if (!item) return hash_mix(hash + 1);
        karp_value inner;
        read(v, item, &inner);
        if (name.len > 0) hash = hash_bytes(name.ptr, name.len, hash);
        hash = hash_beginning(v, item, &inner, room, hash + inner.kind);
    }
    return hash;
}

static bool same_value(const values *v, const tree *kept, const void *node);

static bool same_scalar(const tree *kept, const karp_value *value)
{
    int64_t integer = 0;
    double real = 0;
    switch (value->kind) {
    case KARP_VALUE_NULL: return kept->type == TREE_NULL;
    case KARP_VALUE_BOOLEAN: return kept->type == (value->boolean ? TREE_TRUE : TREE_FALSE);
    case KARP_VALUE_INTEGER: return tree_integer(kept, &integer) && integer == value->integer;
    case KARP_VALUE_REAL:
        return kept->type == TREE_REAL && tree_double(kept, &real) && memcmp(&real, &value->real, sizeof real) == 0;
    case KARP_VALUE_STRING: return kept->type == TREE_STRING && equal_str(tree_text(kept), value->text);
    default: return false;
    }
}

static bool same_elements(const values *v, const tree *kept, const void *node)
{
    void *position = NULL;
    karp_str name;
    for (size_t i = 0; i < kept->count; i++) {
        const void *item = next(v, node, &position, &name);
        if (!item) return false;
        const tree *other = kept->type == TREE_LIST ? kept->of.items[i] : kept->of.members[i].value;
        if (kept->type == TREE_MAP && !equal_str(tree_member_name(tree_member_at(kept, i)), name)) return false;
        if (!same_value(v, other, item)) return false;
    }
    return next(v, node, &position, &name) == NULL;
}

static bool same_value(const values *v, const tree *kept, const void *node)
{
    karp_value value;
    read(v, node, &value);
    if (value.kind < KARP_VALUE_ARRAY) return same_scalar(kept, &value);
    return kept->type == (value.kind == KARP_VALUE_ARRAY ? TREE_LIST : TREE_MAP) && same_elements(v, kept, node);
}

/* The value's place: where one of its hash is, else a free one, else the first. */
static kept_value *place_of(const values *v, uint32_t hash)
{
    for (size_t i = 0; i < NEIGHBOURS; i++) {
        kept_value *slot = &v->kept[(hash + i) & (v->places - 1)];
        if (!slot->value || slot->hash == hash) return slot;
    }
    return &v->kept[hash & (v->places - 1)];
}

/* Converts a value and keeps it. */
static bool keep_value(values *v, kept_value *into, const void *node, uint32_t hash)
{
    trees *t = v->t;
    uint64_t before = v->bytes;
    v->t = v->kept_memory;
    const tree *value = convert(v, node);
    v->t = t;
    if (!value) return false;
    *into = (kept_value){ node, value, v->bytes - before, hash, into->changes + 1 };
    return true;
}

/* convert() of a member that pods may have in common. */
static tree *shared_value(values *v, const void *node, const karp_value *value)
{
    size_t room = LOOKED_AT;
    uint64_t own = hash_beginning(v, node, value, &room, value->kind);
    uint32_t hash = (uint32_t)hash_mix(own ^ v->last);
    kept_value *slot = place_of(v, hash);
    v->last = own;
    if (slot->value && slot->hash == hash && (slot->node == node || same_value(v, slot->value, node))) {
        slot->changes = 0;
        if (!mem_work(v->reader->context, slot->bytes)) return refuse_memory(v);
        if (!count_bytes(v, slot->bytes)) return NULL;
    } else if (slot->changes >= MOST_CHANGES) {
        return convert_value(v, value, node);
    } else if (!keep_value(v, slot, node, hash)) {
        return NULL;
    }
    tree *out = made(v, tree_new(v->t, TREE_NULL));
    if (!out) return NULL;
    *out = *slot->value;
    out->capacity = 0;
    out->repeated = true;
    return out;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static karp_status failed(const values *v)
{
    if (v->path.status == KARP_E_NOMEM) return io_reader_nomem(v->reader);
    v->reader->error = v->path.error;
    io_error_place(&v->reader->error, &v->place);
    return v->path.status;
}

/* Members of a document that tell what it is. */
typedef struct outline {
    karp_str kind, api_version;
    const void *elements; /* the array of objects; NULL = none */
    const char *name; /* its name: "items" of a List, "objects" of a Snapshot */
} outline;

static karp_str text_of(const values *v, const void *node)
{
    karp_value value;
    read(v, node, &value);
    return value.kind == KARP_VALUE_STRING && str_given(value.text) ? value.text : (karp_str){ "", 0 };
}

static bool is_null(const values *v, const void *node)
{
    karp_value value;
    read(v, node, &value);
    return value.kind == KARP_VALUE_NULL;
}

static void find_members(const values *v, const void *root, outline *o)
{
    const void *items = NULL, *objects = NULL;
    void *position = NULL;
    karp_str name;
    *o = (outline){ { "", 0 }, { "", 0 }, NULL, "" };
    for (const void *member; (member = next(v, root, &position, &name)) != NULL;) {
        if (str_is(name, "kind")) o->kind = text_of(v, member);
        else if (str_is(name, "apiVersion")) o->api_version = text_of(v, member);
        else if (str_is(name, "items")) items = is_null(v, member) ? NULL : member;
        else if (str_is(name, "objects")) objects = is_null(v, member) ? NULL : member;
    }
    bool snapshot = io_is_snapshot(o->kind, o->api_version);
    o->elements = snapshot ? objects : str_ends(o->kind, "List") ? items : NULL;
    o->name = snapshot ? "objects" : "items";
}

/* All members of the document but its elements. */
static tree *convert_head(values *v, const void *root, const outline *o)
{
    void *position = NULL;
    karp_str name;
    tree *into = made(v, tree_new(v->t, TREE_MAP));
    for (const void *member; into && (member = next(v, root, &position, &name)) != NULL;) {
        if (str_is(name, o->name)) continue;
        io_push_key(&v->path, name);
        tree *value = copy_name(v, &name) ? convert(v, member) : NULL;
        io_pop(&v->path);
        if (!value) return NULL;
        tree_set_str(v->t, into, name, value);
    }
    return into && v->t->status ? refuse_memory(v) : into;
}

/* Whether the element is a Pod, and so may share values: see read_json.c. */
static bool is_pod(const values *v, const void *element, karp_str list_kind)
{
    karp_value value;
    karp_str kind = { "", 0 }, name;
    void *position = NULL;
    bool has_kind = false;
    read(v, element, &value);
    if (value.kind != KARP_VALUE_OBJECT) return false;
    for (const void *member; (member = next(v, element, &position, &name)) != NULL;) {
        if (!str_is(name, "kind")) continue;
        kind = text_of(v, member);
        has_kind = true;
    }
    return has_kind ? str_is(kind, "Pod") : str_is(list_kind, "PodList");
}

static karp_status read_each(values *v, const outline *o, bool stated, kept_value *kept)
{
    karp_reader *reader = v->reader;
    v->t = io_trees(reader, stated);
    void *position = NULL;
    karp_str name;
    io_push(&v->path, o->name);
    for (size_t index = 0;; index++) {
        const void *element = next(v, o->elements, &position, &name);
        if (!element) break;
        if (v->t == &reader->passing) trees_clear(v->t);
        v->kept = !reader->options.editable && is_pod(v, element, o->kind) ? kept : NULL;
        io_push_index(&v->path, index);
        tree *item = convert(v, element);
        io_pop(&v->path);
        if (!item) return failed(v);
        karp_status status = io_read_item(reader, item, &v->place, stated, stated ? (karp_str){ "", 0 } : o->kind,
                                          stated ? (karp_str){ "", 0 } : o->api_version);
        if (status) return status;
    }
    v->kept = NULL;
    io_pop(&v->path);
    return KARP_OK;
}

static size_t places_for(const values *v, const void *elements)
{
    size_t places = LEAST_PLACES;
    void *position = NULL;
    karp_str name;
    for (size_t room = LEAST_PLACES; places < MOST_PLACES && next(v, elements, &position, &name);) {
        room += VALUES_OF_A_POD;
        if (room > places) places *= 2;
    }
    return places;
}

static karp_status read_elements(values *v, const outline *o, bool stated)
{
    karp_value list;
    read(v, o->elements, &list);
    if (list.kind != KARP_VALUE_ARRAY)
        return io_reader_fail(v->reader, KARP_E_INVALID, &v->place, o->name, "must be a list");
    v->places = places_for(v, o->elements);
    kept_value *kept = mem_zalloc(v->reader->context, v->places * sizeof *kept);
    if (!kept) return io_reader_nomem(v->reader);
    trees passing = trees_on(v->reader->context);
    if (io_trees(v->reader, stated) == &v->reader->passing) v->kept_memory = &passing;
    karp_status status = read_each(v, o, stated, kept);
    mem_free(v->reader->context, kept, v->places * sizeof *kept);
    if (stated) io_pod_templates_clear(&v->reader->pod_templates);
    trees_free(&passing);
    return status;
}

static karp_status read_document(values *v, const void *root)
{
    karp_value value;
    read(v, root, &value);
    if (value.kind != KARP_VALUE_OBJECT)
        return io_reader_fail(v->reader, KARP_E_INVALID, &v->place, NULL, "a document must be an object ({…})");
    outline o;
    find_members(v, root, &o);
    bool stated = io_is_snapshot(o.kind, o.api_version);
    if (!o.elements || stated) {
        tree *head = o.elements ? convert_head(v, root, &o) : convert(v, root);
        karp_status status = head ? io_read_tree(v->reader, head, &v->place, false) : failed(v);
        if (status || !o.elements) return status;
    }
    return read_elements(v, &o, stated);
}

karp_status io_read_values(karp_reader *reader, karp_str document, const karp_value_source *source, const void *root)
{
    values v = { .reader = reader,
                 .source = source,
                 .t = &reader->trees,
                 .kept_memory = &reader->trees,
                 .place.document = io_keep(reader, document) };
    if (!v.place.document.ptr) return io_reader_nomem(reader);
    io_decoder_init(&v.path, &reader->scratch);
    return read_document(&v, root);
}
