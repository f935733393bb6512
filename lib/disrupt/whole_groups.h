/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of pods in disruption mode "all" (karp/groups.h), in profile KARP: a command disrupts all pods of such a group
 * or none. A node that has some of them is therefore no candidate while others run on another node.
 */
#pragma once

#include <disrupt/pass.h>

/* Finds the groups that run on several nodes. false = out of memory. */
bool whole_groups_find(pass *p);
/* The first pod of the node whose group runs on other nodes as well; NO_ID = none. */
uint32_t whole_groups_pod(const pass *p, const state_node *n);

/* Whether a group that is disrupted as a whole, and runs on several nodes, has pods on both. */
bool whole_groups_share(const pass *p, const state_node *a, const state_node *b);
/* Finds out whether these candidates have all pods of each such group that has some there. false = out of memory. */
bool whole_groups_complete(pass *p, const uint32_t *candidates, uint32_t count, bool *complete);
