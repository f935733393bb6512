/* SPDX-License-Identifier: Apache-2.0 */
/* Taking candidates as long as their pools' budgets last (deprovisioning.md §10, §16). */
#ifndef DISRUPT_WITHIN_H
#define DISRUPT_WITHIN_H

#include <disrupt/pass.h>

/* Keeps, in place and in order, those that the remaining disruptions allow; the others stay for that reason. false = refused. */
bool keep_within_budget(pass *p, uint32_t *order, uint32_t count, uint32_t *kept);

#endif
