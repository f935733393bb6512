/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds pods and nodes: DaemonSets, volumes, budgets, namespaces, selectors, buffers. */
#include <io/decode.h>

#include <string.h>

void io_decode_daemon_set(io_decoder *d, const json_t *object, karp_daemon_set *set)
{
    memset(set, 0, sizeof *set);
    set->size = sizeof *set;
    set->meta = io_meta(d, object, true);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    const json_t *template_ = io_object(d, spec, "template");
    io_push(d, "template");
    io_decode_template(d, template_, &set->template_);
    io_pop(d);
    io_pop(d);
}

void io_decode_claim(io_decoder *d, const json_t *object, karp_persistent_volume_claim *claim)
{
    static const io_word phases[] = {
        { "Pending", KARP_CLAIM_PENDING }, { "Bound", KARP_CLAIM_BOUND }, { "Lost", KARP_CLAIM_LOST },
    };
    memset(claim, 0, sizeof *claim);
    claim->size = sizeof *claim;
    claim->meta = io_meta(d, object, true);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    claim->volume_name = io_string(d, spec, "volumeName");
    claim->has_storage_class = io_get(spec, "storageClassName") != NULL;
    claim->storage_class_name = io_string(d, spec, "storageClassName");
    io_pop(d);
    const json_t *status = io_object(d, object, "status");
    io_push(d, "status");
    claim->phase = io_enum(d, status, "phase", phases, 3, KARP_CLAIM_PHASE_UNSET);
    io_pop(d);
}

void io_decode_volume(io_decoder *d, const json_t *object, karp_persistent_volume *volume)
{
    memset(volume, 0, sizeof *volume);
    volume->size = sizeof *volume;
    volume->meta = io_meta(d, object, false);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    const json_t *csi = io_object(d, spec, "csi");
    if (csi) {
        io_push(d, "csi");
        volume->csi_driver = io_required_string(d, csi, "driver");
        io_pop(d);
    }
    volume->aws_elastic_block_store = io_object(d, spec, "awsElasticBlockStore") != NULL;
    volume->local = io_object(d, spec, "local") != NULL || io_object(d, spec, "hostPath") != NULL;
    const json_t *affinity = io_object(d, spec, "nodeAffinity");
    io_push(d, "nodeAffinity");
    const json_t *required = io_object(d, affinity, "required");
    io_push(d, "required");
    volume->node_terms = io_node_terms(d, required, "nodeSelectorTerms", &volume->node_term_count);
    io_pop(d);
    io_pop(d);
    io_pop(d);
}

/* One allowed topology: matchLabelExpressions of {key, values}, each an In. */
static const karp_requirement *label_expressions(io_decoder *d, const json_t *term, size_t *count)
{
    const json_t *array = io_array(d, term, "matchLabelExpressions", count);
    karp_requirement *list = array ? io_make(d, *count, sizeof *list) : NULL;
    io_push(d, "matchLabelExpressions");
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].key = io_required_string(d, entry, "key");
        list[i].op = KARP_OP_IN;
        list[i].values = io_strings(d, entry, "values", &list[i].value_count);
        io_pop(d);
    }
    io_pop(d);
    return list;
}

void io_decode_storage_class(io_decoder *d, const json_t *object, karp_storage_class *class_)
{
    static const io_word modes[] = {
        { "Immediate", KARP_BINDING_IMMEDIATE }, { "WaitForFirstConsumer", KARP_BINDING_WAIT_FOR_FIRST_CONSUMER },
    };
    memset(class_, 0, sizeof *class_);
    class_->size = sizeof *class_;
    class_->meta = io_meta(d, object, false);
    class_->provisioner = io_string(d, object, "provisioner");
    class_->binding_mode = io_enum(d, object, "volumeBindingMode", modes, 2, KARP_BINDING_UNSET);
    size_t count = 0;
    const json_t *array = io_array(d, object, "allowedTopologies", &count);
    karp_node_term *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "allowedTopologies");
    for (size_t i = 0; list && i < count; i++) {
        list[i].expressions = label_expressions(d, io_element(d, array, i), &list[i].expression_count);
        io_pop(d);
    }
    io_pop(d);
    class_->allowed_topologies = list;
    class_->allowed_topology_count = list ? count : 0;
}

