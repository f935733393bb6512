/* SPDX-License-Identifier: Apache-2.0 */
#include <base/nearest.h>
#include <io/clouds.h>
#include <io/cluster_api.h>
#include <providers/builtin.h>
#include <providers/others.h>

static const karp_str nothing = { "", 0 };

/* ---- the caller's choice ----------------------------------------------------------------------------------------- */

/* The last one is the provider that the caller gave, or named by its path. */
static uint32_t given_cloud(const karp_reader *reader) { return reader->clouds.count - 1; }

/* The number of a built-in provider's cloud. */
static uint32_t cloud_of(const builtin_plugin *one) { return one ? plugin_builtin_index(one) : IO_NONE; }

/* The cloud that the caller chose for the whole input. IO_NONE = the input shows its clouds. */
static uint32_t chosen_cloud(const karp_reader *reader)
{
    if (reader->clouds.given) return given_cloud(reader);
    if (reader->options.provider.len == 0) return IO_NONE;
    const builtin_plugin *one = plugin_builtin_named(reader->options.provider);
    return one ? cloud_of(one) : given_cloud(reader);
}

bool io_builtin_types(const karp_reader *reader)
{
    bool wanted = chosen_cloud(reader) != IO_NONE;
    return !reader->catalogues.own && (!reader->catalogues.stated || wanted);
}

void io_clouds_init(karp_reader *reader)
{
    while (plugin_builtin(reader->clouds.count)) reader->clouds.count++;
    reader->clouds.count++;
    for (uint32_t i = 0; i < reader->clouds.count; i++) reader->clouds.list[i].region_rank = UINT32_MAX;
    reader->clouds.region_rank = UINT32_MAX;
}

void io_clouds_free(karp_reader *reader)
{
    for (uint32_t i = 0; i < reader->clouds.count; i++) {
        karp_provider_close(reader->clouds.list[i].provider);
        karp_provider_close(reader->clouds.list[i].checker);
    }
}

static karp_status open_for(karp_reader *reader, uint32_t cloud, karp_str region, const karp_label *zones,
                            karp_provider **out)
{
    const builtin_plugin *builtin = plugin_builtin(cloud);
    karp_label settings[2];
    karp_provider_options options;
    karp_provider_options_init(&options, sizeof options);
    options.region = region;
    options.settings = settings;
    if (zones) settings[options.setting_count++] = *zones;
    if (builtin && builtin->release_1_14 && reader->options.peer_version == KARP_PEER_1_14)
        settings[options.setting_count++] = (karp_label){ str("release"), str(builtin->release_1_14) };
    karp_str name = builtin ? str(builtin->plugin->name) : reader->options.provider;
    return karp_provider_open(reader->context, name, &options, out, &reader->error);
}

bool io_cloud_zones(const karp_reader *reader, uint32_t cloud, karp_str region, strbuf *names)
{
    const builtin_plugin *builtin = plugin_builtin(cloud);
    for (size_t i = 0; builtin && builtin->zones_setting && i < reader->clouds.zones.count; i++) {
        karp_str zone = reader->clouds.zones.list[i];
        if (!equal_str((karp_str){ zone.ptr, plugin_region_length(builtin, zone, true) }, region)) continue;
        strbuf_addc(names, names->len == 0 ? '+' : ',');
        strbuf_addstr(names, zone);
    }
    return !names->failed;
}

/* A cluster whose node classes have no status has at least the zones of its region that the input names. */
static karp_status open_with_zones(karp_reader *reader, uint32_t cloud, karp_str region, karp_provider **out)
{
    const builtin_plugin *builtin = plugin_builtin(cloud);
    if (!builtin || !builtin->zones_setting) return open_for(reader, cloud, region, NULL, out);
    karp_str here = region.len ? region : str(builtin->usual_region);
    strbuf names = strbuf_on(reader->context);
    (void)io_cloud_zones(reader, cloud, here, &names);
    const karp_label setting = { str(builtin->zones_setting), { names.ptr, names.len } };
    karp_status status = names.failed ? io_reader_nomem(reader)
                                      : open_for(reader, cloud, region, names.len ? &setting : NULL, out);
    strbuf_free(&names);
    return status;
}

