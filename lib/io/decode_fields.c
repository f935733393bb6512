/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode_fields.h>

enum { LEAST_MOST = 1000000 }; /* for minValues */

static inline bool is_member(const tree_member *member, const record_field *f)
{
    karp_str name = tree_member_name(member);
    return name.len == f->length && name.ptr[0] == f->name[0] && memcmp(name.ptr, f->name, name.len) == 0;
}

/* Absent and null are the same. Most fields are absent; comparing lengths is usually enough to find that out. */
static inline const tree *member_of(const tree *object, const record_field *f)
{
    const tree_member *member = object->of.members;
    for (uint32_t n = object->count; n > 0; n--, member++) {
        if (is_member(member, f)) return tree_is_null(member->value) ? NULL : member->value;
    }
    return NULL;
}

/* Fills a zeroed struct. */
static void fill(io_decoder *d, const record *r, const tree *object, void *into)
{
    if (r->absent) memcpy(into, r->absent, r->size);
    io_decode_members(d, r, object, into);
}

void io_decode(io_decoder *d, const record *r, const tree *object, void *into)
{
    if (!r->absent) memset(into, 0, r->size);
    fill(d, r, object, into);
}

void io_fill_list(io_decoder *d, const char *name, const tree *array, const record *r, void *list)
{
    io_push(d, name);
    for (size_t i = 0; i < tree_count(array) && !d->status; i++) {
        io_push_index(d, i);
        const tree *element = array->of.items[i];
        if (!tree_is(element, TREE_MAP)) io_bad(d, KARP_E_INVALID, "must be an object");
        else fill(d, r, element, (char *)list + i * r->size);
        io_pop(d);
    }
    io_pop(d);
}

static const void *list_of(io_decoder *d, const char *name, const tree *value, const record *r, size_t *count)
{
    const tree *array = io_as_array(d, value, name);
    void *list = array ? io_make(d, array->count, r->size) : NULL;
    if (!list) return NULL;
    *count = array->count;
    io_fill_list(d, name, array, r, list);
    return list;
}

const void *io_list(io_decoder *d, const tree *object, const char *name, const record *r, size_t *count)
{
    const tree *value = io_member(d, object, name);
    *count = 0;
    return value ? list_of(d, name, value, r, count) : NULL;
}

static void decode_object(io_decoder *d, const record_field *f, const tree *value, void *to)
{
    if (value) value = io_as_object(d, value, f->name);
    if (d->status || !f->inner) return;
    io_push(d, f->name);
    io_decode_members(d, f->inner, value, to);
    io_pop(d);
}

static void *decode_pointer(io_decoder *d, const record_field *f, const tree *value)
{
    value = io_as_object(d, value, f->name);
    void *made = value ? io_make(d, 1, f->inner->size) : NULL;
    if (!made) return NULL;
    io_push(d, f->name);
    fill(d, f->inner, value, made);
    io_pop(d);
    return made;
}

static karp_str decode_quantity(io_decoder *d, const record_field *f, const tree *value)
{
    bool number = tree_is(value, TREE_INTEGER) || (f->more && tree_is_number(value));
    if (f->kind == FIELD_TEXT_OR_NUMBER && !number) return io_as_string(d, value, f->name);
    io_push(d, f->name);
    karp_str text = io_quantity(d, value);
    io_pop(d);
    return text;
}

static karp_int_or_string decode_int_or_string(io_decoder *d, const record_field *f, const tree *value)
{
    karp_int_or_string out = { .is_set = 1, .is_text = tree_is(value, TREE_STRING) };
    if (out.is_text) out.text = tree_text(value);
    else out.value = (int32_t)io_as_integer(d, value, f->name, INT32_MIN, INT32_MAX);
    return out;
}

static int64_t decode_integer(io_decoder *d, const record_field *f, const tree *value, int64_t least, int64_t most)
{
    const record_range *range = f->by.range;
    return io_as_integer(d, value, f->name, range ? range->least : least, range ? range->most : most);
}

