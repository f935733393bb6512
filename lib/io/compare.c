/* SPDX-License-Identifier: Apache-2.0 */
/* In which objects, and in which of their fields, two inputs differ. */
#include <io/reader.h>
#include <io/unused.h>

#include <stdio.h>
#include <string.h>

#include <karp/library.h>

typedef struct comparison {
    karp_context *context;
    const io_kept **a, **b; /* by kind, namespace and name */
    size_t a_count, b_count;
    trees trees; /* of the pair at hand */
    strbuf path;
    karp_str object;
    karp_reader_difference *row;
    void *user;
    karp_status status;
} comparison;

/* Pods follow from what people write, and ReplicaSets too; conditions and states of objects are not theirs either. */
static bool is_compared(const io_kept *k)
{
    static const char *const left_out[] = { "Pod", "ReplicaSet", "Node", "NodeClaim", "Namespace", "CSINode" };
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (str_is(k->kind, left_out[i])) return false;
    }
    return true;
}

static int by_name(const void *x, const void *y, const void *user)
{
    const io_kept *a = *(const io_kept *const *)x, *b = *(const io_kept *const *)y;
    (void)user;
    int order = compare_str(a->kind, b->kind);
    if (order == 0) order = compare_str(a->namespace_, b->namespace_);
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

/* ---- one pair ------------------------------------------------------------------------------------------------------ */

static void tell(comparison *c, const tree *before, const tree *after)
{
    strbuf one, other;
    strbuf_init(&one, c->context);
    strbuf_init(&other, c->context);
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

static const tree *with_key(const tree *list, karp_str key)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        if (equal_str(tree_get_text(tree_item(list, i), "key"), key)) return tree_item(list, i);
    }
    return NULL;
}

/* Whether each element has a `key` of its own, as requirements and taints have. */
static bool is_keyed(const tree *list)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        karp_str key = tree_get_text(tree_item(list, i), "key");
        if (key.len == 0 || with_key(list, key) != tree_item(list, i)) return false;
    }
    return tree_is(list, TREE_LIST);
}

static void walk_keyed(comparison *c, const tree *before, const tree *after)
{
    for (size_t i = 0; i < tree_count(before); i++) {
        karp_str key = tree_get_text(tree_item(before, i), "key");
        walk_at(c, "[", key, "]", tree_item(before, i), with_key(after, key));
    }
    for (size_t i = 0; i < tree_count(after); i++) {
        karp_str key = tree_get_text(tree_item(after, i), "key");
        if (!with_key(before, key)) walk_at(c, "[", key, "]", NULL, tree_item(after, i));
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
    if (tree_is(before, TREE_MAP) && tree_is(after, TREE_MAP)) walk_maps(c, before, after);
    else if (is_keyed(before) && is_keyed(after)) walk_keyed(c, before, after);
    else tell(c, before, after);
}

static tree *parse(comparison *c, const io_kept *k)
{
    static const char *const not_written[] = { "metadata", "status" };
    tree *root = NULL;
    tree_fault fault;
    if (!k) return NULL;
    c->status = tree_parse(&c->trees, k->text, 1000, &root, NULL, &fault);
    for (size_t i = 0; root && i < 2; i++) tree_remove(root, not_written[i]);
    return root;
}

static void compare_pair(comparison *c, const io_kept *before, const io_kept *after)
{
    const io_kept *k = before ? before : after;
    char name[480], space[100], kind[100], only[260];
    if (before && after && equal_str(before->text, after->text)) return;
    str_shorten(kind, sizeof kind, k->kind);
    str_shorten(space, sizeof space, k->namespace_);
    str_shorten(only, sizeof only, k->name);
    (void)snprintf(name, sizeof name, "%s %s%s%s", kind, space, *space ? "/" : "", only);
    c->object = str(name);
    trees_clear(&c->trees);
    const tree *one = parse(c, before);
    const tree *other = c->status ? NULL : parse(c, after);
    if (!c->status) walk(c, one, other);
}

karp_status karp_reader_compare(const karp_reader *before, const karp_reader *after, karp_reader_difference *row,
                                void *user, karp_error *error)
{
    if (!before || !after || !row) return fail_null(error, "before, after or row");
    comparison c = { .context = before->context, .row = row, .user = user };
    trees_init(&c.trees, c.context);
    strbuf_init(&c.path, c.context);
    if (!list_kept(c.context, before, &c.a, &c.a_count) || !list_kept(c.context, after, &c.b, &c.b_count))
        c.status = KARP_E_NOMEM;
    for (size_t i = 0, k = 0; !c.status && (i < c.a_count || k < c.b_count);) {
        int order = i == c.a_count ? 1 : k == c.b_count ? -1 : by_name(&c.a[i], &c.b[k], NULL);
        compare_pair(&c, order <= 0 ? c.a[i] : NULL, order >= 0 ? c.b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    karp_free(c.context, c.a, (before->kept_count + 1) * sizeof *c.a);
    karp_free(c.context, c.b, (after->kept_count + 1) * sizeof *c.b);
    strbuf_free(&c.path);
    trees_free(&c.trees);
    return c.status ? fail_nomem(error) : KARP_OK;
}
