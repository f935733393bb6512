/* SPDX-License-Identifier: Apache-2.0 */
#include <io/decode_fields.h>

#include <karp/devices.h>

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static void read_attribute(io_decoder *d, karp_str key, const tree *value, void *into)
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

static void valid_values(io_decoder *d, const tree *object, const tree *value, void *into)
{
    karp_request_policy *p = into;
    (void)object;
    if (!io_as_array(d, value, "validValues")) return;
    karp_str *values = io_make(d, tree_count(value), sizeof *values);
    io_push(d, "validValues");
    for (size_t i = 0; values && i < tree_count(value); i++) {
        io_push_index(d, i);
        values[i] = io_quantity(d, tree_item(value, i));
        io_pop(d);
    }
    io_pop(d);
    p->valid_values = values;
    p->valid_value_count = tree_count(value);
}

static const record range_record = { OPEN({ QUANTITY("min", karp_request_policy, minimum) },
                                          { QUANTITY("max", karp_request_policy, maximum) },
                                          { QUANTITY("step", karp_request_policy, step) }) };
static const record policy_record = { OF(karp_request_policy),
                                      OPEN({ QUANTITY("default", karp_request_policy, default_) },
                                           { OBJECT("validRange", range_record), HAS(karp_request_policy, has_range) },
                                           { CALL("validValues", valid_values) }) };

static const record capacity_record = {
    OF(karp_device_capacity), OPEN({ QUANTITY("value", karp_device_capacity, value), MUST },
                                   { POINTER("requestPolicy", karp_device_capacity, policy, policy_record) })
};

static void read_capacity(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_device_capacity *out = into;
    if (tree_is(value, TREE_MAP)) io_decode(d, &capacity_record, value, out);
    else io_bad(d, KARP_E_INVALID, "must be an object");
    out->name = key;
}

static const record counter_record = { OF(karp_counter), OPEN({ QUANTITY("value", karp_counter, value), MUST }) };

static void read_counter(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_counter *out = into;
    io_decode(d, &counter_record, tree_is(value, TREE_MAP) ? value : NULL, out);
    out->name = key;
}

/* The member that names a counter set is different where the set is defined and where it is used. */
static const record used_set_record = {
    OF(karp_counter_set),
    OPEN({ NEEDED("counterSet", karp_counter_set, name) },
         { MAP("counters", karp_counter_set, counters, counter_count, karp_counter, read_counter) })
};
static const record shared_set_record = {
    OF(karp_counter_set),
    OPEN({ NEEDED("name", karp_counter_set, name) },
         { MAP("counters", karp_counter_set, counters, counter_count, karp_counter, read_counter) })
};

static const record device_record = {
    OF(karp_device),
    OPEN({ NEEDED("name", karp_device, name) },
         { MAP("attributes", karp_device, attributes, attribute_count, karp_device_attribute, read_attribute) },
         { MAP("capacity", karp_device, capacity, capacity_count, karp_device_capacity, read_capacity) },
         { LIST("consumesCounters", karp_device, consumes, consume_count, used_set_record) },
         { FLAG("allowMultipleAllocations", karp_device, allow_multiple) })
};

static const record device_id_record = { OF(karp_device_id), OPEN({ NEEDED("driver", karp_device_id, driver) },
                                                                  { NEEDED("pool", karp_device_id, pool) },
                                                                  { NEEDED("device", karp_device_id, device) }) };

/* ---- slices, classes --------------------------------------------------------------------------------------------- */

static const record slice_pool_record = { OPEN({ NEEDED("name", karp_resource_slice, pool) },
                                               { INT64("generation", karp_resource_slice, generation) },
                                               { INT64("resourceSliceCount", karp_resource_slice, slice_count) }) };
static const record slice_selector_record = { OPEN(
    { LIST("nodeSelectorTerms", karp_resource_slice, node_terms, node_term_count, io_node_term_record) }) };
static const record slice_spec_record = { OPEN(
    { NEEDED("driver", karp_resource_slice, driver) }, { OBJECT("pool", slice_pool_record), .always = true },
    { TEXT("nodeName", karp_resource_slice, node_name) }, { FLAG("allNodes", karp_resource_slice, all_nodes) },
    { OBJECT("nodeSelector", slice_selector_record), HAS(karp_resource_slice, has_node_selector) },
    { LIST("devices", karp_resource_slice, devices, device_count, device_record) },
    { LIST("sharedCounters", karp_resource_slice, shared_counters, shared_counter_count, shared_set_record) }) };
static const karp_resource_slice no_slice = { .size = sizeof no_slice, .meta = META_ABSENT };
const record io_resource_slice_record = {
    LIKE(no_slice), OPEN({ STRUCT("metadata", karp_resource_slice, meta, io_meta_record), .always = true },
                         { OBJECT("spec", slice_spec_record), .always = true })
};

/* The expression of a CEL selector; "" for another kind of selector. */
static const record cel_record = { OPEN({ NAMED_FIELD("expression"), .kind = FIELD_TEXT }) };
static const record selector_record = { OF(karp_str), OPEN({ OBJECT("cel", cel_record) }) };

static const record class_spec_record = { OPEN(
    { LIST("selectors", karp_device_class, selectors, selector_count, selector_record) },
    { TEXT("extendedResourceName", karp_device_class, extended_resource) }) };