karp_status io_cloud_open(karp_reader *reader, uint32_t cloud, karp_provider **out)
{
    io_cloud *c = &reader->clouds.list[cloud];
    karp_str region = io_cloud_region(reader, cloud);
    karp_status status = KARP_OK;
    *out = reader->clouds.given;
    if (reader->clouds.given && cloud == given_cloud(reader)) return KARP_OK;
    /* Before the end of the input another object may name the region, or more zones. */
    if (c->provider && (!equal_str(c->opened_for, region) || c->opened_zones != reader->clouds.zones.count)) {
        karp_provider_close(c->provider);
        c->provider = NULL;
    }
    c->opened_for = region;
    c->opened_zones = reader->clouds.zones.count;
    if (!c->provider) status = open_with_zones(reader, cloud, region, &c->provider);
    *out = c->provider;
    return status;
}

karp_status io_cloud_checker(karp_reader *reader, uint32_t cloud, karp_provider **out)
{
    io_cloud *c = &reader->clouds.list[cloud];
    karp_status status = KARP_OK;
    bool given = reader->clouds.given && cloud == given_cloud(reader);
    if (!given && !c->checker) {
        bool chosen = cloud == chosen_cloud(reader);
        status = open_for(reader, cloud, chosen ? reader->options.region : nothing, NULL, &c->checker);
    }
    *out = given ? reader->clouds.given : c->checker;
    return status;
}

karp_status io_clouds_check(karp_reader *reader)
{
    karp_provider *provider = NULL;
    uint32_t chosen = chosen_cloud(reader);
    return chosen == IO_NONE ? KARP_OK : io_cloud_checker(reader, chosen, &provider);
}

karp_status karp_reader_set_provider(karp_reader *reader, karp_provider *provider, karp_error *error)
{
    if (!reader) return fail_null(error, "reader");
    if (reader->finished || reader->failed) {
        fail(&reader->error, KARP_E_STATE, "the reader is finished");
        return error_give(&reader->error, error);
    }
    reader->clouds.given = provider;
    return KARP_OK;
}

/* ---- what the input shows ---------------------------------------------------------------------------------------- */

static void note_sign(karp_reader *reader, io_cloud_sign sign, const builtin_plugin *builtin)
{
    if (builtin) reader->clouds.signs[sign] |= UINT32_C(1) << cloud_of(builtin);
}

static void note_id(karp_reader *reader, karp_str provider_id)
{
    const builtin_plugin *one = NULL;
    for (size_t i = 0; provider_id.len && (one = plugin_builtin(i)) != NULL; i++) {
        if (plugin_has_id(one, provider_id)) note_sign(reader, IO_SIGN_PROVIDER_ID, one);
    }
}

static void note_labels(karp_reader *reader, const tree *labels)
{
    for (size_t i = 0; tree_is(labels, TREE_MAP) && i < tree_count(labels); i++) {
        karp_str key = tree_member_name(tree_member_at(labels, i));
        const builtin_plugin *one = NULL;
        for (size_t k = 0; (one = plugin_builtin(k)) != NULL; k++) {
            if (plugin_has_label(one, key)) note_sign(reader, IO_SIGN_LABEL, one);
        }
    }
}

karp_str io_group_of_class(const tree *ref)
{
    karp_str group = tree_get_text(ref, "group");
    return group.len ? group : str_before(tree_get_text(ref, "apiVersion"), '/'); /* v1beta1 */
}

static const builtin_plugin *plugin_of_reference(const tree *ref)
{
    return plugin_builtin_for_class(io_group_of_class(ref), tree_get_text(ref, "kind"));
}

void io_note_cloud(karp_reader *reader, const io_kind_info *info, const tree *root)
{
    if (info->kind == IO_KIND_NODE) {
        note_id(reader, tree_get_text(tree_get(root, "spec"), "providerID"));
        note_labels(reader, tree_get(tree_get(root, "metadata"), "labels"));
    }
    if (info->kind == IO_KIND_NODE_CLAIM) {
        note_id(reader, tree_get_text(tree_get(root, "status"), "providerID"));
        note_sign(reader, IO_SIGN_REFERENCE, plugin_of_reference(tree_get(tree_get(root, "spec"), "nodeClassRef")));
    }
    if (info->kind == IO_KIND_NODE_POOL)
        note_sign(reader, IO_SIGN_REFERENCE, plugin_of_reference(tree_get(io_template_spec(root), "nodeClassRef")));
    if (info->kind == IO_KIND_NODE_CLASS)
        note_sign(reader, IO_SIGN_CLASS,
                  plugin_builtin_for_class(str_before(tree_get_text(root, "apiVersion"), '/'), nothing));
}

