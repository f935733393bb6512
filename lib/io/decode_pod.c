/* SPDX-License-Identifier: Apache-2.0 */
/* Pods, and the pod templates of DaemonSets and buffers. */
#include <io/decode.h>

#include <string.h>

/* ---- affinity ---------------------------------------------------------------------------------------------------- */

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static int32_t weight_of(io_decoder *d, const tree *term)
{
    return (int32_t)io_integer(d, term, "weight", INT32_MIN, INT32_MAX, 0);
}

static void preferred_node_term(io_decoder *d, const tree *term, void *into)
{
    karp_node_term *out = into;
    out->weight = weight_of(d, term);
    io_node_term(d, io_enter(d, term, "preference"), out);
    io_pop(d);
}

static void node_affinity(io_decoder *d, const tree *affinity, karp_pod *pod)
{
    const tree *node = io_object(d, affinity, "nodeAffinity");
    if (!node) return;
    io_push(d, "nodeAffinity");
    const tree *required = io_enter(d, node, REQUIRED);
    pod->required_node_terms = io_node_terms(d, required, "nodeSelectorTerms", &pod->required_node_term_count);
    io_pop(d);
    pod->preferred_node_terms = io_elements(d, node, PREFERRED, sizeof(karp_node_term), preferred_node_term,
                                            &pod->preferred_node_term_count);
    io_pop(d);
}

static void required_term(io_decoder *d, const tree *value, void *into)
{
    karp_pod_term *out = into;
    out->topology_key = io_string(d, value, "topologyKey");
    out->namespaces = io_strings(d, value, "namespaces", &out->namespace_count);
    out->namespace_selector = io_selector(d, value, "namespaceSelector");
    out->label_selector = io_selector(d, value, "labelSelector");
}

static void preferred_term(io_decoder *d, const tree *value, void *into)
{
    karp_pod_term *out = into;
    out->weight = weight_of(d, value);
    required_term(d, io_enter(d, value, "podAffinityTerm"), out);
    io_pop(d);
}

static const karp_pod_term *required_terms(io_decoder *d, const tree *value, size_t *count)
{
    return io_elements(d, value, REQUIRED, sizeof(karp_pod_term), required_term, count);
}

static const karp_pod_term *preferred_terms(io_decoder *d, const tree *value, size_t *count)
{
    return io_elements(d, value, PREFERRED, sizeof(karp_pod_term), preferred_term, count);
}

static void affinity_of(io_decoder *d, const tree *spec, karp_pod *pod)
{
    const tree *affinity = io_object(d, spec, "affinity");
    if (!affinity) return;
    io_push(d, "affinity");
    node_affinity(d, affinity, pod);

    const tree *with = io_enter(d, affinity, "podAffinity");
    pod->required_affinity = required_terms(d, with, &pod->required_affinity_count);
    pod->preferred_affinity = preferred_terms(d, with, &pod->preferred_affinity_count);
    io_pop(d);

    const tree *against = io_enter(d, affinity, "podAntiAffinity");
    pod->required_anti_affinity = required_terms(d, against, &pod->required_anti_affinity_count);
    pod->preferred_anti_affinity = preferred_terms(d, against, &pod->preferred_anti_affinity_count);
    io_pop(d);
    io_pop(d);
}

/* ---- containers -------------------------------------------------------------------------------------------------- */

static bool among(const karp_resource *list, size_t count, karp_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].name, name)) return true;
    }
    return false;
}

/* What the API server does to every pod: a limit without a request is the request too. */
static void default_requests(io_decoder *d, karp_container *c, const karp_resource *limits, size_t limit_count)
{
    size_t missing = 0;
    for (size_t i = 0; i < limit_count; i++) missing += !among(c->requests, c->request_count, limits[i].name);
    if (missing == 0) return;
    karp_resource *all = io_make(d, c->request_count + missing, sizeof *all);
    if (!all) return;
    size_t n = c->request_count;
    if (n) memcpy(all, c->requests, n * sizeof *all);
    for (size_t i = 0; i < limit_count; i++) {
        if (!among(c->requests, c->request_count, limits[i].name)) all[n++] = limits[i];
    }
    c->requests = all;
    c->request_count = n;
}

static void port(io_decoder *d, const tree *value, void *into)
{
    karp_host_port *out = into;
    out->host_ip = io_string(d, value, "hostIP");
    out->protocol = io_string(d, value, "protocol");
    out->port = (int32_t)io_integer(d, value, "hostPort", 0, 65535, 0);
    (void)io_integer(d, value, "containerPort", 0, 65535, 0); /* what host networks make the host port */
}

static void claim_name(io_decoder *d, const tree *value, void *into)
{
    karp_str *out = into;
    *out = io_required_string(d, value, "name");
}

