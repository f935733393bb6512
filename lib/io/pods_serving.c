/* SPDX-License-Identifier: Apache-2.0 */
/* Argo Rollouts, Knative's Services, KServe's InferenceServices. */
#include <io/pods_rules.h>

void io_make_rollout(io_pods *p)
{
    const tree *ref = io_at_path(p->object, "/spec/workloadRef");
    karp_str kind = tree_get_text(ref, "kind"), name = tree_get_text(ref, "name");
    if (!ref) {
        io_pods_add_places(p);
        return;
    }
    static const char *const kinds[] = { "Deployment", "ReplicaSet", "PodTemplate" };
    const tree *from = NULL;
    for (size_t i = 0; i < 3 && p->find && !from; i++) {
        if (str_is(kind, kinds[i])) from = p->find(p->user, kinds[i], p->namespace_, name);
    }
    int64_t replicas = io_pods_integer(p, "/spec/replicas", 0, 1);
    const tree *template_ = str_is(kind, "PodTemplate") ? tree_get(from, "template")
                                                        : tree_get(tree_get(from, "spec"), "template");
    if (template_) (void)io_pods_add(p, template_, p->name, (uint64_t)replicas);
    else
        io_pods_problem(p, "its pod template is that of %.*s %.*s, which is not in the input: add it",
                        str_shown(kind, 64), kind.ptr, str_shown(name, 100), name.ptr);
}

/* ---- Knative ----------------------------------------------------------------------------------------------------- */

static karp_str annotation(const tree *metadata, const char *name, const char *old)
{
    const tree *annotations = tree_get(metadata, "annotations");
    karp_str value = tree_get_text(annotations, name);
    return value.len || !old ? value : tree_get_text(annotations, old);
}

/* A whole number in a text; `absent` if there is none. */
static uint64_t number_in(karp_str text, uint64_t absent)
{
    uint64_t number = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i]) || number > INT32_MAX) return absent;
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    return text.len ? number : absent;
}

#define QUEUE_CPU "25m"

/* The sidecar of every pod that Knative creates. */
static void add_queue_proxy(io_pods *p, const io_pod_set *set, const tree *metadata)
{
    karp_str cpu = annotation(metadata, "queue.sidecar.serving.knative.dev/cpu-resource-request",
                              "queue.sidecar.serving.knative.dev/cpuResourceRequest");
    karp_str memory = annotation(metadata, "queue.sidecar.serving.knative.dev/memory-resource-request",
                                 "queue.sidecar.serving.knative.dev/memoryResourceRequest");
    io_set_container(p, set, "containers", "queue-proxy", cpu.len ? cpu : str(QUEUE_CPU), memory);
}

/* The number in an annotation of the template, which Knative's webhook checks. */
static uint64_t scale_in(io_pods *p, const tree *metadata, const char *name, const char *old, uint64_t absent)
{
    karp_str text = annotation(metadata, name, old);
    if (text.len && number_in(text, UINT64_MAX) == UINT64_MAX)
        io_pods_refused(p, "its annotation %s is \"%.*s\", which is no whole number, so Knative's webhook refuses it",
                        name, str_shown(text, 40), text.ptr);
    return number_in(text, absent);
}

/* A revision begins with its initial scale, and never has fewer pods than its minimum. */
static uint64_t scale_of(io_pods *p, const tree *metadata)
{
    uint64_t first = scale_in(p, metadata, "autoscaling.knative.dev/initial-scale",
                              "autoscaling.knative.dev/initialScale", 1);
    uint64_t least = scale_in(p, metadata, "autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/minScale", 0);
    uint64_t most = scale_in(p, metadata, "autoscaling.knative.dev/max-scale", "autoscaling.knative.dev/maxScale", 0);
    char limit[48] = "";
    if (most > 0) str_append(limit, sizeof limit, "%llu", (unsigned long long)most);
    uint64_t count = first > least ? first : least;
    if (most > 0 && count > most) count = most;
    count = io_pods_scaled(p, str("pods"), count, least, most > 0 ? most : UINT64_MAX);
    io_pods_note(p,
                 "%s %.*s: %llu %s planned (initial-scale %llu, min-scale %llu), each with a queue-proxy that requests "
                 "cpu " QUEUE_CPU " by default; its requests may scale it to %s",
                 p->kind->info.name, str_shown(p->name, 100), p->name.ptr, (unsigned long long)count,
                 count == 1 ? "pod is" : "pods are", (unsigned long long)first, (unsigned long long)least,
                 most > 0 ? limit : "any number");
    return count;
}

