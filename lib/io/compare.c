/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the objects and fields in which two inputs differ. */
#include <io/notes.h>

#include <stdio.h>

#include <karp/library.h>

typedef struct comparison {
    karp_context *context;
    const io_kept **a, **b; /* sorted by kind, namespace and name */
    size_t a_count, b_count;
    trees trees; /* memory for the current pair */
    strbuf path;
    karp_str object;
    karp_reader_difference *row;
    void *user;
    karp_status status;
    const io_kept *pair[2]; /* the current pair of objects */
    size_t difference_count, count_before; /* number of differences so far, and before the current pair */
    size_t wanted; /* the number of the difference to find; row is NULL then */
    const io_kept *found[2]; /* the pair that contains it … */
    size_t found_at; /* … and its number within the pair */
} comparison;

/* Whether objects of this kind are compared: not pods and ReplicaSets, which follow from what users write, and not
 * nodes and other state of the cluster. */
static bool is_compared(const io_kept *k)
{
    static const char *const left_out[] = { "Pod", "ReplicaSet", "Node", "NodeClaim", "Namespace", "CSINode" };
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (str_is(k->of->kind, left_out[i])) return false;
    }
    return true;
}

static int by_name(const void *x, const void *y, const void *user)
{
    const io_kept *a = *(const io_kept *const *)x, *b = *(const io_kept *const *)y;
    (void)user;
    int order = compare_str(a->of->kind, b->of->kind);
    if (order == 0) order = compare_str(a->of->namespace_, b->of->namespace_);
    return order ? order : compare_str(a->name, b->name);
}

static bool list_kept(karp_context *context, const karp_reader *reader, const io_kept ***out, size_t *count)
{
    const io_kept **list = karp_alloc(context, (reader->kept_count + 1) * sizeof *list);
    *out = list;
    if (!list) return false;
    for (size_t i = 0; i < reader->kept_count; i++) {
        if (is_compared(&reader->kept[i])) list[(*count)++] = &reader->kept[i];
    }
    return sort_stable(context, list, *count, sizeof *list, by_name, NULL);
}

/* ---- comparing one pair ------------------------------------------------------------------------------------------ */

static void add_difference(comparison *c, const tree *before, const tree *after)
{
    if (c->difference_count++ == c->wanted && !c->row) {
        memcpy(c->found, c->pair, sizeof c->found);
        c->found_at = c->difference_count - 1 - c->count_before;
    }
    if (!c->row) return;
    strbuf one = strbuf_on(c->context);
    strbuf other = strbuf_on(c->context);
    if (before) tree_write(&one, before);
    if (after) tree_write(&other, after);
    karp_str field = { c->path.ptr ? c->path.ptr : "", c->path.len };
    if (one.failed || other.failed || c->path.failed) c->status = KARP_E_NOMEM;
    else
        c->row(c->object, field, (karp_str){ one.ptr, before ? one.len : 0 },
               (karp_str){ other.ptr, after ? other.len : 0 }, c->user);
    strbuf_free(&one);
    strbuf_free(&other);
}

static void walk(comparison *c, const tree *before, const tree *after);

static void walk_at(comparison *c, const char *open, karp_str name, const char *close, const tree *before,
                    const tree *after)
{
    size_t length = c->path.len;
    strbuf_adds(&c->path, length || *open == '[' ? open : "");
    strbuf_addstr(&c->path, name);
    strbuf_adds(&c->path, close);
    walk(c, before, after);
    if (!c->path.failed) c->path.len = length;
}

static const tree *with_key(const tree *list, const char *field, karp_str key)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        if (equal_str(tree_get_text(tree_item(list, i), field), key)) return tree_item(list, i);
    }
    return NULL;
}

/* Whether the field tells the elements apart. */
static bool is_keyed(const tree *list, const char *field)
{
    enum { KEYED_MOST = 256 }; /* a longer list is compared as a whole */
    for (size_t i = 0; i < tree_count(list); i++) {
        karp_str key = tree_get_text(tree_item(list, i), field);
        if (key.len == 0 || tree_count(list) > KEYED_MOST || with_key(list, field, key) != tree_item(list, i))
            return false;
    }
    return tree_is(list, TREE_LIST);
}

/* The field by which elements of both lists are compared: `key` of requirements and taints, `name` of containers. NULL
 * = lists are compared as a whole. */
static const char *key_of(const tree *before, const tree *after)
{
    static const char *const fields[] = { "key", "name" };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (is_keyed(before, fields[i]) && is_keyed(after, fields[i])) return fields[i];
    }
    return NULL;
}

