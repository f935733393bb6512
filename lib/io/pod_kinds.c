/* SPDX-License-Identifier: Apache-2.0 */
#include <io/pods_rules.h>

#define OPERATED(group, kind, version, old) .info = { group, kind, IO_KIND_OPERATED, true, version, old }
#define PLACES(...) .places = { __VA_ARGS__ }
/* Source: Knative Serving's pkg/apis/serving/v1/revision_types.go. */
#define OF_REVISIONS .beside = "containerConcurrency idleTimeoutSeconds responseStartTimeoutSeconds timeoutSeconds"
#define REPLICAS(template_) PLACES({ template_, "/spec/replicas", NULL, 1 }), .scale = "/spec/replicas"
#define REPLICA_SPECS(field)                                                                                           \
    PLACES({ "/spec/" field "/*/template", "/spec/" field "/*/replicas", NULL, 1 }),                                   \
        .suspend = "/spec/runPolicy/suspend", .make = io_make_training_job
#define RAY_PLACES(cluster)                                                                                            \
    PLACES({ cluster "/headGroupSpec/template", NULL, NULL, 1 },                                                       \
           { cluster "/workerGroupSpecs/*/template", NULL, NULL, 0 })

/* In the order of groups and kinds. */
static const io_pod_kind rows[] = {
    { OPERATED("apps.kruise.io", "CloneSet", "v1alpha1", NULL), REPLICAS("/spec/template") },
    { OPERATED("apps.kruise.io", "StatefulSet", "v1beta1", "v1alpha1"), REPLICAS("/spec/template"),
      .claims = "/spec/volumeClaimTemplates" },
    { OPERATED("apps.openshift.io", "DeploymentConfig", "v1", NULL), REPLICAS("/spec/template") },
    { OPERATED("argoproj.io", "Experiment", "v1alpha1", NULL),
      PLACES({ "/spec/templates/*/template", "/spec/templates/*/replicas", "/spec/templates/*/name", 1 }) },
    { OPERATED("argoproj.io", "Rollout", "v1alpha1", NULL), REPLICAS("/spec/template"),
      .hash = "rollouts-pod-template-hash", .make = io_make_rollout },
    { OPERATED("argoproj.io", "CronWorkflow", "v1alpha1", NULL), .make = io_make_by_schedule },
    { OPERATED("autoscaling.x-k8s.io", "ProvisioningRequest", "v1", "v1beta1"), .make = io_make_provisioning_request },
    { OPERATED("batch", "CronJob", "v1", "v1beta1"), PLACES({ "/spec/jobTemplate/spec/template", NULL, NULL, 0 }),
      .suspend = "/spec/suspend", .make = io_make_cron_job },
    { OPERATED("batch.volcano.sh", "CronJob", "v1alpha1", NULL), .suspend = "/spec/suspend",
      .make = io_make_by_schedule },
    { OPERATED("batch.volcano.sh", "Job", "v1alpha1", NULL),
      PLACES({ "/spec/tasks/*/template", "/spec/tasks/*/replicas", "/spec/tasks/*/name", 0 }),
      .make = io_make_volcano_job },
    { OPERATED("jobset.x-k8s.io", "JobSet", "v1alpha2", NULL),
      PLACES({ "/spec/replicatedJobs/*/template/spec/template", NULL, NULL, 1 }), .suspend = "/spec/suspend",
      .make = io_make_job_set },
    { OPERATED("keda.sh", "ScaledJob", "v1alpha1", NULL), PLACES({ "/spec/jobTargetRef/template", NULL, NULL, 0 }),
      .make = io_make_scaled_job },
    { OPERATED("kubeflow.org", "JAXJob", "v1", NULL), REPLICA_SPECS("jaxReplicaSpecs") },
    { OPERATED("kubeflow.org", "MPIJob", "v2beta1", "v1"), REPLICA_SPECS("mpiReplicaSpecs") },
    { OPERATED("kubeflow.org", "MXJob", "v1", NULL), REPLICA_SPECS("mxReplicaSpecs") },
    { OPERATED("kubeflow.org", "PaddleJob", "v1", NULL), REPLICA_SPECS("paddleReplicaSpecs") },
    { OPERATED("kubeflow.org", "PyTorchJob", "v1", NULL), REPLICA_SPECS("pytorchReplicaSpecs") },
    { OPERATED("kubeflow.org", "TFJob", "v1", NULL), REPLICA_SPECS("tfReplicaSpecs") },
    { OPERATED("kubeflow.org", "XGBoostJob", "v1", NULL), REPLICA_SPECS("xgbReplicaSpecs") },
    { OPERATED("kueue.x-k8s.io", "Workload", "v1beta2", "v1beta1"),
      PLACES({ "/spec/podSets/*/template", "/spec/podSets/*/count", "/spec/podSets/*/name", 1 }),
      .make = io_make_kueue_workload },
    { OPERATED("leaderworkerset.x-k8s.io", "LeaderWorkerSet", "v1", NULL),
      PLACES({ "/spec/leaderWorkerTemplate/leaderTemplate", NULL, NULL, 1 },
             { "/spec/leaderWorkerTemplate/workerTemplate", NULL, NULL, 1 }),
      .scale = "/spec/replicas", .make = io_make_leader_worker_set },
    { OPERATED("ray.io", "RayCluster", "v1", "v1alpha1"), RAY_PLACES("/spec"), .make = io_make_ray_cluster },
    { OPERATED("ray.io", "RayCronJob", "v1", NULL), .suspend = "/spec/suspend", .make = io_make_by_schedule },
    { OPERATED("ray.io", "RayJob", "v1", "v1alpha1"), RAY_PLACES("/spec/rayClusterSpec"), .suspend = "/spec/suspend",
      .make = io_make_ray_job },
    { OPERATED("ray.io", "RayService", "v1", "v1alpha1"), RAY_PLACES("/spec/rayClusterConfig"),
      .make = io_make_ray_service },
    { OPERATED("serving.knative.dev", "Configuration", "v1", NULL), PLACES({ "/spec/template", NULL, NULL, 1 }),
      OF_REVISIONS, .make = io_make_knative },
    { OPERATED("serving.knative.dev", "Revision", "v1", NULL), .make = io_make_knative },
    { OPERATED("serving.knative.dev", "Service", "v1", NULL), PLACES({ "/spec/template", NULL, NULL, 1 }), OF_REVISIONS,
      .make = io_make_knative },
    { OPERATED("serving.kserve.io", "InferenceService", "v1beta1", NULL), .make = io_make_inference_service },
    { OPERATED("sparkoperator.k8s.io", "ScheduledSparkApplication", "v1beta2", "v1beta1"), .suspend = "/spec/suspend",
      .make = io_make_by_schedule },
    { OPERATED("sparkoperator.k8s.io", "SparkApplication", "v1beta2", "v1beta1"),
      PLACES({ "/spec/driver/template", NULL, NULL, 1 }, { "/spec/executor/template", NULL, NULL, 1 }),
      .suspend = "/spec/suspend", .make = io_make_spark_application },
    { OPERATED("trainer.kubeflow.org", "TrainJob", "v1alpha1", NULL), .suspend = "/spec/suspend",
      .make = io_make_train_job },
};