static const karp_device_class no_class = { .size = sizeof no_class, .meta = META_ABSENT };
const record io_device_class_record = {
    LIKE(no_class), OPEN({ STRUCT("metadata", karp_device_class, meta, io_meta_record), .always = true },
                         { OBJECT("spec", class_spec_record) })
};

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static const record_word mode_list[] = { { "ExactCount", KARP_ALLOCATE_EXACT_COUNT }, { "All", KARP_ALLOCATE_ALL } };
static const record_words mode_words = { WORDS(mode) };
static const record asked_capacity_record = { OPEN(
    { AMOUNTS("requests", karp_device_request, capacity, capacity_count) }) };

/* Completes what `exactly` and the alternatives share. The API server sets an absent count to 1. */
static void finish_wanted(io_decoder *d, const tree *object, void *into)
{
    karp_device_request *out = into;
    (void)d;
    out->exact = 1;
    if (!tree_get(object, "count")) out->count = 1;
}

static const record wanted_record = {
    .finish = finish_wanted,
    OPEN({ TEXT("deviceClassName", karp_device_request, device_class) },
         { LIST("selectors", karp_device_request, selectors, selector_count, selector_record) },
         { WORD("allocationMode", karp_device_request, mode, mode_words) },
         { NUMBER64("count", karp_device_request, count, 0, INT64_MAX) }, { OBJECT("capacity", asked_capacity_record) })
};

static void alternative_wants(io_decoder *d, const tree *object, void *into)
{
    io_decode_members(d, &wanted_record, object, into);
}

static const record alternative_record = { OF(karp_device_request), .finish = alternative_wants,
                                           OPEN({ NEEDED("name", karp_device_request, name) }) };

static void first_available(io_decoder *d, const tree *object, void *into)
{
    karp_device_request *out = into;
    if (!out->exact)
        out->alternatives = io_list(d, object, "firstAvailable", &alternative_record, &out->alternative_count);
}

static const record request_record = { OF(karp_device_request), .finish = first_available,
                                       OPEN({ NEEDED("name", karp_device_request, name) },
                                            { OBJECT("exactly", wanted_record) }) };

static const record constraint_record = { OF(karp_device_constraint),
                                          OPEN({ TEXTS("requests", karp_device_constraint, requests, request_count) },
                                               { TEXT("matchAttribute", karp_device_constraint, match_attribute) }) };

static const record claim_devices_record = { OPEN(
    { LIST("requests", karp_resource_claim, requests, request_count, request_record) },
    { LIST("constraints", karp_resource_claim, constraints, constraint_count, constraint_record) }) };
static const record claim_spec_record = { OPEN({ OBJECT("devices", claim_devices_record) }) };

static const record result_record = {
    OF(karp_allocated_device), OPEN({ TEXT("request", karp_allocated_device, request) },
                                    { NEEDED("driver", karp_allocated_device, device.driver) },
                                    { NEEDED("pool", karp_allocated_device, device.pool) },
                                    { NEEDED("device", karp_allocated_device, device.device) },
                                    { AMOUNTS("consumedCapacity", karp_allocated_device, consumed, consumed_count),
                                      HAS(karp_allocated_device, has_consumed) })
};
static const record given_record = { OPEN(
    { LIST("results", karp_resource_claim, results, result_count, result_record) }) };
static const record where_record = { OPEN(
    { LIST("nodeSelectorTerms", karp_resource_claim, node_terms, node_term_count, io_node_term_record) }) };
static const record allocation_record = { OPEN({ OBJECT("nodeSelector", where_record) },
                                               { OBJECT("devices", given_record) }) };
static const record consumer_record = {
    OF(karp_claim_consumer),
    OPEN({ TEXT("apiGroup", karp_claim_consumer, api_group) }, { TEXT("resource", karp_claim_consumer, resource) },
         { TEXT("name", karp_claim_consumer, name) }, { TEXT("uid", karp_claim_consumer, uid) })
};
static const record claim_status_record = { OPEN(
    { OBJECT("allocation", allocation_record), HAS(karp_resource_claim, allocated) },
    { LIST("reservedFor", karp_resource_claim, reserved_for, reserved_for_count, consumer_record) }) };
static const karp_resource_claim no_claim = { .size = sizeof no_claim, .meta = META_ABSENT };
const record io_resource_claim_record = {
    LIKE(no_claim), OPEN({ STRUCT("metadata", karp_resource_claim, meta, io_namespaced_meta_record), .always = true },
                         { OBJECT("spec", claim_spec_record) }, { OBJECT("status", claim_status_record) })
};

/* ---- catalogue entries ------------------------------------------------------------------------------------------- */

static const record template_record = {
    OF(karp_device_template),
    OPEN({ NEEDED("driver", karp_device_template, driver) }, { NEEDED("pool", karp_device_template, pool) },
         { LIST("devices", karp_device_template, devices, device_count, device_record) },
         { LIST("sharedCounters", karp_device_template, shared_counters, shared_counter_count, shared_set_record) })
};
static const record binding_record = {
    OF(karp_attribute_binding),
    OPEN({ NEEDED("attribute", karp_attribute_binding, attribute) },
         { LIST("devices", karp_attribute_binding, devices, device_count, device_id_record) })
};
static const record dynamic_record = { OPEN(
    { LIST("resourceSlices", karp_instance_type, device_templates, device_template_count, template_record) },
    { LIST("attributeBindings", karp_instance_type, attribute_bindings, attribute_binding_count, binding_record) }) };
static const record type_devices_record = { OPEN({ OBJECT("dynamicResources", dynamic_record) }) };

void io_decode_type_devices(io_decoder *d, const tree *entry, karp_instance_type *type)
{
    io_decode_members(d, &type_devices_record, entry, type);
}
