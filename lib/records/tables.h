/* SPDX-License-Identifier: Apache-2.0 */
/* The records of decisions and commands: the structs of karp/decision.h, disrupt.h, passes.h and command.h. */
#pragma once

#include <records/record.h>

/* common.c: parts of other records */
extern const record record_choice, record_requirement, record_taint, record_node_class_ref;
/* Whether the key exists only during a decision, or is the host name, which is not known yet. */
bool record_transient_key(karp_str key);

/* launch.c */
extern const record record_launch, record_placement;

/* pods.c */
extern const record record_unschedulable, record_topology, record_pool_refusal, record_ignored;
extern const record_names record_reasons;

/* nodes.c */
extern const record record_node_use;

/* disruption.c */
extern const record record_candidate, record_command, record_kept;
extern const record_names record_methods, record_method_reasons;
extern const record_words record_budget_reasons;
extern const record_words record_command_decisions;

/* command_state.c */
extern const record record_command_state;
