/* SPDX-License-Identifier: Apache-2.0 */
#include <io/fields.h>

#include <base/nearest.h>
#include <io/decode.h>
#include <stdlib.h>
#include <string.h>

/* The fields of an object; of a list, those of its elements. What lies in a field without a shape is not looked at. */
typedef struct shape shape;
typedef struct shape_field {
    const char *name;
    const shape *inner;
} shape_field;
struct shape {
    const shape_field *fields;
    size_t count;
};

#define SHAPE(name) static const shape name = { name##_fields, sizeof name##_fields / sizeof name##_fields[0] }

/* ---- what several kinds have -------------------------------------------------------------------------------------------- */

static const shape_field meta_fields[] = {
    { "annotations", NULL },
    { "creationTimestamp", NULL },
    { "deletionGracePeriodSeconds", NULL },
    { "deletionTimestamp", NULL },
    { "finalizers", NULL },
    { "generateName", NULL },
    { "generation", NULL },
    { "labels", NULL },
    { "managedFields", NULL },
    { "name", NULL },
    { "namespace", NULL },
    { "ownerReferences", NULL },
    { "resourceVersion", NULL },
    { "selfLink", NULL },
    { "uid", NULL },
};
SHAPE(meta);

static const shape_field expression_fields[] = { { "key", NULL }, { "operator", NULL }, { "values", NULL } };
SHAPE(expression);

static const shape_field selector_fields[] = { { "matchExpressions", &expression }, { "matchLabels", NULL } };
SHAPE(selector);

static const shape_field taint_fields[] = {
    { "effect", NULL }, { "key", NULL }, { "timeAdded", NULL }, { "value", NULL }
};
SHAPE(taint);

/* ---- pods ---------------------------------------------------------------------------------------------------------------- */

static const shape_field resources_fields[] = { { "claims", NULL }, { "limits", NULL }, { "requests", NULL } };
SHAPE(resources);

static const shape_field port_fields[] = {
    { "containerPort", NULL }, { "hostIP", NULL }, { "hostPort", NULL }, { "name", NULL }, { "protocol", NULL },
};
SHAPE(port);

static const shape_field container_fields[] = {
    { "args", NULL },
    { "command", NULL },
    { "env", NULL },
    { "envFrom", NULL },
    { "image", NULL },
    { "imagePullPolicy", NULL },
    { "lifecycle", NULL },
    { "livenessProbe", NULL },
    { "name", NULL },
    { "ports", &port },
    { "readinessProbe", NULL },
    { "resizePolicy", NULL },
    { "resources", &resources },
    { "restartPolicy", NULL },
    { "restartPolicyRules", NULL },
    { "securityContext", NULL },
    { "startupProbe", NULL },
    { "stdin", NULL },
    { "stdinOnce", NULL },
    { "targetContainerName", NULL },
    { "terminationMessagePath", NULL },
    { "terminationMessagePolicy", NULL },
    { "tty", NULL },
    { "volumeDevices", NULL },
    { "volumeMounts", NULL },
    { "workingDir", NULL },
};
SHAPE(container);

static const shape_field node_term_fields[] = { { "matchExpressions", &expression }, { "matchFields", &expression } };
SHAPE(node_term);
static const shape_field node_terms_fields[] = { { "nodeSelectorTerms", &node_term } };
SHAPE(node_terms);
static const shape_field node_wish_fields[] = { { "preference", &node_term }, { "weight", NULL } };
SHAPE(node_wish);
static const shape_field node_affinity_fields[] = {
    { "preferredDuringSchedulingIgnoredDuringExecution", &node_wish },
    { "requiredDuringSchedulingIgnoredDuringExecution", &node_terms },
};
SHAPE(node_affinity);
static const shape_field pod_term_fields[] = {
    { "labelSelector", &selector },     { "matchLabelKeys", NULL }, { "mismatchLabelKeys", NULL },
    { "namespaceSelector", &selector }, { "namespaces", NULL },     { "topologyKey", NULL },
};
SHAPE(pod_term);
static const shape_field pod_wish_fields[] = { { "podAffinityTerm", &pod_term }, { "weight", NULL } };
SHAPE(pod_wish);
static const shape_field pod_affinity_fields[] = {
    { "preferredDuringSchedulingIgnoredDuringExecution", &pod_wish },
    { "requiredDuringSchedulingIgnoredDuringExecution", &pod_term },
};
SHAPE(pod_affinity);
static const shape_field affinity_fields[] = {
    { "nodeAffinity", &node_affinity },
    { "podAffinity", &pod_affinity },
    { "podAntiAffinity", &pod_affinity },
};
SHAPE(affinity);

