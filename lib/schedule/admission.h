/* SPDX-License-Identifier: Apache-2.0 */
/* Which pods a round is about (scheduling.md §2). */
#ifndef SCHEDULE_ADMISSION_H
#define SCHEDULE_ADMISSION_H

#include <schedule/scheduler.h>

/* Fills s->waiting, s->leaving (in list order), s->excluded and s->ignored: the pods the input names, else pending ones and
 * those of nodes being deleted. A simulation's moving pods come between the two. */
bool admission_init(scheduler *s);

/* Why a pending pod is not valid; KARP_REASON_NONE when it is. *detail receives one line, in the arena. */
uint32_t pod_invalid(scheduler *s, uint32_t pod_number, const char **detail);

#endif
