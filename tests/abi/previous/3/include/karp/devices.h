/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file devices.h  Dynamic resource allocation: devices, who publishes them, who claims them (resource.k8s.io/v1).
 *
 * The rules of objects.h hold: input only, copied by the call that takes it. Amounts are quantities as text.
 */
#ifndef KARP_DEVICES_H
#define KARP_DEVICES_H

#include <karp/objects.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ------------------------------------------------------------------------------------------------------- */

enum { KARP_ATTRIBUTE_STRING = 0, KARP_ATTRIBUTE_INT = 1, KARP_ATTRIBUTE_BOOL = 2, KARP_ATTRIBUTE_VERSION = 3 };

/** An attribute of a device and its value. */
typedef struct karp_device_attribute {
    karp_str name; /**< "domain/name", or "name": of the driver's own domain */
    karp_str text; /**< of a string or version */
    int64_t number; /**< of an int; 0 or 1 of a bool */
    uint32_t kind; /**< KARP_ATTRIBUTE_* */
    uint32_t reserved; /**< 0 */
} karp_device_attribute;

/** How a share of a device's capacity may be asked for. Amounts are "" when absent. */
typedef struct karp_request_policy {
    karp_str default_;
    karp_str minimum; /**< validRange; likewise the next two */
    karp_str maximum;
    karp_str step;
    const karp_str *valid_values; /**< ascending */
    size_t valid_value_count;
    uint32_t has_range; /**< 1 = validRange is present */
    uint32_t reserved; /**< 0 */
} karp_request_policy;

/** A capacity of a device and its amount. */
typedef struct karp_device_capacity {
    karp_str name; /**< as an attribute's */
    karp_str value;
    const karp_request_policy *policy; /**< NULL = none */
} karp_device_capacity;

/** A counter of devices and its value. */
typedef struct karp_counter {
    karp_str name;
    karp_str value;
} karp_counter;

/** A set of counters that devices of a pool share, or what one device takes from such a set. */
typedef struct karp_counter_set {
    karp_str name;
    const karp_counter *counters;
    size_t counter_count;
} karp_counter_set;

/** spec.devices[] of a ResourceSlice. */
typedef struct karp_device {
    karp_str name;
    const karp_device_attribute *attributes;
    size_t attribute_count;
    const karp_device_capacity *capacity;
    size_t capacity_count;
    const karp_counter_set *consumes;
    size_t consume_count;
    uint32_t allow_multiple; /**< allowMultipleAllocations */
    uint32_t reserved; /**< 0 */
} karp_device;

/** ResourceSlice. One that states none of all_nodes, node_name and a node selector is reachable from nowhere. */
typedef struct karp_resource_slice {
    size_t size;
    karp_meta meta; /**< an owner of kind Node ties the slice to that node */
    karp_str driver;
    karp_str pool;
    int64_t generation;
    int64_t slice_count; /**< resourceSliceCount */
    karp_str node_name; /**< "" = absent */
    const karp_node_term *node_terms; /**< ORed */
    size_t node_term_count;
    const karp_device *devices;
    size_t device_count;
    const karp_counter_set *shared_counters;
    size_t shared_counter_count;
    uint32_t has_node_selector; /**< 1 = nodeSelector is present, even without terms */
    uint32_t all_nodes;
} karp_resource_slice;

/** DeviceClass. */
typedef struct karp_device_class {
    size_t size;
    karp_meta meta;
    const karp_str *selectors; /**< CEL expressions, all of which have to hold; "" = a selector of another kind */
    size_t selector_count;
} karp_device_class;

/* ---- what an instance type would bring (karp_instance_type) -------------------------------------------------------- */

/** A slice that the drivers of a new node will publish. */
typedef struct karp_device_template {
    karp_str driver;
    karp_str pool;
    const karp_device *devices;
    size_t device_count;
    const karp_counter_set *shared_counters;
    size_t shared_counter_count;
} karp_device_template;

/** Where a device is found: driver, pool and name. */
typedef struct karp_device_id {
    karp_str driver;
    karp_str pool;
    karp_str device;
} karp_device_id;

/** Devices that will have the same value of an attribute, whatever it turns out to be. */
typedef struct karp_attribute_binding {
    karp_str attribute;
    const karp_device_id *devices;
    size_t device_count;
} karp_attribute_binding;

/* ---- claims -------------------------------------------------------------------------------------------------------- */

enum { KARP_ALLOCATE_EXACT_COUNT = 0, KARP_ALLOCATE_ALL = 1 };

/** One request of a claim, or one alternative of such. */
typedef struct karp_device_request {
    karp_str name;
    karp_str device_class;
    const karp_str *selectors; /**< as a class's, beside its own */
    size_t selector_count;
    const karp_resource *capacity; /**< shares asked for, by the capacity's name */
    size_t capacity_count;
    int64_t count; /**< with EXACT_COUNT */
    uint32_t mode; /**< KARP_ALLOCATE_* */
    uint32_t exact; /**< 1 = the fields above say it; 0 = one of `alternatives` is to be met */
    const struct karp_device_request *alternatives; /**< firstAvailable, the best first; they have none of their own */
    size_t alternative_count;
} karp_device_request;

/** spec.devices.constraints[] of a ResourceClaim. */
typedef struct karp_device_constraint {
    const karp_str *requests; /**< "request" or "request/alternative"; none = all */
    size_t request_count;
    karp_str match_attribute; /**< "" = a constraint of another kind, which makes the claim unusable */
} karp_device_constraint;

/** One device of status.allocation. */
typedef struct karp_allocated_device {
    karp_str request;
    karp_device_id device;
    const karp_resource *consumed; /**< consumedCapacity */
    size_t consumed_count;
    uint32_t has_consumed; /**< 1 = consumedCapacity is present */
    uint32_t reserved; /**< 0 */
} karp_allocated_device;

/** One entry of status.reservedFor. */
typedef struct karp_claim_consumer {
    karp_str api_group;
    karp_str resource;
    karp_str name;
    karp_str uid;
} karp_claim_consumer;

/** ResourceClaim. */
typedef struct karp_resource_claim {
    size_t size;
    karp_meta meta;
    const karp_device_request *requests;
    size_t request_count;
    const karp_device_constraint *constraints;
    size_t constraint_count;
    const karp_allocated_device *results;
    size_t result_count;
    const karp_node_term *node_terms; /**< of the allocation: where its devices are reachable */
    size_t node_term_count;
    const karp_claim_consumer *reserved_for;
    size_t reserved_for_count;
    uint32_t allocated; /**< 1 = status.allocation is present */
    uint32_t reserved; /**< 0 */
} karp_resource_claim;

/** Adds a ResourceSlice; as the builder calls of snapshot.h. */
KARP_API karp_status karp_builder_add_resource_slice(karp_builder *builder, const karp_resource_slice *slice,
                                                     karp_error *error);
/** Adds a DeviceClass; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_device_class(karp_builder *builder, const karp_device_class *device_class,
                                                   karp_error *error);
/** Adds a ResourceClaim; copied. Errors: those of all builder calls, above. */
KARP_API karp_status karp_builder_add_resource_claim(karp_builder *builder, const karp_resource_claim *claim,
                                                     karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
