/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the workloads that sizes are about: of pods that tables name, also those that have gone since, and of
 * VerticalPodAutoscalers.
 */
#include <io/fill.h>
#include <io/owner.h>
#include <io/sizes.h>
#include <io/verticals.h>

/* ---- owners ------------------------------------------------------------------------------------------------------ */

static const tree *controller_of(const tree *root)
{
    const tree *owners = tree_get(tree_get(root, "metadata"), "ownerReferences");
    for (size_t i = 0; i < tree_count(owners); i++) {
        if (tree_is(tree_get(tree_item(owners, i), "controller"), TREE_TRUE)) return tree_item(owners, i);
    }
    return NULL;
}

io_top io_top_owner(const karp_reader *reader, const tree *root)
{
    enum { HIGHEST = 5 };
    karp_str space = io_namespace(root);
    io_top top = { { "", 0 }, { "", 0 } };
    const tree *at = controller_of(root);
    for (unsigned i = 0; at && i < HIGHEST; i++) {
        top = (io_top){ tree_get_text(at, "kind"), tree_get_text(at, "name") };
        const tree *owner = io_find_tree(reader, top.kind, space, top.name);
        at = controller_of(owner);
        if (owner || !str_is(top.kind, "ReplicaSet")) continue;
        karp_str deployment = io_deployment_by_name(root, top.name);
        if (deployment.len) top = (io_top){ str("Deployment"), deployment };
    }
    if (str_is(top.kind, "Node")) top = (io_top){ { "", 0 }, { "", 0 } };
    return top;
}

/* "Kind\nnamespace/name" in one of the tables of workloads. */
static uint32_t *workload_at(karp_reader *reader, io_table *table, karp_str kind, karp_str namespace_, karp_str name,
                             bool make)
{
    uint32_t *at = NULL;
    strbuf key = strbuf_on(reader->context);
    strbuf_addstr(&key, kind);
    strbuf_addc(&key, '\n');
    strbuf_addname(&key, namespace_, name);
    karp_str text = { key.ptr, key.len };
    if (!key.failed && (make || io_table_get(table, text) != IO_NONE)) at = io_table_at(table, text);
    if (key.failed || (make && !at)) reader->sizes->status = io_reader_nomem(reader);
    strbuf_free(&key);
    return at;
}

static uint32_t *sized_at(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, bool make)
{
    return workload_at(reader, &reader->sizes->workloads, kind, namespace_, name, make);
}

uint32_t io_sized_of_pod(karp_reader *reader, const tree *pod)
{
    io_top top = io_top_owner(reader, pod);
    if (top.kind.len == 0) top = (io_top){ str("Pod"), tree_get_text(tree_get(pod, "metadata"), "name") };
    const uint32_t *at = sized_at(reader, top.kind, io_namespace(pod), top.name, false);
    return at ? *at : IO_NONE;
}

uint32_t io_sized_of(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name)
{
    const uint32_t *at = sized_at(reader, kind, namespace_, name, false);
    return at ? *at : IO_NONE;
}

/* ---- pods that are not in the input ------------------------------------------------------------------------------ */

/* A ReplicaSet that the input does not have stands for the Deployment of its name, which a trace's pods lead to. */
static io_top owner_elsewhere(const karp_reader *reader, const tree *pod)
{
    io_top top = io_top_owner(reader, pod);
    if (str_is(top.kind, "ReplicaSet") && !io_find_tree(reader, top.kind, io_namespace(pod), top.name))
        top.kind = str("Deployment");
    return top;
}

uint32_t io_sized_elsewhere(karp_reader *reader, const tree *pod)
{
    io_top top = owner_elsewhere(reader, pod);
    return top.kind.len ? io_sized_of(reader, top.kind, io_namespace(pod), top.name) : IO_NONE;
}

