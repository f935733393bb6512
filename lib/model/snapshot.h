/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prepared input of every decision. finish() makes it once from a store. Strings get ranks and numbers. Resource
 * amounts become vectors of 64-bit integers. Requirement sets are interned. Pods are grouped into classes. Nodes and
 * NodeClaims are joined to state nodes. Instance types are collected in tables. It never changes afterwards.
 */
#pragma once

#include <model/catalogue.h>
#include <model/requirement.h>

/* Text ids of words that decisions use. */
typedef struct known_text {
    uint32_t hostname, zone, region, instance_type, arch, os, capacity_type, node_pool, windows_build;
    uint32_t registered, initialized, true_, spot, on_demand, reserved;
    uint32_t no_schedule, prefer_no_schedule, no_execute, disrupted;
    uint32_t not_ready, unreachable, uninitialized, unregistered; /* taint keys */
    uint32_t ready, consolidatable, drifted, instance_terminating, initialized_condition,
        launched; /* condition types */
    uint32_t rebooting, rebooting_taint;
    uint32_t validation_succeeded, node_class_ready, status_true, status_false, do_not_disrupt, do_not_repair;
} known_text;

/* A capacity of an instance type: an allocatable group that has an available offering. */
typedef struct variant {
    uint32_t type;
    bool usable; /* no entry is negative, so it can hold pods */
    const int64_t *allocatable; /* vector */
} variant;

typedef struct offering {
    uint32_t type, variant; /* variant is NO_ID when it is not available */
    uint32_t set; /* requirement set */
    uint32_t zone, capacity_type, reservation; /* text ids, NO_ID = none */
    double price, list_price; /* list_price: before NodeOverlays */
    int64_t reservation_capacity;
    bool available, price_from_overlay;
} offering;

/* The most volumes of a CSI driver that a node of a type can attach. */
typedef struct volume_limit {
    uint32_t driver; /* text id */
    int64_t count;
} volume_limit;

typedef struct instance_type {
    uint32_t name; /* text id */
    uint32_t set;
    uint32_t variant_first, variant_count, offering_first, offering_count;
    const int64_t *capacity; /* vector */
    resource_list capacity_list, allocatable_list; /* in the snapshot's resource ids */
    bool capacity_from_overlay, overlaid; /* overlaid: copied for a NodeOverlay */
    const volume_limit *volume_limits; /* for drivers that the snapshot uses, each once */
    uint32_t volume_limit_count;
    uint32_t pod_addresses; /* as in karp_instance_type */
    uint32_t device_set; /* device_index.h: the devices that come with it, if `devices` is not NULL */
    const struct type_devices *devices;
} instance_type;

/* The types, or offerings, of a table grouped by their requirement on one key. Those of value v are items[first[v]] …
 * items[first[v + 1] - 1]. */
typedef struct key_values {
    uint32_t count; /* number of different requirements */
    const uint32_t *values; /* requirements; NO_ID = no requirement */
    const uint32_t *first, *items;
} key_values;

/* The types of one or more NodePools, in catalogue order. */
typedef struct type_table {
    instance_type *types;
    offering *offerings;
    variant *variants;
    uint32_t type_count, offering_count, variant_count;
    const uint32_t *by_name; /* types sorted by the ids of their names; equal names are in catalogue order */
    /* types sorted by the texts of their names, and the position of each type in that order */
    const uint32_t *by_text, *text_place;
    /* Columns: the requirement of a type, or offering, on each key that any of them has; NO_ID = none. */
    const uint32_t *type_keys, *offering_keys;
    uint32_t type_key_count, offering_key_count;
    const uint32_t *type_columns, *offering_columns; /* [key * count + index] */
    const key_values *type_values, *offering_values; /* [key]: the columns grouped by value */
    uint32_t reserved_count; /* number of offerings of reserved capacity, available or not */
    bool has_reservations; /* some available offering is reserved */
    bool limits_volumes; /* some type limits volumes */
    bool repeated_names; /* some types have the same name; a launch lists the name once */
    bool overlaid; /* some price or capacity is from an overlay */
    const uint32_t *capacity_types; /* the different capacity types of the available offerings */
    uint32_t capacity_type_count;
} type_table;

/* The column of the types' requirements on the key; type_key_count = no type has one. */
static inline uint32_t type_key_column(const type_table *t, uint32_t key)
{
    uint32_t i = 0;
    while (i < t->type_key_count && t->type_keys[i] != key) i++;
    return i;
}

