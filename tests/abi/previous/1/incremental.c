/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller's loop over 5,000 nodes that edits its snapshot instead of building it anew. In each round some pods are
 * created and some are gone; what the plan says is done, and becomes part of the next edit. Memory of removed objects
 * is freed with the series of edited snapshots, so the cluster is built anew every REBUILD rounds: memory stays flat.
 */
#include <stdio.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/inspect.h>
#include <karp/karp.h>
#include <karp/library.h>

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define AMOUNT(resource, quantity)                                                                                     \
    {                                                                                                                  \
        .name = TEXT(resource), .text = TEXT(quantity)                                                                 \
    }

enum { NODES = 5000, ROUNDS = 120, REBUILD = 20, PODS_A_ROUND = 100, LIFE = 10, PODS = PODS_A_ROUND * LIFE, ROOM = 24 };
static const int64_t second = INT64_C(1000000000), start = INT64_C(1767225600) * INT64_C(1000000000);

static char node_names[NODES][ROOM];
/* The pods that exist, a ring: those of a round take the places of those that were created LIFE rounds before. */
static struct pod {
    char name[ROOM];
    int exists, node; /* node: −1 = waits */
} pods[PODS];

static karp_str text(const char *s) { return (karp_str){ s, strlen(s) }; }

static karp_status add_node(karp_builder *builder, int i, karp_error *error)
{
    static const karp_resource amounts[] = { AMOUNT("cpu", "4"), AMOUNT("memory", "8Gi"), AMOUNT("pods", "20") };
    const karp_label labels[] = { { TEXT("kubernetes.io/hostname"), text(node_names[i]) },
                                  { TEXT("topology.kubernetes.io/zone"), i % 2 ? text("a") : text("b") } };
    karp_node node;
    karp_node_init(&node, sizeof node);
    node.meta.name = node.provider_id = text(node_names[i]);
    node.meta.labels = labels;
    node.meta.label_count = 2;
    node.capacity = node.allocatable = amounts;
    node.capacity_count = node.allocatable_count = 3;
    return karp_builder_add_node(builder, &node, error);
}

static karp_status add_pod(karp_builder *builder, const struct pod *p, karp_error *error)
{
    static const karp_resource requests[] = { AMOUNT("cpu", "1500m"), AMOUNT("memory", "2Gi") };
    static const karp_container container = { .name = TEXT("main"), .requests = requests, .request_count = 2 };
    karp_pod pod;
    karp_pod_init(&pod, sizeof pod);
    pod.meta.name = text(p->name);
    pod.containers = &container;
    pod.container_count = 1;
    if (p->node >= 0) {
        pod.node_name = text(node_names[p->node]);
        pod.phase = KARP_PHASE_RUNNING;
    }
    return karp_builder_add_pod(builder, &pod, error);
}

/* A NodePool, without which Karpenter plans nothing. Here it launches nothing: there are no instance types. */
static karp_status add_pool(karp_builder *builder, karp_error *error)
{
    static const karp_condition ready[] = {
        { TEXT("Ready"), TEXT("True"), TEXT(""), KARP_NO_TIME },
        { TEXT("ValidationSucceeded"), TEXT("True"), TEXT(""), KARP_NO_TIME },
        { TEXT("NodeClassReady"), TEXT("True"), TEXT(""), KARP_NO_TIME },
    };
    karp_node_pool pool;
    karp_node_pool_init(&pool, sizeof pool);
    pool.meta.name = text("default");
    pool.node_class = (karp_node_class_ref){ TEXT("example.com"), TEXT("ExampleNodeClass"), TEXT("default") };
    pool.conditions = ready;
    pool.condition_count = 3;
    return karp_builder_add_node_pool(builder, &pool, error);
}

static karp_status build(karp_context *context, karp_builder **out, karp_error *error)
{
    karp_status status = karp_builder_new(context, out, error);
    if (status == KARP_OK) status = add_pool(*out, error);
    for (int i = 0; i < NODES && status == KARP_OK; i++) status = add_node(*out, i, error);
    for (int i = 0; i < PODS && status == KARP_OK; i++) {
        if (pods[i].exists) status = add_pod(*out, &pods[i], error);
    }
    return status;
}

