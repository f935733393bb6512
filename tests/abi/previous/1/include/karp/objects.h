/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file objects.h  The Kubernetes objects a decision reads, as plain structs.
 *
 * Every struct is input only: the library copies what it needs before the call returns, so all pointers may point to
 * the caller's own short-lived memory. Names are Kubernetes' own. A list is a pointer and a count; an absent list is
 * NULL and 0. Structs passed to a function directly start with `size`; those that only occur inside others do not and
 * never change. Instants are nanoseconds since 1970-01-01T00:00:00Z, #KARP_NO_TIME when absent; durations are
 * nanoseconds, with the two marks below.
 */
#ifndef KARP_OBJECTS_H
#define KARP_OBJECTS_H

#include <karp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An instant that is not set. (Zero is a valid instant, but no cluster has it: structs zeroed by the caller mean "not
 * set" too.) */
#define KARP_NO_TIME INT64_MIN
/** A duration field that is absent. Zero is a duration. */
#define KARP_DURATION_UNSET INT64_MIN
/** A duration field that says "Never". */
#define KARP_DURATION_NEVER INT64_MAX

/* ---- values ------------------------------------------------------------------------------------------------------ */

/** A resource and an amount: Kubernetes text ("100m", "1.5Gi"), or value × 10^scale when text.ptr is NULL. */
typedef struct karp_resource {
    karp_str name;
    karp_str text;
    int64_t value;
    int32_t scale; /**< power of ten, −9 … 18; only with value */
    uint32_t reserved; /**< 0 */
} karp_resource;

/** A key and its value: labels, annotations. */
typedef struct karp_label {
    karp_str key;
    karp_str value;
} karp_label;

/** Operators of requirements and selectors. */
enum {
    /** any other word: the pod that carries it is invalid (scheduling), the selector selects nothing */
    KARP_OP_UNKNOWN = 0,
    KARP_OP_IN = 1,
    KARP_OP_NOT_IN = 2,
    KARP_OP_EXISTS = 3,
    KARP_OP_DOES_NOT_EXIST = 4,
    KARP_OP_GT = 5,
    KARP_OP_LT = 6,
    KARP_OP_GTE = 7, /**< NodePools and NodeClaims only */
    KARP_OP_LTE = 8 /**< NodePools and NodeClaims only */
};

/** karp_requirement.min_values of a launch whose minValues was relaxed to 0. */
#define KARP_MIN_VALUES_ZERO UINT32_MAX

/** One requirement on a label key, or one expression of a label selector. */
typedef struct karp_requirement {
    karp_str key;
    uint32_t op; /**< KARP_OP_* */
    uint32_t min_values; /**< 0 = none; in results also #KARP_MIN_VALUES_ZERO */
    const karp_str *values;
    size_t value_count;
} karp_requirement;

/** A label selector. A NULL pointer to one is Kubernetes' nil selector; a selector without members selects all. */
typedef struct karp_selector {
    const karp_label *match_labels;
    size_t match_label_count;
    const karp_requirement *expressions;
    size_t expression_count;
} karp_selector;

/** spec.taints[] of a node, claim or pool. */
typedef struct karp_taint {
    karp_str key;
    karp_str value;
    karp_str effect; /**< "NoSchedule", "PreferNoSchedule", "NoExecute" or "" */
} karp_taint;

enum {
    KARP_TOLERATION_EQUAL = 0,
    KARP_TOLERATION_EXISTS = 1,
    KARP_TOLERATION_LT = 2,
    KARP_TOLERATION_GT = 3,
    KARP_TOLERATION_UNKNOWN = 4
};

/** spec.tolerations[] of a pod. */
typedef struct karp_toleration {
    karp_str key;
    karp_str value;
    karp_str effect;
    uint32_t op; /**< KARP_TOLERATION_* */
    uint32_t has_seconds; /**< 0 = tolerated forever */
    int64_t seconds; /**< tolerationSeconds: only compared between tolerations */
} karp_toleration;

