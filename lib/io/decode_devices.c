/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode_devices.h>

#include <karp/devices.h>
#include <string.h>

/* ---- devices ------------------------------------------------------------------------------------------------------------ */

static void attribute(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_device_attribute *out = into;
    out->name = key;
    if (!tree_is(value, TREE_MAP)) {
        io_bad(d, KARP_E_INVALID, "must be an object");
    } else if (tree_get(value, "int")) {
        out->kind = KARP_ATTRIBUTE_INT;
        out->number = io_integer(d, value, "int", INT64_MIN, INT64_MAX, 0);
    } else if (tree_get(value, "bool")) {
        out->kind = KARP_ATTRIBUTE_BOOL;
        out->number = io_boolean(d, value, "bool", false);
    } else if (tree_get(value, "version")) {
        out->kind = KARP_ATTRIBUTE_VERSION;
        out->text = io_string(d, value, "version");
    } else {
        out->kind = KARP_ATTRIBUTE_STRING;
        out->text = io_string(d, value, "string");
        if (!tree_get(value, "string")) io_bad(d, KARP_E_INVALID, "needs one of string, int, bool and version");
    }
}

static karp_str optional_quantity(io_decoder *d, const tree *object, const char *name)
{
    karp_str text = { "", 0 };
    const tree *value = tree_get(object, name);
    if (!value || d->status) return text;
    io_push(d, name);
    text = io_quantity(d, value);
    io_pop(d);
    return text;
}

