/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <karp/groups.h>

#include <stdio.h>
#include <string.h>

#define ZONE_KEY "topology.kubernetes.io/zone"
#define HOST_KEY "kubernetes.io/hostname"

static const int64_t second = INT64_C(1000000000);
static const int64_t start_of_2026 = INT64_C(1767225600);

enum { MOST_PODS = 10000000, NODES_OF_B3 = 300, NODES_OF_WIDE_B3 = 5000, SHAPES_OF_B6 = 1000, FEW_SHAPES = 100 };

typedef struct family {
    const char *prefix; /* including the dash before the number of pods or nodes */
    const char *text;
    karp_status (*fill)(bench_maker *maker, uint32_t count);
    enum bench_ask ask;
    uint32_t method; /* KARP_METHOD_ANY = a launch decision */
    const char *sizes; /* the sizes in docs/performance.md */
} family;

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

/* The differences between pods. The label is also what the rules select. */
typedef struct pod_kind {
    karp_label label;
    karp_label selected; /* selected by the rule, if it is not the pod's own label */
    const char *cpu, *memory, *node;
    enum { RULE_NONE, RULE_ZONE_SPREAD, RULE_HOST_SPREAD, RULE_ZONE_AFFINITY, RULE_HOST_ANTI, RULE_SELECTOR } rule;
    karp_label wanted; /* for RULE_SELECTOR */
    bool preferred; /* the rule is a preference */
    bool nowhere; /* also prefers a zone without offerings */
    const char *group; /* of pods that start together; NULL = none */
} pod_kind;

/* Sets the pod's fields for the rule of a kind. */
static void set_rule(karp_pod *pod, const pod_kind *kind, const karp_spread_constraint *spread,
                     const karp_pod_term *term)
{
    if (kind->rule == RULE_ZONE_SPREAD || kind->rule == RULE_HOST_SPREAD) {
        pod->spread = spread;
        pod->spread_count = 1;
    } else if (kind->rule == RULE_ZONE_AFFINITY) {
        pod->required_affinity = term;
        pod->required_affinity_count = 1;
    } else if (kind->rule == RULE_HOST_ANTI && kind->preferred) {
        pod->preferred_anti_affinity = term;
        pod->preferred_anti_affinity_count = 1;
    } else if (kind->rule == RULE_HOST_ANTI) {
        pod->required_anti_affinity = term;
        pod->required_anti_affinity_count = 1;
    } else if (kind->rule == RULE_SELECTOR) {
        pod->node_selector = &kind->wanted;
        pod->node_selector_count = 1;
    }
}

static karp_status add_pod(bench_maker *m, const pod_kind *kind)
{
    char name[32];
    int length = snprintf(name, sizeof(name), "pod-%06u", m->pods++);
    const karp_resource requests[] = { { .name = str("cpu"), .text = str(kind->cpu) },
                                       { .name = str("memory"), .text = str(kind->memory) } };
    const karp_container container = { .name = str("c"), .requests = requests, .request_count = 2 };
    const karp_selector selector = { .match_labels = &kind->selected, .match_label_count = 1 };
    const karp_spread_constraint spread = { .topology_key = str(kind->rule == RULE_HOST_SPREAD ? HOST_KEY : ZONE_KEY),
                                            .label_selector = &selector,
                                            .max_skew = 1,
                                            .when_unsatisfiable = kind->preferred ? KARP_SCHEDULE_ANYWAY
                                                                                  : KARP_DO_NOT_SCHEDULE };
    const karp_pod_term term = { .topology_key = str(kind->rule == RULE_HOST_ANTI ? HOST_KEY : ZONE_KEY),
                                 .label_selector = &selector,
                                 .weight = kind->preferred ? 100 : 0 };
    const karp_str no_zone = str("nowhere-1a");
    const karp_requirement in_no_zone = {
        .key = str(ZONE_KEY), .op = KARP_OP_IN, .values = &no_zone, .value_count = 1
    };
    const karp_node_term elsewhere = { .expressions = &in_no_zone, .expression_count = 1, .weight = 50 };
    const karp_condition waiting = { str("PodScheduled"), str("False"), str("Unschedulable"), m->now };
    int64_t age = m->pods < 80000 ? 80000 - (int64_t)m->pods : 1;
    karp_pod pod = {
        .size = sizeof(pod), .containers = &container, .container_count = 1, .termination_grace_seconds = -1
    };
    pod.meta = (karp_meta){ .name = { name, (size_t)length },
                            .namespace_ = str("default"),
                            .labels = &kind->label,
                            .label_count = 1,
                            .creation = m->now - age * second };
    if (kind->node != NULL) {
        pod.node_name = str(kind->node);
        pod.phase = KARP_PHASE_RUNNING;
        pod.start_time = pod.meta.creation;
    } else {
        pod.phase = KARP_PHASE_PENDING;
        pod.conditions = &waiting;
        pod.condition_count = 1;
    }
    if (kind->group != NULL) {
        pod.group_name = str(kind->group);
    }
    set_rule(&pod, kind, &spread, &term);
    if (kind->nowhere) {
        pod.preferred_node_terms = &elsewhere;
        pod.preferred_node_term_count = 1;
    }
    return karp_builder_add_pod(m->builder, &pod, m->error);
}

