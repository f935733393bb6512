/* SPDX-License-Identifier: Apache-2.0 */
/* PodDisruptionBudgets. */
#ifndef REPLAY_ENGINE_BUDGETS_H
#define REPLAY_ENGINE_BUDGETS_H

#include <replay/engine_pods.h>

typedef struct replay_budget {
    karp_pod_disruption_budget object; /* in the engine's memory */
    uint32_t expected, healthy;
    int32_t allowed, shown; /* allowed disruptions: now, and in the snapshot; shown −1 = not in the snapshot */
} replay_budget;

struct replay_budgets {
    replay_budget *list;
    size_t count, capacity;
};

void budgets_note(engine *e, const replay_shape *shape, int total, int healthy);
bool budgets_allow(engine *e, uint32_t shape); /* uses up a disruption of the budgets if they allow it */
/* Reads the budgets of the objects, and finds the shapes that they select. */
karp_status budgets_read(engine *e);
karp_status budgets_read_again(engine *e); /* an object of this kind has changed */

#endif
