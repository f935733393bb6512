/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data about devices that all decisions on a snapshot share: slices grouped by pool, numbers for everything that
 * is compared or counted, compiled selectors. A snapshot whose pods use no resource claims has none.
 */
#pragma once

#include <model/cel.h>
#include <model/devices.h>
#include <model/snapshot.h>

typedef struct counted {
    uint32_t id;
    amount value;
} counted;
typedef struct counted_list {
    const counted *items;
    uint32_t count;
} counted_list;
typedef struct id_list {
    const uint32_t *items;
    uint32_t count;
} id_list;

typedef struct indexed_device {
    const device *given;
    uint32_t driver; /* text */
    uint32_t identity; /* equal for devices with equal driver, pool and name */
    uint32_t slice; /* NO_ID: the device comes with an instance type */
    uint32_t pool; /* NO_ID likewise */
    id_list sets; /* counter sets whose counters it consumes */
    counted_list consumes; /* the counters it consumes */
    const uint32_t *dimensions; /* by capacity: number of the dimension */
    cel_device facts;
} indexed_device;

typedef struct indexed_slice {
    const resource_slice *given;
    uint32_t pool;
    uint32_t device_first, device_count;
    const demand *terms;
    uint32_t term_count;
    demand topology; /* conjunction of all terms */
    bool has_topology;
    bool has_counters; /* it defines counters; its devices are ignored */
    bool consumes; /* some of its devices consume counters */
    id_list sets;
    counted_list counters;
} indexed_slice;

typedef struct indexed_pool {
    uint32_t driver, name; /* text ids */
    id_list slices; /* sorted by name */
} indexed_pool;

/* A device that is bound to others by an attribute: on an instance type they have the same value. */
typedef struct binding {
    uint32_t attribute, identity;
    uint32_t group; /* equal for devices that are bound to each other */
    uint32_t size; /* number of devices in the group */
} binding;

/* The devices that come with an instance type. */
typedef struct type_device_set {
    uint32_t device_first, device_count;
    counted_list counters;
    const binding *bindings;
    uint32_t binding_count;
} type_device_set;

typedef struct indexed_claim {
    const resource_claim *given;
    demand topology; /* of the allocated devices */
    const uint32_t *results; /* identities of the allocated devices */
    const counted_list *shares; /* by result: consumed capacity by dimension */
} indexed_claim;

struct device_index {
    indexed_device *devices;
    indexed_slice *slices; /* in the order of the store */
    indexed_pool *pools; /* sorted by driver, then name */
    type_device_set *device_sets;
    indexed_claim *resource_claims; /* in the order of the store */
    uint32_t device_count, slice_count, pool_count, device_set_count, claim_count;
    uint32_t identity_count, counter_count, dimension_count, set_count;
    struct selector_program {
        uint32_t status;
        const cel_node *root;
    } * programs;
    uint32_t program_count;
    map64 program_of; /* text id -> program */
};

/* A step of karp_builder_finish(). Needs the tables. */
karp_status prepare_devices(karp_snapshot *s, karp_error *error);
void device_index_free(struct device_index *w);
