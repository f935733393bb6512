/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/types.h>

#include <stdio.h>
#include <math.h>

enum { ZONES = 10, KINDS = 2, ULTRAS = 2, OFFER_LABELS = 6, LABELS_MOST = 40 };

/* Stands for an unknown price: expensive, but available. */
static const double unknown_price = 999;

static const karp_str kinds[KINDS] = { TEXT("on-demand"), TEXT("spot") };
static const karp_str priorities[KINDS] = { TEXT("regular"), TEXT("spot") };
static const karp_str scopes[] = { TEXT("regional"), TEXT("zonal") };
static const karp_str words[] = { TEXT("false"), TEXT("true") };

static const karp_str key_capacity_type = TEXT(LABEL_CAPACITY_TYPE), key_zone = TEXT(LABEL_ZONE),
                      key_scope = TEXT(AZURE_SCOPE), key_ultra = TEXT(AZURE_GROUP "sku-storage-ultra-ssd"),
                      key_priority = TEXT(AKS_GROUP "priority"), key_set_priority = TEXT(AKS_GROUP "scalesetpriority");

/* Data shared by the sizes of a region. */
typedef struct maker {
    scratch *s;
    cloud_shared shared;
    const cloud_facts *facts;
    karp_str region;
    const azure_settings *settings;
    const cloud_marks *marks;
    const azure_class *c;
    cloud_zones zones; /* "0" for the regional placement, eastus-1 … */
    const karp_requirement *offers[ZONES][KINDS][ULTRAS];
} maker;

/* ---- filter ------------------------------------------------------------------------------------------------------ */

/* A GPU needs drivers for the class's operating system. The provider installs only NVIDIA's. */
static bool drives_gpu(const azure_class *c, uint32_t gpu)
{
    uint32_t needed = c->family == AZURE_LINUX ? AZURE_GPU_AZURELINUX : AZURE_GPU_UBUNTU;
    return gpu & needed && (c->without_driver || !(gpu & AZURE_GPU_AMD));
}

static bool listed_under(const azure_class *c, const azure_size *size, uint32_t gpu)
{
    if (gpu && !drives_gpu(c, gpu)) return false;
    if (c->encryption_at_host && !(size->flags & AZURE_ENCRYPTION_AT_HOST)) return false;
    if (c->trusted_launch && (!(size->flags & AZURE_GENERATION_2) || size->flags & AZURE_NO_TRUSTED_LAUNCH))
        return false;
    if (c->artifact_streaming && size->flags & AZURE_ARM64) return false;
    return !c->local_dns || size->base.vcpus >= 4;
}

static bool is_listed(const azure_class *c, const azure_size *size, azure_name *name, uint32_t *gpu)
{
    *gpu = 0;
    if (azure_name_barred(size->base.name) || !azure_name_read(size->base.name, name) || name->constrained)
        return false;
    if (size->base.vcpus < 2 || size->memory_gib < 3.5) return false;
    if (azure_gpu_find(size->base.name, gpu)) *gpu |= AZURE_GPU_KNOWN;
    else if (size->gpus > 0) return false;
    return listed_under(c, size, *gpu);
}

/* ---- offerings --------------------------------------------------------------------------------------------------- */

static void make_offer(maker *m, uint32_t zone, size_t kind, size_t ultra)
{
    cloud_labels l;
    if (!cloud_labels_begin(&l, m->s, &m->shared, OFFER_LABELS)) return;
    cloud_in_word(&l, key_capacity_type, &kinds[kind]);
    cloud_in_one(&l, key_zone, m->zones.names[zone]);
    cloud_in_word(&l, key_scope, &scopes[zone > 0]);
    cloud_in_word(&l, key_priority, &priorities[kind]);
    cloud_in_word(&l, key_set_priority, &priorities[kind]);
    cloud_in(&l, key_ultra, words, 1 + ultra);
    m->offers[zone][kind][ultra] = l.list;
}

static void make_offers(maker *m)
{
    for (uint32_t zone = 0; zone < ZONES; zone++) {
        char text[CLOUD_REGION_MOST + 4] = "0";
        if (zone > 0) (void)snprintf(text, sizeof text, "%.*s-%u", (int)m->region.len, m->region.ptr, zone);
        if (zone > 0 && !(m->facts->zones >> zone & 1)) continue;
        m->zones.names[zone] = scratch_text(m->s, str(text));
        for (size_t i = 0; i < (size_t)KINDS * ULTRAS; i++) make_offer(m, zone, i / ULTRAS, i % ULTRAS);
    }
}

/* The available parts of a size. */
typedef struct there {
    uint32_t zones;
    bool kinds[KINDS], ultra;
} there;

static double price_of(const maker *m, const azure_size *size, size_t kind)
{
    bool initial = m->settings->initial_prices;
    double price = initial                              ? size->base.initial
                   : kind == 0 || !m->facts->spot_known ? size->base.on_demand
                                                        : size->base.spot;
    return price < 0 ? unknown_price : price;
}

static bool is_marked(const maker *m, const azure_size *size, const azure_name *name, size_t kind, uint32_t zone)
{
    if (m->marks->count == 0) return false;
    karp_str zone_name = m->zones.names[zone];
    return cloud_marked(m->marks, kinds[kind], size->base.name, zone_name, size->base.group, size->base.vcpus) ||
           cloud_marked(m->marks, kinds[kind], size->base.name, zone_name, name->family, size->base.vcpus);
}

