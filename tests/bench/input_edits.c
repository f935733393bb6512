/* SPDX-License-Identifier: Apache-2.0 */
#include <karp/builder.h>
#include "inputs.h"

/* The first pod of the input, and the node that it runs on if there are nodes. */
#define POD_NAME "pod-000000"
#define NODE_NAME "node-000"

/* Adds a pod with the same name and other requests. */
static karp_status replace_pod(karp_builder *builder, bool bound, unsigned turn, karp_error *error)
{
    const karp_str name = str(POD_NAME);
    const karp_str space = str("default");
    const karp_resource request = { .name = str("cpu"), .text = str(turn % 2 == 0 ? "300m" : "400m") };
    const karp_container container = { .name = str("c"), .requests = &request, .request_count = 1 };
    const karp_condition waiting = { str("PodScheduled"), str("False"), str("Unschedulable"), 0 };
    karp_pod pod = { .size = sizeof(pod),
                     .meta = { .name = name, .namespace_ = space },
                     .containers = &container,
                     .container_count = 1,
                     .termination_grace_seconds = -1 };
    if (bound) {
        pod.node_name = str(NODE_NAME);
        pod.phase = KARP_PHASE_RUNNING;
    } else {
        pod.phase = KARP_PHASE_PENDING;
        pod.conditions = &waiting;
        pod.condition_count = 1;
    }
    karp_status status = karp_builder_remove(builder, str("Pod"), space, name, error);
    return status == KARP_OK ? karp_builder_add_pod(builder, &pod, error) : status;
}

/* Adds a node with the same name and other allocatable amounts. */
static karp_status replace_node(karp_builder *builder, unsigned turn, karp_error *error)
{
    const karp_str name = str(NODE_NAME);
    const karp_label labels[] = {
        { str("karpenter.sh/initialized"), str("true") }, { str("karpenter.sh/nodepool"), str("default") },
        { str("karpenter.sh/registered"), str("true") },  { str("kubernetes.io/arch"), str("amd64") },
        { str("kubernetes.io/hostname"), name },          { str("topology.kubernetes.io/zone"), str("us-west-2a") }
    };
    const karp_resource amounts[] = { { .name = str("cpu"), .text = str(turn % 2 == 0 ? "16" : "8") },
                                      { .name = str("memory"), .text = str("60Gi") },
                                      { .name = str("pods"), .text = str("58") } };
    const karp_condition ready = { str("Ready"), str("True"), str("x"), 0 };
    const karp_node node = { .size = sizeof(node),
                             .meta = { .name = name, .labels = labels, .label_count = 6 },
                             .provider_id = name,
                             .capacity = amounts,
                             .capacity_count = 3,
                             .allocatable = amounts,
                             .allocatable_count = 3,
                             .conditions = &ready,
                             .condition_count = 1 };
    karp_status status = karp_builder_remove(builder, str("Node"), str(""), name, error);
    return status == KARP_OK ? karp_builder_add_node(builder, &node, error) : status;
}

karp_status bench_edit(karp_snapshot **snapshot, bench_question question, unsigned turn, karp_error *error)
{
    karp_builder *builder = NULL;
    karp_snapshot *edited = NULL;
    karp_status status = karp_snapshot_edit(*snapshot, &builder, error);
    if (status == KARP_OK) {
        status = question.ask == BENCH_EDIT_NODE ? replace_node(builder, turn, error)
                                                 : replace_pod(builder, question.ask == BENCH_EDIT_BOUND, turn, error);
    }
    if (status == KARP_OK) {
        status = karp_builder_finish(builder, &edited, error);
    }
    karp_builder_free(builder);
    if (status == KARP_OK) {
        karp_snapshot_unref(*snapshot);
        *snapshot = edited;
    }
    return status;
}
