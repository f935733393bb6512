/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server asks of a pod, and of the objects that create pods. */
#pragma once

#include <io/rules.h>

/* `template_` has metadata and spec; `operated`: it is one of an operator's object. */
void io_check_pod_rules(io_reason *r, const tree *template_, bool operated);
/* The fields of a workload of Kubernetes beside its pod template, or of an object that bounds pods:
 * PodDisruptionBudget, LimitRange, ResourceQuota, RuntimeClass, PersistentVolumeClaim. */
void io_check_workload_rules(io_reason *r, const tree *root);

/* The counts of an object whose operator makes pods. */
void io_check_operated_rules(io_reason *r, const tree *root);
