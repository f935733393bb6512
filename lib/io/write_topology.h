/* SPDX-License-Identifier: Apache-2.0 */
/* Writes as text the constraints that keep an unschedulable pod from domains, and the table of the domains. */
#pragma once

#include "write_rows.h"

/* For each constraint its cause and the number of pods in each domain, in the rows of a plan. */
void topology_rows(const text_out *t, const karp_unschedulable *pod);
/* For each constraint a table of its domains. */
void topology_tables(const text_out *t, const karp_unschedulable *pod);
