/* SPDX-License-Identifier: Apache-2.0 */
/* Changes requests: in the templates of workloads, and in pods. size_place.c decides about pods that run. */
#include <io/owner.h>
#include <io/sizes.h>

/* ---- one container ----------------------------------------------------------------------------------------------- */

/* What is measured of a pod whose only container is not named counts for it, unless that is measured by its name. */
static void take_unnamed(io_size *to, io_size *unnamed)
{
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        io_size_known own = to->known[r], *from = &unnamed->known[r];
        if (own.count > 0 || from->count == 0) continue;
        to->known[r].samples = from->samples;
        to->known[r].count = from->count;
        to->known[r].room = from->room;
        to->known[r].of_samples = from->of_samples;
        from->samples = NULL;
        from->count = from->room = 0;
    }
    unnamed->merged = true;
}

/* The size of a container; the pod's only container need not be named. NULL = it has none. */
static io_size *size_for(io_sizes *sizes, uint32_t workload, karp_str container, bool only)
{
    io_size *named = NULL, *unnamed = NULL;
    for (uint32_t at = sizes->sized[workload].first; at; at = sizes->next[at - 1]) {
        io_size *s = &sizes->list[at - 1];
        if (equal_str(s->container, container)) named = s;
        else if (only && s->container.len == 0 && !s->merged) unnamed = s;
    }
    if (named && unnamed && !named->met) take_unnamed(named, unnamed);
    return named ? named : unnamed;
}

static karp_str amount_in(const tree *container, const char *list, size_t resource)
{
    return tree_text_or_digits(tree_get(tree_get(tree_get(container, "resources"), list), io_size_resources[resource]));
}

/* Whole millicores or bytes, rounded up as Kubernetes does. false = overflow. */
static bool units_of(amount value, size_t resource, int64_t *out)
{
    uint64_t unit = resource == SIZE_CPU ? UINT64_C(1000000) : (uint64_t)AMOUNT_NANO;
    return io_exact_up(&value, unit) && amount_scale(value, amount_from((int64_t)unit), out);
}

/* limit × wanted / before in whole units, as a VerticalPodAutoscaler computes it. false = overflow. */
static bool scaled_limit(amount limit, amount before, amount wanted, size_t resource, amount *out)
{
    int64_t of_limit, of_before, of_wanted;
    uint64_t rest;
    amount product;
    if (!units_of(limit, resource, &of_limit) || !units_of(before, resource, &of_before) ||
        !units_of(wanted, resource, &of_wanted) || of_before <= 0)
        return false;
    if (!amount_mul(amount_from(of_limit), (uint64_t)of_wanted, &product)) return false;
    amount_divide(product, (uint64_t)of_before, &product, &rest);
    return amount_mul(product, resource == SIZE_CPU ? UINT64_C(1000000) : (uint64_t)AMOUNT_NANO, out);
}

/* The limit after the change; "" = there is none, or it stays. */
static const char *new_limit(const io_sizes *sizes, const io_size *s, size_t resource, karp_str limit, karp_str before,
                             char text[KARP_VALUE_TEXT])
{
    amount is, was, then = s->wanted[resource];
    text[0] = '\0';
    if (!io_exact(limit, &is)) return text;
    bool keeps = sizes->limits == KARP_LIMITS_KEEP || s->requests_only;
    if (keeps && amount_cmp(is, s->wanted[resource]) >= 0) return text;
    bool has = io_exact(before, &was) && amount_sign(was) > 0;
    if (!keeps && has && amount_cmp(is, was) != 0 && !scaled_limit(is, was, s->wanted[resource], resource, &then))
        then = amount_max(is, s->wanted[resource]);
    return amount_cmp(then, is) == 0 ? text : io_exact_text(then, resource, text);
}

static karp_str keep_text(karp_reader *reader, karp_str text)
{
    karp_str kept = text.len ? io_keep(reader, text) : (karp_str){ "", 0 };
    if (!kept.ptr) reader->sizes->status = io_reader_nomem(reader);
    return kept.ptr ? kept : str("");
}

