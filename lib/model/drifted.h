/* SPDX-License-Identifier: Apache-2.0 */
/* Why a node is drifted: the reason of its NodeClaim's condition. */
#pragma once

#include <model/snapshot.h>

/* "" = it is not; "Drifted" = the condition states no reason. */
karp_str drift_reason(const karp_snapshot *s, const state_node *n);