/** metadata.ownerReferences[]. */
typedef struct karp_owner {
    karp_str api_version;
    karp_str kind;
    karp_str name;
    karp_str uid;
    uint32_t controller; /**< 1 = the managing controller */
    uint32_t reserved; /**< 0 */
} karp_owner;

/** status.conditions[]. */
typedef struct karp_condition {
    karp_str type;
    karp_str status;
    karp_str reason;
    int64_t last_transition; /**< instant */
} karp_condition;

/** A node condition, and for how long it is tolerated before the node is replaced. Since 1.0. */
typedef struct karp_repair_policy {
    karp_str condition;
    karp_str status;
    int64_t toleration; /**< nanoseconds, ≥ 0 */
} karp_repair_policy;

/** What every object has. */
typedef struct karp_meta {
    karp_str name;
    karp_str namespace_; /**< "" = "default" for namespaced kinds */
    karp_str uid; /**< "" = taken from kind, namespace and name */
    const karp_label *labels;
    size_t label_count;
    const karp_label *annotations;
    size_t annotation_count;
    const karp_owner *owners;
    size_t owner_count;
    int64_t creation; /**< instant */
    int64_t deletion; /**< instant; KARP_NO_TIME or 0 = not deleting */
} karp_meta;

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/** One term of a node selector: the expressions are ANDed. */
typedef struct karp_node_term {
    const karp_requirement *expressions;
    size_t expression_count;
    uint32_t has_fields; /**< 1 = the term also has matchFields (which Karpenter refuses) */
    int32_t weight; /**< of a preferred term; 0 in a required one */
} karp_node_term;

/** One term of pod affinity or anti-affinity. */
typedef struct karp_pod_term {
    karp_str topology_key;
    const karp_str *namespaces;
    size_t namespace_count;
    const karp_selector *namespace_selector;
    const karp_selector *label_selector;
    int32_t weight; /**< of a preferred term; 0 in a required one */
    uint32_t reserved; /**< 0 */
} karp_pod_term;

enum { KARP_DO_NOT_SCHEDULE = 0, KARP_SCHEDULE_ANYWAY = 1 };
enum { KARP_POLICY_DEFAULT = 0, KARP_POLICY_HONOR = 1, KARP_POLICY_IGNORE = 2 };

/** spec.topologySpreadConstraints[] of a pod. */
typedef struct karp_spread_constraint {
    karp_str topology_key;
    const karp_selector *label_selector;
    const karp_str *match_label_keys;
    size_t match_label_key_count;
    int32_t max_skew;
    int32_t min_domains; /**< 0 = absent */
    uint32_t when_unsatisfiable; /**< KARP_DO_NOT_SCHEDULE or KARP_SCHEDULE_ANYWAY */
    uint32_t node_affinity_policy; /**< KARP_POLICY_*; default Honor */
    uint32_t node_taints_policy; /**< KARP_POLICY_*; default Ignore */
    uint32_t reserved; /**< 0 */
} karp_spread_constraint;

/** A port of the node that a container takes. */
typedef struct karp_host_port {
    karp_str host_ip; /**< "" = 0.0.0.0 */
    karp_str protocol; /**< as stored; "" differs from "TCP" */
    int32_t port; /**< 0 = no host port: ignored */
    uint32_t reserved; /**< 0 */
} karp_host_port;

/** spec.containers[] or spec.initContainers[] of a pod. */
typedef struct karp_container {
    karp_str name;
    const karp_resource *requests;
    size_t request_count;
    const karp_resource
        *limits; /**< of DaemonSet templates they replace missing requests; else only explanations read them */
    size_t limit_count;
    const karp_host_port *ports;
    size_t port_count;
    const karp_str *claims; /**< names of the pod's resource claims it uses */
    size_t claim_count;
    uint32_t restart_always; /**< init containers: 1 = sidecar */
    uint32_t reserved; /**< 0 */
} karp_container;