static void container(io_decoder *d, const tree *value, void *into)
{
    karp_container *c = into;
    size_t limit_count = 0;
    c->name = io_string(d, value, "name");
    c->restart_always = str_is(io_string(d, value, "restartPolicy"), "Always");
    c->ports = io_elements(d, value, "ports", sizeof(karp_host_port), port, &c->port_count);
    const tree *resources = io_enter(d, value, "resources");
    c->requests = io_resources(d, resources, "requests", &c->request_count);
    const karp_resource *limits = io_resources(d, resources, "limits", &limit_count);
    c->claims = io_elements(d, resources, "claims", sizeof(karp_str), claim_name, &c->claim_count);
    io_pop(d);
    if (d->template_) {
        c->limits = limits;
        c->limit_count = limit_count;
    } else {
        default_requests(d, c, limits, limit_count);
    }
}

static const karp_container *containers_of(io_decoder *d, const tree *spec, const char *name, size_t *count)
{
    return io_elements(d, spec, name, sizeof(karp_container), container, count);
}

static bool any_asks(const karp_container *list, size_t count, karp_str resource)
{
    for (size_t i = 0; i < count; i++) {
        if (among(list[i].requests, list[i].request_count, resource)) return true;
    }
    return false;
}

/* A pod-level limit is the request, too, unless a container of any kind asks for the resource: then what they ask for together is.
 * Huge pages cannot be promised to more than one, so of these the pod asks for its limit in any case. */
static bool containers_ask(const karp_pod *pod, karp_str resource)
{
    static const char huge[] = "hugepages-";
    if (resource.len >= sizeof huge - 1 && memcmp(resource.ptr, huge, sizeof huge - 1) == 0) return false;
    return any_asks(pod->containers, pod->container_count, resource) ||
           any_asks(pod->init_containers, pod->init_container_count, resource);
}

static void pod_level_requests(io_decoder *d, const tree *spec, karp_pod *pod)
{
    const tree *resources = io_object(d, spec, "resources");
    if (!resources) return;
    karp_container pod_level = { 0 };
    size_t limit_count = 0, n = 0;
    io_push(d, "resources");
    pod_level.requests = io_resources(d, resources, "requests", &pod_level.request_count);
    const karp_resource *limits = io_resources(d, resources, "limits", &limit_count);
    io_pop(d);
    karp_resource *alone = io_make(d, limit_count, sizeof *alone);
    for (size_t i = 0; alone && i < limit_count; i++) {
        if (!containers_ask(pod, limits[i].name)) alone[n++] = limits[i];
    }
    if (!d->template_ && alone) default_requests(d, &pod_level, alone, n);
    pod->pod_requests = pod_level.requests;
    pod->pod_request_count = pod_level.request_count;
}

/* ---- the rest of the spec ---------------------------------------------------------------------------------------- */

static void toleration(io_decoder *d, const tree *value, void *into)
{
    static const struct {
        const char *word;
        uint32_t value;
    } choices[] = {
        { "", KARP_TOLERATION_EQUAL }, { "Equal", KARP_TOLERATION_EQUAL }, { "Exists", KARP_TOLERATION_EXISTS },
        { "Lt", KARP_TOLERATION_LT },  { "Gt", KARP_TOLERATION_GT },
    };
    karp_toleration *out = into;
    karp_str op = io_string(d, value, "operator");
    out->key = io_string(d, value, "key");
    out->value = io_string(d, value, "value");
    out->effect = io_string(d, value, "effect");
    out->has_seconds = tree_get(value, "tolerationSeconds") != NULL;
    out->seconds = io_integer(d, value, "tolerationSeconds", INT64_MIN, INT64_MAX, 0);
    out->op = KARP_TOLERATION_UNKNOWN;
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        if (str_is(op, choices[k].word)) out->op = choices[k].value;
    }
}

static void volume(io_decoder *d, const tree *value, void *into)
{
    karp_pod_volume *out = into;
    const tree *claim = io_object(d, value, "persistentVolumeClaim");
    out->name = io_string(d, value, "name");
    if (claim) {
        out->kind = KARP_VOLUME_CLAIM;
        io_push(d, "persistentVolumeClaim");
        out->claim_name = io_required_string(d, claim, "claimName");
        io_pop(d);
        return;
    }
    const tree *ephemeral = io_enter(d, value, "ephemeral");
    if (ephemeral) out->kind = KARP_VOLUME_EPHEMERAL;
    (void)io_object(d, io_enter(d, ephemeral, "volumeClaimTemplate"), "spec");
    io_pop(d);
    io_pop(d);
}

/* The name that a claim made from a template got, as status tells it. true = status has an entry. */
static bool generated_claim(const tree *status, karp_str name, karp_str *claim)
{
    const tree *list = tree_get(status, "resourceClaimStatuses");
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *entry = tree_item(list, i);
        if (!equal_str(tree_get_text(entry, "name"), name)) continue;
        *claim = tree_get_text(entry, "resourceClaimName");
        return true;
    }
    return false;
}

