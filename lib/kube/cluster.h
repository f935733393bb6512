/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster as kube-scheduler sees it: nodes in the order of its walk, pods, and what is counted about them. Classes
 * are added first, then nodes and pods. A pod belongs to a class; pods of one class differ in name, time and node only.
 * docs/behaviours lists the rules (kube.*) with their sources.
 *
 *     cluster.c    nodes and pods             pod_class.c  what a Pod object says
 *     groups.c     pods that rules select     spread.c, pod_affinity.c, volumes.c  rules about other objects
 *     filters.c    nodes that a pod may use   scores.c     which of them is best
 *     attempt.c    the choice of a node       preemption.c pods that make room for it
 */
#pragma once

#include <io/table.h>
#include <json/tree.h>

#define KUBE_NONE IO_NONE /* what is not in a table has no number */
enum { KUBE_RESOURCES_MOST = 32 };
enum { KUBE_CPU, KUBE_MEMORY }; /* thousandths of a core, bytes; other resources are whole numbers, too */

/* Plugins that filter, in the order of the default profile, and then those that only score. */
enum {
    KUBE_NODE_UNSCHEDULABLE,
    KUBE_NODE_NAME,
    KUBE_TAINT_TOLERATION,
    KUBE_NODE_AFFINITY,
    KUBE_NODE_PORTS,
    KUBE_NODE_RESOURCES_FIT,
    KUBE_VOLUME_RESTRICTIONS,
    KUBE_NODE_VOLUME_LIMITS,
    KUBE_VOLUME_BINDING,
    KUBE_VOLUME_ZONE,
    KUBE_POD_TOPOLOGY_SPREAD,
    KUBE_INTER_POD_AFFINITY,
    KUBE_DEFAULT_PREEMPTION,
    KUBE_BALANCED_ALLOCATION,
    KUBE_IMAGE_LOCALITY,
    KUBE_PLUGINS
};

/* Codes of a refusal. */
enum { KUBE_FITS, KUBE_UNSCHEDULABLE, KUBE_UNRESOLVABLE /* preemption does not help */ };

enum { KUBE_LEAST_ALLOCATED, KUBE_MOST_ALLOCATED, KUBE_REQUESTED_TO_CAPACITY };

typedef struct kube_weighed {
    karp_str name;
    int64_t weight;
} kube_weighed;

typedef struct kube_point {
    int64_t utilization, score;
} kube_point;

/* matchFields of a node affinity term. */
typedef struct kube_fields {
    const karp_requirement *list;
    size_t count;
} kube_fields;

/* A profile, and the version of kube-scheduler. */
typedef struct kube_profile {
    karp_str name; /* schedulerName of its pods */
    uint32_t minor; /* 36 = version 1.36 */
    int64_t backoff, backoff_most; /* seconds before an attempt that failed is repeated: at first, at most */
    int32_t percentage; /* percentageOfNodesToScore; 0 = by the number of nodes */
    uint32_t strategy; /* of NodeResourcesFit */
    const kube_weighed *resources; /* that it scores */
    size_t resource_count;
    const karp_str *ignored, *ignored_groups; /* extended resources that NodeResourcesFit does not filter by */
    size_t ignored_count, ignored_group_count;
    const kube_weighed *balanced; /* that NodeResourcesBalancedAllocation scores */
    size_t balanced_count;
    const kube_point *shape; /* of RequestedToCapacityRatio; scores from 0 to 100 */
    size_t shape_count;
    int64_t weights[KUBE_PLUGINS]; /* of scores; 0 = the plugin does not score */
    bool filters[KUBE_PLUGINS]; /* false = disabled; DefaultPreemption as well */
    size_t candidates_percentage, candidates_least; /* minCandidateNodesPercentage and Absolute of DefaultPreemption */
    int64_t hard_affinity_weight; /* hardPodAffinityWeight */
    bool ignores_preferred; /* ignorePreferredTermsOfExistingPods */
    const karp_node_term *required, *preferred; /* addedAffinity of every pod; required: count 0 = none */
    const kube_fields *required_fields, *preferred_fields; /* by term */
    size_t required_count, preferred_count;
    const karp_spread_constraint *spread; /* default constraints */
    size_t spread_count;
    bool system_spread; /* they are those of kube-scheduler: a node may lack their keys */
} kube_profile;

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

