/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of a snapshot in compact form. The builder fills a store. Finishing moves it into the snapshot, where
 * it stays unchanged. Texts that decisions compare are ids of `text`, and object names are ids of `names`. Id 0 of
 * both is "". Data that the pods of a workload share (shape, labels, volumes, marks) is stored once.
 */
#pragma once

#include <base/paged.h>
#include <karp/settings.h>
#include <model/resources.h>

enum { NO_TEXT = 0 }; /* the id of "" */

typedef struct label_pair {
    uint32_t key, value;
} label_pair;
typedef struct label_list {
    const label_pair *items;
    uint32_t count;
} label_list; /* sorted by key id, keys are unique */

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
    const selector *namespace_selector; /* NULL = absent */
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
    uint8_t ip[16]; /* IPv4 as ::ffff:a.b.c.d */
    uint32_t protocol;
    int32_t port;
    uint32_t ip_known; /* 0 = the text is not an address; such ports are equal only to each other */
    uint32_t any; /* 0.0.0.0 or :: */
} host_port;
typedef struct host_port_list {
    const host_port *items;
    uint32_t count;
} host_port_list;

/* What few pods have beside their requests. A list that does not differ from them is empty. */
typedef struct beside_requests {
    resource_list newer; /* the same as Kubernetes counts it from 1.37 on, while a resize is under way */
    resource_list predicted; /* what it is expected to request when it is created again */
    /* The sum of its containers' limits, with the requests of those without, if it is above the requests. No decision
     * reads it. */
    resource_list limits;
} beside_requests;

/* The part of a pod's spec that decisions read, and its effective resources. Equal for all pods of a workload. */
typedef struct shape {
    resource_list requests; /* including pods: 1 */
    const beside_requests *beside; /* NULL = nothing */
    label_list node_selector;
    node_term_list required, preferred; /* preferred: in input order */
    pod_term_list required_affinity, preferred_affinity, required_anti, preferred_anti;
    spread_list spread;
    toleration_list tolerations;
    host_port_list ports;
    uint32_t rules; /* equal for shapes that differ only in their requests */
    int32_t priority;
    bool has_priority;
    bool has_claims; /* it uses resource claims (DRA) */
    bool critical; /* system-cluster-critical or system-node-critical */
    int64_t grace_seconds; /* −1 = absent */
} shape;

static inline beside_requests beside_of(const shape *h)
{
    return h->beside != NULL ? *h->beside : (beside_requests){ .newer = { NULL, 0 } };
}

/* Flags of a pod. */
enum {
    POD_UNSCHEDULABLE = 1, /* condition PodScheduled with reason Unschedulable */
    POD_NOMINATED = 2, /* status.nominatedNodeName */
    POD_OF_DAEMON_SET = 4, /* owner apps/v1 DaemonSet */
    POD_OF_NODE = 8, /* owner v1 Node: a mirror pod */
    POD_OF_STATEFUL_SET = 16, /* owner apps/v1 StatefulSet */
    POD_NOT_READY = 32, /* condition Ready is False */
    POD_VIRTUAL = 64, /* virtual pod of a capacity buffer */
    POD_OF_JOB = 128, /* owner batch/v1 Job */
    POD_NOT_CREATED = 256 /* condition Created is False: the pod before it in its StatefulSet is not ready */
};

typedef struct pod_volume {
    uint32_t claim; /* names id of the claim's name */
} pod_volume;

/* Values of annotations and owner references that decisions read. Interned, since few pods have any. */
typedef struct pod_marks {
    uint32_t do_not_disrupt; /* text id of the annotation's value, or NO_ID */
    uint32_t deletion_cost; /* likewise text id or NO_ID, as the next two */
    uint32_t disruption_cost; /* of karpenter.sh */
    uint32_t autoscaling_cost; /* of node-autoscaling.kubernetes.io */
    uint32_t controller_kind; /* KARP_SELECTS_*, or NO_ID for none or another kind */
    uint32_t controller_name; /* names id */
    uint32_t controller_uid; /* names id, or NO_ID */
    uint32_t group; /* names id of its group's name, or NO_ID */
    uint32_t group_source; /* KARP_GROUP_*, 0 without a group */
    uint32_t gated; /* 1 = it has scheduling gates */
    uint32_t controller_word; /* text id of its kind; NO_ID = none */
} pod_marks;

