/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode_fields.h>
#include <io/notes.h>

#include <io/previews.h>
#include <io/schemas.h>

/* Nobody reads more notes; a generated file may have thousands. */
enum { MOST_NOTES = 50 };

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

typedef struct walk {
    karp_reader *reader;
    karp_str kind;
    const tree *root;
    const io_place *place;
    const char *beside; /* of an io_pod_kind */
    io_step path[IO_PATH_MOST];
    size_t depth;
    karp_status status;
} walk;

/* The path keeps its first steps. */
static void enter(walk *w, io_step step)
{
    if (w->depth < IO_PATH_MOST) w->path[w->depth] = step;
    w->depth++;
}

static size_t path_length(const walk *w) { return w->depth < IO_PATH_MOST ? w->depth : IO_PATH_MOST; }

/* Whether this field of this kind is noted for the first time. List indices are ignored. */
static bool first_time(walk *w)
{
    char field[sizeof((karp_error *)0)->field], names[sizeof field];
    io_step steps[IO_PATH_MOST];
    size_t n = 0;
    for (size_t i = 0; i < path_length(w); i++) {
        if (w->path[i].name) steps[n++] = w->path[i];
    }
    io_path_text(steps, n, names, sizeof names);
    if (io_find(w->reader, "unknown field", w->kind, str(names)) != IO_NONE) return false;
    if (!io_note_name(w->reader, str("unknown field"), w->kind, str(names), 1)) {
        w->status = io_reader_nomem(w->reader);
        return false;
    }
    return true;
}

static const char *article(karp_str kind) { return kind.len && strchr("AEIO", kind.ptr[0]) ? "an" : "a"; }

/* `hint`: what to do about it, or which field may be meant. */
static void note(walk *w, const char *hint)
{
    char field[sizeof((karp_error *)0)->field], shown[64];
    io_place at = *w->place;
    if (w->reader->told.unknown_fields == MOST_NOTES || !first_time(w)) return;
    if (++w->reader->told.unknown_fields == MOST_NOTES) {
        w->status = io_warn(w->reader, "further unknown fields are not listed");
        return;
    }
    io_path_text(w->path, path_length(w), field, sizeof field);
    io_place_refine(&at, w->root, w->path, path_length(w));
    str_shorten(shown, sizeof shown, tree_get_text(tree_get(w->root, "metadata"), "name"));
    karp_str kind = w->kind;
    kind.len = (size_t)str_shown(kind, 100);
    w->status = io_not_understood_at(w->reader, &at, "%.*s %s: %s %.*s has no field %s: ignored%s", (int)kind.len,
                                     kind.ptr, shown, article(kind), (int)kind.len, kind.ptr, field, hint);
}

static void note_unknown(walk *w, const record *s, karp_str name)
{
    karp_str known;
    char meant[MEANT];
    nearest near = nearest_to(name);
    for (size_t i = 0; i < s->count; i++) nearest_offer(&near, str(s->fields[i].name));
    for (size_t next = 0; (known = record_known(s, &next)).len > 0;) nearest_offer(&near, known);
    note(w, io_meant(&near, meant));
}

static void walk_value(walk *w, const record *s, const tree *value);

static void walk_object(walk *w, const record *s, const tree *object)
{
    for (size_t i = 0; i < tree_count(object) && w->status == KARP_OK; i++) {
        const tree_member *member = tree_member_at(object, i);
        karp_str name = tree_member_name(member);
        const record *inner;
        enter(w, (io_step){ name.len ? name.ptr : "", name.len });
        if (s == &io_pod_spec_record && w->beside && str_in_list(name, w->beside)) inner = NULL;
        else if (!record_knows(s, member, &inner)) note_unknown(w, s, name);
        else if (inner) walk_value(w, inner, member->value);
        w->depth--;
    }
}

static void walk_value(walk *w, const record *s, const tree *value)
{
    if (tree_is(value, TREE_MAP)) walk_object(w, s, value);
    for (size_t i = 0; tree_is(value, TREE_LIST) && i < tree_count(value) && w->status == KARP_OK; i++) {
        const tree *element = tree_item(value, i);
        enter(w, (io_step){ NULL, i });
        if (tree_is(element, TREE_MAP)) walk_object(w, s, element);
        w->depth--;
    }
}

