/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of a controller, without an API server: what is watched becomes a snapshot, the decision becomes machines,
 * pods are bound to them, and the next round starts from what is then there. Objects are plain structs, so libkarp
 * alone is linked. A real controller has its watch where this one has arrays, and a cloud where this one prints a line.
 */
#include <stdio.h>
#include <string.h>

#include <karp/karp.h>

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define AMOUNT(resource, quantity)                                                                                     \
    {                                                                                                                  \
        .name = TEXT(resource), .text = TEXT(quantity)                                                                 \
    }

enum { PODS = 5, MOST_NODES = 8, NAME_ROOM = 32 };
static const int64_t second = INT64_C(1000000000), start = INT64_C(1767225600) * INT64_C(1000000000);

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

static char pod_names[PODS][NAME_ROOM];
static int bound_to[PODS]; /* number of a node, −1 = waits */

static struct machine {
    char name[NAME_ROOM], type[NAME_ROOM], zone[NAME_ROOM];
} machines[MOST_NODES];
static int machine_count;

static karp_str text(const char *s) { return (karp_str){ s, strlen(s) }; }

static karp_status add_pods(karp_builder *builder, int waiting, karp_error *error)
{
    static const karp_resource requests[] = { AMOUNT("cpu", "1500m"), AMOUNT("memory", "2Gi") };
    static const karp_container container = { .name = TEXT("main"), .requests = requests, .request_count = 2 };
    static const karp_condition unschedulable = { TEXT("PodScheduled"), TEXT("False"), TEXT("Unschedulable"),
                                                  KARP_NO_TIME };
    karp_status status = KARP_OK;
    for (int i = 0; i < waiting && status == KARP_OK; i++) {
        karp_pod pod = { .size = sizeof pod,
                         .meta.name = text(pod_names[i]),
                         .containers = &container,
                         .container_count = 1,
                         .termination_grace_seconds = -1,
                         .phase = bound_to[i] < 0 ? KARP_PHASE_PENDING : KARP_PHASE_RUNNING };
        if (bound_to[i] >= 0) pod.node_name = text(machines[bound_to[i]].name);
        else pod.conditions = &unschedulable, pod.condition_count = 1;
        status = karp_builder_add_pod(builder, &pod, error);
    }
    return status;
}

static karp_status add_nodes(karp_builder *builder, karp_error *error)
{
    static const karp_resource amounts[] = { AMOUNT("cpu", "4"), AMOUNT("memory", "8Gi"), AMOUNT("pods", "20") };
    karp_status status = KARP_OK;
    for (int i = 0; i < machine_count && status == KARP_OK; i++) {
        const karp_label labels[] = {
            { TEXT("karpenter.sh/nodepool"), TEXT("default") },
            { TEXT("karpenter.sh/registered"), TEXT("true") },
            { TEXT("karpenter.sh/initialized"), TEXT("true") },
            { TEXT("kubernetes.io/hostname"), text(machines[i].name) },
            { TEXT("node.kubernetes.io/instance-type"), text(machines[i].type) },
            { TEXT("topology.kubernetes.io/zone"), text(machines[i].zone) },
            { TEXT("karpenter.sh/capacity-type"), TEXT("on-demand") },
        };
        const karp_node node = { .size = sizeof node,
                                 .meta.name = text(machines[i].name),
                                 .meta.labels = labels,
                                 .meta.label_count = sizeof labels / sizeof *labels,
                                 .provider_id = text(machines[i].name),
                                 .capacity = amounts,
                                 .capacity_count = 3,
                                 .allocatable = amounts,
                                 .allocatable_count = 3 };
        status = karp_builder_add_node(builder, &node, error);
    }
    return status;
}

static karp_status add_pool(karp_builder *builder, karp_error *error)
{
    static const karp_condition ready[] = {
        { TEXT("Ready"), TEXT("True"), TEXT(""), KARP_NO_TIME },
        { TEXT("ValidationSucceeded"), TEXT("True"), TEXT(""), KARP_NO_TIME },
        { TEXT("NodeClassReady"), TEXT("True"), TEXT(""), KARP_NO_TIME },
    };
    const karp_node_pool pool = { .size = sizeof pool,
                                  .meta.name = TEXT("default"),
                                  .node_class = { TEXT("example.com"), TEXT("ExampleNodeClass"), TEXT("default") },
                                  .conditions = ready,
                                  .condition_count = 3,
                                  .replicas = -1,
                                  .consolidate_after = 0,
                                  .expire_after = KARP_DURATION_NEVER,
                                  .termination_grace_period = KARP_DURATION_UNSET };
    return karp_builder_add_node_pool(builder, &pool, error);
}

