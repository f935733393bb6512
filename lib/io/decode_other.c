/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds pods and nodes: DaemonSets, volumes, budgets, namespaces, selectors, buffers. */
#include <io/decode.h>

#include <string.h>

void io_decode_daemon_set(io_decoder *d, const tree *object, karp_daemon_set *set)
{
    memset(set, 0, sizeof *set);
    set->size = sizeof *set;
    set->meta = io_meta(d, object, true);
    const tree *spec = io_enter(d, object, "spec");
    const tree *template_ = io_enter(d, spec, "template");
    io_decode_template(d, template_, &set->template_);
    io_pop(d);
    io_pop(d);
}

void io_decode_claim(io_decoder *d, const tree *object, karp_persistent_volume_claim *claim)
{
    static const io_word phases[] = {
        { "Pending", KARP_CLAIM_PENDING },
        { "Bound", KARP_CLAIM_BOUND },
        { "Lost", KARP_CLAIM_LOST },
    };
    memset(claim, 0, sizeof *claim);
    claim->size = sizeof *claim;
    claim->meta = io_meta(d, object, true);
    const tree *spec = io_enter(d, object, "spec");
    claim->volume_name = io_string(d, spec, "volumeName");
    claim->has_storage_class = tree_get(spec, "storageClassName") != NULL;
    claim->storage_class_name = io_string(d, spec, "storageClassName");
    io_pop(d);
    const tree *status = io_enter(d, object, "status");
    claim->phase = io_enum(d, status, "phase", phases, 3, KARP_CLAIM_PHASE_UNSET);
    io_pop(d);
}

void io_decode_volume(io_decoder *d, const tree *object, karp_persistent_volume *volume)
{
    memset(volume, 0, sizeof *volume);
    volume->size = sizeof *volume;
    volume->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    const tree *csi = io_object(d, spec, "csi");
    if (csi) {
        io_push(d, "csi");
        volume->csi_driver = io_required_string(d, csi, "driver");
        io_pop(d);
    }
    volume->aws_elastic_block_store = io_object(d, spec, "awsElasticBlockStore") != NULL;
    volume->local = io_object(d, spec, "local") != NULL || io_object(d, spec, "hostPath") != NULL;
    const tree *affinity = io_enter(d, spec, "nodeAffinity");
    const tree *required = io_enter(d, affinity, "required");
    volume->node_terms = io_node_terms(d, required, "nodeSelectorTerms", &volume->node_term_count);
    io_pop(d);
    io_pop(d);
    io_pop(d);
}

/* {key, values} of an allowed topology, an In. */
static void label_expression(io_decoder *d, const tree *entry, void *into)
{
    karp_requirement *out = into;
    out->key = io_required_string(d, entry, "key");
    out->op = KARP_OP_IN;
    out->values = io_strings(d, entry, "values", &out->value_count);
}

static void topology(io_decoder *d, const tree *term, void *into)
{
    karp_node_term *out = into;
    out->expressions = io_elements(d, term, "matchLabelExpressions", sizeof(karp_requirement), label_expression,
                                   &out->expression_count);
}

void io_decode_storage_class(io_decoder *d, const tree *object, karp_storage_class *class_)
{
    static const io_word modes[] = {
        { "Immediate", KARP_BINDING_IMMEDIATE },
        { "WaitForFirstConsumer", KARP_BINDING_WAIT_FOR_FIRST_CONSUMER },
    };
    memset(class_, 0, sizeof *class_);
    class_->size = sizeof *class_;
    class_->meta = io_meta(d, object, false);
    class_->provisioner = io_string(d, object, "provisioner");
    class_->binding_mode = io_enum(d, object, "volumeBindingMode", modes, 2, KARP_BINDING_UNSET);
    class_->allowed_topologies = io_elements(d, object, "allowedTopologies", sizeof(karp_node_term), topology,
                                             &class_->allowed_topology_count);
}

static void csi_driver(io_decoder *d, const tree *driver, void *into)
{
    karp_csi_driver *out = into;
    out->name = io_required_string(d, driver, "name");
    const tree *allocatable = io_enter(d, driver, "allocatable");
    out->has_count = tree_get(allocatable, "count") != NULL ? 1 : allocatable != NULL ? 2 : 0;
    out->count = (int32_t)io_integer(d, allocatable, "count", INT32_MIN, INT32_MAX, 0);
    io_pop(d);
}

void io_decode_csi_node(io_decoder *d, const tree *object, karp_csi_node *node)
{
    memset(node, 0, sizeof *node);
    node->size = sizeof *node;
    node->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    node->drivers = io_elements(d, spec, "drivers", sizeof(karp_csi_driver), csi_driver, &node->driver_count);
    io_pop(d);
}

static karp_int_or_string int_or_string(io_decoder *d, const tree *spec, const char *name)
{
    karp_int_or_string value;
    memset(&value, 0, sizeof value);
    const tree *given = tree_get(spec, name);
    if (!given) return value;
    value.is_set = 1;
    value.is_text = tree_is(given, TREE_STRING);
    if (value.is_text) {
        value.text = io_string(d, spec, name);
    } else {
        value.value = (int32_t)io_integer(d, spec, name, INT32_MIN, INT32_MAX, 0);
    }
    return value;
}

void io_decode_budget(io_decoder *d, const tree *object, karp_pod_disruption_budget *budget)
{
    static const io_word policies[] = { { "IfHealthyBudget", 0 }, { "AlwaysAllow", 1 } };
    memset(budget, 0, sizeof *budget);
    budget->size = sizeof *budget;
    budget->meta = io_meta(d, object, true);
    const tree *spec = io_enter(d, object, "spec");
    budget->selector = io_selector(d, spec, "selector");
    budget->min_available = int_or_string(d, spec, "minAvailable");
    budget->max_unavailable = int_or_string(d, spec, "maxUnavailable");
    budget->always_allow = io_enum(d, spec, "unhealthyPodEvictionPolicy", policies, 2, 0);
    io_pop(d);
    const tree *status = io_enter(d, object, "status");
    budget->disruptions_allowed = (int32_t)io_integer(d, status, "disruptionsAllowed", INT32_MIN, INT32_MAX, 0);
    io_pop(d);
}

void io_decode_namespace(io_decoder *d, const tree *object, karp_namespace *namespace_)
{
    memset(namespace_, 0, sizeof *namespace_);
    namespace_->size = sizeof *namespace_;
    namespace_->meta = io_meta(d, object, false);
}

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
        /* The two old kinds have plain labels for a selector. */
        karp_selector *selector = io_make(d, 1, sizeof *selector);
        if (selector) selector->match_labels = io_labels(d, spec, "selector", &selector->match_label_count);
        selecting->selector = selector;
    }
    io_pop(d);
}

void io_decode_capacity_buffer(io_decoder *d, const tree *object, karp_capacity_buffer *buffer)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->size = sizeof *buffer;
    buffer->meta = io_meta(d, object, true);
    const tree *status = io_enter(d, object, "status");
    buffer->replicas = io_integer(d, status, "replicas", INT32_MIN, INT32_MAX, -1);
    buffer->conditions = io_conditions(d, status, "conditions", &buffer->condition_count);
    io_pop(d);
}
