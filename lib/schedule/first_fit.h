/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a round would come to, found without making it, for those who only ask whether nodes can go. Most pods ask for nothing that
 * depends on other pods: which existing node takes them follows from amounts alone, and that is gone through here, pod by pod, in
 * the order of a round.
 */
#ifndef SCHEDULE_FIRST_FIT_H
#define SCHEDULE_FIRST_FIT_H

#include <schedule/common.h>

/* scheduler_in_vain() of solve.h is the question. */
void first_fit_free(scheduler *s);

#endif
