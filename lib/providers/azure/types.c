/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/azure/azure.h>

#include <stdio.h>
#include <string.h>

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

/* What an unknown price is taken for: dear, but to be had. */
static const double unknown_price = 999;

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* A tax in brackets: each part of the amount at its own rate. */
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

int64_t azure_memory(int64_t gib, double overhead) { return (int64_t)((double)(gib << 30) * (1 - overhead)); }

/* ---- making lists ---------------------------------------------------------------------------- */

typedef struct maker {
    const azure_handle *h;
    const azure_class *c;
    const karp_provider_memory *memory;
    bool failed;
} maker;

static void *piece(maker *m, size_t count, size_t elem)
{
    void *memory = m->failed ? NULL : m->memory->alloc(count * elem, m->memory->user);
    if (memory) memset(memory, 0, count * elem);
    else m->failed = true;
    return memory;
}

static karp_str text_of(const char *text) { return (karp_str){ text, strlen(text) }; }

static karp_str number_text(maker *m, int64_t value, const char *unit)
{
    char *text = piece(m, 32, 1);
    int n = text ? snprintf(text, 32, "%lld%s", (long long)value, unit) : 0;
    return (karp_str){ text, n > 0 ? (size_t)n : 0 };
}

static void in(maker *m, karp_requirement *list, size_t *count, const char *key, karp_str value)
{
    karp_str *one = piece(m, 1, sizeof *one);
    if (!one) return;
    *one = value;
    list[(*count)++] = (karp_requirement){ .key = text_of(key), .op = KARP_OP_IN, .values = one, .value_count = 1 };
}

static void resource(karp_resource *list, size_t *count, const char *name, karp_str text)
{
    list[(*count)++] = (karp_resource){ .name = text_of(name), .text = text };
}

/* ---- offerings ------------------------------------------------------------------------------- */

static const char *const capacity_types[] = { "on-demand", "spot" };

static void add_offering(maker *m, size_t size, karp_str family, const char *zone, size_t kind, karp_offering *out)
{
    size_t n = 0;
    karp_requirement *list = piece(m, 3, sizeof *list);
    if (!list) return;
    in(m, list, &n, "karpenter.sh/capacity-type", text_of(capacity_types[kind]));
    in(m, list, &n, "topology.kubernetes.io/zone", text_of(zone));
    in(m, list, &n, AZURE_GROUP "placement-scope", text_of("zonal"));
    double price = kind == 0 ? m->h->on_demand[size] : m->h->spot[size];
    out->requirements = list;
    out->requirement_count = n;
    out->price = price < 0 ? unknown_price : price;
    out->available = !azure_marked(m->h, capacity_types[kind], azure_sizes[size].name, zone, family);
}

static void add_offerings(maker *m, size_t size, karp_str family, karp_instance_type *out)
{
    karp_offering *list = piece(m, (size_t)AZURE_ZONES * 2, sizeof *list);
    size_t n = 0;
    for (size_t zone = 0; list && zone < AZURE_ZONES; zone++) {
        for (size_t kind = 0; kind < 2; kind++) add_offering(m, size, family, m->h->zones[zone], kind, &list[n++]);
    }
    out->offerings = list;
    out->offering_count = n;
}

/* ---- labels ---------------------------------------------------------------------------------- */

static const karp_str well_known[] = {
    TEXT(AZURE_GROUP "placement-scope"),
    TEXT(AZURE_GROUP "sku-cpu"),
    TEXT(AZURE_GROUP "sku-family"),
    TEXT(AZURE_GROUP "sku-memory"),
    TEXT(AZURE_GROUP "sku-name"),
    TEXT(AZURE_GROUP "sku-storage-ephemeralos-maxsize"),
    TEXT(AZURE_GROUP "sku-storage-premium-capable"),
    TEXT(AZURE_GROUP "sku-version"),
};
static const karp_str restricted[] = { TEXT("karpenter.azure.com") };

uint32_t azure_labels(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem)
{
    (void)handle;
    (void)problem;
    labels->well_known = well_known;
    labels->well_known_count = sizeof well_known / sizeof *well_known;
    labels->restricted_domains = restricted;
    labels->restricted_domain_count = 1;
    return KARP_PROVIDER_OK;
}