void io_make_knative(io_pods *p)
{
    bool revision = strcmp(p->kind->info.name, "Revision") == 0;
    const tree *template_ = revision ? p->object : io_at_path(p->object, "/spec/template");
    const tree *metadata = tree_get(template_, "metadata");
    if (!template_) return;
    io_pod_set *set = io_pods_add(p, template_, p->name, scale_of(p, metadata));
    io_set_label(p, set, revision ? "serving.knative.dev/revision" : "serving.knative.dev/service", p->name);
    if (tree_count(io_at_path(template_, "/spec/containers")) > 0) add_queue_proxy(p, set, metadata);
}

/* ---- KServe ------------------------------------------------------------------------------------------------------ */

/* Members of a component that are not a pod's. */
static const char *const not_of_pods[] = {
    "minReplicas", "maxReplicas", "scaleTarget",          "scaleMetric", "containerConcurrency", "timeout",
    "logger",      "batcher",     "canaryTrafficPercent", "labels",      "annotations",          "deploymentStrategy",
    "model",       "workerSpec",  "autoScaling",
};

static const char *const frameworks[] = { "model", "sklearn", "xgboost",  "tensorflow", "pytorch",     "triton",
                                          "onnx",  "pmml",    "lightgbm", "paddle",     "huggingface", "art" };

static const tree *framework_of(const tree *component)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++) {
        if (tree_get(component, frameworks[i])) return tree_get(component, frameworks[i]);
    }
    return NULL;
}

/* The webhook gives the main container what it does not request. */
static tree *with_defaults(io_pods *p, const tree *container)
{
    trees *t = p->t;
    tree *own = tree_deep_copy(t, container, false), *resources = tree_get_or_make(t, own, "resources");
    tree *requests = tree_get_or_make(t, resources, "requests");
    tree_default_text(t, requests, "cpu", str("1"));
    tree_default_text(t, requests, "memory", str("2Gi"));
    tree_default_text(t, own, "name", str("kserve-container"));
    return own;
}

static const tree *serving_runtime(io_pods *p, const tree *model)
{
    karp_str name = tree_get_text(model, "runtime");
    if (!p->find || name.len == 0) return NULL;
    const tree *found = p->find(p->user, "ServingRuntime", p->namespace_, name);
    return found ? found : p->find(p->user, "ClusterServingRuntime", (karp_str){ "", 0 }, name);
}

/* Containers of the runtime other than the main one, and what its pods are restricted to. */
static void add_runtime(io_pods *p, tree *spec, tree *containers, const tree *runtime)
{
    static const char *const members[] = { "nodeSelector", "affinity", "tolerations" };
    const tree *given = tree_get(runtime, "spec"), *list = tree_get(given, "containers");
    for (size_t i = 0; i < 3; i++) tree_default(p->t, spec, members[i], tree_get(given, members[i]));
    for (size_t i = 0; i < tree_count(list); i++) {
        if (!str_is(tree_get_text(tree_item(list, i), "name"), "kserve-container"))
            tree_append(p->t, containers, tree_item(list, i));
    }
}