/* ---- families of inputs ------------------------------------------------------------------------------------------ */

static const char *const cpus[] = { "100m", "250m", "500m", "1", "1500m" };
static const char *const memories[] = { "100Mi", "256Mi", "512Mi", "1Gi", "2Gi", "4Gi" };

static void choose_size(bench_maker *m, pod_kind *kind)
{
    kind->cpu = cpus[bench_below(m, 5)];
    kind->memory = memories[bench_below(m, 6)];
}

static karp_label lettered(bench_maker *m, const char *key)
{
    static const char *const letters[] = { "a", "b", "c", "d", "e", "f", "g" };
    return (karp_label){ str(key), str(letters[bench_below(m, 7)]) };
}

/* The mix of Karpenter's own benchmark: a fifth each of plain pods, zonal spread, host spread, zonal affinity and host
 * anti-affinity. As there, the label that a spread selects is chosen independently of the pod's own. */
static karp_status fill_b1(bench_maker *m, uint32_t pods)
{
    karp_status status = bench_fake_types(m, 400);
    uint32_t fifth = pods / 5 > 0 ? pods / 5 : 1;
    for (uint32_t i = 0; i < pods && status == KARP_OK; i++) {
        pod_kind kind = { .rule = RULE_NONE };
        uint32_t part = i / fifth;
        kind.label = lettered(m, part == 3 ? "my-affinity" : "my-label");
        choose_size(m, &kind);
        kind.selected = kind.label;
        if (part == 1 || part == 2) {
            kind.rule = part == 1 ? RULE_ZONE_SPREAD : RULE_HOST_SPREAD;
            kind.selected = lettered(m, "my-label");
        } else if (part == 3) {
            kind.rule = RULE_ZONE_AFFINITY;
        } else if (part == 4) {
            kind.rule = RULE_HOST_ANTI;
            kind.label = kind.selected = (karp_label){ str("app"), str("nginx") };
        }
        status = add_pod(m, &kind);
    }
    return status;
}

/* Ten kinds of pods in turn, all with one rule. */
static karp_status fill_b2(bench_maker *m, uint32_t pods, pod_kind kind)
{
    static const char *const sizes[10][2] = { { "100m", "128Mi" }, { "250m", "512Mi" }, { "500m", "1Gi" },
                                              { "1", "2Gi" },      { "1", "4Gi" },      { "2", "4Gi" },
                                              { "2", "8Gi" },      { "3", "6Gi" },      { "4", "16Gi" },
                                              { "500m", "4Gi" } };
    karp_status status = bench_aws_types(m, 100);
    for (uint32_t i = 0; i < pods && status == KARP_OK; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "kind-%u", i % 10);
        kind.cpu = sizes[i % 10][0];
        kind.memory = sizes[i % 10][1];
        kind.label = kind.selected = (karp_label){ str("app"), str(name) };
        status = add_pod(m, &kind);
    }
    return status;
}

static karp_status fill_b2_plain(bench_maker *m, uint32_t pods) { return fill_b2(m, pods, (pod_kind){ 0 }); }

static karp_status fill_b2_anti(bench_maker *m, uint32_t pods)
{
    return fill_b2(m, pods, (pod_kind){ .rule = RULE_HOST_ANTI });
}

