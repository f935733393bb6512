/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that are parts of others, or that no object of their own states: Volcano's subGroupPolicy, KAI's subGroups,
 * the pod groups of Workloads of Kubernetes 1.35, YuniKorn's task groups. A pod moves to the part that it belongs to,
 * and the whole becomes the composite above the parts. Sources: volcano, pkg/scheduler/api/sub_job_info.go; KAI,
 * pkg/scheduler/api/podgroup_info; kubernetes 1.35, pkg/scheduler/framework/plugins/gangscheduling; yunikorn-k8shim,
 * pkg/cache/gang_utils.go.
 */
#include <io/groups.h>

#include <io/decode_fields.h>
#include <io/fill.h>

#include <base/admit.h>

#include <stdio.h>

static const karp_str nothing = { "", 0 };
enum { MOST_NAME = 600 };

typedef struct moving {
    karp_reader *reader;
    io_decoder *d;
    karp_pod *pod;
    karp_str space, whole; /* of the pod's group */
    const tree *object; /* its PodGroup; NULL = it is not there */
} moving;

/* ---- names and groups -------------------------------------------------------------------------------------------- */

/* "whole.part", in the memory of the decoder. */
static karp_str joined(moving *m, karp_str whole, karp_str part)
{
    char text[MOST_NAME] = "";
    str_append(text, sizeof text, "%.*s.%.*s", str_shown(whole, 260), whole.ptr, str_shown(part, 260), part.ptr);
    size_t length = strlen(text);
    char *copy = io_make(m->d, length + 1, 1);
    if (!copy) return nothing;
    memcpy(copy, text, length);
    return (karp_str){ copy, length };
}

static karp_pod_group new_group(const moving *m, karp_str name, karp_str parent, int64_t least)
{
    karp_pod_group g;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = name;
    g.meta.namespace_ = m->space;
    g.meta.creation = m->object ? io_creation(m->object) : KARP_NO_TIME;
    g.source = m->pod->group_source;
    g.parent = parent;
    g.min_count = least < 1 ? 1 : least < INT32_MAX ? (int32_t)least : INT32_MAX;
    return g;
}

/* Adds the group, unless it was added for another pod. */
static karp_status add_once(moving *m, const karp_pod_group *g)
{
    karp_reader *r = m->reader;
    const char *kind = g->composite ? "whole of pods" : "part of a group";
    if (m->d->status) return m->d->status;
    if (io_find(r, kind, m->space, g->meta.name) != IO_NONE) return KARP_OK;
    if (!io_note_name(r, str(kind), m->space, g->meta.name, 1)) return io_reader_nomem(r);
    return karp_builder_add_pod_group(r->builder, g, &r->error);
}

/* Pods that belong to no part start one by one, beside the parts. */
static karp_status move_to_rest(moving *m)
{
    karp_pod_group g = new_group(m, joined(m, m->whole, str("rest")), m->whole, 1);
    g.gang = 0;
    m->pod->group_name = g.meta.name;
    return add_once(m, &g);
}

static karp_str label_of(const karp_pod *pod, karp_str key)
{
    const karp_str *value = label_value(pod->meta.labels, pod->meta.label_count, key);
    return value ? *value : nothing;
}

static karp_str annotation_of(const karp_pod *pod, const char *key)
{
    return label_or_none(pod->meta.annotations, pod->meta.annotation_count, key);
}

static int64_t number(const tree *object, const char *name, int64_t absent)
{
    int64_t value = 0;
    return tree_integer(tree_get(object, name), &value) && value >= 0 ? value : absent;
}

/* ---- Volcano ----------------------------------------------------------------------------------------------------- */

/* A policy without matchLabelKeys does nothing. */
static bool divides(const tree *policy) { return tree_count(tree_get(policy, "matchLabelKeys")) > 0; }

static karp_str policy_name(moving *m, const tree *policy, size_t index)
{
    char text[32];
    karp_str name = tree_get_text(policy, "name");
    (void)snprintf(text, sizeof text, "%zu", index);
    return joined(m, m->whole, name.len ? name : str(text));
}

