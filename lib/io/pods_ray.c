/* SPDX-License-Identifier: Apache-2.0 */
/* KubeRay: a RayCluster has a head and groups of workers; RayJobs and RayServices have a RayCluster. */
#include <io/pods_rules.h>

static void label(io_pods *p, const io_pod_set *set, const char *type, karp_str group)
{
    io_set_label(p, set, "ray.io/is-ray-node", str("yes"));
    io_set_label(p, set, "ray.io/cluster", p->name);
    io_set_label(p, set, "ray.io/node-type", str(type));
    io_set_label(p, set, "ray.io/group", group);
    io_set_label(p, set, "app.kubernetes.io/name", str("kuberay"));
    io_set_label(p, set, "app.kubernetes.io/created-by", str("kuberay-operator"));
}

/* Adds the container, unless the options state its resources. */
static void add_sidecar(io_pods *p, const io_pod_set *set, const char *name, tree *resources, const char *cpu,
                        const char *memory)
{
    io_set_container(p, set, "containers", name, str(resources ? "" : cpu), str(resources ? "" : memory));
    const tree *containers = tree_get(io_set_spec(p, set), "containers");
    tree *added = tree_item(containers, tree_count(containers) - 1);
    if (resources && added) tree_set(p->t, added, "resources", resources);
}

static io_pod_set *add_head(io_pods *p, const tree *cluster)
{
    const tree *options = tree_get(cluster, "autoscalerOptions");
    karp_str name = io_pods_text(p, "%.*s-head", str_shown(p->name, 250), p->name.ptr);
    io_pod_set *set = io_pods_add(p, io_at_path(cluster, "/headGroupSpec/template"), name, 1);
    label(p, set, "head", str("headgroup"));
    if (set && tree_is(tree_get(cluster, "enableInTreeAutoscaling"), TREE_TRUE))
        add_sidecar(p, set, "autoscaler", tree_get(options, "resources"), "500m", "512Mi");
    return set;
}

static int64_t whole(io_pods *p, const tree *group, const char *name, int64_t absent)
{
    return io_integer(p->d, group, name, 0, INT32_MAX, absent);
}

/* The number of pods is between the minimum and the maximum, for each host. The autoscaler chooses it. */
static uint64_t workers(io_pods *p, const tree *group, bool scales)
{
    int64_t least = whole(p, group, "minReplicas", 0), most = whole(p, group, "maxReplicas", INT32_MAX),
            count = whole(p, group, "replicas", 0), hosts = whole(p, group, "numOfHosts", 1);
    if (tree_is(tree_get(group, "suspend"), TREE_TRUE)) return 0;
    count = count < least ? least : count > most ? most : count;
    if (scales) {
        karp_str name = tree_get_text(group, "groupName");
        karp_str part = io_pods_text(p, "replicas of %.*s", str_shown(name, 100), name.ptr);
        count = (int64_t)io_pods_scaled(p, part, (uint64_t)count, (uint64_t)least,
                                        most < INT32_MAX ? (uint64_t)most : UINT64_MAX);
    }
    return (uint64_t)count * (uint64_t)(hosts > 0 ? hosts : 1);
}

static void add_groups(io_pods *p, const tree *cluster)
{
    size_t count = 0;
    bool scales = tree_is(tree_get(cluster, "enableInTreeAutoscaling"), TREE_TRUE);
    const tree *groups = io_array(p->d, cluster, "workerGroupSpecs", &count);
    io_push(p->d, "workerGroupSpecs");
    for (size_t i = 0; i < count && !p->d->status; i++) {
        const tree *group = io_element(p->d, groups, i);
        karp_str name = tree_get_text(group, "groupName");
        karp_str full = io_pods_text(p, "%.*s-%.*s-worker", str_shown(p->name, 200), p->name.ptr, str_shown(name, 200),
                                     name.ptr);
        io_pod_set *set = io_pods_add(p, tree_get(group, "template"), full, workers(p, group, scales));
        label(p, set, "worker", name);
        io_set_container(p, set, "initContainers", "wait-gcs-ready", str("200m"), str("256Mi"));
        io_pop(p->d);
    }
    io_pop(p->d);
}

/* The pods of a RayCluster's spec, which is the object's member at the path. Returns the head. */
static size_t add_cluster(io_pods *p, const char *path)
{
    const tree *cluster = io_at_path(p->object, path);
    size_t head = SIZE_MAX, depth = p->d->depth;
    io_push_path(p->d, path, path + strlen(path));
    if (tree_is(tree_get(cluster, "suspend"), TREE_TRUE)) {
        io_pods_note(p, "%s %.*s: its cluster is suspended, so there are no pods", p->kind->info.name,
                     str_shown(p->name, 100), p->name.ptr);
    } else if (cluster) {
        size_t first = p->count;
        if (add_head(p, cluster)) head = p->count - 1;
        add_groups(p, cluster);
        /* KubeRay takes the label for one, whatever its value is. */
        if (tree_get(io_at_path(p->object, "/metadata/labels"), "ray.io/gang-scheduling-enabled"))
            io_pods_as_group(p, KARP_GROUP_COSCHEDULING, first, 0);
    }
    if (!p->d->status) p->d->depth = depth;
    return head;
}

void io_make_ray_cluster(io_pods *p) { (void)add_cluster(p, "/spec"); }

void io_make_ray_service(io_pods *p)
{
    bool old = io_at_path(p->object, "/spec/rayClusterSpec") != NULL;
    (void)add_cluster(p, old ? "/spec/rayClusterSpec" : "/spec/rayClusterConfig");
}

/* The Job that submits the entry point; a container of the head, or nothing, in other modes. */
static void add_submitter(io_pods *p, size_t head, karp_str mode)
{
    const tree *template_ = io_at_path(p->object, "/spec/submitterPodTemplate");
    if (str_is(mode, "SidecarMode") && head < p->count)
        io_set_container(p, &p->sets[head], "containers", "ray-job-submitter", str("500m"), str("200Mi"));
    if (mode.len > 0 && !str_is(mode, "K8sJobMode")) return;
    io_pod_set *set = io_pods_add(p, template_, io_pods_text(p, "%.*s-submitter", str_shown(p->name, 250), p->name.ptr),
                                  1);
    if (set) set->runs = 1;
    if (!template_) io_set_container(p, set, "containers", "ray-job-submitter", str("500m"), str("200Mi"));
}

void io_make_ray_job(io_pods *p)
{
    size_t head = add_cluster(p, "/spec/rayClusterSpec");
    if (p->count > 0 || io_at_path(p->object, "/spec/clusterSelector"))
        add_submitter(p, head, tree_text(io_at_path(p->object, "/spec/submissionMode")));
}