/* What the cloud sells: one type in two zones. */
static karp_status sell(karp_context *context, karp_catalogue **out, karp_error *error)
{
    static const karp_str zones[] = { TEXT("a"), TEXT("b") }, on_demand[] = { TEXT("on-demand") },
                          name[] = { TEXT("four") }, arch[] = { TEXT("amd64") }, os[] = { TEXT("linux") };
    static const karp_requirement in_a[] = { { TEXT("topology.kubernetes.io/zone"), KARP_OP_IN, 0, &zones[0], 1 },
                                             { TEXT("karpenter.sh/capacity-type"), KARP_OP_IN, 0, on_demand, 1 } };
    static const karp_requirement in_b[] = { { TEXT("topology.kubernetes.io/zone"), KARP_OP_IN, 0, &zones[1], 1 },
                                             { TEXT("karpenter.sh/capacity-type"), KARP_OP_IN, 0, on_demand, 1 } };
    static const karp_offering offerings[] = {
        { .requirements = in_a, .requirement_count = 2, .price = 0.21, .available = 1 },
        { .requirements = in_b, .requirement_count = 2, .price = 0.20, .available = 1 }
    };
    static const karp_requirement labels[] = { { TEXT("node.kubernetes.io/instance-type"), KARP_OP_IN, 0, name, 1 },
                                               { TEXT("kubernetes.io/arch"), KARP_OP_IN, 0, arch, 1 },
                                               { TEXT("kubernetes.io/os"), KARP_OP_IN, 0, os, 1 },
                                               { TEXT("topology.kubernetes.io/zone"), KARP_OP_IN, 0, zones, 2 },
                                               { TEXT("karpenter.sh/capacity-type"), KARP_OP_IN, 0, on_demand, 1 } };
    static const karp_resource capacity[] = { AMOUNT("cpu", "4"), AMOUNT("memory", "8Gi"), AMOUNT("pods", "20") };
    const karp_instance_type four = { .size = sizeof four,
                                      .name = TEXT("four"),
                                      .requirements = labels,
                                      .requirement_count = 5,
                                      .capacity = capacity,
                                      .capacity_count = 3,
                                      .offerings = offerings,
                                      .offering_count = 2 };
    return karp_catalogue_new(context, &four, 1, out, error);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static karp_status watch(karp_context *context, karp_catalogue *catalogue, int pods, int64_t now, karp_snapshot **out,
                         karp_error *error)
{
    karp_builder *builder = NULL;
    karp_status status = karp_builder_new(context, &builder, error);
    if (status == KARP_OK) status = karp_builder_set_now(builder, now, error);
    if (status == KARP_OK) status = karp_builder_add_catalogue(builder, catalogue, NULL, 0, error);
    if (status == KARP_OK) status = add_pool(builder, error);
    if (status == KARP_OK) status = add_nodes(builder, error);
    if (status == KARP_OK) status = add_pods(builder, pods, error);
    if (status == KARP_OK) status = karp_builder_finish(builder, out, error);
    karp_builder_free(builder);
    return status;
}

/* Starts what the decision asks for, and binds pods as kube-scheduler would: pod indices are those of the builder's
 * calls. */
static void act(const karp_decision *plan)
{
    for (size_t i = 0; i < karp_decision_placement_count(plan); i++) {
        karp_placement p = { .size = sizeof p };
        if (karp_decision_placement(plan, i, &p) != KARP_OK) return;
        for (int m = 0; m < machine_count; m++) {
            if (strcmp(machines[m].name, p.node.ptr) != 0) continue;
            for (size_t k = 0; k < p.pod_count; k++) bound_to[p.pods[k]] = m;
        }
        printf("  %s receives %zu\n", p.node.ptr, p.pod_count);
    }
    for (size_t i = 0; i < karp_decision_launch_count(plan) && machine_count < MOST_NODES; i++) {
        karp_launch l = { .size = sizeof l };
        if (karp_decision_launch(plan, i, &l) != KARP_OK) return;
        struct machine *m = &machines[machine_count];
        snprintf(m->name, sizeof m->name, "node-%d", machine_count);
        snprintf(m->type, sizeof m->type, "%s", l.choice.instance_type.ptr);
        snprintf(m->zone, sizeof m->zone, "%s", l.choice.zone.ptr);
        for (size_t k = 0; k < l.pod_count; k++) bound_to[l.pods[k]] = machine_count;
        machine_count++;
        printf("  start %s: %s in %s for %zu pods, $%.2f/h\n", m->name, m->type, m->zone, l.pod_count, l.choice.price);
    }
}

int main(void)
{
    karp_error error;
    karp_context *context = NULL;
    karp_catalogue *catalogue = NULL;
    karp_error_init(&error, sizeof error);
    for (int i = 0; i < PODS; i++) {
        snprintf(pod_names[i], sizeof pod_names[i], "web-%d", i);
        bound_to[i] = -1;
    }
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = sell(context, &catalogue, &error);
    for (int round = 0, pods = 1; round < 4 && status == KARP_OK; round++) {
        karp_snapshot *snapshot = NULL;
        karp_decision *plan = NULL;
        printf("round %d, %d pods\n", round, pods);
        status = watch(context, catalogue, pods, start + round * 10 * second, &snapshot, &error);
        if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
        if (status == KARP_OK) act(plan);
        karp_decision_unref(plan);
        karp_snapshot_unref(snapshot);
        pods = pods + 2 < PODS ? pods + 2 : PODS; /* somebody scales up */
    }
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.object, error.field, error.message);
    karp_catalogue_unref(catalogue);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