typedef struct kube_image {
    uint32_t name; /* in cluster.images */
    int64_t size;
} kube_image;

/* What a caller says about a node. The texts and lists must stay valid as long as the node. */
typedef struct kube_node_spec {
    karp_str name;
    const karp_label *labels;
    size_t label_count;
    const karp_taint *taints;
    size_t taint_count;
    const karp_resource *allocatable;
    size_t allocatable_count;
    const kube_image *images;
    size_t image_count;
    bool unschedulable;
    bool leaving; /* no pod is placed on it any more */
    uint32_t number; /* the caller's; likewise of a pod */
} kube_node_spec;

typedef struct kube_node {
    kube_node_spec spec;
    bool present;
    uint32_t first_pod, pod_count, port_pods; /* port_pods: pods with host ports */
    uint32_t nominated; /* pods nominated to it */
    uint64_t version; /* of the spec: no two nodes, and no two states of one, have the same */
    uint64_t generation; /* changes with its pods, likewise */
    int64_t allowed_pods;
    int64_t nonzero[2]; /* requests of cpu and memory, with the defaults of pods without any */
    int64_t allocatable[KUBE_RESOURCES_MOST], requested[KUBE_RESOURCES_MOST];
} kube_node;

/* A topology key. Nodes with equal values form a domain, which has the number of one of them. */
typedef struct kube_key {
    karp_str name;
    bool hostname;
    uint32_t *domain; /* by node; KUBE_NONE = the node lacks the label */
    karp_str *value; /* of the label, by node */
    size_t capacity, value_capacity;
} kube_key;

typedef struct kube_zone {
    uint32_t *nodes;
    size_t count, capacity;
    karp_str region, name;
} kube_zone;

/* ---- counted pods ------------------------------------------------------------------------------------------------ */

typedef struct kube_count {
    uint32_t node;
    uint32_t all, live; /* live: without pods that are being deleted */
} kube_count;

/* Pods on nodes, ascending by node; only nodes that have some. */
typedef struct kube_counter {
    kube_count *list;
    size_t count, capacity;
} kube_counter;

/* Pods that a rule selects. */
typedef struct kube_rule {
    const karp_str *namespaces;
    size_t namespace_count;
    const karp_selector *namespace_selector; /* NULL = none */
    const karp_selector *const *selectors; /* all of them; NULL in it = selects nothing */
    size_t selector_count;
    karp_str owner_kind, owner; /* "" = any: the pods' controller */
} kube_rule;

typedef struct kube_group {
    const kube_rule *rules; /* all of them */
    size_t rule_count;
    bool empty; /* its selector is {}, which spread constraints count as nothing */
    kube_counter pods;
    uint32_t first_term, next; /* next: group with the same hint */
} kube_group;

enum { KUBE_REQUIRED_AFFINITY, KUBE_REQUIRED_ANTI, KUBE_PREFERRED_AFFINITY, KUBE_PREFERRED_ANTI };

/* A term of pod affinity, the same for all classes that have it. */
typedef struct kube_term {
    uint32_t group, key, kind, next; /* next: of the same group */
    int64_t weight; /* negative for anti-affinity */
    kube_counter holders; /* pods that have it */
} kube_term;

/* ---- classes of pods --------------------------------------------------------------------------------------------- */

typedef struct kube_amount {
    uint32_t resource;
    int64_t amount;
} kube_amount;

typedef struct kube_constraint {
    uint32_t group, key;
    int32_t max_skew, min_domains;
    bool honors_affinity, honors_taints, selects_self, any_key;
} kube_constraint;

typedef struct kube_ids {
    uint32_t *list;
    size_t count, capacity;
} kube_ids;