static karp_status fill_b2_zone(bench_maker *m, uint32_t pods)
{
    return fill_b2(m, pods, (pod_kind){ .rule = RULE_ZONE_SPREAD });
}

static karp_status fill_b8_anti(bench_maker *m, uint32_t pods)
{
    return fill_b2(m, pods, (pod_kind){ .rule = RULE_HOST_ANTI, .preferred = true });
}

static karp_status fill_b8_zone(bench_maker *m, uint32_t pods)
{
    return fill_b2(m, pods, (pod_kind){ .rule = RULE_ZONE_SPREAD, .preferred = true });
}

static karp_status fill_b8_never(bench_maker *m, uint32_t pods)
{
    return fill_b2(m, pods, (pod_kind){ .rule = RULE_HOST_ANTI, .preferred = true, .nowhere = true });
}

/* One Deployment with anti-affinity between its pods by host. */
static karp_status fill_one(bench_maker *m, uint32_t pods, bool preferred)
{
    pod_kind kind = { .cpu = "500m", .memory = "1Gi", .rule = RULE_HOST_ANTI, .preferred = preferred };
    karp_status status = bench_aws_types(m, 100);
    kind.label = kind.selected = (karp_label){ str("app"), str("web") };
    for (uint32_t i = 0; i < pods && status == KARP_OK; i++) status = add_pod(m, &kind);
    return status;
}

static karp_status fill_b8_one(bench_maker *m, uint32_t pods) { return fill_one(m, pods, true); }
static karp_status fill_b8_required(bench_maker *m, uint32_t pods) { return fill_one(m, pods, false); }

static double amount(const char *text)
{
    double value = 0;
    (void)karp_quantity_double(str(text), &value);
    return value;
}

/* Twenty kinds of pods, each with a label of its own. */
typedef struct some_kinds {
    char names[20][8];
    pod_kind kinds[20];
} some_kinds;

static void make_kinds(bench_maker *m, some_kinds *out)
{
    for (uint32_t k = 0; k < 20; k++) {
        pod_kind *kind = &out->kinds[k];
        (void)snprintf(out->names[k], sizeof(out->names[k]), "k%u", k);
        *kind = (pod_kind){ .rule = RULE_NONE };
        choose_size(m, kind);
        kind->label = kind->selected = (karp_label){ str("app"), str(out->names[k]) };
    }
}

/* Up to ten random pods on a node, as many as fit. */
static karp_status load_node(bench_maker *m, uint32_t number, double most_cores, const pod_kind *kinds)
{
    bench_node node;
    karp_status status = bench_add_node(m, number, 7, most_cores, &node);
    for (uint32_t i = 0; i < 10 && status == KARP_OK; i++) {
        pod_kind kind = kinds[bench_below(m, 20)];
        double cpu = amount(kind.cpu);
        double memory = amount(kind.memory);
        if (cpu > node.cpu || memory > node.memory) {
            continue;
        }
        node.cpu -= cpu;
        node.memory -= memory;
        kind.node = node.name;
        kind.rule = RULE_NONE;
        status = add_pod(m, &kind);
    }
    return status;
}

/* Twenty kinds of pods on existing and new nodes. */
static karp_status place_on_nodes(bench_maker *m, uint32_t pods, uint32_t nodes)
{
    some_kinds some;
    pod_kind *kinds = some.kinds;
    karp_status status = bench_aws_types(m, 100);
    make_kinds(m, &some);
    for (uint32_t k = 0; k < 20; k++) {
        kinds[k].rule = k % 4 == 1 ? RULE_ZONE_SPREAD : k % 4 == 2 ? RULE_SELECTOR : RULE_NONE;
        kinds[k].wanted = (karp_label){ str("kubernetes.io/arch"), str("amd64") };
    }
    for (uint32_t i = 0; i < nodes && status == KARP_OK; i++) {
        status = load_node(m, i, 64, kinds);
    }
    for (uint32_t i = 0; i < pods && status == KARP_OK; i++) {
        status = add_pod(m, &kinds[i % 20]);
    }
    return status;
}

static karp_status fill_b3(bench_maker *m, uint32_t pods) { return place_on_nodes(m, pods, NODES_OF_B3); }
static karp_status fill_b3_wide(bench_maker *m, uint32_t pods) { return place_on_nodes(m, pods, NODES_OF_WIDE_B3); }

