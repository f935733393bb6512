/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Kubernetes' pkg/apis/core/validation and pkg/apis/apps/validation. */
#include <io/notes.h>

#include <io/rules.h>

#include <math.h>

static const char *const lists[] = { "initContainers", "containers" };

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static bool in_list(const tree *values, const tree *value)
{
    for (size_t i = 0; i < tree_count(values); i++) {
        const tree *one = tree_item(values, i);
        if (tree_is(one, TREE_STRING) && equal_str(tree_text(one), tree_text(value))) return true;
    }
    return false;
}

static bool expression_matches(const tree *expression, const tree *labels)
{
    karp_str op = tree_get_text(expression, "operator");
    const tree *label = tree_find_str(labels, tree_get_text(expression, "key"));
    bool listed = tree_is(label, TREE_STRING) && in_list(tree_get(expression, "values"), label);
    if (str_is(op, "In")) return listed;
    if (str_is(op, "NotIn")) return !listed;
    if (str_is(op, "Exists")) return label != NULL;
    if (str_is(op, "DoesNotExist")) return label == NULL;
    return false;
}

/* The first member of `match` that the labels lack; NULL = they have all. */
static const tree_member *missing_label(const tree *match, const tree *labels)
{
    for (size_t i = 0; tree_is(match, TREE_MAP) && i < tree_count(match); i++) {
        const tree_member *wanted = tree_member_at(match, i);
        const tree *label = tree_find_str(labels, tree_member_name(wanted));
        if (!label || !tree_equal(label, wanted->value)) return wanted;
    }
    return NULL;
}

static bool selects(const tree *selector, const tree *labels)
{
    if (!selector || missing_label(tree_get(selector, "matchLabels"), labels)) return false;
    const tree *expressions = tree_get(selector, "matchExpressions");
    for (size_t i = 0; i < tree_count(expressions); i++) {
        if (!expression_matches(tree_item(expressions, i), labels)) return false;
    }
    return true;
}

/* ---- parts of the reasons ---------------------------------------------------------------------------------------- */

typedef struct reason {
    char *text;
    size_t room;
} reason;

#define WHY(r, ...)                                                                                                    \
    do {                                                                                                               \
        if ((r)->text[0] == '\0') str_append((r)->text, (r)->room, __VA_ARGS__);                                       \
    } while (0)

/* Bases and patches of kustomizations lack what others add. */
#define PATCH "; if it is part of a kustomization: kubectl kustomize DIRECTORY"

static bool is_kind(const tree *root, const char *kind) { return str_is(tree_get_text(root, "kind"), kind); }

/* `root` NULL = of a pod, or of an object whose operator makes the template. */
static void check_containers(reason *r, const tree *root, const tree *template_)
{
    if (root && tree_is_null(template_)) WHY(r, "it has no pod template" PATCH);
    else if (tree_count(tree_get(tree_get(template_, "spec"), "containers")) == 0)
        WHY(r, "%s no containers%s", root ? "its pod template has" : "its pods have", root ? PATCH : "");
}

static bool is_of_apps(const tree *root)
{
    return is_kind(root, "Deployment") || is_kind(root, "ReplicaSet") || is_kind(root, "StatefulSet") ||
           is_kind(root, "DaemonSet");
}

/* apps/v1beta1 took the labels of the template where an object had no selector. */
static bool defaults_selector(const tree *root, const tree *labels)
{
    return tree_count(labels) > 0 && str_is(tree_get_text(root, "apiVersion"), "apps/v1beta1");
}

static void check_selector(reason *r, const tree *root, const tree *template_)
{
    const tree *selector = tree_get(tree_get(root, "spec"), "selector");
    const tree *labels = tree_get(tree_get(template_, "metadata"), "labels");
    bool plain = is_kind(root, "ReplicationController") || is_kind(root, "DeploymentConfig");
    bool none = is_of_apps(root) && tree_is_null(selector);
    if (none && !defaults_selector(root, labels)) WHY(r, "it has no selector" PATCH);
    if (!tree_is(selector, TREE_MAP) || is_kind(root, "Job")) return;
    const tree_member *missing = missing_label(plain ? selector : tree_get(selector, "matchLabels"), labels);
    if (missing) {
        karp_str key = tree_member_name(missing), value = tree_text(missing->value);
        WHY(r, "the labels of its pod template do not have %.*s=%.*s of its selector", str_shown(key, 100), key.ptr,
            str_shown(value, 64), value.ptr);
    } else if (!plain && !selects(selector, labels)) {
        WHY(r, "its selector does not match the labels of its pod template");
    }
}

static void check_restart(reason *r, const tree *root, const tree *spec)
{
    karp_str policy = tree_get_text(spec, "restartPolicy");
    bool stays = is_of_apps(root) || is_kind(root, "ReplicationController");
    if (stays && policy.len && !str_is(policy, "Always"))
        WHY(r, "restartPolicy of its pods is %.*s, not Always", str_shown(policy, 40), policy.ptr);
    if (is_kind(root, "Job") && (policy.len == 0 || str_is(policy, "Always")))
        WHY(r, "restartPolicy of its pods is Always%s, not Never or OnFailure", policy.len ? "" : " by default");
}