uint32_t io_size_elsewhere(karp_reader *reader, const tree *pod)
{
    io_table *table = &reader->sizes->elsewhere;
    io_top top = owner_elsewhere(reader, pod);
    uint32_t *at = top.kind.len ? workload_at(reader, table, top.kind, io_namespace(pod), top.name, true) : NULL;
    if (at && *at == IO_NONE) *at = (uint32_t)table->names.count - 1;
    return at ? *at : IO_NONE;
}

bool io_size_name_elsewhere(karp_reader *reader, uint32_t number, karp_str namespace_, karp_str name)
{
    strbuf key = strbuf_on(reader->context);
    strbuf_addname(&key, namespace_, name);
    bool fine = !key.failed && io_table_put(&reader->sizes->their_pods, (karp_str){ key.ptr, key.len }, number);
    strbuf_free(&key);
    return fine;
}

/* The workload of a pod with this name. */
static io_top named_elsewhere(const karp_reader *reader, karp_str space, karp_str name)
{
    io_top found = { { "", 0 }, { "", 0 } };
    strbuf key = strbuf_on(reader->context);
    strbuf_addname(&key, space, name);
    uint32_t number = key.failed ? IO_NONE : io_table_get(&reader->sizes->their_pods, (karp_str){ key.ptr, key.len });
    strbuf_free(&key);
    if (number == IO_NONE) return found;
    karp_str rest = strings_get(&reader->sizes->elsewhere.names, number); /* "Kind\nnamespace/name" */
    found.kind = str_until(&rest, '\n');
    (void)str_until(&rest, '/');
    found.name = rest;
    return found;
}

/* ---- names of pods ----------------------------------------------------------------------------------------------- */

static bool exists(karp_reader *reader, const char *kind, karp_str space, karp_str name)
{
    karp_str plain = str(kind);
    if (name.len == 0) return false;
    return io_find(reader, kind, space, name) != IO_NONE || io_owned(reader, kind, space, name) > 0 ||
           workload_at(reader, &reader->sizes->elsewhere, str_until(&plain, '.'), space, name, false);
}

/* The first of the kinds that has an object or pods with this name; those of operators are written with their group. */
static karp_str first_kind(karp_reader *reader, const char *const *kinds, size_t count, karp_str space, karp_str name)
{
    for (size_t i = 0; i < count; i++) {
        karp_str kind = str(kinds[i]);
        if (exists(reader, kinds[i], space, name)) return str_until(&kind, '.');
    }
    return str("");
}

/* "web" of "web-x7k2p"; "" = there is no dash. *last is what follows it. */
static karp_str without_last(karp_str name, karp_str *last)
{
    size_t dash = name.len;
    while (dash > 0 && name.ptr[dash - 1] != '-') dash--;
    *last = (karp_str){ name.ptr + dash, name.len - dash };
    return dash < 2 ? (karp_str){ "", 0 } : (karp_str){ name.ptr, dash - 1 };
}

static bool is_number(karp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i])) return false;
    }
    return text.len > 0;
}

/* By the names that controllers give to pods: SET-0 of a StatefulSet, NAME-HASH-x7k2p of a Deployment, NAME-x7k2p of
 * others, and NAME-0 where karp has made the pods. */
static io_top owner_by_name(karp_reader *reader, karp_str space, karp_str pod)
{
    static const char *const numbered[] = { "StatefulSet", "Deployment", "ReplicaSet", "ReplicationController", "Job" };
    static const char *const above[] = { "Deployment", "CronJob.batch", "Rollout.argoproj.io" };
    static const char *const random[] = { "DaemonSet", "ReplicaSet", "Job", "ReplicationController" };
    karp_str last, hash, one = without_last(pod, &last), two = without_last(one, &hash), kind = str("");
    if (is_number(last)) kind = first_kind(reader, numbered, sizeof numbered / sizeof numbered[0], space, one);
    if (kind.len) return (io_top){ kind, one };
    if (last.len == 5) kind = first_kind(reader, above, sizeof above / sizeof above[0], space, two);
    if (kind.len) return (io_top){ kind, two };
    if (last.len == 5) kind = first_kind(reader, random, sizeof random / sizeof random[0], space, one);
    return (io_top){ kind, one };
}