/* "0-a" of the labels that cut the pods into parts; "" = the policy is not for this pod. */
static karp_str part_of(moving *m, const tree *policy)
{
    const tree *keys = tree_get(policy, "matchLabelKeys"), *selector = tree_get(policy, "labelSelector");
    karp_str name = nothing;
    karp_selector chosen = { 0 };
    if (selector) io_decode(m->d, &io_selector_record, selector, &chosen);
    if (selector && !selector_admits(&chosen, m->pod->meta.labels, m->pod->meta.label_count)) return nothing;
    for (size_t i = 0; i < tree_count(keys); i++) {
        karp_str value = label_of(m->pod, tree_text(tree_item(keys, i)));
        if (value.len == 0) return nothing;
        name = name.len ? joined(m, name, value) : value;
    }
    return name;
}

/* The composite of the policy's parts: so many of them have to be complete. */
static karp_status add_policy(moving *m, const tree *policy, karp_str name)
{
    int64_t least = number(policy, "minSubGroups", 0);
    karp_pod_group g = new_group(m, name, m->whole, least);
    g.composite = 1;
    g.gang = g.required = least > 0;
    return add_once(m, &g);
}

static karp_status move_in_volcano(moving *m)
{
    const tree *list = tree_get(tree_get(m->object, "spec"), "subGroupPolicy");
    bool moved = false;
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *policy = tree_item(list, i);
        karp_str name = policy_name(m, policy, i), part = divides(policy) && !moved ? part_of(m, policy) : nothing;
        karp_status status = divides(policy) ? add_policy(m, policy, name) : KARP_OK;
        if (status) return status;
        if (part.len == 0) continue;
        moved = true;
        karp_pod_group g = new_group(m, joined(m, name, part), name, number(policy, "subGroupSize", 1));
        m->pod->group_name = g.meta.name;
        status = add_once(m, &g);
        if (status) return status;
    }
    return moved ? KARP_OK : move_to_rest(m);
}

/* ---- KAI --------------------------------------------------------------------------------------------------------- */

static karp_str level_of(const tree *object)
{
    return tree_get_text(tree_get(object, "topologyConstraint"), "requiredTopologyLevel");
}

static uint64_t parts_below(const tree *list, karp_str parent)
{
    uint64_t count = 0;
    for (size_t i = 0; i < tree_count(list); i++)
        count += equal_str(tree_get_text(tree_item(list, i), "parent"), parent);
    return count;
}

/* All parts have their minimum, or none starts. */
static karp_status add_part(moving *m, const tree *list, const tree *part)
{
    karp_str name = tree_get_text(part, "name"), parent = tree_get_text(part, "parent");
    uint64_t below = parts_below(list, name);
    karp_str full = joined(m, m->whole, name), above = parent.len ? joined(m, m->whole, parent) : m->whole;
    karp_pod_group g = new_group(m, full, above, below > 0 ? (int64_t)below : number(part, "minMember", 1));
    g.composite = below > 0;
    g.min_pods = below > 0 ? (int32_t)(number(part, "minMember", 0) & INT32_MAX) : 0;
    g.topology_key = level_of(part);
    g.required = 1;
    return add_once(m, &g);
}

static karp_status move_in_kai(moving *m)
{
    const tree *list = tree_get(tree_get(m->object, "spec"), "subGroups");
    karp_str own = label_of(m->pod, str("kai.scheduler/subgroup-name"));
    bool known = false;
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *part = tree_item(list, i);
        known = known || (own.len && equal_str(tree_get_text(part, "name"), own));
        karp_status status = add_part(m, list, part);
        if (status) return status;
    }
    if (!known) return move_to_rest(m);
    m->pod->group_name = joined(m, m->whole, own);
    return m->d->status;
}

/* ---- workloadRef of Kubernetes 1.35 ------------------------------------------------------------------------------ */

karp_str io_workload_ref(io_decoder *d, const tree *pod)
{
    const tree *ref = tree_get(tree_get(pod, "spec"), "workloadRef");
    karp_pod none = { 0 };
    moving m = { .d = d, .pod = &none };
    karp_str name = tree_get_text(ref, "name"), group = tree_get_text(ref, "podGroup"),
             replica = tree_get_text(ref, "podGroupReplicaKey");
    if (name.len == 0) return nothing;
    if (group.len) name = joined(&m, name, group);
    return replica.len ? joined(&m, name, replica) : name;
}

