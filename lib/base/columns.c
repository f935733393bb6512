/* SPDX-License-Identifier: Apache-2.0 */
#include <base/columns.h>

#include <stdatomic.h>

#include <base/error.h>
#include <base/sort.h>

/* The growing elements of one column; each has `element` bytes. */
typedef struct elements {
    void *items;
    size_t count, capacity, element;
} elements;

struct column {
    karp_table *table;
    karp_str name; /* in the table's arena */
    uint32_t type;
    bool is_list;
    elements values, offsets; /* offsets: for lists and text */
    strings texts; /* of a dictionary, while it is built */
    char *dictionary; /* the same in the arena, once it is finished */
    int32_t *dictionary_offsets;
};

struct karp_table {
    karp_context *context; /* one reference */
    arena data;
    _Atomic uint32_t references; /* the owner's, and one for each part exported to Arrow */
    column **columns; /* in the arena, as are the columns */
    size_t column_count, column_capacity, row_count;
    karp_status failed; /* the first error */
};

karp_table *table_new(karp_context *context)
{
    karp_table *t = made_new(context, sizeof *t);
    if (t == NULL) return NULL;
    atomic_init(&t->references, 1);
    return t;
}

karp_table *table_ref(karp_table *t)
{
    atomic_fetch_add_explicit(&t->references, 1, memory_order_relaxed);
    return t;
}

karp_context *table_context(const karp_table *t) { return t->context; }

static void elements_free(karp_context *context, elements *e) { mem_free(context, e->items, e->capacity * e->element); }

void karp_table_free(karp_table *table)
{
    if (table == NULL || atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel) != 1) return;
    for (size_t i = 0; i < table->column_count; i++) {
        column *c = table->columns[i];
        elements_free(table->context, &c->values);
        elements_free(table->context, &c->offsets);
        strings_free(&c->texts);
    }
    mem_free(table->context, table->columns, table->column_capacity * sizeof(column *));
    made_free(table, sizeof *table);
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

static void refuse(karp_table *t, karp_status status)
{
    if (t->failed == KARP_OK) t->failed = status;
}

/* Makes room for `more` elements; NULL after a failure. */
static void *push(column *c, elements *e, size_t more)
{
    karp_table *t = c->table;
    size_t need;
    if (t->failed != KARP_OK) return NULL;
    if (!size_add(e->count, more, &need) || !grow(t->context, &e->items, &e->capacity, need, e->element)) {
        refuse(t, KARP_E_NOMEM);
        return NULL;
    }
    char *place = (char *)e->items + e->count * e->element;
    e->count = need;
    return place;
}

static void push_offset(column *c)
{
    if (c->values.count > INT32_MAX) refuse(c->table, KARP_E_LIMIT); /* never: in a test, which would need 2 GiB */
    int32_t *offset = push(c, &c->offsets, 1);
    if (offset != NULL) *offset = (int32_t)c->values.count;
}

static size_t element_bytes(uint32_t type)
{
    if (type == KARP_COLUMN_TEXT) return 1;
    return type == KARP_COLUMN_UINT32 || type == KARP_COLUMN_DICTIONARY ? sizeof(uint32_t) : sizeof(uint64_t);
}

static column *add(karp_table *t, karp_str name, uint32_t type, bool is_list)
{
    if (t == NULL || t->failed != KARP_OK) return NULL;
    column *c = arena_zalloc(&t->data, sizeof *c);
    const char *copy = arena_string(&t->data, name.ptr, name.len);
    if (c == NULL || copy == NULL ||
        !grow(t->context, (void **)&t->columns, &t->column_capacity, t->column_count + 1, sizeof(column *))) {
        refuse(t, KARP_E_NOMEM);
        return NULL;
    }
    c->table = t;
    c->name = (karp_str){ copy, name.len };
    c->type = type;
    c->is_list = is_list;
    c->values.element = element_bytes(type);
    c->offsets.element = sizeof(int32_t);
    strings_init(&c->texts, t->context);
    t->columns[t->column_count++] = c;
    if (is_list || type == KARP_COLUMN_TEXT) push_offset(c);
    return c;
}

