/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workloads of Kueue, and the objects for which it makes some: what is queued until it is admitted. A Workload becomes
 * groups of pods (karp/groups.h), and its pods are made only for the question about its admission
 * (karp_reader_options.queued). Source: Kueue 0.17.0, apis/kueue/v1beta1, pkg/controller/jobs, pkg/cache/scheduler.
 */
#include <io/pods_rules.h>

#include <io/fill.h>

#include <karp/library.h>

static const karp_str nothing = { "", 0 };

static bool condition_is_true(const io_pods *p, const char *type)
{
    return str_is(io_condition_status(io_at_path(p->object, "/status/conditions"), type), "True");
}

static karp_str joined(io_pods *p, karp_str name, const char *between, karp_str part)
{
    return io_pods_text(p, "%.*s%s%.*s", str_shown(name, 250), name.ptr, between, str_shown(part, 250), part.ptr);
}

/* ---- pod sets ---------------------------------------------------------------------------------------------------- */

enum { MOST_SETS = 16 };

/* A pod set, with what it asks of the topology. Its pods are those of the parts, one after another. */
typedef struct pod_set {
    const io_pod_set *parts;
    size_t part_count;
    karp_str name, required, slice_level, together; /* together: pod sets with this name are in one domain */
    uint64_t count, least, slice; /* slice 0 = there are none */
    bool topology; /* it has a topology request of any kind */
} pod_set;

/* The request of the Workload, else the annotation that it is made of. */
static karp_str asked(const tree *request, const tree *annotations, const char *field, const char *annotation)
{
    karp_str stated = tree_get_text(request, field);
    return stated.len ? stated : tree_get_text(annotations, annotation);
}

static uint64_t whole(const tree *object, const char *name, uint64_t absent)
{
    int64_t value = 0;
    return tree_integer(tree_get(object, name), &value) && value >= 0 ? (uint64_t)value : absent;
}

static uint64_t digits_of(karp_str text)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.len && i < 9 && is_digit(text.ptr[i]); i++)
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    return value;
}