const io_pod_kind *io_pod_kind_at(size_t index) { return index < sizeof rows / sizeof *rows ? &rows[index] : NULL; }

const io_pod_kind *io_pod_kind_of(const io_kind_info *info)
{
    return info->kind == IO_KIND_OPERATED ? (const io_pod_kind *)info : NULL;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* The first name of "/spec/template"; *path becomes the rest. */
static karp_str next_name(const char **path)
{
    size_t length = strcspn(*path + 1, "/");
    karp_str name = { *path + 1, length };
    *path += 1 + length;
    return name;
}

const tree *io_at_path(const tree *at, const char *path)
{
    while (at && *path) at = tree_find_str(at, next_name(&path));
    return tree_is_null(at) ? NULL : at;
}

void io_show_path(const char *path, char *out, size_t room)
{
    out[0] = '\0';
    while (*path) {
        karp_str name = next_name(&path);
        str_append(out, room, "%s%.*s", *out ? "." : "", str_shown(name, room), name.ptr);
    }
}

/* Where a path goes on after some of its "*" were replaced by elements. */
typedef struct io_way {
    const tree *at;
    const char *path; /* NULL = there is none */
} io_way;

typedef struct search {
    io_decoder *d;
    const tree *object;
    const io_pod_place *place;
    io_each_template *call;
    void *user;
} search;

/* The same element for a path that begins like the template's. */
static io_way enter(io_way way, const char *star, size_t length, const tree *element)
{
    bool same = way.path && strncmp(way.path, star, length) == 0;
    return same ? (io_way){ element, way.path + length } : way;
}

void io_push_path(io_decoder *d, const char *path, const char *end)
{
    while (path < end) io_push_key(d, next_name(&path));
}

static void pop_to(io_decoder *d, size_t depth)
{
    while (!d->status && d->depth > depth) io_pop(d);
}

static uint64_t count_at(const search *s, io_way way)
{
    io_decoder *d = s->d;
    const char *name = way.path ? strrchr(way.path, '/') : NULL;
    int64_t count = s->place->absent;
    if (!name || d->status) return count > 0 ? (uint64_t)count : 0;
    io_step path[IO_PATH_MOST];
    size_t depth = d->depth;
    memcpy(path, d->path, sizeof path);
    if (way.at == s->object) d->depth = 0; /* it is not in the element */
    const tree *parent = way.at;
    for (const char *at = way.path; at < name;) {
        karp_str step = next_name(&at);
        io_push_key(d, step);
        parent = tree_find_str(parent, step);
    }
    count = io_integer(d, parent, name + 1, 0, INT32_MAX, count);
    if (!d->status) {
        memcpy(d->path, path, sizeof path);
        d->depth = depth;
    }
    return count > 0 ? (uint64_t)count : 0;
}

static void find(const search *s, io_way template_, io_way count, io_way name, karp_str known, bool inside)
{
    const char *star = strstr(template_.path, "/*");
    size_t depth = s->d->depth, length = star ? (size_t)(star - template_.path) : strlen(template_.path);
    char before[128];
    if (s->d->status || length >= sizeof before) return;
    memcpy(before, template_.path, length);
    before[length] = '\0';
    const tree *value = io_at_path(template_.at, before);
    if (!star) {
        /* The count is in the same element, so it is looked for before the template's own path is pushed. */
        uint64_t number = count_at(s, count);
        if (name.path) known = tree_text(io_at_path(name.at, name.path));
        io_push_path(s->d, template_.path, template_.path + length);
        const io_found_template found = { value, inside ? template_.at : NULL, known, number };
        if (value && !s->d->status) s->call(s->d, &found, s->user);
    } else {
        io_push_path(s->d, template_.path, star);
        for (size_t i = 0; i < tree_count(value); i++) {
            bool map = tree_is(value, TREE_MAP);
            const tree *element = map ? tree_member_at(value, i)->value : tree_item(value, i);
            karp_str key = map ? tree_member_name(tree_member_at(value, i)) : (karp_str){ "", 0 };
            if (map) io_push_key(s->d, key);
            else io_push_index(s->d, i);
            find(s, enter(template_, template_.path, length + 2, element),
                 enter(count, template_.path, length + 2, element), enter(name, template_.path, length + 2, element),
                 key, true);
            io_pop(s->d);
        }
    }
    pop_to(s->d, depth);
}

void io_find_templates(io_decoder *d, const tree *object, const io_pod_place *place, io_each_template *call, void *user)
{
    const search s = { d, object, place, call, user };
    find(&s, (io_way){ object, place->template_ }, (io_way){ object, place->count }, (io_way){ object, place->name },
         (karp_str){ "", 0 }, false);
}