/* An empty string is the same as an absent one, unless it is in the list. */
static void decode_word(io_decoder *d, const record_field *f, const tree *value, uint32_t *to)
{
    const record_words *w = f->by.words;
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

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* An absent number is 0. */
static void missing(io_decoder *d, const record_field *f)
{
    io_bad_member(d, f->name, KARP_E_INVALID, f->kind == FIELD_INT32 ? "must be at least 1" : "is missing");
}

static void decode_named(io_decoder *d, const record_field *f, const tree *value, uint32_t *to)
{
    const record_names *names = f->by.names;
    if (names->written_only) return;
    karp_str name = io_as_string(d, value, f->name);
    for (*to = names->first; *to <= names->last && !str_is(name, "UNKNOWN"); (*to)++) {
        if (str_is(name, names->name(*to))) return;
    }
    *to = 0;
    if (name.len > 0) io_bad_member(d, f->name, KARP_E_INVALID, "not one of the known words");
    else if (f->needed) missing(d, f);
}

static uint64_t decode_digest(io_decoder *d, const record_field *f, const tree *value)
{
    karp_str text = io_as_string(d, value, f->name);
    uint64_t digest = 0;
    bool good = text.len == 0 || text.len == 16;
    for (size_t i = 0; i < text.len && good; i++) {
        int digit = text.ptr[i] >= 'A' && text.ptr[i] <= 'F' ? -1 : hex_digit(text.ptr[i]);
        good = digit >= 0;
        digest = digest << 4 | (uint64_t)(good ? digit : 0);
    }
    if (!good) io_bad_member(d, f->name, KARP_E_INVALID, "not 16 hexadecimal digits");
    return digest;
}

static double decode_real(io_decoder *d, const record_field *f, const tree *value)
{
    double real = 0;
    bool text = f->kind == FIELD_PRICE || f->kind == FIELD_SUM;
    karp_str digits = text ? io_as_string(d, value, f->name) : (karp_str){ "", 0 };
    bool good = text ? digits.len == 0 || karp_double_parse(digits, &real) == KARP_OK : tree_double(value, &real);
    if (!good) io_bad_member(d, f->name, KARP_E_INVALID, "not a number");
    return real;
}

/* Decodes lists whose elements all have one kind. */
static void decode_list(io_decoder *d, const record_field *f, const tree *object, const tree *value, char *into)
{
    const void *list = NULL;
    size_t count = 0;
    switch (f->kind) {
    case FIELD_TEXTS: list = io_strings(d, object, f->name, &count); break;
    case FIELD_NODE_LABELS:
    case FIELD_LABELS: list = io_labels(d, object, f->name, &count); break;
    case FIELD_AMOUNTS: list = io_resources(d, object, f->name, &count); break;
    case FIELD_MAP: list = io_as_members(d, value, f->name, f->more, f->by.member, &count); break;
    case FIELD_ARRAY: (void)io_as_array(d, value, f->name); return;
    default: list = list_of(d, f->name, value, f->inner, &count); break;
    }
    record_set_list(f, into, list, count);
}

static void decode_shared(io_decoder *d, const record_field *f, const tree *object, char *into)
{
    void *made = io_make(d, 1, f->inner->size);
    if (made) fill(d, f->inner, object, made);
    memcpy(into + f->at, &made, sizeof made);
}

static void miss_field(io_decoder *d, const record_field *f, const tree *object, char *into)
{
    if (f->needed && (f->kind != FIELD_NAME || !d->template_)) missing(d, f);
    else if (f->kind == FIELD_SHARED) decode_shared(d, f, object, into);
    else if (f->always) decode_object(d, f, NULL, into + f->at);
}

/* Kinds that only results have. */
static void decode_result(io_decoder *d, const record_field *f, const tree *value, void *to)
{
    switch (f->kind) {
    case FIELD_NAMED: decode_named(d, f, value, to); break;
    case FIELD_BOOL: *(bool *)to = io_as_boolean(d, value, f->name); break;
    case FIELD_UINT32: *(uint32_t *)to = (uint32_t)io_as_integer(d, value, f->name, 0, UINT32_MAX); break;
    case FIELD_UINT64: *(uint64_t *)to = (uint64_t)io_as_integer(d, value, f->name, 0, INT64_MAX); break;
    case FIELD_SIZE: *(size_t *)to = (size_t)io_as_integer(d, value, f->name, 0, INT64_MAX); break;
    case FIELD_SOME: *(int64_t *)to = io_as_integer(d, value, f->name, INT64_MIN, INT64_MAX); break;
    case FIELD_REAL:
    case FIELD_MONEY:
    case FIELD_PRICE:
    case FIELD_SUM: *(double *)to = decode_real(d, f, value); break;
    case FIELD_DIGEST: *(uint64_t *)to = decode_digest(d, f, value); break;
    default: break; /* FIELD_SHARED has no field, and the names of pods are not those of a decision */
    }
}

static void decode_field(io_decoder *d, const record_field *f, const tree *object, const tree *value, char *into)
{
    union {
        uint32_t word;
        int32_t number;
        int64_t wide;
        karp_str text;
    } nowhere = { 0 };
    void *to = f->at == FIELD_NOWHERE ? (void *)&nowhere : into + f->at;
    if (f->has && f->show != SHOW_UNLESS) *(uint32_t *)(void *)(into + f->has) = 1;
    switch (f->kind) {
    case FIELD_NOTHING: break;
    case FIELD_NAME:
    case FIELD_NEEDED:
    case FIELD_TEXT: {
        karp_str *text = to;
        *text = tree_is(value, TREE_STRING) ? tree_text(value) : io_as_string(d, value, f->name);
        if (text->len == 0 && f->needed) miss_field(d, f, object, into);
        break;
    }
    case FIELD_TEXT_OR_NUMBER:
    case FIELD_QUANTITY: *(karp_str *)to = decode_quantity(d, f, value); break;
    case FIELD_INT_OR_STRING: *(karp_int_or_string *)to = decode_int_or_string(d, f, value); break;
    case FIELD_INT32: *(int32_t *)to = (int32_t)decode_integer(d, f, value, INT32_MIN, INT32_MAX); break;
    case FIELD_INT64: *(int64_t *)to = decode_integer(d, f, value, INT64_MIN, INT64_MAX); break;
    case FIELD_FLAG: *(uint32_t *)to = io_as_boolean(d, value, f->name); break;
    case FIELD_WORD: decode_word(d, f, value, to); break;
    case FIELD_TIME: *(int64_t *)to = io_as_time(d, value, f->name); break;
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER:
        *(int64_t *)to = io_as_duration(d, value, f->name, f->kind == FIELD_DURATION_OR_NEVER);
        break;
    case FIELD_OBJECT: decode_object(d, f, value, to); break;
    case FIELD_POINTER: {
        void *made = decode_pointer(d, f, value);
        memcpy(to, &made, sizeof made);
        break;
    }
    case FIELD_CALL: f->by.call(d, object, value, into); break;
    case FIELD_SHARED: decode_shared(d, f, object, into); break;
    case FIELD_TEXTS:
    case FIELD_LABELS:
    case FIELD_AMOUNTS:
    case FIELD_MAP:
    case FIELD_LIST:
    case FIELD_NODE_LABELS:
    case FIELD_ARRAY: decode_list(d, f, object, value, into); break;
    case FIELD_LEAST: *(uint32_t *)to = (uint32_t)io_as_integer(d, value, f->name, 0, LEAST_MOST); break;
    default: decode_result(d, f, value, to); break;
    }
}

/* Of a document of which the record has several, only its members. */
static inline bool is_read(const io_decoder *d, const record_field *f)
{
    return !d->document || row_in(f, d->document);
}

void io_decode_members(io_decoder *d, const record *r, const tree *object, void *into)
{
    if (d->status) return;
    for (const record_field *f = r->fields, *end = f + r->count; f < end; f++) {
        if (f->in && !is_read(d, f)) continue;
        const tree *value = object ? member_of(object, f) : NULL;
        if (value) decode_field(d, f, object, value, into);
        else if (f->needed || f->always) miss_field(d, f, object, into);
        else continue;
        if (d->status) return;
    }
    if (r->finish) r->finish(d, object, into);
}

karp_str record_known(const record *r, size_t *at)
{
    const char *name = r->known ? r->known + *at : "";
    size_t length = strcspn(name, " ");
    *at += length + (name[length] == ' ');
    return (karp_str){ name, length };
}

bool record_knows(const record *r, const tree_member *member, const record **inner)
{
    karp_str name = tree_member_name(member);
    *inner = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const record_field *f = &r->fields[i];
        if (!is_member(member, f)) continue;
        if (f->inner && f->inner->closed) *inner = f->inner;
        return true;
    }
    return r->known && str_in_list(name, r->known);
}
