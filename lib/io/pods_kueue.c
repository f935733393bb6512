/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is queued with pod templates of its own: Workloads of Kueue, and ProvisioningRequests. They create no pods: they
 * ask whether some may be created. Their pods are made only for such questions (karp_reader_options.queued). Sources:
 * Kueue 0.17.0, apis/kueue/v1beta1 and pkg/cache/scheduler; cluster-autoscaler's apis/provisioningrequest/v1.
 */
#include <io/pods_rules.h>

#include <io/fill.h>
#include <io/make_object.h>

#include <string.h>

static bool condition_is_true(const io_pods *p, const char *type)
{
    return str_is(io_condition_status(io_at_path(p->object, "/status/conditions"), type), "True");
}

static karp_str joined(io_pods *p, karp_str name, const char *between, karp_str part)
{
    return io_pods_text(p, "%.*s%s%.*s", str_shown(name, 250), name.ptr, between, str_shown(part, 250), part.ptr);
}

/* ---- pod sets ---------------------------------------------------------------------------------------------------- */

/* A pod set of a Workload, with what it asks of the topology. */
typedef struct pod_set {
    const tree *given;
    karp_str name, required, slice_level, together; /* together: pod sets with this name are in one domain */
    uint64_t count, least, slice; /* slice 0 = there are none */
} pod_set;

/* The request of the Workload, else the annotation that it is made of. */
static karp_str asked(const tree *set, const char *field, const char *annotation)
{
    karp_str stated = tree_get_text(tree_get(set, "topologyRequest"), field);
    const tree *metadata = tree_get(tree_get(set, "template"), "metadata");
    return stated.len ? stated : tree_get_text(tree_get(metadata, "annotations"), annotation);
}

static uint64_t whole(const tree *object, const char *name, uint64_t absent)
{
    int64_t value = 0;
    return tree_integer(tree_get(object, name), &value) && value >= 0 ? (uint64_t)value : absent;
}

/* Pods that have done their work, and are not created again. */
static uint64_t reclaimable(const io_pods *p, karp_str name)
{
    const tree *list = io_at_path(p->object, "/status/reclaimablePods");
    for (size_t i = 0; tree_is(list, TREE_LIST) && i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        if (equal_str(tree_get_text(one, "name"), name)) return whole(one, "count", 0);
    }
    return 0;
}

static pod_set read_set(const io_pods *p, const tree *given)
{
    karp_str name = tree_get_text(given, "name"), size = { "", 0 };
    pod_set s = { .given = given,
                  .name = name.len ? name : str("main"),
                  .required = asked(given, "required", "kueue.x-k8s.io/podset-required-topology"),
                  .slice_level = asked(given, "podSetSliceRequiredTopology",
                                       "kueue.x-k8s.io/podset-slice-required-topology"),
                  .together = asked(given, "podSetGroupName", "kueue.x-k8s.io/podset-group-name"),
                  .count = whole(given, "count", 1) };
    uint64_t done = reclaimable(p, s.name);
    s.count = s.count > done ? s.count - done : 0;
    s.least = whole(given, "minCount", s.count);
    if (s.least > s.count) s.least = s.count;
    s.slice = whole(tree_get(given, "topologyRequest"), "podSetSliceSize", 0);
    const tree *metadata = tree_get(tree_get(given, "template"), "metadata");
    size = tree_get_text(tree_get(metadata, "annotations"), "kueue.x-k8s.io/podset-slice-size");
    for (size_t i = 0; s.slice == 0 && i < size.len && is_digit(size.ptr[i]) && i < 9; i++)
        s.slice = s.slice * 10 + (uint64_t)(size.ptr[i] - '0');
    if (s.slice_level.len == 0 || s.slice == 0) s.slice = 0;
    return s;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A group of Kueue's; a level of its topology is a label key. */
static karp_pod_group new_group(io_pods *p, karp_str name, karp_str parent, bool composite, uint64_t least,
                                karp_str level)
{
    karp_pod_group g;
    int64_t priority = 0;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = name;
    g.meta.namespace_ = p->namespace_;
    g.meta.creation = io_creation(p->object);
    g.source = KARP_GROUP_KUEUE;
    g.composite = composite;
    g.min_count = least < 1 ? 1 : least < INT32_MAX ? (int32_t)least : INT32_MAX;
    g.topology_key = level;
    g.parent = parent;
    if (tree_integer(io_at_path(p->object, "/spec/priority"), &priority) && priority >= INT32_MIN &&
        priority <= INT32_MAX) {
        g.has_priority = 1;
        g.priority = (int32_t)priority;
    }
    return g;
}

/* A label's value has at most 63 characters; names of Workloads end with what tells them apart. */
static karp_str label_value(karp_str name)
{
    enum { MOST = 63 };
    if (name.len <= MOST) return name;
    karp_str end = { name.ptr + name.len - MOST, MOST };
    while (end.len > 1 && (end.ptr[0] == '-' || end.ptr[0] == '.')) end = (karp_str){ end.ptr + 1, end.len - 1 };
    return end;
}

/* Adds pods of the set to the group. */
static void add_pods(io_pods *p, const pod_set *s, karp_str pods, karp_str group, uint64_t first, uint64_t count)
{
    io_pod_set *set = io_pods_add(p, tree_get(s->given, "template"), pods, count);
    if (!set) return;
    set->first = first;
    io_set_label(p, set, "kueue.x-k8s.io/pod-group-name", group);
}

static void add_set(io_pods *p, const pod_set *s, karp_str parent)
{
    static const karp_str none = { "", 0 };
    karp_str pods = joined(p, p->name, "-", s->name), name = label_value(joined(p, p->name, ".", s->name));
    if (s->count == 0) return;
    if (s->slice == 0) {
        io_pods_add_group(p, new_group(p, name, parent, false, s->least, s->together.len ? none : s->required));
        add_pods(p, s, pods, name, 0, s->count);
        return;
    }
    uint64_t slices = s->count / s->slice; /* Kueue assigns whole slices alone */
    io_pods_add_group(p, new_group(p, name, parent, true, slices, s->together.len ? none : s->required));
    if (s->count % s->slice)
        io_pods_note(p, "%s %.*s: %llu pods in slices of %llu: Kueue assigns whole slices alone", p->kind->info.name,
                     str_shown(p->name, 100), p->name.ptr, (unsigned long long)s->count, (unsigned long long)s->slice);
    for (uint64_t i = 0; i < slices && !p->d->status && !p->t->status; i++) {
        karp_str slice = label_value(
            io_pods_text(p, "%.*s.%llu", str_shown(name, 250), name.ptr, (unsigned long long)i));
        io_pods_add_group(p, new_group(p, slice, name, false, s->slice, s->slice_level));
        add_pods(p, s, pods, slice, i * s->slice, s->slice);
    }
}

enum { MOST_SETS = 8 };

/* Pod sets with one name for their group share a domain of the level that they require. */
static void add_together(io_pods *p, const pod_set *sets, size_t count, size_t from, karp_str parent)
{
    karp_str name = label_value(joined(p, p->name, ".", sets[from].together));
    uint64_t members = 0;
    for (size_t i = from; i < count; i++) members += equal_str(sets[i].together, sets[from].together);
    io_pods_add_group(p, new_group(p, name, parent, true, members, sets[from].required));
    for (size_t i = from; i < count; i++) {
        if (equal_str(sets[i].together, sets[from].together)) add_set(p, &sets[i], name);
    }
}

static void add_sets(io_pods *p, const pod_set *sets, size_t count)
{
    static const karp_str none = { "", 0 };
    uint64_t parts = 0;
    for (size_t i = 0; i < count; i++) {
        bool first = sets[i].together.len > 0;
        for (size_t k = 0; k < i; k++) first = first && !equal_str(sets[i].together, sets[k].together);
        parts += sets[i].count > 0 && (first || sets[i].together.len == 0);
    }
    karp_str name = label_value(p->name);
    io_pods_add_group(p, new_group(p, name, none, true, parts, none));
    for (size_t i = 0; i < count && !p->d->status; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && sets[i].together.len; k++)
            seen = seen || equal_str(sets[i].together, sets[k].together);
        if (sets[i].together.len == 0) add_set(p, &sets[i], name);
        else if (!seen) add_together(p, sets, count, i, name);
    }
}

