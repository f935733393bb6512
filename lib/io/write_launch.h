/* SPDX-License-Identifier: Apache-2.0 */
/* What several writers say about a launch: the name of its NodeClaim, the labels its node will carry, a made-up but
 * stable instance id, and how full the node will be. */
#ifndef IO_WRITE_LAUNCH_H
#define IO_WRITE_LAUNCH_H

#include "write_buffer.h"

/* The number of a launch among those of its NodePool, from 1, when asked in order; *previous carries the state. */
typedef struct launch_counter {
    karp_str node_pool;
    uint64_t number;
} launch_counter;
uint64_t launch_number(launch_counter *counter, const karp_launch *launch);

/* Room for a name and its number; longer names are cut (Kubernetes ends at 253). */
enum { LAUNCH_NAME = 512 };

/* "POOL-n": the name of the NodeClaim. */
karp_str launch_name(const karp_launch *launch, uint64_t number, char room[LAUNCH_NAME]);

/* Keys that exist only while a decision is made, and the host name, which nobody knows yet. */
bool is_transient_key(karp_str key);

/* Labels of the node once it is up: the claim's, those of the chosen type and offering, and the beta ones that the
 * kubelet and the cloud's controller add; by key. Freed with karp_free(context, *labels, *bytes). */
karp_status launch_node_labels(karp_context *context, const karp_launch *launch, karp_label **labels, size_t *count,
                               size_t *bytes, karp_error *error);

/* 17 hexadecimal digits of a hash of the launch: pool, number, pods and choice. */
void launch_instance_id(const karp_decision *decision, const karp_launch *launch, uint64_t number, char out[18]);

/* "In", "NotIn" …; "?" for a number that is none. */
const char *operator_name(uint32_t op);

/* An amount as a double; 0 when the list does not have it. */
double resource_amount(const karp_resource *list, size_t count, const char *name);

#endif
