/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: Kubernetes' plugin/pkg/admission/limitranger, runtimeclass and priority, pkg/apis/core/v1/defaults.go. */
#include <io/admission.h>

#include <io/notes.h>
#include <io/pod_amount.h>

static const char *const lists[] = { "initContainers", "containers" };

void io_admission_init(io_admission *a, karp_context *context)
{
    *a = (io_admission){ 0 };
    io_table_init(&a->first, context);
}

void io_admission_free(io_admission *a, karp_context *context)
{
    io_table_free(&a->first);
    mem_free(context, a->ranges, a->capacity * sizeof *a->ranges);
}

/* ---- what the input has ------------------------------------------------------------------------------------------ */

static int order(const karp_reader *reader, uint32_t a, uint32_t b)
{
    return compare_str(reader->deferred[a].name, reader->deferred[b].name);
}

static karp_status note_range(io_admission *a, karp_reader *reader, const io_deferred *w)
{
    uint32_t number = (uint32_t)(w - reader->deferred), head = io_table_get(&a->first, w->namespace_);
    if (!grow(reader->context, (void **)&a->ranges, &a->capacity, a->count + 1, sizeof *a->ranges))
        return io_reader_nomem(reader);
    uint32_t own = (uint32_t)a->count, before = IO_NONE;
    uint32_t at = head == IO_NONE ? 0 : head + 1; /* as in `next` */
    while (at && order(reader, a->ranges[at - 1].number, number) < 0) {
        before = at - 1;
        at = a->ranges[before].next;
    }
    a->ranges[a->count++] = (io_limit_range){ number, at, false };
    if (before != IO_NONE) a->ranges[before].next = own + 1;
    else if (!io_table_put(&a->first, w->namespace_, own)) return io_reader_nomem(reader);
    return KARP_OK;
}

/* "v1.37.2-eks-1234567" */
static bool is_late(karp_str kubelet)
{
    unsigned minor = 0;
    if (!str_starts(kubelet, "v1.")) return false;
    for (size_t i = 3; i < kubelet.len && i < 6 && kubelet.ptr[i] >= '0' && kubelet.ptr[i] <= '9'; i++)
        minor = minor * 10 + (unsigned)(kubelet.ptr[i] - '0');
    return minor >= 37;
}

/* Whether these two plugins are on is not known, and by default they are not. */
static karp_status note_namespace(karp_reader *reader, const io_deferred *w)
{
    static const struct {
        const char *annotation, *plugin;
    } known[] = { { "scheduler.alpha.kubernetes.io/node-selector", "PodNodeSelector" },
                  { "scheduler.alpha.kubernetes.io/defaultTolerations", "PodTolerationRestriction" },
                  { "scheduler.alpha.kubernetes.io/tolerationsWhitelist", "PodTolerationRestriction" } };
    const tree *annotations = tree_get(tree_get(w->root, "metadata"), "annotations");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        karp_str value = tree_get_text(annotations, known[i].annotation);
        if (value.len == 0) continue;
        karp_status status = io_warn(
            reader,
            "Namespace %.*s: its annotation %s (%.*s) is not applied to pods; it has an effect where the API "
            "server runs the admission plugin %s",
            str_shown(w->name, 100), w->name.ptr, known[i].annotation, str_shown(value, 100), value.ptr,
            known[i].plugin);
        if (status) return status;
    }
    return io_note_injected(reader, w, tree_get(w->root, "metadata"), NULL);
}

