/* SPDX-License-Identifier: Apache-2.0 */
/* Surplus pods of a ReplicaSet. */
#ifndef REPLAY_ENGINE_REPLICAS_H
#define REPLAY_ENGINE_REPLICAS_H

#include <replay/common.h>

/* Before the first of several events that delete surplus pods of one ReplicaSet at one time: the pods that it deletes
 * get the names in these events. Its pods are alike but for their names. */
void replicas_choose(engine *e, const trace_event *event);

/* The pods that are deleted if a controller deletes so many, at most all of its pods; `shape`: of one of them. */
void replicas_pick(engine *e, uint32_t shape, uint32_t *out, size_t count);

#endif
