/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes pods, and the pod templates of DaemonSets and buffers. */
#include <io/groups.h>
#include <io/decode_fields.h>

/* ---- affinity ---------------------------------------------------------------------------------------------------- */

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static const record preferred_node_term_record = { OF(karp_node_term),
                                                   CLOSED({ INT32("weight", karp_node_term, weight) },
                                                          { OBJECT("preference", io_node_term_record) }) };

static const record required_node_terms_record = { CLOSED(
    { LIST("nodeSelectorTerms", karp_pod, required_node_terms, required_node_term_count, io_node_term_record) }) };

static const record node_affinity_record = { CLOSED(
    { OBJECT(REQUIRED, required_node_terms_record) },
    { LIST(PREFERRED, karp_pod, preferred_node_terms, preferred_node_term_count, preferred_node_term_record) }) };

static const record pod_term_record = {
    OF(karp_pod_term), .known = "matchLabelKeys mismatchLabelKeys",
    CLOSED({ TEXT("topologyKey", karp_pod_term, topology_key) },
           { TEXTS("namespaces", karp_pod_term, namespaces, namespace_count) },
           { POINTER("namespaceSelector", karp_pod_term, namespace_selector, io_selector_record) },
           { POINTER("labelSelector", karp_pod_term, label_selector, io_selector_record) })
};

static const record preferred_pod_term_record = { OF(karp_pod_term),
                                                  CLOSED({ INT32("weight", karp_pod_term, weight) },
                                                         { OBJECT("podAffinityTerm", pod_term_record) }) };

static const record pod_affinity_record = { CLOSED(
    { LIST(REQUIRED, karp_pod, required_affinity, required_affinity_count, pod_term_record) },
    { LIST(PREFERRED, karp_pod, preferred_affinity, preferred_affinity_count, preferred_pod_term_record) }) };

static const record pod_anti_affinity_record = { CLOSED(
    { LIST(REQUIRED, karp_pod, required_anti_affinity, required_anti_affinity_count, pod_term_record) },
    { LIST(PREFERRED, karp_pod, preferred_anti_affinity, preferred_anti_affinity_count, preferred_pod_term_record) }) };

static const record affinity_record = { CLOSED({ OBJECT("nodeAffinity", node_affinity_record) },
                                               { OBJECT("podAffinity", pod_affinity_record) },
                                               { OBJECT("podAntiAffinity", pod_anti_affinity_record) }) };

/* ---- containers -------------------------------------------------------------------------------------------------- */

static bool among(const karp_resource *list, size_t count, karp_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i].name, name)) return true;
    }
    return false;
}

/* As in the API server: a resource with a limit and no request gets the limit as request. */
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

static const record port_record = { OF(karp_host_port), .known = "name",
                                    CLOSED({ TEXT("hostIP", karp_host_port, host_ip) },
                                           { TEXT("protocol", karp_host_port, protocol) },
                                           { NUMBER32("hostPort", karp_host_port, port, 0, 65535) },
                                           { CHECKED("containerPort", FIELD_INT32),
                                             WITHIN(0, 65535) } /* with hostNetwork it is also the host port */) };

static const record container_claim_record = { OF(karp_str),
                                               OPEN({ NAMED_FIELD("name"), .kind = FIELD_NEEDED, MUST }) };

static const record container_resources_record = { CLOSED(
    { AMOUNTS("requests", karp_container, requests, request_count) },
    { AMOUNTS("limits", karp_container, limits, limit_count) },
    { LIST("claims", karp_container, claims, claim_count, container_claim_record) }) };

/* A template's limits become requests when pods are made of it. */
static void finish_container(io_decoder *d, const tree *object, void *into)
{
    karp_container *c = into;
    (void)object;
    if (!d->template_) default_requests(d, c, c->limits, c->limit_count);
}

