/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of pods that start together (karp/groups.h): what became of them.
 */
#ifndef SCHEDULE_GANGS_H
#define SCHEDULE_GANGS_H

#include <model/groups.h>
#include <schedule/report.h>

/* Adds a row for each group with members to place, and in profile KARPENTER notes about them. */
bool gangs_report(scheduler *s, karp_decision *d);

#endif