static const tree *workload_of(moving *m, const tree *ref)
{
    const tree *found = io_find_tree(m->reader, str("Workload"), m->space, tree_get_text(ref, "name"));
    return str_is(str_before(tree_get_text(found, "apiVersion"), '/'), "scheduling.k8s.io") ? found : NULL;
}

static karp_status add_of_workload(moving *m, const tree *root)
{
    const tree *ref = tree_get(tree_get(root, "spec"), "workloadRef");
    karp_status status = io_warn_once(
        m->reader, "pods name their group in workloadRef, as in Kubernetes 1.35; newer clusters drop the field without "
                   "an error and bind the pods one by one: there, schedulingGroup names a PodGroup");
    m->object = workload_of(m, ref);
    const tree *list = tree_get(tree_get(m->object, "spec"), "podGroups");
    for (size_t i = 0; i < tree_count(list) && !status; i++) {
        const tree *one = tree_item(list, i), *gang = tree_get(tree_get(one, "policy"), "gang");
        if (!equal_str(tree_get_text(one, "name"), tree_get_text(ref, "podGroup"))) continue;
        karp_pod_group g = new_group(m, m->whole, nothing, number(gang, "minCount", 1));
        g.gang = gang != NULL;
        status = add_once(m, &g);
    }
    return status;
}

/* ---- YuniKorn ---------------------------------------------------------------------------------------------------- */

static const char task_groups[] = "yunikorn.apache.org/task-groups", app_word[] = "application of YuniKorn",
                  stand_ins[] = "placeholders of YuniKorn";

static karp_str application_of(const tree *metadata)
{
    static const char *const keys[] = { "yunikorn.apache.org/app-id", "applicationId", "spark-app-selector" };
    const tree *labels = tree_get(metadata, "labels");
    karp_str id = tree_get_text(tree_get(metadata, "annotations"), keys[0]);
    for (size_t i = 0; i < 3 && id.len == 0; i++) id = tree_get_text(labels, keys[i]);
    return id.len ? id : str("autogen");
}

/* The flag is an annotation of one of YuniKorn's own domains. */
static bool is_placeholder(const tree *metadata)
{
    const tree *all = tree_get(metadata, "annotations");
    for (size_t i = 0; i < tree_count(all); i++) {
        karp_str key = tree_member_name(tree_member_at(all, i));
        if (str_ends(key, "placeholder") && str_starts(key, "yunikorn.apache.org")) return true;
        if (str_ends(key, "yunikorn.apache.org/placeholder")) return true;
    }
    return false;
}

karp_str io_task_group(io_decoder *d, const tree *pod)
{
    const tree *metadata = tree_get(pod, "metadata");
    karp_pod none = { 0 };
    moving m = { .d = d, .pod = &none };
    karp_str task = tree_get_text(tree_get(metadata, "annotations"), "yunikorn.apache.org/task-group-name");
    return task.len ? joined(&m, application_of(metadata), task) : nothing;
}

/* Notes which pod states the task groups of an application, and counts placeholders by task group. */
static bool look_at_pods(moving *m)
{
    karp_reader *r = m->reader;
    if (io_find(r, app_word, nothing, str("seen")) != IO_NONE) return true;
    if (!io_note_name(r, str(app_word), nothing, str("seen"), 1)) return false;
    for (size_t i = 0; i < r->deferred_count && !m->d->status; i++) {
        const io_deferred *w = &r->deferred[i];
        if (w->gone || !w->root || w->info->kind != IO_KIND_POD) continue;
        const tree *metadata = tree_get(w->root, "metadata"), *annotations = tree_get(metadata, "annotations");
        karp_str app = application_of(metadata), task = nothing;
        if (tree_get_text(annotations, task_groups).len && io_find(r, app_word, w->namespace_, app) == IO_NONE &&
            !io_note_name(r, str(app_word), w->namespace_, app, (uint32_t)i))
            return false;
        if (!is_placeholder(metadata) || (task = io_task_group(m->d, w->root)).len == 0) continue;
        if (!io_count_name(r, stand_ins, w->namespace_, task)) return false;
    }
    return !m->d->status;
}

