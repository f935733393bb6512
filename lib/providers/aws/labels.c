/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/plugin.h>

#include <base/labels.h>
#include <base/str.h>

const karp_str aws_key_zone = TEXT(LABEL_ZONE);
const karp_str aws_key_zone_id = TEXT("topology.k8s.aws/zone-id");
const karp_str aws_key_capacity_type = TEXT(LABEL_CAPACITY_TYPE);
const karp_str aws_key_reservation_id = TEXT(AWS_GROUP "capacity-reservation-id");
const karp_str aws_key_reservation_type = TEXT(AWS_GROUP "capacity-reservation-type");
const karp_str aws_key_reservation_interruptible = TEXT(AWS_GROUP "capacity-reservation-interruptible");
const karp_str aws_key_partition = TEXT(AWS_GROUP "placement-group-partition");

static const karp_str key_type = TEXT(LABEL_TYPE);
static const karp_str key_arch = TEXT(LABEL_ARCH);
static const karp_str key_os = TEXT(LABEL_OS);
static const karp_str key_build = TEXT("node.kubernetes.io/windows-build");
static const karp_str key_region = TEXT(LABEL_REGION);
static const karp_str key_cpu = TEXT(AWS_GROUP "instance-cpu");
static const karp_str key_memory = TEXT(AWS_GROUP "instance-memory");
static const karp_str key_maker = TEXT(AWS_GROUP "instance-cpu-manufacturer");
static const karp_str key_clock = TEXT(AWS_GROUP "instance-cpu-sustained-clock-speed-mhz");
static const karp_str key_ebs = TEXT(AWS_GROUP "instance-ebs-bandwidth");
static const karp_str key_network = TEXT(AWS_GROUP "instance-network-bandwidth");
static const karp_str key_category = TEXT(AWS_GROUP "instance-category");
static const karp_str key_generation = TEXT(AWS_GROUP "instance-generation");
static const karp_str key_family = TEXT(AWS_GROUP "instance-family");
static const karp_str key_size = TEXT(AWS_GROUP "instance-size");
static const karp_str key_flex = TEXT(AWS_GROUP "instance-capability-flex");
static const karp_str key_nvme = TEXT(AWS_GROUP "instance-local-nvme");
static const karp_str key_gpu_name = TEXT(AWS_GROUP "instance-gpu-name");
static const karp_str key_gpu_maker = TEXT(AWS_GROUP "instance-gpu-manufacturer");
static const karp_str key_gpu_count = TEXT(AWS_GROUP "instance-gpu-count");
static const karp_str key_gpu_memory = TEXT(AWS_GROUP "instance-gpu-memory");
static const karp_str key_accelerator_name = TEXT(AWS_GROUP "instance-accelerator-name");
static const karp_str key_accelerator_maker = TEXT(AWS_GROUP "instance-accelerator-manufacturer");
static const karp_str key_accelerator_count = TEXT(AWS_GROUP "instance-accelerator-count");
static const karp_str key_hypervisor = TEXT(AWS_GROUP "instance-hypervisor");
static const karp_str key_encryption = TEXT(AWS_GROUP "instance-encryption-in-transit-supported");
static const karp_str key_tenancy = TEXT(AWS_GROUP "instance-tenancy");
static const karp_str key_group = TEXT(AWS_GROUP "placement-group-id");

static const karp_str word_true = TEXT("true"), word_false = TEXT("false");

/* The list under construction. */
typedef struct labels {
    scratch *s;
    aws_shared *shared;
    karp_requirement *list;
    size_t count;
} labels;

enum { LABELS_MOST = 36 };

static void add_list(labels *l, karp_str key, const karp_str *values, size_t count)
{
    if (l->count == LABELS_MOST) return;
    l->list[l->count++] = (karp_requirement){ .key = key, .op = KARP_OP_IN, .values = values, .value_count = count };
}

static const karp_str *one_of(labels *l, karp_str value)
{
    karp_str *one = scratch_alloc(l->s, sizeof *one);
    if (one) *one = value;
    return one;
}

