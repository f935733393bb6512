/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that controllers make for all pods of an object, where it asks for them: Jobs by spec.scheduling, and kinds
 * whose operators make a PodGroup of another scheduler; and KAI, whose grouper makes them for what it schedules.
 * Sources: Kubernetes 1.37, pkg/controller/job/job_scheduling_manager.go; KubeRay's batchscheduler; Kubeflow's Trainer
 * and MPI Operator; Volcano's job controller; KAI, pkg/podgrouper.
 */
#include <io/pods_rules.h>

#include <io/fill.h>
#include <io/groups.h>
#include <io/owner.h>

/* ---- other schedulers -------------------------------------------------------------------------------------------- */

/* Whether the input has a PodGroup of the source with that name. */
static bool has_group(const io_pods *p, uint32_t source, karp_str name)
{
    const tree *found = p->find ? p->find(p->user, "PodGroup", p->namespace_, name) : NULL;
    return found && io_group_source(found) == source;
}

/* Volcano appends the uid of the Job. */
static karp_str group_name(io_pods *p, uint32_t source)
{
    karp_str uid = tree_get_text(tree_get(p->object, "metadata"), "uid");
    if (source != KARP_GROUP_VOLCANO || uid.len == 0) return p->name;
    karp_str full = io_pods_text(p, "%.*s-%.*s", str_shown(p->name, 250), p->name.ptr, str_shown(uid, 60), uid.ptr);
    return has_group(p, source, full) ? full : p->name;
}

static const char kai_annotation[] = "pod-group-name";

static void name_group(io_pods *p, const io_pod_set *set, uint32_t source, karp_str name)
{
    tree *metadata = tree_get_or_make(p->t, set->template_, "metadata");
    if (source == KARP_GROUP_COSCHEDULING) {
        io_set_label(p, set, "scheduling.x-k8s.io/pod-group", name);
        return;
    }
    const char *key = source == KARP_GROUP_KAI ? kai_annotation : "scheduling.k8s.io/group-name";
    tree_default_text(p->t, tree_own(p->t, metadata, "annotations", TREE_MAP), key, name);
}

static void add_made(io_pods *p, uint32_t source, karp_str name, uint64_t least)
{
    karp_pod_group g;
    if (least == 0 || has_group(p, source, name)) return;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = name;
    g.meta.namespace_ = p->namespace_;
    g.meta.creation = io_creation(p->object);
    g.source = source;
    g.min_count = least < INT32_MAX ? (int32_t)least : INT32_MAX;
    io_pods_add_group(p, g);
}

void io_pods_as_group(io_pods *p, uint32_t source, size_t first, uint64_t least)
{
    io_pods_as_named_group(p, source, group_name(p, source), first, least);
}

void io_pods_as_named_group(io_pods *p, uint32_t source, karp_str name, size_t first, uint64_t least)
{
    uint64_t pods = 0;
    for (size_t i = first; i < p->count && !p->t->status; i++) {
        name_group(p, &p->sets[i], source, name);
        pods += p->sets[i].count;
    }
    if (pods > 0) add_made(p, source, name, least > 0 ? least : pods);
}

/* ---- KAI --------------------------------------------------------------------------------------------------------- */

/* The kinds whose pods start together; of others each pod is a group of its own. */
static const struct kai_kind {
    const char *kind;
    const char *label; /* pods with the same value are a group; NULL = all pods of the object are */
} kai_kinds[] = {
    { "JobSet", "jobset.sigs.k8s.io/replicatedjob-name" },
    { "LeaderWorkerSet", "leaderworkerset.sigs.k8s.io/group-index" },
    { "MPIJob", NULL },
    { "PyTorchJob", NULL },
    { "TFJob", NULL },
    { "XGBoostJob", NULL },
    { "JAXJob", NULL },
    { "RayCluster", NULL },
    { "RayJob", NULL },
    { "RayService", NULL },
};

/* Whether KAI schedules the pods, and they name no group yet. */
static bool left_to_kai(const io_pods *p)
{
    const tree *first = p->count > 0 ? p->sets[0].template_ : NULL;
    const tree *annotations = tree_get(tree_get(first, "metadata"), "annotations");
    return str_is(tree_get_text(tree_get(first, "spec"), "schedulerName"), "kai-scheduler") &&
           tree_get_text(annotations, kai_annotation).len == 0;
}