static const karp_pod_claim *pod_claims(io_decoder *d, const tree *spec, const tree *status, size_t *count)
{
    const tree *array = io_array(d, spec, "resourceClaims", count);
    karp_pod_claim *list = array ? io_make(d, *count, sizeof *list) : NULL;
    io_push(d, "resourceClaims");
    for (size_t i = 0; list && i < *count; i++) {
        const tree *value = io_element(d, array, i);
        karp_pod_claim *claim = &list[i];
        claim->name = io_required_string(d, value, "name");
        claim->resource_claim_name = io_string(d, value, "resourceClaimName");
        if (io_string(d, value, "resourceClaimTemplateName").len) {
            bool made = generated_claim(status, claim->name, &claim->resource_claim_name);
            claim->generated = !made || claim->resource_claim_name.len > 0;
        }
        io_pop(d);
    }
    io_pop(d);
    return list;
}

static void spec_of(io_decoder *d, const tree *object, const tree *status, karp_pod *pod)
{
    const tree *spec = io_enter(d, object, "spec");
    pod->node_name = io_string(d, spec, "nodeName");
    pod->node_selector = io_labels(d, spec, "nodeSelector", &pod->node_selector_count);
    affinity_of(d, spec, pod);
    pod->spread = io_spread(d, spec, "topologySpreadConstraints", &pod->spread_count);
    pod->tolerations = io_elements(d, spec, "tolerations", sizeof(karp_toleration), toleration, &pod->toleration_count);
    pod->containers = containers_of(d, spec, "containers", &pod->container_count);
    pod->init_containers = containers_of(d, spec, "initContainers", &pod->init_container_count);
    pod->overhead = io_resources(d, spec, "overhead", &pod->overhead_count);
    pod_level_requests(d, spec, pod);
    pod->volumes = io_elements(d, spec, "volumes", sizeof(karp_pod_volume), volume, &pod->volume_count);
    pod->resource_claims = pod_claims(d, spec, status, &pod->resource_claim_count);
    pod->priority_class_name = io_string(d, spec, "priorityClassName");
    pod->termination_grace_seconds = io_integer(d, spec, "terminationGracePeriodSeconds", 0, INT64_MAX, -1);
    pod->has_priority = tree_get(spec, "priority") != NULL;
    (void)io_boolean(d, spec, "hostNetwork", false);
    pod->priority = (int32_t)io_integer(d, spec, "priority", INT32_MIN, INT32_MAX, 0);
    io_pop(d);
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

static void container_statuses(io_decoder *d, const tree *status, const char *name, karp_container_status *list,
                               size_t *filled)
{
    size_t count = 0;
    const tree *array = io_array(d, status, name, &count);
    io_push(d, name);
    for (size_t i = 0; list && i < count && !d->status; i++) {
        const tree *value = io_element(d, array, i);
        const tree *resources = io_object(d, value, "resources");
        karp_container_status *s = &list[(*filled)++];
        s->name = io_string(d, value, "name");
        s->has_resources = resources != NULL;
        s->allocated = io_resources(d, value, "allocatedResources", &s->allocated_count);
        io_push(d, "resources");
        s->requests = io_resources(d, resources, "requests", &s->request_count);
        io_pop(d);
        io_pop(d);
    }
    io_pop(d);
}

static void status_of(io_decoder *d, const tree *status, karp_pod *pod)
{
    static const io_word phases[] = {
        { "Pending", KARP_PHASE_PENDING }, { "Running", KARP_PHASE_RUNNING }, { "Succeeded", KARP_PHASE_SUCCEEDED },
        { "Failed", KARP_PHASE_FAILED },   { "Unknown", KARP_PHASE_UNKNOWN },
    };
    io_push(d, "status");
    pod->phase = io_enum(d, status, "phase", phases, sizeof phases / sizeof phases[0], KARP_PHASE_UNSET);
    pod->nominated_node_name = io_string(d, status, "nominatedNodeName");
    pod->start_time = io_time(d, status, "startTime");
    pod->conditions = io_conditions(d, status, "conditions", &pod->condition_count);
    size_t plain = 0, init = 0, filled = 0;
    (void)io_array(d, status, "resourceClaimStatuses", &init); /* pod_claims() has looked into it */
    (void)io_array(d, status, "containerStatuses", &plain);
    (void)io_array(d, status, "initContainerStatuses", &init);
    karp_container_status *list = plain + init ? io_make(d, plain + init, sizeof *list) : NULL;
    container_statuses(d, status, "containerStatuses", list, &filled);
    container_statuses(d, status, "initContainerStatuses", list, &filled);
    pod->container_statuses = list;
    pod->container_status_count = filled;
    io_pop(d);
}

void io_decode_pod(io_decoder *d, const tree *object, karp_pod *pod)
{
    memset(pod, 0, sizeof *pod);
    pod->size = sizeof *pod;
    pod->meta = io_meta(d, object, true);
    const tree *status = io_object(d, object, "status");
    spec_of(d, object, status, pod);
    status_of(d, status, pod);
}

void io_decode_template(io_decoder *d, const tree *object, karp_pod *pod)
{
    memset(pod, 0, sizeof *pod);
    pod->size = sizeof *pod;
    d->template_ = true;
    pod->meta = io_meta(d, object, true);
    spec_of(d, object, NULL, pod);
    d->template_ = false;
    pod->start_time = KARP_NO_TIME;
}
