/* SPDX-License-Identifier: Apache-2.0 */
/* PodDisruptionBudgets. */
#pragma once

#include <kube/eviction.h>
#include <replay/engine_pods.h>

typedef struct replay_budget {
    karp_pod_disruption_budget object; /* in the engine's memory */
    kube_covered covered;
    int32_t allowed, shown; /* allowed disruptions: now, and in the snapshot; shown −1 = not in the snapshot */
} replay_budget;

struct replay_budgets {
    replay_budget *list;
    size_t count, capacity;
};

void budgets_note(engine *e, const replay_shape *shape, int total, int healthy);
bool budgets_allow(engine *e, uint32_t shape); /* whether a pod on a node may be evicted */
/* Reads the budgets of the objects, and finds the shapes that they select. */
karp_status budgets_read(engine *e);
karp_status budgets_read_again(engine *e); /* an object of this kind has changed */
