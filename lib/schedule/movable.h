/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates on pods: which wait for a node, which may leave one (deprovisioning.md §3, §4). Pure; any thread. */
#ifndef SCHEDULE_MOVABLE_H
#define SCHEDULE_MOVABLE_H

#include <model/snapshot.h>

bool pod_terminal(const pod *p);
bool pod_active(const pod *p); /* neither terminal nor terminating */
bool pod_provisionable(const pod *p);
bool pod_reschedulable(const pod *p);
bool pod_do_not_disrupt(const karp_snapshot *s, const pod *p, int64_t now); /* the annotation is active */
bool pod_disruptable(const karp_snapshot *s, const pod *p, int64_t now);
/* Tolerates the taint of nodes that are being disrupted: such pods stay to the end. */
bool tolerates_disruption(const karp_snapshot *s, toleration_list list);
bool pod_evictable(const karp_snapshot *s, uint32_t pod_number, int64_t now);

enum pdb_mode { PDB_ZERO_DISRUPTIONS, PDB_FULLY_BLOCKING };
enum pdb_answer { PDB_ALLOWED, PDB_ONE_BLOCKS, PDB_SEVERAL };
/* Whether the budget's selector selects the pod, in its namespace. */
bool pdb_covers(const karp_snapshot *s, const disruption_budget *b, const pod *p);
/* *first receives the (first) matching budget when it is not allowed. */
enum pdb_answer pod_pdb_check(const karp_snapshot *s, uint32_t pod_number, int64_t now, enum pdb_mode mode,
                              uint32_t *first);

/* Budgets that could not allow a disruption if all their pods were healthy, one byte each, in the arena; NULL = out of memory.
 * Karpenter knows some spellings of that only (D-Q22). */
const uint8_t *budgets_closed(const karp_snapshot *s, arena *data);
/* `closed_budgets`: of budgets_closed(); NULL = as Karpenter tells. */
bool pod_currently_reschedulable(const karp_snapshot *s, uint32_t pod_number, int64_t now,
                                 const uint8_t *closed_budgets);

#endif
