/* SPDX-License-Identifier: Apache-2.0 */
/* NodePools of another region of their cloud than the one whose types and prices are used. */
#include <io/clouds.h>
#include <io/notes.h>

#include <base/labels.h>
#include <providers/builtin.h>

/* The region of all values of the requirement, if they are in one; "" = unknown. */
static karp_str region_of(const tree *requirement, uint32_t cloud)
{
    const tree *values = tree_get(requirement, "values");
    bool zone = str_is(tree_get_text(requirement, "key"), LABEL_ZONE);
    karp_str found = { "", 0 };
    for (size_t i = 0; i < tree_count(values); i++) {
        karp_str value = tree_text(tree_item(values, i));
        size_t length = zone ? plugin_region_length(plugin_builtin(cloud), value, true) : value.len;
        karp_str region = { value.ptr, length };
        if (length == 0 || (i > 0 && !equal_str(region, found))) return (karp_str){ "", 0 };
        found = region;
    }
    return found;
}

static karp_status look_at(karp_reader *reader, const io_deferred *w, uint32_t cloud, karp_str used)
{
    const tree *list = tree_get(io_template_spec(w->root), "requirements");
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        karp_str key = tree_get_text(one, "key"), region = { "", 0 };
        bool place = str_is(key, LABEL_ZONE) || str_is(key, "topology.kubernetes.io/region");
        if (place && str_is(tree_get_text(one, "operator"), "In")) region = region_of(one, cloud);
        if (region.len == 0 || equal_str(region, used)) continue;
        return io_not_understood(reader,
                                 "NodePool %.*s is in region %.*s (%.*s), and the types and prices of %.*s are used: "
                                 "plan the files of each region by themselves",
                                 str_shown(w->name, 100), w->name.ptr, str_shown(region, 60), region.ptr,
                                 str_shown(key, 64), key.ptr, str_shown(used, 60), used.ptr);
    }
    return KARP_OK;
}

karp_status io_regions_note(karp_reader *reader)
{
    karp_status status = KARP_OK;
    if (!io_builtin_types(reader)) return KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (!w->root || w->gone || w->stated || w->info->kind != IO_KIND_NODE_POOL) continue;
        uint32_t cloud = io_cloud_of_pool(reader, w);
        if (!plugin_builtin(cloud) || !io_region_is_stated(reader, cloud)) continue;
        status = look_at(reader, w, cloud, io_cloud_region(reader, cloud));
    }
    return status;
}
