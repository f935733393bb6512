/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types as they were given: compact, with the catalogue's own string tables. A snapshot translates them. */
#ifndef MODEL_CATALOGUE_H
#define MODEL_CATALOGUE_H

#include <karp/catalogue.h>
#include <model/store.h>
#include <stdatomic.h>

typedef struct catalogue_offering {
    expression_list requirements;
    double price;
    int64_t reservation_capacity;
    bool available, price_from_overlay;
    bool overridden; /* either override is present */
    resource_list capacity_override;
    resource_list overhead_override; /* sum of the three lists */
} catalogue_offering;

typedef struct catalogue_type {
    uint32_t name; /* text id; id 0 of text is "" */
    expression_list requirements;
    resource_list capacity;
    resource_list overhead; /* sum of the three lists */
    resource_list allocatable; /* without overrides: scheduling.md §10.1 */
    const catalogue_offering *offerings;
    uint32_t offering_count;
    bool capacity_from_overlay;
    const struct type_devices *devices; /* devices.h; NULL = none */
    karp_instance_type shown; /* what karp_catalogue_type() answers; points into the arena */
    const karp_resource *allocatable_shown;
} catalogue_type;

struct karp_catalogue {
    karp_context *context;
    _Atomic uint32_t holds;
    arena data;
    strings text, resources; /* resources has the fixed ids of resources.h */
    catalogue_type *types;
    uint32_t count;
    uint64_t offering_total;
};

/* scheduling.md §10.1, with the hugepages rule. Status: OK, NOMEM, RANGE. */
karp_status allocatable_of(arena *a, const strings *resource_names, resource_list capacity, resource_list overhead,
                           resource_list *out);

#endif