static void add_lists(maker *m, karp_requirement *list, size_t *count)
{
    karp_str *zones = piece(m, AZURE_ZONES, sizeof *zones), *kinds = piece(m, 2, sizeof *kinds);
    if (!zones || !kinds) return;
    for (size_t i = 0; i < AZURE_ZONES; i++) zones[i] = text_of(m->h->zones[i]);
    for (size_t i = 0; i < 2; i++) kinds[i] = text_of(capacity_types[i]);
    list[(*count)++] = (karp_requirement){
        .key = text_of("topology.kubernetes.io/zone"), .op = KARP_OP_IN, .values = zones, .value_count = AZURE_ZONES
    };
    list[(*count)++] = (karp_requirement){
        .key = text_of("karpenter.sh/capacity-type"), .op = KARP_OP_IN, .values = kinds, .value_count = 2
    };
}

static void add_labels(maker *m, const azure_size *size, const azure_name *name, karp_instance_type *out)
{
    size_t n = 0;
    karp_requirement *list = piece(m, 16, sizeof *list);
    if (!list) return;
    in(m, list, &n, "node.kubernetes.io/instance-type", text_of(size->name));
    in(m, list, &n, "kubernetes.io/arch", text_of(name->arm64 ? "arm64" : "amd64"));
    in(m, list, &n, "kubernetes.io/os", text_of("linux"));
    in(m, list, &n, "topology.kubernetes.io/region", text_of(m->h->region));
    add_lists(m, list, &n);
    in(m, list, &n, AZURE_GROUP "placement-scope", text_of("zonal"));
    in(m, list, &n, AZURE_GROUP "sku-cpu", number_text(m, size->vcpus, ""));
    in(m, list, &n, AZURE_GROUP "sku-memory", number_text(m, (int64_t)size->memory_gib * 1024, ""));
    in(m, list, &n, AZURE_GROUP "sku-name", text_of(size->name));
    in(m, list, &n, AZURE_GROUP "sku-family", name->family);
    in(m, list, &n, AZURE_GROUP "sku-version", name->version);
    in(m, list, &n, AZURE_GROUP "sku-storage-premium-capable", text_of(name->premium ? "true" : "false"));
    if (size->temporary_gb)
        in(m, list, &n, AZURE_GROUP "sku-storage-ephemeralos-maxsize", number_text(m, size->temporary_gb, ""));
    else
        list[n++] = (karp_requirement){ .key = text_of(AZURE_GROUP "sku-storage-ephemeralos-maxsize"),
                                        .op = KARP_OP_DOES_NOT_EXIST };
    out->requirements = list;
    out->requirement_count = n;
}

/* ---- amounts --------------------------------------------------------------------------------- */

static void add_amounts(maker *m, const azure_size *size, karp_instance_type *out)
{
    karp_resource *capacity = piece(m, 4, sizeof *capacity), *kube = piece(m, 2, sizeof *kube),
                  *eviction = piece(m, 1, sizeof *eviction);
    int64_t pods = m->c->max_pods ? m->c->max_pods : m->h->max_pods;
    if (!capacity || !kube || !eviction) return;
    resource(capacity, &out->capacity_count, "cpu", number_text(m, size->vcpus, ""));
    resource(capacity, &out->capacity_count, "memory",
             number_text(m, azure_memory(size->memory_gib, m->h->overhead), ""));
    resource(capacity, &out->capacity_count, "pods", number_text(m, pods, ""));
    resource(capacity, &out->capacity_count, "ephemeral-storage",
             number_text(m, m->c->disk_gb ? m->c->disk_gb : 128, "G"));
    resource(kube, &out->overhead.kube_reserved_count, "cpu", number_text(m, azure_reserved_cpu(size->vcpus), "m"));
    resource(kube, &out->overhead.kube_reserved_count, "memory",
             number_text(m, azure_reserved_memory(size->memory_gib), "Mi"));
    resource(eviction, &out->overhead.eviction_threshold_count, "memory", text_of("750Mi"));
    out->capacity = capacity;
    out->overhead.kube_reserved = kube;
    out->overhead.eviction_threshold = eviction;
}

uint32_t azure_instance_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                              const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    maker m = { .h = handle, .c = node_class ? node_class : &azure_plain, .memory = memory };
    karp_instance_type *list = piece(&m, azure_size_count, sizeof *list);
    for (size_t i = 0; i < azure_size_count && !m.failed; i++) {
        azure_name name;
        if (!azure_name_read(azure_sizes[i].name, &name))
            return azure_problem(problem, KARP_PROVIDER_INVALID, "", "a size has no proper name");
        list[i].size = sizeof list[i];
        list[i].name = text_of(azure_sizes[i].name);
        add_labels(&m, &azure_sizes[i], &name, &list[i]);
        add_amounts(&m, &azure_sizes[i], &list[i]);
        add_offerings(&m, i, name.family, &list[i]);
    }
    if (m.failed) return azure_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
    *types = list;
    *count = azure_size_count;
    return KARP_PROVIDER_OK;
}