static const record_word restart_list[] = { { "Always", 1 } };
static const record_words restart_words = { WORDS(restart), .any = true, .other = 0 };
static const record container_record = {
    OF(karp_container), .finish = finish_container,
    .known = "args command env envFrom image imagePullPolicy lifecycle livenessProbe readinessProbe resizePolicy "
             "restartPolicyRules securityContext startupProbe stdin stdinOnce targetContainerName "
             "terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir",
    CLOSED({ TEXT("name", karp_container, name) },
           { WORD("restartPolicy", karp_container, restart_always, restart_words) },
           { LIST("ports", karp_container, ports, port_count, port_record) },
           { OBJECT("resources", container_resources_record) })
};

static bool any_requests(const karp_container *list, size_t count, karp_str resource)
{
    for (size_t i = 0; i < count; i++) {
        if (among(list[i].requests, list[i].request_count, resource)) return true;
    }
    return false;
}

/* A pod-level limit without a request is also the pod's request, unless a container of any type requests the resource:
 * then the request is the sum of theirs. Huge pages cannot be overcommitted, so for them the limit is always the
 * request. */
static bool containers_request(const karp_pod *pod, karp_str resource)
{
    if (str_starts(resource, "hugepages-")) return false;
    return any_requests(pod->containers, pod->container_count, resource) ||
           any_requests(pod->init_containers, pod->init_container_count, resource);
}

static void pod_level_requests(io_decoder *d, const tree *object, const tree *value, void *into)
{
    karp_pod *pod = into;
    karp_container pod_level;
    size_t n = 0;
    (void)object;
    if (!io_as_object(d, value, "resources")) return;
    memset(&pod_level, 0, sizeof pod_level);
    io_push(d, "resources");
    pod_level.requests = io_resources(d, value, "requests", &pod_level.request_count);
    pod_level.limits = io_resources(d, value, "limits", &pod_level.limit_count);
    io_pop(d);
    karp_resource *alone = io_make(d, pod_level.limit_count, sizeof *alone);
    for (size_t i = 0; alone && i < pod_level.limit_count; i++) {
        if (!containers_request(pod, pod_level.limits[i].name)) alone[n++] = pod_level.limits[i];
    }
    if (!d->template_ && alone) default_requests(d, &pod_level, alone, n);
    pod->pod_requests = pod_level.requests;
    pod->pod_request_count = pod_level.request_count;
}

/* ---- the rest of the spec ---------------------------------------------------------------------------------------- */

static const record_word toleration_list[] = {
    { "", KARP_TOLERATION_EQUAL }, { "Equal", KARP_TOLERATION_EQUAL }, { "Exists", KARP_TOLERATION_EXISTS },
    { "Lt", KARP_TOLERATION_LT },  { "Gt", KARP_TOLERATION_GT },
};
static const record_words toleration_words = { WORDS(toleration), .any = true, .other = KARP_TOLERATION_UNKNOWN };
static const record pod_toleration_record = {
    OF(karp_toleration),
    CLOSED({ WORD("operator", karp_toleration, op, toleration_words) }, { TEXT("key", karp_toleration, key) },
           { TEXT("value", karp_toleration, value) }, { TEXT("effect", karp_toleration, effect) },
           { INT64("tolerationSeconds", karp_toleration, seconds), HAS(karp_toleration, has_seconds) })
};

/* A persistentVolumeClaim takes precedence over other volume sources. */
static void finish_volume(io_decoder *d, const tree *object, void *into)
{
    karp_pod_volume *out = into;
    const tree *claim = io_object(d, object, "persistentVolumeClaim");
    if (claim) {
        out->kind = KARP_VOLUME_CLAIM;
        io_push(d, "persistentVolumeClaim");
        out->claim_name = io_required_string(d, claim, "claimName");
        io_pop(d);
        return;
    }
    const tree *ephemeral = io_enter(d, object, "ephemeral");
    if (ephemeral) out->kind = KARP_VOLUME_EPHEMERAL;
    (void)io_object(d, io_enter(d, ephemeral, "volumeClaimTemplate"), "spec");
    io_pop(d);
    io_pop(d);
}

static const record volume_record = {
    OF(karp_pod_volume), .finish = finish_volume,
    .known = "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral fc "
             "flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi nfs photonPersistentDisk "
             "portworxVolume projected quobyte rbd scaleIO secret storageos vsphereVolume",
    CLOSED({ CHECKED("persistentVolumeClaim", FIELD_OBJECT) }, { TEXT("name", karp_pod_volume, name) })
};

