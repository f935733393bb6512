/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/decode.h>

#include <stdio.h>

void decode_begin(decoder *d, karp_context *context, scratch *s, karp_error *error)
{
    memset(d, 0, sizeof *d);
    d->s = s;
    d->error = error;
    trees_init(&d->trees, context);
}

void decode_end(decoder *d) { trees_free(&d->trees); }

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

const tree *decode_object(decoder *d, const tree *object, const char *name)
{
    const tree *value = decode_member(object, name);
    if (!value || is_map(value)) return value;
    decode_bad(d, name, "must be an object");
    return NULL;
}

size_t decode_list(decoder *d, const tree *object, const char *name, const tree **list)
{
    *list = decode_member(object, name);
    if (!*list) return 0;
    if (is_list(*list)) return items_of(*list);
    decode_bad(d, name, "must be a list");
    return 0;
}

karp_str decode_text(decoder *d, const tree *object, const char *name)
{
    static const karp_str none = TEXT("");
    const tree *value = decode_member(object, name);
    if (!value) return none;
    if (is_string(value)) return scratch_text(d->s, tree_text(value));
    decode_bad(d, name, "must be text");
    return none;
}

const karp_str *decode_texts(decoder *d, const tree *object, const char *name, const char *part, const char *text,
                             size_t *count)
{
    const tree *list;
    *count = decode_list(d, object, name, &list);
    karp_str *texts = scratch_array(d->s, *count, sizeof *texts);
    if (!texts) *count = 0;
    for (size_t i = 0; i < *count; i++) {
        decode_at_element(d, part, i);
        texts[i] = decode_text(d, tree_item(list, i), text);
    }
    return texts;
}

/* "must be A", "must be A or B", "must be one of A, B, C" */
karp_str decode_word(decoder *d, const tree *object, const char *name, const char *words)
{
    karp_str word = decode_text(d, object, name);
    if (word.len == 0 || str_in_list(word, words)) return word;
    char message[320] = "must be ";
    size_t count = 1, i = 0;
    for (const char *at = words; *at; at++) count += *at == ' ';
    for (karp_str rest = str(words); rest.len > 0; i++) {
        karp_str one = str_until(&rest, ' ');
        const char *before = i == 0 ? (count > 2 ? "one of " : "") : count > 2 ? ", " : " or ";
        str_append(message, sizeof message, "%s%.*s", before, (int)one.len, one.ptr);
    }
    decode_bad(d, name, message);
    return str("");
}

bool decode_flag(decoder *d, const tree *object, const char *name)
{
    const tree *value = decode_member(object, name);
    if (value && !tree_is_bool(value)) decode_bad(d, name, "must be true or false");
    return tree_is(value, TREE_TRUE);
}

int64_t decode_count(decoder *d, const tree *object, const char *name)
{
    const tree *value = decode_member(object, name);
    if (!value) return 0;
    int64_t n;
    if (tree_integer(value, &n) && n >= 0 && n <= INT32_MAX) return n;
    decode_bad(d, name, "must be a whole number that is not negative");
    return 0;
}

int64_t decode_some(decoder *d, const tree *object, const char *name)
{
    int64_t count = decode_count(d, object, name);
    if (count == 0) decode_bad(d, name, "must be a whole number of at least 1");
    return count;
}

bool decode_root(decoder *d, const tree *root, const char *what)
{
    if (!is_map(root)) d->status = provider_fail(d->error, KARP_E_INVALID, "", "%s must be an object", what);
    return is_map(root);
}

const tree *decode_tree(decoder *d, karp_str text, const char *what)
{
    tree *root = NULL;
    d->status = tree_read(&d->trees, str(""), text, &root, d->error);
    return d->status == KARP_OK && decode_root(d, root, what) ? root : NULL;
}
