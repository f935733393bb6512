/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of the provider's AKSNodeClass v1beta1, as hash v3 walks them. */
#include <providers/azure/node_class.h>

#include <providers/cloud/go_hash.h>

static const go_field kubelet_configuration_fields[] = {
    { "CPUManagerPolicy", "cpuManagerPolicy", GO_TEXT, GO_POINTER, NULL },
    { "CPUCFSQuota", "cpuCFSQuota", GO_BOOL, GO_POINTER, NULL },
    { "CPUCFSQuotaPeriod", "cpuCFSQuotaPeriod", GO_DURATION, GO_PLAIN, NULL },
    { "ImageGCHighThresholdPercent", "imageGCHighThresholdPercent", GO_INT32, GO_POINTER, NULL },
    { "ImageGCLowThresholdPercent", "imageGCLowThresholdPercent", GO_INT32, GO_POINTER, NULL },
    { "TopologyManagerPolicy", "topologyManagerPolicy", GO_TEXT, GO_POINTER, NULL },
    { "AllowedUnsafeSysctls", "allowedUnsafeSysctls", GO_TEXT, GO_LIST, NULL },
    { "ContainerLogMaxSize", "containerLogMaxSize", GO_TEXT, GO_POINTER, NULL },
    { "ContainerLogMaxFiles", "containerLogMaxFiles", GO_INT32, GO_POINTER, NULL },
    { "PodPidsLimit", "podPidsLimit", GO_INT64, GO_POINTER, NULL },
    { "FailSwapOn", "failSwapOn", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct kubelet_configuration_type = GO_STRUCT("KubeletConfiguration", kubelet_configuration_fields);

static const go_field trusted_launch_fields[] = {
    { "VTPM", "vtpm", GO_BOOL, GO_POINTER, NULL },
    { "SecureBoot", "secureBoot", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct trusted_launch_type = GO_STRUCT("TrustedLaunch", trusted_launch_fields);

static const go_field security_fields[] = {
    { "EncryptionAtHost", "encryptionAtHost", GO_BOOL, GO_POINTER, NULL },
    { "TrustedLaunch", "trustedLaunch", GO_STRUCT, GO_POINTER, &trusted_launch_type },
};
static const go_struct security_type = GO_STRUCT("Security", security_fields);

static const go_field localdns_zone_override_fields[] = {
    { "Zone", "zone", GO_TEXT, GO_PLAIN, NULL },
    { "QueryLogging", "queryLogging", GO_TEXT, GO_PLAIN, NULL },
    { "Protocol", "protocol", GO_TEXT, GO_PLAIN, NULL },
    { "ForwardDestination", "forwardDestination", GO_TEXT, GO_PLAIN, NULL },
    { "ForwardPolicy", "forwardPolicy", GO_TEXT, GO_PLAIN, NULL },
    { "MaxConcurrent", "maxConcurrent", GO_INT32, GO_POINTER, NULL },
    { "CacheDuration", "cacheDuration", GO_NILLABLE_DURATION, GO_PLAIN, NULL },
    { "ServeStaleDuration", "serveStaleDuration", GO_NILLABLE_DURATION, GO_PLAIN, NULL },
    { "ServeStale", "serveStale", GO_TEXT, GO_PLAIN, NULL },
};
static const go_struct localdns_zone_override_type = GO_STRUCT("LocalDNSZoneOverride", localdns_zone_override_fields);

static const go_field localdns_fields[] = {
    { "Mode", "mode", GO_TEXT, GO_PLAIN, NULL },
    { "VnetDNSOverrides", "vnetDNSOverrides", GO_STRUCT, GO_LIST, &localdns_zone_override_type },
    { "KubeDNSOverrides", "kubeDNSOverrides", GO_STRUCT, GO_LIST, &localdns_zone_override_type },
};
static const go_struct localdns_type = GO_STRUCT("LocalDNS", localdns_fields);

static const go_field gpu_fields[] = {
    { "Mode", "mode", GO_TEXT, GO_POINTER, NULL },
};
static const go_struct gpu_type = GO_STRUCT("GPU", gpu_fields);

static const go_field artifact_streaming_fields[] = {
    { "Enabled", "enabled", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct artifact_streaming_type = GO_STRUCT("ArtifactStreaming", artifact_streaming_fields);

static const go_field sysctl_configuration_fields[] = {
    { "FsAioMaxNr", "fsAioMaxNr", GO_INT32, GO_POINTER, NULL },
    { "FsFileMax", "fsFileMax", GO_INT32, GO_POINTER, NULL },
    { "FsInotifyMaxUserWatches", "fsInotifyMaxUserWatches", GO_INT32, GO_POINTER, NULL },
    { "FsNrOpen", "fsNrOpen", GO_INT32, GO_POINTER, NULL },
    { "KernelThreadsMax", "kernelThreadsMax", GO_INT32, GO_POINTER, NULL },
    { "NetCoreNetdevMaxBacklog", "netCoreNetdevMaxBacklog", GO_INT32, GO_POINTER, NULL },
    { "NetCoreOptmemMax", "netCoreOptmemMax", GO_INT32, GO_POINTER, NULL },
    { "NetCoreRmemDefault", "netCoreRmemDefault", GO_INT32, GO_POINTER, NULL },
    { "NetCoreRmemMax", "netCoreRmemMax", GO_INT32, GO_POINTER, NULL },
    { "NetCoreSomaxconn", "netCoreSomaxconn", GO_INT32, GO_POINTER, NULL },
    { "NetCoreWmemDefault", "netCoreWmemDefault", GO_INT32, GO_POINTER, NULL },
    { "NetCoreWmemMax", "netCoreWmemMax", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4IPLocalPortRange", "netIPv4IPLocalPortRange", GO_TEXT, GO_POINTER, NULL },
    { "NetIPv4NeighDefaultGcThresh1", "netIPv4NeighDefaultGcThresh1", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4NeighDefaultGcThresh2", "netIPv4NeighDefaultGcThresh2", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4NeighDefaultGcThresh3", "netIPv4NeighDefaultGcThresh3", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4TCPFinTimeout", "netIPv4TCPFinTimeout", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4TCPKeepaliveProbes", "netIPv4TCPKeepaliveProbes", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4TCPKeepaliveTime", "netIPv4TCPKeepaliveTime", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4TCPMaxSynBacklog", "netIPv4TCPMaxSynBacklog", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4TCPMaxTwBuckets", "netIPv4TCPMaxTwBuckets", GO_INT32, GO_POINTER, NULL },
    { "NetIPv4TCPTwReuse", "netIPv4TCPTwReuse", GO_BOOL, GO_POINTER, NULL },
    { "NetIPv4TCPKeepaliveIntvl", "netIPv4TCPKeepaliveIntvl", GO_INT32, GO_POINTER, NULL },
    { "NetNetfilterNfConntrackBuckets", "netNetfilterNfConntrackBuckets", GO_INT32, GO_POINTER, NULL },
    { "NetNetfilterNfConntrackMax", "netNetfilterNfConntrackMax", GO_INT32, GO_POINTER, NULL },
    { "VMMaxMapCount", "vmMaxMapCount", GO_INT32, GO_POINTER, NULL },
    { "VMSwappiness", "vmSwappiness", GO_INT32, GO_POINTER, NULL },
    { "VMVfsCachePressure", "vmVfsCachePressure", GO_INT32, GO_POINTER, NULL },
};
static const go_struct sysctl_configuration_type = GO_STRUCT("SysctlConfiguration", sysctl_configuration_fields);

static const go_field linuxos_configuration_fields[] = {
    { "SwapFileSize", "swapFileSize", GO_TEXT, GO_POINTER, NULL },
    { "Sysctls", "sysctls", GO_STRUCT, GO_POINTER, &sysctl_configuration_type },
    { "TransparentHugePageDefrag", "transparentHugePageDefrag", GO_TEXT, GO_POINTER, NULL },
    { "TransparentHugePageEnabled", "transparentHugePageEnabled", GO_TEXT, GO_POINTER, NULL },
};
static const go_struct linuxos_configuration_type = GO_STRUCT("LinuxOSConfiguration", linuxos_configuration_fields);

static const go_field aks_node_class_spec_fields[] = {
    { "VNETSubnetID", "vnetSubnetID", GO_TEXT, GO_POINTER, NULL },
    { "OSDiskSizeGB", "osDiskSizeGB", GO_INT32, GO_POINTER, NULL },
    { "ImageFamily", "imageFamily", GO_TEXT, GO_POINTER, NULL },
    { "FIPSMode", "fipsMode", GO_TEXT, GO_POINTER, NULL },
    { "Kubelet", "kubelet", GO_STRUCT, GO_POINTER, &kubelet_configuration_type },
    { "MaxPods", "maxPods", GO_INT32, GO_POINTER, NULL },
    { "Security", "security", GO_STRUCT, GO_POINTER, &security_type },
    { "LocalDNS", "localDNS", GO_STRUCT, GO_POINTER, &localdns_type },
    { "GPU", "gpu", GO_STRUCT, GO_POINTER, &gpu_type },
    { "ArtifactStreaming", "artifactStreaming", GO_STRUCT, GO_POINTER, &artifact_streaming_type },
    { "LinuxOSConfig", "linuxOSConfig", GO_STRUCT, GO_POINTER, &linuxos_configuration_type },
};
static const go_struct aks_node_class_spec_type = GO_STRUCT("AKSNodeClassSpec", aks_node_class_spec_fields);

uint64_t azure_class_hash(const tree *spec) { return go_hash_struct(&aks_node_class_spec_type, spec); }
