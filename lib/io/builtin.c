/* SPDX-License-Identifier: Apache-2.0 */
#include <io/builtin.h>
#include <io/clouds.h>
#include <io/cluster_api.h>
#include <io/convert.h>
#include <io/notes.h>
#include <io/prices.h>
#include <providers/builtin.h>
#include <providers/provider.h>

#include <karp/inspect.h>
#include <karp/library.h>

static const karp_str nothing = { "", 0 };

/* ---- node classes ------------------------------------------------------------------------------------------------ */

void io_complete_from_base(const karp_reader *reader, trees *t, const io_kind_info *info, tree *root)
{
    if (info->kind != IO_KIND_NODE_CLASS) return;
    karp_str base = tree_get_text(tree_get(tree_get(root, "metadata"), "annotations"), IO_BASE_CLASS);
    if (base.len == 0) return;
    io_complete_class(t, root, io_find_tree(reader, tree_get_text(root, "kind"), nothing, base));
}

/* An error of the provider is given the position of the field that it names. */
static karp_status read_class(karp_reader *reader, karp_provider *provider, const tree *root, const io_place *place,
                              karp_provider_class **out)
{
    karp_status status = provider_class_of_tree(provider, place->document, root, out, &reader->error);
    if (status == KARP_OK || status == KARP_E_NOMEM) return status;
    io_place at = io_place_of_field(place, root, reader->error.field);
    io_error_place(&reader->error, &at);
    io_reader_name(reader, tree_get_text(root, "kind"), nothing, tree_get_text(tree_get(root, "metadata"), "name"));
    return status;
}

static bool is_class_of(const karp_provider *provider, karp_str group, karp_str kind)
{
    return karp_provider_class_kind(provider).len && equal_str(kind, karp_provider_class_kind(provider)) &&
           equal_str(group, karp_provider_class_group(provider));
}

karp_status io_check_node_class(karp_reader *reader, const tree *root, const io_place *place)
{
    karp_provider *provider = NULL;
    karp_provider_class *class_ = NULL;
    karp_str group = str_before(tree_get_text(root, "apiVersion"), '/'), kind = tree_get_text(root, "kind");
    uint32_t cloud = io_cloud_of_class(reader, group, kind);
    if (cloud == IO_NONE || !io_builtin_types(reader)) return KARP_OK;
    karp_status status = io_cloud_checker(reader, cloud, &provider);
    if (status == KARP_OK && is_class_of(provider, group, kind))
        status = read_class(reader, provider, root, place, &class_);
    karp_provider_class_free(class_);
    return status;
}

karp_status io_read_node_class(karp_reader *reader, karp_provider *provider, uint32_t number, karp_provider_class **out)
{
    const io_deferred *w = &reader->deferred[number];
    io_place place = io_place_whole(&w->place); /* parts of it may be its base class's */
    trees_clear(&reader->passing);
    tree *root = tree_deep_copy(&reader->passing, w->root, false);
    io_complete_from_base(reader, &reader->passing, w->info, root);
    if (reader->passing.status) return io_reader_nomem(reader);
    return read_class(reader, provider, root, &place, out);
}

/* ---- the instance types of each pool ----------------------------------------------------------------------------- */

/* A node class, and the pools that use it or an equal one. */
typedef struct class_use {
    karp_provider_class *class_; /* NULL = the provider's defaults */
    karp_str *pools;
    size_t pool_count;
} class_use;

/* Those of one cloud. */
typedef struct class_uses {
    karp_reader *reader;
    uint32_t cloud;
    karp_provider *provider;
    arena arena;
    io_table names; /* node class names -> index in list */
    class_use **list;
    size_t count;
} class_uses;

/* Warns about a class without subnets in the region. EC2's zone names begin with the region's name. */
static karp_status check_region(class_uses *u, uint32_t number, karp_str name)
{
    karp_reader *reader = u->reader;
    karp_str region = io_cloud_region(reader, u->cloud), kind = karp_provider_class_kind(u->provider);
    if (reader->clouds.given || region.len == 0) return KARP_OK;
    const tree *subnets = tree_get(tree_get(reader->deferred[number].root, "status"), "subnets");
    bool found = tree_count(subnets) == 0;
    for (size_t i = 0; i < tree_count(subnets) && !found; i++) {
        karp_str zone = tree_get_text(tree_item(subnets, i), "zone");
        found = zone.len > region.len && str_has_prefix(zone, region);
    }
    if (found) return KARP_OK;
    return io_warn(reader, "%.*s %.*s: none of its subnets is in %.*s", str_shown(kind, 100), kind.ptr,
                   str_shown(name, 100), name.ptr, str_shown(region, 100), region.ptr);
}

