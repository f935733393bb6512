/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A first catalogue of the instance types that the nodes of the input have, for clouds that are not built in. A type
 * has the labels that come from its cloud, the least of what its nodes have, and an offering for each zone and capacity
 * type in which there is a node. Prices are those of the Prices objects that were read.
 */
#include <io/catalogue_read.h>
#include <base/labels.h>
#include <io/prices.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <providers/builtin.h>
#include <providers/others.h>

typedef struct surveying {
    karp_reader *reader;
    trees trees;
    io_table names, places; /* types -> index in `list`; "TYPE ZONE CAPACITY-TYPE" */
    tree *list; /* entries in the full format, with "allocatable" */
    size_t unnamed, unpriced;
} surveying;

static const tree *labels_of(const tree *node) { return tree_get(tree_get(node, "metadata"), "labels"); }

/* Labels of NodePools and users are not the type's. */
static bool is_of_cloud(karp_str key)
{
    const builtin_plugin *one = NULL;
    bool of = str_is(key, LABEL_ARCH) || str_is(key, LABEL_OS) || other_provider_has_label(key);
    for (size_t i = 0; !of && (one = plugin_builtin(i)) != NULL; i++) of = plugin_has_label(one, key);
    return of;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool is_less(karp_str a, karp_str b)
{
    int32_t order = 0;
    return karp_quantity_compare(a, b, &order) == KARP_OK && order < 0;
}

/* Nodes of one type differ a little in memory; a device that is not reported yet is 0. */
static bool is_basic(karp_str resource) { return str_in_list(resource, "cpu memory ephemeral-storage pods"); }

/* Keeps the less of basic resources, and the more of others. */
static void join_amounts(trees *t, tree *into, const tree *amounts)
{
    for (size_t i = 0; tree_is(amounts, TREE_MAP) && i < tree_count(amounts); i++) {
        const tree_member *at = tree_member_at(amounts, i);
        karp_str name = tree_member_name(at), amount = tree_text_or_digits(at->value);
        const tree *known = tree_find_str(into, name);
        karp_str before = tree_text_or_digits(known);
        if (karp_quantity_check(amount) != KARP_OK) continue;
        if (known && (is_basic(name) ? !is_less(amount, before) : !is_less(before, amount))) continue;
        tree_set_named(t, into, name, tree_new_text(t, amount));
    }
}

/* Only labels that all nodes of the type have with one value stay. */
static void join_labels(trees *t, tree *entry, const tree *labels, bool first)
{
    const tree *from = first ? labels : tree_get(entry, "labels");
    tree *kept = tree_new(t, TREE_MAP);
    for (size_t i = 0; tree_is(from, TREE_MAP) && i < tree_count(from); i++) {
        const tree_member *at = tree_member_at(from, i);
        karp_str name = tree_member_name(at);
        const tree *own = tree_find_str(labels, name);
        bool same = tree_is(own, TREE_STRING) && equal_str(tree_text(own), tree_text(at->value));
        if (same && (!first || is_of_cloud(name))) tree_set_named(t, kept, name, at->value);
    }
    tree_set(t, entry, "labels", kept);
}

static bool add_offering(surveying *s, tree *entry, const tree *labels, karp_str type)
{
    trees *t = &s->trees;
    karp_str zone = tree_get_text(labels, LABEL_ZONE), kind = tree_get_text(labels, LABEL_CAPACITY_TYPE);
    if (kind.len == 0) kind = str("on-demand");
    strbuf key = strbuf_on(s->reader->context);
    strbuf_addstr(&key, type);
    strbuf_addc(&key, ' ');
    strbuf_addstr(&key, zone);
    strbuf_addc(&key, ' ');
    strbuf_addstr(&key, kind);
    karp_str text = { key.ptr, key.len };
    bool ok = !key.failed, known = ok && io_table_get(&s->places, text) != IO_NONE;
    if (ok && !known) {
        ok = io_table_put(&s->places, text, 1);
        tree *one = tree_new(t, TREE_MAP);
        tree_set_text(t, one, "zone", zone);
        tree_set_text(t, one, "capacityType", kind);
        tree_set(t, one, "price", tree_new_integer(t, 0));
        tree_append(t, tree_get(entry, "offerings"), one);
    }
    strbuf_free(&key);
    return ok;
}

static bool add_node(surveying *s, const tree *node)
{
    trees *t = &s->trees;
    const tree *labels = labels_of(node), *status = tree_get(node, "status");
    karp_str type = tree_get_text(labels, LABEL_TYPE);
    if (type.len == 0 || !tree_get(status, "allocatable") || !tree_get(labels, LABEL_ZONE)) {
        s->unnamed++;
        return true;
    }
    uint32_t index = io_table_get(&s->names, type);
    bool first = index == IO_NONE;
    tree *entry = first ? tree_new(t, TREE_MAP) : tree_item(s->list, index);
    if (first) {
        if (!io_table_put(&s->names, type, (uint32_t)tree_count(s->list))) return false;
        tree_set_text(t, entry, "name", type);
        tree_set(t, entry, "capacity", tree_new(t, TREE_MAP));
        tree_set(t, entry, "allocatable", tree_new(t, TREE_MAP));
        tree_set(t, entry, "offerings", tree_new(t, TREE_LIST));
        tree_append(t, s->list, entry);
    }
    join_labels(t, entry, labels, first);
    join_amounts(t, tree_get(entry, "capacity"),
                 tree_get(status, tree_get(status, "capacity") ? "capacity" : "allocatable"));
    join_amounts(t, tree_get(entry, "allocatable"), tree_get(status, "allocatable"));
    return add_offering(s, entry, labels, type) && t->status == KARP_OK;
}

/* What is reserved on the node: capacity less allocatable. */
static void set_overhead(trees *t, tree *entry)
{
    const tree *capacity = tree_get(entry, "capacity"), *allocatable = tree_get(entry, "allocatable");
    tree *reserved = tree_get_or_make(t, tree_get_or_make(t, entry, "overhead"), "kubeReserved");
    for (size_t i = 0; i < tree_count(capacity); i++) {
        const tree_member *at = tree_member_at(capacity, i);
        char minus[KARP_VALUE_TEXT] = "-", rest[KARP_VALUE_TEXT];
        karp_str usable = tree_text(tree_find_str(allocatable, tree_member_name(at)));
        str_append(minus, sizeof minus, "%.*s", str_shown(usable, 60), usable.ptr);
        if (usable.len == 0 || karp_quantity_add(tree_text(at->value), str(minus), rest) != KARP_OK) continue;
        if (is_less(str("0"), str(rest)))
            tree_set_named(t, reserved, tree_member_name(at), tree_new_text(t, str(rest)));
    }
    tree_remove(t, entry, "allocatable");
}

/* ---- the catalogue ----------------------------------------------------------------------------------------------- */

static karp_status make_catalogue(surveying *s, karp_catalogue **out)
{
    karp_reader *reader = s->reader;
    const io_place nowhere = { .document = { "", 0 } };
    catalogue_reader types;
    catalogue_reader_init(&types, reader->context, str("nodes"));
    karp_status status = s->trees.status ? io_reader_nomem(reader) : KARP_OK;
    for (size_t i = 0; i < tree_count(s->list) && status == KARP_OK; i++) {
        tree *entry = tree_item(s->list, i);
        set_overhead(&s->trees, entry);
        status = s->trees.status ? io_reader_nomem(reader)
                                 : catalogue_reader_add(&types, entry, &nowhere, &reader->error);
    }
    if (status == KARP_OK) status = catalogue_reader_finish(&types, out, &reader->error);
    catalogue_reader_free(&types);
    return status;
}

static karp_status survey(surveying *s)
{
    karp_reader *reader = s->reader;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE || w->gone || !w->root) continue;
        if (!karp_context_work(reader->context, 4096) || !add_node(s, w->root)) return io_reader_nomem(reader);
    }
    if (tree_count(s->list) > 0) return KARP_OK;
    return fail(&reader->error, KARP_E_NOT_FOUND,
                "no node of the input has the labels " LABEL_TYPE " and " LABEL_ZONE
                " and allocatable amounts: nodes come from "
                "kubectl get nodes -o yaml");
}

