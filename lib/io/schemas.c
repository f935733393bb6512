/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Kubernetes 1.37, k8s.io/api; KEDA 2.18; autoscaler's vertical-pod-autoscaler; Karpenter 1.15. */
#include <io/decode_fields.h>
#include <io/schemas.h>

/* ---- rows whose values are not decoded --------------------------------------------------------------------------- */

#define SELECTOR PART("selector", io_selector_record)
#define TEMPLATE PART("template", io_template_record)

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static const record deployment_spec = {
    .known = "minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit strategy",
    CLOSED(SELECTOR, TEMPLATE)
};
static const record replica_set_spec = { .known = "minReadySeconds replicas", CLOSED(SELECTOR, TEMPLATE) };
static const record controller_spec = { .known = "minReadySeconds replicas selector", CLOSED(TEMPLATE) };
static const record daemon_set_spec = { .known = "minReadySeconds revisionHistoryLimit updateStrategy",
                                        CLOSED(SELECTOR, TEMPLATE) };
static const record job_spec = {
    .known = "activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy "
             "manualSelector maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy scheduling "
             "successPolicy suspend ttlSecondsAfterFinished",
    CLOSED(SELECTOR, TEMPLATE)
};
static const record job_template = { CLOSED(METADATA, PART("spec", job_spec)) };
static const record cron_job_spec = { .known = "concurrencyPolicy failedJobsHistoryLimit schedule "
                                               "startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone",
                                      CLOSED(PART("jobTemplate", job_template)) };

static const record amounts = { ONLY("limits requests") };
static const record claim_spec = { .known = "accessModes dataSource dataSourceRef storageClassName "
                                            "volumeAttributesClassName volumeMode volumeName",
                                   CLOSED(SELECTOR, PART("resources", amounts)) };
static const record volume_claim = { WHOLE(claim_spec) };
static const record stateful_set_spec = {
    .known = "minReadySeconds ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy replicas "
             "revisionHistoryLimit serviceName updateStrategy",
    CLOSED(SELECTOR, TEMPLATE, PART("volumeClaimTemplates", volume_claim))
};

static const record deployment = { WHOLE(deployment_spec) };
static const record replica_set = { WHOLE(replica_set_spec) };
static const record controller = { WHOLE(controller_spec) };
static const record daemon_set = { WHOLE(daemon_set_spec) };
static const record stateful_set = { WHOLE(stateful_set_spec) };
static const record job = { WHOLE(job_spec) };
static const record cron_job = { WHOLE(cron_job_spec) };
static const record pod_template = { .known = "apiVersion kind", CLOSED(METADATA, TEMPLATE) };

/* ---- autoscalers ------------------------------------------------------------------------------------------------- */

static const record scaled_reference = { ONLY("apiVersion envSourceContainerName kind name") };
static const record autoscaler_spec = { .known = "behavior maxReplicas metrics minReplicas "
                                                 "targetCPUUtilizationPercentage",
                                        CLOSED(PART("scaleTargetRef", scaled_reference)) };
static const record scaled_object_spec = {
    .known = "advanced cooldownPeriod fallback idleReplicaCount initialCooldownPeriod maxReplicaCount minReplicaCount "
             "pollingInterval triggers",
    CLOSED(PART("scaleTargetRef", scaled_reference))
};
static const record vertical_spec = { .known = "recommenders resourcePolicy startupBoost updatePolicy",
                                      CLOSED(PART("targetRef", scaled_reference)) };
static const record autoscaler = { WHOLE(autoscaler_spec) };
static const record scaled_object = { WHOLE(scaled_object_spec) };
static const record vertical_autoscaler = { WHOLE(vertical_spec) };

/* ---- what the API server and controllers read -------------------------------------------------------------------- */

static const record limit_item = { ONLY("default defaultRequest max maxLimitRequestRatio min type") };
static const record limit_range_spec = { CLOSED(PART("limits", limit_item)) };
static const record limit_range = { WHOLE(limit_range_spec) };
static const record quota_spec = { ONLY("hard scopeSelector scopes") };
static const record quota = { WHOLE(quota_spec) };
static const record priority_class = { .known = "apiVersion description globalDefault kind preemptionPolicy value",
                                       CLOSED(METADATA) };
