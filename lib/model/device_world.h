/* SPDX-License-Identifier: Apache-2.0 */
/* What all decisions on a snapshot share about devices: slices in pools, devices with numbers for whatever is compared or
 * counted, compiled selectors. There is none in a snapshot whose pods use no resource claims. */
#ifndef MODEL_DEVICE_WORLD_H
#define MODEL_DEVICE_WORLD_H

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

typedef struct world_device {
    const device *given;
    uint32_t driver; /* text */
    uint32_t identity; /* equal for equal driver, pool and name */
    uint32_t slice; /* NO_ID: of an instance type */
    uint32_t pool; /* likewise */
    id_list sets; /* counter sets it takes from */
    counted_list consumes; /* counters */
    const uint32_t *dimensions; /* number of each capacity */
    cel_device facts;
} world_device;

typedef struct world_slice {
    const resource_slice *given;
    uint32_t pool;
    uint32_t device_first, device_count;
    const demand *terms;
    uint32_t term_count;
    demand topology; /* all terms at once */
    bool has_topology;
    bool has_counters; /* it defines counters; its devices do not count */
    bool consumes; /* some device of it takes from counters */
    id_list sets;
    counted_list counters;
} world_slice;

typedef struct world_pool {
    uint32_t driver, name; /* texts */
    id_list slices; /* by name */
} world_pool;

/* Devices that share an attribute's value on an instance type. */
typedef struct bond {
    uint32_t attribute, identity;
    uint32_t group; /* equal = bound */
    uint32_t size; /* of the group, in devices */
} bond;

/* What an instance type brings. */
typedef struct type_kit {
    uint32_t device_first, device_count;
    counted_list counters;
    const bond *bonds;
    uint32_t bond_count;
} type_kit;

typedef struct world_claim {
    const resource_claim *given;
    demand topology; /* of its allocation */
    const uint32_t *results; /* identities */
    const counted_list *shares; /* by result: consumed capacity, by dimension */
} world_claim;

struct device_world {
    world_device *devices;
    world_slice *slices; /* in the store's order */
    world_pool *pools; /* by driver, then name */
    type_kit *kits;
    world_claim *claims; /* in the store's order */
    uint32_t device_count, slice_count, pool_count, kit_count, claim_count;
    uint32_t identity_count, counter_count, dimension_count, set_count;
    struct selector_program {
        uint32_t status;
        const cel_node *root;
    } * programs;
    uint32_t program_count;
    map64 program_of; /* text -> program */
};

/* The step of karp_builder_finish(); after the tables. */
karp_status prepare_devices(karp_snapshot *s, karp_error *error);
void device_world_free(struct device_world *w);

/* A type's devices in the snapshot's texts, in its arena; NULL = out of memory. `text` maps the catalogue's ids. */
const struct type_devices *translate_type_devices(karp_snapshot *s, const uint32_t *text,
                                                  const struct type_devices *given);

#endif