static bool keep_region(karp_reader *reader, karp_str name, uint32_t rank, karp_str *region, uint32_t *known)
{
    if (name.len == 0 || rank >= *known) return true;
    *known = rank;
    *region = io_keep(reader, name);
    return region->ptr != NULL;
}

static bool keep_zone(karp_reader *reader, karp_str zone, io_zones *of)
{
    if (io_table_get(&of->names, zone) != IO_NONE) return true;
    karp_str kept = io_keep(reader, zone);
    if (!kept.ptr || !io_table_put(&of->names, kept, 1) ||
        !grow(reader->context, (void **)&of->list, &of->capacity, of->count + 1, sizeof kept))
        return false;
    of->list[of->count++] = kept;
    return true;
}

bool io_note_region(karp_reader *reader, karp_str place, bool zone, uint32_t rank)
{
    const builtin_plugin *one = NULL;
    bool ok = zone || keep_region(reader, place, rank, &reader->clouds.region, &reader->clouds.region_rank);
    for (uint32_t i = 0; ok && (one = plugin_builtin(i)) != NULL; i++) {
        size_t own = plugin_region_length(one, place, zone);
        io_cloud *c = &reader->clouds.list[i];
        ok = keep_region(reader, (karp_str){ place.ptr, own }, rank, &c->region, &c->region_rank);
        if (ok && zone && own && one->zones_setting && rank <= IO_RANK_POD)
            ok = keep_zone(reader, place, rank < IO_RANK_POD ? &reader->clouds.zones : &reader->clouds.asked_zones);
    }
    return ok;
}

/* ---- the cloud of a NodePool ------------------------------------------------------------------------------------- */

static bool is_one(uint32_t set) { return set && !(set & (set - 1)); }

static uint32_t first_of(uint32_t set)
{
    uint32_t i = 0;
    while (!(set >> i & 1)) i++;
    return i;
}

/* Clouds with regions of that name. */
static uint32_t clouds_with_region(karp_str region)
{
    const builtin_plugin *one = NULL;
    uint32_t set = 0;
    for (uint32_t i = 0; (one = plugin_builtin(i)) != NULL; i++) {
        if (region.len && plugin_region_length(one, region, false)) set |= UINT32_C(1) << i;
    }
    return set;
}

