/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/types.h>

static const karp_str well_known[] = {
    TEXT(AZURE_GROUP "placement-scope"),
    TEXT(AZURE_GROUP "sku-cpu"),
    TEXT(AZURE_GROUP "sku-family"),
    TEXT(AZURE_GROUP "sku-gpu-count"),
    TEXT(AZURE_GROUP "sku-gpu-manufacturer"),
    TEXT(AZURE_GROUP "sku-gpu-name"),
    TEXT(AZURE_GROUP "sku-memory"),
    TEXT(AZURE_GROUP "sku-name"),
    TEXT(AZURE_GROUP "sku-networking-accelerated"),
    TEXT(AZURE_GROUP "sku-series"),
    TEXT(AZURE_GROUP "sku-storage-ephemeralos-maxsize"),
    TEXT(AZURE_GROUP "sku-storage-premium-capable"),
    TEXT(AZURE_GROUP "sku-storage-ultra-ssd"),
    TEXT(AZURE_GROUP "sku-version"),
    TEXT(AKS_GROUP "cluster"),
    TEXT(AKS_GROUP "fips_enabled"),
    TEXT(AKS_GROUP "mode"),
    TEXT(AKS_GROUP "os-sku"),
    TEXT(AKS_GROUP "priority"),
    TEXT(AKS_GROUP "scalesetpriority"),
    TEXT(AKS_GROUP "sku-cpu"),
    TEXT(AKS_GROUP "sku-memory"),
};
static const karp_str restricted[] = { TEXT("karpenter.azure.com") };
static const karp_str resources[] = { TEXT("amd.com/gpu"), TEXT("nvidia.com/gpu") };

void azure_label_tables(karp_provider_labels *into)
{
    into->well_known = well_known;
    into->well_known_count = sizeof well_known / sizeof *well_known;
    into->restricted_domains = restricted;
    into->restricted_domain_count = 1;
    into->resources = resources;
    into->resource_count = 2;
}

static const karp_str key_type = TEXT(LABEL_TYPE), key_arch = TEXT(LABEL_ARCH), key_os = TEXT(LABEL_OS),
                      key_region = TEXT(LABEL_REGION), key_name = TEXT(AZURE_GROUP "sku-name"),
                      key_cpu = TEXT(AZURE_GROUP "sku-cpu"), key_aks_cpu = TEXT(AKS_GROUP "sku-cpu"),
                      key_memory = TEXT(AZURE_GROUP "sku-memory"), key_aks_memory = TEXT(AKS_GROUP "sku-memory"),
                      key_family = TEXT(AZURE_GROUP "sku-family"), key_series = TEXT(AZURE_GROUP "sku-series"),
                      key_version = TEXT(AZURE_GROUP "sku-version"), key_gpu_count = TEXT(AZURE_GROUP "sku-gpu-count"),
                      key_gpu_maker = TEXT(AZURE_GROUP "sku-gpu-manufacturer"),
                      key_gpu_name = TEXT(AZURE_GROUP "sku-gpu-name"),
                      key_networking = TEXT(AZURE_GROUP "sku-networking-accelerated"),
                      key_premium = TEXT(AZURE_GROUP "sku-storage-premium-capable"),
                      key_ephemeral = TEXT(AZURE_GROUP "sku-storage-ephemeralos-maxsize"),
                      key_generation = TEXT(AZURE_GROUP "sku-hyperv-generation"),
                      key_cluster = TEXT(AKS_GROUP "cluster"), key_mode = TEXT(AKS_GROUP "mode"),
                      key_set_priority = TEXT(AKS_GROUP "scalesetpriority"), key_priority = TEXT(AKS_GROUP "priority"),
                      key_os_sku = TEXT(AKS_GROUP "os-sku"), key_fips = TEXT(AKS_GROUP "fips_enabled");

static const karp_str word_amd64 = TEXT("amd64"), word_arm64 = TEXT("arm64"), word_linux = TEXT("linux"),
                      word_true = TEXT("true"), word_false = TEXT("false"), word_one = TEXT("1"),
                      word_nvidia = TEXT("nvidia"), word_amd = TEXT("amd"), word_ubuntu = TEXT("Ubuntu"),
                      word_azurelinux = TEXT("AzureLinux");
