/* SPDX-License-Identifier: Apache-2.0 */
/* Why a pod was not placed: per pool the category of §22 or the step that refused, the funnel of types, and a message. Works
 * on the state in which the loop ended; costs nothing unless somebody asks. */
#ifndef SCHEDULE_WHY_H
#define SCHEDULE_WHY_H

#include <decision/decision.h>
#include <schedule/places.h>
#include <schedule/solve.h>

/* Fills code, permanence, message, pools and relaxed of the row; targets at explain level full. false = refused memory. */
bool why_unschedulable(scheduler *s, const failure *f, karp_decision *d, karp_unschedulable *row);

#endif
