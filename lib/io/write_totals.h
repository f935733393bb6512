/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan launches, added up by NodePool, capacity type, zone and instance type. */
#ifndef IO_WRITE_TOTALS_H
#define IO_WRITE_TOTALS_H

#include "write_decision.h"
#include "write_text.h"

/* A section of text. Nothing of a plan that a glance takes in. */
karp_status totals_as_text(const text_out *t, const write_job *job);

#endif