static const shape_field spread_fields[] = {
    { "labelSelector", &selector }, { "matchLabelKeys", NULL },     { "maxSkew", NULL },
    { "minDomains", NULL },         { "nodeAffinityPolicy", NULL }, { "nodeTaintsPolicy", NULL },
    { "topologyKey", NULL },        { "whenUnsatisfiable", NULL },
};
SHAPE(spread);

static const shape_field toleration_fields[] = {
    { "effect", NULL }, { "key", NULL }, { "operator", NULL }, { "tolerationSeconds", NULL }, { "value", NULL },
};
SHAPE(toleration);

static const shape_field pod_spec_fields[] = {
    { "activeDeadlineSeconds", NULL },
    { "affinity", &affinity },
    { "automountServiceAccountToken", NULL },
    { "containers", &container },
    { "dnsConfig", NULL },
    { "dnsPolicy", NULL },
    { "enableServiceLinks", NULL },
    { "ephemeralContainers", &container },
    { "hostAliases", NULL },
    { "hostIPC", NULL },
    { "hostNetwork", NULL },
    { "hostPID", NULL },
    { "hostUsers", NULL },
    { "hostname", NULL },
    { "hostnameOverride", NULL },
    { "imagePullSecrets", NULL },
    { "initContainers", &container },
    { "nodeName", NULL },
    { "nodeSelector", NULL },
    { "os", NULL },
    { "overhead", NULL },
    { "preemptionPolicy", NULL },
    { "priority", NULL },
    { "priorityClassName", NULL },
    { "readinessGates", NULL },
    { "resourceClaims", NULL },
    { "resources", &resources },
    { "restartPolicy", NULL },
    { "runtimeClassName", NULL },
    { "schedulerName", NULL },
    { "schedulingGates", NULL },
    { "securityContext", NULL },
    { "serviceAccount", NULL },
    { "serviceAccountName", NULL },
    { "setHostnameAsFQDN", NULL },
    { "shareProcessNamespace", NULL },
    { "subdomain", NULL },
    { "terminationGracePeriodSeconds", NULL },
    { "tolerations", &toleration },
    { "topologySpreadConstraints", &spread },
    { "volumes", NULL },
    { "workloadRef", NULL },
};
SHAPE(pod_spec);

static const shape_field pod_fields[] = {
    { "apiVersion", NULL }, { "kind", NULL }, { "metadata", &meta }, { "spec", &pod_spec }, { "status", NULL }
};
SHAPE(pod);

/* ---- workloads ------------------------------------------------------------------------------------------------------------ */

static const shape_field template_fields[] = { { "metadata", &meta }, { "spec", &pod_spec } };
SHAPE(template);

/* One for all: a field of another workload is no typing mistake. */
static const shape_field workload_spec_fields[] = {
    { "activeDeadlineSeconds", NULL },
    { "backoffLimit", NULL },
    { "backoffLimitPerIndex", NULL },
    { "completionMode", NULL },
    { "completions", NULL },
    { "managedBy", NULL },
    { "manualSelector", NULL },
    { "maxFailedIndexes", NULL },
    { "minReadySeconds", NULL },
    { "ordinals", NULL },
    { "parallelism", NULL },
    { "paused", NULL },
    { "persistentVolumeClaimRetentionPolicy", NULL },
    { "podFailurePolicy", NULL },
    { "podManagementPolicy", NULL },
    { "podReplacementPolicy", NULL },
    { "progressDeadlineSeconds", NULL },
    { "replicas", NULL },
    { "revisionHistoryLimit", NULL },
    { "selector", NULL },
    { "serviceName", NULL },
    { "strategy", NULL },
    { "successPolicy", NULL },
    { "suspend", NULL },
    { "template", &template },
    { "ttlSecondsAfterFinished", NULL },
    { "updateStrategy", NULL },
    { "volumeClaimTemplates", NULL },
};
SHAPE(workload_spec);
static const shape_field workload_fields[] = {
    { "apiVersion", NULL }, { "kind", NULL }, { "metadata", &meta }, { "spec", &workload_spec }, { "status", NULL },
};
SHAPE(workload);

