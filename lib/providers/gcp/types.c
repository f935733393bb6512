/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/gcp/types.h>

#include <math.h>
#include <karp/values.h>

enum { KINDS = 2, LABELS_MOST = 32 };

static const karp_str kinds[KINDS] = { TEXT("on-demand"), TEXT("spot") };
static const karp_str key_capacity_type = TEXT(LABEL_CAPACITY_TYPE), key_zone = TEXT(LABEL_ZONE),
                      key_zone_id = TEXT("topology.k8s.gcp/zone-id");

/* Spot price as a fraction of on-demand, if unknown. */
static const double spot_part = 0.4;

/* Data shared by the types of a region. */
typedef struct maker {
    scratch *s;
    cloud_shared shared;
    const cloud_facts *facts;
    const gcp_settings *settings;
    const cloud_marks *marks;
    const gcp_class *c;
    uint32_t zones; /* of the cluster */
    cloud_zones names;
    const karp_requirement *offers[CLOUD_ZONES_MOST][KINDS]; /* lists of three requirements each */
} maker;

static void make_zones(maker *m)
{
    for (uint32_t zone = 0; zone < CLOUD_ZONES_MOST; zone++) {
        if (!(m->zones >> zone & 1)) continue;
        m->names.names[zone] = gcp_zone_name(m->s, m->facts->region, zone);
        for (size_t kind = 0; kind < KINDS; kind++) {
            cloud_labels l;
            if (!cloud_labels_begin(&l, m->s, &m->shared, 3)) return;
            cloud_in_word(&l, key_capacity_type, &kinds[kind]);
            cloud_in_one(&l, key_zone, m->names.names[zone]);
            cloud_in_one(&l, key_zone_id, m->names.names[zone]);
            m->offers[zone][kind] = l.list;
        }
    }
}

/* The available parts of a type. */
typedef struct there {
    uint32_t zones;
    bool kinds[KINDS];
} there;

static there add_offerings(maker *m, const gcp_type *t, karp_instance_type *out)
{
    there available = { 0, { false, false } };
    uint32_t zones = t->base.zones & m->zones;
    size_t n = 0;
    karp_offering *list = scratch_array(m->s, (size_t)__builtin_popcount(zones) * KINDS, sizeof *list);
    double spot = t->base.spot >= 0 && !m->settings->initial_prices ? t->base.spot : t->base.on_demand * spot_part;
    for (uint32_t zone = 0; list && zone < CLOUD_ZONES_MOST; zone++) {
        for (size_t kind = 0; zones >> zone & 1 && kind < KINDS; kind++) {
            bool gone = m->marks->count > 0 &&
                        cloud_marked(m->marks, kinds[kind], t->base.name, m->names.names[zone], str(""), t->base.vcpus);
            list[n].requirements = m->offers[zone][kind];
            list[n].requirement_count = 3;
            list[n].price = kind == 0 ? t->base.on_demand : spot;
            list[n++].available = !gone;
            if (gone) continue;
            available.zones |= UINT32_C(1) << zone;
            available.kinds[kind] = true;
        }
    }
    out->offerings = list;
    out->offering_count = n;
    return available;
}

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

static const int64_t gibi = INT64_C(1) << 30;

static const karp_str name_cpu = TEXT("cpu"), name_memory = TEXT("memory"), name_pods = TEXT("pods"),
                      name_storage = TEXT("ephemeral-storage"), name_gpu = TEXT("nvidia.com/gpu");

/* ---- disks ------------------------------------------------------------------------------------------------------- */

/* Disks of a node, in GiB. */
typedef struct node_disks {
    int64_t boot, ssd, ssds;
} node_disks;

/* Types whose bundled disks differ in size from those of their family, as in the provider's table. */
static int64_t bundled_gib(const gcp_type *t)
{
    static const struct {
        const char *name;
        int64_t gib;
    } others[] = { { "c4-highmem-288-lssd-metal", 18000 },
                   { "c4-standard-288-lssd-metal", 18000 },
                   { "c4d-highmem-16-lssd", 3000 },
                   { "c4d-highmem-8-lssd", 2250 },
                   { "z3-highmem-192-highlssd-metal", 72000 } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (str_is(t->base.name, others[i].name)) return others[i].gib;
    }
    return t->partitions * (str_starts(t->base.name, "z3-") ? 3000 : 375);
}

