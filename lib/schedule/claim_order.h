/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which open claims are tried (scheduling.md §17.4, §19): by pod count; among equals, who received a pod last
 * comes first, new claims come last.
 *
 * Claims stand in lanes, one for each set of requirements: where requirements or a topology domain refuse a pod they refuse
 * it for the whole lane. A search visits the claims of all lanes in their common order, and a run of equal pods goes on where
 * the pod before stood.
 */
#ifndef SCHEDULE_CLAIM_ORDER_H
#define SCHEDULE_CLAIM_ORDER_H

#include <schedule/scheduler.h>

void claim_order_clear(scheduler *s); /* no claims; the lanes' memory is the round's */
void claim_unlink(scheduler *s, uint32_t number);
void claim_link_front(scheduler *s, uint32_t number); /* it has just received a pod */
void claim_link_back(scheduler *s, uint32_t number); /* it is new */

/* ---- one pod's search ---- */

void search_begin(scheduler *s, uint32_t view_number);
/* The next claim that has not refused the class for good; NO_ID = none is left. */
uint32_t search_next(scheduler *s, class_state *k);
/* The claim has refused: search_next() goes on behind it. */
enum refused_how { REFUSED_NOW, REFUSED_FOR_THE_RUN };
void search_refused(scheduler *s, enum refused_how how);
/* The claim has no room for the class, and never will. */
void search_too_small(scheduler *s, class_state *k, uint32_t number);
/* So do all claims of its lane, when they have their requirements in common. false = they have not. */
bool search_lane_refused(scheduler *s, enum refused_how how);
/* The claim takes the pod: it is about to be unlinked. */
void search_took(scheduler *s);
/* All claims refused, so the pod opened this one, which is linked. */
void search_opened(scheduler *s, uint32_t view_number, uint32_t number);
void search_end(scheduler *s); /* no run goes on */

/* Whether a refusal of a pod of the view holds for the rest of the run, whatever it is about. */
bool refusals_last(const scheduler *s, const view *v);
/* Claims the class can never get into again in this round. */
bool refused_for_good(const scheduler *s, const class_state *k, uint32_t number);
/* The claim's host is of them, for all classes like this one. */
void barred_for_good(scheduler *s, const class_state *k, uint32_t number);

#endif