/* The cloud of whatever shows none itself: the first kind of sign that only one cloud has decides. */
static uint32_t main_cloud(const karp_reader *reader)
{
    const karp_str regions[] = { reader->options.region, reader->clouds.region };
    for (size_t i = 0; i < IO_CLOUD_SIGNS; i++) {
        if (is_one(reader->clouds.signs[i])) return first_of(reader->clouds.signs[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        uint32_t set = clouds_with_region(regions[i]);
        if (is_one(set)) return first_of(set);
    }
    return 0;
}

/* The only cloud whose labels are required. IO_NONE = none or several. */
static uint32_t required_cloud(const tree *requirements)
{
    uint32_t set = 0;
    for (size_t i = 0; i < tree_count(requirements); i++) {
        karp_str key = tree_get_text(tree_item(requirements, i), "key");
        const builtin_plugin *one = NULL;
        for (uint32_t k = 0; (one = plugin_builtin(k)) != NULL; k++) {
            if (plugin_has_label(one, key)) set |= UINT32_C(1) << k;
        }
    }
    return is_one(set) ? first_of(set) : IO_NONE;
}

static uint32_t usual_cloud(const karp_reader *reader, const tree *spec)
{
    uint32_t chosen = chosen_cloud(reader);
    if (chosen != IO_NONE) return chosen;
    uint32_t required = required_cloud(tree_get(spec, "requirements"));
    return required == IO_NONE ? main_cloud(reader) : required;
}

static bool names_class(const tree *ref)
{
    return tree_get_text(ref, "group").len || tree_get_text(ref, "kind").len || tree_get_text(ref, "apiVersion").len;
}

uint32_t io_cloud_of_pool(const karp_reader *reader, const io_deferred *pool)
{
    uint32_t chosen = chosen_cloud(reader);
    const tree *spec = io_template_spec(pool->root), *ref = tree_get(spec, "nodeClassRef");
    if (chosen != IO_NONE) return chosen;
    if (!names_class(ref)) return usual_cloud(reader, spec);
    return cloud_of(plugin_of_reference(ref));
}

uint32_t io_cloud_of_class(const karp_reader *reader, karp_str group, karp_str kind)
{
    uint32_t chosen = chosen_cloud(reader);
    if (chosen != IO_NONE) return chosen;
    const builtin_plugin *one = plugin_builtin_for_class(group, kind);
    return one && one->plugin->class_kind ? cloud_of(one) : IO_NONE;
}

void io_usual_class(const karp_reader *reader, const tree *spec, karp_str *group, karp_str *kind)
{
    const builtin_plugin *builtin = plugin_builtin(usual_cloud(reader, spec));
    if (!builtin || !builtin->plugin->class_kind) builtin = plugin_builtin(0);
    *group = str(builtin->plugin->class_group);
    *kind = str(builtin->plugin->class_kind);
}

const char *io_group_meant(karp_str group)
{
    const builtin_plugin *one = NULL;
    nearest near = { .wanted = group, .distance = 2 };
    for (size_t i = 0; (one = plugin_builtin(i)) != NULL; i++) {
        if (one->plugin->class_group) nearest_offer(&near, str(one->plugin->class_group));
        if (one->other_group) nearest_offer(&near, str(one->other_group));
    }
    return near.best.ptr;
}

/* The group that a misspelt one is meant as, or that has the kind. NULL = none is similar. */
static const char *group_meant(karp_str group, karp_str kind)
{
    const builtin_plugin *one = plugin_builtin_for_class(nothing, kind);
    return one ? one->plugin->class_group : io_group_meant(group);
}

#define NOT_BUILT_IN                                                                                                   \
    "is not built in: give its instance types with --catalogue FILE (a first one: karp catalogue --from-nodes -f "     \
    "NODES), or a provider with --provider FILE.so"

static karp_status unknown_cloud(karp_reader *reader, const io_deferred *pool)
{
    const tree *ref = tree_get(io_template_spec(pool->root), "nodeClassRef");
    karp_str group = io_group_of_class(ref), kind = tree_get_text(ref, "kind");
    io_place place = io_place_whole(&pool->place);
    const other_provider *other = other_provider_for_class(group, kind);
    const char *meant = other ? NULL : group_meant(group, kind);
    if (meant)
        (void)io_reader_fail(reader, KARP_E_UNSUPPORTED, &place, "spec.template.spec.nodeClassRef.group",
                             "%.*s is the group of no provider that is known; did you mean %s? Otherwise give its "
                             "instance types with --catalogue FILE, or a provider with --provider FILE.so",
                             str_shown(group, 60), group.len ? group.ptr : "", meant);
    else
        (void)io_reader_fail(reader, KARP_E_UNSUPPORTED, &place, "spec.template.spec.nodeClassRef",
                             "%s (node class of %.*s%s%.*s) " NOT_BUILT_IN, other ? other->cloud : "the provider",
                             str_shown(group, 60), group.len ? group.ptr : "", group.len && kind.len ? ", kind " : "",
                             str_shown(kind, 40), kind.len ? kind.ptr : "");
    io_reader_name(reader, str("NodePool"), nothing, pool->name);
    return KARP_E_UNSUPPORTED;
}

static karp_str provider_id_of(const io_deferred *w)
{
    if (w->info->kind == IO_KIND_NODE) return tree_get_text(tree_get(w->root, "spec"), "providerID");
    return w->info->kind == IO_KIND_NODE_CLAIM ? tree_get_text(tree_get(w->root, "status"), "providerID") : nothing;
}

/* Whether the cloud is that of the input as a whole, which main_cloud() finds. */
static bool takes_main_cloud(const karp_reader *reader, const tree *pool_spec)
{
    return chosen_cloud(reader) == IO_NONE && !names_class(tree_get(pool_spec, "nodeClassRef")) &&
           required_cloud(tree_get(pool_spec, "requirements")) == IO_NONE;
}

/* Refuses nodes of a cloud that is not built in, if nothing shows one that is: it would have another one's types. */
static karp_status refuse_other_nodes(karp_reader *reader)
{
    for (size_t i = 0; i < IO_CLOUD_SIGNS; i++) {
        if (reader->clouds.signs[i]) return KARP_OK;
    }
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        karp_str id = provider_id_of(w);
        const char *cloud = w->gone || id.len == 0 ? NULL : other_cloud_of_id(id);
        if (!cloud) continue;
        io_place place = io_place_whole(&w->place);
        const char *field = w->info->kind == IO_KIND_NODE ? "spec.providerID" : "status.providerID";
        (void)io_reader_fail(reader, KARP_E_UNSUPPORTED, &place, field, "%s (%.*s) " NOT_BUILT_IN, cloud,
                             str_shown(id, 60), id.ptr);
        io_reader_name(reader, str(w->info->name), nothing, w->name);
        return KARP_E_UNSUPPORTED;
    }
    return KARP_OK;
}

karp_status io_settle_clouds(karp_reader *reader)
{
    bool any = false, main = false;
    reader->clouds.cluster_api = false;
    uint32_t of_region = clouds_with_region(reader->options.region), used = 0;
    for (uint32_t i = 0; i < reader->clouds.count; i++) reader->clouds.list[i].used = false;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_POOL || w->gone) continue;
        uint32_t cloud = io_cloud_of_pool(reader, w);
        main = main || takes_main_cloud(reader, io_template_spec(w->root));
        if (cloud == IO_NONE && io_builtin_types(reader)) {
            const tree *ref = tree_get(io_template_spec(w->root), "nodeClassRef");
            if (!io_is_cluster_api(reader, io_group_of_class(ref))) return unknown_cloud(reader, w);
            reader->clouds.cluster_api = any = true;
        }
        if (cloud != IO_NONE) reader->clouds.list[cloud].used = any = true;
    }
    uint32_t chosen = chosen_cloud(reader);
    main = main || (!any && chosen == IO_NONE);
    karp_status refused = main && io_builtin_types(reader) ? refuse_other_nodes(reader) : KARP_OK;
    if (refused) return refused;
    if (!any) reader->clouds.list[chosen != IO_NONE ? chosen : main_cloud(reader)].used = true;
    for (uint32_t i = 0; i < reader->clouds.count; i++) used |= (uint32_t)reader->clouds.list[i].used << i;
    if (is_one(used) || reader->options.region.len == 0 || (of_region & used)) return KARP_OK;
    fail(&reader->error, KARP_E_NOT_FOUND, "none of the input's clouds has a region %.*s",
         str_shown(reader->options.region, 64), reader->options.region.ptr);
    str_shorten(reader->error.field, sizeof reader->error.field, str("region"));
    return KARP_E_NOT_FOUND;
}

