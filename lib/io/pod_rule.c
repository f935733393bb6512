/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the caller for kinds that create pods: "Kind.group=/spec/template,/spec/replicas". */
#include <io/pods_of.h>
#include <io/reader.h>

enum { LONGEST_PATH = 120 };

/* "/spec/template": names after slashes. */
static bool is_path(karp_str path)
{
    if (path.len < 2 || path.len >= LONGEST_PATH || path.ptr[0] != '/' || path.ptr[path.len - 1] == '/') return false;
    for (size_t i = 1; i < path.len; i++) {
        if (path.ptr[i] == '/' && path.ptr[i - 1] == '/') return false;
    }
    return true;
}

/* Each "*" of the count's path has to be one of the template's. */
static bool same_elements(const char *template_, const char *count)
{
    const char *star = strstr(count, "/*");
    while (star && strstr(star + 2, "/*")) star = strstr(star + 2, "/*");
    return !star || strncmp(template_, count, (size_t)(star - count) + 2) == 0;
}

static karp_status wrong(karp_reader *reader, karp_str rule, const char *why)
{
    return fail(&reader->error, KARP_E_INVALID, "%.*s: %s; a rule is Kind.group=/path/of/template[,/path/of/count]",
                str_shown(rule, 100), rule.len ? rule.ptr : "", why);
}

/* What a rule finds nothing at is not planned. A pod spec counts as a template with nothing else. */
static void make_by_rule(io_pods *p)
{
    const io_pod_place *place = &p->kind->places[0];
    size_t before = p->count;
    io_pods_add_places(p);
    if (p->count == before && strstr(place->template_, "/*") == NULL)
        io_pods_problem(p, "it has no pod template at %s, where --pods-from looks for it", place->template_);
    for (size_t i = before; i < p->count; i++) {
        io_pod_set *set = &p->sets[i];
        const tree *spec = tree_get(set->template_, "spec");
        if (tree_is(tree_get(spec, "containers"), TREE_LIST)) continue;
        if (tree_is(tree_get(set->template_, "containers"), TREE_LIST))
            tree_set(p->t, set->template_, "spec", tree_copy(p->t, set->template_));
        else {
            io_pods_problem(p, "what is at %s is no pod template: it has no containers", place->template_);
            set->count = 0;
        }
    }
    if (place->count && strstr(place->count, "/*") == NULL && !io_at_path(p->object, place->count))
        io_pods_note(p, "%s %.*s: it has no number of pods at %s, so one is planned", p->kind->info.name,
                     str_shown(p->name, 100), p->name.ptr, place->count);
}

static karp_status add_rule(karp_reader *reader, karp_str rule)
{
    karp_str name = str_before(rule, '='), rest = { rule.ptr + name.len, rule.len - name.len };
    karp_str kind = str_before(name, '.'), group = { name.ptr + kind.len, name.len - kind.len };
    if (rest.len < 2 || kind.len == 0 || group.len < 2) return wrong(reader, rule, "not a rule");
    rest = (karp_str){ rest.ptr + 1, rest.len - 1 };
    group = (karp_str){ group.ptr + 1, group.len - 1 };
    const char *comma = memchr(rest.ptr, ',', rest.len);
    karp_str template_ = { rest.ptr, comma ? (size_t)(comma - rest.ptr) : rest.len },
             count = { rest.ptr + template_.len, rest.len - template_.len };
    if (count.len) count = (karp_str){ count.ptr + 1, count.len - 1 };
    if (!is_path(template_) || (template_.len < rest.len && !is_path(count)))
        return wrong(reader, rule, "a path begins with / and has names between slashes");
    char version[300] = "";
    str_append(version, sizeof version, "%.*s/v1", str_shown(group, 253), group.ptr);
    const io_kind_info *known = io_kind_find(str(version), kind);
    if (known->kind != IO_KIND_UNKNOWN && known->kind != IO_KIND_OPERATED && known->kind != IO_KIND_NODE_CLASS)
        return wrong(reader, rule, "this kind is read already");
    io_own_kind *own = arena_alloc(&reader->keep, sizeof *own);
    if (!own) return io_reader_nomem(reader);
    *own = (io_own_kind){ .next = reader->own_kinds, .kind.make = make_by_rule };
    own->kind.info = (io_kind_info){
        io_keep(reader, group).ptr, io_keep(reader, kind).ptr, IO_KIND_OPERATED, true, NULL, NULL
    };
    own->kind.places[0] = (io_pod_place){ io_keep(reader, template_).ptr, NULL, NULL, 1 };
    if (count.len) own->kind.places[0].count = own->kind.scale = io_keep(reader, count).ptr;
    if (!own->kind.info.group || !own->kind.info.name || !own->kind.places[0].template_ ||
        (count.len && !own->kind.scale))
        return io_reader_nomem(reader);
    if (count.len && !same_elements(own->kind.places[0].template_, own->kind.scale))
        return wrong(reader, rule, "up to its last *, the path of the count has to be that of the template");
    if (count.len && strstr(own->kind.scale, "/*")) own->kind.scale = NULL; /* each element has its own count */
    reader->own_kinds = own;
    return KARP_OK;
}

karp_status karp_reader_add_pod_kind(karp_reader *reader, karp_str rule, karp_error *error)
{
    if (!reader) return fail_null(error, "reader");
    if (!rule.ptr) return fail_null(error, "rule");
    karp_status status = KARP_OK;
    if (reader->finished || reader->failed || reader->deferred_count)
        status = fail(&reader->error, KARP_E_STATE, "a rule for a kind comes before the objects");
    if (status == KARP_OK) status = add_rule(reader, rule);
    return status ? error_give(&reader->error, error) : KARP_OK;
}

const io_kind_info *io_reader_kind(const karp_reader *reader, karp_str api_version, karp_str kind)
{
    for (const io_own_kind *own = reader->own_kinds; own; own = own->next) {
        const io_kind_info *info = &own->kind.info;
        if (str_is(kind, info->name) && str_is(str_before(api_version, '/'), info->group)) return info;
    }
    return io_kind_find(api_version, kind);
}
