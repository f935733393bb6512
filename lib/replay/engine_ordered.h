/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that a StatefulSet (OrderedReady) creates one after another: each when those before it run. Until then a pod is
 * held: decisions and kube-scheduler do not see it.
 */
#pragma once

#include <replay/common.h>

/* Holds the new pod if one before it of its StatefulSet does not run yet. */
bool ordered_hold(engine *e, uint32_t pod);
/* Creates the next pods of all StatefulSets whose pods run. false = there are none. */
bool ordered_go_on(engine *e);
