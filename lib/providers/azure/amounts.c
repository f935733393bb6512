/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/types.h>

#include <math.h>

static const karp_str name_cpu = TEXT("cpu"), name_memory = TEXT("memory"), name_pods = TEXT("pods"),
                      name_storage = TEXT("ephemeral-storage"), name_nvidia = TEXT("nvidia.com/gpu"),
                      name_amd = TEXT("amd.com/gpu");

/* A bracket of a graduated rate: each part of the amount has its own rate. */
typedef struct bracket {
    double upto, rate;
} bracket;

static double tax(const bracket *brackets, size_t count, double amount)
{
    double sum = 0, from = 0;
    for (size_t i = 0; i < count && amount > from; i++) {
        double to = i + 1 == count || amount < brackets[i].upto ? amount : brackets[i].upto;
        sum += (to - from) * brackets[i].rate;
        from = to;
    }
    return sum;
}

int64_t azure_reserved_cpu(int64_t vcpus)
{
    static const bracket cores[] = { { 1, 0.06 }, { 2, 0.04 }, { 4, 0.02 }, { 0, 0.01 } };
    return (int64_t)(1000 * tax(cores, 4, (double)vcpus));
}

int64_t azure_reserved_memory(double gib)
{
    static const bracket memory[] = { { 4, 0.25 }, { 8, 0.20 }, { 16, 0.10 }, { 128, 0.06 }, { 0, 0.02 } };
    return (int64_t)(1024 * tax(memory, 5, gib));
}

int64_t azure_memory(double gib, double overhead)
{
    int64_t full = (int64_t)gib << 30; /* the fraction is dropped */
    return full - (int64_t)ceil((double)full * overhead);
}

void azure_amounts(scratch *s, cloud_shared *shared, const azure_size *size, uint32_t gpu,
                   const azure_settings *settings, const azure_class *c, karp_instance_type *out)
{
    cloud_amounts capacity, kube, system, eviction;
    if (!cloud_amounts_begin(&capacity, s, shared, 6) || !cloud_amounts_begin(&kube, s, shared, 2) ||
        !cloud_amounts_begin(&system, s, shared, 2) || !cloud_amounts_begin(&eviction, s, shared, 1))
        return;
    bool amd = gpu & AZURE_GPU_AMD, nvidia = gpu && !amd;
    cloud_amount(&capacity, name_cpu, size->vcpus, "");
    cloud_amount(&capacity, name_memory, azure_memory(size->memory_gib, settings->vm_memory_overhead), "");
    cloud_amount(&capacity, name_pods, c->max_pods > 0 ? c->max_pods : settings->max_pods, "");
    cloud_amount(&capacity, name_storage, c->disk_gb, "G");
    cloud_amount(&capacity, name_nvidia, nvidia ? size->gpus : 0, "");
    cloud_amount(&capacity, name_amd, amd ? size->gpus : 0, "");
    cloud_amount(&kube, name_cpu, azure_reserved_cpu(size->vcpus), "m");
    cloud_amount(&kube, name_memory, azure_reserved_memory(size->memory_gib), "Mi");
    cloud_amount(&system, name_cpu, 0, "");
    cloud_amount(&system, name_memory, 0, "");
    cloud_amount(&eviction, name_memory, 750, "Mi");
    out->capacity = capacity.list;
    out->capacity_count = capacity.count;
    out->overhead = (karp_overhead){ kube.list, kube.count, system.list, system.count, eviction.list, eviction.count };
}
