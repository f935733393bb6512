/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <stdio.h>
#include <string.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/settings.h>

#define CAPACITY_TYPE_KEY "karpenter.sh/capacity-type"

enum { MOST_TYPES = 700 };

uint32_t bench_below(bench_maker *maker, uint32_t limit)
{
    uint64_t x = maker->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ (x >> 31)) >> 32) % limit;
}

void bench_maker_free(bench_maker *maker)
{
    karp_catalogue_unref(maker->catalogue);
    maker->catalogue = NULL;
}

static karp_node_class_ref node_class(void)
{
    return (karp_node_class_ref){ str("karpenter.k8s.aws"), str("EC2NodeClass"), str("default") };
}

karp_status bench_add_pool(bench_maker *maker)
{
    const karp_resource limits[] = { { .name = str("cpu"), .text = str("100000000") },
                                     { .name = str("memory"), .text = str("100000000Gi") } };
    const karp_budget budget = { .nodes = str("100%"), .duration = KARP_DURATION_UNSET };
    const karp_condition conditions[] = { { str("ValidationSucceeded"), str("True"), str("x"), maker->now },
                                          { str("NodeClassReady"), str("True"), str("x"), maker->now },
                                          { str("Ready"), str("True"), str("x"), maker->now } };
    karp_node_pool pool = { .size = sizeof(pool),
                            .meta = { .name = str("default"), .creation = maker->now },
                            .node_class = node_class(),
                            .limits = limits,
                            .limit_count = 2,
                            .budgets = &budget,
                            .budget_count = 1,
                            .conditions = conditions,
                            .condition_count = 3,
                            .replicas = -1,
                            .expire_after = KARP_DURATION_NEVER,
                            .termination_grace_period = KARP_DURATION_UNSET };
    const karp_str on_demand = str("on-demand");
    const karp_requirement requirement = {
        .key = str(CAPACITY_TYPE_KEY), .op = KARP_OP_IN, .values = &on_demand, .value_count = 1
    };
    if (maker->fleet) {
        pool.requirements = &requirement;
        pool.requirement_count = 1;
    }
    const karp_namespace space = { .size = sizeof(space), .meta = { .name = str("default"), .creation = maker->now } };
    karp_status status = karp_builder_add_namespace(maker->builder, &space, maker->error);
    return status != KARP_OK ? status : karp_builder_add_node_pool(maker->builder, &pool, maker->error);
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

static karp_status use_catalogue(bench_maker *maker, const karp_instance_type *types, size_t count)
{
    karp_status status = karp_catalogue_new(maker->context, types, count, &maker->catalogue, maker->error);
    return status != KARP_OK ? status
                             : karp_builder_add_catalogue(maker->builder, maker->catalogue, NULL, 0, maker->error);
}

static karp_requirement in(const char *key, const karp_str *values, size_t count)
{
    return (karp_requirement){ .key = str(key), .op = KARP_OP_IN, .values = values, .value_count = count };
}

typedef struct fake_type {
    char name[16], cores[16], memory[16], pods[16];
    karp_str name_value, cores_value, size_value;
    karp_requirement requirements[8];
    karp_resource capacity[3];
    karp_offering offerings[5];
} fake_type;

typedef struct fake_words {
    karp_str arch, systems[3], zones[3], capacity_types[2], optional;
    karp_requirement buys[5][2];
    karp_resource reserved[2];
} fake_words;

static void fake_words_init(fake_words *w)
{
    static const char *const systems[] = { "darwin", "linux", "windows" };
    static const char *const zones[] = { "test-zone-1", "test-zone-2", "test-zone-3" };
    for (size_t i = 0; i < 3; i++) {
        w->systems[i] = str(systems[i]);
        w->zones[i] = str(zones[i]);
    }
    w->arch = str("amd64");
    w->optional = str("optional");
    w->capacity_types[0] = str("spot");
    w->capacity_types[1] = str("on-demand");
    for (size_t i = 0; i < 5; i++) { /* spot in the first two zones, on-demand in all three */
        w->buys[i][0] = in(CAPACITY_TYPE_KEY, &w->capacity_types[i < 2 ? 0 : 1], 1);
        w->buys[i][1] = in("topology.kubernetes.io/zone", &w->zones[i < 2 ? i : i - 2], 1);
    }
    w->reserved[0] = (karp_resource){ .name = str("cpu"), .text = str("100m") };
    w->reserved[1] = (karp_resource){ .name = str("memory"), .text = str("10Mi") };
}

static void fake_type_init(fake_type *f, const fake_words *w, uint32_t i, karp_instance_type *type)
{
    uint32_t cores = i + 1;
    (void)snprintf(f->name, sizeof(f->name), "fake-it-%u", i);
    (void)snprintf(f->cores, sizeof(f->cores), "%u", cores);
    (void)snprintf(f->memory, sizeof(f->memory), "%uGi", 2 * cores);
    (void)snprintf(f->pods, sizeof(f->pods), "%u", 10 * cores);
    f->name_value = str(f->name);
    f->cores_value = str(f->cores);
    f->size_value = str(cores > 4 ? "large" : "small");
    f->requirements[0] = in("node.kubernetes.io/instance-type", &f->name_value, 1);
    f->requirements[1] = in("topology.kubernetes.io/zone", w->zones, 3);
    f->requirements[2] = in(CAPACITY_TYPE_KEY, w->capacity_types, 2);
    f->requirements[3] = in("kubernetes.io/arch", &w->arch, 1);
    f->requirements[4] = in("kubernetes.io/os", w->systems, 3);
    f->requirements[5] = in("integer", &f->cores_value, 1);
    f->requirements[6] = in("size", &f->size_value, 1);
    f->requirements[7] = in("special", &w->optional, 1);
    if (cores <= 4) {
        f->requirements[7] = (karp_requirement){ .key = str("special"), .op = KARP_OP_DOES_NOT_EXIST };
    }
    f->capacity[0] = (karp_resource){ .name = str("cpu"), .text = f->cores_value };
    f->capacity[1] = (karp_resource){ .name = str("memory"), .text = str(f->memory) };
    f->capacity[2] = (karp_resource){ .name = str("pods"), .text = str(f->pods) };
    double price = 0.1 * (double)cores + 0.1 * (2.0 * (double)cores) * 1073741824.0 / 1e9;
    for (size_t o = 0; o < 5; o++) {
        f->offerings[o] = (karp_offering){
            .requirements = w->buys[o], .requirement_count = 2, .price = price, .available = 1
        };
    }
    *type = (karp_instance_type){ .size = sizeof(*type),
                                  .name = f->name_value,
                                  .requirements = f->requirements,
                                  .requirement_count = 8,
                                  .capacity = f->capacity,
                                  .capacity_count = 3,
                                  .offerings = f->offerings,
                                  .offering_count = 5 };
    type->overhead.kube_reserved = w->reserved;
    type->overhead.kube_reserved_count = 2;
}

karp_status bench_fake_types(bench_maker *maker, uint32_t count)
{
    static const char *const well_known[] = { "integer", "size", "special" };
    karp_str labels[3];
    for (size_t i = 0; i < 3; i++) {
        labels[i] = str(well_known[i]);
    }
    karp_settings settings;
    karp_settings_init(&settings, sizeof(settings));
    settings.well_known = labels;
    settings.well_known_count = 3;
    karp_status status = karp_builder_set_settings(maker->builder, &settings, maker->error);
    size_t bytes = count * sizeof(fake_type);
    fake_type *rows = karp_alloc(maker->context, bytes);
    karp_instance_type types[MOST_TYPES];
    fake_words words;
    if (rows == NULL || count > MOST_TYPES) {
        status = KARP_E_NOMEM;
        maker->error->status = status;
    }
    fake_words_init(&words);
    for (uint32_t i = 0; i < count && status == KARP_OK; i++) {
        fake_type_init(&rows[i], &words, i, &types[i]);
    }
    if (status == KARP_OK) {
        status = use_catalogue(maker, types, count);
    }
    karp_free(maker->context, rows, bytes);
    return status;
}

/* Whether the type is of a c, m, r or t family of generation 3 to 8. `all`: including those with more network (n) or
 * disks (d). */
static bool common(karp_str name, bool all)
{
    return name.len > 2 && memchr("cmrt", name.ptr[0], 4) != NULL && name.ptr[1] >= '3' && name.ptr[1] <= '8' &&
           (all || (memchr(name.ptr, 'n', name.len) == NULL && memchr(name.ptr, 'd', name.len) == NULL));
}

static size_t count_common(const karp_catalogue *catalogue, bool all)
{
    size_t count = 0;
    for (size_t i = 0; i < karp_catalogue_count(catalogue); i++) {
        count += common(karp_catalogue_type(catalogue, i)->name, all);
    }
    return count;
}

static karp_status use_aws_labels(bench_maker *maker)
{
    static const char *const keys[] = { "karpenter.k8s.aws/instance-category", "karpenter.k8s.aws/instance-cpu",
                                        "karpenter.k8s.aws/instance-family",   "karpenter.k8s.aws/instance-generation",
                                        "karpenter.k8s.aws/instance-memory",   "karpenter.k8s.aws/instance-size" };
    karp_str labels[sizeof(keys) / sizeof(keys[0])];
    karp_settings settings;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        labels[i] = str(keys[i]);
    }
    karp_settings_init(&settings, sizeof(settings));
    settings.well_known = labels;
    settings.well_known_count = sizeof(keys) / sizeof(keys[0]);
    return karp_builder_set_settings(maker->builder, &settings, maker->error);
}