static void walk_keyed(comparison *c, const char *field, const tree *before, const tree *after)
{
    for (size_t i = 0; i < tree_count(before); i++) {
        karp_str key = tree_get_text(tree_item(before, i), field);
        walk_at(c, "[", key, "]", tree_item(before, i), with_key(after, field, key));
    }
    for (size_t i = 0; i < tree_count(after); i++) {
        karp_str key = tree_get_text(tree_item(after, i), field);
        if (!with_key(before, field, key)) walk_at(c, "[", key, "]", NULL, tree_item(after, i));
    }
}

static void walk_maps(comparison *c, const tree *before, const tree *after)
{
    for (size_t i = 0; i < tree_count(before); i++) {
        karp_str name = tree_member_name(tree_member_at(before, i));
        walk_at(c, ".", name, "", tree_member_at(before, i)->value, tree_find_str(after, name));
    }
    for (size_t i = 0; i < tree_count(after); i++) {
        karp_str name = tree_member_name(tree_member_at(after, i));
        if (!tree_find_str(before, name)) walk_at(c, ".", name, "", NULL, tree_member_at(after, i)->value);
    }
}

static void walk(comparison *c, const tree *before, const tree *after)
{
    if (c->status || (before && after && tree_equal(before, after))) return;
    const char *field = key_of(before, after);
    if (tree_is(before, TREE_MAP) && tree_is(after, TREE_MAP)) walk_maps(c, before, after);
    else if (field) walk_keyed(c, field, before, after);
    else add_difference(c, before, after);
}

static tree *parse(comparison *c, const io_kept *k)
{
    static const char *const not_written[] = { "metadata", "status" };
    tree *root = NULL;
    tree_fault fault;
    if (!k) return NULL;
    c->status = tree_parse(&c->trees, k->text, 1000, &root, NULL, &fault);
    for (size_t i = 0; root && i < 2; i++) tree_remove(&c->trees, root, not_written[i]);
    return root;
}

static void compare_pair(comparison *c, const io_kept *before, const io_kept *after)
{
    const io_kept *k = before ? before : after;
    char name[480], space[100], kind[100], only[260];
    if (before && after && equal_str(before->text, after->text)) return;
    str_shorten(kind, sizeof kind, k->of->kind);
    str_shorten(space, sizeof space, k->of->namespace_);
    str_shorten(only, sizeof only, k->name);
    (void)snprintf(name, sizeof name, "%s %s%s%s", kind, space, *space ? "/" : "", only);
    c->object = str(name);
    c->pair[0] = before;
    c->pair[1] = after;
    c->count_before = c->difference_count;
    trees_clear(&c->trees);
    const tree *one = parse(c, before);
    const tree *other = c->status ? NULL : parse(c, after);
    if (!c->status) walk(c, one, other);
}