static const shape_field budget_spec_fields[] = {
    { "maxUnavailable", NULL },
    { "minAvailable", NULL },
    { "selector", &selector },
    { "unhealthyPodEvictionPolicy", NULL },
};
SHAPE(budget_spec);
static const shape_field budget_fields[] = {
    { "apiVersion", NULL }, { "kind", NULL }, { "metadata", &meta }, { "spec", &budget_spec }, { "status", NULL },
};
SHAPE(budget);

/* ---- NodePools ------------------------------------------------------------------------------------------------------------ */

static const shape_field requirement_fields[] = {
    { "key", NULL }, { "minValues", NULL }, { "operator", NULL }, { "values", NULL }
};
SHAPE(requirement);
static const shape_field class_ref_fields[] = { { "group", NULL }, { "kind", NULL }, { "name", NULL } };
SHAPE(class_ref);
static const shape_field claim_spec_fields[] = {
    { "expireAfter", NULL },     { "nodeClassRef", &class_ref }, { "requirements", &requirement },
    { "startupTaints", &taint }, { "taints", &taint },           { "terminationGracePeriod", NULL },
};
SHAPE(claim_spec);
static const shape_field claim_template_fields[] = { { "metadata", &meta }, { "spec", &claim_spec } };
SHAPE(claim_template);
static const shape_field pool_budget_fields[] = {
    { "duration", NULL }, { "nodes", NULL }, { "reasons", NULL }, { "schedule", NULL }
};
SHAPE(pool_budget);
static const shape_field disruption_fields[] = { { "budgets", &pool_budget },
                                                 { "consolidateAfter", NULL },
                                                 { "consolidationPolicy", NULL } };
SHAPE(disruption);
static const shape_field pool_spec_fields[] = {
    { "disruption", &disruption },   { "limits", NULL }, { "replicas", NULL },
    { "template", &claim_template }, { "weight", NULL },
};
SHAPE(pool_spec);
static const shape_field pool_fields[] = {
    { "apiVersion", NULL }, { "kind", NULL }, { "metadata", &meta }, { "spec", &pool_spec }, { "status", NULL },
};
SHAPE(pool);

static const shape *shape_of_kind(io_kind kind)
{
    if (kind == IO_KIND_POD) return &pod;
    if (kind == IO_KIND_NODE_POOL) return &pool;
    if (kind == IO_KIND_BUDGET) return &budget;
    bool expands = kind == IO_KIND_DEPLOYMENT || kind == IO_KIND_REPLICA_SET || kind == IO_KIND_STATEFUL_SET ||
                   kind == IO_KIND_JOB || kind == IO_KIND_DAEMON_SET;
    return expands ? &workload : NULL;
}

/* So many are read; a generated file may have thousands. */
enum { MOST_NOTES = 50 };

/* ---- the walk ------------------------------------------------------------------------------------------------------------- */

typedef struct walk {
    karp_reader *reader;
    const io_kind_info *info;
    const tree *root;
    const io_place *place;
    io_step path[IO_PATH_MOST];
    size_t depth;
    karp_status status;
} walk;

/* Most fields are told apart by their first byte. */
static int by_name(const void *key, const void *field)
{
    const karp_str *name = key;
    const char *other = ((const shape_field *)field)->name;
    int first = name->len ? (unsigned char)name->ptr[0] - (unsigned char)other[0] : -1;
    return first ? first : compare_str(*name, str(other));
}