/* Pools with another cloud's node class get the default instance types of the provider that was named for all. */
static karp_status warn_foreign(class_uses *u, karp_str pool, karp_str kind)
{
    karp_str own = karp_provider_class_kind(u->provider);
    if (own.len == 0) return KARP_OK;
    return io_warn(
        u->reader,
        "NodePool %.*s: its nodeClassRef is of kind %.*s, not %.*s: its instance types are the provider's defaults",
        str_shown(pool, 100), pool.ptr, str_shown(kind, 100), kind.len ? kind.ptr : "", str_shown(own, 100), own.ptr);
}

static karp_status warn_absent(class_uses *u, karp_str name)
{
    const builtin_plugin *builtin = plugin_builtin(u->cloud);
    karp_str own = karp_provider_class_kind(u->provider);
    if (own.len == 0) return KARP_OK;
    return io_warn_once(
        u->reader, "%.*s %.*s is not in the input: %s", str_shown(own, 100), own.ptr, str_shown(name, 100), name.ptr,
        builtin && builtin->usual_class ? builtin->usual_class : "the provider's default settings are assumed");
}

/* Whether the class is one of those that the provider does not read, but has the types of. */
static bool is_unread_class(const class_uses *u, karp_str group)
{
    const builtin_plugin *builtin = plugin_builtin(u->cloud);
    return builtin && builtin->other_group && str_is(group, builtin->other_group);
}

/* Reads the class of that name. NULL, with a note, when the input does not have it. */
static karp_status find_class(class_uses *u, karp_str pool, const tree *ref, karp_str name, karp_provider_class **out)
{
    karp_reader *reader = u->reader;
    karp_str group = io_group_of_class(ref), kind = karp_provider_class_kind(u->provider);
    *out = NULL;
    if (is_unread_class(u, group)) return KARP_OK;
    if (group.len && !equal_str(group, karp_provider_class_group(u->provider)))
        return warn_foreign(u, pool, tree_get_text(ref, "kind"));
    uint32_t number = kind.len ? io_find(reader, kind.ptr, nothing, name) : IO_NONE;
    if (number >= reader->deferred_count) return warn_absent(u, name);
    karp_status status = io_read_node_class(reader, u->provider, number, out);
    return status ? status : check_region(u, number, name);
}

/* Finds the class in the list, or appends it if there is no equal one. Takes ownership of the class, also on
 * failure. */
static karp_status use_class(class_uses *u, karp_provider_class *class_, size_t room, size_t *index)
{
    for (*index = 0; *index < u->count; ++*index) {
        if (!karp_provider_class_equal(u->provider, u->list[*index]->class_, class_)) continue;
        karp_provider_class_free(class_);
        return KARP_OK;
    }
    class_use *use = arena_array(&u->arena, 1, sizeof *use);
    if (use) use->pools = arena_array(&u->arena, room, sizeof *use->pools);
    if (!use || !use->pools) {
        karp_provider_class_free(class_);
        return io_reader_nomem(u->reader);
    }
    use->class_ = class_;
    u->list[u->count++] = use;
    return KARP_OK;
}

static karp_status add_pool(class_uses *u, const io_deferred *w, size_t room)
{
    karp_reader *reader = u->reader;
    const tree *ref = tree_get(io_template_spec(w->root), "nodeClassRef");
    karp_str group = io_group_of_class(ref), name = tree_get_text(ref, "name");
    bool foreign = group.len && !equal_str(group, karp_provider_class_group(u->provider));
    if (name.len == 0) name = str("default");
    uint32_t known = foreign ? IO_NONE : io_table_get(&u->names, name);
    size_t index = known;
    karp_status status = KARP_OK;
    if (known == IO_NONE) {
        karp_provider_class *class_ = NULL;
        status = find_class(u, w->name, ref, name, &class_);
        if (status == KARP_OK) status = use_class(u, class_, room, &index);
        else karp_provider_class_free(class_);
        if (status == KARP_OK && !foreign && !io_table_put(&u->names, name, (uint32_t)index))
            status = io_reader_nomem(reader);
    }
    if (status == KARP_OK) u->list[index]->pools[u->list[index]->pool_count++] = w->name;
    return status;
}

static int compare_names(const void *a, const void *b, const void *user)
{
    (void)user;
    const io_deferred *const *x = a, *const *y = b;
    return compare_str((*x)->name, (*y)->name);
}

static bool is_pool_of(const class_uses *u, const io_deferred *w)
{
    return w->info->kind == IO_KIND_NODE_POOL && !w->gone && io_cloud_of_pool(u->reader, w) == u->cloud;
}

/* Adds the cloud's pools by name, so that the result does not depend on the order of the input. */
static karp_status add_pools(class_uses *u)
{
    karp_reader *reader = u->reader;
    const io_deferred **pools = arena_array(&u->arena, reader->deferred_count, sizeof *pools);
    size_t count = 0;
    if (!pools) return io_reader_nomem(reader);
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        if (is_pool_of(u, &reader->deferred[i])) pools[count++] = &reader->deferred[i];
    }
    u->list = arena_array(&u->arena, count + 1, sizeof *u->list);
    if (!u->list || !sort_stable(reader->context, pools, count, sizeof *pools, compare_names, NULL))
        return io_reader_nomem(reader);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = add_pool(u, pools[i], count);
    if (status == KARP_OK && count == 0) {
        size_t index;
        status = use_class(u, NULL, 1, &index);
    }
    return status;
}

