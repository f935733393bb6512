/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of node classes. Source: the CRDs of aws/karpenter-provider-aws 1.15.2, Azure/karpenter-provider-azure and
 * cloudpilot-ai/karpenter-provider-gcp of August 2026, and KubeletConfiguration of k8s.io/kubelet 0.36 and 0.37.
 */
#include <io/decode_fields.h>
#include <io/schemas.h>

/* ---- karpenter.k8s.aws ---- */

static const record ami_term = { ONLY("alias id name owner ssmParameter tags") };
static const record ebs = { ONLY(
    "deleteOnTermination encrypted iops kmsKeyID snapshotID throughput volumeInitializationRate volumeSize "
    "volumeType") };
static const record block_device = { .known = "deviceName rootVolume", CLOSED(PART("ebs", ebs)) };
static const record reservation_term = { ONLY("id instanceMatchCriteria ownerID tags") };
static const record connection_tracking = { ONLY("tcpEstablishedTimeout udpStreamTimeout udpTimeout") };
static const record cpu_options = { ONLY("nestedVirtualization") };
static const record enclave_options = { ONLY("enabled") };
static const record metadata_options = { ONLY("httpEndpoint httpProtocolIPv6 httpPutResponseHopLimit httpTokens") };
static const record ec2_interface = { ONLY("deviceIndex interfaceType networkCardIndex") };
static const record placement_group = { ONLY("id name") };
static const record security_group_term = { ONLY("id name tags") };
static const record subnet_term = { ONLY("id tags") };
/* Since 1.15 each field of the kubelet may be set, and the controller of the class refuses others. */
static const record ec2_kubelet = { ONLY(
    "address allowedUnsafeSysctls apiVersion authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS "
    "clusterDNS clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxFiles containerLogMaxSize "
    "containerLogMaxWorkers containerLogMonitorInterval containerRuntimeEndpoint contentType cpuCFSQuota "
    "cpuCFSQuotaPeriod cpuManagerPolicy cpuManagerPolicyOptions cpuManagerReconcilePeriod crashLoopBackOff "
    "defaultPodSysctls enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler "
    "enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery "
    "enforceNodeAllocatable eventBurst eventRecordQPS evictionHard evictionMaxPodGracePeriod evictionMinimumReclaim "
    "evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod failCgroupV failSwapOn featureGates "
    "fileCheckFrequency hairpinMode healthzBindAddress healthzPort httpCheckFrequency imageGCHighThresholdPercent "
    "imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge imagePullCredentialsVerificationPolicy "
    "imageServiceEndpoint iptablesDropBit iptablesMasqueradeBit kernelMemcgNotification kind kubeAPIBurst "
    "kubeAPIQPS kubeReserved kubeReservedCgroup kubeletCgroups localStorageCapacityIsolation logging "
    "makeIPTablesUtilChains maxOpenFiles maxParallelImagePulls maxPods memoryManagerPolicy memoryReservationPolicy "
    "memorySwap memoryThrottlingFactor mergeDefaultEvictionSettings nodeLeaseDurationSeconds nodeStatusMaxImages "
    "nodeStatusReportFrequency nodeStatusUpdateFrequency oomScoreAdj podCIDR podLogsDir podPidsLimit podsPerCore "
    "port preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved readOnlyPort "
    "registerNode registerWithTaints registryBurst registryPullQPS reservedMemory reservedSystemCPUs resolvConf "
    "rotateCertificates runOnce runtimeRequestTimeout seccompDefault serializeImagePulls serverTLSBootstrap "
    "showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority "
    "shutdownGracePeriodCriticalPods singleProcessOOMKill staticPodPath staticPodURL staticPodURLHeader "
    "streamingConnectionIdleTimeout syncFrequency systemCgroups systemReserved systemReservedCgroup tlsCertFile "
    "tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy "
    "topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces volumePluginDir volumeStatsAggPeriod") };
static const record ec2_spec = {
    .known = "amiFamily associatePublicIPAddress context detailedMonitoring instanceProfile instanceStorePolicy "
             "ipPrefixCount role tags userData",
    CLOSED(PART("amiSelectorTerms", ami_term), PART("blockDeviceMappings", block_device),
           PART("capacityReservationSelectorTerms", reservation_term), PART("connectionTracking", connection_tracking),
           PART("cpuOptions", cpu_options), PART("enclaveOptions", enclave_options), PART("kubelet", ec2_kubelet),
           PART("metadataOptions", metadata_options), PART("networkInterfaces", ec2_interface),
           PART("placementGroupSelector", placement_group), PART("securityGroupSelectorTerms", security_group_term),
           PART("subnetSelectorTerms", subnet_term))
};
static const record ec2_node_class = { WHOLE(ec2_spec) };

/* ---- karpenter.azure.com ---- */

