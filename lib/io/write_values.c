/* SPDX-License-Identifier: Apache-2.0 */
#include "write_values.h"

#include <base/str.h>
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
    write_buffer valid;
    buffer_init(&valid, j->out->text.context);
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
