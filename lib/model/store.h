/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw material of a snapshot: every object that was added, in compact form. The builder fills a store; finishing
 * moves it into the snapshot, which keeps it unchanged. Texts that decisions compare are ids of `text`; object names
 * are ids of `names`; id 0 of both is "". What pods of one workload share (shape, labels, volumes, marks) is kept once.
 */
#ifndef MODEL_STORE_H
#define MODEL_STORE_H

#include <base/hash.h>
#include <base/paged.h>
#include <karp/snapshot.h>
#include <model/resources.h>

enum { NO_TEXT = 0 }; /* the id of "" */

typedef struct label_pair {
    uint32_t key, value;
} label_pair;
typedef struct label_list {
    const label_pair *items;
    uint32_t count;
} label_list; /* ordered by key id, keys unique */

typedef struct expression {
    uint32_t key, op, min_values, value_count;
    const uint32_t *values;
} expression;
typedef struct expression_list {
    const expression *items;
    uint32_t count;
} expression_list;

typedef struct selector {
    label_list labels;
    expression_list expressions;
} selector;

typedef struct taint {
    uint32_t key, value, effect;
} taint;
typedef struct taint_list {
    const taint *items;
    uint32_t count;
} taint_list;

typedef struct toleration {
    uint32_t key, value, effect, op, has_seconds;
    int64_t seconds;
} toleration;
typedef struct toleration_list {
    const toleration *items;
    uint32_t count;
} toleration_list;

typedef struct node_term {
    expression_list expressions;
    int32_t weight;
    bool has_fields;
} node_term;
typedef struct node_term_list {
    const node_term *items;
    uint32_t count;
} node_term_list;

typedef struct pod_term {
    uint32_t topology_key;
    int32_t weight;
    const uint32_t *namespaces;
    uint32_t namespace_count;
    const selector *namespace_selector; /* NULL = nil */
    const selector *label_selector;
} pod_term;
typedef struct pod_term_list {
    const pod_term *items;
    uint32_t count;
} pod_term_list;

typedef struct spread_constraint {
    uint32_t topology_key;
    int32_t max_skew, min_domains; /* min_domains 0 = absent */
    bool schedule_anyway;
    bool honor_affinity, honor_taints;
    const selector *label_selector;
    const uint32_t *match_label_keys;
    uint32_t match_label_key_count;
} spread_constraint;
typedef struct spread_list {
    const spread_constraint *items;
    uint32_t count;
} spread_list;

typedef struct host_port {
    uint8_t ip[16]; /* v4 mapped into v6 */
    uint32_t protocol;
    int32_t port;
    uint32_t ip_known; /* 0 = the text is no address: equal only to another such */
    uint32_t any; /* 0.0.0.0 or :: */
} host_port;
typedef struct host_port_list {
    const host_port *items;
    uint32_t count;
} host_port_list;

/* What a decision reads of a pod's spec (and resources in force), equal for all pods of a workload. */
typedef struct shape {
    resource_list requests; /* scheduling.md §3, with pods: 1 */
    label_list node_selector;
    node_term_list required, preferred; /* preferred: as listed */
    pod_term_list required_affinity, preferred_affinity, required_anti, preferred_anti;
    spread_list spread;
    toleration_list tolerations;
    host_port_list ports;
    uint32_t rules; /* equal for shapes that differ in nothing but their requests */
    int32_t priority;
    bool has_priority;
    bool has_claims; /* dynamic resource allocation */
    bool critical; /* system-cluster-critical or system-node-critical */
    int64_t grace_seconds; /* −1 = absent */
} shape;

/* Flags of a pod. */
enum {
    POD_UNSCHEDULABLE = 1, /* condition PodScheduled with reason Unschedulable */
    POD_NOMINATED = 2, /* status.nominatedNodeName */
    POD_OF_DAEMON_SET = 4, /* owner apps/v1 DaemonSet */
    POD_OF_NODE = 8, /* owner v1 Node: a mirror pod */
    POD_OF_STATEFUL_SET = 16, /* owner apps/v1 StatefulSet */
    POD_NOT_READY = 32, /* condition Ready is False */
    POD_VIRTUAL = 64 /* of a capacity buffer */
};

typedef struct pod_volume {
    uint32_t claim;
} pod_volume; /* index in `names` of the claim's name */

