/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode_devices.h>

#include <karp/devices.h>
#include <string.h>

/* ---- devices ------------------------------------------------------------------------------------------------------------ */

/* jansson's iterators take a changeable object; they change nothing. */
static json_t *changeable(const json_t *object)
{
    json_t *same;
    memcpy(&same, &object, sizeof same);
    return same;
}

static void attribute(io_decoder *d, const json_t *value, karp_device_attribute *out)
{
    if (io_get(value, "int")) {
        out->kind = KARP_ATTRIBUTE_INT;
        out->number = io_integer(d, value, "int", INT64_MIN, INT64_MAX, 0);
    } else if (io_get(value, "bool")) {
        out->kind = KARP_ATTRIBUTE_BOOL;
        out->number = io_boolean(d, value, "bool", false);
    } else if (io_get(value, "version")) {
        out->kind = KARP_ATTRIBUTE_VERSION;
        out->text = io_string(d, value, "version");
    } else {
        out->kind = KARP_ATTRIBUTE_STRING;
        out->text = io_string(d, value, "string");
        if (!io_get(value, "string")) io_bad(d, KARP_E_INVALID, "needs one of string, int, bool and version");
    }
}

static void attributes(io_decoder *d, const json_t *object, karp_device *out)
{
    const json_t *map = io_object(d, object, "attributes");
    karp_device_attribute *list = map ? io_make(d, json_object_size(map), sizeof *list) : NULL;
    if (!list) return;
    io_push(d, "attributes");
    for (void *at = json_object_iter(changeable(map)); at; at = json_object_iter_next(changeable(map), at)) {
        const json_t *value = json_object_iter_value(at);
        karp_device_attribute *a = &list[out->attribute_count++];
        io_push(d, json_object_iter_key(at));
        a->name = io_str(json_object_iter_key(at));
        if (json_is_object(value)) attribute(d, value, a);
        else io_bad(d, KARP_E_INVALID, "must be an object");
        io_pop(d);
    }
    io_pop(d);
    out->attributes = list;
}

static karp_str optional_quantity(io_decoder *d, const json_t *object, const char *name)
{
    karp_str text = { "", 0 };
    const json_t *value = io_get(object, name);
    if (!value || d->status) return text;
    io_push(d, name);
    text = io_quantity(d, value);
    io_pop(d);
    return text;
}