/* Pods that no decision can distinguish. */
typedef struct pod_class {
    uint32_t shape, name_space;
    uint32_t labels; /* id in store.projected: the labels that some selector reads */
    uint32_t marks; /* id in store.mark_keys when default spread constraints depend on controllers, else 0 */
    const demand *alternatives; /* alternatives of its volumes; none = unconstrained */
    uint32_t alternative_count;
    uint32_t claims; /* id in store.claim_names when devices are allocated, else 0 */
    uint32_t volumes; /* id in store.volumes when CSI limits apply, else NO_ID */
    bool volumes_found; /* every claim, volume and storage class was found */
    uint32_t alone; /* the only pod of the class, when each pod joins the topology separately (S-Q2); else NO_ID */
    bool counts_volumes; /* looking up its volumes for CSI limits succeeds */
    bool contradictory; /* all alternatives are contradictory */
    bool too_many_alternatives; /* more alternatives than supported; these pods are not scheduled */
    const int64_t *requests; /* vector */
} pod_class;

/* A Node and its NodeClaim as one object. */
typedef struct state_node {
    uint32_t name; /* names id */
    uint32_t node, claim; /* indices in the store, NO_ID = none */
    uint32_t provider; /* names id of the provider id by which the two are joined */
    uint32_t pool; /* index in store.pools, NO_ID = no such pool */
    uint32_t pool_name; /* text id of the NodePool label's value, NO_ID = no label */
    uint32_t hostname; /* text id */
    uint32_t zone, capacity_type; /* text ids of its labels' values, NO_ID = none */
    uint32_t type; /* index in the NodePool's table, NO_ID = unknown */
    uint32_t set; /* requirement set of those labels that some pod, volume or daemon reads, without the host name */
    uint32_t pod_count, all_pod_count;
    /* Bit-fields keep state nodes small, since an edit copies all of them. */
    bool managed : 1, registered : 1, initialized : 1, marked : 1, nominated : 1;
    bool rebooting : 1; /* condition of the NodeClaim (K15-9) */
    bool terminating : 1; /* condition InstanceTerminating of the NodeClaim */
    bool consolidatable : 1, drifted : 1; /* conditions of the NodeClaim */
    bool annotated : 1; /* an annotation is about its disruption */
    bool overfull : 1; /* some amount of `available` is negative */
    bool ready : 1; /* condition Ready of the Node */
    bool host_is_name : 1; /* the Node's host name label is equal to its name */
    /* it has pods, and only PodDisruptionBudgets determine whether and at what cost they can be evicted: see
     * plain() */
    bool plain_pods : 1;
    label_list labels;
    taint_list taints; /* effective taints */
    taint_list taints_since_reboots; /* effective taints under the rules about reboots (K15-9) */
    const int64_t *available; /* allocatable minus the requests of bound pods, as a vector */
    resource_list allocatable;
    resource_list capacity; /* with nodes: 1 */
    const uint32_t *pods; /* indices of the bound pods that are not terminal */
    const uint32_t *all_pods; /* includes terminal pods */
} state_node;

