/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of selectors that Karpenter remembers while it searches devices for one candidate (quirk S-Q38). It remembers
 * them by driver, pool and name of a device, and by request. Devices of several instance types may have equal names and
 * different attributes. The result for the first of them then counts for all.
 */
#pragma once

#include <schedule/device_run.h>

void answers_init(scheduler *s);
void answers_begin(scheduler *s); /* before the first type of a candidate */
void answers_free(scheduler *s);

/* Whether results for the device are remembered. Devices of the cluster have unique names. */
bool answers_kept(const scheduler *s, uint32_t number);
/* The result that the search uses: CEL_YES, CEL_NO or CEL_ERROR. */
uint32_t device_answer(scheduler *s, uint32_t number, const live_request *r);
/* The same when the search asks the selectors of a request about a device whose results are remembered. An error is
 * not. */
uint32_t answers_visit(scheduler *s, uint32_t number, const live_request *r);

/*
 * Visits of what the search leaves out because it is equal to something that failed. `since` is an earlier value of
 * answers_time(): visits after it count.
 */
uint32_t answers_time(const scheduler *s);
/* The search with `one` in place of `other` (devices of one kind) was left out: each was visited where the other was.
 */
void answers_swap(scheduler *s, const allocation *a, uint32_t one, uint32_t other, uint32_t since);
/* Whether two alternatives with equal selectors have equal results for all devices of the type. Those of one may be
 * remembered, and those of the other not. */
bool answers_equal(scheduler *s, const allocation *a, uint32_t index, const live_request *one,
                   const live_request *other);
/* Such an alternative was left out: each device was visited for it where it was for the equal one. */
void answers_repeat(scheduler *s, const allocation *a, uint32_t index, const live_request *left_out,
                    const live_request *equal, uint32_t since);