static tree *pod_spec_of(io_pods *p, const tree *component)
{
    trees *t = p->t;
    const tree *model = framework_of(component), *given = tree_get(component, "containers");
    tree *spec = tree_copy(t, component), *containers = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < sizeof not_of_pods / sizeof *not_of_pods; i++) tree_remove(t, spec, not_of_pods[i]);
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++) tree_remove(t, spec, frameworks[i]);
    if (model) tree_append(t, containers, with_defaults(p, model));
    for (size_t i = 0; i < tree_count(given); i++) {
        tree *one = tree_item(given, i);
        tree_append(t, containers, i == 0 && !model ? with_defaults(p, one) : one);
    }
    if (model) add_runtime(p, spec, containers, serving_runtime(p, model));
    tree_set(t, spec, "containers", containers);
    return spec;
}

typedef struct serving {
    const char *name; /* of the component */
    bool knative; /* otherwise Deployments */
} serving;

static uint64_t replicas_of(io_pods *p, const serving *s, const tree *component)
{
    int64_t least = io_integer(p->d, component, "minReplicas", 0, INT32_MAX, 1),
            most = io_integer(p->d, component, "maxReplicas", 0, INT32_MAX, 0);
    /* A Knative revision begins with one pod, and a Deployment is not scaled to zero. */
    uint64_t count = least > 0 ? (uint64_t)least : 1;
    return io_pods_scaled(p, io_pods_text(p, "pods of the %s", s->name), count, s->knative ? (uint64_t)least : count,
                          most > 0 ? (uint64_t)most : UINT64_MAX);
}

static void add_component(io_pods *p, const serving *s)
{
    const tree *component = tree_get(tree_get(p->object, "spec"), s->name);
    if (!component) return;
    if (tree_get(component, "workerSpec")) {
        io_pods_problem(p, "%s.workerSpec has several nodes for each replica, for which karp has no rule", s->name);
        return;
    }
    if (!framework_of(component) && tree_count(tree_get(component, "containers")) == 0) {
        io_pods_refused(p, "its %s has neither a model of a known kind nor containers, so KServe's webhook refuses it",
                        s->name);
        return;
    }
    karp_str name = io_pods_text(p, "%.*s-%s", str_shown(p->name, 200), p->name.ptr, s->name);
    tree *template_ = tree_new(p->t, TREE_MAP);
    tree *metadata = tree_get_or_make(p->t, template_, "metadata");
    tree_set(p->t, metadata, "labels", tree_get(component, "labels"));
    tree_set(p->t, metadata, "annotations", tree_get(component, "annotations"));
    tree_set(p->t, template_, "spec", pod_spec_of(p, component));
    io_pod_set *set = io_pods_add(p, template_, name, replicas_of(p, s, component));
    io_set_label(p, set, "serving.kserve.io/inferenceservice", p->name);
    io_set_label(p, set, "component", str(s->name));
    const tree *model = framework_of(component);
    if (tree_get_text(model, "storageUri").len || tree_get(model, "storage"))
        io_set_container(p, set, "initContainers", "storage-initializer", str("100m"), str("100Mi"));
    if (tree_get(component, "logger") || tree_get(component, "batcher"))
        io_set_container(p, set, "containers", "agent", str("100m"), str("100Mi"));
    if (s->knative) add_queue_proxy(p, set, metadata);
}

void io_make_inference_service(io_pods *p)
{
    karp_str mode = annotation(tree_get(p->object, "metadata"), "serving.kserve.io/deploymentMode", NULL);
    bool raw = str_is(mode, "RawDeployment") || str_is(mode, "Standard");
    static const char *const components[] = { "predictor", "transformer", "explainer" };
    if (str_is(mode, "ModelMesh")) {
        io_pods_problem(p, "ModelMesh serves it with pods of a ServingRuntime that karp does not know");
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        const serving s = { components[i], !raw };
        add_component(p, &s);
    }
    if (!raw && p->count > 0)
        io_pods_note(p,
                     "InferenceService %.*s: as Knative deploys it, with a queue-proxy that requests cpu " QUEUE_CPU
                     " (annotation serving.kserve.io/deploymentMode: Standard is without)",
                     str_shown(p->name, 100), p->name.ptr);
}