static const karp_request_policy *policy(io_decoder *d, const json_t *capacity)
{
    const json_t *value = io_object(d, capacity, "requestPolicy");
    karp_request_policy *p = value ? io_make(d, 1, sizeof *p) : NULL;
    if (!p) return NULL;
    io_push(d, "requestPolicy");
    p->default_ = optional_quantity(d, value, "default");
    const json_t *range = io_object(d, value, "validRange");
    io_push(d, "validRange");
    p->has_range = range != NULL;
    p->minimum = optional_quantity(d, range, "min");
    p->maximum = optional_quantity(d, range, "max");
    p->step = optional_quantity(d, range, "step");
    io_pop(d);
    size_t count = 0;
    const json_t *array = io_array(d, value, "validValues", &count);
    karp_str *values = array ? io_make(d, count, sizeof *values) : NULL;
    io_push(d, "validValues");
    for (size_t i = 0; values && i < count; i++) {
        io_push_index(d, i);
        values[i] = io_quantity(d, json_array_get(array, i));
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    p->valid_values = values;
    p->valid_value_count = values ? count : 0;
    return p;
}

static void capacity(io_decoder *d, const json_t *object, karp_device *out)
{
    const json_t *map = io_object(d, object, "capacity");
    karp_device_capacity *list = map ? io_make(d, json_object_size(map), sizeof *list) : NULL;
    if (!list) return;
    io_push(d, "capacity");
    for (void *at = json_object_iter(changeable(map)); at; at = json_object_iter_next(changeable(map), at)) {
        const json_t *value = json_object_iter_value(at);
        karp_device_capacity *c = &list[out->capacity_count++];
        io_push(d, json_object_iter_key(at));
        c->name = io_str(json_object_iter_key(at));
        if (json_is_object(value)) {
            c->value = optional_quantity(d, value, "value");
            if (c->value.len == 0) io_bad_member(d, "value", KARP_E_INVALID, "is missing");
            c->policy = policy(d, value);
        } else {
            io_bad(d, KARP_E_INVALID, "must be an object");
        }
        io_pop(d);
    }
    io_pop(d);
    out->capacity = list;
}

static void counters(io_decoder *d, const json_t *object, karp_counter_set *out)
{
    const json_t *map = io_object(d, object, "counters");
    karp_counter *list = map ? io_make(d, json_object_size(map), sizeof *list) : NULL;
    if (!list) return;
    io_push(d, "counters");
    for (void *at = json_object_iter(changeable(map)); at; at = json_object_iter_next(changeable(map), at)) {
        karp_counter *c = &list[out->counter_count++];
        io_push(d, json_object_iter_key(at));
        c->name = io_str(json_object_iter_key(at));
        c->value = optional_quantity(d, json_object_iter_value(at), "value");
        if (c->value.len == 0) io_bad_member(d, "value", KARP_E_INVALID, "is missing");
        io_pop(d);
    }
    io_pop(d);
    out->counters = list;
}

/* Sets of counters: `key` is the member that names the set. */
static const karp_counter_set *counter_sets(io_decoder *d, const json_t *object, const char *name, const char *key, size_t *count)
{
    const json_t *array = io_array(d, object, name, count);
    karp_counter_set *list = array ? io_make(d, *count, sizeof *list) : NULL;
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].name = io_required_string(d, entry, key);
        counters(d, entry, &list[i]);
        io_pop(d);
    }
    io_pop(d);
    if (!list) *count = 0;
    return list;
}

static const karp_device *devices(io_decoder *d, const json_t *object, size_t *count)
{
    const json_t *array = io_array(d, object, "devices", count);
    karp_device *list = array ? io_make(d, *count, sizeof *list) : NULL;
    io_push(d, "devices");
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].name = io_required_string(d, entry, "name");
        attributes(d, entry, &list[i]);
        capacity(d, entry, &list[i]);
        list[i].consumes = counter_sets(d, entry, "consumesCounters", "counterSet", &list[i].consume_count);
        list[i].allow_multiple = io_boolean(d, entry, "allowMultipleAllocations", false);
        io_pop(d);
    }
    io_pop(d);
    if (!list) *count = 0;
    return list;
}

/* ---- slices, classes ------------------------------------------------------------------------------------------------------ */

static void slice(io_decoder *d, const json_t *object, karp_resource_slice *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->meta = io_meta(d, object, false);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    out->driver = io_required_string(d, spec, "driver");
    const json_t *pool = io_object(d, spec, "pool");
    io_push(d, "pool");
    out->pool = io_required_string(d, pool, "name");
    out->generation = io_integer(d, pool, "generation", INT64_MIN, INT64_MAX, 0);
    out->slice_count = io_integer(d, pool, "resourceSliceCount", INT64_MIN, INT64_MAX, 0);
    io_pop(d);
    out->node_name = io_string(d, spec, "nodeName");
    out->all_nodes = io_boolean(d, spec, "allNodes", false);
    const json_t *selector = io_object(d, spec, "nodeSelector");
    io_push(d, "nodeSelector");
    out->has_node_selector = selector != NULL;
    out->node_terms = io_node_terms(d, selector, "nodeSelectorTerms", &out->node_term_count);
    io_pop(d);
    out->devices = devices(d, spec, &out->device_count);
    out->shared_counters = counter_sets(d, spec, "sharedCounters", "name", &out->shared_counter_count);
    io_pop(d);
}

/* Expressions of CEL selectors; "" for a selector of another kind. */
static const karp_str *selectors(io_decoder *d, const json_t *object, size_t *count)
{
    const json_t *array = io_array(d, object, "selectors", count);
    karp_str *list = array ? io_make(d, *count, sizeof *list) : NULL;
    io_push(d, "selectors");
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *entry = io_element(d, array, i);
        const json_t *cel = io_object(d, entry, "cel");
        io_push(d, "cel");
        list[i] = io_string(d, cel, "expression");
        io_pop(d);
        io_pop(d);
    }
    io_pop(d);
    if (!list) *count = 0;
    return list;
}