/* The annotation of the pod itself, or of the first pod of its application. */
static karp_str stated_groups(const moving *m, karp_str app)
{
    karp_str own = annotation_of(m->pod, task_groups);
    uint32_t at = own.len ? IO_NONE : io_find(m->reader, app_word, m->space, app);
    if (at == IO_NONE || at >= m->reader->deferred_count) return own;
    return tree_get_text(io_at_path(m->reader->deferred[at].root, "/metadata/annotations"), task_groups);
}

static karp_status add_application(moving *m, karp_str app, const tree *list)
{
    karp_pod_group g = new_group(m, app, nothing, (int64_t)tree_count(list));
    g.composite = 1;
    karp_status status = add_once(m, &g);
    for (size_t i = 0; i < tree_count(list) && !status; i++) {
        const tree *one = tree_item(list, i);
        g = new_group(m, joined(m, app, tree_get_text(one, "name")), app, number(one, "minMember", 1));
        status = add_once(m, &g);
    }
    return status;
}

/* A pod with a placeholder takes its place: both would be counted twice. */
static karp_status take_place(moving *m, const tree *root)
{
    uint32_t *left = io_find(m->reader, stand_ins, m->space, m->whole) == IO_NONE
                         ? NULL
                         : io_number_of(m->reader, str(stand_ins), m->space, m->whole);
    if (!left || *left == 0 || m->pod->node_name.len || is_placeholder(tree_get(root, "metadata"))) return KARP_OK;
    --*left;
    m->pod->gated = 1;
    m->pod->condition_count = 0;
    return io_warn_once(m->reader,
                        "pods of YuniKorn take the places of placeholders that are in the input, so they are "
                        "not placed beside them");
}

static karp_status add_of_yunikorn(moving *m, const tree *root)
{
    tree *list = NULL;
    tree_fault fault;
    karp_str app = application_of(tree_get(root, "metadata"));
    if (!look_at_pods(m)) return m->d->status ? m->d->status : io_reader_nomem(m->reader);
    karp_status status = take_place(m, root);
    if (status || io_find(m->reader, "whole of pods", m->space, app) != IO_NONE) return status;
    karp_str stated = stated_groups(m, app);
    trees t = trees_on(m->reader->context);
    status = tree_parse(&t, stated, m->reader->limits.nesting, &list, NULL, &fault);
    bool wrong = status == KARP_E_SYNTAX || (status == KARP_OK && (!tree_is(list, TREE_LIST) || tree_count(list) == 0));
    if (wrong)
        status = io_warn_once(
            m->reader, "application %.*s of YuniKorn: %s %s: YuniKorn schedules its pods one by one, without a gang",
            str_shown(app, 100), app.ptr, task_groups,
            stated.len ? "is not a list of task groups in JSON" : "is on none of its pods");
    else if (status == KARP_OK) status = add_application(m, app, list);
    if (wrong) m->pod->group_name = nothing;
    trees_free(&t);
    return status;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

bool io_group_has_parts(const tree *object)
{
    const tree *spec = tree_get(object, "spec"), *policies = tree_get(spec, "subGroupPolicy");
    if (io_group_source(object) == KARP_GROUP_KAI) return tree_count(tree_get(spec, "subGroups")) > 0;
    for (size_t i = 0; io_group_source(object) == KARP_GROUP_VOLCANO && i < tree_count(policies); i++) {
        if (divides(tree_item(policies, i))) return true;
    }
    return false;
}

karp_status io_group_part(karp_reader *reader, io_decoder *d, const tree *root, karp_pod *pod)
{
    karp_str space = pod->meta.namespace_.len ? pod->meta.namespace_ : str("default");
    moving m = { .reader = reader, .d = d, .pod = pod, .space = space, .whole = pod->group_name };
    uint32_t source = pod->group_source;
    if (pod->group_name.len == 0) return d->status;
    if (source == KARP_GROUP_WORKLOAD_REF) return add_of_workload(&m, root);
    if (source == KARP_GROUP_YUNIKORN) return add_of_yunikorn(&m, root);
    if (source != KARP_GROUP_VOLCANO && source != KARP_GROUP_KAI) return KARP_OK;
    m.object = io_find_tree(reader, str("PodGroup"), space, pod->group_name);
    if (!m.object || io_group_source(m.object) != source || !io_group_has_parts(m.object)) return KARP_OK;
    return source == KARP_GROUP_VOLCANO ? move_in_volcano(&m) : move_in_kai(&m);
}
