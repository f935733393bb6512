/* SPDX-License-Identifier: Apache-2.0 */
#include <records/copy.h>

#include <base/error.h>

static void copy_text(record_copier *c, karp_str *text)
{
    if (c->text != NULL) *text = c->text(c->owner, *text);
    else text->ptr = arena_string(c->to, text->ptr, text->len);
    c->failed |= text->ptr == NULL;
}

/* Copies the elements; their texts still belong to the caller. */
static void *copy_elements(record_copier *c, const void *from, size_t count, size_t bytes)
{
    void *list = arena_array(c->to, count + 1, bytes);
    c->failed |= list == NULL;
    if (list != NULL && count > 0) memcpy(list, from, count * bytes);
    return list;
}

static const karp_str *copy_texts(record_copier *c, const karp_str *list, size_t count)
{
    karp_str *copy = copy_elements(c, list, count, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) copy_text(c, &copy[i]);
    return copy;
}

const karp_label *record_copy_labels(record_copier *c, const karp_label *list, size_t count)
{
    karp_label *copy = copy_elements(c, list, count, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        copy_text(c, &copy[i].key);
        copy_text(c, &copy[i].value);
    }
    return copy;
}

const karp_resource *record_copy_amounts(record_copier *c, const karp_resource *list, size_t count)
{
    karp_resource *copy = copy_elements(c, list, count, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        copy_text(c, &copy[i].name);
        if (copy[i].text.ptr != NULL) copy_text(c, &copy[i].text); /* otherwise the amount is a number */
    }
    return copy;
}

const void *record_copy_list(record_copier *c, const record *r, const void *list, size_t count)
{
    char *copy = arena_array(c->to, count + 1, r->size);
    c->failed |= copy == NULL;
    for (size_t i = 0; copy != NULL && i < count; i++)
        record_copy(c, r, (const char *)list + i * r->size, copy + i * r->size);
    return copy;
}

static void copy_list_member(record_copier *c, const record_field *f, const char *from, char *into)
{
    size_t count;
    const void *list = record_list(f, from, &count);
    switch (f->kind) {
    case FIELD_TEXTS: list = copy_texts(c, list, count); break;
    case FIELD_LABELS:
    case FIELD_NODE_LABELS: list = record_copy_labels(c, list, count); break;
    case FIELD_AMOUNTS: list = record_copy_amounts(c, list, count); break;
    case FIELD_PODS: list = copy_elements(c, list, count, sizeof(uint32_t)); break;
    default: list = record_copy_list(c, f->inner, list, count); break;
    }
    record_set_list(f, into, list, list != NULL ? count : 0);
}

/* A pointer to a struct, which may be of another version. */
static void copy_pointer(record_copier *c, const record_field *f, const char *from, char *into)
{
    const record *r = f->inner;
    const void *given = record_pointer(from, f->at);
    void *made = NULL;
    if (given != NULL) {
        void *known = r->first > 0 ? arena_alloc(c->to, r->size) : NULL;
        bool good = r->first == 0 ||
                    (known != NULL && struct_check(given, r->size, r->first, known, r->type, NULL) == KARP_OK);
        made = good ? arena_alloc(c->to, r->size) : NULL;
        if (made != NULL) record_copy(c, r, known != NULL ? known : given, made);
        c->failed |= made == NULL;
    }
    memcpy(into + f->at, &made, sizeof made);
}

static void copy_members(record_copier *c, const record *r, const char *from, char *into);

/* Sizes of the members that own nothing; 0 = of others, and of kinds that only input objects have. */
static const uint8_t plain_bytes[] = {
    [FIELD_BOOL] = sizeof(bool),        [FIELD_INT32] = sizeof(int32_t),
    [FIELD_FLAG] = sizeof(uint32_t),    [FIELD_WORD] = sizeof(uint32_t),
    [FIELD_NAMED] = sizeof(uint32_t),   [FIELD_UINT32] = sizeof(uint32_t),
    [FIELD_LEAST] = sizeof(uint32_t),   [FIELD_POD] = sizeof(uint32_t),
    [FIELD_INT64] = sizeof(int64_t),    [FIELD_TIME] = sizeof(int64_t),
    [FIELD_DURATION] = sizeof(int64_t), [FIELD_DURATION_OR_NEVER] = sizeof(int64_t),
    [FIELD_SOME] = sizeof(int64_t),     [FIELD_UINT64] = sizeof(uint64_t),
    [FIELD_REAL] = sizeof(double),      [FIELD_MONEY] = sizeof(double),
    [FIELD_PRICE] = sizeof(double),     [FIELD_SUM] = sizeof(double),
    [FIELD_DIGEST] = sizeof(uint64_t),  [FIELD_SIZE] = sizeof(size_t),
    [FIELD_LAUNCHES] = sizeof(size_t),  [FIELD_PLACEMENTS] = sizeof(size_t),
};

static void copy_member(record_copier *c, const record_field *f, const char *from, char *into)
{
    size_t bytes = f->kind < sizeof plain_bytes ? plain_bytes[f->kind] : 0;
    if (bytes > 0) {
        memcpy(into + f->at, from + f->at, bytes);
        if (f->count > 0) memcpy(into + f->count, from + f->count, sizeof(size_t)); /* a range */
    } else if (f->kind == FIELD_OBJECT) {
        copy_members(c, f->inner, from + f->at, into + f->at);
    } else if (f->kind == FIELD_POINTER || f->kind == FIELD_SHARED) {
        copy_pointer(c, f, from, into);
    } else if (f->count > 0) {
        copy_list_member(c, f, from, into);
    } else if (f->kind != FIELD_CONSTANT) {
        memcpy(into + f->at, from + f->at, sizeof(karp_str));
        copy_text(c, (karp_str *)(void *)(into + f->at));
    }
}

static void copy_members(record_copier *c, const record *r, const char *from, char *into)
{
    for (size_t i = 0; i < r->count; i++) {
        if (row_in(&r->fields[i], c->document)) copy_member(c, &r->fields[i], from, into);
    }
}

void record_copy(record_copier *c, const record *r, const void *from, void *into)
{
    if (r->absent != NULL) memcpy(into, r->absent, r->size);
    else memset(into, 0, r->size);
    if (r->first > 0) memcpy(into, &r->size, sizeof r->size); /* such a struct begins with its size */
    copy_members(c, r, from, into);
}