karp_status bench_aws_types(bench_maker *maker, uint32_t count)
{
    karp_catalogue *all = NULL;
    karp_instance_type types[MOST_TYPES];
    karp_status status = karp_catalogue_aws(maker->context, NULL, &all, maker->error);
    uint32_t used = 0;
    if (status != KARP_OK) {
        return status;
    }
    bool wide = count_common(all, false) < count;
    size_t candidates = count_common(all, wide), seen = 0;
    for (size_t i = 0; i < karp_catalogue_count(all) && used < count && used < MOST_TYPES; i++) {
        const karp_instance_type *type = karp_catalogue_type(all, i);
        if (common(type->name, wide) && seen++ >= used * candidates / count) {
            types[used++] = *type;
        }
    }
    status = use_aws_labels(maker);
    if (status == KARP_OK) {
        status = use_catalogue(maker, types, used);
    }
    karp_catalogue_unref(all);
    return status;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static double amount_of(const karp_resource *list, size_t count, const char *name)
{
    double value = 0;
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].name, name)) {
            (void)karp_quantity_double(list[i].text, &value);
        }
    }
    return value;
}

/* The labels that follow from the type's and the offering's requirements with a single value. */
static size_t single_labels(const karp_requirement *list, size_t count, karp_label *out, size_t used, size_t room)
{
    for (size_t i = 0; i < count && used < room; i++) {
        if (list[i].op != KARP_OP_IN || list[i].value_count != 1) {
            continue;
        }
        size_t k = 0;
        while (k < used && !equal_str(out[k].key, list[i].key)) {
            k++;
        }
        out[k] = (karp_label){ list[i].key, list[i].values[0] };
        used += k == used;
    }
    return used;
}