/* At most so many gangs of 8 to 512 pods, 51 on average, onto 5,000 nodes and new ones; a third of the gangs in one
 * zone. `alone`: the same pods without gangs. */
static karp_status fill_gangs(bench_maker *m, uint32_t gangs, uint32_t pods, bool alone)
{
    static const uint32_t sizes[] = { 8, 16, 8, 64, 8, 16, 8, 256, 8, 16, 8, 8, 16, 8, 64, 8, 16, 8, 8, 512, 8 };
    some_kinds some;
    m->random = 9; /* the same for both */
    karp_status status = bench_aws_types(m, 100);
    make_kinds(m, &some);
    for (uint32_t i = 0; i < NODES_OF_WIDE_B3 && status == KARP_OK; i++) {
        status = load_node(m, i, 16, some.kinds);
    }
    for (uint32_t g = 0, placed = 0; placed < pods && g < gangs && status == KARP_OK; g++) {
        uint32_t size = sizes[g % (sizeof(sizes) / sizeof(sizes[0]))];
        size = size < pods - placed ? size : pods - placed;
        char name[24];
        (void)snprintf(name, sizeof(name), "gang-%05u", g);
        pod_kind kind = some.kinds[g % 20];
        kind.group = alone ? NULL : name;
        karp_pod_group group;
        karp_pod_group_init(&group, sizeof(group));
        group.meta.name = str(name);
        group.meta.namespace_ = str("default");
        group.min_count = (int32_t)size;
        group.topology_key = str(g % 3 == 0 ? ZONE_KEY : "");
        if (!alone) {
            status = karp_builder_add_pod_group(m->builder, &group, m->error);
        }
        for (uint32_t i = 0; i < size && status == KARP_OK; i++) {
            status = add_pod(m, &kind);
        }
        placed += size;
    }
    return status;
}

static karp_status fill_b9_gang(bench_maker *m, uint32_t pods) { return fill_gangs(m, UINT32_MAX, pods, false); }
static karp_status fill_b9_alone(bench_maker *m, uint32_t pods) { return fill_gangs(m, UINT32_MAX, pods, true); }
static karp_status fill_admit(bench_maker *m, uint32_t gangs) { return fill_gangs(m, gangs, UINT32_MAX, false); }

/* Only existing nodes. */
static karp_status fill_b5(bench_maker *m, uint32_t nodes) { return place_on_nodes(m, 0, nodes); }

/* Nodes of 3 to 17 cores, with random CPU requests of between 55 % and 97 %. */
static karp_status fill_b4(bench_maker *m, uint32_t nodes)
{
    some_kinds some;
    pod_kind *kinds = some.kinds;
    karp_status status = bench_aws_types(m, 100);
    make_kinds(m, &some);
    for (uint32_t i = 0; i < nodes && status == KARP_OK; i++) {
        bench_node node;
        status = bench_add_node(m, i, 3, 17, &node);
        double least_free = node.cpu * (0.03 + 0.42 * (double)bench_below(m, 1000) / 1000);
        for (uint32_t k = 0; k < 40 && node.cpu > least_free && status == KARP_OK; k++) {
            pod_kind kind = kinds[bench_below(m, 20)];
            kind.node = node.name;
            if (amount(kind.cpu) > node.cpu || amount(kind.memory) > node.memory) {
                continue;
            }
            node.cpu -= amount(kind.cpu);
            node.memory -= amount(kind.memory);
            status = add_pod(m, &kind);
        }
    }
    return status;
}

/* Nodes of 8 cores whose memory is fully requested: no instance type is cheaper for any group of them, and no pod fits
 * on another node. */
static karp_status fill_b4_idle(bench_maker *m, uint32_t nodes)
{
    static const char *const small[] = { "100m", "200m", "300m" };
    char names[20][8];
    karp_status status = bench_fake_types(m, 400);
    for (uint32_t k = 0; k < 20; k++) {
        (void)snprintf(names[k], sizeof(names[k]), "k%u", k);
    }
    for (uint32_t i = 0; i < nodes && status == KARP_OK; i++) {
        bench_node node;
        status = bench_add_node(m, i, 7.5, 8, &node);
        for (uint32_t k = 0; k < 10 && status == KARP_OK; k++) {
            pod_kind kind = { .cpu = k == 0 ? "5" : small[bench_below(m, 3)],
                              .memory = k == 0 ? "11766Mi" : "512Mi",
                              .node = node.name };
            kind.label = kind.selected = (karp_label){ str("app"), str(names[(i + k) % 20]) };
            status = add_pod(m, &kind);
        }
    }
    return status;
}