/* `given`: the pod set of a Workload; NULL = the pods of an object for which Kueue makes one. */
static void read_request(const tree *given, pod_set *s)
{
    const tree *request = tree_get(given, "topologyRequest");
    const tree *annotations = tree_get(tree_get(s->parts[0].template_, "metadata"), "annotations");
    s->required = asked(request, annotations, "required", "kueue.x-k8s.io/podset-required-topology");
    s->slice_level = asked(request, annotations, "podSetSliceRequiredTopology",
                           "kueue.x-k8s.io/podset-slice-required-topology");
    s->together = asked(request, annotations, "podSetGroupName", "kueue.x-k8s.io/podset-group-name");
    s->slice = whole(request, "podSetSliceSize", 0);
    if (s->slice == 0) s->slice = digits_of(tree_get_text(annotations, "kueue.x-k8s.io/podset-slice-size"));
    if (s->slice_level.len == 0) s->slice = 0;
    s->topology = s->required.len || s->slice || tree_is(tree_get(request, "unconstrained"), TREE_TRUE) ||
                  asked(request, annotations, "preferred", "kueue.x-k8s.io/podset-preferred-topology").len ||
                  str_is(tree_get_text(annotations, "kueue.x-k8s.io/podset-unconstrained-topology"), "true");
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

static pod_set read_set(const io_pods *p, const tree *given, const io_pod_set *part)
{
    karp_str name = tree_get_text(given, "name");
    pod_set s = {
        .parts = part, .part_count = 1, .name = name.len ? name : str("main"), .count = whole(given, "count", 1)
    };
    uint64_t done = reclaimable(p, s.name);
    s.count = s.count > done ? s.count - done : 0;
    s.least = whole(given, "minCount", s.count);
    if (s.least > s.count) s.least = s.count;
    read_request(given, &s);
    return s;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A Workload that is being made. */
typedef struct making {
    io_pods *p;
    const tree *priority; /* NULL = that of the pods */
    io_kueue_choices choices; /* of its queue */
    bool known; /* the queue is in the input */
    const io_kueue_choice *choice; /* of the pod set at hand; NULL = its nodes are not restricted */
    karp_str more; /* what names of pods have besides: other alternatives have the plain ones */
} making;

/* A group of Kueue's; a level of its topology is a label key. */
static karp_pod_group new_group(const making *m, karp_str name, karp_str parent, bool composite, uint64_t least,
                                karp_str level)
{
    karp_pod_group g;
    int64_t priority = 0;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = name;
    g.meta.namespace_ = m->p->namespace_;
    g.meta.creation = io_creation(m->p->object);
    g.source = KARP_GROUP_KUEUE;
    g.composite = composite;
    g.min_count = least < 1 ? 1 : least < INT32_MAX ? (int32_t)least : INT32_MAX;
    g.topology_key = level;
    g.parent = parent;
    if (tree_integer(m->priority, &priority) && priority >= INT32_MIN && priority <= INT32_MAX) {
        g.has_priority = 1;
        g.priority = (int32_t)priority;
    }
    return g;
}

static void add_group(const making *m, karp_str name, karp_str parent, bool composite, uint64_t least, karp_str level)
{
    io_pods_add_group(m->p, new_group(m, name, parent, composite, least, level));
}

/* Adds pods of the set to the group. */
static void add_pods(const making *m, const pod_set *s, karp_str group, uint64_t first, uint64_t count)
{
    for (size_t i = 0; i < s->part_count && count > 0; i++) {
        const io_pod_set *part = &s->parts[i];
        if (first >= part->count) {
            first -= part->count;
            continue;
        }
        uint64_t here = part->count - first < count ? part->count - first : count;
        karp_str name = m->more.len ? joined(m->p, part->name, "-", m->more) : part->name;
        io_pod_set *set = io_pods_add(m->p, part->template_, name, here);
        if (!set) return;
        set->claims = part->claims;
        set->runs = part->runs;
        set->first = part->first + first;
        set->group = group;
        set->group_source = KARP_GROUP_KUEUE;
        if (m->choice) io_kueue_apply(m->p, set, m->choice);
        count -= here;
        first = 0;
    }
}

/* The number of a level in the topology; the number of levels = it has none such. */
static size_t level_at(const tree *levels, karp_str level)
{
    size_t i = 0;
    while (i < tree_count(levels) && !equal_str(tree_get_text(tree_item(levels, i), "nodeLabel"), level)) i++;
    return i;
}

/* A domain of a level is one of the levels above it as well, since a rack may have the name of one in another block.
 * Adds composites for those from `from` on; returns the name that the group of the level has below them. */
static karp_str enter_levels(const making *m, karp_str name, karp_str *parent, karp_str level, size_t from)
{
    const tree *levels = m->choice ? m->choice->levels : NULL;
    size_t end = level.len ? level_at(levels, level) : 0;
    if (end == tree_count(levels) || str_is(level, "kubernetes.io/hostname")) return name;
    for (size_t i = from; i < end; i++) {
        karp_str above = tree_get_text(tree_item(levels, i), "nodeLabel");
        karp_str next = str_after(i + 1 < end ? tree_get_text(tree_item(levels, i + 1), "nodeLabel") : level, '/');
        add_group(m, name, *parent, true, 1, above);
        *parent = name;
        name = joined(m->p, name, ".", next);
    }
    return name;
}

static void add_slices(const making *m, const pod_set *s, karp_str name)
{
    io_pods *p = m->p;
    const tree *levels = m->choice ? m->choice->levels : NULL;
    size_t from = s->required.len && s->together.len == 0 ? level_at(levels, s->required) + 1 : 0;
    uint64_t slices = s->count / s->slice; /* Kueue assigns whole slices alone */
    if (s->count % s->slice)
        io_pods_note(p, "%s %.*s: %llu pods in slices of %llu: Kueue assigns whole slices alone", p->kind->info.name,
                     str_shown(p->name, 100), p->name.ptr, (unsigned long long)s->count, (unsigned long long)s->slice);
    for (uint64_t i = 0; i < slices && !p->d->status && !p->t->status; i++) {
        karp_str parent = name;
        karp_str slice = io_pods_text(p, "%.*s.%llu", str_shown(name, 250), name.ptr, (unsigned long long)i);
        slice = enter_levels(m, slice, &parent, s->slice_level, from);
        add_group(m, slice, parent, false, s->slice, s->slice_level);
        add_pods(m, s, slice, i * s->slice, s->slice);
    }
}

/* Adds the set; `alone`: in a domain of its own, not in that of sets it is together with. */
static void add_set(const making *m, const pod_set *s, karp_str name, karp_str parent, bool alone)
{
    karp_str level = alone ? s->required : nothing;
    if (s->count == 0) return;
    name = enter_levels(m, name, &parent, level, 0);
    if (s->slice > 0) {
        add_group(m, name, parent, true, s->count / s->slice, level);
        add_slices(m, s, name);
        return;
    }
    add_group(m, name, parent, false, s->least, level);
    add_pods(m, s, name, 0, s->count);
}

/* ---- units: a pod set, or several in one domain ------------------------------------------------------------------ */

static bool same_unit(const pod_set *a, const pod_set *b)
{
    return a == b || (a->together.len > 0 && equal_str(a->together, b->together));
}

/* Adds the sets that are together with this one. */
static void add_together(const making *m, const pod_set *sets, size_t count, const pod_set *first, karp_str name,
                         karp_str parent)
{
    uint64_t members = 0;
    name = enter_levels(m, name, &parent, first->required, 0);
    for (size_t i = 0; i < count; i++) members += same_unit(&sets[i], first) && sets[i].count > 0;
    add_group(m, name, parent, true, members, first->required);
    for (size_t i = 0; i < count; i++) {
        if (same_unit(&sets[i], first)) add_set(m, &sets[i], joined(m->p, name, ".", sets[i].name), name, false);
    }
}

static void add_body(const making *m, const pod_set *sets, size_t count, const pod_set *first, karp_str name,
                     karp_str parent)
{
    if (first->together.len > 0) add_together(m, sets, count, first, name, parent);
    else add_set(m, first, name, parent, true);
}

/* What Kueue would assign is on the topmost group of the body, which is the first one that it adds. */
static void add_choice(making *m, const pod_set *sets, size_t count, const pod_set *first, karp_str name,
                       karp_str parent, const io_kueue_choice *choice, uint64_t number)
{
    size_t top = m->p->group_count;
    m->choice = choice;
    add_body(m, sets, count, first, name, parent);
    m->choice = NULL;
    if (m->p->group_count == top || m->p->t->status) return;
    karp_pod_group *g = &m->p->groups[top];
    g->resource_flavor = choice->name;
    g->refused = choice->refused;
    g->meta.creation = parent.len || number > 0 ? (int64_t)number : g->meta.creation; /* their order */
}

/* Adds the unit with the ResourceFlavors that it may get, as alternatives if there are several. */
static void add_unit(making *m, const pod_set *sets, size_t count, const pod_set *first, karp_str name, karp_str parent)
{
    io_pods *p = m->p;
    const io_kueue_asks asks = { .template_ = first->parts[0].template_,
                                 .topology = first->topology,
                                 .levels = { first->required, first->slice > 0 ? first->slice_level : nothing } };
    if (!m->known) {
        add_body(m, sets, count, first, name, parent);
        return;
    }
    io_kueue_choices choices = m->choices;
    io_kueue_list(p, &asks, &choices);
    if (choices.count == 1) {
        io_kueue_choice only = io_kueue_choice_at(p, &choices, &asks, 0);
        add_choice(m, sets, count, first, name, parent, &only, 0);
        return;
    }
    karp_pod_group g = new_group(m, name, parent, true, 1, nothing);
    g.one_of = 1;
    io_pods_add_group(p, g);
    for (uint64_t i = 0; i < choices.count && !p->d->status && !p->t->status; i++) {
        io_kueue_choice c = io_kueue_choice_at(p, &choices, &asks, i);
        m->more = i > 0 ? c.part : nothing;
        add_choice(m, sets, count, first, joined(p, name, ".", c.part), name, &c, i);
    }
    m->more = nothing;
}

static void add_workload(making *m, const pod_set *sets, size_t count, karp_str name)
{
    size_t units = 0, with_pods = 0;
    const pod_set *unit[MOST_SETS] = { NULL };
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < units && !same_unit(unit[k], &sets[i])) k++;
        if (k == units) unit[units++] = &sets[i];
        with_pods += sets[i].count > 0;
    }
    if (with_pods == 0) return;
    if (units == 1) {
        add_unit(m, sets, count, unit[0], name, nothing);
        return;
    }
    uint64_t parts = 0;
    for (size_t i = 0; i < units; i++) parts += unit[i]->together.len > 0 || unit[i]->count > 0;
    add_group(m, name, nothing, true, parts, nothing);
    for (size_t i = 0; i < units && !m->p->d->status; i++) {
        karp_str part = unit[i]->together.len > 0 ? unit[i]->together : unit[i]->name;
        if (unit[i]->together.len > 0 || unit[i]->count > 0)
            add_unit(m, sets, count, unit[i], joined(m->p, name, ".", part), name);
    }
}