karp_status io_admission_note(io_admission *a, karp_reader *reader, const io_deferred *w)
{
    if (w->gone || w->stated) return KARP_OK;
    bool bounds = w->info->kind == IO_KIND_LIMIT_RANGE || w->info->kind == IO_KIND_QUOTA ||
                  str_is(str(w->info->name), "RuntimeClass");
    /* A wrong one is found before the pods that it completes. */
    karp_status status = bounds ? io_object_check(reader, w->info, w->root, &w->place) : KARP_OK;
    if (status) return status;
    if (w->info->kind == IO_KIND_NODE)
        a->late = a->late ||
                  is_late(tree_get_text(tree_get(tree_get(w->root, "status"), "nodeInfo"), "kubeletVersion"));
    if (w->info->kind == IO_KIND_NAMESPACE) return note_namespace(reader, w);
    return w->info->kind == IO_KIND_LIMIT_RANGE ? note_range(a, reader, w) : KARP_OK;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static const tree *requests_of(const tree *container) { return tree_get(tree_get(container, "resources"), "requests"); }

/* A LimitRange's own defaults: limits are the maximum, requests are the limits, else the minimum. */
static void fill_container(trees *t, tree *container, const tree *limit)
{
    tree *resources = tree_own(t, container, "resources", TREE_MAP);
    tree *limits = tree_own(t, resources, "limits", TREE_MAP), *requests = tree_own(t, resources, "requests", TREE_MAP);
    if (!limits || !requests) return;
    const tree *defaults = tree_get(limit, "default"), *most = tree_get(limit, "max");
    tree_set_missing(t, requests, limits);
    tree_set_missing(t, requests, tree_get(limit, "defaultRequest"));
    tree_set_missing(t, limits, defaults);
    tree_set_missing(t, limits, most);
    tree_set_missing(t, requests, defaults);
    tree_set_missing(t, requests, most);
    tree_set_missing(t, requests, tree_get(limit, "min"));
}

static void fill_containers(trees *t, tree *spec, const tree *limit)
{
    for (size_t k = 0; k < 2; k++) {
        if (!tree_is(tree_get(spec, lists[k]), TREE_LIST)) continue;
        const tree *given = tree_get(spec, lists[k]);
        tree *list = tree_new(t, TREE_LIST);
        for (size_t i = 0; i < tree_count(given); i++) {
            tree *container = tree_copy(t, tree_item(given, i));
            if (tree_is(container, TREE_MAP)) fill_container(t, container, limit);
            tree_append(t, list, container);
        }
        tree_set(t, spec, lists[k], list);
    }
}

static bool any_requests(const tree *spec, karp_str resource)
{
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(spec, lists[k]);
        for (size_t i = 0; i < tree_count(list); i++) {
            const tree *container = tree_item(list, i);
            if (tree_find_str(requests_of(container), resource) ||
                tree_find_str(tree_get(tree_get(container, "resources"), "limits"), resource))
                return true;
        }
    }
    return false;
}

/* Before 1.37 a pod-level limit becomes the pod's request although a LimitRange gives requests to containers then. */
static void fill_pod_requests(trees *t, tree *spec)
{
    const tree *limits = tree_get(tree_get(spec, "resources"), "limits");
    if (!tree_is(limits, TREE_MAP)) return;
    tree *requests = tree_own(t, tree_own(t, spec, "resources", TREE_MAP), "requests", TREE_MAP);
    for (size_t i = 0; requests && i < tree_count(limits); i++) {
        const tree_member *m = tree_member_at(limits, i);
        karp_str name = tree_member_name(m);
        if (!tree_find_str(requests, name) && !any_requests(spec, name)) tree_set_str(t, requests, name, m->value);
    }
}

typedef void each_limit(void *user, const io_deferred *range, const tree *limit);

static void each_of(const io_admission *a, const karp_reader *reader, karp_str namespace_, each_limit *call, void *user)
{
    uint32_t head = io_table_get(&a->first, namespace_);
    for (uint32_t at = head == IO_NONE ? 0 : head + 1; at; at = a->ranges[at - 1].next) {
        const io_deferred *w = &reader->deferred[a->ranges[at - 1].number];
        const tree *limits = tree_get(tree_get(w->root, "spec"), "limits");
        for (size_t i = 0; i < tree_count(limits); i++) call(user, w, tree_item(limits, i));
    }
}

typedef struct filling {
    trees *t;
    tree *spec;
} filling;

static void fill_by(void *user, const io_deferred *range, const tree *limit)
{
    const filling *f = user;
    (void)range;
    if (str_is(tree_get_text(limit, "type"), "Container")) fill_containers(f->t, f->spec, limit);
}

