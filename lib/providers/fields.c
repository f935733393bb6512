/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/fields.h>

#include <json/tree.h>
#include <stdio.h>
#include <string.h>

#include <karp/library.h>

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

static bool plain(karp_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (strchr(".[]\" /", name.ptr[i])) return false;
    }
    return name.len > 0;
}

/* Descends to a member, or to an element if there is no name; false = it does not fit. */
static bool enter(walker *w, const karp_str *name, size_t index)
{
    char *to = w->path + w->length;
    size_t room = sizeof w->path - w->length;
    if (w->depth == w->most || (name && name->len >= room)) {
        w->too_deep = true;
        return false;
    }
    int n = !name          ? snprintf(to, room, "[%zu]", index)
            : plain(*name) ? snprintf(to, room, "%s%.*s", w->length ? "." : "", (int)name->len, name->ptr)
                           : snprintf(to, room, "[\"%.*s\"]", (int)name->len, name->ptr);
    if (n < 0 || (size_t)n >= room) {
        w->too_deep = true;
        return false;
    }
    w->length += (size_t)n;
    w->depth++;
    return true;
}

static void walk(walker *w, const tree *value);

static void walk_inside(walker *w, const tree *value)
{
    size_t before = w->length;
    for (size_t i = 0; i < tree_count(value); i++) {
        bool is_map = tree_is(value, TREE_MAP);
        karp_str name = is_map ? tree_member_name(tree_member_at(value, i)) : str("");
        if (!enter(w, is_map ? &name : NULL, i)) return;
        walk(w, is_map ? tree_member_at(value, i)->value : tree_item(value, i));
        w->length = before;
        w->depth--;
    }
}

static void walk(walker *w, const tree *value)
{
    static const uint32_t kinds[] = {
        [TREE_NULL] = KARP_FIELD_NULL,      [TREE_FALSE] = KARP_FIELD_BOOLEAN, [TREE_TRUE] = KARP_FIELD_BOOLEAN,
        [TREE_INTEGER] = KARP_FIELD_NUMBER, [TREE_REAL] = KARP_FIELD_NUMBER,   [TREE_STRING] = KARP_FIELD_TEXT,
        [TREE_LIST] = KARP_FIELD_LIST,      [TREE_MAP] = KARP_FIELD_OBJECT
    };
    if (w->s->failed || w->too_deep) return;
    if (tree_count(value) > 0) {
        walk_inside(w, value);
        return;
    }
    karp_str text = tree_is_number(value) ? tree_digits(value) : tree_text(value);
    if (tree_is_bool(value)) text = str(tree_is(value, TREE_TRUE) ? "true" : "false");
    add(w, kinds[value->type], text);
}

karp_status fields_of(scratch *s, karp_str name, karp_str text, karp_provider_document *out, karp_error *error)
{
    trees t;
    tree *root = NULL;
    trees_init(&t, s->context);
    karp_status status = tree_read(&t, name, text, &root, error);
    walker *w = status == KARP_OK ? scratch_array(s, 1, sizeof *w) : NULL;
    if (w) {
        w->s = s;
        w->most = karp_context_get_options(s->context)->max_nesting;
        walk(w, root);
    }
    trees_free(&t);
    if (status != KARP_OK) return status;
    if (s->failed || !w) return provider_nomem(error);
    if (w->too_deep) return provider_fail(error, KARP_E_LIMIT, "", "nested too deeply");
    *out = (karp_provider_document){
        .size = sizeof *out, .name = name, .text = text, .fields = w->list, .field_count = w->count
    };
    return KARP_OK;
}