/* The second of two elements with the same text in a member; "" = there are none. */
static karp_str twice(const tree *list, const char *member)
{
    for (size_t i = 0; i < tree_count(list) && i < 64; i++) {
        karp_str one = tree_get_text(tree_item(list, i), member);
        for (size_t k = 0; k < i && one.len; k++) {
            if (equal_str(one, tree_get_text(tree_item(list, k), member))) return one;
        }
    }
    return (karp_str){ "", 0 };
}

static bool has_name(const tree *list, karp_str name)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        if (equal_str(tree_get_text(one, "name"), name) ||
            equal_str(tree_get_text(tree_get(one, "metadata"), "name"), name))
            return true;
    }
    return false;
}

/* Resources that cannot be overcommitted: huge pages, and all that are not Kubernetes' own. */
static bool is_whole(karp_str key)
{
    bool extended = key.len && memchr(key.ptr, '/', key.len) && !str_contains(key, str("kubernetes.io/"));
    return extended || str_starts(key, "hugepages-");
}

/* A request of an extended resource is a whole number. */
static void check_whole(reason *r, karp_str name, karp_str key, karp_str request)
{
    double number = 0;
    if (!is_whole(key) || karp_quantity_double(request, &number) != KARP_OK || number == floor(number)) return;
    WHY(r, "container %.*s requests %.*s %.*s, which is no whole number", str_shown(name, 64), name.ptr,
        str_shown(key, 64), key.ptr, str_shown(request, 40), request.ptr);
}

static void check_limits(reason *r, karp_str name, const tree *resources)
{
    const tree *requests = tree_get(resources, "requests"), *limits = tree_get(resources, "limits");
    for (size_t i = 0; tree_is(requests, TREE_MAP) && i < tree_count(requests); i++) {
        const tree_member *m = tree_member_at(requests, i);
        karp_str key = tree_member_name(m), request = tree_text_or_digits(m->value),
                 limit = tree_text_or_digits(tree_find_str(limits, key));
        int32_t order = 0;
        check_whole(r, name, key, request);
        if (limit.len == 0 && is_whole(key))
            WHY(r, "container %.*s requests %.*s without a limit, which has to be equal", str_shown(name, 64), name.ptr,
                str_shown(key, 64), key.ptr);
        if (limit.len == 0 || karp_quantity_compare(request, limit, &order) != KARP_OK || order == 0) continue;
        bool whole = is_whole(key);
        if (order > 0)
            WHY(r, "container %.*s requests %.*s %.*s, more than its limit %.*s", str_shown(name, 64), name.ptr,
                str_shown(key, 64), key.ptr, str_shown(request, 40), request.ptr, str_shown(limit, 40), limit.ptr);
        else if (whole)
            WHY(r, "container %.*s requests %.*s %.*s, but its limit is %.*s: they have to be equal",
                str_shown(name, 64), name.ptr, str_shown(key, 64), key.ptr, str_shown(request, 40), request.ptr,
                str_shown(limit, 40), limit.ptr);
    }
}

static void check_container(reason *r, const tree *container, const tree *volumes, const tree *claims, bool operated)
{
    karp_str name = tree_get_text(container, "name"), port = twice(tree_get(container, "ports"), "name");
    const tree *mounts = tree_get(container, "volumeMounts");
    check_limits(r, name, tree_get(container, "resources"));
    if (port.len)
        WHY(r, "container %.*s has two ports named %.*s", str_shown(name, 64), name.ptr, str_shown(port, 64), port.ptr);
    for (size_t i = 0; !operated && i < tree_count(mounts); i++) {
        karp_str volume = tree_get_text(tree_item(mounts, i), "name");
        if (str_starts(volume, "kube-api-access")) continue; /* the API server adds it */
        if (volume.len && !has_name(volumes, volume) && !has_name(claims, volume))
            WHY(r, "container %.*s mounts volume %.*s, which the pod does not have", str_shown(name, 64), name.ptr,
                str_shown(volume, 64), volume.ptr);
    }
}

void io_why_refused(const tree *root, const tree *template_, const tree *claims, bool operated, char *why, size_t room)
{
    reason r = { why, room };
    const tree *spec = tree_get(template_, "spec"), *volumes = tree_get(spec, "volumes");
    karp_str volume = twice(volumes, "name");
    if (root || operated) check_containers(&r, root, template_);
    if (root) check_selector(&r, root, template_);
    if (root) check_restart(&r, root, spec);
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(spec, lists[k]);
        karp_str name = twice(list, "name");
        if (name.len) WHY(&r, "two containers are named %.*s", str_shown(name, 64), name.ptr);
        for (size_t i = 0; i < tree_count(list); i++)
            check_container(&r, tree_item(list, i), volumes, claims, operated);
    }
    if (volume.len) WHY(&r, "two volumes are named %.*s", str_shown(volume, 64), volume.ptr);
    io_reason rules = { .text = why, .room = room, .of = "" };
    if (root) io_check_workload_rules(&rules, root);
    if (root || operated) rules.of = "of its pods";
    io_check_pod_rules(&rules, template_, operated);
}

