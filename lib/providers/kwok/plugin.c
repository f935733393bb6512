/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Karpenter's own kwok provider, whose nodes are not real. It generates its instance types: each number of vCPUs with
 * three amounts of memory, two systems and two architectures, in four zones. Prices are made of the amounts.
 */
#include <providers/builtin.h>

#include <base/sort.h>
#include <providers/cloud/make.h>

#define GROUP "karpenter.kwok.sh"

static const karp_str key_size = TEXT(GROUP "/instance-size"), key_family = TEXT(GROUP "/instance-family"),
                      key_cpu = TEXT(GROUP "/instance-cpu"), key_memory = TEXT(GROUP "/instance-memory"),
                      key_type = TEXT(LABEL_TYPE), key_arch = TEXT(LABEL_ARCH), key_os = TEXT(LABEL_OS),
                      key_zone = TEXT(LABEL_ZONE), key_capacity_type = TEXT(LABEL_CAPACITY_TYPE);

static const karp_str zones[] = { TEXT("test-zone-a"), TEXT("test-zone-b"), TEXT("test-zone-c"), TEXT("test-zone-d") };
static const karp_str capacity_types[] = { TEXT("on-demand"), TEXT("spot") };
static const karp_str systems[] = { TEXT("linux"), TEXT("windows") };
static const karp_str architectures[] = { TEXT("amd64"), TEXT("arm64") };
static const int64_t cpus[] = { 1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256 };
static const struct {
    karp_str family;
    int64_t gib_per_cpu;
} families[] = { { TEXT("c"), 2 }, { TEXT("s"), 4 }, { TEXT("m"), 8 } };

enum {
    ZONES = sizeof zones / sizeof *zones,
    CAPACITY_TYPES = sizeof capacity_types / sizeof *capacity_types,
    OFFERINGS = ZONES * CAPACITY_TYPES,
    SYSTEMS = sizeof systems / sizeof *systems,
    ARCHITECTURES = sizeof architectures / sizeof *architectures,
    CPUS = sizeof cpus / sizeof *cpus,
    FAMILIES = sizeof families / sizeof *families,
    TYPES = CPUS * FAMILIES * SYSTEMS * ARCHITECTURES,
    PODS_PER_CPU = 16,
    PODS_MOST = 1024,
};

/* ---- what all of them have in common ------------------------------------------------------------------------------
 */

/* They only say how long a node takes to register, so all of them are alike. */
static karp_status read_class(karp_context *context, const struct tree *root, void *class_, karp_error *error)
{
    (void)root;
    (void)error;
    scratch_init(&((plugin_class *)class_)->s, context);
    return KARP_OK;
}

static void label_tables(karp_provider_labels *labels)
{
    static const karp_str well_known[] = { TEXT(GROUP "/instance-cpu"), TEXT(GROUP "/instance-family"),
                                           TEXT(GROUP "/instance-memory"), TEXT(GROUP "/instance-size") };
    static const karp_str restricted[] = { TEXT(GROUP) };
    labels->well_known = well_known;
    labels->well_known_count = sizeof well_known / sizeof *well_known;
    labels->restricted_domains = restricted;
    labels->restricted_domain_count = 1;
}

#define TEN_MINUTES INT64_C(600000000000)
static const karp_repair_policy policies[] = { { TEXT("Ready"), TEXT("False"), TEN_MINUTES },
                                               { TEXT("Ready"), TEXT("Unknown"), TEN_MINUTES } };

static const plugin_kind kwok_kind = {
    .class_bytes = sizeof(plugin_class),
    .read = read_class,
    .labels = label_tables,
    .policies = policies,
    .policy_count = sizeof policies / sizeof *policies,
};

/* ---- open -------------------------------------------------------------------------------------------------------- */

static void kwok_close(void *handle) { plugin_handle_free(handle); }

static uint32_t kwok_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                          karp_provider_problem *problem)
{
    if (options->setting_count) return provider_problem(problem, KARP_PROVIDER_INVALID, "settings", "kwok has none");
    if (options->region.len)
        return provider_problem(problem, KARP_PROVIDER_NOT_FOUND, "region",
                                "kwok has no regions: its nodes are in test-zone-a, -b, -c and -d");
    *handle = plugin_handle_new(allocator, sizeof(plugin_handle), &kwok_kind);
    return *handle ? KARP_PROVIDER_OK : provider_no_memory(problem);
}

static uint32_t kwok_facts_info(void *handle, const karp_provider_memory *memory, karp_provider_facts_info *info,
                                karp_provider_problem *problem)
{
    (void)handle;
    (void)memory;
    (void)problem;
    info->sources = str("source kubernetes-sigs/karpenter, kwok/tools (Apache-2.0): the formula of types and prices\n");
    info->as_of = info->facts_as_of = str("prices invented");
    return KARP_PROVIDER_OK;
}

