/* SPDX-License-Identifier: Apache-2.0 */
#include <io/groups.h>

#include <base/admit.h>
#include <io/decode_fields.h>

/* ---- sources ----------------------------------------------------------------------------------------------------- */

enum { MOST_LABELS = 2 };

/* How pods name their group, apart from Kubernetes' own field. */
static const struct source {
    const char *api_group; /* of its PodGroup objects; NULL = there are none */
    const char *labels[MOST_LABELS]; /* in the order in which they count */
    const char *annotation;
    /* annotation with the minimum, if the group has no object: pods that name it by `annotation`, or by a label if
     * there are no objects at all */
    const char *minimum;
} sources[] = {
    [KARP_GROUP_KUBERNETES] = { "scheduling.k8s.io", { NULL }, NULL, NULL },
    [KARP_GROUP_COSCHEDULING] = { "scheduling.x-k8s.io", { "scheduling.x-k8s.io/pod-group" }, NULL, NULL },
    [KARP_GROUP_KOORDINATOR] = { "scheduling.sigs.k8s.io",
                                 { "pod-group.scheduling.sigs.k8s.io", "pod-group.scheduling.sigs.k8s.io/name" },
                                 "gang.scheduling.koordinator.sh/name",
                                 "gang.scheduling.koordinator.sh/min-available" },
    [KARP_GROUP_VOLCANO] = { "scheduling.volcano.sh", { NULL }, "scheduling.k8s.io/group-name", NULL },
    [KARP_GROUP_KAI] = { "scheduling.run.ai", { NULL }, "pod-group-name", NULL },
    [KARP_GROUP_KUEUE] = { NULL, { "kueue.x-k8s.io/pod-group-name" }, NULL, "kueue.x-k8s.io/pod-group-total-count" },
    [KARP_GROUP_WORKLOAD_REF] = { NULL, { NULL }, NULL, NULL }, /* these two: group_parts.c */
    [KARP_GROUP_YUNIKORN] = { NULL, { NULL }, NULL, NULL },
    [KARP_GROUP_PROVISIONING_REQUEST] = { NULL, { NULL }, NULL, NULL }, /* its pods exist for the question alone */
};
enum { SOURCES = sizeof sources / sizeof *sources };

