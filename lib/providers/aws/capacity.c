/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/capacity.h>

#include <math.h>

#include <karp/values.h>
#include <base/str.h>

static const int64_t mebi = INT64_C(1) << 20;
static const int64_t gibi = INT64_C(1) << 30;

static const karp_str cpu = TEXT("cpu"), memory = TEXT("memory"), storage = TEXT("ephemeral-storage"),
                      pods = TEXT("pods");

/* The differences between the AMI families. */
typedef struct family_traits {
    bool reserves_by_enis; /* reserved memory depends on the ENIs, regardless of the number of pods */
    bool pods_per_core; /* podsPerCore of the kubelet is respected */
    bool pods_limited_by_enis;
    bool windows;
    const char *storage_device;
} family_traits;

static family_traits traits_of(aws_family family)
{
    switch (family) {
    case AWS_BOTTLEROCKET: return (family_traits){ false, false, true, false, "/dev/xvdb" };
    case AWS_WINDOWS2019:
    case AWS_WINDOWS2022:
    case AWS_WINDOWS2025: return (family_traits){ false, true, false, true, "/dev/sda1" };
    case AWS_CUSTOM:
    case AWS_AL2:
    case AWS_AL2023: break;
    }
    return (family_traits){ true, true, true, false, "/dev/xvda" };
}

bool aws_is_windows(aws_family family) { return traits_of(family).windows; }

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static int64_t efa_only_interfaces(const aws_node_class *c, bool first_card)
{
    int64_t count = 0;
    for (size_t i = 0; i < c->interface_count; i++) {
        if (c->interfaces[i].efa_only && (!first_card || c->interfaces[i].card == 0)) count++;
    }
    return count;
}

/* Every address of every interface except its first, and two pods on the host network. */
static int64_t pods_by_enis(const aws_type *t, const aws_node_class *c, int64_t reserved)
{
    int64_t usable = t->enis - efa_only_interfaces(c, true);
    usable = usable > reserved ? usable - reserved : 0;
    return usable == 0 ? 0 : usable * (t->ipv4_per_eni - 1) + 2;
}

static int64_t pod_count(const aws_type *t, const aws_node_class *c, const aws_options *o)
{
    family_traits family = traits_of(c->family);
    int64_t count = 110;
    if (c->has_max_pods) count = c->max_pods;
    else if (family.pods_limited_by_enis) count = pods_by_enis(t, c, o->reserved_enis);
    if (c->pods_per_core > 0 && family.pods_per_core && c->pods_per_core * t->vcpus < count)
        count = c->pods_per_core * t->vcpus;
    return count;
}

/* ---- memory and storage ------------------------------------------------------------------------------------------ */

/* The order of the operations is the provider's: it affects the last bit, and therefore the rounding up. */
static int64_t memory_bytes(const aws_type *t, const aws_node_class *c, const aws_options *o)
{
    int64_t seen = aws_seen_least(t->seen, c);
    if (seen != AWS_UNKNOWN) return seen;
    int64_t mib = t->memory_mib - (t->flags & EC2_ARM64 ? 64 : 0); /* Graviton's kernel reserves 64 MiB */
    double taken = (double)(mib * mebi) * o->vm_memory_overhead / 1024 / 1024;
    mib -= (int64_t)ceil(taken);
    return mib > 0 ? mib * mebi : 0;
}

/* A number of bytes, as text and as a value. */
typedef struct bytes {
    karp_str text;
    double value;
} bytes;

static bytes bytes_of_text(karp_str text)
{
    bytes b = { text, 0 };
    if (karp_quantity_double(text, &b.value) != KARP_OK) b.value = 0;
    return b;
}

static karp_str byte_text(scratch *s, uint64_t count)
{
    uint64_t unit = (uint64_t)mebi;
    return count % unit == 0 ? scratch_uint_unit(s, count / unit, "Mi") : scratch_uint(s, count);
}

/* Formats a double that is whole and not negative; values beyond 2^63 are capped, as no disk is so large. */
static karp_str whole_text(scratch *s, double value)
{
    return byte_text(s, value < 9e18 ? (uint64_t)value : UINT64_C(9000000000000000000));
}

static const aws_block_device *find_device(const aws_node_class *c, const family_traits *family)
{
    for (size_t i = 0; i < c->block_device_count; i++) {
        if (!c->block_devices[i].root) continue;
        if (c->block_devices[i].size.len) return &c->block_devices[i];
        break; /* the first flagged device decides */
    }
    if (c->family == AWS_CUSTOM) return c->block_device_count ? &c->block_devices[c->block_device_count - 1] : NULL;
    for (size_t i = 0; i < c->block_device_count; i++) {
        if (str_is(c->block_devices[i].device, family->storage_device)) return &c->block_devices[i];
    }
    return NULL;
}

