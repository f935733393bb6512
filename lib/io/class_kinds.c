/* SPDX-License-Identifier: Apache-2.0 */
/* Notes NodePools whose nodeClassRef names a kind that its group does not have, or that the input has not. */
#include <io/notes.h>

#include <io/clouds.h>
#include <io/schemas.h>
#include <providers/builtin.h>

static const karp_str nothing = { "", 0 };
static const char classes_of[] = "classes of a group";

const char *io_class_kind_of(karp_str group)
{
    const builtin_plugin *one = NULL;
    for (size_t i = 0; group.len > 0 && (one = plugin_builtin(i)) != NULL; i++) {
        const karp_provider_plugin *p = one->plugin;
        if (p->class_group && str_is(group, p->class_group)) return p->class_kind;
    }
    return NULL;
}

static karp_status note_kind(karp_reader *reader, const io_deferred *w, karp_str group, karp_str kind,
                             const char *meant)
{
    static const char field[] = "spec.template.spec.nodeClassRef.kind";
    io_place at = io_place_of_field(&w->place, w->root, field);
    return io_not_understood_at(reader, &at, "NodePool %.*s: %s: %.*s has no kind %.*s: ignored; did you mean %s?",
                                str_shown(w->name, 64), w->name.ptr, field, str_shown(group, 64), group.ptr,
                                str_shown(kind, 64), kind.ptr, meant);
}

/* Whether the input lacks the class, and has one of that name and group and of another kind, which is noted. */
static karp_status note_other(karp_reader *reader, const io_deferred *w, karp_str group, karp_str kind, karp_str name)
{
    static const char field[] = "spec.template.spec.nodeClassRef";
    io_place at = io_place_of_field(&w->place, w->root, field);
    uint32_t other = io_find(reader, classes_of, group, name);
    const io_deferred *own = io_find_deferred(reader, kind, nothing, name);
    if (other >= reader->deferred_count || reader->deferred[other].gone || (own && !own->gone)) return KARP_OK;
    karp_str has = tree_get_text(reader->deferred[other].root, "kind");
    return io_not_understood_at(reader, &at,
                                "NodePool %.*s: %s: %.*s %.*s is not in the input, which has one of the kind %.*s; "
                                "did you mean %.*s?",
                                str_shown(w->name, 64), w->name.ptr, field, str_shown(kind, 64), kind.ptr,
                                str_shown(name, 64), name.ptr, str_shown(has, 64), has.ptr, str_shown(has, 64),
                                has.ptr);
}

/* With instance types of its own the input may be of any provider, known or not. */
static karp_status note_group(karp_reader *reader, const io_deferred *w, karp_str group, const char *meant)
{
    static const char field[] = "spec.template.spec.nodeClassRef.group";
    io_place at = io_place_of_field(&w->place, w->root, field);
    return io_not_understood_at(reader, &at,
                                "NodePool %.*s: %s: %.*s is the group of no provider that is known; did you mean %s?",
                                str_shown(w->name, 64), w->name.ptr, field, str_shown(group, 64), group.ptr, meant);
}

static karp_status note_pool(karp_reader *reader, const io_deferred *w)
{
    const tree *ref = tree_get(io_template_spec(w->root), "nodeClassRef");
    karp_str group = io_group_of_class(ref), kind = tree_get_text(ref, "kind"), name = tree_get_text(ref, "name");
    const char *meant = io_class_kind_of(group);
    const char *similar = group.len ? io_group_meant(group) : NULL;
    if (similar && !str_is(group, similar)) return note_group(reader, w, group, similar);
    if (group.len == 0 || kind.len == 0) return KARP_OK;
    if (meant) return str_is(kind, meant) ? KARP_OK : note_kind(reader, w, group, kind, meant);
    return note_other(reader, w, group, kind, name);
}

karp_status io_class_kinds_note(karp_reader *reader)
{
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_CLASS || w->gone) continue;
        karp_str group = str_before(tree_get_text(w->root, "apiVersion"), '/');
        if (!io_note_name(reader, str(classes_of), group, w->name, (uint32_t)i)) return io_reader_nomem(reader);
    }
    karp_status status = KARP_OK;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && status == KARP_OK; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind == IO_KIND_NODE_POOL && !w->gone && !w->stated) status = note_pool(reader, w);
    }
    return status;
}
