/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/fields.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include <karp/values.h>

enum { PATH_MOST = 4096, FIRST_FIELDS = 64 };

typedef struct walker {
    scratch *s;
    karp_provider_field *list;
    size_t count, capacity;
    uint32_t depth, most;
    char path[PATH_MOST];
    size_t length;
    bool too_deep;
} walker;

static void add(walker *w, uint32_t kind, karp_str value)
{
    if (w->count == w->capacity) {
        size_t more = w->capacity ? w->capacity * 2 : FIRST_FIELDS;
        karp_provider_field *list = scratch_array(w->s, more, sizeof *list);
        if (!list) return;
        if (w->count) memcpy(list, w->list, w->count * sizeof *list);
        w->list = list;
        w->capacity = more;
    }
    karp_str path = scratch_text(w->s, (karp_str){ w->path, w->length });
    karp_str text = scratch_text(w->s, value);
    if (!w->s->failed) w->list[w->count++] = (karp_provider_field){ .path = path, .value = text, .kind = kind };
}

static bool plain(const char *name)
{
    for (const char *at = name; *at; at++) {
        if (strchr(".[]\" /", *at)) return false;
    }
    return *name != '\0';
}

/* Goes down by one member or element; false = it would not fit. */
static bool enter(walker *w, const char *name, size_t index)
{
    char *to = w->path + w->length;
    size_t room = sizeof w->path - w->length;
    int n = !name         ? snprintf(to, room, "[%zu]", index)
            : plain(name) ? snprintf(to, room, "%s%s", w->length ? "." : "", name)
                          : snprintf(to, room, "[\"%s\"]", name);
    if (w->depth == w->most || n < 0 || (size_t)n >= room) {
        w->too_deep = true;
        return false;
    }
    w->length += (size_t)n;
    w->depth++;
    return true;
}

static void walk(walker *w, json_t *value);

static void walk_inside(walker *w, json_t *value)
{
    size_t before = w->length, i;
    const char *name;
    json_t *member;
    if (json_is_array(value)) {
        json_array_foreach(value, i, member)
        {
            if (!enter(w, NULL, i)) return;
            walk(w, member);
            w->length = before;
            w->depth--;
        }
        return;
    }
    json_object_foreach(value, name, member)
    {
        if (!enter(w, name, 0)) return;
        walk(w, member);
        w->length = before;
        w->depth--;
    }
}

static void number(walker *w, const json_t *value)
{
    char text[KARP_VALUE_TEXT];
    if (json_is_integer(value)) (void)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else karp_double_format(json_real_value(value), text);
    add(w, KARP_FIELD_NUMBER, (karp_str){ text, strlen(text) });
}

static void walk(walker *w, json_t *value)
{
    static const karp_str none = TEXT(""), word_true = TEXT("true"), word_false = TEXT("false");
    if (w->s->failed || w->too_deep) return;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        if (json_object_size(value)) walk_inside(w, value);
        else add(w, KARP_FIELD_OBJECT, none);
        return;
    case JSON_ARRAY:
        if (json_array_size(value)) walk_inside(w, value);
        else add(w, KARP_FIELD_LIST, none);
        return;
    case JSON_STRING:
        add(w, KARP_FIELD_TEXT, (karp_str){ json_string_value(value), json_string_length(value) });
        return;
    case JSON_INTEGER:
    case JSON_REAL: number(w, value); return;
    case JSON_TRUE: add(w, KARP_FIELD_BOOLEAN, word_true); return;
    case JSON_FALSE: add(w, KARP_FIELD_BOOLEAN, word_false); return;
    case JSON_NULL: add(w, KARP_FIELD_NULL, none); return;
    }
}

karp_status fields_of(scratch *s, karp_str name, karp_str text, karp_provider_document *out, karp_error *error)
{
    json_error_t why;
    memset(&why, 0, sizeof why);
    json_t *tree = json_loadb(text.ptr ? text.ptr : "", text.len, JSON_REJECT_DUPLICATES, &why);
    if (!tree) {
        /* jansson leaves the text empty when memory was refused. */
        if (!why.text[0]) return provider_nomem(error);
        karp_status status = provider_fail(error, KARP_E_SYNTAX, "", "not JSON: %s", why.text);
        if (error) {
            error->line = why.line > 0 ? (uint32_t)why.line : 0;
            (void)snprintf(error->document, sizeof error->document, "%.*s", (int)(name.len < 127 ? name.len : 127),
                           name.len ? name.ptr : "");
        }
        return status;
    }
    walker *w = scratch_array(s, 1, sizeof *w);
    if (w) {
        w->s = s;
        w->most = karp_context_get_options(s->context)->max_nesting;
        walk(w, tree);
    }
    json_decref(tree);
    if (s->failed || !w) return provider_nomem(error);
    if (w->too_deep) return provider_fail(error, KARP_E_LIMIT, "", "nested too deeply");
    *out = (karp_provider_document){
        .size = sizeof *out, .name = name, .text = text, .fields = w->list, .field_count = w->count
    };
    return KARP_OK;
}