static void device_class(io_decoder *d, const json_t *object, karp_device_class *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->meta = io_meta(d, object, false);
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    out->selectors = selectors(d, spec, &out->selector_count);
    io_pop(d);
}

/* ---- claims ---------------------------------------------------------------------------------------------------------------- */

/* What `exactly` and the alternatives have in common. The API server makes an absent count 1. */
static void wanted(io_decoder *d, const json_t *from, karp_device_request *out)
{
    static const io_word modes[] = { { "ExactCount", KARP_ALLOCATE_EXACT_COUNT }, { "All", KARP_ALLOCATE_ALL } };
    out->exact = 1;
    out->device_class = io_string(d, from, "deviceClassName");
    out->selectors = selectors(d, from, &out->selector_count);
    out->mode = io_enum(d, from, "allocationMode", modes, 2, KARP_ALLOCATE_EXACT_COUNT);
    out->count = io_integer(d, from, "count", 0, INT64_MAX, 1);
    const json_t *capacity_ = io_object(d, from, "capacity");
    io_push(d, "capacity");
    out->capacity = io_resources(d, capacity_, "requests", &out->capacity_count);
    io_pop(d);
}

static void request(io_decoder *d, const json_t *entry, karp_device_request *out)
{
    out->name = io_required_string(d, entry, "name");
    const json_t *exactly = io_object(d, entry, "exactly");
    if (exactly) {
        io_push(d, "exactly");
        wanted(d, exactly, out);
        io_pop(d);
        return;
    }
    size_t count = 0;
    const json_t *array = io_array(d, entry, "firstAvailable", &count);
    karp_device_request *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "firstAvailable");
    for (size_t i = 0; list && i < count; i++) {
        const json_t *alternative = io_element(d, array, i);
        list[i].name = io_required_string(d, alternative, "name");
        wanted(d, alternative, &list[i]);
        io_pop(d);
    }
    io_pop(d);
    out->alternatives = list;
    out->alternative_count = list ? count : 0;
}

static void claim_spec(io_decoder *d, const json_t *object, karp_resource_claim *out)
{
    size_t count = 0;
    const json_t *spec = io_object(d, object, "spec");
    io_push(d, "spec");
    const json_t *wants = io_object(d, spec, "devices");
    io_push(d, "devices");
    const json_t *array = io_array(d, wants, "requests", &count);
    karp_device_request *requests = array ? io_make(d, count, sizeof *requests) : NULL;
    io_push(d, "requests");
    for (size_t i = 0; requests && i < count; i++) {
        request(d, io_element(d, array, i), &requests[i]);
        io_pop(d);
    }
    io_pop(d);
    out->requests = requests;
    out->request_count = requests ? count : 0;
    array = io_array(d, wants, "constraints", &count);
    karp_device_constraint *constraints = array ? io_make(d, count, sizeof *constraints) : NULL;
    io_push(d, "constraints");
    for (size_t i = 0; constraints && i < count; i++) {
        const json_t *entry = io_element(d, array, i);
        constraints[i].requests = io_strings(d, entry, "requests", &constraints[i].request_count);
        constraints[i].match_attribute = io_string(d, entry, "matchAttribute");
        io_pop(d);
    }
    io_pop(d);
    out->constraints = constraints;
    out->constraint_count = constraints ? count : 0;
    io_pop(d);
    io_pop(d);
}