/** status.containerStatuses[] and status.initContainerStatuses[]: resources the kubelet has in force. */
typedef struct karp_container_status {
    karp_str name;
    const karp_resource *requests; /**< status.resources.requests */
    size_t request_count;
    const karp_resource *allocated; /**< allocatedResources */
    size_t allocated_count;
    uint32_t has_resources; /**< 1 = status.resources is present (else both lists are ignored) */
    uint32_t reserved; /**< 0 */
} karp_container_status;

enum { KARP_VOLUME_OTHER = 0, KARP_VOLUME_CLAIM = 1, KARP_VOLUME_EPHEMERAL = 2 };

/** spec.volumes[] of a pod. */
typedef struct karp_pod_volume {
    karp_str name;
    karp_str claim_name; /**< with KARP_VOLUME_CLAIM */
    uint32_t kind; /**< KARP_VOLUME_* */
    uint32_t reserved; /**< 0 */
} karp_pod_volume;

/** spec.resourceClaims[], with the generated name of status.resourceClaimStatuses[] where there is one. */
typedef struct karp_pod_claim {
    karp_str name;
    karp_str resource_claim_name; /**< stated, or generated; "" = none needed */
    uint32_t generated; /**< 1 = from a template and not generated yet when resource_claim_name is "" */
    uint32_t reserved; /**< 0 */
} karp_pod_claim;

enum {
    KARP_PHASE_UNSET = 0,
    KARP_PHASE_PENDING = 1,
    KARP_PHASE_RUNNING = 2,
    KARP_PHASE_SUCCEEDED = 3,
    KARP_PHASE_FAILED = 4,
    KARP_PHASE_UNKNOWN = 5
};

/** Pod: of spec and status what decisions read. */
typedef struct karp_pod {
    size_t size;
    karp_meta meta;
    karp_str node_name;
    const karp_label *node_selector;
    size_t node_selector_count;
    const karp_node_term *required_node_terms;
    size_t required_node_term_count;
    const karp_node_term *preferred_node_terms;
    size_t preferred_node_term_count;
    const karp_pod_term *required_affinity;
    size_t required_affinity_count;
    const karp_pod_term *preferred_affinity;
    size_t preferred_affinity_count;
    const karp_pod_term *required_anti_affinity;
    size_t required_anti_affinity_count;
    const karp_pod_term *preferred_anti_affinity;
    size_t preferred_anti_affinity_count;
    const karp_spread_constraint *spread;
    size_t spread_count;
    const karp_toleration *tolerations;
    size_t toleration_count;
    const karp_container *containers;
    size_t container_count;
    const karp_container *init_containers;
    size_t init_container_count;
    const karp_resource *overhead;
    size_t overhead_count;
    const karp_resource *pod_requests; /**< spec.resources.requests */
    size_t pod_request_count;
    const karp_pod_volume *volumes;
    size_t volume_count;
    const karp_pod_claim *resource_claims;
    size_t resource_claim_count;
    karp_str priority_class_name;
    int64_t termination_grace_seconds; /**< −1 = absent */
    int32_t priority;
    uint32_t has_priority;
    uint32_t phase; /**< KARP_PHASE_* */
    uint32_t reserved;
    karp_str nominated_node_name;
    int64_t start_time; /**< instant */
    /** PodScheduled and Ready as Kubernetes sets them. Created with status False = the pod does not exist yet, since
     * the pod before it in its StatefulSet is not ready: only karp_settle() and karp_snapshot_after() create it. */
    const karp_condition *conditions;
    size_t condition_count;
    const karp_container_status *container_statuses; /**< of both kinds of containers, by name */
    size_t container_status_count;
    karp_str group_name; /**< of the group that it starts with (groups.h), in its namespace; "" = none. Since 1.0 */
    uint32_t group_source; /**< KARP_GROUP_* */
    uint32_t gated; /**< 1 = it has scheduling gates. Decisions read it of members of groups only */
    /** What containers, in their order, then init containers are expected to request when the pod is created again,
     * since an autoscaler's admission sets it: name and requests are read, and replace these requests of the next
     * container of this name. Simulations of disruption read them with the preview vpa-prediction (docs/versions.md).
     * Since 1.0 */
    const karp_container *predicted_containers;
    size_t predicted_container_count;
} karp_pod;

