/* SPDX-License-Identifier: Apache-2.0 */
/* The writers of decisions, one per document and format. Each appends to job->out. */
#pragma once

#include <karp/inspect.h>
#include <karp/repack.h>
#include "write_buffer.h"

void plan_as_json(const write_job *job);
void plan_as_text(const write_job *job);
void plan_as_yaml(const write_job *job);
void plan_as_log(const write_job *job);
void plan_as_html(const write_job *job);
void plan_as_markdown(const write_job *job);
void plan_as_csv(const write_job *job);
void plan_as_prometheus(const write_job *job);
void disruption_as_json(const write_job *job);
void disruption_as_text(const write_job *job);
void disruption_as_html(const write_job *job);
void disruption_as_markdown(const write_job *job);
void disruption_as_csv(const write_job *job);
void disruption_as_prometheus(const write_job *job);
void repack_as_json(const write_job *job);
void repack_as_text(const write_job *job);
void repack_as_yaml(const write_job *job);
void repack_as_html(const write_job *job);
/* write_repack_html.c: the cost curve and the steps of a repack plan, in a page of write_plan_html.c. */
void repack_picture(const write_job *job);

/* Records a failure with this message, and ignores KARP_OK. Only the first failure is kept, in job->out->status, and
 * write_end() returns it. Text that is written after it is discarded. */
void write_refuse(const write_job *job, karp_status status, const char *message);
/* As array_alloc(). Records a failure. */
void *write_array(const write_job *job, size_t count, size_t size);
/* Call the public getters with the struct's size set. A failure is a bug: it is recorded in job->out, and the struct
 * is zeroed. */
void get_launch(const write_job *job, const karp_decision *decision, size_t index, karp_launch *out);
void get_placement(const write_job *job, const karp_decision *decision, size_t index, karp_placement *out);
void get_unschedulable(const write_job *job, size_t index, karp_unschedulable *out);
void get_group(const write_job *job, size_t index, karp_group_outcome *out);
void get_ignored(const write_job *job, size_t index, karp_ignored *out);
void get_node(const write_job *job, const karp_decision *decision, size_t index, karp_node_use *out);
/* The index of the node with that name, which `out` receives; SIZE_MAX = there is none, and `out` has the name alone.
 */
size_t get_node_named(const write_job *job, const karp_decision *decision, karp_str name, karp_node_use *out);
void get_candidate(const write_job *job, const karp_decision *decision, size_t index, karp_candidate *out);
void get_budget(const write_job *job, const karp_decision *decision, size_t index, karp_pool_budget *out);
/* "replace", "delete", "terminate-first" or "reboot". */
const char *command_word(const karp_command *command);
void get_command(const write_job *job, const karp_decision *decision, size_t index, karp_command *out);
void get_kept(const write_job *job, const karp_decision *decision, size_t index, karp_kept *out);
void get_disruption(const write_job *job, const karp_decision *decision, karp_disruption *out);
void get_repack_cost(const write_job *job, karp_repack_cost *out);
void get_repack_step(const write_job *job, size_t index, karp_repack_step *out);
void get_repack_point(const write_job *job, size_t index, karp_repack_point *out);