void io_decode_csi_node(io_decoder *d, const json_t *object, karp_csi_node *node)
{
    memset(node, 0, sizeof *node);
    node->size = sizeof *node;
    node->meta = io_meta(d, object, false);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    size_t count = 0;
    const json_t *array = io_array(d, spec, "drivers", &count);
    karp_csi_driver *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "drivers");
    for (size_t i = 0; list && i < count; i++) {
        const json_t *driver = io_element(d, array, i);
        const json_t *allocatable = io_object(d, driver, "allocatable");
        list[i].name = io_required_string(d, driver, "name");
        io_push(d, "allocatable");
        list[i].has_count = io_get(allocatable, "count") != NULL;
        list[i].count = (int32_t)io_integer(d, allocatable, "count", INT32_MIN, INT32_MAX, 0);
        io_pop(d);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    node->drivers = list;
    node->driver_count = list ? count : 0;
}

static karp_int_or_string int_or_string(io_decoder *d, const json_t *spec, const char *name)
{
    karp_int_or_string value;
    memset(&value, 0, sizeof value);
    const json_t *given = io_get(spec, name);
    if (!given) return value;
    value.is_set = 1;
    value.is_text = json_is_string(given);
    if (value.is_text) {
        value.text = io_string(d, spec, name);
    } else {
        value.value = (int32_t)io_integer(d, spec, name, INT32_MIN, INT32_MAX, 0);
    }
    return value;
}

void io_decode_budget(io_decoder *d, const json_t *object, karp_pod_disruption_budget *budget)
{
    static const io_word policies[] = { { "IfHealthyBudget", 0 }, { "AlwaysAllow", 1 } };
    memset(budget, 0, sizeof *budget);
    budget->size = sizeof *budget;
    budget->meta = io_meta(d, object, true);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    budget->selector = io_selector(d, spec, "selector");
    budget->min_available = int_or_string(d, spec, "minAvailable");
    budget->max_unavailable = int_or_string(d, spec, "maxUnavailable");
    budget->always_allow = io_enum(d, spec, "unhealthyPodEvictionPolicy", policies, 2, 0);
    io_pop(d);
    const json_t *status = io_object(d, object, "status");
    io_push(d, "status");
    budget->disruptions_allowed = (int32_t)io_integer(d, status, "disruptionsAllowed", INT32_MIN, INT32_MAX, 0);
    io_pop(d);
}

void io_decode_namespace(io_decoder *d, const json_t *object, karp_namespace *namespace_)
{
    memset(namespace_, 0, sizeof *namespace_);
    namespace_->size = sizeof *namespace_;
    namespace_->meta = io_meta(d, object, false);
}

void io_decode_selecting(io_decoder *d, const json_t *object, uint32_t kind, karp_selecting *selecting)
{
    memset(selecting, 0, sizeof *selecting);
    selecting->size = sizeof *selecting;
    selecting->kind = kind;
    selecting->meta = io_meta(d, object, true);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    if (kind == KARP_SELECTS_REPLICA_SET || kind == KARP_SELECTS_STATEFUL_SET) {
        selecting->selector = io_selector(d, spec, "selector");
    } else if (io_object(d, spec, "selector")) {
        /* The two old kinds have plain labels for a selector. */
        karp_selector *selector = io_make(d, 1, sizeof *selector);
        if (selector) selector->match_labels = io_labels(d, spec, "selector", &selector->match_label_count);
        selecting->selector = selector;
    }
    io_pop(d);
}

void io_decode_capacity_buffer(io_decoder *d, const json_t *object, karp_capacity_buffer *buffer)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->size = sizeof *buffer;
    buffer->meta = io_meta(d, object, true);
    const json_t *status = io_object(d, object, "status");
    io_push(d, "status");
    buffer->replicas = io_integer(d, status, "replicas", INT32_MIN, INT32_MAX, -1);
    buffer->conditions = io_conditions(d, status, "conditions", &buffer->condition_count);
    io_pop(d);
}
