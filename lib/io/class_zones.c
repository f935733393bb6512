/* SPDX-License-Identifier: Apache-2.0 */
/* Notes zones that a NodePool lists although its node class has no subnet in them. */
#include <io/notes.h>

#include <base/labels.h>
#include <io/clouds.h>
#include <providers/builtin.h>

static bool has_zone(const tree *subnets, karp_str zone)
{
    for (size_t i = 0; i < tree_count(subnets); i++) {
        if (equal_str(tree_get_text(tree_item(subnets, i), "zone"), zone)) return true;
    }
    return false;
}

enum { ZONES_SHOWN = 100 }; /* characters */

/* "us-west-2a, us-west-2b": each zone of the subnets once, as far as they are shown. */
static void list_zones(strbuf *out, const tree *subnets)
{
    for (size_t i = 0; i < tree_count(subnets) && out->len < ZONES_SHOWN; i++) {
        karp_str zone = tree_get_text(tree_item(subnets, i), "zone");
        if (zone.len == 0 || (out->len > 0 && str_contains((karp_str){ out->ptr, out->len }, zone))) continue;
        if (out->len > 0) strbuf_adds(out, ", ");
        strbuf_addstr(out, zone);
    }
}

static karp_status note_lacking(karp_reader *reader, const io_deferred *pool, const io_deferred *class_,
                                const tree *zones)
{
    const tree *subnets = tree_get(tree_get(class_->root, "status"), "subnets");
    karp_str kind = tree_get_text(class_->root, "kind");
    strbuf lacking = strbuf_on(reader->context);
    strbuf has = strbuf_on(reader->context);
    for (size_t i = 0; i < tree_count(zones) && lacking.len < ZONES_SHOWN; i++) {
        karp_str zone = tree_text(tree_item(zones, i));
        if (has_zone(subnets, zone)) continue;
        if (lacking.len > 0) strbuf_adds(&lacking, ", ");
        strbuf_addstr(&lacking, zone);
    }
    list_zones(&has, subnets);
    karp_status status = lacking.failed || has.failed ? io_reader_nomem(reader) : KARP_OK;
    if (status == KARP_OK && lacking.len > 0)
        status = io_warn(reader,
                         "NodePool %.*s: launches nothing in %.*s: the subnets of %.*s %.*s are in %.*s; remove the "
                         "zones from the NodePool or select subnets there, as topology spreads count them as domains "
                         "without pods",
                         str_shown(pool->name, 64), pool->name.ptr,
                         str_shown((karp_str){ lacking.ptr, lacking.len }, ZONES_SHOWN), lacking.ptr,
                         str_shown(kind, 32), kind.ptr, str_shown(class_->name, 64), class_->name.ptr,
                         str_shown((karp_str){ has.ptr, has.len }, ZONES_SHOWN), has.len ? has.ptr : "");
    strbuf_free(&lacking);
    strbuf_free(&has);
    return status;
}

static bool states_subnets(const io_deferred *w)
{
    return w->info->kind == IO_KIND_NODE_CLASS && w->root && tree_get(tree_get(w->root, "status"), "subnets");
}

/* Zones that pods ask for and that are not assumed, where no node class says which ones there are. */
static karp_status note_asked(karp_reader *reader)
{
    const builtin_plugin *one = NULL;
    karp_status status = KARP_OK;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        if (states_subnets(&reader->deferred[i])) return KARP_OK;
    }
    for (uint32_t c = 0; io_builtin_types(reader) && !reader->clouds.given && (one = plugin_builtin(c)) != NULL; c++) {
        for (size_t i = 0; reader->clouds.list[c].used && i < reader->clouds.asked_zones.count && status == KARP_OK;
             i++) {
            karp_str zone = reader->clouds.asked_zones.list[i];
            size_t region = plugin_region_length(one, zone, true);
            const karp_requirement wanted = {
                .key = str(LABEL_ZONE), .op = KARP_OP_IN, .values = &zone, .value_count = 1
            };
            io_absent absent;
            if (!equal_str((karp_str){ zone.ptr, region }, io_cloud_region(reader, c))) continue;
            status = io_find_absent(reader, &wanted, &absent);
            if (status == KARP_OK && absent.count > 0)
                status = io_warn(reader,
                                 "pods ask for zone %.*s, which is not assumed to be one of the cluster's: no node "
                                 "class has status.subnets, and no NodePool names it (--set zones=%.*s,... does)",
                                 str_shown(zone, 64), zone.ptr, str_shown(zone, 64), zone.ptr);
        }
    }
    return status;
}

karp_status io_class_zones_note(karp_reader *reader)
{
    karp_status status = note_asked(reader);
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && status == KARP_OK; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_POOL || w->gone || w->stated) continue;
        const tree *spec = io_template_spec(w->root);
        const tree *ref = tree_get(spec, "nodeClassRef"), *requirements = tree_get(spec, "requirements");
        const io_deferred *class_ = io_find_deferred(reader, tree_get_text(ref, "kind"), str(""),
                                                     tree_get_text(ref, "name"));
        if (!class_ || !class_->root || tree_count(tree_get(tree_get(class_->root, "status"), "subnets")) == 0)
            continue;
        for (size_t k = 0; k < tree_count(requirements) && status == KARP_OK; k++) {
            const tree *one = tree_item(requirements, k);
            if (str_is(tree_get_text(one, "key"), LABEL_ZONE) && str_is(tree_get_text(one, "operator"), "In"))
                status = note_lacking(reader, w, class_, tree_get(one, "values"));
        }
    }
    return status;
}
