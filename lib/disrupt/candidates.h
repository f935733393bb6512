/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes may be removed (deprovisioning.md §5), and which of them a method looks at (§6). */
#ifndef DISRUPT_CANDIDATES_H
#define DISRUPT_CANDIDATES_H

#include <disrupt/pass.h>

/* Fills candidates, eligible and, for the others, stays. Status: OK, NOMEM. */
karp_status pass_candidates(pass *p, karp_error *error);

/* Fills buffer_nodes when the method asks for them. Status: OK, NOMEM. */
karp_status pass_buffer_nodes(pass *p, karp_error *error);

/* Whether the class of the method tolerates pods that block (§1). */
bool method_eventual(uint32_t method);
/* The instant at which its claim has lived for its expireAfter; KARP_NO_TIME = never. */
int64_t candidate_expires(const pass *p, const candidate *c);
/* No pod of it would be missed (§5; D-Q8 counts pods by their cost). */
bool candidate_empty(const pass *p, const candidate *c);

#endif