/* The error names the field, so that callers can find out which option is missing. */
static karp_status region_unknown(class_uses *u)
{
    karp_reader *reader = u->reader;
    karp_str region = io_cloud_region(reader, u->cloud), cloud = karp_provider_name(u->provider);
    karp_provider_facts_info info = { .size = sizeof info };
    karp_provider_memory *memory = NULL;
    karp_status status = karp_provider_memory_new(reader->context, &memory, &reader->error);
    if (status) return status;
    if (karp_provider_get_facts_info(u->provider, memory, &info, NULL)) info.built_in = nothing;
    fail(&reader->error, KARP_E_NOT_FOUND,
         "no instance types of %.*s are built in for %.*s, which the input names (built in: %.*s)",
         str_shown(cloud, 40), cloud.ptr, str_shown(region, 64), region.ptr, str_shown(info.built_in, 160),
         info.built_in.ptr);
    str_shorten(reader->error.field, sizeof reader->error.field, str("region"));
    karp_provider_memory_free(memory);
    return KARP_E_NOT_FOUND;
}

/* `types` counts those of all clouds; `alone` = no other cloud is used. */
static karp_status give_types(class_uses *u, const class_use *use, bool alone, uint64_t *types)
{
    karp_reader *reader = u->reader;
    karp_catalogue *catalogue = NULL;
    /* The builder has the same limit, but checks it only after all types are created. */
    if (*types > karp_context_get_options(reader->context)->max_instance_types) {
        fail(&reader->error, KARP_E_LIMIT, "%zu node classes that differ make more instance types than the limit",
             u->count);
        return KARP_E_LIMIT;
    }
    karp_provider_set_gates(u->provider, reader->gates.on);
    karp_status status = karp_provider_catalogue(u->provider, use->class_, &catalogue, &reader->error);
    if (status == KARP_E_NOT_FOUND && io_region_is_stated(reader, u->cloud)) return region_unknown(u);
    if (status) return status;
    *types += karp_catalogue_count(catalogue);
    status = alone ? KARP_OK : io_deny_labels(reader, u->cloud, &catalogue);
    if (status) {
        karp_catalogue_unref(catalogue);
        return status;
    }
    /* A single catalogue also serves nodes of pools that are not in the input. */
    return io_give_catalogue(reader, catalogue, use->pools, alone && u->count == 1 ? 0 : use->pool_count);
}

static karp_status give_cloud(karp_reader *reader, uint32_t cloud, bool alone, uint64_t *types)
{
    class_uses u;
    memset(&u, 0, sizeof u);
    u.reader = reader;
    u.cloud = cloud;
    karp_status status = io_cloud_open(reader, cloud, &u.provider);
    if (status) return status;
    arena_init(&u.arena, reader->context);
    io_table_init(&u.names, reader->context);
    status = add_pools(&u);
    for (size_t i = 0; i < u.count && status == KARP_OK; i++) status = give_types(&u, u.list[i], alone, types);
    for (size_t i = 0; i < u.count; i++) karp_provider_class_free(u.list[i]->class_);
    io_table_free(&u.names);
    arena_free(&u.arena);
    return status;
}

static karp_status give_builtin(karp_reader *reader)
{
    karp_status status = KARP_OK;
    uint64_t types = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < reader->clouds.count; i++) used += reader->clouds.list[i].used;
    for (uint32_t i = 0; i < reader->clouds.count && status == KARP_OK; i++) {
        if (reader->clouds.list[i].used)
            status = give_cloud(reader, i, used == 1 && !reader->clouds.cluster_api, &types);
    }
    return status || !reader->clouds.cluster_api ? status : io_give_cluster_api(reader);
}

karp_status io_settle_catalogues(karp_reader *reader)
{
    karp_status status = io_builtin_types(reader) ? give_builtin(reader) : KARP_OK;
    io_settle_prices(reader);
    /* The effect of commitments depends on the nodes and pods, which are not known yet. */
    return status || reader->catalogues.commits ? status : io_price_catalogues(reader);
}

karp_status io_give_catalogues(karp_reader *reader)
{
    karp_status status = reader->catalogues.commits ? io_price_catalogues(reader) : KARP_OK;
    if (status == KARP_OK) status = io_take_away_offerings(reader);
    for (size_t i = 0; i < reader->catalogues.count && status == KARP_OK; i++) {
        const io_given_catalogue *given = &reader->catalogues.list[i];
        status = karp_builder_add_catalogue(reader->builder, given->catalogue, given->pools, given->pool_count,
                                            &reader->error);
    }
    return status;
}