/* `shapes` kinds of pods in turn. `ruled`: a tenth of them have host anti-affinity to themselves, half of them a zonal
 * spread. */
static karp_status fill_b6(bench_maker *m, uint32_t pods, uint32_t shapes, bool ruled)
{
    karp_status status = bench_aws_types(m, 100);
    for (uint32_t i = 0; i < pods && status == KARP_OK; i++) {
        uint32_t k = i % shapes;
        char name[24];
        char cpu[16];
        char memory[16];
        (void)snprintf(name, sizeof(name), "shape-%u", k);
        (void)snprintf(cpu, sizeof(cpu), "%um", 50 * (1 + k % 40));
        (void)snprintf(memory, sizeof(memory), "%uMi", 64 * (1 + k / 40 * 7 % 64));
        pod_kind kind = { .cpu = cpu, .memory = memory, .label = { str("app"), str(name) } };
        kind.selected = kind.label;
        kind.rule = !ruled ? RULE_NONE : k % 10 == 9 ? RULE_HOST_ANTI : k % 2 == 0 ? RULE_ZONE_SPREAD : RULE_NONE;
        status = add_pod(m, &kind);
    }
    return status;
}

static karp_status fill_b6_plain(bench_maker *m, uint32_t pods) { return fill_b6(m, pods, SHAPES_OF_B6, false); }
static karp_status fill_b6_mixed(bench_maker *m, uint32_t pods) { return fill_b6(m, pods, SHAPES_OF_B6, true); }
static karp_status fill_b6_few(bench_maker *m, uint32_t pods) { return fill_b6(m, pods, FEW_SHAPES, false); }

/* `kinds` kinds of pods of all sizes, about 25 of each, with one to eight GiB per core. */
static karp_status fill_kinds(bench_maker *m, uint32_t kinds, bool choosy)
{
    static const char *const wanted[][2] = { { "kubernetes.io/arch", "amd64" },
                                             { "karpenter.k8s.aws/instance-category", "c" },
                                             { "karpenter.k8s.aws/instance-category", "r" },
                                             { "karpenter.k8s.aws/instance-generation", "7" } };
    karp_status status = bench_aws_types(m, 700);
    for (uint32_t k = 0; k < kinds && status == KARP_OK; k++) {
        uint32_t thousandths = (20U << bench_below(m, 8)) * (8 + bench_below(m, 8)) / 8, pods = 1 + bench_below(m, 49);
        char name[24];
        char cpu[16];
        char memory[16];
        (void)snprintf(name, sizeof(name), "kind-%u", k);
        (void)snprintf(cpu, sizeof(cpu), "%um", thousandths);
        (void)snprintf(memory, sizeof(memory), "%uMi", thousandths * (4 + bench_below(m, 28)) / 4);
        pod_kind kind = { .cpu = cpu, .memory = memory, .label = { str("app"), str(name) } };
        kind.selected = kind.label;
        if (choosy && k % 3 == 0) {
            kind.rule = RULE_SELECTOR;
            kind.wanted = (karp_label){ str(wanted[k / 3 % 4][0]), str(wanted[k / 3 % 4][1]) };
        }
        for (uint32_t i = 0; i < pods && status == KARP_OK; i++) {
            status = add_pod(m, &kind);
        }
    }
    return status;
}

static karp_status fill_c2(bench_maker *m, uint32_t kinds) { return fill_kinds(m, kinds, false); }

static karp_status fill_c2_selectors(bench_maker *m, uint32_t kinds) { return fill_kinds(m, kinds, true); }

