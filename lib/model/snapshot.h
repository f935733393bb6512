/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prepared input of every decision. finish() makes it once from a store: strings get ranks and numbers, resource
 * amounts become 64-bit vectors, requirement sets are interned, pods are grouped into classes, nodes and claims are
 * joined into state nodes, instance types into tables. Nothing in it changes afterwards.
 */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include <model/catalogue.h>
#include <model/requirement.h>
#include <model/store.h>

/* Text ids of the words that decisions know. */
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

/* One way to be large enough: a type's allocatable group (scheduling.md §10.2) that has an available offering. */
typedef struct variant {
    uint32_t type;
    bool usable; /* no negative entry: it can hold anything at all */
    const int64_t *allocatable; /* vector */
} variant;

typedef struct offering {
    uint32_t type, variant; /* variant NO_ID when not available */
    uint32_t set; /* requirement set */
    uint32_t zone, capacity_type, reservation; /* text ids, NO_ID = none */
    double price;
    int64_t reservation_capacity;
    bool available, price_from_overlay;
} offering;

/* How many volumes of a CSI driver a node of a type takes. */
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
    bool capacity_from_overlay, overlaid; /* overlaid: copied for a NodeOverlay (§30) */
    const volume_limit *volume_limits; /* of drivers that the snapshot knows, each once */
    uint32_t volume_limit_count;
    uint32_t kit; /* device_world.h: what it brings, when `devices` is not NULL */
    const struct type_devices *devices;
} instance_type;

/* The types, or offerings, of a table by what they say of one key: those of value v are items[first[v]] … items[first[v + 1] - 1]. */
typedef struct key_values {
    uint32_t count; /* different requirements */
    const uint32_t *values; /* requirements; NO_ID = none */
    const uint32_t *first, *items;
} key_values;

/* The types of one or more pools, in catalogue order. */
typedef struct type_table {
    instance_type *types;
    offering *offerings;
    variant *variants;
    uint32_t type_count, offering_count, variant_count;
    const uint32_t *by_name; /* types in the order of their names' ids; of one name in that of the catalogue */
    /* types in the order of their names as texts, and at which place of it each type stands */
    const uint32_t *by_text, *text_place;
    /* columns: the requirement a type (an offering) has on each key that any of them has; NO_ID = none */
    const uint32_t *type_keys, *offering_keys;
    uint32_t type_key_count, offering_key_count;
    const uint32_t *type_columns, *offering_columns; /* [key * count + index] */
    const key_values *type_values, *offering_values; /* [key]: the same by value */
    uint32_t reserved_count; /* offerings of reserved capacity, available or not */
    bool has_reservations; /* some available offering is reserved */
    bool limits_volumes; /* some type does */
    bool repeated_names; /* two types have one name: a launch lists it once */
    bool overlaid; /* some price or capacity is from an overlay */
    const uint32_t *capacity_types; /* the different ones that the available offerings have */
    uint32_t capacity_type_count;
} type_table;

/* What no decision can tell apart in two pods. */
typedef struct pod_class {
    uint32_t shape, name_space;
    uint32_t labels; /* id in store.projected: the labels that some selector reads */
    uint32_t marks; /* id in store.mark_keys when default spread constraints look at controllers, else 0 */
    const demand *alternatives; /* of volumes (§13.2); none = unconstrained */
    uint32_t alternative_count;
    uint32_t claims; /* id in store.claim_names when devices are allocated, else 0 */
    uint32_t volumes; /* id in store.volumes when CSI limits matter, else NO_ID … */
    bool volumes_found; /* … every claim, volume and class was found (§13.2) */
    uint32_t alone; /* the only pod of the class, where each joins the topology by itself (S-Q2); else NO_ID */
    bool counts_volumes; /* the look-up of §13.4 succeeds */
    bool contradictory; /* all alternatives contradict themselves (§13.2) */
    bool too_many_alternatives; /* more than are counted: no decision on these pods */
    const int64_t *requests; /* vector */
} pod_class;

