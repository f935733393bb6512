/* SPDX-License-Identifier: Apache-2.0 */
#include "pods.h"

#include <arpa/inet.h>
#include <string.h>

#include "go_sort.h"
#include "memory.h"

/* ------------------------------------------------------------------------------------------------ requests (3) */

/** What is missing is filled in from the limits: the API server does it for pods, Karpenter for templates of daemons.
 */
static struct resources requests_of(const json_t *container)
{
    const json_t *r = ref_at(container, "resources");
    return ref_resources_override(ref_resources_read(ref_at(r, "limits")), ref_resources_read(ref_at(r, "requests")));
}

static const json_t *status_of(const json_t *status, const char *container)
{
    static const char *const lists[] = { "initContainerStatuses", "containerStatuses" };
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < ref_length(status, lists[l]); i++) {
            const json_t *s = ref_item(status, lists[l], i);
            if (strcmp(ref_text(s, "name"), container) == 0) {
                return s;
            }
        }
    }
    return NULL;
}

static bool resize_infeasible(const json_t *status)
{
    for (size_t i = 0; i < ref_length(status, "conditions"); i++) {
        const json_t *c = ref_item(status, "conditions", i);
        if (strcmp(ref_text(c, "type"), "PodResizePending") == 0 && strcmp(ref_text(c, "reason"), "Infeasible") == 0) {
            return true;
        }
    }
    return false;
}

static struct resources effective(const json_t *container, const json_t *status, bool use_status)
{
    struct resources spec = requests_of(container);
    const json_t *mine = use_status ? status_of(status, ref_text(container, "name")) : NULL;
    const json_t *actual = ref_at(mine, "resources");
    if (actual == NULL) {
        return spec;
    }
    struct resources running = ref_resources_max(ref_resources_read(ref_at(actual, "requests")),
                                                 ref_resources_read(ref_at(mine, "allocatedResources")));
    return resize_infeasible(status) ? running : ref_resources_max(spec, running);
}

static bool is_hugepages(const char *name) { return strncmp(name, "hugepages-", 10) == 0; }

/** The API server takes a limit for the request, unless containers ask themselves, where they can ask for less than the
 * limit. */
static struct resources pod_level_requests(const json_t *spec, bool template)
{
    static const char *const lists[] = { "containers", "initContainers" };
    const json_t *of_pod = ref_at(spec, "resources");
    struct resources asked = { NULL, 0 }, limits = ref_resources_read(ref_at(of_pod, "limits")), out = { NULL, 0 };
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < ref_length(spec, lists[l]); i++) {
            asked = ref_resources_sum(asked, requests_of(ref_item(spec, lists[l], i)));
        }
    }
    for (size_t i = 0; i < limits.count && !template; i++) {
        const char *name = limits.items[i].name;
        if (is_hugepages(name) || ref_resources_find(asked, name) == NULL) {
            out = ref_resources_set(out, name, limits.items[i].value);
        }
    }
    return ref_resources_override(out, ref_resources_read(ref_at(of_pod, "requests")));
}

static struct resources pod_requests(const json_t *spec, const json_t *status, bool template)
{
    struct resources sum = { NULL, 0 }, side = { NULL, 0 }, peak = { NULL, 0 };
    for (size_t i = 0; i < ref_length(spec, "containers"); i++) {
        sum = ref_resources_sum(sum, effective(ref_item(spec, "containers", i), status, true));
    }
    for (size_t i = 0; i < ref_length(spec, "initContainers"); i++) {
        const json_t *c = ref_item(spec, "initContainers", i);
        bool sidecar = strcmp(ref_text(c, "restartPolicy"), "Always") == 0;
        struct resources r = effective(c, status, sidecar);
        if (sidecar) {
            sum = ref_resources_sum(sum, r);
            side = ref_resources_sum(side, r);
        }
        peak = ref_resources_max(peak, sidecar ? side : ref_resources_sum(r, side));
    }
    struct resources out = ref_resources_max(sum, peak), of_pod = pod_level_requests(spec, template);
    for (size_t i = 0; i < of_pod.count; i++) {
        const char *name = of_pod.items[i].name;
        if (strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 || is_hugepages(name)) {
            out = ref_resources_set(out, name, of_pod.items[i].value);
        }
    }
    return ref_resources_sum(out, ref_resources_read(ref_at(spec, "overhead")));
}

