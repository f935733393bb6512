/* SPDX-License-Identifier: Apache-2.0 */
/** @file topology.h  All topology groups of a round (scheduling.md 14). */
#ifndef REFERENCE_TOPOLOGY_H
#define REFERENCE_TOPOLOGY_H

#include "groups.h"

/** What a pool contributes to the universe of domains. */
struct domain_source {
    struct requirements base; /* its requirements and template labels */
    struct taints taints;
    struct types types;
};

/** Taint sets under which a domain is reached. */
struct reach {
    const char *name;
    struct taints *taints;
    size_t count;
};

struct universe_key {
    const char *key;
    struct reach *domains;
    size_t count;
};

struct topology {
    const struct world *world;
    const struct state_node *const *nodes; /* those offered */
    size_t node_count;
    const bool *excluded; /* pods of this round, by index */
    struct universe_key *universe;
    size_t universe_count;
    struct group **groups, **inverse;
    size_t group_count, inverse_count;
};

/** Universe and inverse groups of bound pods; pods are then entered by ref_topology_update(). */
struct topology *ref_topology_make(const struct world *world, const struct domain_source *pools, size_t pool_count,
                                   const struct state_node *const *nodes, size_t node_count, const bool *excluded);
/** Makes the pod own the groups of its present constraints (14.4). */
void ref_topology_update(struct topology *topology, const struct pod *pod);
/** What the pod's groups leave of the node's requirements; false if one leaves nothing (14.7). */
bool ref_topology_narrow(const struct topology *topology, const struct pod *pod, struct requirements of_pod,
                         struct requirements of_node, struct requirements *out);
/** Counts a placed pod (14.5). */
void ref_topology_record(struct topology *topology, const struct pod *pod, struct taints taints,
                         struct requirements requirements);
/** Makes a host known (14.11). */
void ref_topology_register(struct topology *topology, const char *hostname);

#endif