/* ---- RuntimeClass ------------------------------------------------------------------------------------------------ */

static void add_tolerations(trees *t, tree *spec, const tree *tolerations)
{
    if (tree_count(tolerations) == 0) return;
    tree *list = tree_own(t, spec, "tolerations", TREE_LIST);
    for (size_t i = 0; list && i < tree_count(tolerations); i++) tree_append(t, list, tree_item(tolerations, i));
}

static const tree *class_of(const karp_reader *reader, karp_str name)
{
    return io_find_tree(reader, str("RuntimeClass"), str(""), name);
}

static karp_status apply_class(karp_reader *reader, trees *t, tree *spec)
{
    karp_str name = tree_get_text(spec, "runtimeClassName");
    if (name.len == 0) return KARP_OK;
    const tree *class_ = class_of(reader, name), *scheduling = tree_get(class_, "scheduling"),
               *overhead = tree_get(tree_get(class_, "overhead"), "podFixed"),
               *selector = tree_get(scheduling, "nodeSelector");
    if (!class_)
        return io_warn_once(reader,
                            "RuntimeClass %.*s is not in the input, so its overhead, node selector and tolerations are "
                            "not added to the pods that name it",
                            str_shown(name, 100), name.ptr);
    if (overhead && !tree_get(spec, "overhead")) tree_set(t, spec, "overhead", tree_copy(t, overhead));
    if (tree_count(selector) > 0) tree_set_missing(t, tree_own(t, spec, "nodeSelector", TREE_MAP), selector);
    add_tolerations(t, spec, tree_get(scheduling, "tolerations"));
    return KARP_OK;
}

/* ---- PriorityClass ----------------------------------------------------------------------------------------------- */

const io_system_class io_system_classes[IO_SYSTEM_CLASSES] = { { "system-cluster-critical", "2000000000" },
                                                               { "system-node-critical", "2000001000" } };

/* The priority itself is filled in later. */
static karp_status note_priority(karp_reader *reader, const tree *spec)
{
    karp_str name = tree_get_text(spec, "priorityClassName");
    char meant[MEANT];
    nearest near = nearest_to(name);
    if (name.len == 0 || tree_get(spec, "priority")) return KARP_OK;
    if (io_find_tree(reader, str("PriorityClass"), str(""), name)) return KARP_OK;
    for (size_t i = 0; i < IO_SYSTEM_CLASSES; i++) {
        if (str_is(name, io_system_classes[i].name)) return KARP_OK;
        nearest_offer(&near, str(io_system_classes[i].name));
    }
    return io_warn_once(reader,
                        "PriorityClass %.*s is not in the input, so the pods that name it have the priority 0; the API "
                        "server refuses them if the cluster does not have it%s",
                        str_shown(name, 100), name.ptr, io_meant(&near, meant));
}

karp_status io_admit(const io_admission *a, karp_reader *reader, trees *t, tree *spec, karp_str namespace_)
{
    if (!tree_is(spec, TREE_MAP)) return KARP_OK;
    if (io_table_get(&a->first, namespace_) != IO_NONE) {
        filling f = { t, spec };
        if (!a->late) fill_pod_requests(t, spec);
        each_of(a, reader, namespace_, fill_by, &f);
    }
    karp_status status = apply_class(reader, t, spec);
    return status ? status : note_priority(reader, spec);
}

/* "cpu 500m, memory 256Mi": what the first container requests that has got requests; "" = none has. */
static void show_given(const tree *before, const tree *after, char *text, size_t room)
{
    for (size_t k = 0; k < 2 && text[0] == '\0'; k++) {
        const tree *had = tree_get(before, lists[k]), *has = tree_get(after, lists[k]);
        for (size_t i = 0; i < tree_count(has) && text[0] == '\0'; i++) {
            const tree *own = requests_of(tree_item(had, i)), *all = requests_of(tree_item(has, i));
            for (size_t m = 0; m < tree_count(all); m++) {
                const tree_member *one = tree_member_at(all, m);
                karp_str name = tree_member_name(one), value = tree_text_or_digits(one->value);
                if (tree_find_str(own, name)) continue;
                str_append(text, room, "%s%.*s %.*s", text[0] ? ", " : "", str_shown(name, 60), name.ptr,
                           str_shown(value, 40), value.ptr);
            }
        }
    }
}

