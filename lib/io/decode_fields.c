/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode_fields.h>

#include <string.h>

static inline bool is_member(const tree_member *member, const io_field *f)
{
    karp_str name = tree_member_name(member);
    return name.len == f->length && name.ptr[0] == f->name[0] && memcmp(name.ptr, f->name, name.len) == 0;
}

/* Absent and null are the same. Most fields are absent; comparing lengths is usually enough to find that out. */
static inline const tree *member_of(const tree *object, const io_field *f)
{
    const tree_member *member = object->of.members;
    for (uint32_t n = object->count; n > 0; n--, member++) {
        if (is_member(member, f)) return tree_is_null(member->value) ? NULL : member->value;
    }
    return NULL;
}

/* Fills a zeroed struct. */
static void fill(io_decoder *d, const io_shape *shape, const tree *object, void *into)
{
    if (shape->absent) memcpy(into, shape->absent, shape->size);
    io_decode_members(d, shape, object, into);
}

void io_decode(io_decoder *d, const io_shape *shape, const tree *object, void *into)
{
    if (!shape->absent) memset(into, 0, shape->size);
    fill(d, shape, object, into);
}

void io_fill_list(io_decoder *d, const char *name, const tree *array, const io_shape *shape, void *list)
{
    io_push(d, name);
    for (size_t i = 0; i < tree_count(array) && !d->status; i++) {
        io_push_index(d, i);
        const tree *element = array->of.items[i];
        if (!tree_is(element, TREE_MAP)) io_bad(d, KARP_E_INVALID, "must be an object");
        else fill(d, shape, element, (char *)list + i * shape->size);
        io_pop(d);
    }
    io_pop(d);
}

static const void *list_of(io_decoder *d, const char *name, const tree *value, const io_shape *shape, size_t *count)
{
    const tree *array = io_as_array(d, value, name);
    void *list = array ? io_make(d, array->count, shape->size) : NULL;
    if (!list) return NULL;
    *count = array->count;
    io_fill_list(d, name, array, shape, list);
    return list;
}

const void *io_list(io_decoder *d, const tree *object, const char *name, const io_shape *shape, size_t *count)
{
    const tree *value = io_member(d, object, name);
    *count = 0;
    return value ? list_of(d, name, value, shape, count) : NULL;
}

static void decode_object(io_decoder *d, const io_field *f, const tree *value, void *to)
{
    if (value) value = io_as_object(d, value, f->name);
    if (d->status || !f->inner) return;
    io_push(d, f->name);
    io_decode_members(d, f->inner, value, to);
    io_pop(d);
}

static void *decode_pointer(io_decoder *d, const io_field *f, const tree *value)
{
    value = io_as_object(d, value, f->name);
    void *made = value ? io_make(d, 1, f->inner->size) : NULL;
    if (!made) return NULL;
    io_push(d, f->name);
    fill(d, f->inner, value, made);
    io_pop(d);
    return made;
}

static karp_str decode_quantity(io_decoder *d, const io_field *f, const tree *value)
{
    bool number = tree_is(value, TREE_INTEGER) || (f->most && tree_is_number(value));
    if (f->kind == IO_TEXT_OR_NUMBER && !number) return io_as_string(d, value, f->name);
    io_push(d, f->name);
    karp_str text = io_quantity(d, value);
    io_pop(d);
    return text;
}

static karp_int_or_string decode_int_or_string(io_decoder *d, const io_field *f, const tree *value)
{
    karp_int_or_string out = { .is_set = 1, .is_text = tree_is(value, TREE_STRING) };
    if (out.is_text) out.text = tree_text(value);
    else out.value = (int32_t)io_as_integer(d, value, f->name, INT32_MIN, INT32_MAX);
    return out;
}

/* An empty string is the same as an absent one, unless it is in the list. */
static void decode_word(io_decoder *d, const io_field *f, const tree *value, uint32_t *to)
{
    const io_words *w = f->by.words;
    if (!w->any) {
        *to = io_as_enum(d, value, f->name, w->list, w->count, *to);
        return;
    }
    karp_str text = io_as_string(d, value, f->name);
    *to = w->other;
    for (size_t i = 0; i < w->count; i++) {
        if (str_is(text, w->list[i].word)) *to = w->list[i].value;
    }
}