/* The name of a claim that was generated from a template, from the pod's status. true = status has an entry. */
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

static void finish_pod_claim(io_decoder *d, const tree *object, void *into)
{
    karp_pod_claim *claim = into;
    if (io_string(d, object, "resourceClaimTemplateName").len == 0) return;
    bool made = generated_claim(tree_get(d->pod, "status"), claim->name, &claim->resource_claim_name);
    claim->generated = !made || claim->resource_claim_name.len > 0;
}

static const record pod_claim_record = {
    OF(karp_pod_claim), .finish = finish_pod_claim, .known = "podGroupResourceClaim resourceClaimTemplateName",
    CLOSED({ NEEDED("name", karp_pod_claim, name) }, { TEXT("resourceClaimName", karp_pod_claim, resource_claim_name) })
};

static const record scheduling_group_record = { OPEN({ TEXT("podGroupName", karp_pod, group_name) }) };

static void count_gates(io_decoder *d, const tree *object, const tree *value, void *into)
{
    (void)object;
    if (io_as_array(d, value, "schedulingGates")) ((karp_pod *)into)->gated = tree_count(value) > 0;
}

const record io_pod_spec_record = {
    .known = "activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks "
             "evictionResponders hostAliases hostIPC hostPID hostUsers hostname hostnameOverride imagePullSecrets os "
             "preemptionPolicy readinessGates restartPolicy runtimeClassName schedulerName securityContext "
             "serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain",
    CLOSED({ TEXT("nodeName", karp_pod, node_name) },
           { LABELS("nodeSelector", karp_pod, node_selector, node_selector_count) },
           { OBJECT("affinity", affinity_record) },
           { LIST("topologySpreadConstraints", karp_pod, spread, spread_count, io_spread_record) },
           { LIST("tolerations", karp_pod, tolerations, toleration_count, pod_toleration_record) },
           { LIST("containers", karp_pod, containers, container_count, container_record) },
           { LIST("initContainers", karp_pod, init_containers, init_container_count, container_record) },
           { NAMED_FIELD("ephemeralContainers"), .inner = &container_record },
           { AMOUNTS("overhead", karp_pod, overhead, overhead_count) },
           { CALL("resources", pod_level_requests), .inner = &container_resources_record },
           { LIST("volumes", karp_pod, volumes, volume_count, volume_record) },
           { LIST("resourceClaims", karp_pod, resource_claims, resource_claim_count, pod_claim_record) },
           { TEXT("priorityClassName", karp_pod, priority_class_name) },
           { NUMBER64("terminationGracePeriodSeconds", karp_pod, termination_grace_seconds, 0, INT64_MAX) },
           { CHECKED("hostNetwork", FIELD_FLAG) }, { OBJECT("schedulingGroup", scheduling_group_record) },
           { CHECKED("workloadRef", FIELD_OBJECT) }, { CALL("schedulingGates", count_gates) },
           { INT32("priority", karp_pod, priority), HAS(karp_pod, has_priority) })
};

/* ---- status ------------------------------------------------------------------------------------------------------ */

static const record status_resources_record = { OPEN(
    { AMOUNTS("requests", karp_container_status, requests, request_count) }) };

static const record container_status_record = {
    OF(karp_container_status),
    OPEN({ CHECKED("resources", FIELD_OBJECT), HAS(karp_container_status, has_resources) },
         { TEXT("name", karp_container_status, name) },
         { AMOUNTS("allocatedResources", karp_container_status, allocated, allocated_count) },
         { OBJECT("resources", status_resources_record) })
};

/* Joins containerStatuses and initContainerStatuses to one list. */
static void finish_status(io_decoder *d, const tree *object, void *into)
{
    karp_pod *pod = into;
    const tree *plain = tree_get(object, "containerStatuses"), *init = tree_get(object, "initContainerStatuses");
    size_t count = tree_count(plain) + tree_count(init);
    karp_container_status *list = count ? io_make(d, count, sizeof *list) : NULL;
    if (!list) return;
    io_fill_list(d, "containerStatuses", plain, &container_status_record, list);
    io_fill_list(d, "initContainerStatuses", init, &container_status_record, list + tree_count(plain));
    pod->container_statuses = list;
    pod->container_status_count = count;
}