typedef struct kube_class {
    karp_pod pod; /* in the cluster's memory */
    const kube_profile *profile;
    const kube_fields *required_fields, *preferred_fields; /* by term */
    kube_amount *requests; /* without zeroes */
    size_t request_count;
    bool balances; /* it requests a resource that NodeResourcesBalancedAllocation scores */
    int64_t nonzero[2]; /* added to its node */
    int64_t scored[2]; /* used for its own score */
    const karp_host_port *ports;
    size_t port_count;
    uint32_t *images; /* of containers, and of volumes; in cluster.images */
    size_t image_count, container_count; /* container_count: with init containers */
    const karp_str *volumes; /* names of its PersistentVolumeClaims */
    uint32_t *claims; /* their numbers among the objects; KUBE_NONE = there is no such claim */
    size_t volume_count;
    const karp_str *only; /* names of the nodes to which metadata.name restricts it */
    size_t only_count;
    bool never_preempts, restricted; /* restricted: `only` counts */
    kube_constraint *hard, *soft;
    size_t hard_count, soft_count;
    uint32_t *affinity, *anti, *preferred; /* terms */
    size_t affinity_count, anti_count, preferred_count;
    uint32_t affinity_group; /* pods that all of its required affinity selects */
    kube_ids groups; /* that select it */
    bool selects_itself; /* affinity_group does */
    bool anti_matters; /* a group that selects it has a term of required anti-affinity */
    bool score_matters; /* likewise, a term that scores */
    uint64_t tried; /* cluster.events when no node took it; 0 = unknown */
} kube_class;

/* ---- pods -------------------------------------------------------------------------------------------------------- */

typedef struct kube_pod {
    uint32_t class_, node; /* node: KUBE_NONE = none */
    uint32_t next, before; /* of its node */
    uint32_t nominated; /* KUBE_NONE = none */
    int32_t priority;
    int64_t started; /* KARP_NO_TIME = now */
    bool terminating, preempted; /* preempted: terminates because of preemption */
    bool used;
    uint32_t number;
    karp_str name; /* that a budget may list among those disrupted already */
} kube_pod;

typedef struct kube_budget {
    karp_str namespace_;
    const karp_selector *selector; /* NULL = selects nothing */
    int64_t allowed;
    const karp_str *disrupted;
    size_t disrupted_count;
} kube_budget;

/* What is remembered of a class on a node. */
typedef struct kube_memo {
    uint64_t version; /* of the node's spec; 0 = nothing */
    uint64_t generation; /* of its pods, for `score`; 0 = unknown */
    uint64_t full; /* the node's mark when NodeResourcesFit refused it with `lack`; 0 = unknown */
    int32_t preferred; /* weight of preferred node affinity */
    int64_t score; /* of NodeResourcesFit and BalancedAllocation, weighted */
    uint16_t taints; /* with PreferNoSchedule that are not tolerated */
    uint8_t refusal; /* a plugin; KUBE_PLUGINS = none */
    uint8_t lack;
    bool affinity, tolerated; /* the node meets required node affinity; no taint repels the pod */
} kube_memo;

/* ---- other objects ----------------------------------------------------------------------------------------------- */

typedef struct kube_selecting {
    karp_selecting object;
    uint32_t next; /* Service with the same hint */
} kube_selecting;

typedef struct kube_priority {
    int32_t value;
    bool never; /* preemptionPolicy */
} kube_priority;

/* A PersistentVolume, and what a scheduler reads of it beyond karp_persistent_volume. */
typedef struct kube_volume {
    karp_persistent_volume object;
    karp_str storage_class, claim_namespace, claim_name; /* claimRef; "" = it is free */
    int64_t size;
    const karp_str *modes; /* accessModes */
    size_t mode_count;
    bool available;
} kube_volume;

typedef struct kube_claim {
    karp_persistent_volume_claim object;
    int64_t size;
    const karp_str *modes;
    size_t mode_count;
    bool bound; /* completely */
} kube_claim;

/* Objects that rules refer to. Tables are by "namespace/name". */
typedef struct kube_objects {
    kube_selecting *selecting;
    size_t selecting_count, selecting_capacity;
    io_table services, owners, namespaces, claims, volumes, classes, priorities, limits;
    karp_namespace *spaces;
    size_t space_count, space_capacity;
    kube_claim *claim_list;
    size_t claim_count, claim_capacity;
    kube_volume *volume_list;
    size_t volume_count, volume_capacity;
    karp_storage_class *class_list;
    size_t class_count, class_capacity;
    kube_priority *priority_list;
    size_t priority_count, priority_capacity;
    uint32_t default_priority; /* KUBE_NONE = no class is the default */
    karp_csi_node *limit_list; /* CSINodes */
    size_t limit_count, limit_capacity;
    bool owners_assumed; /* an owner that is not among the objects selects the pods that it owns */
} kube_objects;