/* The marks of a pod without any. */
static inline pod_marks no_marks(void)
{
    return (pod_marks){ NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_TEXT, NO_ID, NO_ID, 0, 0, NO_ID };
}

/* The members of a pod that all pods of a template have in common. */
typedef struct pod_shared {
    uint32_t name_space, shape, labels, volumes, marks, claims, flags; /* as in pod */
} pod_shared;

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
    uint16_t flags;
    uint8_t phase;
} pod;
static inline bool pod_over(const pod *p) { return p->phase == KARP_PHASE_SUCCEEDED || p->phase == KARP_PHASE_FAILED; }

typedef struct condition {
    uint32_t type, status, reason; /* text ids */
    int64_t since;
} condition;
typedef struct condition_list {
    const condition *items;
    uint32_t count;
} condition_list;

/* metadata of all objects except pods */
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
static inline bool budget_scheduled(const budget *b)
{
    return b->schedule.len > 0 || b->duration != KARP_DURATION_UNSET;
}

typedef struct node_pool {
    object meta;
    uint32_t class_group, class_kind, class_name; /* text ids */
    label_list template_labels, template_annotations;
    bool has_labels, has_annotations; /* whether they are present, even if empty; the NodePool hash depends on it */
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

/* A condition that causes a repair, and the action. */
typedef struct node_repair {
    uint32_t condition, status; /* text ids */
    karp_str reason; /* in the arena; "" = the policy for all other reasons */
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

/* Instances of a reservation that launches took after its free instances were counted. */
typedef struct reservation_use {
    uint32_t reservation; /* text id */
    bool closes; /* without a free instance it is unavailable, as before Karpenter 1.15 */
    int64_t taken; /* less than 0: nodes that ended have returned more */
} reservation_use;

typedef struct daemon_set {
    object meta;
    uint32_t shape; /* of the template, with missing requests set from limits */
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
    uint32_t has_count; /* 0 = no allocatable, 1 = a count, 2 = allocatable without a count */
} csi_limit;

typedef struct csi_node {
    object meta;
    const csi_limit *limits; /* every listed driver */
    uint32_t limit_count;
} csi_node;

typedef struct disruption_budget {
    object meta;
    const selector *selects; /* NULL = absent */
    karp_int_or_string min_available, max_unavailable; /* texts in the arena */
    int32_t disruptions_allowed, current_healthy, expected_pods;
    bool always_allow;
} disruption_budget;

typedef struct selecting {
    object meta;
    uint32_t kind;
    const selector *selects; /* NULL = absent */
} selecting;

typedef struct overlay {
    object meta;
    expression_list requirements;
    karp_str price, price_adjustment, price_expression;
    resource_list capacity;
    int32_t weight;
    bool is_void; /* it contradicts one of equal weight */
} overlay;

typedef struct capacity_buffer {
    object meta;
    bool has_template, ready;
    uint32_t shape, labels, claims; /* of the template */
    int64_t replicas;
} capacity_buffer;

/* A group of pods, or of groups (composite). */
typedef struct pod_group {
    object meta;
    uint32_t source; /* KARP_GROUP_* */
    bool composite, gang, has_priority, disruption_all;
    bool required; /* the composite above starts only together with it */
    bool one_of; /* of a composite: its groups are alternatives */
    bool booked, no_retry; /* of a ProvisioningRequest */
    int32_t min_count, priority;
    int32_t min_pods; /* of a composite: least number of pods below it, 0 = any */
    uint32_t topology_key; /* text id, NO_TEXT = none; so are the next three */
    uint32_t resource_flavor, refused, request_class;
    uint32_t parent; /* names id, NO_TEXT = none */
} pod_group;

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

/* A growable array. A settled list shares its elements with lists that continue it, until one of them is written to. */
#define LIST_OF(type)                                                                                                  \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
        shared_array *shared;                                                                                          \
    }
/* Appends a zeroed element to any LIST_OF and returns it; NULL = out of memory. `list` is the address of the struct. */
void *list_push(karp_context *context, void *list, size_t element_bytes);
/* The same where the list has room, without its own copy of shared elements: others do not see the new one. NULL = it
 * has no room. */
void *list_push_here(void *list, size_t element_bytes);
/* Reserves room for one element, so that the next list_push() cannot fail. false = out of memory. */
bool list_reserve(karp_context *context, void *list, size_t element_bytes);
/* Reserves room for `more` elements. false = out of memory. */
bool list_reserve_more(karp_context *context, void *list, size_t element_bytes, size_t more);
size_t list_count(const void *list);
void *list_at(const void *list, size_t index, size_t element_bytes);
/* Gives the list its own copy of shared elements. Call before writing to existing elements. false = out of memory,
 * nothing changed. */
bool list_own(void *list, size_t element_bytes);
bool list_has_room(const void *list);
uint32_t list_sharers(const void *list); /* how many lists share its elements, with itself */
void list_free(karp_context *context, void *list, size_t element_bytes);

typedef struct store_memory store_memory;

typedef struct store {
    karp_context *context;
    store_memory *below; /* memory of earlier stores that this one points into */
    size_t clean_bytes; /* of the memory when nothing in it was replaced: see store_wasteful() */
    strings text, names, resources;
    arena data;
    words shape_keys; /* identity of shapes; ids are indices of shapes */
    words rule_keys; /* the part of the identity that is not about requests: see shape.rules */
    LIST_OF(shape) shapes;
    words labels; /* labels of pods: key, value, key, value … sorted by key id */
    words volumes; /* claim names */
    words mark_keys; /* pod_marks as words */
    words claim_names; /* of pods' resource claims */
    words templates; /* pod_shared as words, of pod templates; a template's number is its id */
    words projected; /* labels of pods that some selector reads, in the form of `labels`; written by finishing */
    words taken; /* identities (kind, namespace, name) of all objects except pods, for duplicates and look-ups */
    LIST_OF(uint32_t) taken_index; /* by id in `taken`: index of the object in its array */
    paged pods, pods_shown; /* store_pods.h: of struct pod; of karp_str "namespace/name" */
    paged pod_slots; /* hash table of pods by namespace and name */
    size_t pod_slots_used; /* includes slots of removed pods */
    size_t pods_slotted; /* the pods before this number are in the table */
    LIST_OF(uint32_t) open_places; /* places whose pod was removed */
    LIST_OF(uint32_t)
    changed; /* for a store that continues another: places whose pod was added, replaced or removed; may repeat */
    LIST_OF(node) nodes;
    LIST_OF(node_claim) claims;
    LIST_OF(node_pool) pools;
    LIST_OF(node_class) node_classes;
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
    LIST_OF(pod_group) groups;
    LIST_OF(resource_slice) slices;
    LIST_OF(device_class) device_classes;
    LIST_OF(resource_claim) resource_claims;
    LIST_OF(catalogue_use) catalogues;
    /* Settings. */
    karp_settings settings; /* its pointers are replaced by the members below */
    const node_repair *repairs;
    const reboot *reboots;
    const reservation_credit *credits;
    uint32_t repair_count, reboot_count, credit_count;
    const reservation_use *uses;
    uint32_t use_count;
    spread_list default_spread;
    label_list normalized; /* added by the provider */
    const uint32_t *well_known, *restricted, *restricted_domains;
    uint32_t well_known_count, restricted_count, restricted_domain_count;
    uint32_t reservation_id; /* text id, NO_TEXT = none */
    int64_t now;
    bool states_given, pods_given;
    bool not_created; /* some pod has or had POD_NOT_CREATED */
    /* for a store that continues another: bits of the kinds of added or removed objects, except pods */
    uint32_t touched;
    /* likewise: kind << 32 | index of objects that were added or replaced. Sorted and unique once settled */
    LIST_OF(uint64_t) changed_objects;
    LIST_OF(node_state) states;
    LIST_OF(uint64_t) pods_to_place; /* namespace text id << 32 | names id */
} store;

/* Kinds of objects, as part of identities in `taken`. */
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
    KIND_POD_GROUP,
    KIND_RESOURCE_SLICE,
    KIND_DEVICE_CLASS,
    KIND_RESOURCE_CLAIM,
    KIND_COUNT
};
enum { TOUCHED_REST = KIND_COUNT }; /* the bit for settings, catalogues and node states */
static inline void store_touch(store *s, uint32_t kind) { s->touched |= kind == KIND_POD ? 0 : UINT32_C(1) << kind; }

