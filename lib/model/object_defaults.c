/* SPDX-License-Identifier: Apache-2.0 */
/* Objects with the API server's defaults: the members that are not zero. */
#include <karp/builder.h>

#include <base/error.h>

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

/* The condition that the scheduler sets on a pod that it could not place; only such pods are pending. */
static const karp_condition pending[] = {
    { .type = TEXT("PodScheduled"),
      .status = TEXT("False"),
      .reason = TEXT("Unschedulable"),
      .last_transition = KARP_NO_TIME },
};
/* The conditions that Karpenter sets on a validated NodePool. */
static const karp_condition checked[] = {
    { .type = TEXT("Ready"), .status = TEXT("True"), .last_transition = KARP_NO_TIME },
    { .type = TEXT("ValidationSucceeded"), .status = TEXT("True"), .last_transition = KARP_NO_TIME },
    { .type = TEXT("NodeClassReady"), .status = TEXT("True"), .last_transition = KARP_NO_TIME },
};
static const karp_budget a_tenth[] = { { .nodes = TEXT("10%"), .duration = KARP_DURATION_UNSET } };

static const int64_t month = INT64_C(720) * 3600 * 1000000000; /* expireAfter of NodePools and NodeClaims */
enum { GRACE_SECONDS = 30 };

void karp_pod_init(karp_pod *pod, size_t size)
{
    const karp_pod own = { .termination_grace_seconds = GRACE_SECONDS,
                           .phase = KARP_PHASE_PENDING,
                           .start_time = KARP_NO_TIME,
                           .conditions = pending,
                           .condition_count = 1 };
    struct_start(pod, size, &own, sizeof own);
}

void karp_templated_pod_init(karp_templated_pod *pod, size_t size)
{
    const karp_templated_pod own = {
        .phase = KARP_PHASE_PENDING, .start_time = KARP_NO_TIME, .conditions = pending, .condition_count = 1
    };
    struct_start(pod, size, &own, sizeof own);
}

void karp_node_init(karp_node *node, size_t size)
{
    const karp_node own = { .size = sizeof own };
    struct_start(node, size, &own, sizeof own);
}

void karp_node_claim_init(karp_node_claim *claim, size_t size)
{
    const karp_node_claim own = { .last_pod_event = KARP_NO_TIME,
                                  .expire_after = month,
                                  .termination_grace_period = KARP_DURATION_UNSET };
    struct_start(claim, size, &own, sizeof own);
}

void karp_node_pool_init(karp_node_pool *pool, size_t size)
{
    const karp_node_pool own = { .budgets = a_tenth,
                                 .budget_count = 1,
                                 .conditions = checked,
                                 .condition_count = sizeof checked / sizeof *checked,
                                 .replicas = -1,
                                 .expire_after = month,
                                 .termination_grace_period = KARP_DURATION_UNSET };
    struct_start(pool, size, &own, sizeof own);
}

void karp_daemon_set_init(karp_daemon_set *daemon_set, size_t size)
{
    const karp_daemon_set own = { .template_ = { .size = sizeof own.template_,
                                                 .termination_grace_seconds = GRACE_SECONDS,
                                                 .start_time = KARP_NO_TIME } };
    struct_start(daemon_set, size, &own, sizeof own);
    if (daemon_set != NULL && size >= offsetof(karp_daemon_set, template_) + sizeof size)
        daemon_set->template_.size = size - offsetof(karp_daemon_set, template_); /* in the caller's version */
}

void karp_capacity_buffer_init(karp_capacity_buffer *buffer, size_t size)
{
    const karp_capacity_buffer own = { .replicas = -1 };
    struct_start(buffer, size, &own, sizeof own);
}

void karp_storage_class_init(karp_storage_class *storage_class, size_t size)
{
    const karp_storage_class own = { .binding_mode = KARP_BINDING_IMMEDIATE };
    struct_start(storage_class, size, &own, sizeof own);
}
