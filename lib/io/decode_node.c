/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, NodeClaims, NodePools, NodeOverlays. */
#include <io/decode_fields.h>

/* ---- Node -------------------------------------------------------------------------------------------------------- */

static const io_shape node_spec_shape = { OPEN({ TEXT("providerID", karp_node, provider_id) },
                                               { LIST("taints", karp_node, taints, taint_count, io_taint_shape) }) };

static const io_shape node_status_shape = { OPEN(
    { AMOUNTS("capacity", karp_node, capacity, capacity_count) },
    { AMOUNTS("allocatable", karp_node, allocatable, allocatable_count) },
    { LIST("conditions", karp_node, conditions, condition_count, io_condition_shape) }) };

static const karp_node no_node = { .size = sizeof no_node, .meta = META_ABSENT };
const io_shape io_node_shape = { LIKE(no_node),
                                 OPEN({ STRUCT("metadata", karp_node, meta, io_meta_shape), .always = true },
                                      { OBJECT("spec", node_spec_shape) }, { OBJECT("status", node_status_shape) }) };

/* ---- NodeClaim --------------------------------------------------------------------------------------------------- */

static const io_shape claim_resources_shape = { OPEN(
    { AMOUNTS("requests", karp_node_claim, requests, request_count) }) };

static const io_shape claim_spec_shape = { OPEN(
    { STRUCT("nodeClassRef", karp_node_claim, node_class, io_node_class_ref_shape) },
    { LIST("taints", karp_node_claim, taints, taint_count, io_taint_shape) },
    { LIST("startupTaints", karp_node_claim, startup_taints, startup_taint_count, io_taint_shape) },
    { LIST("requirements", karp_node_claim, requirements, requirement_count, io_pool_requirement_shape) },
    { DURATION_OR_NEVER("expireAfter", karp_node_claim, expire_after) },
    { DURATION("terminationGracePeriod", karp_node_claim, termination_grace_period) },
    { OBJECT("resources", claim_resources_shape) }) };

static const io_shape claim_status_shape = { OPEN(
    { TEXT("providerID", karp_node_claim, provider_id) }, { TEXT("imageID", karp_node_claim, image_id) },
    { AMOUNTS("capacity", karp_node_claim, capacity, capacity_count) },
    { AMOUNTS("allocatable", karp_node_claim, allocatable, allocatable_count) },
    { LIST("conditions", karp_node_claim, conditions, condition_count, io_condition_shape) },
    { TIME("lastPodEventTime", karp_node_claim, last_pod_event) }) };

static const karp_node_claim no_claim = {
    .size = sizeof no_claim,
    .meta = META_ABSENT,
    .last_pod_event = KARP_NO_TIME,
    .expire_after = KARP_DURATION_UNSET,
    .termination_grace_period = KARP_DURATION_UNSET,
};
const io_shape io_node_claim_shape = {
    LIKE(no_claim), OPEN({ STRUCT("metadata", karp_node_claim, meta, io_meta_shape), .always = true },
                         { OBJECT("spec", claim_spec_shape) }, { OBJECT("status", claim_status_shape) })
};

/* ---- NodePool ---------------------------------------------------------------------------------------------------- */

static const io_shape pool_claim_shape = { CLOSED(
    { STRUCT("nodeClassRef", karp_node_pool, node_class, io_node_class_ref_shape) },
    { LIST("taints", karp_node_pool, taints, taint_count, io_taint_shape) },
    { LIST("startupTaints", karp_node_pool, startup_taints, startup_taint_count, io_taint_shape) },
    { LIST("requirements", karp_node_pool, requirements, requirement_count, io_pool_requirement_shape) },
    { DURATION_OR_NEVER("expireAfter", karp_node_pool, expire_after) },
    { DURATION("terminationGracePeriod", karp_node_pool, termination_grace_period) }) };

static const io_shape pool_template_shape = { CLOSED({ OBJECT("metadata", io_pool_template_meta_shape) },
                                                     { OBJECT("spec", pool_claim_shape) }) };