/**
 * Fills in what an API server and the scheduler set on a new unschedulable pod: pending, condition PodScheduled False
 * with the reason Unschedulable, a grace period of 30 s, no priority. A pod that was only zeroed is not pending, and
 * decisions ignore it.
 * @p size is sizeof(karp_pod) of the caller, likewise below; fields beyond it are not set. @p pod may be NULL. The
 * lists it sets are static. Any thread. Since 1.0.
 */
KARP_API void karp_pod_init(karp_pod *pod, size_t size);

/** A pod of a template (karp_builder_add_pod_template()): the fields that differ from pod to pod. */
typedef struct karp_templated_pod {
    size_t size;
    karp_str name; /**< its namespace is the template's */
    karp_str uid; /**< "" = taken from kind, namespace and name */
    karp_str node_name;
    karp_str nominated_node_name;
    int64_t creation; /**< instant */
    int64_t deletion; /**< instant; KARP_NO_TIME or 0 = not being deleted */
    int64_t start_time; /**< instant */
    const karp_condition *conditions;
    size_t condition_count;
    uint32_t phase; /**< KARP_PHASE_* */
    uint32_t reserved; /**< 0 */
} karp_templated_pod;

/* ---- nodes, claims, pools ---------------------------------------------------------------------------------------- */

/** Node. */
typedef struct karp_node {
    size_t size;
    karp_meta meta;
    karp_str provider_id;
    const karp_taint *taints;
    size_t taint_count;
    const karp_resource *capacity;
    size_t capacity_count;
    const karp_resource *allocatable;
    size_t allocatable_count;
    const karp_condition *conditions;
    size_t condition_count;
} karp_node;

/** Zeroes @p node (an API server sets no defaults) and sets its size. Since 1.0. */
KARP_API void karp_node_init(karp_node *node, size_t size);

/** spec.nodeClassRef. */
typedef struct karp_node_class_ref {
    karp_str group;
    karp_str kind;
    karp_str name;
} karp_node_class_ref;

/** NodeClaim. */
typedef struct karp_node_claim {
    size_t size;
    karp_meta meta;
    karp_str provider_id;
    karp_str image_id;
    karp_node_class_ref node_class;
    const karp_taint *taints;
    size_t taint_count;
    const karp_taint *startup_taints;
    size_t startup_taint_count;
    const karp_requirement *requirements;
    size_t requirement_count;
    const karp_resource *requests;
    size_t request_count;
    const karp_resource *capacity;
    size_t capacity_count;
    const karp_resource *allocatable;
    size_t allocatable_count;
    const karp_condition *conditions;
    size_t condition_count;
    int64_t last_pod_event; /**< instant */
    int64_t expire_after; /**< duration; UNSET and NEVER allowed */
    int64_t termination_grace_period; /**< duration; UNSET allowed */
} karp_node_claim;

/** Sets the defaults of the NodeClaim API: expireAfter 720 h, no termination grace period, no conditions yet. Since
 * 1.0. */
KARP_API void karp_node_claim_init(karp_node_claim *claim, size_t size);

/** Reasons of a disruption budget. */
enum { KARP_BUDGET_UNDERUTILIZED = 1, KARP_BUDGET_EMPTY = 2, KARP_BUDGET_DRIFTED = 4, KARP_BUDGET_UNHEALTHY = 8 };

/** spec.disruption.budgets[] of a NodePool. */
typedef struct karp_budget {
    karp_str nodes; /**< "10%" or "3"; "" = "10%" */
    karp_str schedule; /**< cron; "" = absent */
    int64_t duration; /**< duration; UNSET = absent */
    uint32_t has_reasons; /**< 1 = reasons is present, even when empty */
    uint32_t reasons; /**< KARP_BUDGET_* ored */
} karp_budget;

enum { KARP_WHEN_EMPTY_OR_UNDERUTILIZED = 0, KARP_WHEN_EMPTY = 1, KARP_BALANCED = 2 };