/* Keeps what the first container of this name had and gets. */
static void describe(karp_reader *reader, io_size *s, size_t resource, karp_str before, const char *limit)
{
    char after[KARP_VALUE_TEXT] = "", source[300] = "", had[KARP_VALUE_TEXT] = "";
    const io_sizes *sizes = reader->sizes;
    str_shorten(had, sizeof had, before);
    if (s->sized[resource]) {
        (void)io_exact_text(s->wanted[resource], resource, after);
        io_size_source(&sizes->rules[resource], resource, &s->known[resource], source, sizeof source);
    }
    bool cpu = resource == SIZE_CPU;
    *(cpu ? &s->change.cpu_before : &s->change.memory_before) = keep_text(reader, str(had));
    *(cpu ? &s->change.cpu_after : &s->change.memory_after) = keep_text(reader, str(after));
    *(cpu ? &s->change.cpu_limit : &s->change.memory_limit) = keep_text(reader, str(limit));
    *(cpu ? &s->change.cpu_source : &s->change.memory_source) = keep_text(reader, str(source));
}

static void set_amount(trees *t, tree *container, const char *list, size_t resource, const char *text)
{
    tree *resources = tree_own(t, container, "resources", TREE_MAP), *own = tree_own(t, resources, list, TREE_MAP);
    tree_set(t, own, io_size_resources[resource], tree_new_text(t, str(text)));
}

/* Changes one resource of a container, which is a copy made here. */
static void resize_resource(karp_reader *reader, trees *t, io_size *s, size_t resource, const tree *given,
                            tree **container)
{
    karp_str limit = amount_in(given, "limits", resource), before = amount_in(given, "requests", resource);
    char text[KARP_VALUE_TEXT], after[KARP_VALUE_TEXT];
    amount was;
    if (before.len == 0) before = limit; /* the API server fills it in */
    bool differs = s->sized[resource] && !(io_exact(before, &was) && amount_cmp(was, s->wanted[resource]) == 0);
    text[0] = '\0';
    if (differs) (void)new_limit(reader->sizes, s, resource, limit, before, text);
    if (!s->met) describe(reader, s, resource, before, text);
    if (!differs) return;
    bool has = io_exact(before, &was);
    if (!has || amount_cmp(s->wanted[resource], was) > 0) s->change.larger = 1;
    s->changes = true;
    if (!*container) *container = tree_copy(t, given);
    set_amount(t, *container, "requests", resource, io_exact_text(s->wanted[resource], resource, after));
    if (text[0]) set_amount(t, *container, "limits", resource, text);
}

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

static karp_status decide_size(karp_reader *reader, io_size *s)
{
    karp_status status = KARP_OK;
    for (size_t r = 0; r < SIZE_RESOURCES && !status; r++)
        s->sized[r] = io_size_of(reader->context, &reader->sizes->rules[r], r, &s->known[r], &s->wanted[r], &status);
    if (status == KARP_E_NOMEM) return io_reader_nomem(reader);
    if (status == KARP_OK) return KARP_OK;
    fail(&reader->error, status, "the amount recommended for container %.*s is too large", str_shown(s->container, 100),
         s->container.ptr);
    io_reader_name(reader, s->kind, s->namespace_, s->name);
    return status;
}

/* Requests of the pod as a whole count instead of those of its containers. */
static karp_status note_whole(karp_reader *reader, const tree *spec, const io_size *s)
{
    const tree *requests = tree_get(tree_get(spec, "resources"), "requests");
    if (tree_count(requests) == 0) return KARP_OK;
    return io_warn_once(reader,
                        "%.*s %.*s/%.*s: its pods state requests as a whole (spec.resources), which decide where they "
                        "fit whatever their containers request",
                        str_shown(s->kind, 64), s->kind.ptr, str_shown(s->namespace_, 64), s->namespace_.ptr,
                        str_shown(s->name, 100), s->name.ptr);
}

