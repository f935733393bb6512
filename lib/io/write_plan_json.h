/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a Plan that other documents also have. Each function writes one value. */
#ifndef IO_WRITE_PLAN_JSON_H
#define IO_WRITE_PLAN_JSON_H

#include "write_decision.h"
#include "write_json.h"

/* Begins a document about a decision, with the members that all of them have. json_close() ends it. */
void plan_header(json_out *j, const write_job *job, const char *kind);

void plan_taints(json_out *j, const char *key, const karp_taint *taints, size_t count);
void plan_requirements(json_out *j, const karp_requirement *list, size_t count);
void plan_launch(json_out *j, const write_job *job, const karp_decision *decision, size_t index);
/* The launches or placements first … first + count − 1. */
void plan_launches(json_out *j, const char *key, const write_job *job, const karp_decision *decision, size_t first,
                   size_t count);
void plan_placements(json_out *j, const write_job *job, const karp_decision *decision, size_t first, size_t count);
void plan_kept(json_out *j, const write_job *job, const karp_decision *decision);
void plan_unschedulable(json_out *j, const write_job *job, size_t index);
void plan_command(json_out *j, const write_job *job, const karp_decision *decision, size_t index);

#endif