static bytes ephemeral_storage(scratch *s, const aws_type *t, const aws_node_class *c)
{
    static const karp_str linux_size = TEXT("20Gi"), windows_size = TEXT("50Gi");
    if (c->raid0 && t->local_gb != AWS_UNKNOWN) {
        return (bytes){ scratch_uint_unit(s, (uint64_t)t->local_gb, "G"), (double)t->local_gb * 1e9 };
    }
    family_traits family = traits_of(c->family);
    const aws_block_device *device = find_device(c, &family);
    if (device && device->size.len) return bytes_of_text(device->size);
    if (family.windows) return (bytes){ windows_size, (double)(50 * gibi) };
    return (bytes){ linux_size, (double)(20 * gibi) };
}

/* ---- overhead ---------------------------------------------------------------------------------------------------- */

static int64_t reserved_cpu_milli(int64_t vcpus)
{
    static const struct {
        int64_t from, to;
        double part;
    } ranges[] = { { 0, 1000, 0.06 }, { 1000, 2000, 0.01 }, { 2000, 4000, 0.005 }, { 4000, INT64_C(1) << 31, 0.0025 } };
    int64_t milli = vcpus * 1000, sum = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (milli < ranges[i].from) break;
        int64_t part = (milli < ranges[i].to ? milli : ranges[i].to) - ranges[i].from;
        sum += (int64_t)((double)part * ranges[i].part);
    }
    return sum;
}

/* Parses a text that ends with %. */
static bool percentage(karp_str text, double *out)
{
    return karp_double_parse((karp_str){ text.ptr, text.len - 1 }, out) == KARP_OK && isfinite(*out) && *out >= 0 &&
           *out <= 100;
}

static bool is_percentage(karp_str text) { return text.len && text.ptr[text.len - 1] == '%'; }

bool aws_threshold_valid(karp_str text)
{
    double amount = 0;
    if (is_percentage(text)) return percentage(text, &amount);
    return karp_quantity_double(text, &amount) == KARP_OK && amount >= 0;
}