static const record storage_class = { .known = "allowVolumeExpansion allowedTopologies apiVersion kind mountOptions "
                                               "parameters provisioner reclaimPolicy volumeBindingMode",
                                      CLOSED(METADATA) };
static const record volume_spec = { ONLY(
    "accessModes awsElasticBlockStore azureDisk azureFile capacity cephfs cinder claimRef csi fc flexVolume "
    "flocker gcePersistentDisk glusterfs hostPath iscsi local mountOptions nfs nodeAffinity "
    "persistentVolumeReclaimPolicy photonPersistentDisk portworxVolume quobyte rbd scaleIO storageClassName "
    "storageos volumeAttributesClassName volumeMode vsphereVolume") };
static const record volume = { WHOLE(volume_spec) };
static const record namespace_spec = { ONLY("finalizers") };
static const record namespace_ = { WHOLE(namespace_spec) };
static const record runtime_overhead = { ONLY("podFixed") };
static const record runtime_scheduling = { ONLY("nodeSelector tolerations") };
static const record runtime_class = { .known = "apiVersion handler kind",
                                      CLOSED(METADATA, PART("overhead", runtime_overhead),
                                             PART("scheduling", runtime_scheduling)) };

static const record service_spec = { ONLY(
    "allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy "
    "healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP "
    "loadBalancerSourceRanges ports publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig "
    "topologyKeys trafficDistribution type") };
static const record service = { WHOLE(service_spec) };
static const record node_spec = { ONLY("configSource externalID podCIDR podCIDRs providerID taints unschedulable") };
static const record node_status = { ONLY(
    "addresses allocatable capacity conditions config daemonEndpoints declaredFeatures features images nodeInfo "
    "phase runtimeHandlers volumesAttached volumesInUse") };
static const record node = { .known = "apiVersion kind",
                             CLOSED(METADATA, PART("spec", node_spec), PART("status", node_status)) };

/* ---- Karpenter --------------------------------------------------------------------------------------------------- */

static const record overlay_spec = { ONLY("capacity price priceAdjustment requirements weight") };
static const record overlay = { WHOLE(overlay_spec) };
static const record previewed_overlay_spec = { ONLY(
    "capacity price priceAdjustment priceExpression requirements weight") };
const record io_previewed_overlay = { WHOLE(previewed_overlay_spec) };
static const record template_reference = { ONLY("name") };
static const record scalable_reference = { ONLY("apiGroup kind name") };
static const record buffer_spec = { .known = "limits percentage provisioningStrategy replicas",
                                    CLOSED(PART("podTemplateRef", template_reference),
                                           PART("scalableRef", scalable_reference)) };
static const record buffer = { WHOLE(buffer_spec) };
static const record one_shot_spec = {
    .known = "fillDeadlineSeconds limits percentage provisioningStrategy refillStrategy replicas",
    CLOSED(PART("podTemplateRef", template_reference), PART("scalableRef", scalable_reference))
};
const record io_previewed_buffer = { WHOLE(one_shot_spec) };

/* ---- all kinds --------------------------------------------------------------------------------------------------- */

static const record *const schemas[] = {
    [IO_KIND_POD] = &io_pod_record,
    [IO_KIND_NODE] = &node,
    [IO_KIND_SERVICE] = &service,
    [IO_KIND_NODE_POOL] = &io_node_pool_record,
    [IO_KIND_NODE_OVERLAY] = &overlay,
    [IO_KIND_DAEMON_SET] = &daemon_set,
    [IO_KIND_CLAIM] = &volume_claim,
    [IO_KIND_VOLUME] = &volume,
    [IO_KIND_STORAGE_CLASS] = &storage_class,
    [IO_KIND_BUDGET] = &io_budget_record,
    [IO_KIND_PRIORITY_CLASS] = &priority_class,
    [IO_KIND_NAMESPACE] = &namespace_,
    [IO_KIND_REPLICATION_CONTROLLER] = &controller,
    [IO_KIND_REPLICA_SET] = &replica_set,
    [IO_KIND_STATEFUL_SET] = &stateful_set,
    [IO_KIND_DEPLOYMENT] = &deployment,
    [IO_KIND_JOB] = &job,
    [IO_KIND_POD_TEMPLATE] = &pod_template,
    [IO_KIND_CAPACITY_BUFFER] = &buffer,
    [IO_KIND_AUTOSCALER] = &autoscaler,
    [IO_KIND_SCALED_OBJECT] = &scaled_object,
    [IO_KIND_VERTICAL_AUTOSCALER] = &vertical_autoscaler,
    [IO_KIND_LIMIT_RANGE] = &limit_range,
    [IO_KIND_QUOTA] = &quota,
};