/* What annotations and owners say that decisions read; interned, since few pods have any. */
typedef struct pod_marks {
    uint32_t do_not_disrupt; /* text id of the annotation's value, or NO_ID */
    uint32_t deletion_cost; /* likewise, as the next two */
    uint32_t disruption_cost; /* of karpenter.sh */
    uint32_t autoscaling_cost; /* of node-autoscaling.kubernetes.io */
    uint32_t controller_kind; /* KARP_SELECTS_*, or NO_ID for none and others */
    uint32_t controller_name; /* names id */
    uint32_t controller_uid; /* names id, or NO_ID */
} pod_marks;

typedef struct pod {
    uint32_t name_space, name; /* text id, names id */
    uint32_t shape;
    uint32_t labels; /* id in store.labels */
    uint32_t volumes; /* id in store.volumes: names ids of claims, in volume order */
    uint32_t marks; /* id in store.marks */
    uint32_t node; /* names id, or NO_ID */
    uint32_t uid_len;
    const char *uid;
    int64_t creation, deletion, start; /* KARP_NO_TIME = absent */
    uint32_t claims; /* id in store.claim_names: names ids of resource claims, in order */
    uint8_t phase, flags;
} pod;

typedef struct condition {
    uint32_t type, status, reason; /* text ids */
    int64_t since;
} condition;
typedef struct condition_list {
    const condition *items;
    uint32_t count;
} condition_list;

/* metadata of everything that is not a pod */
typedef struct object {
    uint32_t name_space, name; /* text id (NO_TEXT when not namespaced), names id */
    uint32_t uid; /* names id */
    label_list labels, annotations;
    int64_t creation, deletion; /* KARP_NO_TIME = absent */
} object;

typedef struct node {
    object meta;
    uint32_t provider_id; /* names id, 0 = none */
    taint_list taints;
    resource_list capacity, allocatable;
    condition_list conditions;
} node;

typedef struct node_claim {
    object meta;
    uint32_t provider_id, image_id; /* names ids, 0 = none */
    uint32_t class_group, class_kind, class_name; /* text ids */
    taint_list taints, startup_taints;
    expression_list requirements;
    resource_list requests, capacity, allocatable;
    condition_list conditions;
    int64_t last_pod_event, expire_after, termination_grace_period;
} node_claim;

typedef struct budget {
    karp_str nodes, schedule; /* in the arena; len 0 = absent */
    int64_t duration;
    bool has_reasons;
    uint32_t reasons;
} budget;

typedef struct node_pool {
    object meta;
    uint32_t class_group, class_kind, class_name; /* text ids */
    label_list template_labels, template_annotations;
    bool has_labels, has_annotations; /* they are there, be it empty: the hash tells */
    taint_list taints, startup_taints;
    expression_list requirements;
    resource_list limits;
    const budget *budgets;
    uint32_t budget_count;
    condition_list conditions;
    int64_t replicas, consolidate_after, expire_after, termination_grace_period;
    int32_t weight;
    uint32_t policy;
} node_pool;

typedef struct node_class {
    object meta;
    uint32_t group, kind; /* text ids */
    karp_str document;
} node_class;

/* When a node is repaired, and how. */
typedef struct node_repair {
    uint32_t condition, status; /* text ids */
    karp_str reason; /* in the arena; "" = the policy for all others */
    int64_t toleration, termination_grace_period;
    uint32_t priority, action;
} node_repair;

typedef struct reboot {
    karp_str claim; /* in the arena */
    int64_t at;
} reboot;

typedef struct reservation_credit {
    uint32_t reservation; /* text id */
    int64_t slots;
} reservation_credit;

typedef struct daemon_set {
    object meta;
    uint32_t shape; /* of the template, requests filled from limits */
    uint32_t labels; /* of the template */
} daemon_set;

typedef struct volume_claim {
    object meta;
    uint32_t volume; /* names id, 0 = none */
    uint32_t storage_class; /* names id, 0 = none or "" */
    uint32_t phase;
    bool bind_completed;
} volume_claim;

typedef struct volume {
    object meta;
    uint32_t driver; /* text id of the CSI driver, NO_TEXT = none */
    bool in_tree_ebs, local;
    node_term_list terms;
} volume;

typedef struct storage_class {
    object meta;
    uint32_t driver; /* text id of the provisioner, translated to its CSI name */
    uint32_t provisioner;
    uint32_t binding_mode;
    node_term_list topologies;
} storage_class;

typedef struct csi_limit {
    uint32_t driver;
    int32_t count;
    uint32_t has_count; /* 0 = no allocatable, 1 = a count, 2 = allocatable without one */
} csi_limit;