static uint32_t kwok_class_equal(const void *handle, const void *a, const void *b)
{
    (void)handle;
    (void)a;
    (void)b;
    return 1;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static karp_str text_of_name(scratch *s, karp_str family, karp_str cpu, karp_str arch, karp_str os)
{
    char name[64] = "";
    str_append(name, sizeof name, "%.*s-%.*sx-%.*s-%.*s", (int)family.len, family.ptr, (int)cpu.len, cpu.ptr,
               (int)arch.len, arch.ptr, (int)os.len, os.ptr);
    return scratch_text(s, str(name));
}

static void set_offerings(scratch *s, karp_instance_type *type, int64_t cpu, int64_t gib)
{
    const double bytes = (double)gib * 1024 * 1024 * 1024;
    const double of_cpu = 0.025 * (double)cpu, of_memory = 0.001 * bytes / 1e9, price = of_cpu + of_memory;
    karp_offering *list = scratch_array(s, OFFERINGS, sizeof *list);
    for (size_t i = 0; list && i < OFFERINGS; i++) {
        cloud_labels labels;
        size_t bought = i % CAPACITY_TYPES;
        if (!cloud_labels_begin(&labels, s, NULL, 2)) return;
        cloud_in_word(&labels, key_capacity_type, &capacity_types[bought]);
        cloud_in_word(&labels, key_zone, &zones[i / CAPACITY_TYPES]);
        list[i] = (karp_offering){ .requirements = labels.list, .requirement_count = labels.count, .available = 1 };
        list[i].price = bought == 0 ? price : price * 0.7;
    }
    type->offerings = list;
    type->offering_count = list ? OFFERINGS : 0;
}

static void set_amounts(scratch *s, karp_instance_type *type, karp_str cpu, karp_str memory, karp_str pods)
{
    static const karp_resource reserved[] = { { .name = TEXT("cpu"), .text = TEXT("100m") },
                                              { .name = TEXT("memory"), .text = TEXT("10Mi") } };
    cloud_amounts amounts;
    if (!cloud_amounts_begin(&amounts, s, NULL, 4)) return;
    cloud_amount_text(&amounts, str("cpu"), cpu);
    cloud_amount_text(&amounts, str("memory"), memory);
    cloud_amount_text(&amounts, str("pods"), pods);
    cloud_amount_text(&amounts, str("ephemeral-storage"), str("20Gi"));
    type->capacity = amounts.list;
    type->capacity_count = amounts.count;
    type->overhead.kube_reserved = reserved;
    type->overhead.kube_reserved_count = sizeof reserved / sizeof *reserved;
}

/* The numbers of family, vCPUs, architecture and system make the type. */
static void set_type(scratch *s, karp_instance_type *type, const size_t number[4])
{
    const int64_t count = cpus[number[1]], gib = count * families[number[0]].gib_per_cpu;
    const int64_t pods = count * PODS_PER_CPU < PODS_MOST ? count * PODS_PER_CPU : PODS_MOST;
    const karp_str *arch = &architectures[number[2]], *os = &systems[number[3]];
    karp_str cpu = scratch_uint(s, (uint64_t)count), memory = scratch_uint_unit(s, (uint64_t)gib, "Gi");
    cloud_labels labels;
    *type = (karp_instance_type){ .size = sizeof *type };
    type->name = text_of_name(s, families[number[0]].family, cpu, *arch, *os);
    if (!cloud_labels_begin(&labels, s, NULL, 9)) return;
    cloud_in_one(&labels, key_type, type->name);
    cloud_in_word(&labels, key_arch, arch);
    cloud_in_word(&labels, key_os, os);
    cloud_in(&labels, key_zone, zones, ZONES);
    cloud_in(&labels, key_capacity_type, capacity_types, CAPACITY_TYPES);
    cloud_in_one(&labels, key_size, cpu);
    cloud_in_word(&labels, key_family, &families[number[0]].family);
    cloud_in_one(&labels, key_cpu, cpu);
    cloud_in_one(&labels, key_memory, memory);
    type->requirements = labels.list;
    type->requirement_count = labels.count;
    set_amounts(s, type, cpu, memory, scratch_uint(s, (uint64_t)pods));
    set_offerings(s, type, count, gib);
}

static int by_name(const void *a, const void *b, const void *user)
{
    const karp_instance_type *x = a, *y = b;
    (void)user;
    return compare_str(x->name, y->name);
}

static uint32_t kwok_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                           const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    const plugin_handle *h = handle;
    scratch s;
    (void)node_class;
    scratch_init_on(&s, memory);
    karp_instance_type *list = scratch_array(&s, TYPES, sizeof *list);
    for (size_t i = 0; list && i < TYPES; i++) {
        const size_t number[] = { i % FAMILIES, i / FAMILIES % CPUS, i / FAMILIES / CPUS % ARCHITECTURES,
                                  i / FAMILIES / CPUS / ARCHITECTURES };
        set_type(&s, &list[i], number);
    }
    if (s.failed || !sort_stable(h->context, list, TYPES, sizeof *list, by_name, NULL))
        return provider_no_memory(problem);
    *types = list;
    *count = TYPES;
    return KARP_PROVIDER_OK;
}

static const karp_provider_plugin kwok_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .flags = KARP_PROVIDER_TYPES_SELF_CONTAINED,
    .size = sizeof(karp_provider_plugin),
    .name = "kwok",
    .class_group = GROUP,
    .class_kind = "KWOKNodeClass",
    .open = kwok_open,
    .close = kwok_close,
    .class_parse = plugin_class_parse,
    .class_free = plugin_class_free,
    .class_equal = kwok_class_equal,
    .instance_types = kwok_types,
    .labels = plugin_labels,
    .repair_policies = plugin_repair_policies,
    .facts_info = kwok_facts_info,
};

static const char *const domains[] = { GROUP, NULL };

const builtin_plugin kwok_builtin = {
    .plugin = &kwok_plugin,
    .scheme = "kwok://",
    .domains = domains,
};