column *table_text(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_TEXT, false); }
column *table_words(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_DICTIONARY, false); }
column *table_uint32(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_UINT32, false); }
column *table_int64(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_INT64, false); }
column *table_double(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_DOUBLE, false); }
column *table_list_words(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_DICTIONARY, true); }
column *table_list_uint32(karp_table *t, const char *name) { return add(t, str(name), KARP_COLUMN_UINT32, true); }

void column_uint32(column *c, uint32_t value)
{
    uint32_t *place = c == NULL ? NULL : push(c, &c->values, 1);
    if (place != NULL) *place = value;
}

void column_int64(column *c, int64_t value)
{
    int64_t *place = c == NULL ? NULL : push(c, &c->values, 1);
    if (place != NULL) *place = value;
}

void column_double(column *c, double value)
{
    double *place = c == NULL ? NULL : push(c, &c->values, 1);
    if (place != NULL) *place = value;
}

void column_text(column *c, karp_str value)
{
    if (c == NULL || c->table->failed != KARP_OK) return;
    if (c->type == KARP_COLUMN_DICTIONARY) {
        uint32_t id = strings_add(&c->texts, value.len > 0 ? value.ptr : "", value.len);
        if (id == NO_ID) refuse(c->table, KARP_E_NOMEM);
        column_uint32(c, id);
        return;
    }
    char *place = value.len > 0 ? push(c, &c->values, value.len) : NULL;
    if (place != NULL) memcpy(place, value.ptr, value.len);
    push_offset(c);
}

void column_end(column *c)
{
    if (c != NULL) push_offset(c);
}

void column_texts(column *c, const karp_str *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) column_text(c, texts[i]);
    column_end(c);
}

void column_uint32s(column *c, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) column_uint32(c, values[i]);
    column_end(c);
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

static void lay_out_dictionary(column *c)
{
    karp_table *t = c->table;
    size_t total = 0, at = 0;
    for (size_t i = 0; i < c->texts.count; i++) {
        if (!size_add(total, c->texts.entries[i].len, &total)) total = SIZE_MAX;
    }
    if (total > INT32_MAX) { /* never: in a test, which would need 2 GiB */
        refuse(t, KARP_E_LIMIT);
        return;
    }
    c->dictionary = arena_alloc(&t->data, total);
    c->dictionary_offsets = arena_array(&t->data, c->texts.count + 1, sizeof *c->dictionary_offsets);
    if (c->dictionary == NULL || c->dictionary_offsets == NULL) {
        refuse(t, KARP_E_NOMEM);
        return;
    }
    for (size_t i = 0; i < c->texts.count; i++) {
        memcpy(c->dictionary + at, c->texts.entries[i].ptr, c->texts.entries[i].len);
        at += c->texts.entries[i].len;
        c->dictionary_offsets[i + 1] = (int32_t)at;
    }
}

static size_t rows_of(const column *c) { return c->offsets.items != NULL ? c->offsets.count - 1 : c->values.count; }