static there add_offerings(maker *m, const azure_size *size, const azure_name *name, karp_instance_type *out)
{
    there available = { 0, { false, false }, false };
    uint32_t zones = size->base.zones | 1;
    karp_offering *list = scratch_array(m->s, (size_t)__builtin_popcount(zones) * KINDS, sizeof *list);
    size_t n = 0;
    bool beyond_quota = !azure_quota_allows(m->facts, size);
    for (uint32_t zone = 0; list && zone < ZONES; zone++) {
        for (size_t kind = 0; zones >> zone & 1 && kind < KINDS; kind++) {
            bool ultra = size->ultra_zones >> zone & 1;
            bool barred = kind == 1 ? (size->flags & AZURE_NO_SPOT) != 0 : beyond_quota;
            bool gone = barred || is_marked(m, size, name, kind, zone);
            list[n].requirements = m->offers[zone][kind][ultra];
            list[n].requirement_count = OFFER_LABELS;
            list[n].price = price_of(m, size, kind);
            list[n++].available = !gone;
            if (gone) continue;
            available.zones |= UINT32_C(1) << zone;
            available.kinds[kind] = true;
            available.ultra = available.ultra || ultra;
        }
    }
    out->offerings = list;
    out->offering_count = n;
    return available;
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

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

static void add_amounts(scratch *s, cloud_shared *shared, const azure_size *size, uint32_t gpu,
                        const azure_settings *settings, const azure_class *c, karp_instance_type *out)
{
    cloud_amounts capacity, kube, system, eviction;
    if (!cloud_amounts_begin(&capacity, s, shared, 6) || !cloud_amounts_begin(&kube, s, shared, 2) ||
        !cloud_amounts_begin(&system, s, shared, 2) || !cloud_amounts_begin(&eviction, s, shared, 1))
        return;
    bool amd = gpu & AZURE_GPU_AMD, nvidia = gpu && !amd;
    cloud_amount(&capacity, name_cpu, size->base.vcpus, "");
    cloud_amount(&capacity, name_memory, azure_memory(size->memory_gib, settings->vm_memory_overhead), "");
    cloud_amount(&capacity, name_pods, c->max_pods > 0 ? c->max_pods : settings->max_pods, "");
    cloud_amount(&capacity, name_storage, c->disk_gb, "G");
    cloud_amount(&capacity, name_nvidia, nvidia ? size->gpus : 0, "");
    cloud_amount(&capacity, name_amd, amd ? size->gpus : 0, "");
    cloud_amount(&kube, name_cpu, azure_reserved_cpu(size->base.vcpus), "m");
    cloud_amount(&kube, name_memory, azure_reserved_memory(size->memory_gib), "Mi");
    cloud_amount(&system, name_cpu, 0, "");
    cloud_amount(&system, name_memory, 0, "");
    cloud_amount(&eviction, name_memory, 750, "Mi");
    out->capacity = capacity.list;
    out->capacity_count = capacity.count;
    out->overhead = (karp_overhead){ kube.list, kube.count, system.list, system.count, eviction.list, eviction.count };
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static void add_type(maker *m, const azure_size *size, const azure_name *name, uint32_t gpu, karp_instance_type *out)
{
    cloud_labels l;
    out->size = sizeof *out;
    out->name = size->base.name;
    there available = add_offerings(m, size, name, out);
    cloud_list_zones(m->s, &m->zones, available.zones);
    if (!cloud_labels_begin(&l, m->s, &m->shared, LABELS_MOST)) return;
    azure_size_labels(&l, size, name, gpu, m->region, m->settings, m->c);
    bool regional = available.zones & 1, zonal = available.zones > 1;
    cloud_in(&l, key_zone, m->zones.list, m->zones.count);
    cloud_in(&l, key_scope, &scopes[regional ? 0 : 1], (size_t)regional + zonal);
    cloud_in(&l, key_capacity_type, &kinds[available.kinds[0] ? 0 : 1],
             (size_t)available.kinds[0] + available.kinds[1]);
    cloud_in(&l, key_ultra, words, available.zones == 0 ? 0 : 1 + (size_t)available.ultra);
    out->requirements = l.list;
    out->requirement_count = l.count;
    add_amounts(m->s, &m->shared, size, gpu, m->settings, m->c, out);
}

void azure_types(scratch *s, const cloud_facts *facts, const azure_settings *settings, const cloud_marks *marks,
                 const azure_class *c, const karp_instance_type **types, size_t *count)
{
    maker *m = scratch_array(s, 1, sizeof *m);
    karp_instance_type *list = scratch_array(s, facts->count, sizeof *list);
    azure_settings *own = scratch_alloc(s, sizeof *own);
    *types = list;
    *count = 0;
    if (!m || !list || !own) return;
    *own = *settings; /* the handle's texts may be freed before the types */
    own->cluster = scratch_text(s, settings->cluster);
    m->s = s;
    m->facts = facts;
    m->region = scratch_text(s, facts->region);
    m->settings = own;
    m->marks = marks;
    m->c = c;
    make_offers(m);
    for (size_t i = 0; i < facts->count && !s->failed; i++) {
        azure_size size = ((const azure_size *)facts->list)[i];
        azure_name name;
        uint32_t gpu;
        if (!is_listed(c, &size, &name, &gpu)) continue;
        size.base.name = scratch_text(s, size.base.name);
        if (!azure_name_read(size.base.name, &name)) continue; /* parsed again, so that its parts refer to the copy */
        add_type(m, &size, &name, gpu, &list[(*count)++]);
    }
}