static const family families[] = {
    { "b1-", "the mix of Karpenter's own benchmark, 400 made-up types", fill_b1, BENCH_DECIDE, KARP_METHOD_ANY,
      "1000 5000 10000 20000" },
    { "b2-plain-", "ten kinds of pods, requests only, 100 types of AWS", fill_b2_plain, BENCH_DECIDE, KARP_METHOD_ANY,
      "1000 5000 15000 100000 1000000" },
    { "b2-anti-", "ten kinds of pods, each one a host, 100 types of AWS", fill_b2_anti, BENCH_DECIDE, KARP_METHOD_ANY,
      "1000 5000 15000 100000 1000000" },
    { "b2-zone-", "ten kinds of pods, each spread over zones, 100 types of AWS", fill_b2_zone, BENCH_DECIDE,
      KARP_METHOD_ANY, "1000 5000 15000 100000 1000000" },
    { "b3-", "twenty kinds onto 300 nodes in use and new ones, 100 types of AWS", fill_b3, BENCH_DECIDE,
      KARP_METHOD_ANY, "50000" },
    { "b3-wide-", "the same onto 5,000 nodes", fill_b3_wide, BENCH_DECIDE, KARP_METHOD_ANY, "50000" },
    { "b4-multi-", "N nodes in part in use: MultiNodeConsolidation, 100 types of AWS", fill_b4, BENCH_DECIDE,
      KARP_METHOD_MULTI_NODE, "100 300 1000 10000" },
    { "b4-single-", "the same: SingleNodeConsolidation", fill_b4, BENCH_DECIDE, KARP_METHOD_SINGLE_NODE,
      "100 300 1000 10000" },
    { "b4-repack-", "the same: a repack plan, with the default effort", fill_b4, BENCH_DECIDE, KARP_METHOD_REPACK,
      "20 100" },
    { "b4-idlemulti-", "N nodes that are full, nothing to gain: MultiNodeConsolidation", fill_b4_idle, BENCH_DECIDE,
      KARP_METHOD_MULTI_NODE, "100 300 1000 10000" },
    { "b4-idlesingle-", "the same: SingleNodeConsolidation", fill_b4_idle, BENCH_DECIDE, KARP_METHOD_SINGLE_NODE,
      "100 300 1000 10000" },
    { "b5-nodes-", "N nodes in use: what if each were gone, in turn", fill_b5, BENCH_EACH_NODE, KARP_METHOD_ANY,
      "1000" },
    { "b5-zones-", "N nodes in use: what if each zone were lost, in turn", fill_b5, BENCH_EACH_ZONE, KARP_METHOD_ANY,
      "1000" },
    { "b6-plain-", "1,000 shapes, requests only, 100 types of AWS", fill_b6_plain, BENCH_DECIDE, KARP_METHOD_ANY,
      "10000 100000 1000000" },
    { "b6-mixed-", "1,000 shapes, half spread over zones, a tenth one a host, 100 types of AWS", fill_b6_mixed,
      BENCH_DECIDE, KARP_METHOD_ANY, "10000 100000 1000000" },
    { "b6-few-", "100 shapes, requests only, 100 types of AWS", fill_b6_few, BENCH_DECIDE, KARP_METHOD_ANY,
      "10000 100000 1000000" },
    { "b7-edit-", "b6-plain, in which one pod is replaced; that is what prepare is", fill_b6_plain, BENCH_EDIT_PENDING,
      KARP_METHOD_ANY, "100000" },
    { "b7-bound-", "N nodes in use, in which one pod on a node is replaced", fill_b5, BENCH_EDIT_BOUND, KARP_METHOD_ANY,
      "1000 10000" },
    { "b7-node-", "the same, in which one node is replaced", fill_b5, BENCH_EDIT_NODE, KARP_METHOD_ANY, "1000 10000" },
    { "b8-preferred-one-", "one kind, each pod preferably one a host, 100 types of AWS", fill_b8_one, BENCH_DECIDE,
      KARP_METHOD_ANY, "2000 50000" },
    { "b8-required-one-", "the same as a requirement", fill_b8_required, BENCH_DECIDE, KARP_METHOD_ANY, "2000 50000" },
    { "b8-preferred-anti-", "b2-anti, as a preference", fill_b8_anti, BENCH_DECIDE, KARP_METHOD_ANY, "2000 50000" },
    { "b8-preferred-zone-", "b2-zone, as a preference", fill_b8_zone, BENCH_DECIDE, KARP_METHOD_ANY, "2000 50000" },
    { "b8-preferred-never-", "b8-preferred-anti, and a preferred zone that does not exist", fill_b8_never, BENCH_DECIDE,
      KARP_METHOD_ANY, "2000 50000" },
    { "b9-gang-", "gangs of 8 to 512 pods onto 5,000 nodes and new ones, a third of them in one zone, in profile karp",
      fill_b9_gang, BENCH_KARP, KARP_METHOD_ANY, "10000 100000" },
    { "b9-alone-", "the same pods without gangs", fill_b9_alone, BENCH_KARP, KARP_METHOD_ANY, "10000 100000" },
    { "b-admit-", "N queued workloads, the gangs of b9, over 5,000 nodes: karp_admit()", fill_admit, BENCH_ADMIT,
      KARP_METHOD_ANY, "100 1000" },
    { "c1-plain-", "b2-plain for the least cost, with an effort of 100ms", fill_b2_plain, BENCH_COST, KARP_METHOD_ANY,
      "1000 10000" },
    { "c1-anti-", "b2-anti likewise", fill_b2_anti, BENCH_COST, KARP_METHOD_ANY, "1000" },
    { "c1-zone-", "b2-zone likewise", fill_b2_zone, BENCH_COST, KARP_METHOD_ANY, "1000" },
    { "c1-few-", "b6-few likewise", fill_b6_few, BENCH_COST, KARP_METHOD_ANY, "1000 10000 100000" },
    { "c1-shapes-", "b6-plain likewise", fill_b6_plain, BENCH_COST, KARP_METHOD_ANY, "10000 100000" },
    { "c2-bound-", "N kinds of pods, 25 of each, 700 types of AWS: Karpenter's plan, and the least that any could cost",
      fill_c2, BENCH_BOUND, KARP_METHOD_ANY, "60 200" },
    { "c2-selectors-", "the same, a third of the kinds with a node selector", fill_c2_selectors, BENCH_BOUND,
      KARP_METHOD_ANY, "60 200" },
};