karp_status table_finish(karp_table *t, karp_table **out, karp_error *error)
{
    if (t == NULL) return fail_nomem(error);
    for (size_t i = 0; i < t->column_count && t->failed == KARP_OK; i++) {
        column *c = t->columns[i];
        if (i == 0) t->row_count = rows_of(c);
        else if (rows_of(c) != t->row_count) refuse(t, KARP_E_INTERNAL);
        if (c->type == KARP_COLUMN_DICTIONARY) lay_out_dictionary(c);
    }
    karp_status status = t->failed;
    if (status == KARP_OK) {
        *out = t;
        return KARP_OK;
    }
    karp_table_free(t);
    if (status == KARP_E_NOMEM) return fail_nomem(error);
    /* never: in a test, which would need 2 GiB */
    if (status == KARP_E_LIMIT) return fail(error, status, "a column has more than 2,147,483,647 bytes or elements");
    return fail(error, status, "the columns of a table differ in length");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

size_t karp_table_row_count(const karp_table *table) { return table->row_count; }
size_t karp_table_column_count(const karp_table *table) { return table->column_count; }

karp_status karp_table_column(const karp_table *table, size_t index, karp_column *out)
{
    static const uint64_t nothing = 0; /* address of arrays without elements */
    if (out == NULL) return KARP_E_INVALID;
    if (index >= table->column_count) return KARP_E_NOT_FOUND;
    const column *c = table->columns[index];
    karp_column shown = { .size = sizeof shown,
                          .name = c->name,
                          .type = c->type,
                          .is_list = c->is_list,
                          .row_count = table->row_count,
                          .values = c->values.items != NULL ? c->values.items : &nothing,
                          .value_count = c->values.count,
                          .offsets = c->offsets.items,
                          .dictionary = c->dictionary,
                          .dictionary_offsets = c->dictionary_offsets,
                          .dictionary_count = c->texts.count };
    return struct_give(out, &shown, sizeof shown, SIZE_THROUGH(karp_column, dictionary_count));
}

karp_status karp_table_find(const karp_table *table, karp_str name, karp_column *out)
{
    if (out == NULL || !str_given(name)) return KARP_E_INVALID;
    for (size_t i = 0; i < table->column_count; i++) {
        if (equal_str(table->columns[i]->name, name)) return karp_table_column(table, i, out);
    }
    return KARP_E_NOT_FOUND;
}

/* ---- a column per resource --------------------------------------------------------------------------------------- */

void amount_columns_begin(amount_columns *a, karp_table *t)
{
    memset(a, 0, sizeof *a);
    a->table = t;
    if (t != NULL) strings_init(&a->names, t->context);
}

void amount_columns_mention(amount_columns *a, karp_str resource)
{
    karp_table *t = a->table;
    if (t == NULL || t->failed != KARP_OK) return;
    if (strings_add(&a->names, resource.ptr, resource.len) == NO_ID) refuse(t, KARP_E_NOMEM);
}

void amount_columns_make(amount_columns *a, const char *prefix)
{
    karp_table *t = a->table;
    if (t == NULL || t->failed != KARP_OK) return;
    size_t prefix_length = strlen(prefix), longest = 0;
    a->count = a->names.count;
    for (size_t i = 0; i < a->count; i++) {
        size_t length = strings_get(&a->names, (uint32_t)i).len;
        if (length > longest) longest = length;
    }
    uint32_t *order = arena_array(&t->data, a->count, sizeof *order);
    char *name = arena_alloc(&t->data, prefix_length + longest);
    a->columns = arena_array(&t->data, a->count, sizeof *a->columns);
    if (order == NULL || name == NULL || a->columns == NULL) {
        refuse(t, KARP_E_NOMEM);
        return;
    }
    for (uint32_t i = 0; i < a->count; i++) order[i] = i;
    if (!sort_ids(t->context, order, a->count, by_string, &a->names)) refuse(t, KARP_E_NOMEM);
    /* NOLINT(bugprone-not-null-terminated-result): the text added next is terminated */
    memcpy(name, prefix, prefix_length);
    for (size_t i = 0; i < a->count; i++) {
        karp_str resource = strings_get(&a->names, order[i]);
        memcpy(name + prefix_length, resource.ptr, resource.len);
        a->columns[order[i]] = add(t, (karp_str){ name, prefix_length + resource.len }, KARP_COLUMN_DOUBLE, false);
    }
}

uint32_t amount_columns_find(const amount_columns *a, karp_str resource)
{
    return a->table == NULL ? NO_ID : strings_find(&a->names, resource.ptr, resource.len);
}

void amount_columns_row(const amount_columns *a, const double *values)
{
    if (a->columns == NULL) return;
    for (size_t i = 0; i < a->count; i++) column_double(a->columns[i], values[i]);
}

void amount_columns_end(amount_columns *a) { strings_free(&a->names); }
