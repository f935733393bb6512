/* SPDX-License-Identifier: Apache-2.0 */
#include <io/pod_kinds.h>

static const io_kind_info kinds[] = {
    { "", "Pod", IO_KIND_POD, true, "v1", NULL },
    { "", "Node", IO_KIND_NODE, false, "v1", NULL },
    { "karpenter.sh", "NodeClaim", IO_KIND_NODE_CLAIM, false, "v1", NULL },
    { "karpenter.sh", "NodePool", IO_KIND_NODE_POOL, false, "v1", NULL },
    { "karpenter.sh", "NodeOverlay", IO_KIND_NODE_OVERLAY, false, "v1alpha1", NULL },
    { "apps", "DaemonSet", IO_KIND_DAEMON_SET, true, "v1", NULL },
    { "", "PersistentVolumeClaim", IO_KIND_CLAIM, true, "v1", NULL },
    { "", "PersistentVolume", IO_KIND_VOLUME, false, "v1", NULL },
    { "storage.k8s.io", "StorageClass", IO_KIND_STORAGE_CLASS, false, "v1", "v1beta1" },
    { "storage.k8s.io", "CSINode", IO_KIND_CSI_NODE, false, "v1", "v1beta1" },
    { "policy", "PodDisruptionBudget", IO_KIND_BUDGET, true, "v1", "v1beta1" },
    { "scheduling.k8s.io", "PriorityClass", IO_KIND_PRIORITY_CLASS, false, "v1", "v1beta1" },
    { "", "Namespace", IO_KIND_NAMESPACE, false, "v1", NULL },
    { "", "Service", IO_KIND_SERVICE, true, "v1", NULL },
    { "", "ReplicationController", IO_KIND_REPLICATION_CONTROLLER, true, "v1", NULL },
    { "apps", "ReplicaSet", IO_KIND_REPLICA_SET, true, "v1", NULL },
    { "apps", "StatefulSet", IO_KIND_STATEFUL_SET, true, "v1", NULL },
    { "apps", "Deployment", IO_KIND_DEPLOYMENT, true, "v1", NULL },
    { "batch", "Job", IO_KIND_JOB, true, "v1", NULL },
    { "", "PodTemplate", IO_KIND_POD_TEMPLATE, true, "v1", NULL },
    { "autoscaling.x-k8s.io", "CapacityBuffer", IO_KIND_CAPACITY_BUFFER, true, "v1beta1", "v1alpha1" },
    { "scheduling.k8s.io", "PodGroup", IO_KIND_POD_GROUP, true, "v1beta1", "v1alpha3" },
    { "scheduling.k8s.io", "CompositePodGroup", IO_KIND_COMPOSITE_POD_GROUP, true, "v1beta1", "v1alpha3" },
    { "scheduling.k8s.io", "Workload", IO_KIND_WORKLOAD, true, "v1beta1", "v1alpha3" },
    { "scheduling.x-k8s.io", "PodGroup", IO_KIND_MEMBER_GROUP, true, "v1alpha1", NULL },
    { "scheduling.sigs.k8s.io", "PodGroup", IO_KIND_MEMBER_GROUP, true, "v1alpha1", NULL },
    { "scheduling.volcano.sh", "PodGroup", IO_KIND_MEMBER_GROUP, true, "v1beta1", NULL },
    { "scheduling.run.ai", "PodGroup", IO_KIND_MEMBER_GROUP, true, "v2alpha2", NULL },
    { "resource.k8s.io", "ResourceClaim", IO_KIND_RESOURCE_CLAIM, true, NULL, NULL },
    { "resource.k8s.io", "ResourceClaimTemplate", IO_KIND_RESOURCE_CLAIM_TEMPLATE, true, NULL, NULL },
    { "resource.k8s.io", "ResourceSlice", IO_KIND_RESOURCE_SLICE, false, NULL, NULL },
    { "resource.k8s.io", "DeviceClass", IO_KIND_DEVICE_CLASS, false, NULL, NULL },
    { "karpenter.sh", "Provisioner", IO_KIND_PROVISIONER, false, "v1alpha5", NULL },
    { "karpenter.k8s.aws", "AWSNodeTemplate", IO_KIND_NODE_TEMPLATE, false, "v1alpha1", NULL },
    { "autoscaling", "HorizontalPodAutoscaler", IO_KIND_AUTOSCALER, true, "v2", "v1" },
    { "keda.sh", "ScaledObject", IO_KIND_SCALED_OBJECT, true, "v1alpha1", NULL },
    { "autoscaling.k8s.io", "VerticalPodAutoscaler", IO_KIND_VERTICAL_AUTOSCALER, true, "v1", "v1beta2" },
    { "", "LimitRange", IO_KIND_LIMIT_RANGE, true, "v1", NULL },
    { "", "ResourceQuota", IO_KIND_QUOTA, true, "v1", NULL },
    { "node.k8s.io", "RuntimeClass", IO_KIND_REFERRED, false, "v1", "v1beta1" },
    { "serving.kserve.io", "ClusterServingRuntime", IO_KIND_REFERRED, false, "v1alpha1", NULL },
    { "serving.kserve.io", "ServingRuntime", IO_KIND_REFERRED, true, "v1alpha1", NULL },
    { "trainer.kubeflow.org", "ClusterTrainingRuntime", IO_KIND_REFERRED, false, "v1alpha1", NULL },
    { "trainer.kubeflow.org", "TrainingRuntime", IO_KIND_REFERRED, true, "v1alpha1", NULL },
    { "kueue.x-k8s.io", "LocalQueue", IO_KIND_REFERRED, true, "v1beta2", "v1beta1" },
    { "kueue.x-k8s.io", "ClusterQueue", IO_KIND_REFERRED, false, "v1beta2", "v1beta1" },
    { "kueue.x-k8s.io", "ResourceFlavor", IO_KIND_REFERRED, false, "v1beta2", "v1beta1" },
    { "kueue.x-k8s.io", "Topology", IO_KIND_REFERRED, false, "v1beta2", "v1beta1" },
    { "kueue.x-k8s.io", "WorkloadPriorityClass", IO_KIND_REFERRED, false, "v1beta2", "v1beta1" },
    { "cluster.x-k8s.io", "MachineDeployment", IO_KIND_REFERRED, true, "v1beta2", "v1beta1" },
    { "karp", "Prices", IO_KIND_PRICES, false, "v1", NULL },
};

static const io_kind_info node_class = { "", "NodeClass", IO_KIND_NODE_CLASS, false, NULL, NULL };
const io_kind_info io_kind_pod_maker = { "", "", IO_KIND_POD_MAKER, true, NULL, NULL };
static const io_kind_info unknown = { "", "", IO_KIND_UNKNOWN, false, NULL, NULL };

const io_kind_info *io_kind_at(size_t index) { return index < sizeof kinds / sizeof kinds[0] ? &kinds[index] : NULL; }

const io_kind_info *io_kind_find(karp_str api_version, karp_str kind)
{
    karp_str group = str_before(api_version, '/');
    char first = kind.len > 0 ? kind.ptr[0] : '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].name[0] == first && str_is(kind, kinds[i].name) && str_is(group, kinds[i].group)) return &kinds[i];
    }
    for (size_t i = 0; io_pod_kind_at(i); i++) {
        const io_kind_info *info = &io_pod_kind_at(i)->info;
        if (info->name[0] == first && str_is(kind, info->name) && str_is(group, info->group)) return info;
    }
    return str_ends(kind, "NodeClass") ? &node_class : &unknown;
}