static uint32_t reason_of(karp_str word)
{
    static const io_word choices[] = {
        { "Underutilized", KARP_BUDGET_UNDERUTILIZED },
        { "Empty", KARP_BUDGET_EMPTY },
        { "Drifted", KARP_BUDGET_DRIFTED },
        { "Unhealthy", KARP_BUDGET_UNHEALTHY },
    };
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        if (str_is(word, choices[k].word)) return choices[k].value;
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
        uint32_t one = reason_of(list[i]);
        io_push_index(d, i);
        if (!one) io_bad(d, KARP_E_INVALID, "must be Underutilized, Empty, Drifted or Unhealthy");
        io_pop(d);
        out->reasons |= one;
    }
    io_pop(d);
}

static const karp_budget no_budget = { .duration = KARP_DURATION_UNSET };
static const io_shape budget_shape = { LIKE(no_budget),
                                       CLOSED({ TEXT_OR_INTEGER("nodes", karp_budget, nodes) } /* "10%" or "3" */,
                                              { TEXT("schedule", karp_budget, schedule) },
                                              { DURATION("duration", karp_budget, duration) },
                                              { CALL("reasons", budget_reasons), HAS(karp_budget, has_reasons) }) };

static const io_word consolidation_list[] = {
    { "WhenEmptyOrUnderutilized", KARP_WHEN_EMPTY_OR_UNDERUTILIZED },
    { "WhenEmpty", KARP_WHEN_EMPTY },
    { "Balanced", KARP_BALANCED },
};
static const io_words consolidation_words = { WORDS(consolidation) };
static const io_shape disruption_shape = { CLOSED(
    { LIST("budgets", karp_node_pool, budgets, budget_count, budget_shape) },
    { DURATION_OR_NEVER("consolidateAfter", karp_node_pool, consolidate_after) },
    { WORD("consolidationPolicy", karp_node_pool, consolidation_policy, consolidation_words) }) };

static const io_shape pool_spec_shape = { CLOSED(
    { OBJECT("template", pool_template_shape) }, { AMOUNTS("limits", karp_node_pool, limits, limit_count) },
    { NUMBER64("replicas", karp_node_pool, replicas, 0, INT64_MAX) }, { INT32("weight", karp_node_pool, weight) },
    { OBJECT("disruption", disruption_shape) }) };

static const io_shape pool_status_shape = { OPEN(
    { LIST("conditions", karp_node_pool, conditions, condition_count, io_condition_shape) }) };

static const karp_node_pool no_pool = {
    .size = sizeof no_pool,
    .meta = META_ABSENT,
    .replicas = -1,
    .consolidate_after = KARP_DURATION_UNSET,
    .expire_after = KARP_DURATION_UNSET,
    .termination_grace_period = KARP_DURATION_UNSET,
};
const io_shape io_node_pool_shape = {
    LIKE(no_pool), .known = "apiVersion kind",
    CLOSED({ STRUCT("metadata", karp_node_pool, meta, io_meta_shape), .always = true },
           { OBJECT("spec", pool_spec_shape) }, { OBJECT("status", pool_status_shape) })
};

/* ---- NodeOverlay ------------------------------------------------------------------------------------------------- */

static const io_shape overlay_spec_shape = { OPEN(
    { LIST("requirements", karp_node_overlay, requirements, requirement_count, io_pool_requirement_shape) },
    { TEXT_OR_NUMBER("price", karp_node_overlay, price) },
    { TEXT_OR_NUMBER("priceAdjustment", karp_node_overlay, price_adjustment) },
    { AMOUNTS("capacity", karp_node_overlay, capacity, capacity_count) },
    { INT32("weight", karp_node_overlay, weight) }) };

static const karp_node_overlay no_overlay = { .size = sizeof no_overlay, .meta = META_ABSENT };
const io_shape io_node_overlay_shape = {
    LIKE(no_overlay), OPEN({ STRUCT("metadata", karp_node_overlay, meta, io_meta_shape), .always = true },
                           { OBJECT("spec", overlay_spec_shape) })
};