karp_status store_init(store *s, karp_context *context, karp_error *error);
void store_free(store *s);
/* Call before a snapshot is made of the store: makes large parts sharable. false = out of memory, the store is
 * unchanged. */
bool store_settle(store *s);
/* Makes a zeroed store a copy of another one, sharing its memory, which store_share() must have made sharable. false
 * = out of memory, and nothing has to be freed. */
bool store_continue(store *s, const store *from);
/* Nobody but the store's user reads the store that it continues: see words.alone. */
void store_alone(store *s);
/* Makes a store with the plain settings of another one and nothing else. false = out of memory, and nothing has to be
 * freed. */
bool store_begin_like(store *s, const store *from);
/* More than half of the memory below is of objects that are no more, or were replaced. */
bool store_wasteful(const store *s);
/* compact.c: replaces a settled store by a copy without what is no longer used, which continues no other. false = out
 * of memory, the store is unchanged. */
bool store_compact(store *s);
/* Reserves room to record so many changed objects. Call before changing them. false = out of memory. */
bool store_reserve_changes(store *s, size_t more);
void store_note_change(store *s, uint32_t kind, uint32_t index);

/* An object, not a pod, that is to be removed. */
typedef struct removed_object {
    uint32_t kind, index;
    uint32_t identity; /* id in store.taken */
} removed_object;

