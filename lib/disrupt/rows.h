/* SPDX-License-Identifier: Apache-2.0 */
/* From a finished pass to the rows of a decision. */
#ifndef DISRUPT_ROWS_H
#define DISRUPT_ROWS_H

#include <decision/decision.h>
#include <disrupt/pass.h>

/* Status: OK, NOMEM. */
karp_status disruption_rows(pass *p, karp_decision *d, karp_error *error);

#endif
