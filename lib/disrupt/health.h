/* SPDX-License-Identifier: Apache-2.0 */
/* How the provider's repair policies apply to a node (K15-8). */
#ifndef DISRUPT_HEALTH_H
#define DISRUPT_HEALTH_H

#include <disrupt/pass.h>

/* The repair policies of a pass, with compiled expressions. NULL = out of memory. */
struct health *health_new(pass *p);
/* The repair decision for the node, in the pass's arena; *out NULL = no policy applies yet. false = out of memory. */
bool health_verdict(pass *p, const struct health *h, uint32_t state_node_number, const repair_verdict **out);
/* By store pool: whether more than a fifth of its nodes are unhealthy. NULL = out of memory. */
bool *health_tripped(pass *p);

#endif