uint32_t io_group_source(const tree *root)
{
    karp_str group = str_before(tree_get_text(root, "apiVersion"), '/');
    for (uint32_t i = 0; i < SOURCES; i++) {
        if (sources[i].api_group && str_is(group, sources[i].api_group)) return i;
    }
    return KARP_GROUP_KUBERNETES;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static karp_str value_of(const karp_label *list, size_t count, const char *key)
{
    return key ? label_or_none(list, count, key) : str("");
}

static karp_str name_in(const struct source *s, const karp_meta *meta)
{
    for (size_t i = 0; i < MOST_LABELS; i++) {
        karp_str name = value_of(meta->labels, meta->label_count, s->labels[i]);
        if (name.len) return name;
    }
    return value_of(meta->annotations, meta->annotation_count, s->annotation);
}

static void name_group(karp_pod *pod, uint32_t source, karp_str name)
{
    if (pod->group_name.len > 0 || name.len == 0) return;
    pod->group_name = name;
    pod->group_source = source;
}

void io_finish_group(io_decoder *d, const tree *object, void *into)
{
    karp_pod *pod = into;
    for (uint32_t i = 0; i < SOURCES && pod->group_name.len == 0; i++) {
        name_group(pod, i, name_in(&sources[i], &pod->meta));
    }
    if (pod->group_name.len > 0) return;
    name_group(pod, KARP_GROUP_WORKLOAD_REF, io_workload_ref(d, object));
    name_group(pod, KARP_GROUP_YUNIKORN, io_task_group(d, object));
}

karp_status io_group_of_pod(karp_reader *reader, io_decoder *d, const tree *root, karp_pod *pod)
{
    if (reader->made_group.len > 0) {
        pod->group_name = reader->made_group;
        pod->group_source = reader->made_group_source;
        return KARP_OK;
    }
    karp_status status = io_group_part(reader, d, root, pod);
    if (status) return status;
    const struct source *s = &sources[pod->group_source];
    karp_str stated = value_of(pod->meta.annotations, pod->meta.annotation_count, s->minimum);
    uint64_t minimum = 0;
    if (pod->group_name.len == 0 || stated.len == 0) return KARP_OK;
    if (s->api_group && value_of(pod->meta.annotations, pod->meta.annotation_count, s->annotation).len == 0)
        return KARP_OK;
    karp_str space = pod->meta.namespace_.len ? pod->meta.namespace_ : str("default");
    if (io_find(reader, s->minimum, space, pod->group_name) != IO_NONE) return KARP_OK;
    if (!io_note_name(reader, str(s->minimum), space, pod->group_name, 1)) return io_reader_nomem(reader);
    for (size_t i = 0; i < stated.len && minimum <= INT32_MAX; i++) {
        bool digit = stated.ptr[i] >= '0' && stated.ptr[i] <= '9';
        minimum = digit ? minimum * 10 + (uint64_t)(stated.ptr[i] - '0') : (uint64_t)INT32_MAX + 1;
    }
    if (minimum == 0 || minimum > INT32_MAX)
        return fail(&reader->error, KARP_E_INVALID, "%s: not a number from 1 to %d", s->minimum, INT32_MAX);
    karp_pod_group group;
    karp_pod_group_init(&group, sizeof group);
    group.meta.name = pod->group_name;
    group.meta.namespace_ = space;
    group.source = pod->group_source;
    group.min_count = (int32_t)minimum;
    return karp_builder_add_pod_group(reader->builder, &group, &reader->error);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static void read_topology(io_decoder *d, const tree *object, const tree *value, void *into)
{
    size_t count = 0;
    const tree *list = io_array(d, object, "topology", &count);
    (void)value;
    io_push(d, "topology");
    for (size_t i = 0; i < count && !d->status; i++) {
        const tree *entry = io_element(d, list, i);
        ((karp_pod_group *)into)->topology_key = io_required_string(d, entry, "key");
        io_pop(d);
    }
    io_pop(d);
}

/* scheduling.k8s.io/v1alpha2 has the words Pod and PodGroup. */
static void read_disruption(io_decoder *d, const tree *object, const tree *value, void *into)
{
    if (tree_is(value, TREE_STRING)) /* v1alpha2 */
        ((karp_pod_group *)into)->disruption_all = str_is(tree_text(value), "PodGroup");
    else if (io_as_object(d, value, "disruptionMode"))
        ((karp_pod_group *)into)->disruption_all = tree_get(value, "all") != NULL;
    (void)object;
}

static const record gang_record = { OPEN({ NUMBER32("minCount", karp_pod_group, min_count, 1, INT32_MAX) },
                                         { NUMBER32("minGroupCount", karp_pod_group, min_count, 1, INT32_MAX) }) };
static const record policy_record = { OPEN({ CHECKED("basic", FIELD_OBJECT) },
                                           { CHECKED("gang", FIELD_OBJECT), HAS(karp_pod_group, gang) },
                                           { OBJECT("gang", gang_record) }) };
static const record constraints_record = { OPEN({ CALL("topology", read_topology) }) };
static const record group_spec_record = { OPEN(
    { OBJECT("schedulingPolicy", policy_record) }, { OBJECT("schedulingConstraints", constraints_record) },
    { CALL("disruptionMode", read_disruption) }, { TEXT("parentCompositePodGroupName", karp_pod_group, parent) },
    { INT32("priority", karp_pod_group, priority), HAS(karp_pod_group, has_priority) }) };
static const karp_pod_group no_group = { .size = sizeof no_group, .meta = META_ABSENT, .min_count = 1 };
const record io_pod_group_record = {
    LIKE(no_group), OPEN({ STRUCT("metadata", karp_pod_group, meta, io_namespaced_meta_record), .always = true },
                         { OBJECT("spec", group_spec_record) })
};
static const karp_pod_group no_composite = {
    .size = sizeof no_composite, .meta = META_ABSENT, .min_count = 1, .composite = 1
};
const record io_composite_group_record = {
    LIKE(no_composite), OPEN({ STRUCT("metadata", karp_pod_group, meta, io_namespaced_meta_record), .always = true },
                             { OBJECT("spec", group_spec_record) })
};

static const record kai_topology_record = { OPEN({ TEXT("requiredTopologyLevel", karp_pod_group, topology_key) }) };
static const record member_spec_record = { OPEN({ NUMBER32("minMember", karp_pod_group, min_count, 0, INT32_MAX) },
                                                { OBJECT("topologyConstraint", kai_topology_record) }) };
static const karp_pod_group no_member_group = {
    .size = sizeof no_member_group, .meta = META_ABSENT, .min_count = 1, .gang = 1
};

static void settle_minimum(io_decoder *d, const tree *object, void *into)
{
    karp_pod_group *group = into;
    (void)d;
    if (group->min_count == 0) group->min_count = 1;
    if (!io_group_has_parts(object)) return;
    group->composite = 1;
    group->min_pods = group->min_count;
    group->min_count = 1; /* its parts say which of them have to start */
}

/* Volcano's HyperNodes and Koordinator's layers are no labels of nodes. */
karp_status io_note_network(karp_reader *reader, const tree *root)
{
    const tree *metadata = tree_get(root, "metadata"), *network = tree_get(tree_get(root, "spec"), "networkTopology");
    bool tier = tree_get(network, "highestTierAllowed") || tree_get(network, "highestTierName");
    karp_str gather = tree_get_text(tree_get(metadata, "annotations"),
                                    "gang.scheduling.koordinator.sh/network-topology-spec");
    bool hard = tier && !str_is(tree_get_text(network, "mode"), "soft");
    karp_str name = tree_get_text(metadata, "name");
    if (!hard && !str_contains(gather, str("MustGather"))) return KARP_OK;
    return io_not_understood(
        reader,
        "PodGroup %.*s: its network topology is not read: its pods may be planned further apart than "
        "its scheduler lets them be",
        str_shown(name, 100), name.ptr);
}

const record io_member_group_record = { LIKE(no_member_group), .finish = settle_minimum,
                                        OPEN({ STRUCT("metadata", karp_pod_group, meta, io_namespaced_meta_record),
                                               .always = true },
                                             { OBJECT("spec", member_spec_record) }) };
