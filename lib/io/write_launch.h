/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data about a launch that several writers need: the name of its NodeClaim, the labels of its node, a made-up but
 * stable instance id, and the node's utilisation.
 */
#pragma once

#include "write_buffer.h"

/* The number of a launch among those of its NodePool, from 1. Call it for all launches in order; *counter keeps the
 * state. */
typedef struct launch_counter {
    karp_str node_pool;
    uint64_t number;
} launch_counter;
uint64_t launch_number(launch_counter *counter, const karp_launch *launch);

/* Size for a name and its number; longer names are cut (Kubernetes allows 253). */
enum { LAUNCH_NAME = 512 };

/* "POOL-n": the name of the NodeClaim. */
karp_str launch_name(const karp_launch *launch, uint64_t number, char room[LAUNCH_NAME]);

enum { NODE_LABELS_ROOM = 48 };

typedef struct node_labels {
    karp_label *items; /* sorted by key */
    size_t count, bytes;
    karp_label room[NODE_LABELS_ROOM]; /* used unless there are more */
} node_labels;

/* Labels of the node once it is ready: the claim's labels, those of the chosen type and offering, and the beta labels
 * that the kubelet and the cloud controller add. The result points into itself. */
karp_status launch_node_labels(karp_context *context, const karp_launch *launch, node_labels *out, karp_error *error);
void node_labels_free(karp_context *context, node_labels *labels);

/* 17 hexadecimal digits of a hash of the launch's pool, number, pods and chosen offering. */
void launch_instance_id(const karp_decision *decision, const karp_launch *launch, uint64_t number, char out[18]);

enum { LAUNCH_PROVIDER_ID = 512 };

/* The providerID of its node, with such an id; "" = of clouds whose providerIDs have parts that no plan contains, such
 * as a subscription. */
karp_str launch_provider_id(const karp_launch *launch, const char *id, char room[LAUNCH_PROVIDER_ID]);

/* An amount as a double; 0 when the list does not have the resource. */
double resource_amount(const karp_resource *list, size_t count, const char *name);