static void compare_all(comparison *c, const karp_reader *before, const karp_reader *after)
{
    trees_init(&c->trees, c->context);
    strbuf_init(&c->path, c->context);
    if (!list_kept(c->context, before, &c->a, &c->a_count) || !list_kept(c->context, after, &c->b, &c->b_count))
        c->status = KARP_E_NOMEM;
    for (size_t i = 0, k = 0; !c->status && (i < c->a_count || k < c->b_count);) {
        int order = i == c->a_count ? 1 : k == c->b_count ? -1 : by_name(&c->a[i], &c->b[k], NULL);
        compare_pair(c, order <= 0 ? c->a[i] : NULL, order >= 0 ? c->b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    karp_free(c->context, c->a, (before->kept_count + 1) * sizeof *c->a);
    karp_free(c->context, c->b, (after->kept_count + 1) * sizeof *c->b);
    strbuf_free(&c->path);
    trees_free(&c->trees);
}

karp_status karp_reader_compare(const karp_reader *before, const karp_reader *after, karp_reader_difference *row,
                                void *user, karp_error *error)
{
    if (!before || !after || !row) return fail_null(error, "before, after or row");
    comparison c = { .context = before->context, .row = row, .user = user };
    compare_all(&c, before, after);
    return c.status ? fail_nomem(error) : KARP_OK;
}

/* ---- one difference alone ---------------------------------------------------------------------------------------- */

/* A copy of `before` in which only the difference with that number, in the order of walk(), is taken from `after`.
 * NULL = there is no such difference. */
static tree *mix(trees *t, const tree *before, const tree *after, size_t *number);

static void add_mixed(trees *t, tree *map, karp_str name, const tree *before, const tree *after, size_t *number)
{
    tree *value = mix(t, before, after, number);
    if (!value) return;
    if (map->type == TREE_LIST) tree_append(t, map, value);
    else tree_set_str(t, map, name, value);
}

static tree *mix_maps(trees *t, const tree *before, const tree *after, size_t *number)
{
    tree *out = tree_new(t, TREE_MAP);
    for (size_t i = 0; i < tree_count(before) && !t->status; i++) {
        karp_str name = tree_member_name(tree_member_at(before, i));
        add_mixed(t, out, name, tree_member_at(before, i)->value, tree_find_str(after, name), number);
    }
    for (size_t i = 0; i < tree_count(after) && !t->status; i++) {
        karp_str name = tree_member_name(tree_member_at(after, i));
        if (!tree_find_str(before, name)) add_mixed(t, out, name, NULL, tree_member_at(after, i)->value, number);
    }
    return out;
}

static tree *mix_keyed(trees *t, const char *field, const tree *before, const tree *after, size_t *number)
{
    tree *out = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < tree_count(before) && !t->status; i++) {
        const tree *one = tree_item(before, i);
        add_mixed(t, out, str(""), one, with_key(after, field, tree_get_text(one, field)), number);
    }
    for (size_t i = 0; i < tree_count(after) && !t->status; i++) {
        const tree *one = tree_item(after, i);
        if (!with_key(before, field, tree_get_text(one, field))) add_mixed(t, out, str(""), NULL, one, number);
    }
    return out;
}

static tree *mix(trees *t, const tree *before, const tree *after, size_t *number)
{
    if (before && after && tree_equal(before, after)) return tree_copy(t, before);
    if (tree_is(before, TREE_MAP) && tree_is(after, TREE_MAP)) return mix_maps(t, before, after, number);
    const char *field = key_of(before, after);
    if (field) return mix_keyed(t, field, before, after, number);
    const tree *taken = (*number)-- == 0 ? after : before;
    return taken ? tree_copy(t, taken) : NULL;
}

static karp_status lay_over(karp_reader *reader, const comparison *c, trees *t)
{
    static const char *const not_compared[] = { "metadata", "status" };
    tree *before = NULL, *after = NULL;
    tree_fault fault;
    strbuf text;
    size_t number = c->found_at;
    karp_status status = tree_parse(t, c->found[0]->text, 1000, &before, NULL, &fault);
    if (!status) status = tree_parse(t, c->found[1]->text, 1000, &after, NULL, &fault);
    if (status) return status;
    for (size_t i = 0; i < 2; i++) {
        tree_remove(t, after, not_compared[i]);
        tree *kept = tree_get(before, not_compared[i]);
        if (kept) tree_set(t, after, not_compared[i], kept);
    }
    tree *mixed = mix(t, before, after, &number);
    if (!mixed || t->status) return KARP_E_NOMEM;
    strbuf_init(&text, reader->context);
    tree_write(&text, mixed);
    status = text.failed ? KARP_E_NOMEM
                         : karp_reader_replace(reader, str("one difference"), (karp_str){ text.ptr, text.len }, NULL);
    strbuf_free(&text);
    return status;
}

/* Applies a difference that is a whole object: one that is added or removed. */
static karp_status lay_whole(karp_reader *reader, const comparison *c)
{
    if (c->found[1]) return karp_reader_replace(reader, str("one difference"), c->found[1]->text, NULL);
    const io_kept *k = c->found[0];
    strbuf name = strbuf_on(reader->context);
    strbuf_addstr(&name, k->of->kind);
    strbuf_addc(&name, '/');
    strbuf_addstr(&name, k->of->namespace_);
    if (k->of->namespace_.len) strbuf_addc(&name, '/');
    strbuf_addstr(&name, k->name);
    karp_status status = name.failed ? KARP_E_NOMEM
                                     : karp_reader_delete(reader, (karp_str){ name.ptr, name.len }, NULL);
    strbuf_free(&name);
    return status;
}

karp_status karp_reader_apply_difference(karp_reader *reader, const karp_reader *before, const karp_reader *after,
                                         size_t number, karp_error *error)
{
    if (!reader || !before || !after) return fail_null(error, "reader, before or after");
    comparison c = { .context = before->context, .wanted = number };
    compare_all(&c, before, after);
    if (c.status) return fail_nomem(error);
    if (c.difference_count <= number)
        return fail(error, KARP_E_NOT_FOUND, "there are only %zu differences", c.difference_count);
    trees t = trees_on(reader->context);
    karp_status status = c.found[0] && c.found[1] ? lay_over(reader, &c, &t) : lay_whole(reader, &c);
    trees_free(&t);
    if (status == KARP_E_NOMEM) return fail_nomem(error);
    return status ? error_give(&reader->error, error) : KARP_OK;
}
