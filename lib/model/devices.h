/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, resource slices and resource claims in compact form, with text ids of a store or catalogue. Data that
 * decisions derive from them is prepared with the snapshot (device_index.h). Names of drivers, pools, devices,
 * attributes, counters and requests are text ids.
 */
#pragma once

#include <karp/devices.h>
#include <model/store.h>

typedef struct device_attribute {
    uint32_t name;
    uint32_t kind; /* KARP_ATTRIBUTE_* */
    uint32_t text;
    int64_t number;
} device_attribute;

/* An optional amount. */
typedef struct some_amount {
    amount value;
    bool given;
} some_amount;

typedef struct request_policy {
    some_amount default_, minimum, maximum, step;
    const amount *valid;
    uint32_t valid_count;
    bool has_range;
} request_policy;

typedef struct device_capacity {
    uint32_t name;
    amount value;
    const request_policy *policy; /* NULL = none */
} device_capacity;

typedef struct named_amount {
    uint32_t name;
    amount value;
} named_amount;
typedef struct named_amounts {
    const named_amount *items;
    uint32_t count;
} named_amounts;

typedef struct counter_set {
    uint32_t name;
    named_amounts counters;
} counter_set;
typedef struct counter_sets {
    const counter_set *items;
    uint32_t count;
} counter_sets;

typedef struct device {
    uint32_t name;
    const device_attribute *attributes;
    const device_capacity *capacity;
    uint32_t attribute_count, capacity_count;
    counter_sets consumes;
    bool shared; /* allowMultipleAllocations */
} device;
typedef struct device_list {
    const device *items;
    uint32_t count;
} device_list;

struct resource_slice {
    object meta;
    uint32_t driver, pool;
    int64_t generation, slice_count;
    uint32_t owner; /* names id of the Node that owns it, NO_ID = none */
    uint32_t node; /* names id of nodeName, NO_ID = none */
    node_term_list terms;
    bool has_selector, all_nodes;
    device_list devices;
    counter_sets counters;
};

struct device_class {
    object meta;
    const uint32_t *selectors; /* text ids of CEL selectors; NO_TEXT = a selector of another kind */
    uint32_t selector_count;
    uint32_t extended; /* text id of the extended resource that it serves */
};

typedef struct device_request {
    /* full_name: "request/subrequest" for an alternative of firstAvailable, otherwise the name */
    uint32_t name, full_name;
    uint32_t class_; /* names id */
    const uint32_t *selectors;
    uint32_t selector_count;
    named_amounts capacity;
    int64_t count;
    bool all, exact;
    const struct device_request *alternatives;
    uint32_t alternative_count;
} device_request;

typedef struct device_constraint {
    const uint32_t *requests;
    uint32_t request_count;
    uint32_t attribute; /* NO_TEXT = a constraint of another kind */
} device_constraint;

typedef struct allocated_device {
    uint32_t driver, pool, device;
    bool has_consumed;
    named_amounts consumed;
} allocated_device;

struct resource_claim {
    object meta;
    const device_request *requests;
    const device_constraint *constraints;
    const allocated_device *results;
    uint32_t request_count, constraint_count, result_count;
    node_term_list terms;
    bool allocated;
    bool pods_only; /* reservedFor is not empty, and all its entries are pods */
    const uint32_t *pod_uids; /* names ids of these pods' uids */
    uint32_t pod_uid_count;
};

/* Devices that come with an instance type. */
typedef struct device_template {
    uint32_t driver, pool;
    device_list devices;
    counter_sets counters;
} device_template;

typedef struct device_id {
    uint32_t driver, pool, device;
} device_id;

typedef struct attribute_binding {
    uint32_t attribute;
    const device_id *devices;
    uint32_t device_count;
} attribute_binding;

struct type_devices {
    const device_template *templates;
    const attribute_binding *bindings;
    uint32_t template_count, binding_count;
};