struct karp_snapshot {
    karp_context *context;
    _Atomic uint32_t references;
    const karp_snapshot *lender; /* for a view: the snapshot that owns the memory; else NULL */
    store raw;
    arena data;
    known_text known;
    string_facts facts;
    void *facts_block; /* the memory that the facts and the two arrays below point into */
    /* By text id: whether some pod, volume or daemon reads this label key on nodes; whether some selector reads it on
     * pods. */
    const uint8_t *of_nodes, *of_pods;
    struct frame *frame; /* frame.h: owns most of the following data; NULL = it is being made */
    algebra algebra;
    /* Vectors have a column per resource, in the order of resource ids, in units of units[resource]. All resources
     * that are requested but not provided anywhere share the last column: no such request can be satisfied, whatever
     * the resource or amount. */
    uint32_t dims;
    uint32_t *column_of; /* [resource] */
    uint32_t *resource_of; /* [column]; for the shared column the first of its resources */
    uint32_t nowhere; /* the shared column; NO_ID = none */
    amount *units; /* [resource] */
    /* Pods. The arrays are blocks that several snapshots can share. */
    struct reused_pods *reused; /* reuse_pods.h: used while the snapshot is made; NULL = it continues no other */
    uint32_t *by_name; /* every pod, sorted by namespace and name */
    uint32_t *pod_rank; /* by pod: position in by_name */
    uint32_t *pod_class; /* by pod */
    pod_class *classes;
    const pod_class *held; /* of a view with predicted requests: the classes with those of bound pods; else NULL */
    uint32_t class_count;
    uint32_t *class_sizes; /* number of pods in each */
    uint32_t *queue; /* every pod, in the order in which they are placed */
    uint32_t *queue_rank; /* by pod: position in the queue */
    uint8_t *queue_falls; /* 1 where a pod's name sorts before that of its predecessor */
    uint32_t *queue_class; /* by position in the queue: class */
    uint32_t *pending; /* pending pods, sorted by namespace and name */
    uint64_t *plain; /* bits by pod: pending, and without fields that could be invalid */
    uint32_t pending_count;
    uint32_t *place; /* pods to place if the input lists them, else NULL */
    uint32_t place_count;
    /* Nodes. These arrays are shared blocks as well, and so are those of `remaining`. */
    state_node *nodes; /* sorted by name */
    uint32_t node_count;
    uint32_t *node_sets; /* store node index -> requirement set of the Node object's own labels, as `set` above */
    uint32_t *node_of_name; /* store node index -> state node index, NO_ID = not a state node */
    const uint64_t *lost; /* bits by store node: given, but unknown to Karpenter; NULL = none */
    struct known_nodes {
        state_node *nodes;
        uint32_t count;
        uint32_t *of_name;
        const uint64_t *lost;
    } * remaining; /* see snapshot_remaining(); NULL = no node is missing */
    uint32_t *pod_node; /* pod -> store node index, NO_ID = not bound to an existing node */
    uint32_t orphan_pods; /* pods on nodes that are not in the input */
    struct node_pods {
        const uint32_t *items;
        uint32_t count;
    } * bound; /* by store node: all pods on it, by namespace and name */
    /* Catalogues: those of the input, then those that NodeOverlays derived from them. */
    karp_catalogue **catalogues;
    uint32_t catalogue_count, catalogues_given;
    struct pool_catalogues {
        uint32_t *items;
        uint32_t count;
    } * pool_catalogues; /* by store pool: indices of catalogues */
    type_table *tables;
    uint32_t table_count;
    struct pool_words {
        uint32_t name, class_label;
    } * pool_names; /* text ids, by store pool: the pool's name, and its NodeClass label */
    uint32_t *pool_table; /* store pool index -> table, NO_ID = no types */
    struct pool_template {
        uint32_t table; /* NO_ID = the pool is not usable, and the other members are not set */
        demand required; /* requirements of its launches */
        const uint64_t *variants; /* variants of the table that match `required` and have a matching offering */
        const uint64_t *offered; /* offerings of these variants that are available and match `required` */
        uint32_t capacity_types; /* number of different capacity types of these offerings */
    } * pool_templates; /* by store pool; NULL = NodePools have changed since, or there are too many */
    /* Daemons: representative pods, by DaemonSet in input order. */
    struct daemon {
        uint32_t set, name; /* index of the DaemonSet; names id of the pod's name */
        uint32_t newest; /* the DaemonSet's newest pod, NO_ID = none */
        uint32_t pod; /* the pod with its name, possibly of another owner; NO_ID = there is none */
        const shape *shape; /* tolerations, requests, ports */
        node_term_list required; /* required node affinity of the template, if it has any */
    } * daemons;
    uint32_t daemon_count;
    struct device_index *devices; /* device_index.h; NULL = no pod uses resource claims, or they are ignored */
    struct group_index *groups; /* groups.h; NULL = no pod belongs to a group */
    /* A label that the pods of a PodDisruptionBudget have, or one of several, sorted by namespace, key, value, budget
     * (pdbs.h). */
    struct pdb_label {
        uint32_t name_space, key, value; /* key and value NO_ID = budgets that ask for no label */
        uint32_t budget; /* store index */
    } * pdb_labels;
    size_t pdb_label_count;
};
typedef struct pdb_label pdb_label;

/* Like karp_snapshot_ref(), for a const snapshot: only its atomic reference count is written. */
karp_snapshot *snapshot_hold(const karp_snapshot *snapshot);
bool snapshot_has_one_owner(const karp_snapshot *s); /* then no other thread can read it */

/* Makes a view of a snapshot, or of another view. The view has all data of `from` and must not outlive it. The caller
 * then changes the members that are to differ. A view has no references: snapshot_hold() on it refers to the snapshot
 * that owns the memory. */
void snapshot_borrow(karp_snapshot *view, const karp_snapshot *from);
/* The snapshot as Karpenter sees it after reading the cluster state again (S-Q35): without the Nodes that it cannot
 * add because a volume of one of their pods is missing. Their NodeClaims represent them. *view is used if there are
 * such Nodes and `loses` is true; otherwise the result is the snapshot. */
const karp_snapshot *snapshot_remaining(const karp_snapshot *s, bool loses, karp_snapshot *view);

