/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types of Azure under a node class. */
#pragma once

#include <providers/azure/facts.h>
#include <providers/cloud/make.h>

/* An AKSNodeClass: the parts that decisions read. */

#define AZURE_HASH_VERSION "v3"

typedef enum azure_family { AZURE_UBUNTU, AZURE_UBUNTU2204, AZURE_UBUNTU2404, AZURE_LINUX } azure_family;

typedef struct azure_class {
    plugin_class base;
    azure_family family;
    int64_t disk_gb;
    int64_t max_pods; /* 0 = not set */
    bool fips, encryption_at_host, trusted_launch;
    bool without_driver; /* of GPUs: gpu.mode None */
    bool artifact_streaming;
    bool local_dns; /* from the status */
    const karp_str *images; /* ids of the resolved images */
    size_t image_count;
    karp_str kubernetes; /* the version resolved in the status, without v; "" = none, or not ready */
} azure_class;

extern const azure_class azure_plain_class;

/* Reads one azure_class. */
karp_status azure_class_read(karp_context *context, const tree *root, void *class_, karp_error *error);
/* Whether both classes give the same types. */
bool azure_class_same_types(const azure_class *a, const azure_class *b);
/* The name of a family, as in a class. */
karp_str azure_family_name(azure_family family);

#define AZURE_GROUP "karpenter.azure.com/"
#define AKS_GROUP "kubernetes.azure.com/"
#define AZURE_SCOPE AZURE_GROUP "placement-scope"

/* ---- names.c: the parts of a size's name, and whether the provider lists the size -------------------------------- */

/* Standard_NC24ads_A100_v4 has family N, subfamily C, features ads, accelerator A100 and version v4. */
typedef struct azure_name {
    karp_str family, sub, features, accelerator, version; /* "" = absent */
    bool constrained; /* fewer vCPUs than the full size: E4-2ads_v5 */
} azure_name;

/* false = the provider does not recognise the name. */
bool azure_name_read(karp_str name, azure_name *out);
/* Whether the size is never listed, by its name alone. */
bool azure_name_barred(karp_str name);

/* GPU sizes that the provider supports. */
enum { AZURE_GPU_UBUNTU = 1, AZURE_GPU_AZURELINUX = 2, AZURE_GPU_AMD = 4 };
/* false = not found. */
bool azure_gpu_find(karp_str name, uint32_t *flags);

/* ---- types.c ----------------------------------------------------------------------------------------------------- */

typedef struct azure_settings {
    double vm_memory_overhead;
    int64_t max_pods; /* from the network plugin */
    bool overlay; /* pods have their own network */
    bool initial_prices; /* prices of the provider's first minutes: spot costs as much as on-demand */
    karp_str cluster; /* label value of the node resource group; "" = not set */
    karp_str identity; /* client id of the kubelet's identity; "" = not set */
} azure_settings;

/* All sizes that are listed under the class. */
void azure_types(scratch *s, const cloud_facts *facts, const azure_settings *settings, const cloud_marks *marks,
                 const azure_class *c, const karp_instance_type **types, size_t *count);

/* Set in the flags of azure_gpu_find() for sizes with a known GPU; other sizes have no flags. */
enum { AZURE_GPU_KNOWN = 8 };
/* Milli-CPUs and MiB that AKS reserves for the kubelet. */
int64_t azure_reserved_cpu(int64_t vcpus);
int64_t azure_reserved_memory(double gib);
/* Bytes of a VM's memory without the hypervisor's part. */
int64_t azure_memory(double gib, double overhead);

/* ---- labels.c ---------------------------------------------------------------------------------------------------- */

void azure_label_tables(karp_provider_labels *into);
/* The labels that depend only on size, class and settings. */
void azure_size_labels(cloud_labels *l, const azure_size *size, const azure_name *name, uint32_t gpu, karp_str region,
                       const azure_settings *settings, const azure_class *c);