/** NodePool. */
typedef struct karp_node_pool {
    size_t size;
    karp_meta meta;
    karp_node_class_ref node_class;
    const karp_label *template_labels; /**< not NULL with count 0: an empty map, whose static hash differs from that of
                                          an absent one */
    size_t template_label_count;
    const karp_label *template_annotations; /**< likewise */
    size_t template_annotation_count;
    const karp_taint *taints;
    size_t taint_count;
    const karp_taint *startup_taints;
    size_t startup_taint_count;
    const karp_requirement *requirements;
    size_t requirement_count;
    const karp_resource *limits;
    size_t limit_count;
    const karp_budget *budgets;
    size_t budget_count;
    /** Nodes are launched from the pool only if Ready is True and ValidationSucceeded and NodeClassReady are present,
     * as in Karpenter. */
    const karp_condition *conditions;
    size_t condition_count;
    int64_t replicas; /**< −1 = a dynamic pool */
    int64_t consolidate_after; /**< duration; UNSET and NEVER allowed */
    int64_t expire_after; /**< of the template; UNSET and NEVER allowed */
    int64_t termination_grace_period; /**< of the template; UNSET allowed */
    int32_t weight; /**< 0 = absent */
    uint32_t consolidation_policy; /**< KARP_WHEN_* or KARP_BALANCED */
} karp_node_pool;

/**
 * Sets the defaults of the NodePool API, and the conditions of a NodePool that Karpenter has validated: dynamic, ready
 * (the three conditions), one budget of 10%, consolidateAfter 0 s, expireAfter 720 h, no termination grace period. A
 * pool that was only zeroed is static with 0 replicas, never ready, and its nodes expire at once. Since 1.0.
 */
KARP_API void karp_node_pool_init(karp_node_pool *pool, size_t size);

/** Node class of a provider. Decisions read its identity and its hash; providers read the document. */
typedef struct karp_node_class {
    size_t size;
    karp_meta meta;
    karp_str group;
    karp_str kind;
    karp_str document; /**< the object as JSON, kept for a provider; "" allowed */
} karp_node_class;

/* ---- other objects ----------------------------------------------------------------------------------------------- */

/**
 * DaemonSet: its pods take resources of every new node. The template has the size of the caller's karp_pod; fields of
 * later versions follow where it ends, at @p template_.size.
 */
typedef struct karp_daemon_set {
    size_t size;
    karp_meta meta;
    karp_pod template_; /**< spec.template: labels in its meta; name and namespace are not read */
} karp_daemon_set;

/** Sets the defaults of the pod template, and the sizes of both structs. Since 1.0. */
KARP_API void karp_daemon_set_init(karp_daemon_set *daemon_set, size_t size);

enum { KARP_CLAIM_PHASE_UNSET = 0, KARP_CLAIM_PENDING = 1, KARP_CLAIM_BOUND = 2, KARP_CLAIM_LOST = 3 };

/** PersistentVolumeClaim. */
typedef struct karp_persistent_volume_claim {
    size_t size;
    karp_meta meta;
    karp_str volume_name;
    karp_str storage_class_name;
    uint32_t has_storage_class; /**< 1 = storageClassName is present, even when empty */
    uint32_t phase; /**< KARP_CLAIM_* */
} karp_persistent_volume_claim;

/** PersistentVolume: its driver, and the nodes that can access it. */
typedef struct karp_persistent_volume {
    size_t size;
    karp_meta meta;
    karp_str csi_driver; /**< "" = no csi source */
    uint32_t aws_elastic_block_store; /**< 1 = in-tree EBS */
    uint32_t local; /**< 1 = local or hostPath */
    const karp_node_term *node_terms; /**< nodeAffinity.required */
    size_t node_term_count;
} karp_persistent_volume;

enum { KARP_BINDING_UNSET = 0, KARP_BINDING_IMMEDIATE = 1, KARP_BINDING_WAIT_FOR_FIRST_CONSUMER = 2 };

