/* SPDX-License-Identifier: Apache-2.0 */
#include <io/kinds.h>

#include <string.h>

static const io_kind_info kinds[] = {
    { "", "Pod", IO_KIND_POD, true },
    { "", "Node", IO_KIND_NODE, false },
    { "karpenter.sh", "NodeClaim", IO_KIND_NODE_CLAIM, false },
    { "karpenter.sh", "NodePool", IO_KIND_NODE_POOL, false },
    { "karpenter.sh", "NodeOverlay", IO_KIND_NODE_OVERLAY, false },
    { "apps", "DaemonSet", IO_KIND_DAEMON_SET, true },
    { "", "PersistentVolumeClaim", IO_KIND_CLAIM, true },
    { "", "PersistentVolume", IO_KIND_VOLUME, false },
    { "storage.k8s.io", "StorageClass", IO_KIND_STORAGE_CLASS, false },
    { "storage.k8s.io", "CSINode", IO_KIND_CSI_NODE, false },
    { "policy", "PodDisruptionBudget", IO_KIND_BUDGET, true },
    { "scheduling.k8s.io", "PriorityClass", IO_KIND_PRIORITY_CLASS, false },
    { "", "Namespace", IO_KIND_NAMESPACE, false },
    { "", "Service", IO_KIND_SERVICE, true },
    { "", "ReplicationController", IO_KIND_REPLICATION_CONTROLLER, true },
    { "apps", "ReplicaSet", IO_KIND_REPLICA_SET, true },
    { "apps", "StatefulSet", IO_KIND_STATEFUL_SET, true },
    { "apps", "Deployment", IO_KIND_DEPLOYMENT, true },
    { "batch", "Job", IO_KIND_JOB, true },
    { "", "PodTemplate", IO_KIND_POD_TEMPLATE, true },
    { "autoscaling.x-k8s.io", "CapacityBuffer", IO_KIND_CAPACITY_BUFFER, true },
    { "resource.k8s.io", "ResourceClaim", IO_KIND_DEVICES, true },
    { "resource.k8s.io", "ResourceClaimTemplate", IO_KIND_DEVICES, true },
    { "resource.k8s.io", "ResourceSlice", IO_KIND_DEVICES, false },
    { "resource.k8s.io", "DeviceClass", IO_KIND_DEVICES, false },
    { "karpenter.sh", "Provisioner", IO_KIND_PROVISIONER, false },
    { "karpenter.k8s.aws", "AWSNodeTemplate", IO_KIND_NODE_TEMPLATE, false },
};

static const io_kind_info node_class = { "", "NodeClass", IO_KIND_NODE_CLASS, false };
static const io_kind_info unknown = { "", "", IO_KIND_UNKNOWN, false };

karp_str io_group_of(karp_str api_version)
{
    const char *slash = api_version.len ? memchr(api_version.ptr, '/', api_version.len) : NULL;
    return (karp_str){ api_version.ptr, slash ? (size_t)(slash - api_version.ptr) : 0 };
}

const io_kind_info *io_kind_find(karp_str api_version, karp_str kind)
{
    karp_str group = io_group_of(api_version);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (io_str_is(kind, kinds[i].name) && io_str_is(group, kinds[i].group)) return &kinds[i];
    }
    return io_str_ends(kind, "NodeClass") ? &node_class : &unknown;
}