/* Removes objects. Gaps among Nodes, and among NodeClaims, are filled with the last ones; objects of other kinds move
 * up. false = out of memory: `removed` has the objects that are still to be removed. */
bool store_remove(store *s, removed_object *removed, size_t *count);

/* Whether `taken` has this identity: kind, namespace, name, and for some kinds more words. */
bool store_has(const store *s, const uint32_t *identity, size_t count);
/* The index of an object in its array; NO_ID = not found. */
uint32_t store_find(const store *s, enum kind kind, uint32_t name_space, uint32_t name);
/* The same for an object that selects pods. `selects` is KARP_SELECTS_*. */
uint32_t store_find_selecting(const store *s, uint32_t selects, uint32_t name_space, uint32_t name);

static inline const pod *pod_at(const store *s, size_t number) { return paged_at(&s->pods, number, sizeof(pod)); }
static inline karp_str store_text(const store *s, uint32_t id) { return strings_get(&s->text, id); }
static inline karp_str store_name(const store *s, uint32_t id) { return strings_get(&s->names, id); }
const pod_marks *store_marks(const store *s, const pod *p);
/* The value of a label, or NO_ID. */
uint32_t label_get(label_list labels, uint32_t key);
label_list store_pod_labels(const store *s, uint32_t labels);
/* The condition of this type, or NULL. */
const condition *condition_find(condition_list list, uint32_t type);

/* Memory that several stores point into. A snapshot moves the memory of its store into such a block. The store of an
 * edited snapshot refers to the block of the one before and adds its own on top. Blocks are reference-counted. */
store_memory *store_memory_new(karp_context *context); /* an empty block; NULL = out of memory */
void store_memory_unref(store_memory *m);
/* Moves the store's memory into `fresh`, which becomes the store's block. */
void store_share(store *s, store_memory *fresh);