/* ---- objects that are read all the same -------------------------------------------------------------------------- */

/* The first of the members that nodeClassRef lacks; NULL = none, or there is no reference. */
static const char *missing_of_reference(const tree *pool)
{
    static const char *const members[] = { "group", "kind", "name" };
    const tree *of_template = tree_get(tree_get(tree_get(pool, "spec"), "template"), "spec");
    const tree *reference = tree_get(of_template, "nodeClassRef");
    for (size_t i = 0; tree_is(reference, TREE_MAP) && i < 3; i++) {
        if (tree_get_text(reference, members[i]).len == 0) return members[i];
    }
    return NULL;
}

karp_status io_note_refused(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place)
{
    const tree *spec = tree_get(root, "spec"), *metadata = tree_get(root, "metadata");
    char why[400] = "", shown[64];
    io_reason rules = { .text = why, .room = sizeof why, .of = "" };
    /* v1beta1 has defaults for what is missing. */
    bool of_pool = info->kind == IO_KIND_NODE_POOL &&
                   !str_is(tree_get_text(root, "apiVersion"), "karpenter.sh/v1beta1");
    const char *missing = of_pool ? missing_of_reference(root) : NULL;
    if (missing) str_append(why, sizeof why, "its nodeClassRef has no %s", missing);
    if (info->kind == IO_KIND_BUDGET && tree_get(spec, "minAvailable") && tree_get(spec, "maxUnavailable"))
        str_append(why, sizeof why, "it has both minAvailable and maxUnavailable");
    bool class_ = info->kind == IO_KIND_NODE_CLASS;
    if (info->kind == IO_KIND_BUDGET || (class_ && !tree_get(root, "status"))) io_check_workload_rules(&rules, root);
    int64_t least = 1, most = 0;
    (void)tree_integer(tree_get(spec, "minReplicas"), &least);
    if (info->kind == IO_KIND_AUTOSCALER && tree_integer(tree_get(spec, "maxReplicas"), &most) && least > most)
        str_append(why, sizeof why, "its minReplicas is %lld, more than its maxReplicas %lld", (long long)least,
                   (long long)most);
    if (why[0] == '\0') return KARP_OK;
    str_shorten(shown, sizeof shown, tree_get_text(metadata, "name"));
    karp_str kind = class_ ? tree_get_text(root, "kind") : str(info->name);
    return io_not_understood_at(reader, place, "%.*s %s: the API server refuses it: %s; read all the same",
                                str_shown(kind, 64), kind.ptr, shown, why);
}

/* ---- amounts that are probably meant otherwise ------------------------------------------------------------------- */

static bool ends_with_any(karp_str text, const char *const *endings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_ends(text, endings[i])) return true;
    }
    return false;
}

static karp_status note_amount(karp_reader *reader, const io_deferred *w, karp_str name, const tree_member *m)
{
    static const char *const sizes[] = { "Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T" };
    karp_str resource = tree_member_name(m), value = tree_text(m->value);
    const char *kind = w->info->name;
    double number = 0;
    if (karp_quantity_double(value, &number) != KARP_OK || number <= 0) return KARP_OK;
    bool size = str_is(resource, "memory") || str_is(resource, "ephemeral-storage");
    if (size && str_ends(value, "m"))
        return io_warn(reader, "%s %.*s: container %.*s has %.*s %.*s, which is %g bytes; %.*sMi may be meant", kind,
                       str_shown(w->name, 100), w->name.ptr, str_shown(name, 64), name.ptr, str_shown(resource, 64),
                       resource.ptr, str_shown(value, 40), value.ptr, number, str_shown(value, 40) - 1, value.ptr);
    if (str_is(resource, "cpu") && ends_with_any(value, sizes, sizeof sizes / sizeof *sizes)) {
        int digits = 0;
        while ((size_t)digits < value.len && digits < 40 &&
               (value.ptr[digits] == '.' || (value.ptr[digits] >= '0' && value.ptr[digits] <= '9')))
            digits++;
        return io_warn(reader, "%s %.*s: container %.*s has cpu %.*s, which is %.0f cores; %.*sm may be meant", kind,
                       str_shown(w->name, 100), w->name.ptr, str_shown(name, 64), name.ptr, str_shown(value, 40),
                       value.ptr, number, digits, value.ptr);
    }
    return KARP_OK;
}

karp_status io_note_amounts(karp_reader *reader, const io_deferred *w, const tree *spec)
{
    karp_status status = KARP_OK;
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(spec, lists[k]);
        for (size_t i = 0; i < tree_count(list); i++) {
            const tree *resources = tree_get(tree_item(list, i), "resources");
            const tree *amounts = tree_get(resources, "requests");
            if (!amounts) amounts = tree_get(resources, "limits");
            karp_str name = tree_get_text(tree_item(list, i), "name");
            for (size_t n = 0; tree_is(amounts, TREE_MAP) && n < tree_count(amounts) && status == KARP_OK; n++)
                status = note_amount(reader, w, name, tree_member_at(amounts, n));
        }
    }
    return status;
}