static const record artifact_streaming = { ONLY("enabled") };
static const record gpu = { ONLY("mode") };
static const record aks_kubelet = { ONLY(
    "allowedUnsafeSysctls containerLogMaxFiles containerLogMaxSize cpuCFSQuota cpuCFSQuotaPeriod cpuManagerPolicy "
    "failSwapOn imageGCHighThresholdPercent imageGCLowThresholdPercent podPidsLimit topologyManagerPolicy") };
static const record sysctls = { ONLY(
    "fsAioMaxNr fsFileMax fsInotifyMaxUserWatches fsNrOpen kernelThreadsMax netCoreNetdevMaxBacklog "
    "netCoreOptmemMax netCoreRmemDefault netCoreRmemMax netCoreSomaxconn netCoreWmemDefault netCoreWmemMax "
    "netIPv4IPLocalPortRange netIPv4NeighDefaultGcThresh1 netIPv4NeighDefaultGcThresh2 netIPv4NeighDefaultGcThresh3 "
    "netIPv4TCPFinTimeout netIPv4TCPKeepaliveIntvl netIPv4TCPKeepaliveProbes netIPv4TCPKeepaliveTime "
    "netIPv4TCPMaxSynBacklog netIPv4TCPMaxTwBuckets netIPv4TCPTwReuse netNetfilterNfConntrackBuckets "
    "netNetfilterNfConntrackMax vmMaxMapCount vmSwappiness vmVfsCachePressure") };
static const record linux_config = { .known = "swapFileSize transparentHugePageDefrag transparentHugePageEnabled",
                                     CLOSED(PART("sysctls", sysctls)) };
static const record dns_override = { ONLY(
    "cacheDuration forwardDestination forwardPolicy maxConcurrent protocol queryLogging serveStale "
    "serveStaleDuration zone") };
static const record local_dns = {
    .known = "mode", CLOSED(PART("kubeDNSOverrides", dns_override), PART("vnetDNSOverrides", dns_override))
};
static const record trusted_launch = { ONLY("secureBoot vtpm") };
static const record aks_security = { .known = "encryptionAtHost", CLOSED(PART("trustedLaunch", trusted_launch)) };
static const record aks_spec = { .known = "fipsMode imageFamily maxPods osDiskSizeGB tags vnetSubnetID",
                                 CLOSED(PART("artifactStreaming", artifact_streaming), PART("gpu", gpu),
                                        PART("kubelet", aks_kubelet), PART("linuxOSConfig", linux_config),
                                        PART("localDNS", local_dns), PART("security", aks_security)) };
static const record aks_node_class = { WHOLE(aks_spec) };

/* ---- karpenter.k8s.gcp ---- */

static const record disk = { ONLY(
    "boot category kmsKeyName kmsKeyServiceAccount provisionedIOPS provisionedThroughput secondaryBootImage "
    "secondaryBootMode sizeGiB") };
static const record image_term = { ONLY("alias channel family id version") };
static const record gce_kubelet = { ONLY(
    "clusterDNS cpuCFSQuota evictionHard evictionMaxPodGracePeriod evictionSoft evictionSoftGracePeriod "
    "imageGCHighThresholdPercent imageGCLowThresholdPercent kubeReserved maxPods podsPerCore systemReserved") };
static const record gce_interface = { ONLY("network subnetwork") };
static const record network_config = { .known = "enablePrivateNodes subnetwork",
                                       CLOSED(PART("additionalNetworkInterfaces", gce_interface)) };
static const record shielded_config = { ONLY("enableIntegrityMonitoring enableSecureBoot enableVtpm") };
static const record gce_spec = {
    .known = "autoGPUTaint confidentialInstanceType gpuDriverVersion imageFamily labels metadata networkTags "
             "serviceAccount subnetRangeName",
    CLOSED(PART("disks", disk), PART("imageSelectorTerms", image_term), PART("kubeletConfiguration", gce_kubelet),
           PART("networkConfig", network_config), PART("shieldedInstanceConfig", shielded_config))
};
static const record gce_node_class = { WHOLE(gce_spec) };

/* ---- karpenter.kwok.sh ---- */

static const record kwok_spec = { ONLY("nodeRegistrationDelay") };
static const record kwok_node_class = { WHOLE(kwok_spec) };

/* ---- all classes ---- */

static const struct {
    const char *kind;
    const record *fields;
} classes[] = {
    { "EC2NodeClass", &ec2_node_class },
    { "AKSNodeClass", &aks_node_class },
    { "GCENodeClass", &gce_node_class },
    { "KWOKNodeClass", &kwok_node_class },
};

const record *io_schema_of_class(karp_str group, karp_str kind)
{
    const char *own = io_class_kind_of(group);
    for (size_t i = 0; own && str_is(kind, own) && i < sizeof classes / sizeof *classes; i++) {
        if (str_is(kind, classes[i].kind)) return classes[i].fields;
    }
    return NULL;
}