/* ---- kinds whose operators create pods: their fields are not listed ---------------------------------------------- */

static void walk_template(io_decoder *d, const io_found_template *found, void *user)
{
    walk *w = user;
    memcpy(w->path, d->path, sizeof w->path);
    w->depth = d->depth;
    /* Anything else is no template, which is told elsewhere. */
    if (tree_get(found->template_, "spec")) walk_value(w, &io_template_record, found->template_);
    else if (tree_get(found->template_, "containers")) walk_value(w, &io_pod_spec_record, found->template_);
}

/* A member that is nearly one of the rule's path, which the object lacks. */
static void walk_path(walk *w, const tree *at, const char *path)
{
    size_t length = strcspn(path + 1, "/");
    karp_str name = { path + 1, length };
    if (tree_is_null(at) || w->status) return;
    if (str_is(name, "*")) {
        for (size_t i = 0; i < tree_count(at); i++) {
            const tree_member *m = tree_is(at, TREE_MAP) ? tree_member_at(at, i) : NULL;
            karp_str key = m ? tree_member_name(m) : (karp_str){ NULL, i };
            enter(w, (io_step){ key.ptr, key.len });
            if (path[1 + length]) walk_path(w, m ? m->value : tree_item(at, i), path + 1 + length);
            w->depth--;
        }
        return;
    }
    const tree *value = tree_find_str(at, name);
    nearest near = nearest_to(name);
    for (size_t i = 0; !value && tree_is(at, TREE_MAP) && i < tree_count(at); i++)
        nearest_offer(&near, tree_member_name(tree_member_at(at, i)));
    karp_str meant = value ? name : near.best;
    if (meant.len == 0) return;
    enter(w, (io_step){ meant.ptr, meant.len });
    if (!value) {
        char text[MEANT];
        near.best = name;
        note(w, io_meant(&near, text));
    } else if (path[1 + length]) walk_path(w, value, path + 1 + length);
    w->depth--;
}

static void walk_operated(walk *w, const io_pod_kind *kind)
{
    io_decoder d;
    io_decoder_init(&d, &w->reader->scratch);
    w->beside = kind->beside;
    for (size_t i = 0; i < IO_POD_PLACES && kind->places[i].template_ && w->status == KARP_OK; i++) {
        const io_pod_place *place = &kind->places[i];
        io_find_templates(&d, w->root, place, walk_template, w);
        w->depth = 0;
        walk_path(w, w->root, place->template_);
        if (place->count) walk_path(w, w->root, place->count);
    }
    if (d.status == KARP_E_NOMEM) w->status = io_reader_nomem(w->reader);
}

karp_status io_note_fields(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    karp_str kind = tree_get_text(root, "kind"), group = str_before(tree_get_text(root, "apiVersion"), '/');
    const record *s = info->kind == IO_KIND_NODE_CLASS ? io_schema_of_class(group, kind) : io_schema_of(info);
    if (info->kind == IO_KIND_NODE_OVERLAY && io_preview(reader->options.previews, "price-expression"))
        s = &io_previewed_overlay;
    if (info->kind == IO_KIND_CAPACITY_BUFFER && io_preview(reader->options.previews, "one-shot-buffers"))
        s = &io_previewed_buffer;
    const io_pod_kind *operated = s ? NULL : io_pod_kind_of(info);
    if (!s && !operated) return KARP_OK;
    walk w = { .reader = reader, .kind = kind, .root = root, .place = place, .status = KARP_OK };
    if (s) walk_object(&w, s, root);
    else walk_operated(&w, operated);
    return w.status;
}

static karp_status note_class_kind(karp_reader *reader, karp_str api_version, karp_str kind)
{
    const char *meant = io_class_kind_of(str_before(api_version, '/'));
    if (!meant || str_is(kind, meant)) return KARP_OK;
    return io_not_understood_once(reader, "%.*s of %.*s is not read; did you mean %s?", str_shown(kind, 100), kind.ptr,
                                  str_shown(api_version, 100), api_version.ptr, meant);
}