/* A Node and a NodeClaim, joined (scheduling.md §16). */
typedef struct state_node {
    uint32_t name; /* names id */
    uint32_t node, claim; /* indices in the store, NO_ID = none */
    uint32_t provider; /* names id: what joins the two */
    uint32_t pool; /* index in store.pools, NO_ID = no such pool */
    uint32_t pool_name; /* text id of the label's value, NO_ID = no label */
    uint32_t hostname; /* text id */
    uint32_t zone, capacity_type; /* text ids of its labels, NO_ID = none */
    uint32_t type; /* in the pool's table, NO_ID = unknown */
    uint32_t set; /* requirement set of the labels that some pod, volume or daemon reads, without the host name */
    uint32_t pod_count, all_pod_count;
    /* An edit copies all nodes, so that they are kept small. */
    bool managed : 1, registered : 1, initialized : 1, marked : 1, nominated : 1;
    bool rebooting : 1; /* the claim says so (K15-9) */
    bool terminating : 1; /* likewise of its instance */
    bool consolidatable : 1, drifted : 1; /* likewise */
    bool annotated : 1; /* an annotation says whether it may be disrupted */
    bool overfull : 1; /* some amount of `available` is below zero */
    bool ready : 1; /* the Node says so */
    bool host_is_name : 1; /* what the Node's label says of the host is the Node's name */
    bool
        plain_pods : 1; /* it has pods, and whether and at what cost they move is settled by budgets alone: see plain() */
    label_list labels;
    taint_list taints; /* effective … */
    taint_list taints_since_reboots; /* … and where reboots are known (K15-9) */
    const int64_t *available; /* allocatable − bound pods; vector */
    resource_list allocatable;
    resource_list capacity; /* with nodes: 1 */
    const uint32_t *pods; /* indices of the bound, non-terminal pods */
    const uint32_t *all_pods; /* terminal ones too */
} state_node;

struct karp_snapshot {
    karp_context *context;
    _Atomic uint32_t holds;
    const karp_snapshot *lender; /* a view: the snapshot whose memory it is; else NULL */
    store raw;
    arena data;
    known_text known;
    string_facts facts;
    void *facts_block; /* what the facts point into, and: */
    const uint8_t *of_nodes,
        *of_pods; /* by text: a label key that some pod, volume or daemon reads on nodes, some selector on pods */
    struct frame *frame; /* frame.h: most of what follows; NULL = it is being made */
    algebra algebra;
    /* Vectors have a column per resource, in the order of the resources' ids, in units of units[resource]. What pods ask for and nothing
     * provides shares the last column: none of it is anywhere, so it does not matter how much is asked for, or of which. */
    uint32_t dims;
    uint32_t *column_of; /* [resource] */
    uint32_t *resource_of; /* [column]; of the shared one the first of its resources */
    uint32_t nowhere; /* the shared column; NO_ID = there is none */
    amount *units; /* [resource] */
    /* pods; the arrays are blocks that snapshots may have in common */
    struct reused_pods *reused; /* while it is being made: reused_pods.h; NULL = it continues none */
    uint32_t *by_name; /* every pod, by namespace and name … */
    uint32_t *pod_rank; /* … and the place of each in that order */
    uint32_t *pod_class; /* of every pod */
    pod_class *classes;
    uint32_t class_count;
    uint32_t *class_sizes; /* how many pods each has */
    uint32_t *queue; /* every pod, in the order of scheduling.md §17.2 … */
    uint32_t *queue_rank; /* … and the place of each in it */
    uint8_t *queue_falls; /* 1 where a pod's name comes before the one in front of it */
    uint32_t *queue_class; /* classes in that order */
    uint32_t *pending; /* pending pods for a node by themselves, by namespace and name (§2.1) */
    uint64_t *plain; /* by pod: it waits and asks for nothing that could be invalid */
    uint32_t pending_count;
    uint32_t *place; /* pods to place when the input names them (§1 step 4), else NULL */
    uint32_t place_count;
    /* nodes; blocks, too, and likewise what is of those that remain */
    state_node *nodes; /* by name */
    uint32_t node_count;
    uint32_t *node_sets; /* store node index -> requirement set of the Node object's own labels, as `set` above */
    uint32_t *node_of_name; /* store node index -> state node index, NO_ID = not a state node */
    const uint64_t *lost; /* by store node: not known, though it is told of; NULL = none */
    struct known_nodes {
        state_node *nodes;
        uint32_t count;
        uint32_t *of_name;
        const uint64_t *lost;
    } * remaining; /* see snapshot_remaining(); NULL = all */
    uint32_t *pod_node; /* pod -> store node index, NO_ID = not bound to an existing node */
    uint32_t orphan_pods; /* pods on nodes that are not in the input */
    struct node_pods {
        const uint32_t *items;
        uint32_t count;
    } * bound; /* by store node: all pods on it, by namespace and name */
    /* catalogues: those given, then those that node overlays made of them */
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
    } * pool_names; /* text ids, by store pool: its name, the label of §7.3 */
    uint32_t *pool_table; /* store pool index -> table, NO_ID = no types */
    struct pool_template {
        uint32_t table; /* NO_ID = the pool is of no use, and nothing is said of it */
        demand asked; /* what its launches are asked to be */
        const uint64_t *variants; /* of the table: agree with that, and have an offering … */
        const uint64_t *offered; /* … of these: available, and compatible with it */
        uint32_t capacity_types; /* how many different ones these have */
    } * pool_templates; /* by store pool; NULL = the pools are others since, or too many */
    /* daemons: representative pods of §12.1, by DaemonSet in input order */
    struct daemon {
        uint32_t set, name; /* daemon set index; its names id */
        uint32_t newest; /* its newest pod, NO_ID = none */
        uint32_t pod; /* the pod whose name it goes by, be it another's; NO_ID = none has that name */
        const shape *shape; /* tolerations, requests, ports */
        node_term_list required; /* the template's when it has any */
    } * daemons;
    uint32_t daemon_count;
    struct device_world *devices; /* device_world.h; NULL = no pod uses resource claims, or they are ignored */
};