static making begin(io_pods *p, karp_str queue)
{
    making m = { .p = p, .more = nothing };
    m.known = queue.len > 0 && io_kueue_find_queue(p, queue, &m.choices);
    return m;
}

void io_make_kueue_workload(io_pods *p)
{
    size_t count = 0;
    pod_set sets[MOST_SETS];
    io_pod_set parts[MOST_SETS];
    const tree *spec = tree_get(p->object, "spec");
    if (!p->queued || condition_is_true(p, "Admitted") || condition_is_true(p, "Finished")) return;
    const tree *list = io_array(p->d, spec, "podSets", &count);
    if (tree_is(tree_get(spec, "active"), TREE_FALSE)) return;
    if (count > MOST_SETS) count = MOST_SETS; /* the API server refuses more */
    for (size_t i = 0; i < count; i++) {
        const tree *given = tree_item(list, i);
        parts[i] = (io_pod_set){ .template_ = tree_get(given, "template") };
        sets[i] = read_set(p, given, &parts[i]);
        parts[i].name = joined(p, p->name, "-", sets[i].name);
        parts[i].count = sets[i].count;
    }
    making m = begin(p, tree_get_text(spec, "queueName"));
    m.priority = tree_get(spec, "priority");
    if (count > 0) add_workload(&m, sets, count, p->name);
}