/* What the last plan did: the pods that were placed are on their nodes now. */
static karp_status bind(karp_builder *builder, const int *placed, size_t count, karp_error *error)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < count && status == KARP_OK; i++) {
        const struct pod *p = &pods[placed[i]];
        if (!p->exists) continue;
        const karp_pod_status now = { .size = sizeof now,
                                      .node_name = text(node_names[p->node]),
                                      .start_time = KARP_NO_TIME,
                                      .deletion = KARP_NO_TIME,
                                      .phase = KARP_PHASE_RUNNING };
        status = karp_builder_set_pod_status(builder, text(""), text(p->name), &now, error);
    }
    return status;
}

/* The pods of this round replace the oldest ones. */
static karp_status come_and_go(karp_builder *builder, int round, karp_error *error)
{
    karp_status status = KARP_OK;
    for (int i = 0; i < PODS_A_ROUND && status == KARP_OK; i++) {
        struct pod *p = &pods[round % LIFE * PODS_A_ROUND + i];
        if (p->exists) status = karp_builder_remove(builder, text("Pod"), text(""), text(p->name), error);
        snprintf(p->name, sizeof p->name, "pod-%d-%d", round, i);
        p->exists = 1;
        p->node = -1;
        if (status == KARP_OK) status = add_pod(builder, p, error);
    }
    return status;
}

/* The number after the dash; moves past it. */
static int number_after_dash(const char **at)
{
    int number = 0;
    while (**at && **at != '-') ++*at;
    if (**at) ++*at;
    for (; **at >= '0' && **at <= '9'; ++*at) number = number * 10 + (**at - '0');
    return number;
}

/* Notes the nodes that the plan has for pods, as kube-scheduler would bind them. */
static size_t note_places(const karp_snapshot *snapshot, const karp_decision *plan, int placed[PODS])
{
    size_t count = 0;
    for (size_t i = 0; i < karp_decision_placement_count(plan); i++) {
        karp_placement p = { .size = sizeof p };
        if (karp_decision_placement(plan, i, &p) != KARP_OK) continue;
        const char *node = p.node.ptr; /* "node-7" */
        int number = number_after_dash(&node);
        for (size_t k = 0; k < p.pod_count; k++) {
            const char *pod = karp_snapshot_pod_name(snapshot, p.pods[k]).ptr; /* "default/pod-3-42" */
            int round = number_after_dash(&pod);
            placed[count] = round % LIFE * PODS_A_ROUND + number_after_dash(&pod);
            pods[placed[count++]].node = number;
        }
    }
    return count;
}

int main(void)
{
    static int placed[PODS];
    size_t placed_count = 0, all = 0;
    uint64_t most[2] = { 0, 0 }; /* memory in use in the first and second half of the rounds */
    int built = 0;
    karp_error error;
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error_init(&error, sizeof error);
    for (int i = 0; i < NODES; i++) snprintf(node_names[i], sizeof node_names[i], "node-%d", i);
    karp_context_options options;
    karp_context_options_init(&options, sizeof options);
    options.max_memory = UINT64_C(256) << 20; /* a ceiling, so that memory is counted */
    karp_status status = karp_context_new(&options, &context, &error);
    for (int round = 0; round < ROUNDS && status == KARP_OK; round++) {
        karp_builder *builder = NULL;
        karp_decision *plan = NULL;
        if (round % REBUILD == 0) {
            karp_snapshot_unref(snapshot);
            snapshot = NULL;
            status = build(context, &builder, &error);
            built++;
        } else {
            status = karp_snapshot_edit(snapshot, &builder, &error);
            if (status == KARP_OK) status = bind(builder, placed, placed_count, &error);
        }
        if (status == KARP_OK) status = come_and_go(builder, round, &error);
        if (status == KARP_OK) status = karp_builder_set_now(builder, start + round * 10 * second, &error);
        karp_snapshot_unref(snapshot);
        snapshot = NULL;
        if (status == KARP_OK) status = karp_builder_finish(builder, &snapshot, &error);
        karp_builder_free(builder);
        if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &error);
        if (status == KARP_OK) all += placed_count = note_places(snapshot, plan, placed);
        uint64_t *half = &most[round >= ROUNDS / 2];
        if (*half < karp_context_memory(context)) *half = karp_context_memory(context);
        karp_decision_unref(plan);
    }
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.object, error.field, error.message);
    else printf("%d rounds, %zu pods placed on %d nodes, built anew %d times\n", ROUNDS, all, NODES, built);
    if (status == KARP_OK) puts(most[0] > 0 && most[1] <= most[0] + most[0] / 50 ? "memory is flat" : "memory grows");
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    return status == KARP_OK ? 0 : 1;
}
