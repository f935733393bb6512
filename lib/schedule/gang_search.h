/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search for places of a group's pods, for which placing one after another did not work: a pod may have taken the
 * only place that another could use. It is complete unless it takes too many steps.
 */
#pragma once

#include <schedule/gangs.h>

/* Places at least so many of the members that are to be placed, and returns their number; 0 = none was placed. */
uint32_t gang_search(scheduler *s, const member_group *g, uint32_t least, gang_result *r);
/* Places the pod on the host, under any step of its ladder. */
bool gang_put(scheduler *s, uint32_t pod_number, uint32_t host_index);
