/* SPDX-License-Identifier: Apache-2.0 */
/* EC2's DescribeInstanceTypes. */
#include <providers/aws/facts_read.h>

#include <base/sort.h>
#include <math.h>

static bool has_word(const tree *list, const char *word)
{
    for (size_t i = 0; i < items_of(list); i++) {
        if (is_text(tree_item(list, i), word)) return true;
    }
    return false;
}

static const tree *words_at(decoder *d, const tree *object, const char *name)
{
    const tree *list;
    size_t count = decode_list(d, object, name, &list);
    for (size_t i = 0; i < count; i++) {
        if (!is_string(tree_item(list, i))) decode_bad(d, name, "must be a list of strings");
    }
    return list;
}

/* A required member of an object. */
static const tree *part(decoder *d, const tree *type, const char *name)
{
    const tree *found = decode_object(d, type, name);
    if (!found) decode_bad(d, name, "is missing");
    return found;
}

/* ---- processor --------------------------------------------------------------------------------------------------- */

/* The first architecture that Karpenter supports decides; false = none. */
static bool read_processor(decoder *d, const tree *type, aws_type *out)
{
    const tree *processor = part(d, type, "ProcessorInfo");
    const tree *names = words_at(d, processor, "SupportedArchitectures");
    bool found = false;
    for (size_t i = 0; i < items_of(names) && !found; i++) {
        bool arm = is_text(tree_item(names, i), "arm64");
        found = arm || is_text(tree_item(names, i), "x86_64");
        if (arm) out->flags |= EC2_ARM64;
    }
    out->cpu_maker = decode_text(d, processor, "Manufacturer");
    const tree *clock = decode_member(processor, "SustainedClockSpeedInGhz");
    double ghz = 0;
    if (clock && !(tree_double(clock, &ghz) && ghz >= 0 && ghz < 1000))
        decode_bad(d, "ProcessorInfo.SustainedClockSpeedInGhz", "must be a clock in GHz");
    else out->clock_mhz = (int64_t)floor(ghz * 1000 + 0.5);
    if (has_word(words_at(d, processor, "SupportedFeatures"), "nested-virtualization"))
        out->flags |= EC2_NESTED_VIRTUALIZATION;
    return found;
}

/* A limit that keeps products within 64 bits. */
enum { INTERFACES_MOST = 65535 };

static void read_network(decoder *d, const tree *type, aws_type *out)
{
    const tree *network = part(d, type, "NetworkInfo"), *cards;
    size_t count = decode_list(d, network, "NetworkCards", &cards);
    int64_t usual = decode_count(d, network, "DefaultNetworkCardIndex");
    out->enis = decode_some(d, network, "MaximumNetworkInterfaces");
    out->network_cards = count ? (int64_t)count : 1;
    for (size_t i = 0; i < count; i++) {
        const tree *card = tree_item(cards, i);
        int64_t most = decode_count(d, card, "MaximumNetworkInterfaces"),
                index = decode_count(d, card, "NetworkCardIndex");
        if (index == usual) out->enis = most;
        if (index >= AWS_CARDS_MOST || most > INTERFACES_MOST) {
            decode_bad(d, "NetworkInfo.NetworkCards", "have more cards or interfaces than are possible");
            return;
        }
        out->card_enis[index] = (uint16_t)most;
        out->cards_told = true;
    }
    out->ipv4_per_eni = decode_some(d, network, "Ipv4AddressesPerInterface");
    if (out->enis > INTERFACES_MOST || out->ipv4_per_eni > INTERFACES_MOST)
        decode_bad(d, "NetworkInfo", "has more interfaces or addresses than are possible");
    out->efas = decode_count(d, decode_object(d, network, "EfaInfo"), "MaximumEfaInterfaces");
    if (str_is(decode_text(d, network, "EnaSupport"), "unsupported")) out->flags |= EC2_NO_ENA;
    if (decode_flag(d, network, "EncryptionInTransitSupported")) out->flags |= EC2_ENCRYPTION;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static void add_device(decoder *d, aws_type *out, aws_device device)
{
    if (device.count <= 0) decode_bad(d, "Count", "must be a whole number of at least 1");
    else if (out->device_count == AWS_DEVICES_MOST) decode_bad(d, "", "more kinds of devices than a type can have");
    else out->devices[out->device_count++] = device;
}

static void read_devices(decoder *d, const tree *type, aws_type *out)
{
    static const struct {
        const char *object, *list;
        uint32_t kind;
    } places[] = { { "GpuInfo", "Gpus", EC2_GPU },
                   { "InferenceAcceleratorInfo", "Accelerators", EC2_INFERENCE },
                   { "NeuronInfo", "NeuronDevices", EC2_NEURON } };
    static const karp_str aws = TEXT("AWS");
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        const tree *list;
        size_t count = decode_list(d, decode_object(d, type, places[p].object), places[p].list, &list);
        for (size_t i = 0; i < count && !d->status; i++) {
            const tree *one = tree_item(list, i);
            aws_device device = { .kind = places[p].kind,
                                  .name = decode_text(d, one, "Name"),
                                  .count = decode_count(d, one, "Count") };
            device.maker = places[p].kind == EC2_NEURON ? aws : decode_text(d, one, "Manufacturer");
            device.memory_mib = device.kind == EC2_GPU
                                    ? decode_count(d, decode_object(d, one, "MemoryInfo"), "SizeInMiB")
                                    : 0;
            device.cores = device.kind == EC2_NEURON ? decode_count(d, decode_object(d, one, "CoreInfo"), "Count") : 0;
            add_device(d, out, device);
        }
    }
}