static karp_status add_both(bench_maker *maker, const bench_node *node, const karp_instance_type *type,
                            const karp_resource *allocatable, size_t allocatable_count, const karp_label *labels,
                            size_t label_count)
{
    const karp_condition conditions[] = { { str("Launched"), str("True"), str("x"), maker->now },
                                          { str("Registered"), str("True"), str("x"), maker->now },
                                          { str("Initialized"), str("True"), str("x"), maker->now },
                                          { str("Ready"), str("True"), str("x"), maker->now },
                                          { str("Consolidatable"), str("True"), str("x"), maker->now } };
    const karp_meta meta = { .name = str(node->name),
                             .labels = labels,
                             .label_count = label_count,
                             .creation = maker->now - INT64_C(90000000000000) };
    const karp_node_claim claim = { .size = sizeof(claim),
                                    .meta = meta,
                                    .provider_id = str(node->name),
                                    .node_class = node_class(),
                                    .capacity = type->capacity,
                                    .capacity_count = type->capacity_count,
                                    .allocatable = allocatable,
                                    .allocatable_count = allocatable_count,
                                    .conditions = conditions,
                                    .condition_count = maker->fleet ? 5 : 4,
                                    .expire_after = KARP_DURATION_NEVER,
                                    .termination_grace_period = KARP_DURATION_UNSET };
    const karp_node object = { .size = sizeof(object),
                               .meta = meta,
                               .provider_id = str(node->name),
                               .capacity = type->capacity,
                               .capacity_count = type->capacity_count,
                               .allocatable = allocatable,
                               .allocatable_count = allocatable_count,
                               .conditions = conditions + 3,
                               .condition_count = 1 };
    karp_status status = karp_builder_add_node_claim(maker->builder, &claim, maker->error);
    return status != KARP_OK ? status : karp_builder_add_node(maker->builder, &object, maker->error);
}

