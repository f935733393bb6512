/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables through Arrow's C interfaces. All structs of one export are in one block with a reference count, because a
 * consumer may move a child and release it long after its parent. The block has a reference to the table, which owns
 * the data.
 */
#include <base/context.h>
#include <base/columns.h>

#include <base/error.h>

/* A column, the elements of its lists, the texts of its dictionary. */
enum { NODES_OF_A_COLUMN = 3, BUFFERS_MOST = 3 };

/* Streams return numbers of errno.h, which the core does not include. ENOMEM is 12 on all platforms. */
enum { NO_MEMORY = 12 };

typedef struct arrow_block {
    karp_table *table; /* one reference */
    size_t bytes;
    _Atomic uint32_t references;
} arrow_block;

static void drop(arrow_block *b)
{
    if (atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) != 1) return;
    karp_table *table = b->table;
    mem_free(table_context(table), b, b->bytes);
    karp_table_free(table);
}

/* Allocates `bytes` for a struct that begins with a block; NULL = out of memory. */
static void *arrow_block_new(karp_table *table, size_t bytes)
{
    arrow_block *b = mem_zalloc(table_context(table), bytes);
    if (b == NULL) return NULL;
    b->table = table_ref(table);
    b->bytes = bytes;
    atomic_init(&b->references, 0);
    return b;
}

static void add_reference(arrow_block *b) { atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed); }

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

typedef struct schema_node {
    struct ArrowSchema value;
    struct ArrowSchema *only_child;
} schema_node;

typedef struct schema_block {
    arrow_block head;
    size_t used;
    schema_node nodes[]; /* followed by the pointers to the columns */
} schema_block;

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release != NULL) s->children[i]->release(s->children[i]);
    }
    if (s->dictionary != NULL && s->dictionary->release != NULL) s->dictionary->release(s->dictionary);
    arrow_block *b = s->private_data;
    s->release = NULL;
    drop(b);
}

static struct ArrowSchema schema_of(schema_block *b, const char *format, const char *name)
{
    add_reference(&b->head);
    return (struct ArrowSchema){ .format = format, .name = name, .release = release_schema, .private_data = b };
}

static schema_node *schema_new(schema_block *b, const char *format, const char *name)
{
    schema_node *node = &b->nodes[b->used++];
    node->value = schema_of(b, format, name);
    return node;
}

static const char *format_of(uint32_t type)
{
    switch (type) {
    case KARP_COLUMN_INT64: return "l";
    case KARP_COLUMN_DOUBLE: return "g";
    case KARP_COLUMN_TEXT: return "u";
    default: return "I"; /* uint32, and indices of dictionaries */
    }
}

static struct ArrowSchema *schema_of_column(schema_block *b, const karp_column *c)
{
    schema_node *values = schema_new(b, format_of(c->type), c->is_list ? "item" : c->name.ptr);
    if (c->type == KARP_COLUMN_DICTIONARY) values->value.dictionary = &schema_new(b, "u", "")->value;
    if (!c->is_list) return &values->value;
    schema_node *lists = schema_new(b, "+l", c->name.ptr);
    lists->only_child = &values->value;
    lists->value.children = &lists->only_child;
    lists->value.n_children = 1;
    return &lists->value;
}

static karp_column column_at(const karp_table *table, size_t index)
{
    karp_column c = { .size = sizeof c };
    (void)karp_table_column(table, index, &c); /* cannot fail: the column exists */
    return c;
}

/* The size of a block with nodes for every column and one pointer each; false = overflow. */
static bool arrow_block_bytes(const karp_table *table, size_t head, size_t node, size_t *bytes)
{
    size_t columns = karp_table_column_count(table), each;
    return size_mul(node, NODES_OF_A_COLUMN, &each) && size_add(each, sizeof(void *), &each) &&
           size_mul(each, columns, bytes) && size_add(*bytes, head, bytes);
}

