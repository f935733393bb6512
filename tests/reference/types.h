/* SPDX-License-Identifier: Apache-2.0 */
/** @file types.h  Instance types and offerings (scheduling.md 10, 24). */
#ifndef REFERENCE_TYPES_H
#define REFERENCE_TYPES_H

#include "requirements.h"

struct offering {
    struct requirements requirements;
    double price;
    bool available, reserved;
    const char *reservation; /* "" when there is none */
    int64_t reservation_capacity;
    bool overridden;
    struct resources capacity_override, overhead_override;
};

/** Offerings that leave the same amounts to pods. */
struct allocatable_group {
    struct resources allocatable;
    const struct offering **offerings;
    size_t count;
};

struct type_devices; /* devices.h */

struct instance_type {
    size_t index; /* among all types of the run */
    const char *name;
    struct requirements requirements;
    struct resources capacity, overhead;
    struct offering *offerings;
    size_t offering_count;
    struct allocatable_group *groups;
    size_t group_count;
    const json_t *volume_limits; /* by driver, or NULL */
    const struct type_devices *devices;
};

/** Types in order. */
struct types {
    const struct instance_type **items;
    size_t count;
};

/** `dynamicResources` of a type. */
const struct type_devices *ref_type_devices_read(const json_t *doc);
/** All types of a catalogue document; they are numbered from @p first on. */
struct types ref_types_read(const json_t *array, size_t first);
struct types ref_types_append(struct types list, struct types more);

/** What the offering has as its value of a label; "" for none. */
const char *ref_offering_value(const struct offering *offering, const char *key);
/** Whether the rules of that version of Karpenter, or a later one, are followed. */
bool ref_since(unsigned version);
/** Whether a launch could have the offering: no full reservation (K15-3). */
bool ref_offering_launchable(const struct offering *offering, struct requirements requirements);
bool ref_offering_usable(const struct offering *offering, struct requirements requirements);
/** Does some compatible offering exist, and does the demand fit one? */
void ref_type_fit(const struct instance_type *type, struct resources requests, struct requirements requirements,
                  bool *fits, bool *has_offering);
/** By price; equals by name, or where Go's sort puts them. */
struct types ref_types_by_price(struct types list, struct requirements requirements, bool by_name);
/** Number of values that the types have for a key with too few of them for its minValues; -1 if there are enough. */
int64_t ref_too_few_values(struct types list, const struct requirement *requirement);
bool ref_lacks_values(struct types list, struct requirements requirements);

#endif