static io_top owner_of(karp_reader *reader, const io_size *s)
{
    static const char *const kinds[] = { "Deployment", "StatefulSet",         "DaemonSet",  "CronJob.batch",
                                         "Job",        "Rollout.argoproj.io", "ReplicaSet", "ReplicationController",
                                         "Pod" };
    if (!s->is_pod)
        return (io_top){ first_kind(reader, kinds, sizeof kinds / sizeof kinds[0], s->namespace_, s->name), s->name };
    const tree *pod = io_find_tree(reader, str("Pod"), s->namespace_, s->name);
    io_top elsewhere = pod ? (io_top){ { "", 0 }, { "", 0 } } : named_elsewhere(reader, s->namespace_, s->name);
    if (!pod) return elsewhere.kind.len ? elsewhere : owner_by_name(reader, s->namespace_, s->name);
    io_top top = io_top_owner(reader, pod);
    return top.kind.len ? top : (io_top){ str("Pod"), s->name };
}

/* ---- what tables name -------------------------------------------------------------------------------------------- */

static bool merge(karp_reader *reader, uint32_t from, uint32_t to)
{
    io_size *a = &reader->sizes->list[from], *b = &reader->sizes->list[to];
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        io_size_known *k = &a->known[r];
        for (size_t i = 0; i < k->count; i++) {
            if (!io_size_add_sample(reader, b, r, k->samples[i], k->of_samples)) return false;
        }
        for (size_t f = 0; f < SIZE_FIGURES; f++)
            if (k->has[f]) io_size_add_figure(b, r, f, k->figures[f], k->of_figures);
    }
    a->merged = true;
    return true;
}

static karp_status note_strangers(karp_reader *reader, size_t count, const io_size *first)
{
    /* Such as kubectl top -n NAMESPACE prints. */
    const char *spaces = str_is(first->namespace_, "default")
                             ? "; names without a namespace are of default: kubectl top pod -A --containers writes it"
                             : "";
    return io_warn(reader, "usage of %zu %s (first %.*s/%.*s) is of no workload of the input, and is left out%s", count,
                   count == 1 ? "name" : "names", str_shown(first->namespace_, 64), first->namespace_.ptr,
                   str_shown(first->name, 100), first->name.ptr, spaces);
}

static karp_status settle_names(karp_reader *reader)
{
    io_sizes *sizes = reader->sizes;
    size_t all = sizes->count, strangers = 0, first = 0;
    for (uint32_t i = 0; i < all; i++) {
        const io_size *s = &sizes->list[i];
        if (s->kind.len > 0) continue;
        io_top top = owner_of(reader, s);
        if (top.kind.len == 0) {
            if (strangers++ == 0) first = i;
            sizes->list[i].merged = true;
            continue;
        }
        const io_size *to = io_size_at(reader, top.kind, s->namespace_, top.name, false, s->container);
        if (!to || !merge(reader, i, (uint32_t)(to - sizes->list))) return io_reader_nomem(reader);
    }
    return strangers > 0 ? note_strangers(reader, strangers, &sizes->list[first]) : KARP_OK;
}

/* ---- VerticalPodAutoscalers -------------------------------------------------------------------------------------- */

/* The amount within minAllowed and maxAllowed, of which 0 is no bound. */
static amount allowed(const tree *policy, const char *resource, amount value)
{
    amount bound, none = amount_from(0);
    if (io_exact(tree_text_or_digits(tree_get(tree_get(policy, "minAllowed"), resource)), &bound))
        value = amount_max(value, bound);
    if (io_exact(tree_text_or_digits(tree_get(tree_get(policy, "maxAllowed"), resource)), &bound) &&
        amount_cmp(bound, none) > 0)
        value = amount_min(value, bound);
    return value;
}

