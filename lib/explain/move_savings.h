/* SPDX-License-Identifier: Apache-2.0 */
/* What would be saved if a node's pods went wherever the next plan puts them, whatever keeps the node. */
#pragma once

#include <karp/disrupt.h>
#include <model/snapshot.h>

/* *out receives $/h, 0 if a pod would have no place. The nodes in the set `gone` go anyway.
 * *before: what launches cost without that set; negative = it is not known yet. Status: OK, NOMEM, CANCELED. */
karp_status move_savings(const karp_snapshot *s, const karp_options *common, uint32_t node_number, const uint64_t *gone,
                         double *before, double *out, karp_error *error);
