/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of state nodes. A launch decision has one for every node of the cluster, and most callers only read its
 * launches. So its rows are made when they are asked for, from the snapshot and the pods that the decision moves. Other
 * decisions, which change their rows, have a list of them.
 */
#pragma once

#include <karp/inspect.h>
#include <model/snapshot.h>

/* A pod that the decision places on a node. */
typedef struct node_arrival {
    uint32_t node, pod;
} node_arrival;

/* What a decision changes on the nodes of the snapshot. */
typedef struct node_changes {
    const uint8_t *scheduled; /* by pod: not 0 = it does not count on its node; NULL = all pods count */
    const node_arrival *arrivals; /* by node, then in the order in which they were placed */
    size_t arrival_count;
} node_changes;

/* Makes the row of node `number`. */
void node_row(const karp_snapshot *s, const node_changes *changes, uint32_t number, karp_node_use *row);
/* The price per hour of the first offering of a pool's type with this zone and capacity type, or of one of the
 * reservation (NO_ID = none), if any. 0 = unknown. */
double offering_price(const karp_snapshot *s, uint32_t pool, uint32_t type, uint32_t zone, uint32_t capacity_type,
                      uint32_t reservation);
/* The price of a node per hour, without regard to reservations. */
double node_price(const karp_snapshot *s, const state_node *n);
/* The price of all nodes, or only of those that are not being deleted. */
double nodes_price(const karp_snapshot *s, bool marked_too);
/* How many nodes of NodePools have no known price, without those that are being deleted. */
size_t nodes_unpriced(const karp_snapshot *s);
