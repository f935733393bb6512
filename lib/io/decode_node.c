/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, NodeClaims, NodePools, NodeOverlays. */
#include <io/decode.h>

#include <string.h>

void io_decode_node(io_decoder *d, const tree *object, karp_node *node)
{
    memset(node, 0, sizeof *node);
    node->size = sizeof *node;
    node->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    node->provider_id = io_string(d, spec, "providerID");
    node->taints = io_taints(d, spec, "taints", &node->taint_count);
    io_pop(d);
    const tree *status = io_enter(d, object, "status");
    node->capacity = io_resources(d, status, "capacity", &node->capacity_count);
    node->allocatable = io_resources(d, status, "allocatable", &node->allocatable_count);
    node->conditions = io_conditions(d, status, "conditions", &node->condition_count);
    io_pop(d);
}

void io_decode_node_claim(io_decoder *d, const tree *object, karp_node_claim *claim)
{
    memset(claim, 0, sizeof *claim);
    claim->size = sizeof *claim;
    claim->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    claim->node_class = io_node_class_ref(d, spec, "nodeClassRef");
    claim->taints = io_taints(d, spec, "taints", &claim->taint_count);
    claim->startup_taints = io_taints(d, spec, "startupTaints", &claim->startup_taint_count);
    claim->requirements = io_requirements(d, spec, "requirements", IO_FOR_POOL, &claim->requirement_count);
    claim->expire_after = io_duration(d, spec, "expireAfter", true);
    claim->termination_grace_period = io_duration(d, spec, "terminationGracePeriod", false);
    const tree *resources = io_enter(d, spec, "resources");
    claim->requests = io_resources(d, resources, "requests", &claim->request_count);
    io_pop(d);
    io_pop(d);
    const tree *status = io_enter(d, object, "status");
    claim->provider_id = io_string(d, status, "providerID");
    claim->image_id = io_string(d, status, "imageID");
    claim->capacity = io_resources(d, status, "capacity", &claim->capacity_count);
    claim->allocatable = io_resources(d, status, "allocatable", &claim->allocatable_count);
    claim->conditions = io_conditions(d, status, "conditions", &claim->condition_count);
    claim->last_pod_event = io_time(d, status, "lastPodEventTime");
    io_pop(d);
}

/* ---- NodePool ---------------------------------------------------------------------------------------------------- */

static void template_of(io_decoder *d, const tree *spec, karp_node_pool *pool)
{
    const tree *template_ = io_enter(d, spec, "template");
    const tree *metadata = io_enter(d, template_, "metadata");
    pool->template_labels = io_labels(d, metadata, "labels", &pool->template_label_count);
    pool->template_annotations = io_labels(d, metadata, "annotations", &pool->template_annotation_count);
    io_pop(d);
    const tree *inner = io_enter(d, template_, "spec");
    pool->node_class = io_node_class_ref(d, inner, "nodeClassRef");
    pool->taints = io_taints(d, inner, "taints", &pool->taint_count);
    pool->startup_taints = io_taints(d, inner, "startupTaints", &pool->startup_taint_count);
    pool->requirements = io_requirements(d, inner, "requirements", IO_FOR_POOL, &pool->requirement_count);
    pool->expire_after = io_duration(d, inner, "expireAfter", true);
    pool->termination_grace_period = io_duration(d, inner, "terminationGracePeriod", false);
    io_pop(d);
    io_pop(d);
}