static karp_status add_figures(karp_reader *reader, const io_deferred *w, const tree *recommended, const tree *policy,
                               io_size *s, karp_str source)
{
    static const char *const names[SIZE_FIGURES] = { "target", "lowerBound", "upperBound" };
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        for (size_t f = 0; f < SIZE_FIGURES && io_vertical_controls(policy, io_size_resources[r]); f++) {
            amount value;
            karp_str text = tree_text_or_digits(tree_get(tree_get(recommended, names[f]), io_size_resources[r]));
            if (text.len == 0) continue;
            if (!io_exact(text, &value)) return io_vertical_no_amount(reader, w, text);
            io_size_add_figure(s, r, f, allowed(policy, io_size_resources[r], value), source);
        }
    }
    return KARP_OK;
}

static karp_status add_vertical(karp_reader *reader, const io_deferred *w)
{
    const tree *ref = io_at_path(w->root, "/spec/targetRef"),
               *list = io_at_path(w->root, "/status/recommendation/containerRecommendations");
    karp_str kind = tree_get_text(ref, "kind"), name = tree_get_text(ref, "name");
    karp_status status = KARP_OK;
    char text[300] = "";
    str_append(text, sizeof text, "VerticalPodAutoscaler %.*s", str_shown(w->name, 200), w->name.ptr);
    if (tree_count(list) == 0)
        return io_warn(reader, "%s: has no recommendation yet, so the requests of %.*s %.*s stay", text,
                       str_shown(kind, 64), kind.ptr, str_shown(name, 100), name.ptr);
    karp_str source = io_keep(reader, str(text));
    if (!source.ptr) return io_reader_nomem(reader);
    for (size_t i = 0; i < tree_count(list) && !status; i++) {
        const tree *one = tree_item(list, i);
        karp_str container = tree_get_text(one, "containerName");
        const tree *policy = io_vertical_policy(w, container);
        if (str_is(tree_get_text(policy, "mode"), "Off")) continue;
        io_size *s = io_size_at(reader, kind, w->namespace_, name, false, container);
        if (!s) return io_reader_nomem(reader);
        if (str_is(tree_get_text(policy, "controlledValues"), "RequestsOnly")) s->requests_only = true;
        status = add_figures(reader, w, one, policy, s, source);
    }
    return status;
}

/* ---- workloads with sizes ---------------------------------------------------------------------------------------- */

static karp_status list_workloads(karp_reader *reader)
{
    io_sizes *sizes = reader->sizes;
    sizes->next = mem_zalloc(reader->context, sizes->count * sizeof *sizes->next);
    if (!sizes->next) return io_reader_nomem(reader);
    sizes->next_count = sizes->count;
    for (uint32_t i = (uint32_t)sizes->count; i-- > 0;) {
        const io_size *s = &sizes->list[i];
        if (s->merged) continue;
        uint32_t *at = sized_at(reader, s->kind, s->namespace_, s->name, true);
        if (!at || !grow(reader->context, (void **)&sizes->sized, &sizes->sized_capacity, sizes->sized_count + 1,
                         sizeof *sizes->sized))
            return io_reader_nomem(reader);
        if (*at == IO_NONE) {
            *at = (uint32_t)sizes->sized_count;
            sizes->sized[sizes->sized_count++] = (io_sized_workload){ 0 };
        }
        io_sized_workload *w = &sizes->sized[*at];
        sizes->next[i] = w->first;
        w->first = i + 1;
    }
    return KARP_OK;
}

karp_status io_sizes_settle(karp_reader *reader)
{
    karp_status status = settle_names(reader);
    if (status == KARP_OK) status = io_each_vertical(reader, add_vertical);
    if (status) return status;
    if (reader->sizes->count == 0)
        return fail(
            &reader->error, KARP_E_NOT_FOUND,
            "nothing recommends requests: the input needs VerticalPodAutoscalers with a recommendation in their "
            "status, or --usage FILE");
    return list_workloads(reader);
}