struct resources ref_requests(const struct pod *const *pods, size_t count)
{
    struct resources out = { NULL, 0 };
    for (size_t i = 0; i < count; i++) {
        out = ref_resources_sum(out, pods[i]->requests);
    }
    return ref_resources_set(out, "pods", (amount)count * NANO);
}

/* ------------------------------------------------------------------------------------------------ host ports (9) */

static struct port read_port(const json_t *p)
{
    const char *ip = ref_at(p, "hostIP") != NULL && *ref_text(p, "hostIP") != '\0' ? ref_text(p, "hostIP") : "0.0.0.0";
    struct port out = { .protocol = ref_text(p, "protocol"), .number = ref_int(p, "hostPort", 0) };
    static const unsigned char zero[16], mapped[12] = { [10] = 0xff, [11] = 0xff };
    if (inet_pton(AF_INET, ip, out.address + 1) == 1) {
        out.valid = true;
        out.any = memcmp(out.address + 1, zero, 4) == 0;
        out.address[0] = 4;
    } else if (inet_pton(AF_INET6, ip, out.address + 1) == 1) {
        out.valid = true;
        out.any = memcmp(out.address + 1, zero, 16) == 0;
        out.address[0] = 6;
        if (memcmp(out.address + 1, mapped, sizeof mapped) == 0) { /* an IPv4 address in other words */
            out.any = memcmp(out.address + 13, zero, 4) == 0;
            memmove(out.address + 1, out.address + 13, 4);
            memset(out.address + 5, 0, 12);
            out.address[0] = 4;
        }
    }
    return out;
}

static struct ports read_ports(const json_t *spec)
{
    struct ports out = { NULL, 0 };
    for (size_t i = 0; i < ref_length(spec, "containers"); i++) {
        const json_t *c = ref_item(spec, "containers", i);
        for (size_t j = 0; j < ref_length(c, "ports"); j++) {
            const json_t *p = ref_item(c, "ports", j);
            if (ref_int(p, "hostPort", 0) != 0) {
                out.items = ref_push(out.items, out.count, sizeof out.items[0]);
                out.items[out.count++] = read_port(p);
            }
        }
    }
    return out;
}

bool ref_ports_clash(struct ports a, struct ports b)
{
    for (size_t i = 0; i < a.count; i++) {
        for (size_t j = 0; j < b.count; j++) {
            const struct port *x = &a.items[i], *y = &b.items[j];
            bool same_ip = x->valid == y->valid && memcmp(x->address, y->address, sizeof x->address) == 0;
            if (strcmp(x->protocol, y->protocol) == 0 && x->number == y->number && (same_ip || x->any || y->any)) {
                return true;
            }
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ reading */

static int heavier_node_term(const void *a, const void *b)
{
    int64_t x = ((const struct node_term *)a)->weight, y = ((const struct node_term *)b)->weight;
    return (y > x) - (y < x);
}

static int heavier_pod_term(const void *a, const void *b)
{
    int64_t x = ((const struct pod_term *)a)->weight, y = ((const struct pod_term *)b)->weight;
    return (y > x) - (y < x);
}

static struct node_term read_node_term(const json_t *term)
{
    return (struct node_term){
        .match_fields = ref_length(term, "matchFields") > 0,
        .expressions = ref_expressions_read(ref_at(term, "matchExpressions")),
    };
}

static const json_t *node_affinity(const json_t *spec, const char *strength)
{
    return ref_at(ref_at(ref_at(spec, "affinity"), "nodeAffinity"), strength);
}

struct node_terms ref_required_nodes_read(const json_t *spec)
{
    const json_t *list = ref_at(node_affinity(spec, "requiredDuringSchedulingIgnoredDuringExecution"),
                                "nodeSelectorTerms");
    struct node_terms out = { ref_alloc((json_array_size(list) + 1) * sizeof(struct node_term)), 0 };
    for (size_t i = 0; i < json_array_size(list); i++) {
        out.items[out.count++] = read_node_term(json_array_get(list, i));
    }
    return out;
}

static struct node_terms read_preferred_nodes(const json_t *spec)
{
    const json_t *list = node_affinity(spec, "preferredDuringSchedulingIgnoredDuringExecution");
    struct node_terms out = { ref_alloc((json_array_size(list) + 1) * sizeof(struct node_term)), 0 };
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *t = json_array_get(list, i);
        out.items[out.count] = read_node_term(ref_at(t, "preference"));
        out.items[out.count++].weight = ref_int(t, "weight", 0);
    }
    ref_go_sort(out.items, out.count, sizeof out.items[0], heavier_node_term);
    return out;
}

static struct pod_terms read_pod_terms(const json_t *spec, const char *kind, bool required)
{
    const json_t *list = ref_at(ref_at(ref_at(spec, "affinity"), kind),
                                required ? "requiredDuringSchedulingIgnoredDuringExecution"
                                         : "preferredDuringSchedulingIgnoredDuringExecution");
    struct pod_terms out = { ref_alloc((json_array_size(list) + 1) * sizeof(struct pod_term)), 0 };
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *t = required ? entry : ref_at(entry, "podAffinityTerm");
        out.items[out.count++] = (struct pod_term){
            .weight = required ? 0 : ref_int(entry, "weight", 0),
            .key = ref_text(t, "topologyKey"),
            .selector = ref_selector_read(ref_at(t, "labelSelector")),
            .namespace_selector = ref_selector_read(ref_at(t, "namespaceSelector")),
            .namespaces = ref_list(ref_at(t, "namespaces")),
        };
    }
    ref_sort(out.items, out.count, sizeof out.items[0], heavier_pod_term);
    return out;
}

struct spreads ref_spreads_read(const json_t *list)
{
    struct spreads out = { ref_alloc((json_array_size(list) + 1) * sizeof(struct spread)), 0 };
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        const char *taints = ref_text(c, "nodeTaintsPolicy"), *affinity = ref_text(c, "nodeAffinityPolicy");
        out.items[out.count++] = (struct spread){
            .key = ref_text(c, "topologyKey"),
            .when = ref_text(c, "whenUnsatisfiable"),
            .taints_policy = *taints != '\0' ? taints : "Ignore",
            .affinity_policy = *affinity != '\0' ? affinity : "Honor",
            .max_skew = ref_int(c, "maxSkew", 0),
            .has_min_domains = ref_at(c, "minDomains") != NULL,
            .min_domains = ref_int(c, "minDomains", 0),
            .selector = ref_selector_read(ref_at(c, "labelSelector")),
            .match_label_keys = ref_list(ref_at(c, "matchLabelKeys")),
        };
    }
    return out;
}

