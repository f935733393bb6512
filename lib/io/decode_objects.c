/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of object but pods: nodes and their pools, workloads, volumes, budgets, namespaces, selectors, buffers. */
#include <io/decode_fields.h>

/* ---- Node -------------------------------------------------------------------------------------------------------- */

static const record node_spec_record = { OPEN({ TEXT("providerID", karp_node, provider_id) },
                                              { LIST("taints", karp_node, taints, taint_count, record_taint) }) };

static const record node_status_record = { OPEN(
    { AMOUNTS("capacity", karp_node, capacity, capacity_count) },
    { AMOUNTS("allocatable", karp_node, allocatable, allocatable_count) },
    { LIST("conditions", karp_node, conditions, condition_count, io_condition_record) }) };

static const karp_node no_node = { .size = sizeof no_node, .meta = META_ABSENT };
const record io_node_record = { LIKE(no_node),
                                OPEN({ STRUCT("metadata", karp_node, meta, io_meta_record), .always = true },
                                     { OBJECT("spec", node_spec_record) }, { OBJECT("status", node_status_record) }) };

/* ---- NodeClaim --------------------------------------------------------------------------------------------------- */

static const record claim_resources_record = { OPEN(
    { AMOUNTS("requests", karp_node_claim, requests, request_count) }) };

static const record claim_spec_record = { OPEN(
    { STRUCT("nodeClassRef", karp_node_claim, node_class, record_node_class_ref) },
    { LIST("taints", karp_node_claim, taints, taint_count, record_taint) },
    { LIST("startupTaints", karp_node_claim, startup_taints, startup_taint_count, record_taint) },
    { LIST("requirements", karp_node_claim, requirements, requirement_count, io_pool_requirement_record) },
    { DURATION_OR_NEVER("expireAfter", karp_node_claim, expire_after) },
    { DURATION("terminationGracePeriod", karp_node_claim, termination_grace_period) },
    { OBJECT("resources", claim_resources_record) }) };

static const record claim_status_record = { OPEN(
    { TEXT("providerID", karp_node_claim, provider_id) }, { TEXT("imageID", karp_node_claim, image_id) },
    { AMOUNTS("capacity", karp_node_claim, capacity, capacity_count) },
    { AMOUNTS("allocatable", karp_node_claim, allocatable, allocatable_count) },
    { LIST("conditions", karp_node_claim, conditions, condition_count, io_condition_record) },
    { TIME("lastPodEventTime", karp_node_claim, last_pod_event) }) };

static const karp_node_claim no_claim = {
    .size = sizeof no_claim,
    .meta = META_ABSENT,
    .last_pod_event = KARP_NO_TIME,
    .expire_after = KARP_DURATION_UNSET,
    .termination_grace_period = KARP_DURATION_UNSET,
};
const record io_node_claim_record = {
    LIKE(no_claim), OPEN({ STRUCT("metadata", karp_node_claim, meta, io_meta_record), .always = true },
                         { OBJECT("spec", claim_spec_record) }, { OBJECT("status", claim_status_record) })
};

/* ---- NodePool ---------------------------------------------------------------------------------------------------- */

static const record pool_claim_record = { CLOSED(
    { STRUCT("nodeClassRef", karp_node_pool, node_class, record_node_class_ref) },
    { LIST("taints", karp_node_pool, taints, taint_count, record_taint) },
    { LIST("startupTaints", karp_node_pool, startup_taints, startup_taint_count, record_taint) },
    { LIST("requirements", karp_node_pool, requirements, requirement_count, io_pool_requirement_record) },
    { DURATION_OR_NEVER("expireAfter", karp_node_pool, expire_after) },
    { DURATION("terminationGracePeriod", karp_node_pool, termination_grace_period) }) };

static const record pool_template_record = { CLOSED({ OBJECT("metadata", io_pool_template_meta_record) },
                                                    { OBJECT("spec", pool_claim_record) }) };

uint32_t io_budget_reason(karp_str word)
{
    const record_words *known = &record_budget_reasons;
    for (size_t k = 0; k < known->count; k++) {
        if (str_is(word, known->list[k].word)) return known->list[k].value;
    }
    return 0;
}

