/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes can be disrupted, and which of them a method considers. */
#pragma once

#include <disrupt/pass.h>

/* Fills candidates and eligible, and stays for the other nodes. Status: OK, NOMEM. */
karp_status pass_candidates(pass *p, karp_error *error);

/* Fills buffer_nodes if the method needs them. Status: OK, NOMEM. */
karp_status pass_buffer_nodes(pass *p, karp_error *error);

/* Whether the node has no pod to reschedule. */
bool candidate_empty(const pass *p, const candidate *c);
/* The cost of evicting its pods, less as its claim comes closer to expireAfter. */
double candidate_disruption_cost(const pass *p, const candidate *c);