karp_status io_clouds_note(karp_reader *reader)
{
    char pools[240] = "";
    size_t count = 0;
    if (!io_builtin_types(reader)) return KARP_OK;
    for (uint32_t cloud = 0; plugin_builtin(cloud); cloud++) {
        const io_deferred *first = NULL;
        for (size_t i = io_other(reader, 0); i < reader->deferred_count && !first; i = io_other(reader, i + 1)) {
            const io_deferred *w = &reader->deferred[i];
            bool own = w->info->kind == IO_KIND_NODE_POOL && !w->gone && io_cloud_of_pool(reader, w) == cloud;
            if (own) first = w;
        }
        if (!first) continue;
        str_append(pools, sizeof pools, "%s%s for NodePool %.*s", count++ ? ", " : "",
                   plugin_builtin(cloud)->plugin->name, str_shown(first->name, 40), first->name.ptr);
    }
    if (count < 2) return KARP_OK;
    return io_warn(reader,
                   "the NodePools are of several clouds (%s): they are planned as one cluster, where pods can be "
                   "placed in any of them; if these are several clusters, plan the files of each by themselves",
                   pools);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Whether the input has several clouds, so that a region may be that of another one. */
static bool has_several(const karp_reader *reader)
{
    uint32_t set = reader->clouds.signs[IO_SIGN_PROVIDER_ID];
    for (uint32_t i = 0; i < reader->clouds.count; i++) set |= (uint32_t)reader->clouds.list[i].used << i;
    return set && !is_one(set);
}

static bool callers_region(const karp_reader *reader, uint32_t cloud)
{
    if (reader->options.region.len == 0) return false;
    return !has_several(reader) || (clouds_with_region(reader->options.region) >> cloud & 1);
}

karp_str io_cloud_region(const karp_reader *reader, uint32_t cloud)
{
    const io_cloud *c = &reader->clouds.list[cloud];
    if (callers_region(reader, cloud)) return reader->options.region;
    /* A region that is not named like the cloud's own is refused later, because the provider does not know it. */
    bool own = has_several(reader) || c->region_rank <= reader->clouds.region_rank;
    karp_str region = own ? c->region : reader->clouds.region;
    return region.len ? region : nothing;
}

bool io_region_is_stated(const karp_reader *reader, uint32_t cloud)
{
    bool given = reader->clouds.given && cloud == given_cloud(reader);
    return !given && !callers_region(reader, cloud) && io_cloud_region(reader, cloud).len > 0;
}
