/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that a controller creates and deletes. */
#pragma once

#include <replay/common.h>

/* Before the first of several events that delete surplus pods of one ReplicaSet at one time: the pods that it deletes
 * get the names in these events. Its pods are alike but for their names. */
void replicas_choose(engine *e, const trace_event *event);

#define REPLICAS_ALL UINT32_MAX /* sets */

/* Creates a pod of the shape in the set, with the next name that no pod has: NAME-NEXT. */
void replicas_add(engine *e, uint32_t shape, uint32_t set, karp_str name, uint64_t *next);
/* Deletes so many pods of the controller, at most all: of its sets only this one. `shape`: of one of its pods. */
void replicas_remove(engine *e, uint32_t shape, uint32_t set, size_t count);
