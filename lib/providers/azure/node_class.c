/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/types.h>

#include <providers/cloud/go_hash.h>

const azure_class azure_plain_class = { .disk_gb = 128 };

/* ---- the hash ---------------------------------------------------------------------------------------------------- */

/* The structs of the provider's AKSNodeClass v1beta1, as hash v3 walks them. */
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

static uint64_t class_hash(const tree *spec) { return go_hash_struct(&aks_node_class_spec_type, spec); }

/* ---- the spec ---------------------------------------------------------------------------------------------------- */

static const karp_str azure_families[] = { TEXT("Ubuntu"), TEXT("Ubuntu2204"), TEXT("Ubuntu2404"), TEXT("AzureLinux") };

karp_str azure_family_name(azure_family family) { return azure_families[family]; }

static azure_family read_family(decoder *d, const tree *spec)
{
    karp_str name = decode_text(d, spec, "imageFamily");
    size_t i = 0;
    if (name.len == 0) return AZURE_UBUNTU;
    while (i < 4 && !equal_str(azure_families[i], name)) i++;
    if (i < 4) return (azure_family)i;
    decode_bad(d, "imageFamily", "must be Ubuntu, Ubuntu2204, Ubuntu2404 or AzureLinux");
    return AZURE_UBUNTU;
}

static int64_t number_in(decoder *d, const tree *spec, const char *name, int64_t least, int64_t most, int64_t usual,
                         const char *message)
{
    int64_t n;
    const tree *value = decode_member(spec, name);
    if (!value) return usual;
    if (tree_integer(value, &n) && n >= least && n <= most) return n;
    decode_bad(d, name, message);
    return usual;
}

static void read_security(decoder *d, const tree *spec, azure_class *out)
{
    const tree *security = decode_object(d, spec, "security");
    decode_at(d, "spec.security");
    out->encryption_at_host = decode_flag(d, security, "encryptionAtHost");
    const tree *launch = decode_object(d, security, "trustedLaunch");
    decode_at(d, "spec.security.trustedLaunch");
    bool vtpm = decode_flag(d, launch, "vtpm"), boot = decode_flag(d, launch, "secureBoot");
    out->trusted_launch = vtpm || boot;
    decode_at(d, "spec");
}

/* FIPS requires an explicit image family other than the newest Ubuntu. With the oldest one it also requires trusted
 * launch, which only Ubuntu and Ubuntu2204 support with FIPS. */
static void check_fips(decoder *d, const tree *spec, const azure_class *c)
{
    bool stated = decode_member(spec, "imageFamily") != NULL;
    if (c->fips && (!stated || c->family == AZURE_UBUNTU2404))
        decode_bad(d, "fipsMode", "FIPS needs an imageFamily that is stated and not Ubuntu2404");
    if (c->fips && c->family == AZURE_UBUNTU2204 && !c->trusted_launch)
        decode_bad(d, "fipsMode", "FIPS on Ubuntu2204 needs security.trustedLaunch");
    if (c->fips && c->trusted_launch && c->family != AZURE_UBUNTU && c->family != AZURE_UBUNTU2204)
        decode_bad(d, "fipsMode", "FIPS with security.trustedLaunch is for Ubuntu and Ubuntu2204");
}

static void read_spec(decoder *d, const tree *spec, azure_class *out)
{
    decode_at(d, "spec");
    out->family = read_family(d, spec);
    out->disk_gb = number_in(d, spec, "osDiskSizeGB", 30, 2048, 128, "must be a number from 30 to 2048");
    out->max_pods = number_in(d, spec, "maxPods", 10, 250, 0, "must be a number from 10 to 250");
    out->fips = str_is(decode_word(d, spec, "fipsMode", "FIPS Disabled"), "FIPS");
    read_security(d, spec, out);
    const tree *gpu = decode_object(d, spec, "gpu"), *streaming = decode_object(d, spec, "artifactStreaming");
    decode_at(d, "spec.gpu");
    out->without_driver = str_is(decode_word(d, gpu, "mode", "Driver None"), "None");
    decode_at(d, "spec.artifactStreaming");
    out->artifact_streaming = decode_flag(d, streaming, "enabled");
    decode_at(d, "spec");
    check_fips(d, spec, out);
}

/* Whether a condition of the status permits use; an absent condition does. */
static bool is_ready(const tree *status, const char *type)
{
    const tree *list = tree_get(status, "conditions");
    for (size_t i = 0; i < items_of(list); i++) {
        const tree *one = tree_item(list, i);
        if (is_text(tree_get(one, "type"), type)) return is_text(tree_get(one, "status"), "True");
    }
    return true;
}

static void read_status(decoder *d, const tree *root, azure_class *out)
{
    const tree *status = decode_object(d, root, "status");
    decode_at(d, "status");
    out->local_dns = str_is(decode_text(d, status, "localDNSState"), "Enabled");
    if (is_ready(status, "KubernetesVersionReady")) out->kubernetes = decode_text(d, status, "kubernetesVersion");
    out->images = decode_texts(d, status, "images", "status.images", "id", &out->image_count);
}

/* Includes the API server's defaults. */
static uint64_t hash_of(decoder *d, const tree *root)
{
    const tree *given = tree_get(root, "spec");
    tree *spec = tree_copy_or_new(&d->trees, is_map(given) ? given : NULL, TREE_MAP);
    tree_default(&d->trees, spec, "imageFamily", tree_new_text(&d->trees, str("Ubuntu")));
    tree_default(&d->trees, spec, "osDiskSizeGB", tree_new_integer(&d->trees, 128));
    return d->trees.status == KARP_OK ? class_hash(spec) : 0;
}

karp_status azure_class_read(karp_context *context, const tree *root, void *class_, karp_error *error)
{
    azure_class *out = class_;
    decoder d;
    *out = azure_plain_class;
    scratch_init(&out->base.s, context);
    decode_begin(&d, context, &out->base.s, error);
    if (decode_root(&d, root, "a node class")) {
        read_spec(&d, decode_object(&d, root, "spec"), out);
        decode_at(&d, "");
        read_status(&d, root, out);
        out->base.hash = hash_of(&d, root);
    }
    karp_status status = d.status;
    bool failed = out->base.s.failed || (status == KARP_OK && d.trees.status != KARP_OK);
    decode_end(&d);
    if (status == KARP_OK && failed) status = fail_nomem(error);
    if (status) scratch_free(&out->base.s);
    return status;
}

bool azure_class_same_types(const azure_class *a, const azure_class *b)
{
    return a->family == b->family && a->disk_gb == b->disk_gb && a->max_pods == b->max_pods && a->fips == b->fips &&
           a->encryption_at_host == b->encryption_at_host && a->trusted_launch == b->trusted_launch &&
           a->without_driver == b->without_driver && a->artifact_streaming == b->artifact_streaming &&
           a->local_dns == b->local_dns;
}