/* Only checked here: finish_pod_claim() reads them, because the spec comes first. */
struct claim_status {
    karp_str name, claim;
};
static const record claim_status_record = { OF(struct claim_status),
                                            OPEN({ TEXT("name", struct claim_status, name) },
                                                 { TEXT("resourceClaimName", struct claim_status, claim) }) };

static void check_claim_statuses(io_decoder *d, const tree *object, const tree *value, void *into)
{
    size_t count;
    (void)value;
    (void)into;
    (void)io_list(d, object, "resourceClaimStatuses", &claim_status_record, &count);
}

static const record_word phase_list[] = {
    { "Pending", KARP_PHASE_PENDING }, { "Running", KARP_PHASE_RUNNING }, { "Succeeded", KARP_PHASE_SUCCEEDED },
    { "Failed", KARP_PHASE_FAILED },   { "Unknown", KARP_PHASE_UNKNOWN },
};
static const record_words phase_words = { WORDS(phase) };
static const record pod_status_record = {
    .finish = finish_status,
    OPEN({ WORD("phase", karp_pod, phase, phase_words) }, { TEXT("nominatedNodeName", karp_pod, nominated_node_name) },
         { TIME("startTime", karp_pod, start_time) },
         { LIST("conditions", karp_pod, conditions, condition_count, io_condition_record) },
         { CALL("resourceClaimStatuses", check_claim_statuses), .inner = &claim_status_record },
         { CHECKED("containerStatuses", FIELD_ARRAY) }, { CHECKED("initContainerStatuses", FIELD_ARRAY) })
};

/* ---- pods and templates ------------------------------------------------------------------------------------------ */

static const karp_pod no_pod = POD_ABSENT;
const record io_pod_record = { LIKE(no_pod), .finish = io_finish_group, .known = "apiVersion kind",
                               CLOSED({ STRUCT("metadata", karp_pod, meta, io_namespaced_meta_record), .always = true },
                                      { CHECKED("status", FIELD_OBJECT) }, { OBJECT("spec", io_pod_spec_record) },
                                      { OBJECT("status", pod_status_record) }) };

static const record shared_pod_record = { LIKE(no_pod), .finish = io_finish_group,
                                          OPEN({ STRUCT("metadata", karp_pod, meta, io_shared_meta_record) },
                                               { OBJECT("spec", io_pod_spec_record) }) };

static const record own_pod_record = { OPEN(
    { STRUCT("metadata", karp_pod, meta, io_own_meta_record), .always = true }) };

static const record own_status_record = { OPEN({ CHECKED("status", FIELD_OBJECT) },
                                               { OBJECT("status", pod_status_record) }) };

const record io_template_record = {
    LIKE(no_pod), CLOSED({ STRUCT("metadata", karp_pod, meta, io_namespaced_meta_record), .always = true },
                         { OBJECT("spec", io_pod_spec_record) })
};

void io_decode_pod(io_decoder *d, const tree *object, karp_pod *pod)
{
    d->pod = object;
    io_decode(d, &io_pod_record, object, pod);
    d->pod = NULL;
}

void io_decode_shared_pod(io_decoder *d, const tree *object, karp_pod *pod)
{
    io_decode(d, &shared_pod_record, object, pod);
}

void io_decode_own_meta(io_decoder *d, const tree *object, karp_pod *pod)
{
    io_decode_members(d, &own_pod_record, object, pod);
}

void io_decode_pod_status(io_decoder *d, const tree *object, karp_pod *pod)
{
    io_decode_members(d, &own_status_record, object, pod);
}

void io_decode_template(io_decoder *d, const tree *object, karp_pod *pod)
{
    d->template_ = true;
    io_decode(d, &io_template_record, object, pod);
    d->template_ = false;
}
