/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of the provider's GCENodeClass v1alpha1, as hash v4 walks them. */
#include <providers/gcp/node_class.h>

#include <providers/cloud/go_hash.h>

static const go_field disk_fields[] = {
    { "SizeGiB", "sizeGiB", GO_INT32, GO_PLAIN, NULL },
    { "Category", "category", GO_TEXT, GO_PLAIN, NULL },
    { "Boot", "boot", GO_BOOL, GO_PLAIN, NULL },
    { "SecondaryBootImage", "secondaryBootImage", GO_TEXT, GO_PLAIN, NULL },
    { "SecondaryBootMode", "secondaryBootMode", GO_TEXT, GO_PLAIN, NULL },
    { "KMSKeyName", "kmsKeyName", GO_TEXT, GO_PLAIN, NULL },
    { "KMSKeyServiceAccount", "kmsKeyServiceAccount", GO_TEXT, GO_PLAIN, NULL },
    { "ProvisionedIOPS", "provisionedIOPS", GO_INT64, GO_POINTER, NULL },
    { "ProvisionedThroughput", "provisionedThroughput", GO_INT64, GO_POINTER, NULL },
};
static const go_struct disk = GO_STRUCT("Disk", disk_fields);

static const go_field kubelet_fields[] = {
    { "ClusterDNS", "clusterDNS", GO_TEXT, GO_LIST, NULL },
    { "MaxPods", "maxPods", GO_INT32, GO_POINTER, NULL },
    { "PodsPerCore", "podsPerCore", GO_INT32, GO_POINTER, NULL },
    { "SystemReserved", "systemReserved", GO_TEXT, GO_MAP, NULL },
    { "KubeReserved", "kubeReserved", GO_TEXT, GO_MAP, NULL },
    { "EvictionHard", "evictionHard", GO_TEXT, GO_MAP, NULL },
    { "EvictionSoft", "evictionSoft", GO_TEXT, GO_MAP, NULL },
    { "EvictionSoftGracePeriod", "evictionSoftGracePeriod", GO_DURATION, GO_MAP, NULL },
    { "EvictionMaxPodGracePeriod", "evictionMaxPodGracePeriod", GO_INT32, GO_POINTER, NULL },
    { "ImageGCHighThresholdPercent", "imageGCHighThresholdPercent", GO_INT32, GO_POINTER, NULL },
    { "ImageGCLowThresholdPercent", "imageGCLowThresholdPercent", GO_INT32, GO_POINTER, NULL },
    { "CPUCFSQuota", "cpuCFSQuota", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct kubelet = GO_STRUCT("KubeletConfiguration", kubelet_fields);

static const go_field shielded_fields[] = {
    { "EnableSecureBoot", "enableSecureBoot", GO_BOOL, GO_POINTER, NULL },
    { "EnableVtpm", "enableVtpm", GO_BOOL, GO_POINTER, NULL },
    { "EnableIntegrityMonitoring", "enableIntegrityMonitoring", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct shielded = GO_STRUCT("ShieldedInstanceConfig", shielded_fields);

static const go_field interface_fields[] = {
    { "Network", "network", GO_TEXT, GO_PLAIN, NULL },
    { "Subnetwork", "subnetwork", GO_TEXT, GO_PLAIN, NULL },
};
static const go_struct interface = GO_STRUCT("AdditionalNetworkInterface", interface_fields);

static const go_field network_fields[] = {
    { "EnablePrivateNodes", "enablePrivateNodes", GO_BOOL, GO_POINTER, NULL },
    { "Subnetwork", "subnetwork", GO_TEXT, GO_PLAIN, NULL },
    { "AdditionalNetworkInterfaces", "additionalNetworkInterfaces", GO_STRUCT, GO_LIST, &interface },
};
static const go_struct network = GO_STRUCT("NetworkConfig", network_fields);

/* Without imageSelectorTerms, which are not hashed. */
static const go_field spec_fields[] = {
    { "ServiceAccount", "serviceAccount", GO_TEXT, GO_PLAIN, NULL },
    { "Disks", "disks", GO_STRUCT, GO_LIST, &disk },
    { "ImageFamily", "imageFamily", GO_TEXT, GO_POINTER, NULL },
    { "SubnetRangeName", "subnetRangeName", GO_TEXT, GO_POINTER, NULL },
    { "KubeletConfiguration", "kubeletConfiguration", GO_STRUCT, GO_POINTER, &kubelet },
    { "Labels", "labels", GO_TEXT, GO_MAP, NULL },
    { "Metadata", "metadata", GO_TEXT, GO_MAP, NULL },
    { "NetworkTags", "networkTags", GO_TEXT, GO_LIST, NULL },
    { "ShieldedInstanceConfig", "shieldedInstanceConfig", GO_STRUCT, GO_POINTER, &shielded },
    { "ConfidentialInstanceType", "confidentialInstanceType", GO_TEXT, GO_POINTER, NULL },
    { "NetworkConfig", "networkConfig", GO_STRUCT, GO_POINTER, &network },
    { "AutoGPUTaint", "autoGPUTaint", GO_BOOL, GO_PLAIN, NULL },
    { "GPUDriverVersion", "gpuDriverVersion", GO_TEXT, GO_PLAIN, NULL },
};
static const go_struct spec_type = GO_STRUCT("GCENodeClassSpec", spec_fields);

/* The hash of a set of two: the spec, and the resulting image family. */
uint64_t gcp_class_hash(const tree *spec, karp_str image_family)
{
    return go_hash_struct(&spec_type, spec) ^ go_hash_text(image_family);
}