karp_status io_note_version(karp_reader *reader, const io_kind_info *info, karp_str api_version, karp_str kind)
{
    if (info->kind == IO_KIND_NODE_CLASS) return note_class_kind(reader, api_version, kind);
    if (!info->version) return KARP_OK;
    char shown[64];
    size_t group = str_before(api_version, '/').len;
    karp_str version = group ? (karp_str){ api_version.ptr + group + 1, api_version.len - group - 1 } : api_version;
    if (str_is(version, info->version) || (info->old_version && str_is(version, info->old_version))) return KARP_OK;
    str_shorten(shown, sizeof shown, api_version);
    if (io_was_version(info, version))
        return io_warn_once(reader, "%s of %s is read as one of %s%s%s", info->name, shown, info->group,
                            info->group[0] ? "/" : "", info->version);
    return io_not_understood_once(reader, "%s of %s is no known version: it is read as one of %s%s%s", info->name,
                                  shown, info->group, info->group[0] ? "/" : "", info->version);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The kinds of notes. Each is made once for all objects, of which there may be thousands. */
enum { INVALID_WEIGHT = 1, INVALID_POOL_WEIGHT = 2, INVALID_BUDGET = 4 };

static bool first(karp_reader *reader, uint32_t kind)
{
    bool new_ = (reader->told.invalid_noted & kind) == 0;
    reader->told.invalid_noted |= kind;
    return new_;
}

static karp_status of_weight(karp_reader *reader, uint32_t kind, const char *what, const karp_meta *meta,
                             const char *field, int32_t value)
{
    if (value >= 1 && value <= 100) return KARP_OK;
    if (!first(reader, kind)) return KARP_OK;
    bool placed = meta->namespace_.len > 0;
    return io_warn(reader, "%s %.*s%s%.*s: %s is %d; an API server takes 1 to 100 (others are not listed)", what,
                   str_shown(meta->namespace_, 100), placed ? meta->namespace_.ptr : "", placed ? "/" : "",
                   str_shown(meta->name, 100), meta->name.len > 0 ? meta->name.ptr : "", field, (int)value);
}

static karp_status of_wish(karp_reader *reader, const karp_pod *pod, const char *field, int32_t weight)
{
    return of_weight(reader, INVALID_WEIGHT, "Pod", &pod->meta, field, weight);
}

karp_status io_note_invalid_pod(karp_reader *reader, const karp_pod *pod)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < pod->preferred_node_term_count && status == KARP_OK; i++)
        status = of_wish(reader, pod, "the weight of a preferred node affinity", pod->preferred_node_terms[i].weight);
    for (size_t i = 0; i < pod->preferred_affinity_count && status == KARP_OK; i++)
        status = of_wish(reader, pod, "the weight of a preferred pod affinity", pod->preferred_affinity[i].weight);
    for (size_t i = 0; i < pod->preferred_anti_affinity_count && status == KARP_OK; i++) {
        status = of_wish(reader, pod, "the weight of a preferred pod anti-affinity",
                         pod->preferred_anti_affinity[i].weight);
    }
    return status;
}

/* Whether the NodePool's schema accepts the value: a number, or 0 % to 100 % with at most two digits below 100 %. */
static bool is_budget(karp_str nodes)
{
    size_t digits = 0;
    while (digits < nodes.len && nodes.ptr[digits] >= '0' && nodes.ptr[digits] <= '9') digits++;
    if (digits == nodes.len) return digits > 0;
    bool hundred = digits == 3 && nodes.ptr[0] == '1' && nodes.ptr[1] == '0' && nodes.ptr[2] == '0';
    return nodes.len == digits + 1 && nodes.ptr[digits] == '%' && digits > 0 && (digits <= 2 || hundred);
}

karp_status io_note_invalid_pool(karp_reader *reader, const karp_node_pool *pool)
{
    karp_status status = KARP_OK;
    if (pool->weight != 0)
        status = of_weight(reader, INVALID_POOL_WEIGHT, "NodePool", &pool->meta, "spec.weight", pool->weight);
    for (size_t i = 0; i < pool->budget_count && status == KARP_OK; i++) {
        karp_str nodes = pool->budgets[i].nodes;
        if (nodes.len == 0 || is_budget(nodes) || !first(reader, INVALID_BUDGET)) continue;
        status = io_warn(reader,
                         "NodePool %.*s: the budget of %.*s nodes; an API server takes a number, or 0%% to 100%% "
                         "(others are not listed)",
                         str_shown(pool->meta.name, 100), pool->meta.name.ptr, str_shown(nodes, 100), nodes.ptr);
    }
    return status;
}
