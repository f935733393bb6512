/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instance types in the form in which a catalogue stores them: compact, with the catalogue's own string tables. A
 * snapshot translates them to its own ids.
 */
#pragma once

#include <karp/library.h>
#include <model/store.h>
#include <stdatomic.h>

/* Types and offerings share most of their requirements, and offerings share their lists of requirements. Each is
 * stored once. */
typedef struct catalogue_list {
    const uint32_t *items; /* indices of requirements */
    uint32_t count;
    const karp_requirement *shown;
} catalogue_list;

typedef struct offering_overrides {
    resource_list capacity;
    resource_list overhead; /* sum of the three lists */
} offering_overrides;

/* The other members of an offering are in the type's `shown`. */
typedef struct catalogue_offering {
    const offering_overrides *overrides; /* NULL = no overrides */
    uint32_t requirements; /* index of a list */
} catalogue_offering;

typedef struct catalogue_type {
    uint32_t name; /* text id; id 0 of text is "" */
    uint32_t requirements; /* index of a list */
    resource_list capacity;
    resource_list overhead; /* sum of the three lists */
    resource_list allocatable; /* without overrides */
    const catalogue_offering *offerings;
    uint32_t offering_count;
    const double *list_prices; /* of its offerings before NodeOverlays; NULL = the prices that it has */
    bool capacity_from_overlay, overlaid; /* overlaid: copied for a NodeOverlay */
    const struct type_devices *devices; /* devices.h; NULL = none */
    karp_instance_type shown; /* result of karp_catalogue_type(); points into the arena */
    const karp_resource *allocatable_shown;
} catalogue_type;

struct karp_catalogue {
    karp_context *context;
    _Atomic uint32_t references;
    arena data;
    strings text, resources; /* resources has the fixed ids of resources.h */
    LIST_OF(expression) requirements;
    LIST_OF(karp_requirement) shown; /* the same in the public form; empty when the caller's structs are used */
    LIST_OF(catalogue_list) lists;
    catalogue_type *types;
    uint32_t count;
    uint64_t offering_total;
    bool below_zero; /* prices may be negative, as a NodeOverlay's expression makes them */
    bool adopted; /* the caller's structs are kept in use; `release` is called for them in the end */
    karp_catalogue_release release;
    void *user;
};

/* Like karp_catalogue_new(), for types under NodeOverlays: prices may be negative. */
karp_status catalogue_overlaid(karp_context *context, const karp_instance_type *types, size_t count,
                               karp_catalogue **out, karp_error *error);

/* Capacity less overhead, where huge pages reduce the memory. Status: OK, NOMEM, RANGE. */
karp_status allocatable_of(arena *a, const strings *resource_names, resource_list capacity, resource_list overhead,
                           resource_list *out);
