/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over pods without groups, as the loop over groups uses it. */
#pragma once

#include <schedule/common.h>

/* Places the pods in their order, as long as that makes progress. Returns the number of those that are left; the list
 * is used as scratch. */
uint32_t loop_place(scheduler *s, uint32_t *pods, uint32_t count);
/* Adds a pod to the failures of the round. false = out of memory. */
bool loop_fail(scheduler *s, uint32_t pod_number, uint32_t view_number, uint32_t reason);
/* The same with the outcome of its last attempt. */
bool loop_fail_left(scheduler *s, uint32_t pod_number);
