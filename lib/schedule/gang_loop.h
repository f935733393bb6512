/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduling loop of profile KARP for clusters with groups of pods (docs/gangs.md). Groups are placed as a whole or
 * not at all, and pods without a group as in the ordinary loop. What comes first: the higher priority, then the earlier
 * position in the queue; a group has the position of its first pod.
 */
#pragma once

#include <schedule/gangs.h>

/* Whether the scheduler's rounds run this loop. */
bool gang_loop_applies(const scheduler *s);
/* Places the pods of the round. false = out of memory. */
bool gang_loop_run(scheduler *s);
