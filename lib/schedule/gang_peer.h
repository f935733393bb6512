/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether kube-scheduler finds places for a group on existing nodes: it tries the pods one after another, those of
 * higher priority and older ones first, each on the node that it scores highest, and no other order or node.
 */
#ifndef SCHEDULE_GANG_PEER_H
#define SCHEDULE_GANG_PEER_H

#include <schedule/gangs.h>

/* Whether its order may not reach `least`, beside what is placed. Nothing stays placed. false also when its order makes
 * no difference, or the group is too large to find out. */
bool gang_peer_lacks(scheduler *s, const member_group *g, const uint32_t *pods, uint32_t count, uint32_t least);

#endif