typedef struct csi_node {
    object meta;
    const csi_limit *limits; /* every driver that is listed */
    uint32_t limit_count;
} csi_node;

typedef struct disruption_budget {
    object meta;
    const selector *selects; /* NULL = nil */
    karp_int_or_string min_available, max_unavailable; /* texts in the arena */
    int32_t disruptions_allowed;
    bool always_allow;
} disruption_budget;

typedef struct selecting {
    object meta;
    uint32_t kind;
    const selector *selects; /* NULL = none */
} selecting;

typedef struct overlay {
    object meta;
    expression_list requirements;
    karp_str price, price_adjustment;
    resource_list capacity;
    int32_t weight;
} overlay;

typedef struct capacity_buffer {
    object meta;
    bool has_template, ready;
    uint32_t shape, labels, claims; /* of the template */
    int64_t replicas;
} capacity_buffer;

/* devices.h */
typedef struct resource_slice resource_slice;
typedef struct device_class device_class;
typedef struct resource_claim resource_claim;

typedef struct node_state {
    uint32_t name; /* names id */
    bool marked, nominated;
} node_state;

typedef struct catalogue_use {
    karp_catalogue *catalogue;
    const uint32_t *pools; /* names ids; none = all */
    uint32_t pool_count;
} catalogue_use;

/* A growable array. One that was settled shares its elements with those that continue it, until it is written to. */
#define LIST_OF(type)                                                                                                  \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
        joint *held;                                                                                                   \
    }
/* A new cleared element at the end of any LIST_OF, or NULL. `list` is the address of the struct. */
void *list_push(karp_context *context, void *list, size_t element_bytes);
/* Room for one more element: the next list_push() cannot fail. false = out of memory. */
bool list_reserve(karp_context *context, void *list, size_t element_bytes);
/* Room for `more` elements at once, for who knows how many will come. false = out of memory. */
bool list_room(karp_context *context, void *list, size_t element_bytes, size_t more);
size_t list_count(const void *list);
void *list_at(const void *list, size_t index, size_t element_bytes);
bool list_settle(karp_context *context, void *list, size_t element_bytes); /* false = out of memory, nothing is lost */
/* An empty list becomes the same as another, which is settled or empty. */
void list_continue(void *list, const void *from);
/* Before elements that are there are written to: they are this list's alone. false = out of memory, nothing changed. */
bool list_own(void *list, size_t element_bytes);
void list_free(karp_context *context, void *list, size_t element_bytes);

typedef struct store {
    karp_context *context;
    struct store_memory *below; /* store_share.h: what stores before this one own and it points into */
    strings text, names, resources;
    arena data;
    words shape_keys; /* identity of shapes; ids are indices of shapes */
    words rule_keys; /* what of it is not about requests: see shape.rules */
    LIST_OF(shape) shapes;
    words labels; /* pod labels: key, value, key, value … ordered by key id */
    words volumes; /* claim names */
    words mark_keys; /* pod_marks as words */
    words claim_names; /* of pods' resource claims */
    words projected; /* labels of pods that some selector reads, as `labels`; written when finishing */
    words taken; /* (kind, namespace, name) of all but pods, for duplicates and look-ups … */
    LIST_OF(uint32_t) taken_index; /* … and the index of each in its array */
    paged pods, pods_shown; /* store_pods.h: of pod; of karp_str, "namespace/name" */
    paged pod_slots; /* the pods by namespace and name */
    size_t pod_slots_used; /* those of pods that are gone included */
    LIST_OF(uint32_t) open_places; /* of pods that were taken out */
    LIST_OF(uint32_t)
    changed; /* of a store that continues another: places where there was another pod, or none; may repeat */
    LIST_OF(node) nodes;
    LIST_OF(node_claim) claims;
    LIST_OF(node_pool) pools;
    LIST_OF(node_class) classes;
    LIST_OF(daemon_set) daemon_sets;
    LIST_OF(volume_claim) volume_claims;
    LIST_OF(volume) volumes_bound;
    LIST_OF(storage_class) storage_classes;
    LIST_OF(csi_node) csi_nodes;
    LIST_OF(disruption_budget) budgets;
    LIST_OF(object) namespaces;
    LIST_OF(selecting) selecting;
    LIST_OF(overlay) overlays;
    LIST_OF(capacity_buffer) buffers;
    LIST_OF(resource_slice) slices;
    LIST_OF(device_class) device_classes;
    LIST_OF(resource_claim) resource_claims;
    LIST_OF(catalogue_use) catalogues;
    /* settings */
    karp_settings settings; /* pointers replaced by the fields below */
    const node_repair *repairs;
    const reboot *reboots;
    const reservation_credit *credits;
    uint32_t repair_count, reboot_count, credit_count;
    spread_list default_spread;
    label_list normalized; /* added by the provider */
    const uint32_t *well_known, *restricted, *restricted_domains;
    uint32_t well_known_count, restricted_count, restricted_domain_count;
    uint32_t reservation_id; /* text id, NO_TEXT = none */
    int64_t now;
    bool states_given, pods_given;
    uint32_t
        touched; /* of a store that continues another: bits of the kinds of which objects came or went, pods apart */
    LIST_OF(uint64_t)
    changed_objects; /* likewise: kind << 32 | index where another object stands, or none stood; once
                                       * settled in order, each once */
    LIST_OF(node_state) states;
    LIST_OF(uint64_t) pods_to_place; /* namespace text id << 32 | names id */
} store;