static bool is_on_demand(const karp_offering *offering)
{
    for (size_t i = 0; i < offering->requirement_count; i++) {
        const karp_requirement *r = &offering->requirements[i];
        if (str_is(r->key, CAPACITY_TYPE_KEY)) {
            return r->value_count == 1 && r->values[0].len == 9;
        }
    }
    return false;
}

static const karp_offering *choose_offering(bench_maker *maker, const karp_instance_type *type)
{
    size_t start = bench_below(maker, (uint32_t)type->offering_count);
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *offering = &type->offerings[(start + i) % type->offering_count];
        if (!maker->fleet || is_on_demand(offering)) {
            return offering;
        }
    }
    return &type->offerings[start];
}

karp_status bench_add_node(bench_maker *maker, uint32_t number, double least_cores, double most_cores, bench_node *out)
{
    const karp_instance_type *type = NULL;
    const karp_resource *allocatable = NULL;
    size_t count = 0;
    size_t types = karp_catalogue_count(maker->catalogue);
    size_t start = bench_below(maker, (uint32_t)types);
    for (size_t tries = 0; tries < types; tries++) {
        size_t index = (start + tries) % types;
        type = karp_catalogue_type(maker->catalogue, index);
        allocatable = karp_catalogue_allocatable(maker->catalogue, index, &count);
        out->cpu = amount_of(allocatable, count, "cpu");
        if (type->offering_count > 0 && out->cpu >= least_cores && out->cpu <= most_cores) {
            break;
        }
    }
    if (type == NULL || type->offering_count == 0) {
        return KARP_E_INVALID;
    }
    out->memory = amount_of(allocatable, count, "memory");
    (void)snprintf(out->name, sizeof(out->name), "node-%03u", number);
    karp_label labels[64];
    const karp_offering *offering = choose_offering(maker, type);
    size_t used = single_labels(type->requirements, type->requirement_count, labels, 0, 56);
    used = single_labels(offering->requirements, offering->requirement_count, labels, used, 60);
    labels[used++] = (karp_label){ str("kubernetes.io/hostname"), str(out->name) };
    labels[used++] = (karp_label){ str("karpenter.sh/nodepool"), str("default") };
    labels[used++] = (karp_label){ str("karpenter.sh/registered"), str("true") };
    labels[used++] = (karp_label){ str("karpenter.sh/initialized"), str("true") };
    return add_both(maker, out, type, allocatable, count, labels, used);
}
