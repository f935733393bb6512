/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/decode.h>

#include <stdio.h>
#include <string.h>

void decode_at(decoder *d, const char *part) { (void)snprintf(d->part, sizeof d->part, "%s", part); }

void decode_at_element(decoder *d, const char *list, size_t index)
{
    (void)snprintf(d->part, sizeof d->part, "%s[%zu]", list, index);
}

void decode_bad(decoder *d, const char *name, const char *message)
{
    if (d->status) return;
    char field[160];
    (void)snprintf(field, sizeof field, "%s%s%s", d->part, *d->part && *name ? "." : "", name);
    d->status = provider_fail(d->error, KARP_E_INVALID, field, "%s", message);
}

const json_t *decode_member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

const json_t *decode_object(decoder *d, const json_t *object, const char *name)
{
    const json_t *value = decode_member(object, name);
    if (!value || json_is_object(value)) return value;
    decode_bad(d, name, "must be an object");
    return NULL;
}

size_t decode_list(decoder *d, const json_t *object, const char *name, const json_t **list)
{
    *list = decode_member(object, name);
    if (!*list) return 0;
    if (json_is_array(*list)) return json_array_size(*list);
    decode_bad(d, name, "must be a list");
    return 0;
}

karp_str decode_text(decoder *d, const json_t *object, const char *name)
{
    static const karp_str none = TEXT("");
    const json_t *value = decode_member(object, name);
    if (!value) return none;
    if (json_is_string(value)) {
        return scratch_text(d->s, (karp_str){ json_string_value(value), json_string_length(value) });
    }
    decode_bad(d, name, "must be text");
    return none;
}

bool decode_flag(decoder *d, const json_t *object, const char *name)
{
    const json_t *value = decode_member(object, name);
    if (value && !json_is_boolean(value)) decode_bad(d, name, "must be true or false");
    return json_is_true(value);
}

int64_t decode_count(decoder *d, const json_t *object, const char *name)
{
    const json_t *value = decode_member(object, name);
    if (!value) return 0;
    json_int_t n = json_integer_value(value);
    if (json_is_integer(value) && n >= 0 && n <= INT32_MAX) return n;
    decode_bad(d, name, "must be a whole number that is not negative");
    return 0;
}

int64_t decode_some(decoder *d, const json_t *object, const char *name)
{
    int64_t count = decode_count(d, object, name);
    if (count == 0) decode_bad(d, name, "must be a whole number of at least 1");
    return count;
}

json_t *decode_tree(decoder *d, karp_str text, const char *what)
{
    json_error_t why;
    memset(&why, 0, sizeof why);
    json_t *tree = json_loadb(text.ptr ? text.ptr : "", text.len, 0, &why);
    if (tree && json_is_object(tree)) return tree;
    if (tree) {
        json_decref(tree);
        d->status = provider_fail(d->error, KARP_E_INVALID, "", "%s must be an object", what);
    } else if (!why.text[0]) { /* jansson leaves the text empty when memory was refused */
        d->status = provider_nomem(d->error);
    } else {
        d->status = provider_fail(d->error, KARP_E_SYNTAX, "", "not JSON: %s", why.text);
        if (d->error) d->error->line = why.line > 0 ? (uint32_t)why.line : 0;
    }
    return NULL;
}
