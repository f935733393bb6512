/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether kube-scheduler finds places for a group on existing nodes: it tries the pods one after another, those of
 * higher priority and older ones first, each on the node that it scores highest, and no other order or node.
 */
#pragma once

#include <schedule/gangs.h>

/* Whether so many pods are few enough to try them in its order as well. */
bool gang_peer_can(const scheduler *s, uint32_t pods);
/* Places as many of the pods in its order, and returns their number. `worst`: on the node that it scores lowest, for
 * what other scores or equal nodes could come to. */
uint32_t gang_peer_place(scheduler *s, const uint32_t *pods, uint32_t count, bool worst);
