/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of pods in disruption mode "all" (karp/groups.h), in profile KARP: a command disrupts all pods of such a group
 * or none. A node that has some of them goes together with the other nodes that have some, or stays.
 */
#pragma once

#include <disrupt/pass.h>

/* Finds the groups that run on several nodes. false = out of memory. */
bool whole_groups_find(pass *p);
/* The first pod of the node whose group runs on other nodes as well; NO_ID = none. */
uint32_t whole_groups_pod(const pass *p, const state_node *n);

/* Adds the candidate at this place of the order, and those with which it has to go: the nodes of groups that are
 * disrupted as a whole. */
void whole_groups_take(const pass *p, const uint32_t *order, uint32_t count, uint32_t at, uint8_t *taken, uint32_t *out,
                       uint32_t *n);
/* Finds out whether these candidates have all pods of each such group that has some there. false = out of memory. */
bool whole_groups_complete(pass *p, const uint32_t *candidates, uint32_t count, bool *complete);
/* Whether the method removes nodes of such a group together. */
bool whole_groups_together(const pass *p);

/* Candidates that go in one command. */
typedef struct departure {
    const uint32_t *candidates; /* lives as long as the method */
    uint32_t count; /* 0 = they stay, for a reason that is recorded, or another of them has its turn */
} departure;

/* Those that go with the candidate, out of all these; `number` outlives the method. The first of them that the method
 * may take has the turn of all. false = out of memory. */
bool whole_groups_departure(pass *p, const uint32_t *number, const uint32_t *order, uint32_t count, departure *out);
/* Records the reason for each of them. false = out of memory. */
bool whole_groups_keep(pass *p, const departure *d, uint32_t code, karp_str detail);