/* Kinds, as part of `taken`'s keys. */
enum kind {
    KIND_POD,
    KIND_NODE,
    KIND_NODE_CLAIM,
    KIND_NODE_POOL,
    KIND_NODE_CLASS,
    KIND_DAEMON_SET,
    KIND_VOLUME_CLAIM,
    KIND_VOLUME,
    KIND_STORAGE_CLASS,
    KIND_CSI_NODE,
    KIND_BUDGET,
    KIND_NAMESPACE,
    KIND_SELECTING,
    KIND_OVERLAY,
    KIND_BUFFER,
    KIND_RESOURCE_SLICE,
    KIND_DEVICE_CLASS,
    KIND_RESOURCE_CLAIM,
    KIND_COUNT
};
enum { TOUCHED_REST = KIND_COUNT }; /* the bit for settings, catalogues and node states */
static inline void store_touch(store *s, uint32_t kind) { s->touched |= kind == KIND_POD ? 0 : UINT32_C(1) << kind; }

karp_status store_init(store *s, karp_context *context, karp_error *error);
void store_free(store *s);
/* Before a snapshot is made of it: what is large becomes what others can share. false = out of memory, nothing is lost. */
bool store_settle(store *s);
/* A cleared store becomes a copy of another, whose memory it shares (store_share() has made it sharable). false = out of memory:
 * nothing is left to free. */
bool store_continue(store *s, const store *from);
/* Room for notes of so many more changed objects, without which none may be changed. false = out of memory. */
bool store_reserve_changes(store *s, size_t more);
void store_note_change(store *s, uint32_t kind, uint32_t index);

/* An object, no pod, that is to go. */
typedef struct removed_object {
    uint32_t kind, index;
    uint32_t identity; /* id in store.taken */
} removed_object;

/* Takes objects out. The last of the nodes, and of the claims, take the places that are left; objects of other kinds move up.
 * false = out of memory: what is still to be taken out stays in `removed`. */
bool store_remove(store *s, removed_object *removed, size_t *count);

/* The words that `taken` knows an object by: kind, namespace, name, and what else the kind is known by. */
bool store_has(const store *s, const uint32_t *identity, size_t count);
/* The index of an object in its array; NO_ID = not there. */
uint32_t store_find(const store *s, enum kind kind, uint32_t name_space, uint32_t name);
/* The same for kinds whose identity is more than that; `selects` is KARP_SELECTS_*, group and kind are text ids. */
uint32_t store_find_selecting(const store *s, uint32_t selects, uint32_t name_space, uint32_t name);
uint32_t store_find_class(const store *s, uint32_t group, uint32_t kind, uint32_t name);

static inline const pod *pod_at(const store *s, size_t number) { return paged_at(&s->pods, number, sizeof(pod)); }
static inline karp_str store_text(const store *s, uint32_t id) { return strings_get(&s->text, id); }
static inline karp_str store_name(const store *s, uint32_t id) { return strings_get(&s->names, id); }
const pod_marks *store_marks(const store *s, const pod *p);
/* The value of a label, or NO_ID. */
uint32_t label_get(label_list labels, uint32_t key);
label_list store_pod_labels(const store *s, uint32_t labels);
/* The condition of that type, or NULL. */
const condition *condition_find(condition_list list, uint32_t type);

#endif
