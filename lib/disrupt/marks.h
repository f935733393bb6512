/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pass remembers from earlier passes: when the cluster last changed, which
 * methods have found nothing since then, and which pools were not reached.
 */
#pragma once

#include <disrupt/pass.h>

/* Reads the caller's memory (NULL = none is kept) and compares it with the cluster. Status: OK, NOMEM, ABI_*,
 * INVALID. */
karp_status marks_begin(pass *p, const karp_memory *given, bool watched, karp_error *error);
void marks_end(pass *p);

/* Whether the method found nothing in its last run and nothing has changed since. */
bool marks_unchanged(const pass *p);
/* Records at the end of the method whether it found nothing. */
void marks_note(pass *p);

/* Whether single-node consolidation did not reach the pool in its last run. */
static inline bool marks_unseen(const pass *p, uint32_t pool) { return p->marks.remembers && p->marks.unseen[pool]; }
/* Sets the pools that were not reached in this run, by store pool. */
void marks_set_unseen(pass *p, const bool *not_seen);

/* Adds the memory to the decision; false = out of memory. */
bool marks_row(const pass *p, karp_decision *d);

/* cluster_digest.c: equal for clusters without a difference that makes consolidation run again; never 0. */
uint64_t cluster_digest(const karp_snapshot *snapshot);