const record *io_schema_of(const io_kind_info *info)
{
    if (strcmp(info->group, "batch") == 0 && strcmp(info->name, "CronJob") == 0) return &cron_job;
    if (strcmp(info->name, "RuntimeClass") == 0) return &runtime_class;
    return (size_t)info->kind < sizeof schemas / sizeof *schemas ? schemas[info->kind] : NULL;
}

/* ---- versions and kinds ------------------------------------------------------------------------------------------ */

/* Versions that were served once, with the fields of the later ones as far as they are read. */
static const struct {
    const char *group, *versions;
} past[] = {
    { "apps", "v1beta1 v1beta2" },
    { "autoscaling", "v2beta1 v2beta2" },
    { "batch", "v1beta1 v2alpha1" },
    { "karpenter.sh", "v1beta1" },
    { "karpenter.k8s.aws", "v1beta1" },
    { "policy", "v1beta1" },
    { "scheduling.k8s.io", "v1alpha1 v1alpha2" },
    { "storage.k8s.io", "v1alpha1" },
};

bool io_was_version(const io_kind_info *info, karp_str version)
{
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        if (strcmp(past[i].group, info->group) == 0 && str_in_list(version, past[i].versions)) return true;
    }
    return false;
}

/* The kinds of Kubernetes without a row of their own. The groups of the others are listed as well. */
static const struct {
    const char *group, *kinds;
} plain[] = {
    { "", "Binding ComponentStatus ConfigMap Endpoints Event List PodTemplateList Secret ServiceAccount" },
    { "admissionregistration.k8s.io",
      "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy "
      "ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration" },
    { "apiextensions.k8s.io", "CustomResourceDefinition" },
    { "apiregistration.k8s.io", "APIService" },
    { "apps", "ControllerRevision" },
    { "authentication.k8s.io", "SelfSubjectReview TokenRequest TokenReview" },
    { "authorization.k8s.io",
      "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview" },
    { "autoscaling", "Scale" },
    { "batch", "" },
    { "certificates.k8s.io", "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest" },
    { "coordination.k8s.io", "Lease LeaseCandidate" },
    { "discovery.k8s.io", "EndpointSlice" },
    { "events.k8s.io", "Event" },
    { "extensions", "Ingress NetworkPolicy PodSecurityPolicy" },
    { "flowcontrol.apiserver.k8s.io", "FlowSchema PriorityLevelConfiguration" },
    { "networking.k8s.io", "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR" },
    { "node.k8s.io", "" },
    { "policy", "Eviction PodSecurityPolicy" },
    { "rbac.authorization.k8s.io", "ClusterRole ClusterRoleBinding Role RoleBinding" },
    { "resource.k8s.io",
      "DeviceTaintRule PodSchedulingContext ResourceClaimParameters ResourceClass ResourceClassParameters" },
    { "scheduling.k8s.io", "" },
    { "storage.k8s.io", "CSIDriver CSIStorageCapacity VolumeAttachment VolumeAttributesClass" },
};

bool io_is_plain_kind(karp_str api_version, karp_str kind, bool *of_kubernetes)
{
    karp_str group = str_before(api_version, '/');
    *of_kubernetes = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (!str_is(group, plain[i].group)) continue;
        *of_kubernetes = true;
        return str_in_list(kind, plain[i].kinds);
    }
    return false;
}
