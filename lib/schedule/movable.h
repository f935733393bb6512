/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicates on pods: which are pending, and which can be moved or evicted; and on nodes that receive them. Pure; any
 * thread.
 */
#pragma once

#include <base/strbuf.h>
#include <karp/inspect.h>
#include <model/pdbs.h>

bool pod_active(const pod *p); /* neither terminal nor terminating */
bool pod_provisionable(const pod *p);
bool pod_reschedulable(const pod *p);
bool pod_do_not_disrupt(const karp_snapshot *s, const pod *p, int64_t now); /* the annotation is present and in force */
bool pod_disruptable(const karp_snapshot *s, const pod *p, int64_t now);
/* Whether the list tolerates the taint of nodes that are being disrupted. Such pods are not drained. */
bool tolerates_disruption(const karp_snapshot *s, toleration_list list);
bool pod_evictable(const karp_snapshot *s, uint32_t pod_number, int64_t now);

enum pdb_mode { PDB_ZERO_DISRUPTIONS, PDB_FULLY_BLOCKING };
enum pdb_answer { PDB_ALLOWED, PDB_ONE_BLOCKS, PDB_SEVERAL };
/* *first receives the first matching budget unless the result is PDB_ALLOWED. */
enum pdb_answer pod_pdb_check(const karp_snapshot *s, uint32_t pod_number, int64_t now, enum pdb_mode mode,
                              uint32_t *first);
/* The time from which on Karpenter deletes the claim, as its expireAfter is over; KARP_NO_TIME = never, or it is being
 * deleted already. */
int64_t claim_expires(const node_claim *c);
bool node_expired(const karp_snapshot *s, uint32_t node_number, int64_t now);

/* Whether the drain of the pod's node cannot evict it at `now`, because of its annotation or of budgets. */
bool pod_holds_drain(const karp_snapshot *s, uint32_t pod_number, int64_t now);

/* Notes nodes that are being deleted and whose drain has no end, as pods hold it and their NodeClaims have no
 * terminationGracePeriod: what they cost is not saved. false = out of memory. */
bool drains_note(const karp_snapshot *s, int64_t now, karp_decision *d);

/* plan_notes.c: of pods that a plan puts on nodes that have expired; and of pods of DaemonSets that nodes have no room
 * for. false = out of memory. */
bool expired_note(const karp_snapshot *s, karp_decision *d);
bool daemons_note(const karp_snapshot *s, karp_decision *d);
/* "there is no room on n1: …": of a pending pod of a DaemonSet. false = no node lacks room for it. */
bool show_no_room(const karp_snapshot *s, uint32_t pod_number, strbuf *b);

/* Flags the budgets that allow no disruption even if all their pods are healthy, one byte each, in the arena.
 * Karpenter recognises only some spellings of such budgets (D-Q22). NULL = out of memory. */
const uint8_t *budgets_blocking(const karp_snapshot *s, arena *data);
/* `blocking_budgets`: from budgets_blocking(); NULL = as Karpenter recognises them. */
bool pod_currently_reschedulable(const karp_snapshot *s, uint32_t pod_number, int64_t now,
                                 const uint8_t *blocking_budgets);

/* Whether the node's consolidateAfter is not over at `now`: then simulations of disruption place no pods of other nodes
 * on it. */
bool under_consolidate_after(const karp_snapshot *s, const state_node *n, int64_t now);