static const karp_str modes[] = { TEXT("system"), TEXT("user") }, priorities[] = { TEXT("regular"), TEXT("spot") },
                      generations[] = { TEXT("1"), TEXT("2") };

/* NCads_v4: the name without vCPUs and accelerator. */
static karp_str series_of(scratch *s, const azure_name *n)
{
    const karp_str parts[] = { n->family, n->sub, n->features, str(n->version.len > 0 ? "_" : ""), n->version };
    size_t length = 0;
    for (size_t i = 0; i < 5; i++) length += parts[i].len;
    char *text = scratch_alloc(s, length + 1), *at = text;
    if (!text) return str("");
    for (size_t i = 0; i < 5; i++) {
        if (parts[i].len > 0) memcpy(at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    *at = '\0';
    return (karp_str){ text, length };
}

static void name_labels(cloud_labels *l, karp_str name, const azure_name *n)
{
    cloud_in_one(l, key_type, name);
    cloud_in_one(l, key_name, name);
    cloud_in_one(l, key_family, n->family);
    cloud_in_one(l, key_series, series_of(l->s, n));
    if (n->version.len > 1) cloud_in_one(l, key_version, (karp_str){ n->version.ptr + 1, 1 });
    else cloud_in_word(l, key_version, &word_one);
}

static void gpu_labels(cloud_labels *l, const azure_size *size, const azure_name *n, uint32_t gpu)
{
    cloud_in_number(l, key_gpu_count, gpu ? size->gpus : 0);
    if (gpu) cloud_in_word(l, key_gpu_maker, gpu & AZURE_GPU_AMD ? &word_amd : &word_nvidia);
    else cloud_absent(l, key_gpu_maker);
    if (gpu && n->accelerator.len > 0) cloud_in_one(l, key_gpu_name, n->accelerator);
    else cloud_absent(l, key_gpu_name);
}

static void disk_labels(cloud_labels *l, const azure_size *size)
{
    bool first = size->flags & AZURE_GENERATION_1, second = size->flags & AZURE_GENERATION_2;
    cloud_in_word(l, key_premium, size->flags & AZURE_PREMIUM ? &word_true : &word_false);
    if (size->ephemeral_gb > 0) cloud_in_number(l, key_ephemeral, size->ephemeral_gb);
    else cloud_absent(l, key_ephemeral);
    cloud_in(l, key_generation, &generations[first ? 0 : 1], (size_t)first + second);
}

/* Adds the labels of the cluster and the class. */
static void node_labels(cloud_labels *l, const azure_settings *settings, const azure_class *c)
{
    if (settings->cluster.len > 0) cloud_in_one(l, key_cluster, settings->cluster);
    cloud_in(l, key_mode, modes, 2);
    cloud_in(l, key_set_priority, priorities, 2);
    cloud_in(l, key_priority, priorities, 2);
    cloud_in_word(l, key_os_sku, c->family == AZURE_LINUX ? &word_azurelinux : &word_ubuntu);
    if (c->fips) cloud_in_word(l, key_fips, &word_true);
    else cloud_absent(l, key_fips);
}

void azure_size_labels(cloud_labels *l, const azure_size *size, const azure_name *name, uint32_t gpu, karp_str region,
                       const azure_settings *settings, const azure_class *c)
{
    int64_t mib = (int64_t)(size->memory_gib * 1024);
    name_labels(l, size->base.name, name);
    cloud_in_word(l, key_arch, size->flags & AZURE_ARM64 ? &word_arm64 : &word_amd64);
    cloud_in_word(l, key_os, &word_linux);
    cloud_in_one(l, key_region, region);
    cloud_in_number(l, key_cpu, size->base.vcpus);
    cloud_in_number(l, key_aks_cpu, size->base.vcpus);
    cloud_in_number(l, key_memory, mib);
    cloud_in_number(l, key_aks_memory, mib);
    gpu_labels(l, size, name, gpu);
    cloud_in_word(l, key_networking, size->flags & AZURE_ACCELERATED_NETWORKING ? &word_true : &word_false);
    disk_labels(l, size);
    node_labels(l, settings, c);
}
