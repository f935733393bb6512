/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts of resources as the scheduler counts them: whole numbers, rounded up. */
#pragma once

#include <kube/cluster.h>

/* In thousandths if `milli`. Amounts beyond 2^53 count as 2^53, so that sums and a hundred times an amount fit. */
int64_t kube_amount_of(const karp_resource *r, bool milli);
/* The number of a resource, which is new if no pod or node had it. KUBE_NONE = a failure, which the cluster keeps. */
uint32_t kube_resource(kube_cluster *c, karp_str name);
/* Requests of all containers of the pod and its overhead: the sum or the largest init container, whichever is more.
 * missing[] is what a container that states no request of cpu or memory counts as; whole: the requests of the pod as a
 * whole replace those of its containers. Writes by resource. */
void kube_requests(kube_cluster *c, const karp_pod *pod, const int64_t missing[2], bool whole,
                   int64_t out[KUBE_RESOURCES_MOST]);