/* Decodes lists whose elements all have one kind. */
static void decode_list(io_decoder *d, const io_field *f, const tree *object, const tree *value, char *into)
{
    const void *list = NULL;
    size_t count = 0;
    switch (f->kind) {
    case IO_TEXTS: list = io_strings(d, object, f->name, &count); break;
    case IO_LABELS: list = io_labels(d, object, f->name, &count); break;
    case IO_AMOUNTS: list = io_resources(d, object, f->name, &count); break;
    case IO_MAP: list = io_as_members(d, value, f->name, f->elem, f->by.member, &count); break;
    case IO_ARRAY: (void)io_as_array(d, value, f->name); return;
    default: list = list_of(d, f->name, value, f->inner, &count); break;
    }
    memcpy(into + f->at, &list, sizeof list);
    memcpy(into + f->count, &count, sizeof count);
}

static void miss_field(io_decoder *d, const io_field *f, char *into)
{
    if (f->missing && (f->kind != IO_NAME || !d->template_)) io_bad_member(d, f->name, KARP_E_INVALID, f->missing);
    else if (f->always) decode_object(d, f, NULL, into + f->at);
}

static void decode_field(io_decoder *d, const io_field *f, const tree *object, const tree *value, char *into)
{
    union {
        uint32_t word;
        int32_t number;
        int64_t wide;
        karp_str text;
    } nowhere = { 0 };
    void *to = f->at == IO_NOWHERE ? (void *)&nowhere : into + f->at;
    if (f->has) *(uint32_t *)(void *)(into + f->has) = 1;
    switch ((io_field_kind)f->kind) {
    case IO_NOTHING: break;
    case IO_NAME:
    case IO_NEEDED:
    case IO_TEXT: {
        karp_str *text = to;
        *text = tree_is(value, TREE_STRING) ? tree_text(value) : io_as_string(d, value, f->name);
        if (text->len == 0 && f->missing) miss_field(d, f, into);
        break;
    }
    case IO_TEXT_OR_NUMBER:
    case IO_QUANTITY: *(karp_str *)to = decode_quantity(d, f, value); break;
    case IO_INT_OR_STRING: *(karp_int_or_string *)to = decode_int_or_string(d, f, value); break;
    case IO_INT32: *(int32_t *)to = (int32_t)io_as_integer(d, value, f->name, f->least, f->most); break;
    case IO_INT64: *(int64_t *)to = io_as_integer(d, value, f->name, f->least, f->most); break;
    case IO_FLAG: *(uint32_t *)to = io_as_boolean(d, value, f->name); break;
    case IO_WORD: decode_word(d, f, value, to); break;
    case IO_TIME: *(int64_t *)to = io_as_time(d, value, f->name); break;
    case IO_DURATION:
    case IO_DURATION_OR_NEVER:
        *(int64_t *)to = io_as_duration(d, value, f->name, f->kind == IO_DURATION_OR_NEVER);
        break;
    case IO_OBJECT: decode_object(d, f, value, to); break;
    case IO_POINTER: {
        void *made = decode_pointer(d, f, value);
        memcpy(to, &made, sizeof made);
        break;
    }
    case IO_CALL: f->by.call(d, object, value, into); break;
    case IO_TEXTS:
    case IO_LABELS:
    case IO_AMOUNTS:
    case IO_MAP:
    case IO_LIST:
    case IO_ARRAY: decode_list(d, f, object, value, into); break;
    }
}

void io_decode_members(io_decoder *d, const io_shape *shape, const tree *object, void *into)
{
    if (d->status) return;
    for (const io_field *f = shape->fields, *end = f + shape->count; f < end; f++) {
        const tree *value = object ? member_of(object, f) : NULL;
        if (value) decode_field(d, f, object, value, into);
        else if (f->missing || f->always) miss_field(d, f, into);
        else continue;
        if (d->status) return;
    }
    if (shape->finish) shape->finish(d, object, into);
}

karp_str io_shape_known(const io_shape *shape, size_t *at)
{
    const char *name = shape->known ? shape->known + *at : "";
    size_t length = strcspn(name, " ");
    *at += length + (name[length] == ' ');
    return (karp_str){ name, length };
}

bool io_shape_knows(const io_shape *shape, const tree_member *member, const io_shape **inner)
{
    karp_str name = tree_member_name(member), known;
    *inner = NULL;
    for (size_t i = 0; i < shape->count; i++) {
        const io_field *f = &shape->fields[i];
        if (!is_member(member, f)) continue;
        if (f->inner && f->inner->closed) *inner = f->inner;
        return true;
    }
    for (size_t at = 0; (known = io_shape_known(shape, &at)).len > 0;) {
        if (equal_str(known, name)) return true;
    }
    return false;
}
