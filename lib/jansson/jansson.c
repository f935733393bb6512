/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/jansson.h>

#include <string.h>

#if JANSSON_VERSION_HEX < 0x020e00
#error jansson 2.14 or later is needed: names of members have a length since then
#endif

/* ---- documents in ------------------------------------------------------------------------------------------------ */

static void read_node(void *user, const void *node, karp_value *out)
{
    const json_t *json = node;
    (void)user;
    switch (json_typeof(json)) {
    case JSON_NULL: out->kind = KARP_VALUE_NULL; break;
    case JSON_TRUE:
    case JSON_FALSE:
        out->kind = KARP_VALUE_BOOLEAN;
        out->boolean = json_is_true(json);
        break;
    case JSON_INTEGER:
        out->kind = KARP_VALUE_INTEGER;
        out->integer = json_integer_value(json);
        break;
    case JSON_REAL:
        out->kind = KARP_VALUE_REAL;
        out->real = json_real_value(json);
        break;
    case JSON_STRING:
        out->kind = KARP_VALUE_STRING;
        out->text = (karp_str){ json_string_value(json), json_string_length(json) };
        break;
    case JSON_ARRAY: out->kind = KARP_VALUE_ARRAY; break;
    case JSON_OBJECT: out->kind = KARP_VALUE_OBJECT; break;
    }
}

/* jansson's iterators of objects are not for const objects, though they change nothing. */
static json_t *changeable(const void *node)
{
    json_t *json;
    memcpy(&json, &node, sizeof json);
    return json;
}

static const void *next_node(void *user, const void *node, void **position, karp_str *name)
{
    json_t *json = changeable(node);
    (void)user;
    if (json_is_array(json)) {
        size_t index = (size_t)*position;
        *position = (void *)(index + 1);
        return json_array_get(json, index);
    }
    *position = *position ? json_object_iter_next(json, *position) : json_object_iter(json);
    if (!*position) return NULL;
    *name = (karp_str){ json_object_iter_key(*position), json_object_iter_key_len(*position) };
    return json_object_iter_value(*position);
}

static const karp_value_source json_source = { sizeof json_source, NULL, read_node, next_node };

karp_status karp_reader_add_json(karp_reader *reader, karp_str name, const json_t *document, karp_error *error)
{
    return karp_reader_add_values(reader, name, &json_source, document, error);
}

karp_status karp_reader_replace_json(karp_reader *reader, karp_str name, const json_t *document, karp_error *error)
{
    return karp_reader_replace_values(reader, name, &json_source, document, error);
}

/* ---- documents out ----------------------------------------------------------------------------------------------- */

static void *make_node(void *user, const karp_value *value)
{
    (void)user;
    switch (value->kind) {
    case KARP_VALUE_BOOLEAN: return json_boolean(value->boolean);
    case KARP_VALUE_INTEGER: return json_integer(value->integer);
    case KARP_VALUE_REAL: return json_real(value->real);
    case KARP_VALUE_STRING: return json_stringn_nocheck(value->text.ptr, value->text.len);
    case KARP_VALUE_ARRAY: return json_array();
    case KARP_VALUE_OBJECT: return json_object();
    default: return json_null();
    }
}

static karp_status add_node(void *user, void *parent, karp_str name, void *child)
{
    (void)user;
    int done = json_is_array((json_t *)parent) ? json_array_append_new(parent, child)
                                               : json_object_setn_new_nocheck(parent, name.ptr, name.len, child);
    return done == 0 ? KARP_OK : KARP_E_NOMEM;
}

static void take_root(void *user, void *root) { ((karp_json_document *)user)->root = root; }

static void drop_root(void *user, void *root)
{
    (void)user;
    json_decref(root);
}

void karp_json_document_init(karp_json_document *document, size_t size)
{
    if (!document || size < sizeof *document) return;
    memset(document, 0, size);
    document->size = sizeof *document;
    document->sink = (karp_value_sink){ sizeof document->sink, document, make_node, add_node, take_root, drop_root };
}
