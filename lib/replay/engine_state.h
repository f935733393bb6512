/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a replay as a document: engine_save.c writes it, engine_resume.c restores it. */
#pragma once

#include <replay/common.h>

/* The state of the replay beyond the cluster, as member "replay" of its Snapshot. NULL = a failure. */
tree *engine_state(engine *e, trees *t);
/* Restores the engine's state from that of the replay that dumped the cluster. The engine must have just begun with
 * that cluster. */
karp_status engine_resume(engine *e, const tree *state);
/* A launch with the requests of its pods. */
tree *launch_state(engine *e, trees *t, const karp_launch *launch, const int64_t amounts[RESOURCES_MOST]);
void launch_from_state(engine *e, const tree *state, karp_launch *launch, int64_t amounts[RESOURCES_MOST]);
tree *amounts_state(const engine *e, trees *t, const int64_t amounts[RESOURCES_MOST]);
void amounts_from_state(engine *e, const tree *state, int64_t amounts[RESOURCES_MOST]);
