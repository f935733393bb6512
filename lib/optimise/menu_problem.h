/* SPDX-License-Identifier: Apache-2.0 */
/* What a menu offers and asks for (schedule/menu.h), as the problem of a packing. */
#ifndef OPTIMISE_MENU_PROBLEM_H
#define OPTIMISE_MENU_PROBLEM_H

#include <optimise/packing.h>
#include <schedule/guide.h>
#include <schedule/menu.h>

/* Lies in `a`, and has lists of the menu's. false = refused. */
bool menu_problem(arena *a, const menu *m, packing_problem *out);

/* guide_types() of an offer, which is asked for once: `known` is by offer, 0 at first. */
uint32_t menu_types(scheduler *s, const menu *m, uint32_t offer, const policy *p, uint32_t *known);

#endif