karp_status io_admit_created(io_admission *a, karp_reader *reader, trees *t, tree *spec, const io_deferred *of)
{
    uint32_t head = io_table_get(&a->first, of->namespace_);
    bool tells = head != IO_NONE && !a->ranges[head].told && tree_is(spec, TREE_MAP);
    const tree *before = tells ? tree_copy(t, spec) : NULL;
    char given[240] = "";
    karp_status status = io_admit(a, reader, t, spec, of->namespace_);
    if (status || !before) return status;
    show_given(before, spec, given, sizeof given);
    if (given[0] == '\0') return KARP_OK;
    const io_deferred *first = &reader->deferred[a->ranges[head].number];
    a->ranges[head].told = true;
    return io_warn(
        reader,
        "LimitRange %.*s/%.*s%s gives containers the requests that they do not state, as when the API server "
        "creates the pods (%s %.*s: %s)",
        str_shown(of->namespace_, 64), of->namespace_.ptr, str_shown(first->name, 100), first->name.ptr,
        a->ranges[head].next ? " and others" : "", of->info->name, str_shown(of->name, 100), of->name.ptr, given);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

typedef struct refusing {
    const tree *spec;
    char *why;
    size_t room;
} refusing;

static bool is_more(karp_str a, karp_str b)
{
    int32_t compared = 0;
    return a.len && b.len && karp_quantity_compare(a, b, &compared) == KARP_OK && compared > 0;
}

static karp_str stated_in(const tree *amounts, karp_str resource)
{
    return tree_text_or_digits(tree_find_str(amounts, resource));
}

/* What a container, or a pod as a whole, states of one resource; "" = nothing. */
typedef struct stated {
    const char *of;
    karp_str request, limit;
} stated;

static void refuse(const refusing *r, const io_deferred *range, const char *bound, const tree_member *m,
                   const stated *s, karp_str is)
{
    karp_str name = tree_member_name(m), limit = tree_text_or_digits(m->value);
    if (r->why[0]) return;
    str_append(r->why, r->room, "LimitRange %.*s: the %s %.*s of a %s is %.*s, ", str_shown(range->name, 100),
               range->name.ptr, bound, str_shown(name, 60), name.ptr, s->of, str_shown(limit, 40), limit.ptr);
    if (is.len) str_append(r->why, r->room, "not %.*s", str_shown(is, 40), is.ptr);
    else str_append(r->why, r->room, "and it states none");
}

static bool is_zero(karp_str amount)
{
    int32_t compared = 0;
    return karp_quantity_compare(amount, str("0"), &compared) == KARP_OK && compared == 0;
}

/* Whether the limit is more than `most` times the request, in the precision of LimitRanger. */
static bool is_over_ratio(const stated *s, karp_str most, double *ratio)
{
    double request = 0, limit = 0, bound = 0;
    if (karp_quantity_double(s->request, &request) != KARP_OK || karp_quantity_double(s->limit, &limit) != KARP_OK ||
        karp_quantity_double(most, &bound) != KARP_OK || request <= 0)
        return false;
    *ratio = limit / request;
    return *ratio * 1000 > bound * 1000;
}

static void refuse_ratio(const refusing *r, const io_deferred *range, const tree_member *m, const stated *s)
{
    karp_str most = tree_text_or_digits(m->value), name = tree_member_name(m);
    double ratio = 0;
    const char *lacks = s->request.len == 0 || is_zero(s->request) ? "request"
                        : s->limit.len == 0 || is_zero(s->limit)   ? "limit"
                                                                   : NULL;
    if (r->why[0] || (!lacks && !is_over_ratio(s, most, &ratio))) return;
    str_append(r->why, r->room, "LimitRange %.*s: the limit of %.*s of a %s is at most %.*s times its request, ",
               str_shown(range->name, 100), range->name.ptr, str_shown(name, 60), name.ptr, s->of, str_shown(most, 40),
               most.ptr);
    if (lacks) str_append(r->why, r->room, "and it states no %s", lacks);
    else str_append(r->why, r->room, "not %.6g times", ratio);
}

/* One member of `min`, `max` or `maxLimitRequestRatio`. */
typedef void refuse_bound(const refusing *r, const io_deferred *range, const tree_member *m, const stated *s);

static void refuse_most(const refusing *r, const io_deferred *range, const tree_member *m, const stated *s)
{
    karp_str most = tree_text_or_digits(m->value);
    if (s->limit.len == 0 || is_more(s->limit, most)) refuse(r, range, "maximum", m, s, s->limit);
    else if (is_more(s->request, most)) refuse(r, range, "maximum", m, s, s->request);
}

static void refuse_least(const refusing *r, const io_deferred *range, const tree_member *m, const stated *s)
{
    karp_str least = tree_text_or_digits(m->value);
    if (s->request.len == 0 || is_more(least, s->request)) refuse(r, range, "minimum", m, s, s->request);
    else if (is_more(least, s->limit)) refuse(r, range, "minimum", m, s, s->limit);
}

static const struct {
    const char *member;
    refuse_bound *call;
} bounds[] = { { "min", refuse_least }, { "max", refuse_most }, { "maxLimitRequestRatio", refuse_ratio } };

/* `container` NULL = the pod as a whole. */
static void refuse_stated(const refusing *r, const io_deferred *range, const tree *limit, const tree *container)
{
    char request[KARP_VALUE_TEXT], most[KARP_VALUE_TEXT];
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        const tree *list = tree_get(limit, bounds[k].member);
        for (size_t i = 0; tree_is(list, TREE_MAP) && i < tree_count(list); i++) {
            const tree_member *m = tree_member_at(list, i);
            karp_str name = tree_member_name(m);
            stated s = { "container", stated_in(requests_of(container), name),
                         stated_in(tree_get(tree_get(container, "resources"), "limits"), name) };
            if (container && s.request.len == 0) s.request = s.limit; /* as the API server fills it in */
            if (!container) {
                io_pod_amount_alone(r->spec, name, false, request);
                io_pod_amount_alone(r->spec, name, true, most);
                s = (stated){ "pod", str(request), str(most) };
            }
            bounds[k].call(r, range, m, &s);
        }
    }
}

