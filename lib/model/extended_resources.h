/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extended resources that devices serve: a pod that requests one gets devices of a DeviceClass, on nodes that have none
 * of the resource. Karpenter 1.15 does not know them. Source: Kubernetes 1.37, pkg/scheduler/framework/plugins
 * /dynamicresources/extendeddynamicresources.go.
 */
#pragma once

#include <model/snapshot.h>

/* The index of the DeviceClass that serves the resource; NO_ID = none. Of several, the one that was created last. */
uint32_t extended_class(const karp_snapshot *s, uint32_t resource);
/* Whether pods of the shape need devices: they have resource claims, or request such a resource. */
bool shape_needs_devices(const karp_snapshot *s, const shape *h);
/* Whether devices serve the resource of the column. */
bool column_served(const karp_snapshot *s, uint32_t column);