static node_disks disks_of(const gcp_type *t, const gcp_class *c)
{
    node_disks d = { .boot = c->boot_gib > 0 ? c->boot_gib : 100 };
    if (c->has_disks) {
        d.ssd = c->ssd_gib;
        d.ssds = c->ssds;
    } else if (t->partitions > 0) {
        d.ssd = bundled_gib(t);
        d.ssds = t->partitions;
    }
    return d;
}

/* ---- reserved for the kubelet ------------------------------------------------------------------------------------ */

typedef struct step {
    int64_t width; /* 0 = unlimited */
    double rate;
} step;

/* Sums up each part at its own rate, rounded down. */
static int64_t tax(const step *steps, int64_t amount)
{
    int64_t sum = 0;
    for (; amount > 0; steps++) {
        int64_t part = steps->width > 0 && steps->width < amount ? steps->width : amount;
        sum += (int64_t)((double)part * steps->rate);
        amount -= part;
    }
    return sum;
}

static int64_t reserved_cpu(const gcp_type *t)
{
    static const step steps[] = { { 1000, 0.06 }, { 1000, 0.01 }, { 2000, 0.005 }, { 0, 0.0025 } };
    if (str_in_list(t->base.name, "e2-micro e2-small e2-medium")) return 1060;
    return tax(steps, t->base.vcpus * 1000);
}

static int64_t reserved_memory(const gcp_type *t)
{
    static const step steps[] = { { 4096, 0.25 }, { 4096, 0.2 }, { 8192, 0.1 }, { 114688, 0.06 }, { 0, 0.02 } };
    return t->memory_mib <= 1024 ? 255 : tax(steps, t->memory_mib);
}

