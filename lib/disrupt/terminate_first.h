/* SPDX-License-Identifier: Apache-2.0 */
/* Commands for one node that has to go, whatever it costs: replaced, or terminated before its replacement is launched (K15-10). */
#ifndef DISRUPT_TERMINATE_FIRST_H
#define DISRUPT_TERMINATE_FIRST_H

#include <disrupt/static_reservations.h>

/* Whether nodes may be terminated first under this gate. */
bool terminate_first_on(const pass *p, uint32_t gate);

/* The node's pods find places, or, with `terminate_first` and a reservation that it holds, would once it is gone. Adds the command,
 * or says in `stays` why there is none. *done: the method has ended. `number` must outlive the pass. Status: OK, NOMEM. */
karp_status move_pods_away(pass *p, const uint32_t *number, bool terminate_first, bool *done, karp_error *error);

/* Commands for a node of a static pool: one launch of the pool's template in its place, or none yet. false = out of memory. */
bool replace_static_node(pass *p, const uint32_t *number);
bool terminate_static_node(pass *p, const uint32_t *number, uint32_t why);

#endif
