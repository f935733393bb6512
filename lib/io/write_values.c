/* SPDX-License-Identifier: Apache-2.0 */
#include <io/write_json.h>

#include <json/tree.h>
#include <math.h>

/* Appends valid UTF-8 to the scratch of the buffer, as buffer_json_string() writes it. */
static void add_valid(write_buffer *b, karp_str text)
{
    for (size_t at = 0, length; at < text.len; at += length) {
        length = utf8_length(text, at);
        if (length == 0) buffer_text(b, "\xef\xbf\xbd");
        else buffer_bytes(b, text.ptr + at, length);
        length += length == 0;
    }
}

static bool is_valid(karp_str text)
{
    size_t at = 0;
    for (size_t length = 1; at < text.len && length > 0; at += length) length = utf8_length(text, at);
    return at == text.len;
}

void values_name(json_out *j, karp_str name)
{
    buffer_cut(j->out, 0);
    add_valid(j->out, name);
    j->after_key = true;
}

static karp_status add_node(json_out *j, void *node)
{
    const write_buffer *b = j->out;
    karp_str name = { b->text.ptr != NULL ? b->text.ptr : "", j->after_key ? b->text.len : 0 };
    j->after_key = false;
    if (j->depth > 0) return b->sink->add(b->sink->user, j->open[j->depth], name, node);
    j->out->root = node;
    return KARP_OK;
}

void values_add(json_out *j, const karp_value *value)
{
    write_buffer *b = j->out;
    bool opens = value->kind >= KARP_VALUE_ARRAY;
    if (b->text.failed || b->status != KARP_OK) return;
    void *node = opens && j->depth + 1 >= JSON_DEPTH ? NULL : b->sink->make(b->sink->user, value);
    if (node == NULL || add_node(j, node) != KARP_OK) b->text.failed = true;
    else if (opens) j->open[++j->depth] = node;
}

void values_text(json_out *j, karp_str text)
{
    karp_value value = { .kind = KARP_VALUE_STRING, .text = text };
    if (is_valid(text)) {
        if (text.ptr == NULL) value.text = str("");
        values_add(j, &value);
        return;
    }
    write_buffer valid = buffer_on(j->out->text.context);
    add_valid(&valid, text);
    j->out->text.failed = j->out->text.failed || valid.text.failed;
    value.text = buffer_content(&valid);
    values_add(j, &value);
    buffer_free(&valid);
}

void values_real(json_out *j, double real)
{
    values_add(j, &(karp_value){ .kind = isfinite(real) ? KARP_VALUE_REAL : KARP_VALUE_NULL, .real = real });
}

static void add_tree(json_out *j, const tree *value)
{
    karp_value v = { .kind = KARP_VALUE_NULL };
    if (tree_is(value, TREE_STRING)) {
        values_text(j, tree_text(value));
        return;
    }
    if (tree_is(value, TREE_REAL)) {
        double real = 0;
        (void)tree_double(value, &real);
        values_real(j, real);
        return;
    }
    bool opens = tree_is(value, TREE_LIST) || tree_is(value, TREE_MAP);
    if (opens) v.kind = tree_is(value, TREE_LIST) ? KARP_VALUE_ARRAY : KARP_VALUE_OBJECT;
    if (tree_is_bool(value)) v = (karp_value){ .kind = KARP_VALUE_BOOLEAN, .boolean = value->type == TREE_TRUE };
    if (tree_is(value, TREE_INTEGER)) v.kind = KARP_VALUE_INTEGER;
    if (tree_is(value, TREE_INTEGER)) (void)tree_integer(value, &v.integer);
    values_add(j, &v);
    for (size_t i = 0; i < tree_count(value); i++) {
        bool list = tree_is(value, TREE_LIST);
        if (!list) values_name(j, tree_member_name(tree_member_at(value, i)));
        add_tree(j, list ? tree_item(value, i) : tree_member_at(value, i)->value);
    }
    if (opens) json_end(j);
}

void values_json(json_out *j, karp_str json)
{
    tree *value = NULL;
    tree_fault fault;
    trees memory = trees_on(j->out->text.context);
    karp_status status = tree_parse(&memory, json, JSON_DEPTH, &value, NULL, &fault);
    if (status == KARP_OK) add_tree(j, value);
    else j->out->text.failed = true; /* it is JSON, so this is no memory */
    trees_free(&memory);
}
