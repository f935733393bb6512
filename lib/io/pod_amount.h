/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod requests of one resource, from its spec, as Kubernetes' PodRequests() computes it. */
#pragma once

#include <json/tree.h>

#include <karp/values.h>

/* Adds the quantity. An amount that is not a quantity, or too large, is left out: the decoder reports it. */
void io_add_amount(char sum[KARP_VALUE_TEXT], karp_str amount);
/* The request of a pod with this spec. from_limits = a container that only states a limit requests as much: the API
 * server fills this in for pods, but not for templates. "" = neither a container nor the pod requests any. */
void io_pod_amount(const tree *spec, karp_str resource, bool from_limits, char sum[KARP_VALUE_TEXT]);
/* The limit of such a pod, likewise. */
void io_pod_limit(const tree *spec, karp_str resource, char sum[KARP_VALUE_TEXT]);
/* The request or the limit without the pod's overhead: what a LimitRange bounds. */
void io_pod_amount_alone(const tree *spec, karp_str resource, bool limit, char sum[KARP_VALUE_TEXT]);
