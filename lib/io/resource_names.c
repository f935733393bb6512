/* SPDX-License-Identifier: Apache-2.0 */
/* Notes resources that pods request and no instance type or node has, if one that they have has a similar name. */
#include <io/fill.h>
#include <io/notes.h>

#include <karp/inspect.h>

/* That all nodes have. */
static const char *const own[] = { "cpu", "memory", "ephemeral-storage", "pods", "storage" };
enum { OWN = sizeof own / sizeof own[0] };

typedef struct names {
    karp_reader *reader;
    io_table had, noted;
    const io_deferred *w;
    nearest *near; /* NULL = the names are collected */
    bool collected, ok;
} names;

static void take(names *n, karp_str name)
{
    if (n->near) nearest_offer(n->near, name);
    else n->ok = n->ok && (io_table_get(&n->had, name) != IO_NONE || io_table_put(&n->had, name, 1));
}

/* Names of what types and nodes have. */
static void take_all(names *n)
{
    const karp_reader *reader = n->reader;
    for (size_t i = 0; i < OWN; i++) take(n, str(own[i]));
    for (size_t c = 0; c < reader->catalogues.count; c++) {
        const karp_catalogue *catalogue = reader->catalogues.list[c].catalogue;
        for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
            const karp_instance_type *type = karp_catalogue_type(catalogue, i);
            for (size_t k = 0; k < type->capacity_count; k++) take(n, type->capacity[k].name);
        }
    }
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        const tree *capacity = w->root && w->info->kind == IO_KIND_NODE
                                   ? tree_get(tree_get(w->root, "status"), "capacity")
                                   : NULL;
        for (size_t k = 0; tree_is(capacity, TREE_MAP) && k < tree_count(capacity); k++)
            take(n, tree_member_name(tree_member_at(capacity, k)));
    }
}

static karp_status look_at(names *n, karp_str name)
{
    char meant[MEANT];
    if (str_in_words(name, own, OWN)) return KARP_OK;
    if (!n->collected) take_all(n);
    n->collected = true;
    if (!n->ok) return io_reader_nomem(n->reader);
    if (str_starts(name, "hugepages-") || io_table_get(&n->had, name) != IO_NONE ||
        io_table_get(&n->noted, name) != IO_NONE)
        return KARP_OK;
    if (!io_table_put(&n->noted, name, 1)) return io_reader_nomem(n->reader);
    nearest near = nearest_to(name);
    n->near = &near;
    take_all(n);
    n->near = NULL;
    if (!near.best.ptr) return KARP_OK;
    return io_warn(n->reader, "%s %.*s/%.*s: no instance type has the resource %.*s%s", n->w->info->name,
                   str_shown(n->w->namespace_, 64), n->w->namespace_.ptr, str_shown(n->w->name, 100), n->w->name.ptr,
                   str_shown(name, 100), name.ptr, io_meant(&near, meant));
}

static karp_status look_at_containers(names *n, const tree *list)
{
    static const char *const parts[] = { "requests", "limits" };
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *resources = tree_get(tree_item(list, i), "resources");
        for (size_t p = 0; p < 2; p++) {
            const tree *amounts = tree_get(resources, parts[p]);
            for (size_t k = 0; tree_is(amounts, TREE_MAP) && k < tree_count(amounts) && status == KARP_OK; k++)
                status = look_at(n, tree_member_name(tree_member_at(amounts, k)));
        }
    }
    return status;
}

/* The spec of the object's pods; NULL = it has none, or an operator makes it. */
static const tree *pods_of(const io_deferred *w)
{
    const tree *spec = w->root ? tree_get(w->root, "spec") : NULL;
    if (w->info->kind != IO_KIND_POD && !io_is_workload(w->info->kind)) return NULL;
    if (io_is_stated(tree_get(w->root, "metadata"), "resourceVersion")) return NULL; /* of a cluster */
    if (w->info->kind == IO_KIND_POD) return spec;
    return io_template_spec(w->root);
}

karp_status io_resources_note(karp_reader *reader)
{
    names n = { .reader = reader, .ok = true };
    karp_status status = KARP_OK;
    if (reader->options.no_lint_notes) return KARP_OK;
    io_table_init(&n.had, reader->context);
    io_table_init(&n.noted, reader->context);
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
        n.w = &reader->deferred[i];
        const tree *spec = n.w->gone || n.w->stated ? NULL : pods_of(n.w);
        status = look_at_containers(&n, tree_get(spec, "containers"));
        if (status == KARP_OK) status = look_at_containers(&n, tree_get(spec, "initContainers"));
    }
    io_table_free(&n.had);
    io_table_free(&n.noted);
    return status;
}