static bool make_schema(karp_table *table, struct ArrowSchema *out)
{
    size_t columns = karp_table_column_count(table), bytes;
    schema_block *b = arrow_block_bytes(table, sizeof *b, sizeof(schema_node), &bytes) ? arrow_block_new(table, bytes)
                                                                                       : NULL;
    if (b == NULL) return false;
    struct ArrowSchema **children = (struct ArrowSchema **)(void *)&b->nodes[columns * NODES_OF_A_COLUMN];
    for (size_t i = 0; i < columns; i++) {
        karp_column c = column_at(table, i);
        children[i] = schema_of_column(b, &c);
    }
    *out = schema_of(b, "+s", "");
    out->n_children = (int64_t)columns;
    out->children = children;
    return true;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

typedef struct array_node {
    struct ArrowArray value;
    struct ArrowArray *only_child;
    const void *buffers[BUFFERS_MOST]; /* the first is the validity bitmap, which is absent */
} array_node;

typedef struct array_block {
    arrow_block head;
    size_t used;
    const void *no_nulls; /* the only buffer of the root */
    array_node nodes[]; /* followed by the pointers to the columns */
} array_block;

static void release_array(struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release != NULL) a->children[i]->release(a->children[i]);
    }
    if (a->dictionary != NULL && a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
    arrow_block *b = a->private_data;
    a->release = NULL;
    drop(b);
}

static struct ArrowArray array_of(array_block *b, size_t length, const void **buffers, int64_t buffer_count)
{
    add_reference(&b->head);
    return (struct ArrowArray){ .length = (int64_t)length,
                                .n_buffers = buffer_count,
                                .buffers = buffers,
                                .release = release_array,
                                .private_data = b };
}

/* A node with one data buffer, or with two unless `second` is NULL. */
static array_node *array_new(array_block *b, size_t length, const void *first, const void *second)
{
    array_node *node = &b->nodes[b->used++];
    node->buffers[1] = first;
    node->buffers[2] = second;
    node->value = array_of(b, length, node->buffers, second ? 3 : 2);
    return node;
}

static struct ArrowArray *array_of_column(array_block *b, const karp_column *c)
{
    if (c->type == KARP_COLUMN_TEXT) return &array_new(b, c->row_count, c->offsets, c->values)->value;
    array_node *values = array_new(b, c->value_count, c->values, NULL);
    if (c->type == KARP_COLUMN_DICTIONARY)
        values->value.dictionary = &array_new(b, c->dictionary_count, c->dictionary_offsets, c->dictionary)->value;
    if (!c->is_list) return &values->value;
    array_node *lists = array_new(b, c->row_count, c->offsets, NULL);
    lists->only_child = &values->value;
    lists->value.children = &lists->only_child;
    lists->value.n_children = 1;
    return &lists->value;
}

static bool make_array(karp_table *table, struct ArrowArray *out)
{
    size_t columns = karp_table_column_count(table), bytes;
    array_block *b = arrow_block_bytes(table, sizeof *b, sizeof(array_node), &bytes) ? arrow_block_new(table, bytes)
                                                                                     : NULL;
    if (b == NULL) return false;
    struct ArrowArray **children = (struct ArrowArray **)(void *)&b->nodes[columns * NODES_OF_A_COLUMN];
    for (size_t i = 0; i < columns; i++) {
        karp_column c = column_at(table, i);
        children[i] = array_of_column(b, &c);
    }
    *out = array_of(b, karp_table_row_count(table), &b->no_nulls, 1);
    out->n_children = (int64_t)columns;
    out->children = children;
    return true;
}

karp_status karp_table_arrow(karp_table *table, struct ArrowSchema *schema, struct ArrowArray *array, karp_error *error)
{
    struct ArrowSchema made;
    if (table == NULL || schema == NULL || array == NULL) return fail_null(error, "table, schema or array");
    if (!make_schema(table, &made)) return context_nomem(table_context(table), error);
    if (!make_array(table, array)) {
        made.release(&made);
        return context_nomem(table_context(table), error);
    }
    *schema = made;
    return KARP_OK;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

typedef struct stream_block {
    arrow_block head;
    bool done;
} stream_block;

static int stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const stream_block *b = s->private_data;
    return make_schema(b->head.table, out) ? 0 : NO_MEMORY;
}

static int stream_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    stream_block *b = s->private_data;
    if (b->done) {
        memset(out, 0, sizeof *out); /* a released array marks the end */
        return 0;
    }
    if (!make_array(b->head.table, out)) return NO_MEMORY;
    b->done = true;
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "out of memory"; /* the only possible error */
}

static void release_stream(struct ArrowArrayStream *s)
{
    arrow_block *b = s->private_data;
    s->release = NULL;
    drop(b);
}

karp_status karp_table_arrow_stream(karp_table *table, struct ArrowArrayStream *out, karp_error *error)
{
    if (table == NULL || out == NULL) return fail_null(error, "table or out");
    stream_block *b = arrow_block_new(table, sizeof *b);
    if (b == NULL) return context_nomem(table_context(table), error);
    add_reference(&b->head);
    *out = (struct ArrowArrayStream){ stream_schema, stream_next, stream_error, release_stream, b };
    return KARP_OK;
}
