/* SPDX-License-Identifier: Apache-2.0 */
/* Notes zones that a NodePool lists although its node class has no subnet in them. */
#include <io/notes.h>

#include <base/labels.h>

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
                         "zones from the NodePool or select subnets there",
                         str_shown(pool->name, 64), pool->name.ptr,
                         str_shown((karp_str){ lacking.ptr, lacking.len }, ZONES_SHOWN), lacking.ptr,
                         str_shown(kind, 32), kind.ptr, str_shown(class_->name, 64), class_->name.ptr,
                         str_shown((karp_str){ has.ptr, has.len }, ZONES_SHOWN), has.len ? has.ptr : "");
    strbuf_free(&lacking);
    strbuf_free(&has);
    return status;
}

karp_status io_class_zones_note(karp_reader *reader)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
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
