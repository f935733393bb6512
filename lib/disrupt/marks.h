/* SPDX-License-Identifier: Apache-2.0 */
/* What a pass remembers of those before it (deprovisioning.md §1, §10, §16, §17): when something last changed, which methods
 * have found nothing since, and which pools were not reached. */
#ifndef DISRUPT_MARKS_H
#define DISRUPT_MARKS_H

#include <decision/decision.h>
#include <disrupt/pass.h>

/* Takes the caller's memory (NULL = none is kept) and compares the cluster with it. Status: OK, NOMEM, ABI_*, INVALID. */
karp_status marks_begin(pass *p, const karp_memory *given, karp_error *error);
void marks_end(pass *p);

/* Whether the method found nothing the last time and nothing has changed since. */
bool marks_say_unchanged(const pass *p);
/* The method has ended: notes whether it found nothing. */
void marks_note(pass *p);

/* Whether single-node consolidation did not reach the pool the last time. */
static inline bool marks_unseen(const pass *p, uint32_t pool) { return p->remembers && p->unseen[pool]; }
/* What it did not reach this time, by store pool. */
void marks_set_unseen(pass *p, const bool *not_seen);

/* The row of the decision; false = out of memory. */
bool marks_row(const pass *p, karp_decision *d);

/* cluster_digest.c: the same for clusters in which nothing has changed that consolidation waits for; never 0. */
uint64_t cluster_digest(const karp_snapshot *snapshot);

#endif
