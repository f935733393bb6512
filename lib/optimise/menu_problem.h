/* SPDX-License-Identifier: Apache-2.0 */
/* A menu (schedule/menu.h) as a packing problem. */
#ifndef OPTIMISE_MENU_PROBLEM_H
#define OPTIMISE_MENU_PROBLEM_H

#include <optimise/packing.h>
#include <schedule/guide.h>
#include <schedule/menu.h>

/* Allocated in `a`; also points to arrays of the menu. false = out of memory. */
bool menu_problem(arena *a, const menu *m, packing_problem *out);

/* guide_types() of an offer, computed once. `known` caches results by offer; initially 0. */
uint32_t menu_types(scheduler *s, const menu *m, uint32_t offer, const policy *p, uint32_t *known);

#endif