static size_t slot_of(karp_str text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.len; i++) hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash % AWS_SHARED);
}

/* Adds a value that lives as long as the scratch. */
static void add(labels *l, karp_str key, karp_str value)
{
    const karp_str **met = &l->shared->texts[slot_of(value)];
    if (!*met || !equal_str(**met, value)) *met = one_of(l, value);
    if (*met) add_list(l, key, *met, 1);
}

/* Adds a part of another text, which is copied once. */
static void add_piece(labels *l, karp_str key, karp_str piece)
{
    const karp_str **met = &l->shared->texts[slot_of(piece)];
    if (!*met || !equal_str(**met, piece)) *met = one_of(l, scratch_text(l->s, piece));
    if (*met) add_list(l, key, *met, 1);
}

static void add_none(labels *l, karp_str key)
{
    if (l->count == LABELS_MOST) return;
    l->list[l->count++] = (karp_requirement){ .key = key, .op = KARP_OP_DOES_NOT_EXIST };
}

static void add_number(labels *l, karp_str key, int64_t value)
{
    if (value == AWS_UNKNOWN) {
        add_none(l, key);
        return;
    }
    size_t slot = aws_shared_slot((uint64_t)value, AWS_SHARED);
    if (!l->shared->numbers[slot].list || l->shared->numbers[slot].number != value) {
        l->shared->numbers[slot].number = value;
        l->shared->numbers[slot].list = one_of(l, scratch_uint(l->s, (uint64_t)value));
    }
    if (l->shared->numbers[slot].list) add_list(l, key, l->shared->numbers[slot].list, 1);
}

static void add_flag(labels *l, karp_str key, bool value) { add(l, key, value ? word_true : word_false); }

/* Converts to lower case, with dashes for spaces. */
static void add_kebab(labels *l, karp_str key, karp_str value)
{
    char some[64];
    char *text = value.len <= sizeof some ? some : scratch_alloc(l->s, value.len);
    for (size_t i = 0; text && i < value.len; i++) text[i] = value.ptr[i] == ' ' ? '-' : ascii_lower(value.ptr[i]);
    if (text) add_piece(l, key, (karp_str){ text, value.len });
}

/* ---- labels from the name ---------------------------------------------------------------------------------------- */

static size_t skip(karp_str text, size_t from, char low, char high)
{
    while (from < text.len && text.ptr[from] >= low && text.ptr[from] <= high) from++;
    return from;
}

/* The end of "-12tb", or `from` without it. */
static size_t skip_terabytes(karp_str text, size_t from)
{
    if (from == text.len || text.ptr[from] != '-') return from;
    size_t end = skip(text, from + 1, '0', '9');
    if (end == from + 1 || text.len - end < 2 || memcmp(text.ptr + end, "tb", 2) != 0) return from;
    return end + 2;
}

/* The letters are the category, the number after them is the generation; u-6tb1 has its memory between the two. */
static bool category_and_generation(karp_str name, karp_str *category, karp_str *generation)
{
    size_t letters = skip(name, 0, 'a', 'z');
    size_t from = skip_terabytes(name, letters);
    size_t to = skip(name, from, '0', '9');
    if (letters == 0 || to == from || !memchr(name.ptr + to, '.', name.len - to)) return false;
    *category = (karp_str){ name.ptr, letters };
    *generation = (karp_str){ name.ptr + from, to - from };
    return true;
}

