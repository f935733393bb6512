/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of plugins: pluginConfig of a profile. */
#include <kube/config.h>

#include <io/decode_fields.h>
#include <io/notes.h>
#include <kube/pod_class.h>

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"
#define HEAD "apiVersion kind"

/* ---- resources --------------------------------------------------------------------------------------------------- */

static const kube_weighed *read_resources(io_decoder *d, const tree *object, int64_t most, size_t *count)
{
    const tree *list = io_array(d, object, "resources", count);
    kube_weighed *out = io_make(d, *count, sizeof *out);
    io_push(d, "resources");
    for (size_t i = 0; i < *count && !d->status; i++) {
        const tree *one = io_element(d, list, i);
        kube_config_members(d, one, "name weight");
        out[i].name = io_required_string(d, one, "name");
        out[i].weight = io_integer(d, one, "weight", 0, most, 1);
        if (out[i].weight == 0) out[i].weight = 1;
        io_pop(d);
    }
    io_pop(d);
    return out;
}

/* Scores of a shape are from 0 to 10. */
static void read_shape(io_decoder *d, const tree *strategy, kube_profile *p)
{
    const tree *ratio = io_enter(d, strategy, "requestedToCapacityRatio");
    size_t count;
    const tree *list = io_array(d, ratio, "shape", &count);
    kube_point *shape = io_make(d, count, sizeof *shape);
    kube_config_members(d, ratio, "shape");
    if (count == 0) io_bad_member(d, "shape", KARP_E_INVALID, "at least one point is needed");
    io_push(d, "shape");
    for (size_t i = 0; i < count && !d->status; i++) {
        const tree *one = io_element(d, list, i);
        kube_config_members(d, one, "utilization score");
        shape[i].utilization = io_integer(d, one, "utilization", 0, 100, 0);
        shape[i].score = 10 * io_integer(d, one, "score", 0, 10, 0);
        if (i && shape[i].utilization <= shape[i - 1].utilization)
            io_bad_member(d, "utilization", KARP_E_INVALID, "utilizations must increase");
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    p->shape = shape;
    p->shape_count = count;
}

static void read_strategy(io_decoder *d, const tree *args, kube_profile *p)
{
    static const record_word types[] = { { "LeastAllocated", KUBE_LEAST_ALLOCATED },
                                         { "MostAllocated", KUBE_MOST_ALLOCATED },
                                         { "RequestedToCapacityRatio", KUBE_REQUESTED_TO_CAPACITY } };
    const tree *strategy = io_enter(d, args, "scoringStrategy");
    if (strategy) {
        size_t count;
        kube_config_members(d, strategy, "type resources requestedToCapacityRatio");
        p->strategy = io_enum(d, strategy, "type", types, sizeof types / sizeof *types, KUBE_LEAST_ALLOCATED);
        const kube_weighed *list = read_resources(d, strategy, 100, &count);
        if (count) {
            p->resources = list;
            p->resource_count = count;
        }
        if (p->strategy == KUBE_REQUESTED_TO_CAPACITY) read_shape(d, strategy, p);
        else if (io_member(d, strategy, "requestedToCapacityRatio"))
            io_bad_member(d, "requestedToCapacityRatio", KARP_E_INVALID,
                          "goes with the type RequestedToCapacityRatio alone");
    }
    io_pop(d);
}

static void read_fit(io_decoder *d, const tree *args, kube_profile *p)
{
    p->ignored = io_strings(d, args, "ignoredResources", &p->ignored_count);
    p->ignored_groups = io_strings(d, args, "ignoredResourceGroups", &p->ignored_group_count);
    read_strategy(d, args, p);
}

static void read_balanced(io_decoder *d, const tree *args, kube_profile *p)
{
    size_t count;
    const kube_weighed *list = read_resources(d, args, 1, &count);
    if (count == 0) return;
    p->balanced = list;
    p->balanced_count = count;
}

/* ---- affinity and spread ----------------------------------------------------------------------------------------- */

static const record preferred_record = { OF(karp_node_term),
                                         CLOSED({ NUMBER32("weight", karp_node_term, weight, 1, 100), MUST },
                                                { OBJECT("preference", io_node_term_record) }) };

static void read_node_affinity(io_decoder *d, const tree *args, kube_profile *p)
{
    const tree *added = io_enter(d, args, "addedAffinity"), *required = io_enter(d, added, REQUIRED);
    kube_config_members(d, added, REQUIRED " " PREFERRED);
    p->required = io_list(d, required, "nodeSelectorTerms", &io_node_term_record, &p->required_count);
    p->required_fields = kube_fields_read(d, tree_get(required, "nodeSelectorTerms"), p->required_count, NULL);
    if (required && p->required_count == 0)
        io_bad_member(d, "nodeSelectorTerms", KARP_E_INVALID, "at least one term is needed");
    io_pop(d);
    p->preferred = io_list(d, added, PREFERRED, &preferred_record, &p->preferred_count);
    p->preferred_fields = kube_fields_read(d, tree_get(added, PREFERRED), p->preferred_count, "preference");
    io_pop(d);
}

static void read_pod_affinity(io_decoder *d, const tree *args, kube_profile *p)
{
    p->hard_affinity_weight = io_integer(d, args, "hardPodAffinityWeight", 0, 100, 1);
    p->ignores_preferred = io_boolean(d, args, "ignorePreferredTermsOfExistingPods", false);
}

static void read_spread(io_decoder *d, const tree *args, kube_profile *p)
{
    enum { SYSTEM, LIST_ };
    static const record_word types[] = { { "System", SYSTEM }, { "List", LIST_ } };
    size_t count;
    const karp_spread_constraint *list = io_spread(d, args, "defaultConstraints", &count);
    p->system_spread = io_enum(d, args, "defaultingType", types, 2, SYSTEM) == SYSTEM;
    if (p->system_spread) {
        if (count) io_bad_member(d, "defaultingType", KARP_E_INVALID, "defaultConstraints go with List");
        return;
    }
    io_push(d, "defaultConstraints");
    for (size_t i = 0; i < count && !d->status; i++) {
        io_push_index(d, i);
        if (list[i].topology_key.len == 0) io_bad_member(d, "topologyKey", KARP_E_INVALID, "is missing");
        if (list[i].label_selector)
            io_bad_member(d, "labelSelector", KARP_E_INVALID, "default constraints have none: it follows from the pod");
        for (size_t k = 0; k < i; k++) {
            if (equal_str(list[k].topology_key, list[i].topology_key) &&
                list[k].when_unsatisfiable == list[i].when_unsatisfiable)
                io_bad(d, KARP_E_INVALID, "another one has this topologyKey and whenUnsatisfiable");
        }
        io_pop(d);
    }
    io_pop(d);
    p->spread = list;
    p->spread_count = count;
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static void read_preemption(io_decoder *d, const tree *args, kube_profile *p)
{
    p->candidates_percentage = (size_t)io_integer(d, args, "minCandidateNodesPercentage", 0, 100, 10);
    p->candidates_least = (size_t)io_integer(d, args, "minCandidateNodesAbsolute", 0, INT32_MAX, 100);
    if (p->candidates_percentage == 0 && p->candidates_least == 0)
        io_bad_member(d, "minCandidateNodesAbsolute", KARP_E_INVALID,
                      "cannot be 0 together with minCandidateNodesPercentage");
}

/* With their known members. Without a reader the values change no decision. */
static const struct {
    const char *name, *members;
    void (*read)(io_decoder *d, const tree *args, kube_profile *p);
} plugins[] = {
    { "NodeResourcesFit", HEAD " scoringStrategy ignoredResources ignoredResourceGroups", read_fit },
    { "NodeResourcesBalancedAllocation", HEAD " resources", read_balanced },
    { "NodeAffinity", HEAD " addedAffinity", read_node_affinity },
    { "InterPodAffinity", HEAD " hardPodAffinityWeight ignorePreferredTermsOfExistingPods", read_pod_affinity },
    { "PodTopologySpread", HEAD " defaultConstraints defaultingType", read_spread },
    { "DefaultPreemption", HEAD " minCandidateNodesPercentage minCandidateNodesAbsolute", read_preemption },
    { "VolumeBinding", HEAD " bindTimeoutSeconds", NULL },
    { "DynamicResources", HEAD " filterTimeout bindingTimeout", NULL },
};
enum { WITH_ARGS = sizeof plugins / sizeof *plugins };

void kube_config_args(io_decoder *d, const tree *list, kube_profile *p)
{
    bool met[WITH_ARGS] = { false };
    for (size_t i = 0; i < tree_count(list) && !d->status; i++) {
        const tree *one = io_element(d, list, i);
        karp_str name = io_required_string(d, one, "name");
        size_t k = 0;
        kube_config_members(d, one, "name args");
        while (k < WITH_ARGS && !str_is(name, plugins[k].name)) k++;
        if (k == WITH_ARGS && !d->status) {
            char meant[MEANT];
            nearest near = nearest_to(name);
            for (k = 0; k < WITH_ARGS; k++) nearest_offer(&near, str(plugins[k].name));
            io_push(d, "name");
            io_bad(d, KARP_E_UNSUPPORTED, "arguments of %.*s are not modelled%s", str_shown(name, 60), name.ptr,
                   io_meant(&near, meant));
            io_pop(d);
        } else if (!d->status && met[k]) io_bad_member(d, "name", KARP_E_INVALID, "is listed twice");
        if (d->status) return;
        met[k] = true;
        const tree *args = io_enter(d, one, "args");
        kube_config_members(d, args, plugins[k].members);
        if (plugins[k].read) plugins[k].read(d, args, p);
        io_pop(d);
        io_pop(d);
    }
}