static void refuse_by(void *user, const io_deferred *range, const tree *limit)
{
    const refusing *r = user;
    karp_str type = tree_get_text(limit, "type");
    if (str_is(type, "Pod")) refuse_stated(r, range, limit, NULL);
    if (!str_is(type, "Container")) return;
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(r->spec, lists[k]);
        for (size_t i = 0; i < tree_count(list); i++) refuse_stated(r, range, limit, tree_item(list, i));
    }
}

void io_admission_refuses(const io_admission *a, const karp_reader *reader, const tree *spec, karp_str namespace_,
                          char *why, size_t room)
{
    refusing r = { spec, why, room };
    io_pod_security_refuses(reader, spec, namespace_, why, room);
    if (io_table_get(&a->first, namespace_) != IO_NONE) each_of(a, reader, namespace_, refuse_by, &r);
    karp_str name = tree_get_text(spec, "runtimeClassName");
    const tree *wanted = tree_get(tree_get(name.len ? class_of(reader, name) : NULL, "scheduling"), "nodeSelector");
    for (size_t i = 0; tree_is(wanted, TREE_MAP) && i < tree_count(wanted) && why[0] == '\0'; i++) {
        karp_str key = tree_member_name(tree_member_at(wanted, i)), value = tree_text(tree_member_at(wanted, i)->value);
        const tree *has = tree_find_str(tree_get(spec, "nodeSelector"), key);
        if (has && !equal_str(tree_text(has), value))
            str_append(why, room,
                       "RuntimeClass %.*s needs the node label %.*s=%.*s, and its node selector has another value",
                       str_shown(name, 100), name.ptr, str_shown(key, 100), key.ptr, str_shown(value, 60), value.ptr);
    }
}