static uint32_t reasons_of(io_decoder *d, const tree *budget)
{
    static const io_word choices[] = {
        { "Underutilized", KARP_BUDGET_UNDERUTILIZED },
        { "Empty", KARP_BUDGET_EMPTY },
        { "Drifted", KARP_BUDGET_DRIFTED },
        { "Unhealthy", KARP_BUDGET_UNHEALTHY },
    };
    size_t count = 0;
    const karp_str *list = io_strings(d, budget, "reasons", &count);
    uint32_t reasons = 0;
    for (size_t i = 0; list && i < count && !d->status; i++) {
        uint32_t one = 0;
        for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
            if (str_is(list[i], choices[k].word)) one = choices[k].value;
        }
        io_push(d, "reasons");
        io_push_index(d, i);
        if (!one) io_bad(d, KARP_E_INVALID, "must be Underutilized, Empty, Drifted or Unhealthy");
        io_pop(d);
        io_pop(d);
        reasons |= one;
    }
    return reasons;
}

/* nodes: "10%" or "3"; a bare number is taken for its digits. */
static karp_str budget_nodes(io_decoder *d, const tree *budget)
{
    const tree *value = tree_get(budget, "nodes");
    if (!tree_is(value, TREE_INTEGER)) return io_string(d, budget, "nodes");
    io_push(d, "nodes");
    karp_str text = io_quantity(d, value);
    io_pop(d);
    return text;
}

static void budget(io_decoder *d, const tree *value, void *into)
{
    karp_budget *out = into;
    out->nodes = budget_nodes(d, value);
    out->schedule = io_string(d, value, "schedule");
    out->duration = io_duration(d, value, "duration", false);
    out->has_reasons = tree_get(value, "reasons") != NULL;
    out->reasons = reasons_of(d, value);
}

void io_decode_node_pool(io_decoder *d, const tree *object, karp_node_pool *pool)
{
    static const io_word policies[] = {
        { "WhenEmptyOrUnderutilized", KARP_WHEN_EMPTY_OR_UNDERUTILIZED },
        { "WhenEmpty", KARP_WHEN_EMPTY },
        { "Balanced", KARP_BALANCED },
    };
    memset(pool, 0, sizeof *pool);
    pool->size = sizeof *pool;
    pool->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    template_of(d, spec, pool);
    pool->limits = io_resources(d, spec, "limits", &pool->limit_count);
    pool->replicas = io_integer(d, spec, "replicas", 0, INT64_MAX, -1);
    pool->weight = (int32_t)io_integer(d, spec, "weight", INT32_MIN, INT32_MAX, 0);
    const tree *disruption = io_enter(d, spec, "disruption");
    pool->budgets = io_elements(d, disruption, "budgets", sizeof(karp_budget), budget, &pool->budget_count);
    pool->consolidate_after = io_duration(d, disruption, "consolidateAfter", true);
    pool->consolidation_policy = io_enum(d, disruption, "consolidationPolicy", policies, 3,
                                         KARP_WHEN_EMPTY_OR_UNDERUTILIZED);
    io_pop(d);
    io_pop(d);
    const tree *status = io_enter(d, object, "status");
    pool->conditions = io_conditions(d, status, "conditions", &pool->condition_count);
    io_pop(d);
}

/* ---- NodeOverlay ------------------------------------------------------------------------------------------------- */

static karp_str price_of(io_decoder *d, const tree *spec, const char *name)
{
    const tree *value = tree_get(spec, name);
    if (!tree_is_number(value)) return io_string(d, spec, name);
    io_push(d, name);
    karp_str text = io_quantity(d, value);
    io_pop(d);
    return text;
}

void io_decode_node_overlay(io_decoder *d, const tree *object, karp_node_overlay *overlay)
{
    memset(overlay, 0, sizeof *overlay);
    overlay->size = sizeof *overlay;
    overlay->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    overlay->requirements = io_requirements(d, spec, "requirements", IO_FOR_POOL, &overlay->requirement_count);
    overlay->price = price_of(d, spec, "price");
    overlay->price_adjustment = price_of(d, spec, "priceAdjustment");
    overlay->capacity = io_resources(d, spec, "capacity", &overlay->capacity_count);
    overlay->weight = (int32_t)io_integer(d, spec, "weight", INT32_MIN, INT32_MAX, 0);
    io_pop(d);
}
