/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which open claims are tried (scheduling.md §17.4, §19). */
#ifndef SCHEDULE_CLAIM_ORDER_H
#define SCHEDULE_CLAIM_ORDER_H

#include <schedule/scheduler.h>

void claim_unlink(scheduler *s, uint32_t number);
void claim_link_front(scheduler *s, uint32_t number); /* it has just received a pod */
void claim_link_back(scheduler *s, uint32_t number);  /* it is new */

/* Where a search for the view starts: at the front, or where the run of equal pods before it stood. */
void claim_run_begin(scheduler *s, uint32_t view_number, uint32_t *count, uint32_t *next);
/* A claim of bucket `count` took the pod; `next` was behind it. */
void claim_run_placed(scheduler *s, uint32_t view_number, uint32_t count, uint32_t next);
/* Every claim refused, so the pod opened this one. */
void claim_run_opened(scheduler *s, uint32_t view_number, uint32_t number);
/* Something else happened. */
void claim_run_end(scheduler *s);

#endif
