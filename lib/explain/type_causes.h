/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of a launch that the instance types of its NodePool show. */
#pragma once

#include <explain/explain_pod.h>
#include <explain/market.h>

/* Why a launch has no further pod like the one that is explained. Nothing is said unless another launch has such a pod.
 * `type`: of the launch, in the market's table. */
void one_more_cause(karp_pod_explanation *e, const karp_snapshot *s, market *m, const karp_launch *l, uint32_t type);
/* That the type is of an old generation, which no requirement of the NodePool keeps out. */
void generation_cause(karp_pod_explanation *e, const karp_snapshot *s, market *m, const karp_launch *l, uint32_t type);
/* domain_causes.c: that it has more pods than the type has addresses, or more volumes than most types attach. */
void crowd_causes(karp_pod_explanation *e, const karp_snapshot *s, const market *m, const karp_launch *l,
                  uint32_t type);