/* A threshold as a percentage of the capacity, or as an amount. 100 % switches it off. */
static karp_str threshold(scratch *s, karp_str text, double capacity)
{
    if (!is_percentage(text)) return text;
    double p = 0;
    if (!percentage(text, &p) || p == 100) p = 0;
    return whole_text(s, ceil(capacity / 100 * p));
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void add_text(karp_resource *list, size_t *count, karp_str name, karp_str text)
{
    list[(*count)++] = (karp_resource){ .name = name, .text = text };
}

static void add_value(karp_resource *list, size_t *count, karp_str name, int64_t value, int32_t scale)
{
    list[(*count)++] = (karp_resource){ .name = name, .value = value, .scale = scale };
}

/* Omits resources that the type lacks. */
static void add_some(karp_resource *list, size_t *count, karp_str name, int64_t value)
{
    if (value > 0) add_value(list, count, name, value, 0);
}

static int64_t gpus_of(const aws_type *t, const char *maker)
{
    int64_t sum = 0;
    for (size_t i = 0; i < t->device_count; i++) {
        if (t->devices[i].kind == EC2_GPU && str_is(t->devices[i].maker, maker)) sum += t->devices[i].count;
    }
    return sum;
}

static void add_devices(const aws_type *t, karp_resource *list, size_t *count)
{
    static const karp_str nvidia = TEXT("nvidia.com/gpu"), amd = TEXT("amd.com/gpu"), gaudi = TEXT("habana.ai/gaudi");
    static const karp_str neuron = TEXT("aws.amazon.com/neuron"), neuron_core = TEXT("aws.amazon.com/neuroncore");
    int64_t devices = 0, cores = 0;
    for (size_t i = 0; i < t->device_count; i++) {
        const aws_device *d = &t->devices[i];
        if (d->kind != EC2_NEURON) continue;
        if (devices == 0) cores = d->count * d->cores; /* of the first kind only */
        devices += d->count;
    }
    add_some(list, count, nvidia, gpus_of(t, "NVIDIA"));
    add_some(list, count, amd, gpus_of(t, "AMD"));
    add_some(list, count, gaudi, gpus_of(t, "Habana"));
    add_some(list, count, neuron, devices);
    add_some(list, count, neuron_core, cores);
}

/* Replaces computed amounts by those of the node class, entry by entry. */
static void override(karp_resource *list, size_t *count, const karp_resource *stated, size_t stated_count)
{
    for (size_t i = 0; i < stated_count; i++) {
        size_t at = 0;
        while (at < *count && !equal_str(list[at].name, stated[i].name)) at++;
        list[at] = stated[i];
        if (at == *count) ++*count;
    }
}

static void fill_kube_reserved(scratch *s, const aws_type *t, const aws_node_class *c, const aws_options *o,
                               aws_shared *shared, karp_overhead *out)
{
    static const karp_str one_gibi = TEXT("1Gi");
    int64_t counted = traits_of(c->family).reserves_by_enis ? pods_by_enis(t, c, 0) : pod_count(t, c, o);
    size_t slot = aws_shared_slot((uint64_t)t->vcpus << 20 ^ (uint64_t)counted, AWS_SHARED);
    if (!shared->kube_reserved[slot].list || shared->kube_reserved[slot].vcpus != t->vcpus ||
        shared->kube_reserved[slot].pods != counted) {
        karp_resource *list = scratch_array(s, 3 + c->kube_reserved_count, sizeof *list);
        size_t count = 0;
        if (!list) return;
        add_value(list, &count, cpu, reserved_cpu_milli(t->vcpus), -3);
        add_text(list, &count, memory, scratch_uint_unit(s, (uint64_t)(11 * counted + 255), "Mi"));
        add_text(list, &count, storage, one_gibi);
        override(list, &count, c->kube_reserved, c->kube_reserved_count);
        shared->kube_reserved[slot].list = list;
        shared->kube_reserved[slot].count = count;
        shared->kube_reserved[slot].vcpus = t->vcpus;
        shared->kube_reserved[slot].pods = counted;
    }
    out->kube_reserved = shared->kube_reserved[slot].list;
    out->kube_reserved_count = shared->kube_reserved[slot].count;
}

enum { EVICTIONS = 2 };

static void fill_eviction(scratch *s, const aws_node_class *c, int64_t bytes_of_memory, double storage_bytes,
                          aws_shared *shared, karp_overhead *out)
{
    static const karp_str hundred_mebi = TEXT("100Mi");
    int64_t of_memory = is_percentage(c->evict_memory) ? bytes_of_memory : 0;
    uint64_t bits;
    memcpy(&bits, &storage_bytes, sizeof bits);
    size_t slot = aws_shared_slot(bits ^ (uint64_t)of_memory, AWS_SHARED_EVICTIONS);
    const karp_resource *met = shared->evictions[slot].list;
    if (!met || shared->evictions[slot].memory != of_memory || shared->evictions[slot].storage != bits) {
        karp_resource *list = scratch_array(s, EVICTIONS, sizeof *list);
        size_t count = 0;
        if (!list) return;
        add_text(list, &count, memory,
                 c->evict_memory.len ? threshold(s, c->evict_memory, (double)bytes_of_memory) : hundred_mebi);
        add_text(list, &count, storage,
                 c->evict_nodefs.len ? threshold(s, c->evict_nodefs, storage_bytes)
                                     : whole_text(s, ceil(ceil(storage_bytes) / 100 * 10)));
        shared->evictions[slot].list = list;
        shared->evictions[slot].memory = of_memory;
        shared->evictions[slot].storage = bits;
    }
    out->eviction_threshold = shared->evictions[slot].list;
    out->eviction_threshold_count = EVICTIONS;
}

void aws_resources(scratch *s, const aws_type *t, const aws_node_class *c, const aws_options *o, aws_shared *shared,
                   karp_instance_type *out)
{
    static const karp_str pod_eni = TEXT("vpc.amazonaws.com/pod-eni"), efa = TEXT("vpc.amazonaws.com/efa");
    static const karp_str private_ipv4 = TEXT("vpc.amazonaws.com/PrivateIPv4Address");
    enum { ROOM = 12 };
    karp_resource list[ROOM];
    int64_t bytes_of_memory = memory_bytes(t, c, o);
    bytes disk = ephemeral_storage(s, t, c);
    size_t count = 0;
    add_value(list, &count, cpu, t->vcpus, 0);
    add_text(list, &count, memory, byte_text(s, (uint64_t)bytes_of_memory));
    add_text(list, &count, storage, disk.text);
    int64_t places = pod_count(t, c, o), addresses = pods_by_enis(t, c, o->reserved_enis);
    add_value(list, &count, pods, places, 0);
    out->pod_addresses = !aws_is_windows(c->family) && places > addresses ? (uint32_t)addresses : 0;
    if (t->flags & EC2_TRUNKING) add_some(list, &count, pod_eni, t->branch_enis);
    add_devices(t, list, &count);
    add_some(list, &count, efa, c->has_interfaces ? efa_only_interfaces(c, false) : t->efas);
    if (aws_is_windows(c->family) && !(t->flags & EC2_ARM64)) add_some(list, &count, private_ipv4, t->limits_ipv4 - 1);
    karp_resource *copy = scratch_alloc(s, count * sizeof *copy);
    if (!copy) return;
    memcpy(copy, list, count * sizeof *copy);
    out->capacity = copy;
    out->capacity_count = count;
    out->overhead.system_reserved = c->system_reserved;
    out->overhead.system_reserved_count = c->system_reserved_count;
    fill_kube_reserved(s, t, c, o, shared, &out->overhead);
    fill_eviction(s, c, bytes_of_memory, disk.value, shared, &out->overhead);
}
