/* SPDX-License-Identifier: Apache-2.0 */
/** @file world.h  A snapshot, read: settings, objects by kind, state nodes, pods to place (scheduling.md 2, 16). */
#ifndef REFERENCE_WORLD_H
#define REFERENCE_WORLD_H

#include "pods.h"
#include "types.h"

/** Objects of one kind, in document order. */
struct objects {
    const char *kind;
    const json_t **items;
    size_t count;
};

/** A Node object. */
struct node {
    const json_t *doc;
    const char *name, *provider_id;
    struct labels labels;
    struct taints taints;
};

/** A node as Karpenter knows it: a Node, a NodeClaim, or both. */
struct state_node {
    const struct node *node; /* NULL: not registered yet */
    const json_t *claim; /* NULL: not managed */
    bool registered, initialized, marked;
    const char *name, *hostname, *pool; /* pool: "" for none */
    struct labels labels;
    const struct pod **bound; /* not terminal */
    size_t bound_count;
};

/** A pod together with why it is left out. */
struct ignored {
    const struct pod *pod;
    const char *code, *message;
};

struct world {
    const json_t *doc;
    int64_t now;
    bool ignore_preferences, best_effort, reserved_fallback, reserved_gate, ignore_devices, consolidation;
    struct spreads default_spreads;

    struct objects *kinds;
    size_t kind_count;
    struct node *nodes; /* Node objects */
    size_t node_count;
    struct pod *pods; /* by namespace, then name */
    size_t pod_count;
    struct state_node *states; /* initialised first, then by name */
    size_t state_count;

    struct pod **chosen; /* to be placed, in the order topology sees them */
    size_t chosen_count;
    struct ignored *ignored;
    size_t ignored_count;
};

/** Everything but the catalogues. */
struct world *ref_world_read(const json_t *doc);

struct objects ref_objects(const struct world *world, const char *kind);
/** By name, and by namespace unless that is NULL; NULL if there is none. */
const json_t *ref_named(const struct world *world, const char *kind, const char *name, const char *namespace);
const struct node *ref_node_named(const struct world *world, const char *name);
/**
 * A node of a pool that lacks what tells which it is does not count yet; its claim does, alone. Nor does one with a pod
 * whose volume is gone, unless it is said to be known.
 */
bool ref_node_is_known(const struct world *world, const struct node *node);
/** The status of a condition of an object's status; "" if it has none. */
const char *ref_condition(const json_t *object, const char *type);

/** Chooses the pods to place (2). */
void ref_choose_pods(struct world *world);
/** There is no pool: every pod is left out. */
void ref_ignore_all(struct world *world);
/** Is the pod on a node that is being deleted? */
bool ref_on_marked_node(const struct world *world, const struct pod *pod);

struct taints ref_state_taints(const struct state_node *state);
/** `capacity` or `allocatable` (16.3). */
struct resources ref_state_resources(const struct state_node *state, const char *which);

/* Volumes (13) */
/** Why a volume makes the pod invalid, or NULL. */
const char *ref_invalid_volumes(const struct world *world, const struct pod *pod);

struct alternatives {
    struct requirements *items;
    size_t count;
};

/** What the volumes ask of a node, any of; false if an object is missing. At least one: the empty set if nothing is
 * asked. */
bool ref_volume_alternatives(const struct world *world, const struct pod *pod, struct alternatives *out);

/** A claim by which a pod uses a driver. */
struct attachment {
    const char *driver, *claim;
};

struct attachments {
    struct attachment *items;
    size_t count;
};

/** False if the volume of a bound claim is missing. */
bool ref_attachments(const struct world *world, const struct pod *pod, struct attachments *out);

#endif