static void budget_reasons(io_decoder *d, const tree *object, const tree *value, void *into)
{
    karp_budget *out = into;
    size_t count = 0;
    const karp_str *list = io_strings(d, object, "reasons", &count);
    (void)value;
    io_push(d, "reasons");
    for (size_t i = 0; list && i < count && !d->status; i++) {
        uint32_t one = io_budget_reason(list[i]);
        io_push_index(d, i);
        if (!one) io_bad(d, KARP_E_INVALID, "must be Underutilized, Empty, Drifted or Unhealthy");
        io_pop(d);
        out->reasons |= one;
    }
    io_pop(d);
}

static const karp_budget no_budget = { .duration = KARP_DURATION_UNSET };
static const record budget_record = { LIKE(no_budget),
                                      CLOSED({ TEXT_OR_INTEGER("nodes", karp_budget, nodes) } /* "10%" or "3" */,
                                             { TEXT("schedule", karp_budget, schedule) },
                                             { DURATION("duration", karp_budget, duration) },
                                             { CALL("reasons", budget_reasons), HAS(karp_budget, has_reasons) }) };

static const record_word consolidation_list[] = {
    { "WhenEmptyOrUnderutilized", KARP_WHEN_EMPTY_OR_UNDERUTILIZED },
    { "WhenEmpty", KARP_WHEN_EMPTY },
    { "Balanced", KARP_BALANCED },
};
static const record_words consolidation_words = { WORDS(consolidation) };
static const record disruption_record = { CLOSED(
    { LIST("budgets", karp_node_pool, budgets, budget_count, budget_record) },
    { DURATION_OR_NEVER("consolidateAfter", karp_node_pool, consolidate_after) },
    { WORD("consolidationPolicy", karp_node_pool, consolidation_policy, consolidation_words) }) };

static const record pool_spec_record = { CLOSED(
    { OBJECT("template", pool_template_record) }, { AMOUNTS("limits", karp_node_pool, limits, limit_count) },
    { NUMBER64("replicas", karp_node_pool, replicas, 0, INT64_MAX) }, { INT32("weight", karp_node_pool, weight) },
    { OBJECT("disruption", disruption_record) }) };

static const record pool_status_record = { OPEN(
    { LIST("conditions", karp_node_pool, conditions, condition_count, io_condition_record) }) };

static const karp_node_pool no_pool = {
    .size = sizeof no_pool,
    .meta = META_ABSENT,
    .replicas = -1,
    .consolidate_after = KARP_DURATION_UNSET,
    .expire_after = KARP_DURATION_UNSET,
    .termination_grace_period = KARP_DURATION_UNSET,
};
const record io_node_pool_record = {
    LIKE(no_pool), .known = "apiVersion kind",
    CLOSED({ STRUCT("metadata", karp_node_pool, meta, io_meta_record), .always = true },
           { OBJECT("spec", pool_spec_record) }, { OBJECT("status", pool_status_record) })
};

/* ---- NodeOverlay ------------------------------------------------------------------------------------------------- */

static const record overlay_spec_record = { OPEN(
    { LIST("requirements", karp_node_overlay, requirements, requirement_count, io_pool_requirement_record) },
    { TEXT_OR_NUMBER("price", karp_node_overlay, price) },
    { TEXT_OR_NUMBER("priceAdjustment", karp_node_overlay, price_adjustment) },
    { TEXT("priceExpression", karp_node_overlay, price_expression) },
    { AMOUNTS("capacity", karp_node_overlay, capacity, capacity_count) },
    { INT32("weight", karp_node_overlay, weight) }) };

static const karp_node_overlay no_overlay = { .size = sizeof no_overlay, .meta = META_ABSENT };
const record io_node_overlay_record = {
    LIKE(no_overlay), OPEN({ STRUCT("metadata", karp_node_overlay, meta, io_meta_record), .always = true },
                           { OBJECT("spec", overlay_spec_record) })
};

/* ---- workloads: other fields than the pod template are read only for DaemonSets ---------------------------------- */

static void daemon_template(io_decoder *d, const tree *object, const tree *value, void *into)
{
    (void)value;
    io_decode_template(d, io_enter(d, object, "template"), &((karp_daemon_set *)into)->template_);
    io_pop(d);
}

/* One record for all workloads: a field that only another kind has is not reported as unknown. */
static const record workload_spec_record = {
    .known = "activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy "
             "manualSelector maxFailedIndexes minReadySeconds ordinals parallelism paused "
             "persistentVolumeClaimRetentionPolicy podFailurePolicy podManagementPolicy podReplacementPolicy "
             "progressDeadlineSeconds replicas revisionHistoryLimit scheduling selector serviceName strategy "
             "successPolicy suspend ttlSecondsAfterFinished updateStrategy volumeClaimTemplates",
    CLOSED({ CALL("template", daemon_template), .inner = &io_template_record })
};

