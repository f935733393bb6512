/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that controllers make for all pods of an object, where it asks for them: Jobs by spec.scheduling, and kinds
 * whose operators make a PodGroup of another scheduler. Sources: Kubernetes 1.37,
 * pkg/controller/job/job_scheduling_manager.go; KubeRay's batchscheduler; Kubeflow's Trainer and MPI Operator;
 * Volcano's job controller.
 */
#include <io/pods_rules.h>

#include <io/fill.h>
#include <io/groups.h>
#include <io/make_object.h>
#include <io/owner.h>

#include <string.h>

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

static void name_group(io_pods *p, const io_pod_set *set, uint32_t source, karp_str name)
{
    tree *metadata = tree_get_or_make(p->t, set->template_, "metadata");
    if (source == KARP_GROUP_COSCHEDULING) {
        io_set_label(p, set, "scheduling.x-k8s.io/pod-group", name);
        return;
    }
    tree_default_text(p->t, tree_own(p->t, metadata, "annotations", TREE_MAP), "scheduling.k8s.io/group-name", name);
}

void io_pods_as_group(io_pods *p, uint32_t source, size_t first, uint64_t least)
{
    karp_str name = group_name(p, source);
    uint64_t pods = 0;
    for (size_t i = first; i < p->count && !p->t->status; i++) {
        name_group(p, &p->sets[i], source, name);
        pods += p->sets[i].count;
    }
    if (pods == 0 || has_group(p, source, name)) return;
    if (least == 0) least = pods;
    karp_pod_group g;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = name;
    g.meta.namespace_ = p->namespace_;
    g.meta.creation = io_creation(p->object);
    g.source = source;
    g.min_count = least < INT32_MAX ? (int32_t)least : INT32_MAX;
    io_pods_add_group(p, g);
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
