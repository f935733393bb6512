/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of launch and disruption decisions share. */
#ifndef DECISION_COLUMNS_H
#define DECISION_COLUMNS_H

#include <base/columns.h>
#include <decision/decision.h>

/* Adds a table's columns and fills them. false = out of memory; what the table itself remembers is not reported. */
typedef bool (*fill_table)(const karp_decision *d, karp_table *t);

/* columns_disrupt.c */
bool columns_of_candidates(const karp_decision *d, karp_table *t);
bool columns_of_commands(const karp_decision *d, karp_table *t);
bool columns_of_kept(const karp_decision *d, karp_table *t);

#endif