static size_t count_unpriced(const karp_catalogue *catalogue)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
        const karp_instance_type *type = karp_catalogue_type(catalogue, i);
        for (size_t k = 0; k < type->offering_count; k++) count += !(type->offerings[k].price > 0);
    }
    return count;
}

static karp_status finish(surveying *s, karp_catalogue **out)
{
    karp_reader *reader = s->reader;
    size_t unpriced = count_unpriced(*out);
    karp_status status = KARP_OK;
    if (s->unnamed > 0)
        status = io_warn(reader,
                         "nodes without an instance type, a zone or allocatable amounts, which are left out: %lu",
                         (unsigned long)s->unnamed);
    if (status || unpriced == 0) return status;
    return io_warn(
        reader, "offerings without a price, which cost nothing: %lu; state prices with --prices, or in the catalogue",
        (unsigned long)unpriced);
}

karp_status karp_reader_nodes_catalogue(karp_reader *reader, karp_catalogue **out, karp_error *error)
{
    if (!reader || !out) return fail_null(error, "reader or out");
    if (reader->finished || reader->failed) {
        fail(&reader->error, KARP_E_STATE, "the reader is finished");
        return error_give(&reader->error, error);
    }
    surveying s = { .reader = reader };
    karp_catalogue *made = NULL;
    trees_init(&s.trees, reader->context);
    io_table_init(&s.names, reader->context);
    io_table_init(&s.places, reader->context);
    s.list = tree_new(&s.trees, TREE_LIST);
    reader->finished = true;
    karp_status status = survey(&s);
    if (status == KARP_OK) status = make_catalogue(&s, &made);
    if (status == KARP_OK) {
        reader->catalogues.count = 0; /* only this one gets the prices */
        status = io_give_catalogue(reader, made, NULL, 0);
    }
    if (status == KARP_OK) status = io_price_catalogues(reader);
    if (status == KARP_OK) {
        *out = karp_catalogue_ref(reader->catalogues.list[0].catalogue);
        status = finish(&s, out);
        if (status) karp_catalogue_unref(*out);
    }
    io_table_free(&s.names);
    io_table_free(&s.places);
    trees_free(&s.trees);
    return status ? error_give(&reader->error, error) : KARP_OK;
}