static void read_volumes(struct pod *pod, const json_t *spec)
{
    for (size_t i = 0; i < ref_length(spec, "volumes"); i++) {
        const json_t *v = ref_item(spec, "volumes", i);
        const char *claim = ref_text(ref_at(v, "persistentVolumeClaim"), "claimName");
        if (ref_at(v, "persistentVolumeClaim") == NULL) {
            if (ref_at(v, "ephemeral") == NULL) {
                continue;
            }
            claim = ref_format("%s-%s", pod->name, ref_text(v, "name"));
        }
        pod->volumes = ref_push(pod->volumes, pod->volume_count, sizeof pod->volumes[0]);
        pod->volumes[pod->volume_count++] = (struct pod_volume){ claim };
    }
}

static void read_owners(struct pod *pod, const json_t *metadata)
{
    for (size_t i = 0; i < ref_length(metadata, "ownerReferences"); i++) {
        const json_t *o = ref_item(metadata, "ownerReferences", i);
        const char *what = ref_format("%s %s", ref_text(o, "apiVersion"), ref_text(o, "kind"));
        pod->daemon_owned = pod->daemon_owned || strcmp(what, "apps/v1 DaemonSet") == 0;
        pod->stateful_owned = pod->stateful_owned || strcmp(what, "apps/v1 StatefulSet") == 0;
        pod->node_owned = pod->node_owned || strcmp(what, "v1 Node") == 0;
        if (pod->controller == NULL && ref_true(o, "controller", false)) {
            pod->controller = o;
        }
    }
}

static bool wants_devices(const json_t *spec)
{
    static const char *const lists[] = { "containers", "initContainers" };
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < ref_length(spec, lists[l]); i++) {
            if (ref_length(ref_at(ref_item(spec, lists[l], i), "resources"), "claims") > 0) {
                return true;
            }
        }
    }
    return ref_length(spec, "resourceClaims") > 0;
}