/* ---- other members ----------------------------------------------------------------------------------------------- */

static void read_disks(decoder *d, const tree *type, aws_type *out)
{
    const tree *ebs = decode_object(d, type, "EbsInfo"), *storage = decode_object(d, type, "InstanceStorageInfo");
    const tree *optimized = decode_object(d, ebs, "EbsOptimizedInfo");
    bool usual = str_is(decode_text(d, ebs, "EbsOptimizedSupport"), "default");
    if (usual && optimized) out->ebs_mbps = decode_count(d, optimized, "MaximumBandwidthInMbps");
    if (storage && decode_member(storage, "TotalSizeInGB")) out->local_gb = decode_count(d, storage, "TotalSizeInGB");
    if (storage && !str_is(decode_text(d, storage, "NvmeSupport"), "unsupported")) out->flags |= EC2_NVME;
}

static void read_flags(decoder *d, const tree *type, aws_type *out)
{
    const tree *classes = words_at(d, type, "SupportedUsageClasses");
    const tree *groups = words_at(d, decode_object(d, type, "PlacementGroupInfo"), "SupportedStrategies");
    if (has_word(classes, "on-demand")) out->flags |= EC2_ON_DEMAND;
    if (has_word(classes, "spot")) out->flags |= EC2_SPOT;
    if (has_word(classes, "capacity-block")) out->flags |= EC2_CAPACITY_BLOCK;
    if (has_word(groups, "cluster")) out->flags |= EC2_CLUSTER_PLACEMENT;
    if (groups && !has_word(groups, "partition")) out->flags |= EC2_NO_PARTITION_PLACEMENT;
    if (groups && !has_word(groups, "spread")) out->flags |= EC2_NO_SPREAD_PLACEMENT;
    if (decode_flag(d, type, "BareMetal")) out->flags |= EC2_BARE_METAL;
    if (str_is(decode_text(d, type, "NitroEnclavesSupport"), "supported")) out->flags |= EC2_NITRO_ENCLAVES;
}

/* false = Karpenter ignores such types. */
static bool read_type(decoder *d, const tree *type, aws_type *out)
{
    memset(out, 0, sizeof *out);
    out->limits_ipv4 = out->network_mbps = out->ebs_mbps = out->local_gb = AWS_UNKNOWN;
    out->on_demand = AWS_UNKNOWN;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) out->spot[i] = AWS_UNKNOWN;
    out->name = decode_text(d, type, "InstanceType");
    if (out->name.len == 0) decode_bad(d, "InstanceType", "is missing");
    out->hypervisor = decode_text(d, type, "Hypervisor");
    out->vcpus = decode_some(d, part(d, type, "VCpuInfo"), "DefaultVCpus");
    out->memory_mib = decode_some(d, part(d, type, "MemoryInfo"), "SizeInMiB");
    bool mapped = read_processor(d, type, out);
    read_network(d, type, out);
    read_devices(d, type, out);
    read_disks(d, type, out);
    read_flags(d, type, out);
    const tree *virtualization = words_at(d, type, "SupportedVirtualizationTypes");
    return mapped && (!virtualization || has_word(virtualization, "hvm"));
}

/* Keeps what a description lacks: offers, prices, and network limits. */
static void take_over(const aws_facts *from, aws_type *type)
{
    const aws_type *known = aws_facts_find(from, type->name);
    if (!known) {
        aws_facts_add_limits(type);
        return;
    }
    type->flags |= known->flags & EC2_TRUNKING;
    type->branch_enis = known->branch_enis;
    type->limits_ipv4 = known->limits_ipv4;
    type->network_mbps = known->network_mbps;
    type->seen = known->seen;
    type->zones = known->zones;
    type->on_demand = known->on_demand;
    type->own_prices = known->own_prices;
    memcpy(type->on_demand_in, known->on_demand_in, sizeof type->on_demand_in);
    memcpy(type->spot, known->spot, sizeof type->spot);
}

void aws_read_types(aws_facts *into, decoder *d, const tree *root)
{
    const tree *list;
    size_t count = decode_list(d, root, "InstanceTypes", &list), n = 0;
    if (count == 0) decode_bad(d, "InstanceTypes", "must list some");
    aws_type *types = scratch_array(d->s, count, sizeof *types);
    for (size_t i = 0; types && i < count && !d->status; i++) {
        decode_at_element(d, "InstanceTypes", i);
        if (!is_map(tree_item(list, i))) decode_bad(d, "", "must be an object");
        else if (read_type(d, tree_item(list, i), &types[n])) take_over(into, &types[n++]);
    }
    if (!types || d->status || d->s->failed) return;
    into->types = types;
    into->count = n;
    if (!sort_stable(into->s.context, types, n, sizeof *types, by_text, NULL)) into->s.failed = true;
    for (size_t i = 1; i < n; i++) {
        if (!equal_str(types[i - 1].name, types[i].name)) continue;
        decode_at(d, "InstanceTypes");
        decode_bad(d, "", "list a type twice");
    }
}