static const karp_daemon_set no_daemon_set = { .size = sizeof no_daemon_set,
                                               .meta = META_ABSENT,
                                               .template_ = POD_ABSENT };
const record io_workload_record = { LIKE(no_daemon_set), .known = "apiVersion kind status",
                                    CLOSED({ STRUCT("metadata", karp_daemon_set, meta, io_namespaced_meta_record),
                                             .always = true },
                                           { OBJECT("spec", workload_spec_record) }) };

/* ---- volumes ----------------------------------------------------------------------------------------------------- */

static const record_word claim_phase_list[] = {
    { "Pending", KARP_CLAIM_PENDING },
    { "Bound", KARP_CLAIM_BOUND },
    { "Lost", KARP_CLAIM_LOST },
};
static const record_words claim_phase_words = { WORDS(claim_phase) };
static const record volume_claim_spec_record = { OPEN(
    { TEXT("volumeName", karp_persistent_volume_claim, volume_name) },
    { TEXT("storageClassName", karp_persistent_volume_claim, storage_class_name),
      HAS(karp_persistent_volume_claim, has_storage_class) }) };
static const record volume_claim_status_record = { OPEN(
    { WORD("phase", karp_persistent_volume_claim, phase, claim_phase_words) }) };
static const karp_persistent_volume_claim no_volume_claim = { .size = sizeof no_volume_claim, .meta = META_ABSENT };
const record io_claim_record = {
    LIKE(no_volume_claim),
    OPEN({ STRUCT("metadata", karp_persistent_volume_claim, meta, io_namespaced_meta_record), .always = true },
         { OBJECT("spec", volume_claim_spec_record) }, { OBJECT("status", volume_claim_status_record) })
};

static const record csi_record = { OPEN({ NEEDED("driver", karp_persistent_volume, csi_driver) }) };
static const record volume_required_record = { OPEN(
    { LIST("nodeSelectorTerms", karp_persistent_volume, node_terms, node_term_count, io_node_term_record) }) };
static const record volume_affinity_record = { OPEN({ OBJECT("required", volume_required_record) }) };
static const record volume_spec_record = { OPEN(
    { OBJECT("csi", csi_record) },
    { CHECKED("awsElasticBlockStore", FIELD_OBJECT), HAS(karp_persistent_volume, aws_elastic_block_store) },
    { CHECKED("local", FIELD_OBJECT), HAS(karp_persistent_volume, local) },
    { CHECKED("hostPath", FIELD_OBJECT), HAS(karp_persistent_volume, local) },
    { OBJECT("nodeAffinity", volume_affinity_record) }) };
static const karp_persistent_volume no_volume = { .size = sizeof no_volume, .meta = META_ABSENT };
const record io_volume_record = {
    LIKE(no_volume), OPEN({ STRUCT("metadata", karp_persistent_volume, meta, io_meta_record), .always = true },
                          { OBJECT("spec", volume_spec_record) })
};

/* {key, values} of an allowed topology: an In requirement. */
static const karp_requirement in = { .op = KARP_OP_IN };
static const record label_expression_record = {
    LIKE(in), OPEN({ NEEDED("key", karp_requirement, key) }, { TEXTS("values", karp_requirement, values, value_count) })
};
static const record topology_record = {
    OF(karp_node_term),
    OPEN({ LIST("matchLabelExpressions", karp_node_term, expressions, expression_count, label_expression_record) })
};
static const record_word binding_mode_list[] = {
    { "Immediate", KARP_BINDING_IMMEDIATE },
    { "WaitForFirstConsumer", KARP_BINDING_WAIT_FOR_FIRST_CONSUMER },
};
static const record_words binding_mode_words = { WORDS(binding_mode) };
static const karp_storage_class no_class = { .size = sizeof no_class, .meta = META_ABSENT };
const record io_storage_class_record = {
    LIKE(no_class),
    OPEN({ STRUCT("metadata", karp_storage_class, meta, io_meta_record), .always = true },
         { TEXT("provisioner", karp_storage_class, provisioner) },
         { WORD("volumeBindingMode", karp_storage_class, binding_mode, binding_mode_words) },
         { LIST("allowedTopologies", karp_storage_class, allowed_topologies, allowed_topology_count, topology_record) })
};