/* The list of containers with their new requests; NULL = none changes. */
static tree *resize_list(karp_reader *reader, trees *t, uint32_t workload, const tree *spec, const char *name)
{
    const tree *list = tree_get(spec, name);
    tree *copy = NULL;
    bool init = strcmp(name, "initContainers") == 0, only = !init && tree_count(list) == 1;
    for (size_t i = 0; tree_is(list, TREE_LIST) && i < tree_count(list) && !reader->sizes->status; i++) {
        const tree *given = tree_item(list, i);
        /* Other init containers have ended before anybody measures them. */
        if (init && !str_is(tree_get_text(given, "restartPolicy"), "Always")) continue;
        io_size *s = size_for(reader->sizes, workload, tree_get_text(given, "name"), only);
        tree *changed = NULL;
        if (!s || !tree_is(given, TREE_MAP)) continue;
        if (!s->met) reader->sizes->status = decide_size(reader, s);
        if (reader->sizes->status) return NULL;
        for (size_t r = 0; r < SIZE_RESOURCES; r++) resize_resource(reader, t, s, r, given, &changed);
        if (!s->met) {
            s->met = true;
            s->init = init;
            s->position = (uint32_t)i;
            s->change.container = keep_text(reader, tree_get_text(given, "name"));
        }
        if (!changed) continue;
        keep_failure(&reader->sizes->status, note_whole(reader, spec, s));
        if (!copy) copy = tree_copy(t, list);
        if (copy) copy->of.items[i] = changed;
    }
    return copy;
}