static bool is_simple(const pod_set *s) { return s->slice == 0 && s->together.len == 0; }

void io_make_kueue_workload(io_pods *p)
{
    size_t count = 0;
    pod_set sets[MOST_SETS];
    const tree *spec = tree_get(p->object, "spec");
    if (!p->queued || condition_is_true(p, "Admitted") || condition_is_true(p, "Finished")) return;
    const tree *list = io_array(p->d, spec, "podSets", &count);
    if (tree_is(tree_get(spec, "active"), TREE_FALSE)) return;
    if (count > MOST_SETS) count = MOST_SETS; /* the API server refuses more */
    for (size_t i = 0; i < count; i++) sets[i] = read_set(p, tree_item(list, i));
    if (count != 1 || !is_simple(&sets[0])) {
        add_sets(p, sets, count);
        return;
    }
    karp_str name = label_value(p->name), none = { "", 0 };
    io_pods_add_group(p, new_group(p, name, none, false, sets[0].least, sets[0].required));
    add_pods(p, &sets[0], joined(p, p->name, "-", sets[0].name), name, 0, sets[0].count);
}

/* ---- ProvisioningRequest ----------------------------------------------------------------------------------------- */

/* What decides on the conditions of the request, as labels of its pods: they exist only for the question. */
static void mark_class(io_pods *p, const io_pod_set *set)
{
    const tree *spec = tree_get(p->object, "spec");
    karp_str class_name = tree_get_text(spec, "provisioningClassName");
    if (!set || !str_ends(class_name, ".autoscaling.x-k8s.io") || class_name.len > 63) return; /* of others */
    io_set_label(p, set, "autoscaling.x-k8s.io/provisioning-class-name", class_name);
    if (str_is(tree_get_text(tree_get(spec, "parameters"), "noRetry"), "true"))
        io_set_label(p, set, "autoscaling.x-k8s.io/no-retry", str("true"));
}

void io_make_provisioning_request(io_pods *p)
{
    size_t count = 0;
    if (!p->queued)
        io_pods_note(p, "ProvisioningRequest %.*s asks for capacity and creates no pods: karp admit answers it",
                     str_shown(p->name, 100), p->name.ptr);
    if (!p->queued || condition_is_true(p, "Provisioned") || condition_is_true(p, "Failed")) return;
    const tree *list = io_array(p->d, tree_get(p->object, "spec"), "podSets", &count);
    for (size_t i = 0; i < count && !p->d->status; i++) {
        const tree *one = tree_item(list, i);
        karp_str name = tree_get_text(tree_get(one, "podTemplateRef"), "name");
        const tree *from = p->find ? p->find(p->user, "PodTemplate", p->namespace_, name) : NULL;
        if (!from) {
            io_pods_problem(p, "the input has no PodTemplate %.*s: add it (kubectl get podtemplate %.*s -o yaml)",
                            str_shown(name, 100), name.ptr, str_shown(name, 100), name.ptr);
            return;
        }
        mark_class(p, io_pods_add(p, tree_get(from, "template"),
                                  io_pods_text(p, "%.*s-%zu", str_shown(p->name, 250), p->name.ptr, i),
                                  whole(one, "count", 1)));
    }
}