/* ---- objects for which Kueue makes a Workload -------------------------------------------------------------------- */

karp_str io_kueue_queue(const tree *object)
{
    return tree_get_text(tree_get(tree_get(object, "metadata"), "labels"), "kueue.x-k8s.io/queue-name");
}

/* How the sets of pods of a kind become pod sets; a set is one of its own where nothing else is said. */
static const struct managed {
    const char *group; /* of the API */
    const char *workload; /* label: sets with the same value are a Workload of their own; NULL = all sets are one */
    const char *set; /* label: sets with the same value are one pod set */
} managed_kinds[] = {
    { "batch", NULL, NULL },
    { "jobset.x-k8s.io", NULL, "jobset.sigs.k8s.io/replicatedjob-name" },
    { "kubeflow.org", NULL, NULL },
    { "leaderworkerset.x-k8s.io", "leaderworkerset.sigs.k8s.io/group-index",
      "leaderworkerset.sigs.k8s.io/worker-index" },
    { "ray.io", NULL, NULL },
    { "sparkoperator.k8s.io", NULL, NULL },
    { "trainer.kubeflow.org", NULL, "jobset.sigs.k8s.io/replicatedjob-name" },
};

static const struct managed *managed_of(const io_pods *p)
{
    for (size_t i = 0; i < sizeof managed_kinds / sizeof *managed_kinds; i++) {
        if (strcmp(managed_kinds[i].group, p->kind->info.group) == 0) return &managed_kinds[i];
    }
    return NULL;
}