tree *io_resized_spec(karp_reader *reader, trees *t, uint32_t workload, const tree *spec)
{
    static const char *const names[] = { "containers", "initContainers" };
    tree *copy = NULL;
    for (size_t k = 0; k < 2; k++) {
        tree *list = resize_list(reader, t, workload, spec, names[k]);
        if (!list) continue;
        if (!copy) copy = tree_copy(t, spec);
        tree_set(t, copy, names[k], list);
    }
    return copy;
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

/* The path of the workload's pod template; NULL = it has no single one. */
static const char *template_path(const io_deferred *w)
{
    io_kind kind = w->info->kind;
    if (io_is_workload(kind) || kind == IO_KIND_DAEMON_SET) return "/spec/template";
    if (kind != IO_KIND_OPERATED) return NULL;
    const char *path = io_pod_kind_of(w->info)->places[0].template_;
    return path && !strchr(path, '*') ? path : NULL;
}

/* The map at the path, of which the whole path is copied. NULL = there is none. */
static tree *own_path(trees *t, tree *root, const char *path)
{
    while (root && *path == '/') {
        char name[64];
        size_t length = strcspn(path + 1, "/");
        str_shorten(name, sizeof name, (karp_str){ path + 1, length });
        /* The name of the member stays that of the object. */
        tree *member = tree_get(root, name), *copy = tree_is(member, TREE_MAP) ? tree_copy(t, member) : NULL;
        for (size_t i = 0; copy && i < tree_count(root); i++) {
            if (tree_member_at(root, i)->value == member) root->of.members[i].value = copy;
        }
        root = copy;
        path += 1 + length;
    }
    return root;
}

static karp_status resize_template(karp_reader *reader, io_deferred *w)
{
    trees *t = &reader->trees;
    const char *path = template_path(w);
    uint32_t workload = path ? io_sized_of(reader, str(w->info->name), w->namespace_, w->name) : IO_NONE;
    if (workload == IO_NONE) return KARP_OK;
    const tree *spec = tree_get(io_at_path(w->root, path), "spec");
    karp_status status = io_object_check(reader, w->info, w->root, &w->place);
    if (status) return status;
    tree *resized = io_resized_spec(reader, t, workload, spec);
    if (!resized) return reader->sizes->status;
    tree *root = tree_copy(t, w->root), *template_ = own_path(t, root, path);
    tree_set(t, template_, "spec", resized);
    if (t->status) return io_reader_nomem(reader);
    w->root = root;
    return KARP_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

karp_status io_settle_sizes(karp_reader *reader)
{
    if (!reader->sizes) return KARP_OK;
    karp_status status = io_sizes_settle(reader);
    for (size_t i = 0; i < reader->deferred_count && !status; i++) {
        if (!reader->deferred[i].gone) status = resize_template(reader, &reader->deferred[i]);
    }
    if (status == KARP_OK) status = io_resize_pods(reader);
    if (status == KARP_OK && reader->sizes->resize_elsewhere)
        status = reader->sizes->resize_elsewhere(reader, reader->sizes->user);
    if (status == KARP_OK) status = reader->sizes->status;
    return status == KARP_OK && reader->trees.status ? io_reader_nomem(reader) : status;
}

void io_sizes_note_pod(karp_reader *reader, const tree *pod)
{
    const tree *metadata = tree_get(pod, "metadata");
    uint32_t workload = reader->sizes ? io_sized_of_pod(reader, pod) : IO_NONE;
    if (workload == IO_NONE) return;
    reader->sizes->sized[workload].pods++;
    strbuf name = strbuf_on(reader->context);
    strbuf_addname(&name, io_namespace(pod), tree_get_text(metadata, "name"));
    if (name.failed || !io_table_put(&reader->sizes->pods, (karp_str){ name.ptr, name.len }, workload))
        reader->sizes->status = io_reader_nomem(reader);
    strbuf_free(&name);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static int by_workload(uint32_t a, uint32_t b, const void *user)
{
    const io_size *list = user, *x = &list[a], *y = &list[b];
    int order = compare_str(x->kind, y->kind);
    if (order == 0) order = compare_str(x->namespace_, y->namespace_);
    if (order == 0) order = compare_str(x->name, y->name);
    if (order == 0) order = x->init - y->init;
    return order ? order : (x->position > y->position) - (x->position < y->position);
}

static void list_changes(io_sizes *sizes)
{
    for (uint32_t w = 0; w < sizes->sized_count; w++) {
        const io_sized_workload *of = &sizes->sized[w];
        for (uint32_t at = of->first; at; at = sizes->next[at - 1]) {
            io_size *s = &sizes->list[at - 1];
            s->change.size = sizeof s->change;
            s->change.kind = s->kind;
            s->change.namespace_ = s->namespace_;
            s->change.name = s->name;
            s->change.pods = of->pods;
            s->change.resized = of->resized;
            s->change.deferred = of->deferred;
            s->change.infeasible = of->infeasible;
            s->change.not_resizable = of->not_resizable;
            if (s->changes) sizes->changed[sizes->changed_count++] = at - 1;
        }
    }
}

static karp_status note_unmet(karp_reader *reader)
{
    const io_sizes *sizes = reader->sizes;
    const io_size *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sizes->count; i++) {
        const io_size *s = &sizes->list[i];
        if (s->merged || s->met) continue;
        if (count++ == 0) first = s;
    }
    if (count == 0) return KARP_OK;
    return io_warn(reader,
                   "recommendations for %zu container%s (first %.*s of %.*s %.*s/%.*s) have no effect: no pod of the "
                   "input has such a container",
                   count, count == 1 ? "" : "s", str_shown(first->container, 60), first->container.ptr,
                   str_shown(first->kind, 64), first->kind.ptr, str_shown(first->namespace_, 64), first->namespace_.ptr,
                   str_shown(first->name, 100), first->name.ptr);
}

karp_status io_sizes_end(karp_reader *reader)
{
    io_sizes *sizes = reader->sizes;
    if (!sizes) return KARP_OK;
    sizes->changed = mem_zalloc(reader->context, sizes->count * sizeof *sizes->changed);
    if (!sizes->changed) return io_reader_nomem(reader);
    if (sizes->status) return sizes->status;
    list_changes(sizes);
    if (!sort_ids(reader->context, sizes->changed, sizes->changed_count, by_workload, sizes->list))
        return io_reader_nomem(reader);
    return note_unmet(reader);
}