static const record csi_allocatable_record = { OPEN({ INT32("count", karp_csi_driver, count) }) };

static void finish_csi_driver(io_decoder *d, const tree *object, void *into)
{
    const tree *allocatable = tree_get(object, "allocatable");
    (void)d;
    if (allocatable) ((karp_csi_driver *)into)->has_count = tree_get(allocatable, "count") != NULL ? 1 : 2;
}

static const record csi_driver_record = { OF(karp_csi_driver), .finish = finish_csi_driver,
                                          OPEN({ NEEDED("name", karp_csi_driver, name) },
                                               { OBJECT("allocatable", csi_allocatable_record) }) };
static const record csi_node_spec_record = { OPEN(
    { LIST("drivers", karp_csi_node, drivers, driver_count, csi_driver_record) }) };
static const karp_csi_node no_csi_node = { .size = sizeof no_csi_node, .meta = META_ABSENT };
const record io_csi_node_record = { LIKE(no_csi_node),
                                    OPEN({ STRUCT("metadata", karp_csi_node, meta, io_meta_record), .always = true },
                                         { OBJECT("spec", csi_node_spec_record) }) };

/* ---- budgets, namespaces, buffers -------------------------------------------------------------------------------- */

static const record_word eviction_list[] = { { "IfHealthyBudget", 0 }, { "AlwaysAllow", 1 } };
static const record_words eviction_words = { WORDS(eviction) };
static const record budget_spec_record = { CLOSED(
    { POINTER("selector", karp_pod_disruption_budget, selector, io_selector_record) },
    { INT_OR_STRING("minAvailable", karp_pod_disruption_budget, min_available) },
    { INT_OR_STRING("maxUnavailable", karp_pod_disruption_budget, max_unavailable) },
    { WORD("unhealthyPodEvictionPolicy", karp_pod_disruption_budget, always_allow, eviction_words) }) };
static const record budget_status_record = { OPEN(
    { INT32("disruptionsAllowed", karp_pod_disruption_budget, disruptions_allowed) },
    { INT32("currentHealthy", karp_pod_disruption_budget, current_healthy) },
    { INT32("expectedPods", karp_pod_disruption_budget, expected_pods) }) };
static const karp_pod_disruption_budget no_disruption_budget = { .size = sizeof no_disruption_budget,
                                                                 .meta = META_ABSENT };
const record io_budget_record = {
    LIKE(no_disruption_budget), .known = "apiVersion kind",
    CLOSED({ STRUCT("metadata", karp_pod_disruption_budget, meta, io_namespaced_meta_record), .always = true },
           { OBJECT("spec", budget_spec_record) }, { OBJECT("status", budget_status_record) })
};

static const karp_namespace no_namespace = { .size = sizeof no_namespace, .meta = META_ABSENT };
const record io_namespace_record = {
    LIKE(no_namespace), OPEN({ STRUCT("metadata", karp_namespace, meta, io_meta_record), .always = true })
};

static const record buffer_status_record = { OPEN(
    { NUMBER64("replicas", karp_capacity_buffer, replicas, INT32_MIN, INT32_MAX) },
    { LIST("conditions", karp_capacity_buffer, conditions, condition_count, io_condition_record) }) };
static const karp_capacity_buffer no_buffer = { .size = sizeof no_buffer, .meta = META_ABSENT, .replicas = -1 };
const record io_capacity_buffer_record = {
    LIKE(no_buffer), OPEN({ STRUCT("metadata", karp_capacity_buffer, meta, io_namespaced_meta_record), .always = true },
                          { OBJECT("status", buffer_status_record) })
};

void io_decode_selecting(io_decoder *d, const tree *object, uint32_t kind, karp_selecting *selecting)
{
    memset(selecting, 0, sizeof *selecting);
    selecting->size = sizeof *selecting;
    selecting->kind = kind;
    selecting->meta = io_meta(d, object, true);
    const tree *spec = io_enter(d, object, "spec");
    if (kind == KARP_SELECTS_REPLICA_SET || kind == KARP_SELECTS_STATEFUL_SET) {
        selecting->selector = io_selector(d, spec, "selector");
    } else if (io_object(d, spec, "selector")) {
        /* Services and ReplicationControllers have plain labels as a selector. */
        karp_selector *selector = io_make(d, 1, sizeof *selector);
        if (selector) selector->match_labels = io_labels(d, spec, "selector", &selector->match_label_count);
        selecting->selector = selector;
    }
    io_pop(d);
}