static void add_name_parts(labels *l, karp_str name)
{
    karp_str category, generation;
    if (category_and_generation(name, &category, &generation)) {
        add_piece(l, key_category, category);
        add_piece(l, key_generation, generation);
    } else {
        add_none(l, key_category);
        add_none(l, key_generation);
    }
    const char *dot = memchr(name.ptr, '.', name.len);
    karp_str family = { name.ptr, dot ? (size_t)(dot - name.ptr) : name.len };
    karp_str size = { name.ptr + family.len, 0 };
    if (dot) size = (karp_str){ dot + 1, name.len - family.len - 1 };
    if (dot && !memchr(size.ptr, '.', size.len)) {
        add_piece(l, key_family, family);
        add_piece(l, key_size, size);
    } else {
        add_none(l, key_family);
        add_none(l, key_size);
    }
    add_flag(l, key_flex, str_contains(family, str("-flex")));
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* The only device entry of this kind, or NULL; `count` = the number of these entries. */
static const aws_device *only_device(const aws_type *t, uint32_t kind, size_t *count)
{
    const aws_device *found = NULL;
    *count = 0;
    for (size_t i = 0; i < t->device_count; i++) {
        if (t->devices[i].kind != kind) continue;
        found = &t->devices[i];
        ++*count;
    }
    return *count == 1 ? found : NULL;
}

static void add_devices(labels *l, const aws_type *t)
{
    static const karp_str aws = TEXT("aws");
    size_t gpus, inferences, neurons;
    const aws_device *gpu = only_device(t, EC2_GPU, &gpus);
    const aws_device *inference = only_device(t, EC2_INFERENCE, &inferences);
    const aws_device *neuron = only_device(t, EC2_NEURON, &neurons);
    const aws_device *accelerator = neuron ? neuron : neurons == 0 ? inference : NULL;
    if (gpu) {
        add_kebab(l, key_gpu_name, gpu->name);
        add_kebab(l, key_gpu_maker, gpu->maker);
        add_number(l, key_gpu_count, gpu->count);
        add_number(l, key_gpu_memory, gpu->memory_mib);
    } else {
        add_none(l, key_gpu_name);
        add_none(l, key_gpu_maker);
        add_none(l, key_gpu_count);
        add_none(l, key_gpu_memory);
    }
    if (accelerator) {
        add_kebab(l, key_accelerator_name, accelerator->name);
        add_kebab(l, key_accelerator_maker, neuron ? aws : accelerator->maker);
        add_number(l, key_accelerator_count, accelerator->count);
    } else {
        add_none(l, key_accelerator_name);
        add_none(l, key_accelerator_maker);
        add_none(l, key_accelerator_count);
    }
}

/* ---- zones, capacity types, reservations ------------------------------------------------------------------------- */

static void make_zones(labels *l, uint32_t zones, const aws_place *place, size_t slot)
{
    karp_str *names = scratch_alloc(l->s, AWS_ZONES_MOST * sizeof *names);
    karp_str *ids = scratch_alloc(l->s, AWS_ZONES_MOST * sizeof *ids);
    size_t count = 0, id_count = 0;
    if (!names || !ids) return;
    for (size_t i = 0; i < AWS_ZONES_MOST; i++) {
        if (!(zones >> i & 1)) continue;
        names[count++] = place->zones[i].name;
        if (place->zones[i].id.len) ids[id_count++] = place->zones[i].id;
    }
    l->shared->zone_lists[slot] = names;
    l->shared->id_lists[slot] = ids;
    l->shared->zone_bits[slot] = zones;
    l->shared->zone_count[slot] = count;
    l->shared->id_count[slot] = id_count;
}

static void add_zones(labels *l, const aws_type *t, const aws_place *place)
{
    uint32_t zones = t->zones & place->zones_in_class;
    size_t slot = zones % AWS_SHARED;
    if (!l->shared->zone_lists[slot] || l->shared->zone_bits[slot] != zones) make_zones(l, zones, place, slot);
    if (l->s->failed) return;
    add_list(l, aws_key_zone, l->shared->zone_lists[slot], l->shared->zone_count[slot]);
    if (l->shared->id_count[slot]) add_list(l, aws_key_zone_id, l->shared->id_lists[slot], l->shared->id_count[slot]);
}

size_t aws_reservation_count(const aws_node_class *c, const aws_type *t)
{
    size_t count = 0;
    for (size_t i = 0; i < c->reservation_count; i++) {
        if (equal_str(c->reservations[i].instance_type, t->name)) count++;
    }
    return count;
}

static void add_reservations(labels *l, const aws_type *t, const aws_node_class *c, size_t count)
{
    if (count == 0) {
        add_none(l, aws_key_reservation_id);
        add_none(l, aws_key_reservation_type);
        add_none(l, aws_key_reservation_interruptible);
        return;
    }
    karp_str *ids = scratch_array(l->s, count, sizeof *ids);
    karp_str *kinds = scratch_array(l->s, count, sizeof *kinds);
    karp_str *interruptible = scratch_array(l->s, count, sizeof *interruptible);
    size_t n = 0;
    if (!ids || !kinds || !interruptible) return;
    for (size_t i = 0; i < c->reservation_count && n < count; i++) {
        const aws_reservation *r = &c->reservations[i];
        if (!equal_str(r->instance_type, t->name)) continue;
        ids[n] = scratch_text(l->s, r->id);
        kinds[n] = scratch_text(l->s, r->kind);
        interruptible[n++] = r->interruptible ? word_true : word_false;
    }
    add_list(l, aws_key_reservation_id, ids, n);
    add_list(l, aws_key_reservation_type, kinds, n);
    add_list(l, aws_key_reservation_interruptible, interruptible, n);
}

/* Every combination of the three is a contiguous part of this list. */
static void add_capacity_types(labels *l, const aws_type *t, bool reserved)
{
    static const karp_str words[] = { TEXT("on-demand"), TEXT("spot"), TEXT("reserved"), TEXT("on-demand"),
                                      TEXT("reserved") };
    bool on_demand = t->flags & EC2_ON_DEMAND, spot = t->flags & EC2_SPOT;
    size_t first = on_demand ? (reserved && !spot ? 3 : 0) : spot ? 1 : 2;
    add_list(l, aws_key_capacity_type, words + first, (size_t)on_demand + spot + reserved);
}

static void add_system(labels *l, const aws_type *t, aws_family family)
{
    static const karp_str linux_[] = { TEXT("linux") }, windows[] = { TEXT("windows") };
    static const karp_str amd64 = TEXT("amd64"), arm64 = TEXT("arm64");
    static const karp_str build_2019 = TEXT("10.0.17763"), build_2022 = TEXT("10.0.20348"),
                          build_2025 = TEXT("10.0.26100");
    add(l, key_arch, t->flags & EC2_ARM64 ? arm64 : amd64);
    if (aws_is_windows(family)) {
        add_list(l, key_os, windows, t->flags & EC2_ARM64 ? 0 : 1);
        add(l, key_build, family == AWS_WINDOWS2019 ? build_2019 : family == AWS_WINDOWS2022 ? build_2022 : build_2025);
    } else {
        add_list(l, key_os, linux_, 1);
        add_none(l, key_build);
    }
}

void aws_labels(scratch *s, const aws_type *t, const aws_node_class *c, const aws_place *place, aws_shared *shared,
                karp_instance_type *out)
{
    static const karp_str tenancies[] = { TEXT("default"), TEXT("dedicated") };
    karp_requirement list[LABELS_MOST];
    labels l = { .s = s, .shared = shared, .list = list };
    size_t reservations = aws_reservation_count(c, t);
    add_list(&l, key_type, one_of(&l, out->name), 1);
    add_system(&l, t, c->family);
    add_zones(&l, t, place);
    add(&l, key_region, place->region);
    add_capacity_types(&l, t, reservations > 0);
    add_number(&l, key_cpu, t->vcpus);
    add_number(&l, key_memory, t->memory_mib);
    add_kebab(&l, key_maker, t->cpu_maker);
    add_number(&l, key_clock, t->clock_mhz);
    add_number(&l, key_ebs, t->ebs_mbps);
    add_number(&l, key_network, t->network_mbps);
    add_name_parts(&l, t->name);
    add_number(&l, key_nvme, t->flags & EC2_NVME ? t->local_gb : AWS_UNKNOWN);
    add_devices(&l, t);
    add_piece(&l, key_hypervisor, t->hypervisor);
    add_flag(&l, key_encryption, t->flags & EC2_ENCRYPTION);
    add_list(&l, key_tenancy, tenancies, 2);
    add_reservations(&l, t, c, reservations);
    if (place->group.len) add(&l, key_group, place->group);
    if (place->partition_count) add_list(&l, aws_key_partition, place->partitions, place->partition_count);
    karp_requirement *copy = scratch_alloc(s, l.count * sizeof *copy);
    if (!copy) return;
    memcpy(copy, list, l.count * sizeof *copy);
    out->requirements = copy;
    out->requirement_count = l.count;
}

/* ---- label tables ------------------------------------------------------------------------------------------------ */

static const karp_str well_known[] = {
    TEXT(AWS_GROUP "capacity-reservation-id"),
    TEXT(AWS_GROUP "capacity-reservation-interruptible"),
    TEXT(AWS_GROUP "capacity-reservation-type"),
    TEXT(AWS_GROUP "instance-accelerator-count"),
    TEXT(AWS_GROUP "instance-accelerator-manufacturer"),
    TEXT(AWS_GROUP "instance-accelerator-name"),
    TEXT(AWS_GROUP "instance-capability-flex"),
    TEXT(AWS_GROUP "instance-category"),
    TEXT(AWS_GROUP "instance-cpu"),
    TEXT(AWS_GROUP "instance-cpu-manufacturer"),
    TEXT(AWS_GROUP "instance-cpu-sustained-clock-speed-mhz"),
    TEXT(AWS_GROUP "instance-ebs-bandwidth"),
    TEXT(AWS_GROUP "instance-encryption-in-transit-supported"),
    TEXT(AWS_GROUP "instance-family"),
    TEXT(AWS_GROUP "instance-generation"),
    TEXT(AWS_GROUP "instance-gpu-count"),
    TEXT(AWS_GROUP "instance-gpu-manufacturer"),
    TEXT(AWS_GROUP "instance-gpu-memory"),
    TEXT(AWS_GROUP "instance-gpu-name"),
    TEXT(AWS_GROUP "instance-hypervisor"),
    TEXT(AWS_GROUP "instance-local-nvme"),
    TEXT(AWS_GROUP "instance-memory"),
    TEXT(AWS_GROUP "instance-network-bandwidth"),
    TEXT(AWS_GROUP "instance-size"),
    TEXT(AWS_GROUP "instance-tenancy"),
    TEXT(AWS_GROUP "placement-group-id"),
    TEXT(AWS_GROUP "placement-group-partition"),
    TEXT("topology.k8s.aws/zone-id"),
};

static const karp_str restricted_domains[] = { TEXT("karpenter.k8s.aws") };

/* The label that the EBS CSI driver writes into volumes. */
static const karp_label normalized[] = {
    { TEXT("topology.ebs.csi.aws.com/zone"), TEXT(LABEL_ZONE) },
};

static const karp_str resources[] = {
    TEXT("amd.com/gpu"),
    TEXT("aws.amazon.com/neuron"),
    TEXT("aws.amazon.com/neuroncore"),
    TEXT("habana.ai/gaudi"),
    TEXT("nvidia.com/gpu"),
    TEXT("vpc.amazonaws.com/PrivateIPv4Address"),
    TEXT("vpc.amazonaws.com/efa"),
    TEXT("vpc.amazonaws.com/pod-eni"),
};

void aws_label_tables(karp_provider_labels *into)
{
    into->well_known = well_known;
    into->well_known_count = sizeof well_known / sizeof *well_known;
    into->restricted_domains = restricted_domains;
    into->restricted_domain_count = sizeof restricted_domains / sizeof *restricted_domains;
    into->normalized = normalized;
    into->normalized_count = sizeof normalized / sizeof *normalized;
    into->resources = resources;
    into->resource_count = sizeof resources / sizeof *resources;
    into->reservation_id = aws_key_reservation_id;
}