/* Once for the field of the kind, wherever in lists it stands. */
static bool first_time(walk *w)
{
    char field[sizeof((karp_error *)0)->field], names[sizeof field];
    io_step steps[IO_PATH_MOST];
    size_t n = 0;
    for (size_t i = 0; i < w->depth; i++) {
        if (w->path[i].name) steps[n++] = w->path[i];
    }
    io_path_text(steps, n, names, sizeof names);
    if (io_find(w->reader, "unknown field", str(w->info->name), str(names)) != IO_NONE) return false;
    if (!io_note_name(w->reader, str("unknown field"), str(w->info->name), str(names), 1)) {
        w->status = io_reader_nomem(w->reader);
        return false;
    }
    return true;
}

static void note(walk *w, const shape *s)
{
    char field[sizeof((karp_error *)0)->field], shown[64];
    io_place at = *w->place;
    if (w->reader->unknown_fields == MOST_NOTES || !first_time(w)) return;
    if (++w->reader->unknown_fields == MOST_NOTES) {
        w->status = io_warn(w->reader, "more fields are not known; they are not named");
        return;
    }
    io_path_text(w->path, w->depth, field, sizeof field);
    io_place_refine(&at, w->root, w->path, w->depth);
    str_shorten(shown, sizeof shown, tree_get_text(tree_get(w->root, "metadata"), "name"));
    const io_step *last = &w->path[w->depth - 1];
    nearest near = nearest_to((karp_str){ last->name, io_step_length(last) });
    for (size_t i = 0; i < s->count; i++) nearest_offer(&near, str(s->fields[i].name));
    w->status = io_warn(
        w->reader, "%.200s:%lu: %s %s: a %s has no field %s: ignored%s%.*s%s (further unknown fields are not listed)",
        at.document.ptr, (unsigned long)at.line, w->info->name, shown, w->info->name, field,
        near.best.ptr ? "; did you mean " : "", (int)near.best.len, near.best.ptr ? near.best.ptr : "",
        near.best.ptr ? "?" : "");
}

static void walk_value(walk *w, const shape *s, const tree *value);

static void walk_object(walk *w, const shape *s, const tree *object)
{
    for (size_t i = 0; i < tree_count(object) && w->status == KARP_OK; i++) {
        const tree_member *member = tree_member_at(object, i);
        karp_str name = tree_member_name(member);
        const shape_field *known = bsearch(&name, s->fields, s->count, sizeof *s->fields, by_name);
        w->path[w->depth++] = (io_step){ name.len ? name.ptr : "", name.len };
        if (!known) note(w, s);
        else if (known->inner) walk_value(w, known->inner, member->value);
        w->depth--;
    }
}

/* Shapes are less deep than the path has room for. */
static void walk_value(walk *w, const shape *s, const tree *value)
{
    if (tree_is(value, TREE_MAP)) walk_object(w, s, value);
    for (size_t i = 0; tree_is(value, TREE_LIST) && i < tree_count(value) && w->status == KARP_OK; i++) {
        const tree *element = tree_item(value, i);
        w->path[w->depth++] = (io_step){ NULL, i };
        if (tree_is(element, TREE_MAP)) walk_object(w, s, element);
        w->depth--;
    }
}

karp_status io_note_fields(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    const shape *s = shape_of_kind(info->kind);
    const tree *metadata = tree_get(root, "metadata");
    if (!s || tree_get(metadata, "uid") || tree_get(metadata, "resourceVersion")) return KARP_OK;
    walk w = { .reader = reader, .info = info, .root = root, .place = place, .status = KARP_OK };
    walk_object(&w, s, root);
    return w.status;
}

karp_status io_note_version(karp_reader *reader, const io_kind_info *info, karp_str api_version)
{
    if (!info->version) return KARP_OK;
    char shown[64];
    size_t group = io_group_of(api_version).len;
    karp_str version = group ? (karp_str){ api_version.ptr + group + 1, api_version.len - group - 1 } : api_version;
    if (str_is(version, info->version) || (info->old_version && str_is(version, info->old_version))) return KARP_OK;
    str_shorten(shown, sizeof shown, api_version);
    return io_warn_once(reader, "%s of %s is read as one of %s%s%s", info->name, shown, info->group,
                        info->group[0] ? "/" : "", info->version);
}