static void allocation(io_decoder *d, const json_t *status, karp_resource_claim *out)
{
    const json_t *value = io_object(d, status, "allocation");
    if (!value) return;
    size_t count = 0;
    out->allocated = 1;
    io_push(d, "allocation");
    const json_t *selector = io_object(d, value, "nodeSelector");
    io_push(d, "nodeSelector");
    out->node_terms = io_node_terms(d, selector, "nodeSelectorTerms", &out->node_term_count);
    io_pop(d);
    const json_t *given = io_object(d, value, "devices");
    io_push(d, "devices");
    const json_t *array = io_array(d, given, "results", &count);
    karp_allocated_device *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "results");
    for (size_t i = 0; list && i < count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].request = io_string(d, entry, "request");
        list[i].device.driver = io_required_string(d, entry, "driver");
        list[i].device.pool = io_required_string(d, entry, "pool");
        list[i].device.device = io_required_string(d, entry, "device");
        list[i].has_consumed = io_get(entry, "consumedCapacity") != NULL;
        list[i].consumed = io_resources(d, entry, "consumedCapacity", &list[i].consumed_count);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    io_pop(d);
    out->results = list;
    out->result_count = list ? count : 0;
}

static void claim(io_decoder *d, const json_t *object, karp_resource_claim *out)
{
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->meta = io_meta(d, object, true);
    claim_spec(d, object, out);
    size_t count = 0;
    const json_t *status = io_object(d, object, "status");
    io_push(d, "status");
    allocation(d, status, out);
    const json_t *array = io_array(d, status, "reservedFor", &count);
    karp_claim_consumer *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "reservedFor");
    for (size_t i = 0; list && i < count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].api_group = io_string(d, entry, "apiGroup");
        list[i].resource = io_string(d, entry, "resource");
        list[i].name = io_string(d, entry, "name");
        list[i].uid = io_string(d, entry, "uid");
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
    out->reserved_for = list;
    out->reserved_for_count = list ? count : 0;
}

karp_status io_use_devices(io_decoder *d, const io_kind_info *info, const json_t *object, karp_builder *builder, karp_error *error)
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

static void templates(io_decoder *d, const json_t *from, karp_instance_type *type)
{
    size_t count = 0;
    const json_t *array = io_array(d, from, "resourceSlices", &count);
    karp_device_template *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "resourceSlices");
    for (size_t i = 0; list && i < count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].driver = io_required_string(d, entry, "driver");
        list[i].pool = io_required_string(d, entry, "pool");
        list[i].devices = devices(d, entry, &list[i].device_count);
        list[i].shared_counters = counter_sets(d, entry, "sharedCounters", "name", &list[i].shared_counter_count);
        io_pop(d);
    }
    io_pop(d);
    type->device_templates = list;
    type->device_template_count = list ? count : 0;
}

static void bindings(io_decoder *d, const json_t *from, karp_instance_type *type)
{
    size_t count = 0;
    const json_t *array = io_array(d, from, "attributeBindings", &count);
    karp_attribute_binding *list = array ? io_make(d, count, sizeof *list) : NULL;
    io_push(d, "attributeBindings");
    for (size_t i = 0; list && i < count; i++) {
        const json_t *entry = io_element(d, array, i);
        size_t members = 0;
        list[i].attribute = io_required_string(d, entry, "attribute");
        const json_t *ids = io_array(d, entry, "devices", &members);
        karp_device_id *bound = ids ? io_make(d, members, sizeof *bound) : NULL;
        io_push(d, "devices");
        for (size_t k = 0; bound && k < members; k++) {
            const json_t *id = io_element(d, ids, k);
            bound[k].driver = io_required_string(d, id, "driver");
            bound[k].pool = io_required_string(d, id, "pool");
            bound[k].device = io_required_string(d, id, "device");
            io_pop(d);
        }
        io_pop(d);
        list[i].devices = bound;
        list[i].device_count = bound ? members : 0;
        io_pop(d);
    }
    io_pop(d);
    type->attribute_bindings = list;
    type->attribute_binding_count = list ? count : 0;
}

void io_decode_type_devices(io_decoder *d, const json_t *entry, karp_instance_type *type)
{
    const json_t *from = io_object(d, entry, "dynamicResources");
    if (!from) return;
    io_push(d, "dynamicResources");
    templates(d, from, type);
    bindings(d, from, type);
    io_pop(d);
}