static karp_str label_of(const io_pod_set *set, const char *label)
{
    const tree *labels = tree_get(tree_get(set->template_, "metadata"), "labels");
    return label ? tree_get_text(labels, label) : nothing;
}

/* Whether the set goes on with the pod set of the one before it. */
static bool goes_on(const io_pods *p, const struct managed *k, const io_pod_set *before, const io_pod_set *set)
{
    bool one_template = strcmp(k->group, "leaderworkerset.x-k8s.io") == 0 &&
                        !io_at_path(p->object, "/spec/leaderWorkerTemplate/leaderTemplate");
    return k->set && (one_template || equal_str(label_of(before, k->set), label_of(set, k->set)));
}

/* A Job may run with fewer pods than it asks for. */
static uint64_t least_of(const io_pods *p, uint64_t count)
{
    const tree *annotations = tree_get(tree_get(p->object, "metadata"), "annotations");
    uint64_t least = digits_of(tree_get_text(annotations, "kueue.x-k8s.io/job-min-parallelism"));
    return p->kind->info.kind == IO_KIND_JOB && least > 0 && least < count ? least : count;
}

/* The sets of one Workload become its pod sets. */
static size_t list_sets(io_pods *p, const struct managed *k, const io_pod_set *given, size_t count,
                        pod_set sets[MOST_SETS])
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && goes_on(p, k, &given[i - 1], &given[i])) {
            sets[n - 1].part_count++;
            sets[n - 1].count += given[i].count;
            continue;
        }
        if (n == MOST_SETS) {
            io_pods_problem(p, "it has more pod sets than a Workload of Kueue may have");
            return 0;
        }
        karp_str label = label_of(&given[i], k->set);
        karp_str name = label.len ? label : io_pods_text(p, "%zu", n);
        sets[n++] = (pod_set){ .parts = &given[i], .part_count = 1, .name = name, .count = given[i].count };
    }
    for (size_t i = 0; i < n; i++) {
        sets[i].least = least_of(p, sets[i].count);
        read_request(NULL, &sets[i]);
    }
    return n;
}

static const tree *priority_of(const io_pods *p)
{
    karp_str name = tree_get_text(tree_get(tree_get(p->object, "metadata"), "labels"), "kueue.x-k8s.io/priority-class");
    return p->find && name.len ? tree_get(p->find(p->user, "WorkloadPriorityClass", nothing, name), "value") : NULL;
}

void io_pods_as_kueue(io_pods *p)
{
    const struct managed *k = managed_of(p);
    karp_str queue = io_kueue_queue(p->object);
    if (!p->queued || !k || queue.len == 0 || p->group_count > 0 || p->count == 0 || p->t->status) return;
    io_pod_set *given = p->sets;
    size_t count = p->count, capacity = p->capacity;
    pod_set sets[MOST_SETS];
    p->sets = NULL;
    p->count = p->capacity = 0;
    making m = begin(p, queue);
    m.priority = priority_of(p);
    for (size_t first = 0, end = 0; first < count && !p->t->status && !p->d->status; first = end) {
        karp_str value = label_of(&given[first], k->workload);
        while (end < count && equal_str(label_of(&given[end], k->workload), value)) end++;
        size_t n = list_sets(p, k, &given[first], end - first, sets);
        if (n > 0) add_workload(&m, sets, n, value.len ? joined(p, p->name, "-", value) : p->name);
    }
    karp_free(p->context, given, capacity * sizeof *given);
}