static void read_spec(struct pod *pod, const json_t *spec, const json_t *status, bool template)
{
    pod->node_name = ref_text(spec, "nodeName");
    pod->wants_devices = wants_devices(spec);
    pod->requests = pod_requests(spec, status, template);
    pod->node_selector = ref_labels_read(ref_at(spec, "nodeSelector"));
    pod->required_nodes = ref_required_nodes_read(spec);
    pod->preferred_nodes = read_preferred_nodes(spec);
    pod->affinity = read_pod_terms(spec, "podAffinity", true);
    pod->preferred_affinity = read_pod_terms(spec, "podAffinity", false);
    pod->anti = read_pod_terms(spec, "podAntiAffinity", true);
    pod->preferred_anti = read_pod_terms(spec, "podAntiAffinity", false);
    pod->spreads = ref_spreads_read(ref_at(spec, "topologySpreadConstraints"));
    pod->tolerations = ref_tolerations_read(ref_at(spec, "tolerations"));
    pod->ports = read_ports(spec);
    read_volumes(pod, spec);
}

static const char *text_or(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = ref_text(object, key);
    return *text != '\0' ? text : otherwise;
}

struct pod ref_pod_read(const json_t *doc)
{
    const json_t *metadata = ref_at(doc, "metadata"), *status = ref_at(doc, "status");
    struct pod pod = {
        .doc = doc,
        .namespace = text_or(metadata, "namespace", "default"),
        .name = ref_text(metadata, "name"),
        .labels = ref_labels_read(ref_at(metadata, "labels")),
        .created = ref_instant_at(metadata, "creationTimestamp"),
        .terminating = *ref_text(metadata, "deletionTimestamp") != '\0',
        .phase = ref_text(status, "phase"),
    };
    pod.key = ref_format("%s/%s", pod.namespace, pod.name);
    pod.uid = text_or(metadata, "uid", pod.key);
    pod.terminal = strcmp(pod.phase, "Succeeded") == 0 || strcmp(pod.phase, "Failed") == 0;
    read_owners(&pod, metadata);
    read_spec(&pod, ref_at(doc, "spec"), status, false);
    return pod;
}

struct pod ref_pod_of_template(const json_t *daemon_set)
{
    const json_t *metadata = ref_at(daemon_set, "metadata");
    const json_t *template = ref_at(ref_at(daemon_set, "spec"), "template");
    struct pod pod = {
        .namespace = text_or(metadata, "namespace", "default"),
        .name = ref_text(metadata, "name"),
        .labels = ref_labels_read(ref_at(ref_at(template, "metadata"), "labels")),
        .phase = "",
    };
    pod.key = ref_format("%s/%s", pod.namespace, pod.name);
    pod.uid = pod.key;
    read_spec(&pod, ref_at(template, "spec"), NULL, true);
    return pod;
}

/* ------------------------------------------------------------------------------------------------ requirements (6.2)
 */

struct requirements ref_strict_requirements(const struct pod *pod)
{
    struct requirements out = ref_requirements_of_labels(pod->node_selector);
    if (pod->required_nodes.count > 0) {
        out = ref_union(out, ref_requirements(pod->required_nodes.items[0].expressions));
    }
    return out;
}

struct requirements ref_full_requirements(const struct pod *pod)
{
    struct requirements out = ref_strict_requirements(pod);
    if (pod->preferred_nodes.count > 0) {
        out = ref_union(out, ref_requirements(pod->preferred_nodes.items[0].expressions));
    }
    return out;
}

/* ------------------------------------------------------------------------------------------------ relaxation (26) */

static bool drop_schedule_anyway(struct spreads *spreads)
{
    for (size_t i = 0; i < spreads->count; i++) {
        if (strcmp(spreads->items[i].when, "ScheduleAnyway") == 0) {
            struct spread *items = ref_alloc(spreads->count * sizeof *items);
            memcpy(items, spreads->items, spreads->count * sizeof *items);
            items[i] = items[spreads->count - 1];
            *spreads = (struct spreads){ items, spreads->count - 1 };
            return true;
        }
    }
    return false;
}

bool ref_relax(struct pod *pod, bool tolerate_prefer_no_schedule)
{
    if (pod->required_nodes.count > 1) {
        pod->required_nodes.items++;
        pod->required_nodes.count--;
        return true;
    }
    struct pod_terms *const terms[] = { &pod->preferred_affinity, &pod->preferred_anti };
    for (size_t i = 0; i < 2; i++) {
        if (terms[i]->count > 0) {
            terms[i]->items++;
            terms[i]->count--;
            return true;
        }
    }
    if (pod->preferred_nodes.count > 0) {
        pod->preferred_nodes.items++;
        pod->preferred_nodes.count--;
        return true;
    }
    if (drop_schedule_anyway(&pod->spreads)) {
        return true;
    }
    return tolerate_prefer_no_schedule && ref_tolerate_prefer_no_schedule(&pod->tolerations);
}