typedef struct kube_image_state {
    int64_t size; /* as the first node stated it */
    uint32_t nodes; /* that have it */
} kube_image_state;

/* Classes whose memos are kept: as many as take no more than so many memos, but some at least. */
enum { KUBE_MEMOS = 1024, KUBE_LEAST_MEMOS = 64, KUBE_MEMOS_OF_ALL = 1 << 18 };

typedef struct kube_memos {
    uint32_t class_; /* whose */
    kube_memo *list; /* by node */
    size_t capacity;
} kube_memos;

typedef struct kube_cluster {
    karp_context *context;
    arena memory;
    karp_status status; /* the first failure */
    karp_error error;
    const kube_profile *profiles; /* of one version; the first is that of every pod if there is one without a name */
    size_t profile_count;
    strings resources, images;
    kube_node *nodes;
    size_t node_count, node_capacity; /* node_count: numbers in use, also of absent nodes */
    uint64_t *marks; /* by node, close together for the walk: the later of version and generation; 0 = see nominated */
    size_t mark_capacity;
    kube_ids free_nodes, free_pods;
    kube_zone *zones;
    size_t zone_count, zone_capacity;
    uint32_t *order; /* of the walk */
    size_t order_count, order_capacity;
    bool order_known;
    size_t start; /* where the next walk begins */
    uint64_t stamp; /* last version or generation */
    uint64_t events; /* counts what may let a pod fit: room, a new node, any change of pods that rules see */
    kube_class *classes;
    size_t class_count, class_capacity;
    kube_pod *pods;
    size_t pod_count, pod_capacity;
    kube_ids nominated; /* pods that have a nominated node */
    kube_key *keys;
    size_t key_count, key_capacity;
    kube_group *groups;
    size_t group_count, group_capacity;
    kube_term *terms;
    size_t term_count, term_capacity;
    io_table group_index, term_index, hints; /* hints: a label that a group needs -> its first group */
    uint32_t unhinted; /* first group that any pod may belong to */
    strbuf text;
    kube_memos memos[KUBE_MEMOS];
    kube_budget *budgets;
    size_t budget_count, budget_capacity;
    kube_objects objects;
    kube_image_state *image_states; /* by image */
    size_t image_capacity;
    int64_t **lines; /* scratch space of an attempt: numbers by domain */
    size_t line_count, line_capacity, lines_used, line_size;
} kube_cluster;

/* The state of a pod's attempt: see attempt.h. */

void kube_cluster_init(kube_cluster *c, karp_context *context, const kube_profile *profiles, size_t count);
void kube_cluster_free(kube_cluster *c);
bool kube_nomem(kube_cluster *c); /* returns false */
bool kube_ids_add(kube_cluster *c, kube_ids *ids, uint32_t id);

/* ---- nodes: KUBE_NONE = a failure -------------------------------------------------------------------------------- */

uint32_t kube_node_add(kube_cluster *c, const kube_node_spec *spec);
/* Sets aside an amount for pods that the cluster does not have; a resource that no pod requests is ignored. */
void kube_node_reserve(kube_cluster *c, uint32_t node, karp_str resource, int64_t amount);
void kube_node_remove(kube_cluster *c, uint32_t node); /* its pods must have been removed before */
/* Taints and unschedulable changed: the lists of the spec, which the caller has written. */
void kube_node_changed(kube_cluster *c, uint32_t node);
/* Nodes in the order of the walk: zones in the order in which they came, a node of each in turn. */
const uint32_t *kube_order(kube_cluster *c, size_t *count);
/* The number of the key, which is new if no rule had it. */
uint32_t kube_key_add(kube_cluster *c, karp_str name);
static inline uint32_t kube_domain(const kube_cluster *c, uint32_t key, uint32_t node)
{
    return c->keys[key].domain[node];
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

uint32_t kube_pod_add(kube_cluster *c, const kube_pod *pod); /* without a node */
void kube_pod_remove(kube_cluster *c, uint32_t pod);
void kube_place(kube_cluster *c, uint32_t pod, uint32_t node);
void kube_displace(kube_cluster *c, uint32_t pod);
void kube_nominate(kube_cluster *c, uint32_t pod, uint32_t node); /* KUBE_NONE = no longer */