/** StorageClass. */
typedef struct karp_storage_class {
    size_t size;
    karp_meta meta;
    karp_str provisioner;
    const karp_node_term *allowed_topologies; /**< every expression an In */
    size_t allowed_topology_count;
    uint32_t binding_mode; /**< KARP_BINDING_* */
    uint32_t reserved;
} karp_storage_class;

/** spec.drivers[] of a CSINode. */
typedef struct karp_csi_driver {
    karp_str name;
    int32_t count; /**< allocatable.count */
    uint32_t has_count; /**< 1 = there is a count; 0 = no allocatable: no limit; 2 = allocatable without a count: no
                           limit, but 0 for Karpenter 1.14 */
} karp_csi_driver;

/** CSINode: how many volumes of a driver can be attached to the node. */
typedef struct karp_csi_node {
    size_t size;
    karp_meta meta;
    const karp_csi_driver *drivers;
    size_t driver_count;
} karp_csi_node;

/** An IntOrString field. */
typedef struct karp_int_or_string {
    karp_str text; /**< "50%"; used when is_text */
    int32_t value;
    uint32_t is_set; /**< 0 = absent */
    uint32_t is_text;
    uint32_t reserved;
} karp_int_or_string;

/** PodDisruptionBudget. */
typedef struct karp_pod_disruption_budget {
    size_t size;
    karp_meta meta;
    const karp_selector *selector;
    karp_int_or_string min_available;
    karp_int_or_string max_unavailable;
    int32_t disruptions_allowed;
    uint32_t always_allow; /**< unhealthyPodEvictionPolicy: AlwaysAllow */
    /** status.currentHealthy. Only karp_snapshot_after() reads it and the next: while fewer pods are healthy than are
     * expected, it counts them anew. Since 1.0. */
    int32_t current_healthy;
    int32_t expected_pods; /**< status.expectedPods. Since 1.0 */
} karp_pod_disruption_budget;

/** Namespace: its labels are read by namespace selectors. */
typedef struct karp_namespace {
    size_t size;
    karp_meta meta;
} karp_namespace;

enum {
    KARP_SELECTS_SERVICE = 0,
    KARP_SELECTS_REPLICATION_CONTROLLER = 1,
    KARP_SELECTS_REPLICA_SET = 2,
    KARP_SELECTS_STATEFUL_SET = 3
};

/** Service, ReplicationController, ReplicaSet or StatefulSet: only their selectors are read, for default spread
 * constraints. */
typedef struct karp_selecting {
    size_t size;
    karp_meta meta;
    const karp_selector *selector; /**< NULL = none */
    uint32_t kind; /**< KARP_SELECTS_* */
    uint32_t reserved;
} karp_selecting;

/** NodeOverlay (gate NodeOverlay). */
typedef struct karp_node_overlay {
    size_t size;
    karp_meta meta;
    const karp_requirement *requirements;
    size_t requirement_count;
    karp_str price; /**< absolute; "" = absent */
    karp_str price_adjustment; /**< "+0.5", "-10%"; "" = absent */
    const karp_resource *capacity;
    size_t capacity_count;
    int32_t weight; /**< 0 = absent */
    uint32_t reserved;
    /** Arithmetic on self.price, as kubernetes-sigs/karpenter#3004 proposes; excludes the other two. "" = absent.
     * Errors: INVALID (no expression, or no price comes out), UNSUPPORTED (CEL beyond + - * / and parentheses).
     * Since 1.0 */
    karp_str price_expression;
} karp_node_overlay;

/** CapacityBuffer (gate CapacityBuffer), with the pod template its reference resolves to. */
typedef struct karp_capacity_buffer {
    size_t size;
    karp_meta meta;
    const karp_pod *template_; /**< NULL = the reference does not resolve */
    const karp_condition *conditions;
    size_t condition_count;
    int64_t replicas; /**< status.replicas; −1 = absent */
} karp_capacity_buffer;

#ifdef __cplusplus
}
#endif
#endif
