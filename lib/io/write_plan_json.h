/* SPDX-License-Identifier: Apache-2.0 */
/* What documents about a decision have in common. */
#pragma once

#include "encode.h"

extern const record record_budget;

/* Begins a document about a decision, with the members that all of them have, and returns the encoder for the others.
 * json_close() ends it. */
encoder plan_header(json_out *j, const write_job *job, const char *kind);

/* The members of a plan that is a part of another document. */
void plan_round_as_json(const encoder *outer, const write_job *job);

/* The member driftCourse; nothing if no node has drifted. */
void drift_as_json(json_out *j, const karp_drift *drift, uint32_t document);
