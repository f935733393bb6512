/* SPDX-License-Identifier: Apache-2.0 */
#include <support/editing.h>

#include <stdio.h>
#include <string.h>

#include <karp/builder.h>

static karp_str text(const char *s) { return (karp_str){ s, strlen(s) }; }

/* The builder becomes a snapshot, unless something has failed. */
static karp_snapshot *end(karp_builder *b, karp_status status)
{
    karp_snapshot *to = NULL;
    if (status == KARP_OK) status = karp_builder_finish(b, &to, NULL);
    karp_builder_free(b);
    return status == KARP_OK ? to : NULL;
}

karp_snapshot *edited_pod(const karp_snapshot *from, const char *name, const char *node_name, const char *cpu)
{
    const karp_resource request = { .name = text("cpu"), .text = text(cpu) };
    const karp_container container = { .name = text("c"), .requests = &request, .request_count = 1 };
    karp_builder *b = NULL;
    karp_status status = karp_snapshot_edit(from, &b, NULL);
    if (status != KARP_OK) return NULL;
    (void)karp_builder_remove(b, text("Pod"), text("default"), text(name), NULL); /* it need not be there */
    if (node_name != NULL) {
        const karp_pod p = { .size = sizeof p,
                             .meta = { .name = text(name), .namespace_ = text("default") },
                             .containers = &container,
                             .container_count = 1,
                             .node_name = text(node_name),
                             .phase = KARP_PHASE_RUNNING,
                             .termination_grace_seconds = -1 };
        status = karp_builder_add_pod(b, &p, NULL);
    }
    return end(b, status);
}

karp_snapshot *edited_node(const karp_snapshot *from, const char *name, const char *cpu)
{
    char provider[64];
    karp_builder *b = NULL;
    karp_status status = karp_snapshot_edit(from, &b, NULL);
    if (status != KARP_OK) return NULL;
    (void)karp_builder_remove(b, text("Node"), text(""), text(name), NULL);
    if (cpu != NULL) {
        const karp_label label = { text("kubernetes.io/hostname"), text(name) };
        const karp_resource amounts[] = { { .name = text("cpu"), .text = text(cpu) },
                                          { .name = text("memory"), .text = text("8Gi") },
                                          { .name = text("pods"), .text = text("10") } };
        (void)snprintf(provider, sizeof provider, "test://%s", name);
        const karp_node n = { .size = sizeof n,
                              .meta = { .name = text(name), .labels = &label, .label_count = 1 },
                              .provider_id = text(provider),
                              .capacity = amounts,
                              .capacity_count = 3,
                              .allocatable = amounts,
                              .allocatable_count = 3 };
        status = karp_builder_add_node(b, &n, NULL);
    }
    return end(b, status);
}