enum { FAMILY_COUNT = sizeof(families) / sizeof(families[0]) };

static void list(void)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        printf("%sN%*s%s; N = %s\n", families[i].prefix, (int)(20 - strlen(families[i].prefix)), "", families[i].text,
               families[i].sizes);
    }
    fputs("N is a number of pods (b4, b5, b7-bound, b7-node: nodes; c2: kinds of pods) from 1 to 10000000, as in "
          "b1-1000. The path of a "
          "Snapshot file will do as well.\n",
          stdout);
}

static const family *find(const char *name, uint32_t *pods)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        size_t length = strlen(families[i].prefix);
        uint64_t number = 0;
        if (strncmp(name, families[i].prefix, length) != 0) {
            continue;
        }
        const char *p = name + length;
        while (*p >= '0' && *p <= '9' && number <= MOST_PODS) {
            number = number * 10 + (uint64_t)(*p++ - '0');
        }
        if (*p == '\0' && number >= 1 && number <= MOST_PODS) {
            *pods = (uint32_t)number;
            return &families[i];
        }
    }
    return NULL;
}

static bool known(const char *name)
{
    uint32_t pods = 0;
    return find(name, &pods) != NULL;
}

static karp_status fill(karp_context *context, const char *name, karp_builder *builder, bench_question *question,
                        karp_error *error)
{
    uint32_t pods = 0;
    const family *chosen = find(name, &pods);
    bench_maker maker = {
        .context = context, .builder = builder, .error = error, .now = (start_of_2026 + 86400) * second
    };
    maker.random = UINT64_C(0x9e3779b97f4a7c15);
    if (chosen != NULL) {
        *question = (bench_question){ chosen->ask, chosen->method, chosen->ask >= BENCH_EDIT_PENDING };
        maker.fleet = chosen->method != KARP_METHOD_ANY;
    }
    for (const char *p = name; *p != '\0'; p++) {
        maker.random = (maker.random ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    }
    karp_status status = chosen == NULL ? KARP_E_INVALID : karp_builder_set_now(builder, maker.now, error);
    if (status == KARP_OK) {
        status = bench_add_pool(&maker);
    }
    if (status == KARP_OK) {
        status = chosen->fill(&maker, pods);
    }
    bench_maker_free(&maker);
    return status;
}

static const bench_inputs named = { list, known, fill, bench_edit, bench_answer };

const bench_inputs *const bench_named = &named;