static int64_t reserved_storage(const node_disks *d)
{
    if (d->ssds > 0 && d->ssd > 0) return d->ssds == 1 ? 50 : d->ssds == 2 ? 75 : 100;
    int64_t half = (int64_t)floor((double)d->boot * 0.5 + 0.5);
    int64_t part = (int64_t)floor((double)d->boot * 0.35 + 6 + 0.5);
    int64_t least = half < part ? half : part;
    return least < 100 ? least : 100;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

int64_t gcp_max_pods(const gcp_class *c) { return c->max_pods >= 0 ? c->max_pods : 110; }

static int64_t pods_of(const gcp_type *t, const gcp_class *c)
{
    int64_t pods = gcp_max_pods(c);
    return c->pods_per_core > 0 && c->pods_per_core * t->base.vcpus < pods ? c->pods_per_core * t->base.vcpus : pods;
}

static void set_all(cloud_amounts *a, const gcp_reserved *of)
{
    for (size_t i = 0; i < of->count; i++) cloud_amount_text(a, of->list[i].name, of->list[i].text);
}

/* kube-proxy uses a tenth of a CPU; the class's reservations are added. */
static void add_system(cloud_amounts *a, const gcp_class *c)
{
    static const karp_str proxy = TEXT("100m");
    cloud_amount_text(a, name_cpu, proxy);
    for (size_t i = 0; i < c->system.count; i++) {
        char sum[KARP_VALUE_TEXT];
        karp_str text = c->system.list[i].text;
        if (equal_str(c->system.list[i].name, name_cpu) && karp_quantity_add(proxy, text, sum) == KARP_OK)
            text = scratch_text(a->s, str(sum));
        cloud_amount_text(a, c->system.list[i].name, text);
    }
}

static void add_threshold(cloud_amounts *a, karp_str name, const gcp_threshold *t, int64_t capacity)
{
    if (t->quantity.len > 0) cloud_amount_text(a, name, t->quantity);
    else if (t->percent >= 0) cloud_amount(a, name, (int64_t)ceil((double)capacity * t->percent / 100), "");
}

static void add_amounts(scratch *s, cloud_shared *shared, const gcp_type *t, const gcp_settings *settings,
                        const gcp_class *c, karp_instance_type *out)
{
    cloud_amounts capacity, kube, system, eviction;
    node_disks disks = disks_of(t, c);
    int64_t full = t->memory_mib << 20, storage = disks.ssd > 0 ? disks.ssd : disks.boot;
    int64_t memory = full - (int64_t)((double)full * settings->vm_memory_overhead);
    if (!cloud_amounts_begin(&capacity, s, shared, 5) ||
        !cloud_amounts_begin(&kube, s, shared, 3 + GCP_RESERVED_MOST) ||
        !cloud_amounts_begin(&system, s, shared, 1 + GCP_RESERVED_MOST) ||
        !cloud_amounts_begin(&eviction, s, shared, 2))
        return;
    cloud_amount(&capacity, name_cpu, t->base.vcpus, "");
    cloud_amount(&capacity, name_memory, memory, "");
    cloud_amount(&capacity, name_pods, pods_of(t, c), "");
    cloud_amount(&capacity, name_storage, storage, "Gi");
    cloud_amount(&capacity, name_gpu, t->base.group.len > 0, "");
    cloud_amount(&kube, name_cpu, reserved_cpu(t), "m");
    cloud_amount(&kube, name_memory, reserved_memory(t), "Mi");
    cloud_amount(&kube, name_storage, reserved_storage(&disks), "Gi");
    set_all(&kube, &c->kube);
    add_system(&system, c);
    cloud_amount(&eviction, name_memory, 100, "Mi");
    cloud_amount(&eviction, name_storage, (int64_t)((double)storage * 0.1), "Gi");
    add_threshold(&eviction, name_memory, &c->memory_available, memory);
    add_threshold(&eviction, name_storage, &c->disk_available, storage * gibi);
    out->capacity = capacity.list;
    out->capacity_count = capacity.count;
    out->overhead = (karp_overhead){ kube.list, kube.count, system.list, system.count, eviction.list, eviction.count };
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static void add_type(maker *m, const gcp_type *t, karp_instance_type *out)
{
    cloud_labels l;
    out->size = sizeof *out;
    out->name = t->base.name;
    there available = add_offerings(m, t, out);
    cloud_list_zones(m->s, &m->names, available.zones);
    if (!cloud_labels_begin(&l, m->s, &m->shared, LABELS_MOST)) return;
    gcp_type_labels(&l, t, m->facts->region);
    cloud_in(&l, key_zone, m->names.list, m->names.count);
    cloud_in(&l, key_zone_id, m->names.list, m->names.count);
    size_t first = available.kinds[0] ? 0 : 1;
    cloud_in(&l, key_capacity_type, &kinds[first], (size_t)available.kinds[0] + available.kinds[1]);
    out->requirements = l.list;
    out->requirement_count = l.count;
    add_amounts(m->s, &m->shared, t, m->settings, m->c, out);
}

/* Copies the texts, because the facts may change while the types are in use. */
static gcp_type own_texts(scratch *s, const gcp_type *t)
{
    gcp_type copy = *t;
    copy.base.name = scratch_text(s, t->base.name);
    copy.base.group = t->base.group.len > 0 ? scratch_text(s, t->base.group) : str("");
    return copy;
}

void gcp_types(scratch *s, const cloud_facts *facts, const gcp_settings *settings, const cloud_marks *marks,
               const gcp_class *c, const karp_instance_type **types, size_t *count)
{
    maker *m = scratch_array(s, 1, sizeof *m);
    karp_instance_type *list = scratch_array(s, facts->count, sizeof *list);
    cloud_facts *own = scratch_alloc(s, sizeof *own);
    *types = list;
    *count = 0;
    if (!m || !list || !own) return;
    *own = *facts;
    own->region = scratch_text(s, facts->region);
    m->s = s;
    m->facts = own;
    m->settings = settings;
    m->marks = marks;
    m->c = c;
    m->zones = settings->zones ? settings->zones : facts->zones;
    make_zones(m);
    for (size_t i = 0; i < facts->count && !s->failed; i++) {
        const gcp_type *t = (const gcp_type *)facts->list + i;
        if (!(t->base.zones & m->zones) || t->base.on_demand < 0) continue;
        gcp_type mine = own_texts(s, t);
        add_type(m, &mine, &list[(*count)++]);
    }
}
