/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file devices.h  Dynamic resource allocation (resource.k8s.io/v1): ResourceSlices, DeviceClasses and ResourceClaims.
 *
 * As in objects.h, structs are input only, and the call that takes them copies them. Names are those of Kubernetes.
 * Amounts are quantities as text ("40Gi"). A builder belongs to one thread at a time. Everything in this file is since
 * 1.0.
 */
#ifndef KARP_DEVICES_H
#define KARP_DEVICES_H

#include <karp/objects.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/** Types of attributes. Numbers never change. */
enum { KARP_ATTRIBUTE_STRING = 0, KARP_ATTRIBUTE_INT = 1, KARP_ATTRIBUTE_BOOL = 2, KARP_ATTRIBUTE_VERSION = 3 };

/** An attribute of a device, and its value. */
typedef struct karp_device_attribute {
    karp_str name; /**< "domain/name"; "name" is in the domain of the driver */
    karp_str text; /**< value of a string or version */
    int64_t number; /**< value of an int; 0 or 1 for a bool */
    uint32_t kind; /**< KARP_ATTRIBUTE_* */
    uint32_t reserved; /**< 0 */
} karp_device_attribute;

/** requestPolicy: which amounts of a device's capacity may be requested. Absent amounts are "". */
typedef struct karp_request_policy {
    karp_str default_; /**< for requests that state no amount */
    karp_str minimum; /**< validRange.min */
    karp_str maximum; /**< validRange.max */
    karp_str step; /**< validRange.step */
    const karp_str *valid_values; /**< validValues, ascending */
    size_t valid_value_count;
    uint32_t has_range; /**< 1 = validRange is present */
    uint32_t reserved; /**< 0 */
} karp_request_policy;

/** A capacity of a device, and its amount. */
typedef struct karp_device_capacity {
    karp_str name; /**< as that of an attribute */
    karp_str value; /**< quantity */
    const karp_request_policy *policy; /**< NULL = none */
} karp_device_capacity;

/** A counter, and its value. */
typedef struct karp_counter {
    karp_str name;
    karp_str value; /**< quantity */
} karp_counter;

/** A set of counters that devices of a resource pool share; or what one device consumes of such a set. */
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
    const karp_counter_set *consumes; /**< consumesCounters */
    size_t consume_count;
    uint32_t allow_multiple; /**< allowMultipleAllocations */
    uint32_t reserved; /**< 0 */
} karp_device;

/** A ResourceSlice. Without all_nodes, node_name and a node selector, no node can access its devices. */
typedef struct karp_resource_slice {
    size_t size;
    karp_meta meta; /**< with an owner of kind Node, the slice belongs to that Node */
    karp_str driver;
    karp_str pool; /**< pool.name: the resource pool */
    int64_t generation; /**< pool.generation */
    int64_t slice_count; /**< pool.resourceSliceCount */
    karp_str node_name; /**< "" = absent */
    const karp_node_term *node_terms; /**< terms of nodeSelector; one of them has to match */
    size_t node_term_count;
    const karp_device *devices;
    size_t device_count;
    const karp_counter_set *shared_counters;
    size_t shared_counter_count;
    uint32_t has_node_selector; /**< 1 = nodeSelector is present, even without terms */
    uint32_t all_nodes; /**< 1 = allNodes */
} karp_resource_slice;

/** A DeviceClass. */
typedef struct karp_device_class {
    size_t size;
    karp_meta meta;
    const karp_str *selectors; /**< CEL expressions, all of which have to be true; "" = a selector of another kind */
    size_t selector_count;
    karp_str extended_resource; /**< extendedResourceName: pods that request it get devices of the class, on nodes that
                                   have none of it, in profile KARP; "" = none. Since 1.0 */
} karp_device_class;

/* ---- devices of new nodes (karp_instance_type) ------------------------------------------------------------------- */

/** A ResourceSlice that a driver will publish for a new node of the instance type. */
typedef struct karp_device_template {
    karp_str driver;
    karp_str pool;
    const karp_device *devices;
    size_t device_count;
    const karp_counter_set *shared_counters;
    size_t shared_counter_count;
} karp_device_template;

/** A device: its driver, resource pool and name. */
typedef struct karp_device_id {
    karp_str driver;
    karp_str pool;
    karp_str device;
} karp_device_id;

/** Devices of a new node that will have the same value of an attribute, whatever that value is. */
typedef struct karp_attribute_binding {
    karp_str attribute;
    const karp_device_id *devices;
    size_t device_count;
} karp_attribute_binding;

/* ---- claims ------------------------------------------------------------------------------------------------------ */

/** allocationMode. Numbers never change. */
enum { KARP_ALLOCATE_EXACT_COUNT = 0, KARP_ALLOCATE_ALL = 1 };

/** A request of a ResourceClaim, or one of its alternatives. */
typedef struct karp_device_request {
    karp_str name;
    karp_str device_class; /**< deviceClassName */
    const karp_str *selectors; /**< CEL expressions beside those of the DeviceClass */
    size_t selector_count;
    const karp_resource *capacity; /**< requested amounts, by name of the capacity */
    size_t capacity_count;
    int64_t count; /**< with KARP_ALLOCATE_EXACT_COUNT */
    uint32_t mode; /**< KARP_ALLOCATE_* */
    uint32_t exact; /**< 1 = the fields above are the request; 0 = one of `alternatives` has to be met */
    const struct karp_device_request
        *alternatives; /**< firstAvailable, the best first; without alternatives themselves */
    size_t alternative_count;
} karp_device_request;

/** spec.devices.constraints[] of a ResourceClaim. */
typedef struct karp_device_constraint {
    const karp_str *requests; /**< "request" or "request/alternative"; none = all requests */
    size_t request_count;
    karp_str match_attribute; /**< "" = a constraint of another kind: pods with the ResourceClaim are unschedulable */
} karp_device_constraint;

/** A device of status.allocation. */
typedef struct karp_allocated_device {
    karp_str request; /**< name of the request that it was allocated for */
    karp_device_id device;
    const karp_resource *consumed; /**< consumedCapacity */
    size_t consumed_count;
    uint32_t has_consumed; /**< 1 = consumedCapacity is present */
    uint32_t reserved; /**< 0 */
} karp_allocated_device;

/** An entry of status.reservedFor. */
typedef struct karp_claim_consumer {
    karp_str api_group;
    karp_str resource;
    karp_str name;
    karp_str uid;
} karp_claim_consumer;

/** A ResourceClaim. */
typedef struct karp_resource_claim {
    size_t size;
    karp_meta meta;
    const karp_device_request *requests;
    size_t request_count;
    const karp_device_constraint *constraints;
    size_t constraint_count;
    const karp_allocated_device *results; /**< status.allocation.devices.results */
    size_t result_count;
    const karp_node_term *node_terms; /**< status.allocation.nodeSelector: which nodes can access the devices */
    size_t node_term_count;
    const karp_claim_consumer *reserved_for;
    size_t reserved_for_count;
    uint32_t allocated; /**< 1 = status.allocation is present */
    uint32_t reserved; /**< 0 */
} karp_resource_claim;

/** Adds a ResourceSlice; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_resource_slice(karp_builder *builder, const karp_resource_slice *slice,
                                                     karp_error *error);
/** Adds a DeviceClass; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_device_class(karp_builder *builder, const karp_device_class *device_class,
                                                   karp_error *error);
/** Adds a ResourceClaim; copied. Errors: as karp_builder_add_pod(). */
KARP_API karp_status karp_builder_add_resource_claim(karp_builder *builder, const karp_resource_claim *claim,
                                                     karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
