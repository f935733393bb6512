/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/patch.h>

#include <io/owner.h>

tree *patch_between(trees *t, const tree *from, const tree *to)
{
    tree *out = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < tree_count(to); i++) {
        const tree_member *m = tree_member_at(to, i);
        karp_str name = tree_member_name(m);
        const tree *had = tree_find_str(from, name);
        if (had && tree_equal(had, m->value)) continue;
        bool maps = tree_is(had, TREE_MAP) && tree_is(m->value, TREE_MAP);
        tree_set_str(t, out, name, maps ? patch_between(t, had, m->value) : m->value);
    }
    for (size_t i = 0; i < tree_count(from); i++) {
        karp_str name = tree_member_name(tree_member_at(from, i));
        if (!tree_find_str(to, name)) tree_set_str(t, out, name, tree_new(t, TREE_NULL));
    }
    return t->status ? NULL : out;
}

void patch_apply(trees *t, tree *to, const tree *patch)
{
    for (size_t i = 0; to && i < tree_count(patch); i++) {
        const tree_member *m = tree_member_at(patch, i);
        karp_str name = tree_member_name(m);
        const tree *had = tree_find_str(to, name);
        tree *value = m->value;
        if (tree_is(had, TREE_MAP) && tree_is(value, TREE_MAP)) {
            value = tree_copy(t, had);
            patch_apply(t, value, m->value);
        }
        tree_set_str(t, to, name, value);
    }
}

void patch_book_init(patch_book *b, karp_context *context)
{
    *b = (patch_book){ 0 };
    io_table_init(&b->index, context);
}

void patch_book_free(patch_book *b)
{
    karp_context *context = b->index.names.context;
    for (size_t i = 0; i < b->count; i++) {
        if (b->texts[i].ptr) mem_free(context, (void *)(uintptr_t)b->texts[i].ptr, b->texts[i].len + 1);
    }
    mem_free(context, b->texts, b->capacity * sizeof *b->texts);
    io_table_free(&b->index);
}

void patch_key(strbuf *key, const tree *object)
{
    strbuf_addstr(key, tree_get_text(object, "kind"));
    strbuf_addc(key, '/');
    strbuf_addname(key, io_namespace(object), tree_get_text(tree_get(object, "metadata"), "name"));
}

bool patch_book_put(patch_book *b, karp_str key, const tree *object)
{
    karp_context *context = b->index.names.context;
    uint32_t *number = io_table_at(&b->index, key);
    if (!number) return false;
    if (*number == IO_NONE) {
        if (!grow(context, (void **)&b->texts, &b->capacity, b->count + 1, sizeof *b->texts)) return false;
        b->texts[b->count] = (karp_str){ 0 };
        *number = (uint32_t)b->count++;
    }
    karp_str *place = &b->texts[*number];
    strbuf text = strbuf_on(context);
    tree_write(&text, object);
    char *kept = text.failed ? NULL : mem_alloc(context, text.len + 1);
    if (kept) {
        memcpy(kept, text.ptr, text.len);
        if (place->ptr) mem_free(context, (void *)(uintptr_t)place->ptr, place->len + 1);
        *place = (karp_str){ kept, text.len };
    }
    strbuf_free(&text);
    return kept != NULL;
}

tree *patch_book_turn(patch_book *b, trees *t, const tree *entry, const char **why)
{
    karp_str like = tree_get_text(entry, "like"), own = tree_get_text(entry, "object");
    uint32_t number = io_table_get(&b->index, like.len ? like : own);
    karp_error error;
    tree *object = NULL;
    *why = NULL;
    if (number == IO_NONE) {
        *why = "patched: an object that the recording has not had before";
        return NULL;
    }
    karp_error_init(&error, sizeof error);
    if (tree_read(t, own, b->texts[number], &object, &error)) return NULL;
    object = tree_deep_copy(t, object, true); /* it outlives the text it was read from */
    patch_apply(t, object, tree_get(entry, "patch"));
    return t->status || !patch_book_put(b, own, object) ? NULL : object;
}
