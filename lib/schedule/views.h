/* SPDX-License-Identifier: Apache-2.0 */
/* Pod classes as far as they have been relaxed (scheduling.md §6.2, §17.1, §26). */
#ifndef SCHEDULE_VIEWS_H
#define SCHEDULE_VIEWS_H

#include <schedule/scheduler.h>

/* The unrelaxed view of a class, made when new. NO_ID = refused. */
uint32_t view_of_class(scheduler *s, uint32_t class_number);
/* The view after one more step of the ladder: LAST_VIEW = nothing left to give up, NO_ID = refused. */
uint32_t view_relax(scheduler *s, uint32_t view_number);

#endif