/* predictions.c: the snapshot as simulations of disruption see it with the preview vpa-prediction. Pods, and the
 * daemons of new nodes, have their predicted requests; what is on nodes keeps its own. *view is used if there are any;
 * otherwise the result is the snapshot. It must not outlive the arena. NULL = out of memory. */
const karp_snapshot *snapshot_predicted(const karp_snapshot *s, arena *a, karp_snapshot *view);
/* What a new node reserves for the daemon. */
static inline resource_list daemon_on_new_nodes(const karp_snapshot *s, uint32_t daemon)
{
    const resource_list predicted = beside_of(s->daemons[daemon].shape).predicted;
    return s->held != NULL && predicted.count > 0 ? predicted : s->daemons[daemon].shape->requests;
}

/* Amounts are at most so many units, so that the sum of two never overflows. */
#define MOST_UNITS (INT64_C(1) << 61)
/* Converts a list to a vector; resources that are not in the list are 0. Clamps amounts that no comparison can reach.
 */
void vector_of(const karp_snapshot *s, resource_list list, int64_t *out);
/* A copy in the snapshot's arena; NULL = out of memory. */
const int64_t *vector_keep(karp_snapshot *s, resource_list list);

/* "namespace/name" */
static inline karp_str pod_name(const karp_snapshot *s, size_t number)
{
    return *(const karp_str *)paged_at(&s->raw.pods_shown, number, sizeof(karp_str));
}
static inline karp_str text_of(const karp_snapshot *s, uint32_t id) { return strings_get(&s->raw.text, id); }
static inline karp_str text_or_none(const karp_snapshot *s, uint32_t id)
{
    return id == NO_ID ? (karp_str){ "", 0 } : text_of(s, id);
}
static inline karp_str name_of(const karp_snapshot *s, uint32_t id) { return strings_get(&s->raw.names, id); }
static inline karp_str pool_name(const karp_snapshot *s, uint32_t pool)
{
    return name_of(s, s->raw.pools.items[pool].meta.name);
}
/* The indices of the NodePools in the order of their names; NULL = out of memory. */
uint32_t *pools_by_name(const karp_snapshot *s, arena *a);
/* The index of the NodePool; NO_ID = there is none of that name. */
uint32_t pool_named(const karp_snapshot *s, karp_str name);
/* Whether a node is part of the cluster state. A NodePool's node without a provider id is not yet; its
 * NodeClaim represents it. */
bool node_is_known(const karp_snapshot *s, const node *n);
/* Whether the taint is temporary while a node starts. */
bool taint_ephemeral(const karp_snapshot *s, const taint *t);
/* The state node with this name, or NO_ID. */
uint32_t state_node_named(const karp_snapshot *s, karp_str name);
/* Whether pods can be scheduled to the NodePool: it is ready, not static and not being deleted.
 */
bool pool_usable(const karp_snapshot *s, const node_pool *p);
/* A NodePool template with this set and table; NULL = none. */
const struct pool_template *pool_template_of(const karp_snapshot *s, uint32_t table, uint32_t set);
/* Sets the bits of variants whose type is compatible with the requirement `required` on the table's type key number k.
 */
void mark_agreeing_types(algebra *a, const type_table *t, uint32_t k, uint32_t required, uint64_t *variants);
/* Sets the bits of offerings that are compatible with the requirement `required` on the table's offering key number k,
 * available or not. NO_ID = there is no requirement: then an offering is incompatible if it has a requirement on a
 * key that is not well-known. */
void mark_agreeing_offerings(const karp_snapshot *s, algebra *a, const type_table *t, uint32_t k, uint32_t required,
                             uint64_t *offerings);
/* The same for one offering, whose requirement on this key is `have`. */
bool offering_key_agrees(const karp_snapshot *s, algebra *a, uint32_t key, uint32_t required, uint32_t have);
/* Sets the bits of available offerings. */
void mark_available(const type_table *t, uint64_t *offerings);
/* The instance type of the labels in the NodePool's table; NO_ID = none. */
uint32_t type_of_labels(const karp_snapshot *s, uint32_t pool, label_list labels);
/* The instance type of a node, by its labels; NULL = none. `usable`: only if pods can be scheduled to its NodePool. */
const instance_type *type_of_node(const karp_snapshot *s, const state_node *n, bool usable);
static inline const shape *shape_of(const karp_snapshot *s, uint32_t c)
{
    return &s->raw.shapes.items[s->classes[c].shape];
}

/* pool_hash.c: the hash of a NodePool's static fields. */
#define POOL_HASH_VERSION "v3"
uint64_t pool_hash(const store *raw, const node_pool *p);
