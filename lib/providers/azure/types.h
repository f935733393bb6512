/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types of Azure under a node class. */
#ifndef AZURE_TYPES_H
#define AZURE_TYPES_H

#include <providers/azure/facts.h>
#include <providers/azure/names.h>
#include <providers/azure/node_class.h>
#include <providers/cloud/make.h>
#include <providers/cloud/marks.h>

#define AZURE_GROUP "karpenter.azure.com/"
#define AKS_GROUP "kubernetes.azure.com/"
#define AZURE_SCOPE AZURE_GROUP "placement-scope"

typedef struct azure_settings {
    double vm_memory_overhead;
    int64_t max_pods; /* of the network plugin */
    bool overlay; /* pods have a network of their own */
    bool initial_prices; /* of the provider's first minutes: spot costs what on-demand does */
    karp_str cluster; /* the label of the node resource group; "" = not told */
    karp_str identity; /* the client id of the kubelet's identity; "" = not told */
} azure_settings;

/* All sizes that are listed under the class. */
void azure_types(scratch *s, const azure_facts *facts, const azure_settings *settings, const cloud_marks *marks,
                 const azure_class *c, const karp_instance_type **types, size_t *count);

/* amounts.c: capacity and what is taken from it. `maker` is 0, or what azure_gpu_find() told with AZURE_GPU_KNOWN. */
enum { AZURE_GPU_KNOWN = 8 };
void azure_amounts(scratch *s, cloud_shared *shared, const azure_size *size, uint32_t gpu,
                   const azure_settings *settings, const azure_class *c, karp_instance_type *out);
/* Milli-CPUs and MiB that AKS keeps for the kubelet. */
int64_t azure_reserved_cpu(int64_t vcpus);
int64_t azure_reserved_memory(double gib);
/* Bytes of memory of a VM, less what the hypervisor takes. */
int64_t azure_memory(double gib, double overhead);

/* labels.c */
void azure_label_tables(karp_provider_labels *into);
/* The labels that follow from size, class and settings alone. */
void azure_size_labels(cloud_labels *l, const azure_size *size, const azure_name *name, uint32_t gpu, karp_str region,
                       const azure_settings *settings, const azure_class *c);

#endif