static const karp_request_policy *policy(io_decoder *d, const tree *capacity)
{
    const tree *value = io_object(d, capacity, "requestPolicy");
    karp_request_policy *p = value ? io_make(d, 1, sizeof *p) : NULL;
    if (!p) return NULL;
    io_push(d, "requestPolicy");
    p->default_ = optional_quantity(d, value, "default");
    const tree *range = io_enter(d, value, "validRange");
    p->has_range = range != NULL;
    p->minimum = optional_quantity(d, range, "min");
    p->maximum = optional_quantity(d, range, "max");
    p->step = optional_quantity(d, range, "step");
    io_pop(d);
    size_t count = 0;
    const tree *array = io_array(d, value, "validValues", &count);
    karp_str *values = array ? io_make(d, count, sizeof *values) : NULL;
    io_push(d, "validValues");
    for (size_t i = 0; values && i < count; i++) {
        io_push_index(d, i);
        values[i] = io_quantity(d, tree_item(array, i));
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    p->valid_values = values;
    p->valid_value_count = values ? count : 0;
    return p;
}

static void required_value(io_decoder *d, const tree *value, karp_str *out)
{
    *out = optional_quantity(d, value, "value");
    if (out->len == 0) io_bad_member(d, "value", KARP_E_INVALID, "is missing");
}

static void capacity(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_device_capacity *out = into;
    out->name = key;
    if (tree_is(value, TREE_MAP)) {
        required_value(d, value, &out->value);
        out->policy = policy(d, value);
    } else {
        io_bad(d, KARP_E_INVALID, "must be an object");
    }
}

static void counter(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_counter *out = into;
    out->name = key;
    required_value(d, value, &out->value);
}

/* Sets of counters are named by another member where they are shared than where they are used. */
static void counter_set(io_decoder *d, const tree *entry, const char *key, karp_counter_set *out)
{
    out->name = io_required_string(d, entry, key);
    out->counters = io_members(d, entry, "counters", sizeof(karp_counter), counter, &out->counter_count);
}

static void used_set(io_decoder *d, const tree *entry, void *into) { counter_set(d, entry, "counterSet", into); }

static void shared_set(io_decoder *d, const tree *entry, void *into) { counter_set(d, entry, "name", into); }

static const karp_counter_set *shared_sets(io_decoder *d, const tree *object, size_t *count)
{
    return io_elements(d, object, "sharedCounters", sizeof(karp_counter_set), shared_set, count);
}

static void device(io_decoder *d, const tree *entry, void *into)
{
    karp_device *out = into;
    out->name = io_required_string(d, entry, "name");
    out->attributes = io_members(d, entry, "attributes", sizeof(karp_device_attribute), attribute,
                                 &out->attribute_count);
    out->capacity = io_members(d, entry, "capacity", sizeof(karp_device_capacity), capacity, &out->capacity_count);
    out->consumes = io_elements(d, entry, "consumesCounters", sizeof(karp_counter_set), used_set, &out->consume_count);
    out->allow_multiple = io_boolean(d, entry, "allowMultipleAllocations", false);
}

static const karp_device *devices(io_decoder *d, const tree *object, size_t *count)
{
    return io_elements(d, object, "devices", sizeof(karp_device), device, count);
}

static void device_id(io_decoder *d, const tree *entry, void *into)
{
    karp_device_id *out = into;
    out->driver = io_required_string(d, entry, "driver");
    out->pool = io_required_string(d, entry, "pool");
    out->device = io_required_string(d, entry, "device");
}

/* ---- slices, classes ------------------------------------------------------------------------------------------------------ */

static void slice(io_decoder *d, const tree *object, karp_resource_slice *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    out->driver = io_required_string(d, spec, "driver");
    const tree *pool = io_enter(d, spec, "pool");
    out->pool = io_required_string(d, pool, "name");
    out->generation = io_integer(d, pool, "generation", INT64_MIN, INT64_MAX, 0);
    out->slice_count = io_integer(d, pool, "resourceSliceCount", INT64_MIN, INT64_MAX, 0);
    io_pop(d);
    out->node_name = io_string(d, spec, "nodeName");
    out->all_nodes = io_boolean(d, spec, "allNodes", false);
    const tree *selector = io_enter(d, spec, "nodeSelector");
    out->has_node_selector = selector != NULL;
    out->node_terms = io_node_terms(d, selector, "nodeSelectorTerms", &out->node_term_count);
    io_pop(d);
    out->devices = devices(d, spec, &out->device_count);
    out->shared_counters = shared_sets(d, spec, &out->shared_counter_count);
    io_pop(d);
}

/* The expression of a CEL selector; "" for a selector of another kind. */
static void selector(io_decoder *d, const tree *entry, void *into)
{
    karp_str *out = into;
    *out = io_string(d, io_enter(d, entry, "cel"), "expression");
    io_pop(d);
}

static const karp_str *selectors(io_decoder *d, const tree *object, size_t *count)
{
    return io_elements(d, object, "selectors", sizeof(karp_str), selector, count);
}

static void device_class(io_decoder *d, const tree *object, karp_device_class *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->meta = io_meta(d, object, false);
    const tree *spec = io_enter(d, object, "spec");
    out->selectors = selectors(d, spec, &out->selector_count);
    io_pop(d);
}

/* ---- claims ---------------------------------------------------------------------------------------------------------------- */

/* What `exactly` and the alternatives have in common. The API server makes an absent count 1. */
static void wanted(io_decoder *d, const tree *from, karp_device_request *out)
{
    static const io_word modes[] = { { "ExactCount", KARP_ALLOCATE_EXACT_COUNT }, { "All", KARP_ALLOCATE_ALL } };
    out->exact = 1;
    out->device_class = io_string(d, from, "deviceClassName");
    out->selectors = selectors(d, from, &out->selector_count);
    out->mode = io_enum(d, from, "allocationMode", modes, 2, KARP_ALLOCATE_EXACT_COUNT);
    out->count = io_integer(d, from, "count", 0, INT64_MAX, 1);
    const tree *capacity_ = io_enter(d, from, "capacity");
    out->capacity = io_resources(d, capacity_, "requests", &out->capacity_count);
    io_pop(d);
}

static void alternative(io_decoder *d, const tree *entry, void *into)
{
    karp_device_request *out = into;
    out->name = io_required_string(d, entry, "name");
    wanted(d, entry, out);
}

static void request(io_decoder *d, const tree *entry, void *into)
{
    karp_device_request *out = into;
    out->name = io_required_string(d, entry, "name");
    const tree *exactly = io_object(d, entry, "exactly");
    if (exactly) {
        io_push(d, "exactly");
        wanted(d, exactly, out);
        io_pop(d);
        return;
    }
    out->alternatives = io_elements(d, entry, "firstAvailable", sizeof(karp_device_request), alternative,
                                    &out->alternative_count);
}

static void constraint(io_decoder *d, const tree *entry, void *into)
{
    karp_device_constraint *out = into;
    out->requests = io_strings(d, entry, "requests", &out->request_count);
    out->match_attribute = io_string(d, entry, "matchAttribute");
}

static void claim_spec(io_decoder *d, const tree *object, karp_resource_claim *out)
{
    const tree *spec = io_enter(d, object, "spec");
    const tree *wants = io_enter(d, spec, "devices");
    out->requests = io_elements(d, wants, "requests", sizeof(karp_device_request), request, &out->request_count);
    out->constraints = io_elements(d, wants, "constraints", sizeof(karp_device_constraint), constraint,
                                   &out->constraint_count);
    io_pop(d);
    io_pop(d);
}

static void result(io_decoder *d, const tree *entry, void *into)
{
    karp_allocated_device *out = into;
    out->request = io_string(d, entry, "request");
    device_id(d, entry, &out->device);
    out->has_consumed = tree_get(entry, "consumedCapacity") != NULL;
    out->consumed = io_resources(d, entry, "consumedCapacity", &out->consumed_count);
}

static void allocation(io_decoder *d, const tree *status, karp_resource_claim *out)
{
    const tree *value = io_object(d, status, "allocation");
    if (!value) return;
    out->allocated = 1;
    io_push(d, "allocation");
    const tree *selector_ = io_enter(d, value, "nodeSelector");
    out->node_terms = io_node_terms(d, selector_, "nodeSelectorTerms", &out->node_term_count);
    io_pop(d);
    const tree *given = io_enter(d, value, "devices");
    out->results = io_elements(d, given, "results", sizeof(karp_allocated_device), result, &out->result_count);
    io_pop(d);
    io_pop(d);
}

static void consumer(io_decoder *d, const tree *entry, void *into)
{
    karp_claim_consumer *out = into;
    out->api_group = io_string(d, entry, "apiGroup");
    out->resource = io_string(d, entry, "resource");
    out->name = io_string(d, entry, "name");
    out->uid = io_string(d, entry, "uid");
}

static void claim(io_decoder *d, const tree *object, karp_resource_claim *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->meta = io_meta(d, object, true);
    claim_spec(d, object, out);
    const tree *status = io_enter(d, object, "status");
    allocation(d, status, out);
    out->reserved_for = io_elements(d, status, "reservedFor", sizeof(karp_claim_consumer), consumer,
                                    &out->reserved_for_count);
    io_pop(d);
}

karp_status io_use_devices(io_decoder *d, const io_kind_info *info, const tree *object, karp_builder *builder,
                           karp_error *error)
{
    karp_status status = KARP_OK;
    if (strcmp(info->name, "ResourceSlice") == 0) {
        karp_resource_slice one;
        slice(d, object, &one);
        if (!d->status && builder) status = karp_builder_add_resource_slice(builder, &one, error);
    } else if (strcmp(info->name, "DeviceClass") == 0) {
        karp_device_class one;
        device_class(d, object, &one);
        if (!d->status && builder) status = karp_builder_add_device_class(builder, &one, error);
    } else if (strcmp(info->name, "ResourceClaim") == 0) {
        karp_resource_claim one;
        claim(d, object, &one);
        if (!d->status && builder) status = karp_builder_add_resource_claim(builder, &one, error);
    }
    return d->status ? d->status : status;
}

/* ---- catalogue entries ------------------------------------------------------------------------------------------------------ */

static void template_(io_decoder *d, const tree *entry, void *into)
{
    karp_device_template *out = into;
    out->driver = io_required_string(d, entry, "driver");
    out->pool = io_required_string(d, entry, "pool");
    out->devices = devices(d, entry, &out->device_count);
    out->shared_counters = shared_sets(d, entry, &out->shared_counter_count);
}

static void binding(io_decoder *d, const tree *entry, void *into)
{
    karp_attribute_binding *out = into;
    out->attribute = io_required_string(d, entry, "attribute");
    out->devices = io_elements(d, entry, "devices", sizeof(karp_device_id), device_id, &out->device_count);
}

void io_decode_type_devices(io_decoder *d, const tree *entry, karp_instance_type *type)
{
    const tree *from = io_object(d, entry, "dynamicResources");
    if (!from) return;
    io_push(d, "dynamicResources");
    type->device_templates = io_elements(d, from, "resourceSlices", sizeof(karp_device_template), template_,
                                         &type->device_template_count);
    type->attribute_bindings = io_elements(d, from, "attributeBindings", sizeof(karp_attribute_binding), binding,
                                           &type->attribute_binding_count);
    io_pop(d);
}