static karp_str value_in(const io_pods *p, size_t set, const char *label)
{
    const tree *labels = tree_get(tree_get(p->sets[set].template_, "metadata"), "labels");
    return label ? tree_get_text(labels, label) : (karp_str){ "", 0 };
}

void io_pods_as_kai(io_pods *p)
{
    const struct kai_kind *k = NULL;
    if (!left_to_kai(p)) return;
    for (size_t i = 0; i < sizeof kai_kinds / sizeof *kai_kinds; i++) {
        if (strcmp(kai_kinds[i].kind, p->kind->info.name) == 0) k = &kai_kinds[i];
    }
    karp_str start = tree_get_text(io_at_path(p->object, "/spec/startupPolicy"), "startupPolicyOrder");
    const char *label = k && !str_is(start, "AnyOrder") ? k->label : NULL;
    for (size_t first = 0, end = 0; k && first < p->count && !p->t->status; first = end) { /* those of a group follow */
        karp_str value = value_in(p, first, label), name = p->name;
        uint64_t pods = 0;
        if (value.len)
            name = io_pods_text(p, "%.*s-%.*s", str_shown(p->name, 250), p->name.ptr, str_shown(value, 63), value.ptr);
        for (; end < p->count && equal_str(value_in(p, end, label), value); end++) {
            name_group(p, &p->sets[end], KARP_GROUP_KAI, name);
            pods += p->sets[end].count;
        }
        add_made(p, KARP_GROUP_KAI, name, pods);
    }
}

/* ---- Job --------------------------------------------------------------------------------------------------------- */

static karp_status add_group(karp_reader *reader, const karp_pod_group *group)
{
    const tree *found = io_find_tree(reader, str("PodGroup"), group->meta.namespace_, group->meta.name);
    if (found && io_group_source(found) == KARP_GROUP_KUBERNETES) return KARP_OK;
    return karp_builder_add_pod_group(reader->builder, group, &reader->error);
}

karp_status io_job_group(io_filler *f, const tree *job, karp_str namespace_, karp_str name, const tree **template_)
{
    const tree *spec = tree_get(job, "spec"), *scheduling = tree_get(spec, "scheduling");
    const tree *gang = tree_get(tree_get(scheduling, "schedulingPolicy"), "gang");
    if (!gang || tree_get(tree_get(*template_, "spec"), "schedulingGroup") || io_controller(job).kind[0])
        return KARP_OK;
    tree *own = tree_copy_or_new(f->t, *template_, TREE_MAP), *pods = tree_own(f->t, own, "spec", TREE_MAP);
    tree_set_text(f->t, tree_get_or_make(f->t, pods, "schedulingGroup"), "podGroupName", name);
    if (f->fill) io_fill_pod_spec(f, pods);
    if (f->t->status) return io_reader_nomem(f->reader);
    int64_t least = 0, priority = 0;
    karp_pod_group g;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = name;
    g.meta.namespace_ = namespace_;
    g.meta.creation = io_creation(job);
    g.has_priority = tree_integer(tree_get(pods, "priority"), &priority) && priority >= INT32_MIN &&
                     priority <= INT32_MAX;
    g.priority = g.has_priority ? (int32_t)priority : 0;
    g.topology_key = tree_get_text(tree_item(io_at_path(scheduling, "/schedulingConstraints/topology"), 0), "key");
    g.disruption_all = tree_get(tree_get(scheduling, "disruptionMode"), "all") != NULL;
    if (!tree_integer(tree_get(gang, "minCount"), &least)) least = io_job_counts_of(spec).parallelism;
    g.min_count = least < 1 ? 1 : least < INT32_MAX ? (int32_t)least : INT32_MAX;
    *template_ = own;
    karp_status status = add_group(f->reader, &g);
    if (status) return status;
    return io_warn(
        f->reader,
        "Job %.*s: its pods are a gang of %ld at least, as with Kubernetes' feature gate WorkloadWithJob, which "
        "is off by default",
        str_shown(name, 100), name.ptr, (long)g.min_count);
}
