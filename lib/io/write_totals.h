/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a plan, added up by NodePool, capacity type, zone and instance type. */
#ifndef IO_WRITE_TOTALS_H
#define IO_WRITE_TOTALS_H

#include "write_decision.h"
#include "write_text.h"

/* Writes a section of text. Writes nothing for a plan with few launches. */
karp_status totals_as_text(const text_out *t, const write_job *job);

#endif