/* karp_snapshot_ref() of one that is not to be changed: the reference count is atomic, the rest is never written. */
karp_snapshot *snapshot_hold(const karp_snapshot *snapshot);

/* A view of a snapshot, or of a view: it has all that this one has, and is no longer of use than it. What is to be different in it
 * is its maker's to set. It is no snapshot to be referred to: snapshot_hold() holds the one that lends it all. */
void snapshot_borrow(karp_snapshot *view, const karp_snapshot *from);
/* The snapshot as Karpenter knows it when it has to read everything anew (S-Q35): without the Nodes it cannot take in because the
 * volume of one of their pods is gone. Their claims stand for them. A view, where there are any; else, or unless it `loses` them,
 * the snapshot itself. */
const karp_snapshot *snapshot_remaining(const karp_snapshot *s, bool loses, karp_snapshot *view);

/* Builds the vector of a list, cleared for what it does not name; clamps what no comparison can reach. */
void vector_of(const karp_snapshot *s, resource_list list, int64_t *out);
/* A copy in the snapshot's arena; NULL = out of memory. */
const int64_t *vector_keep(karp_snapshot *s, resource_list list);

/* "namespace/name" */
static inline karp_str pod_name(const karp_snapshot *s, size_t number)
{
    return *(const karp_str *)paged_at(&s->raw.pods_shown, number, sizeof(karp_str));
}
static inline karp_str text_of(const karp_snapshot *s, uint32_t id) { return strings_get(&s->raw.text, id); }
static inline karp_str name_of(const karp_snapshot *s, uint32_t id) { return strings_get(&s->raw.names, id); }
/* Whether a node counts: one of a pool that still lacks what tells which it is does not yet (§16.1); its claim stands for it. */
bool node_is_told(const karp_snapshot *s, const node *n);
/* A taint that goes by itself while a node comes up. */
bool taint_ephemeral(const karp_snapshot *s, const taint *t);
/* The state node of that name; NO_ID. */
uint32_t state_node_named(const karp_snapshot *s, karp_str name);
/* Whether the pool is offered to pods (scheduling.md §11.1): it is ready, not static and not being deleted. */
bool pool_usable(const karp_snapshot *s, const node_pool *p);
/* What is known of this set in this table, from some pool; NULL = nothing. */
const struct pool_template *pool_template_of(const karp_snapshot *s, uint32_t table, uint32_t set);
/* The instance type that labels name, in the pool's table; NO_ID = none. */
uint32_t type_of_labels(const karp_snapshot *w, uint32_t pool, label_list labels);
static inline const shape *shape_of(const karp_snapshot *s, uint32_t c)
{
    return &s->raw.shapes.items[s->classes[c].shape];
}
#endif
