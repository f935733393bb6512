/* SPDX-License-Identifier: Apache-2.0 */
/** @file catalogue.h  Instance types and their offerings. */
#ifndef KARP_CATALOGUE_H
#define KARP_CATALOGUE_H

#include <karp/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

struct karp_device_template;
struct karp_attribute_binding;

/** The three lists that are subtracted from capacity. */
typedef struct karp_overhead {
    const karp_resource *kube_reserved;
    size_t kube_reserved_count;
    const karp_resource *system_reserved;
    size_t system_reserved_count;
    const karp_resource *eviction_threshold;
    size_t eviction_threshold_count;
} karp_overhead;

/** One way to buy an instance type. */
typedef struct karp_offering {
    /** Zone and capacity type, each In one value, as Karpenter's providers state them. If an offering has none of them,
     * karp_launch.choice.zone or capacity_type is "". Of several values the launch names the first in the order of
     * bytes. Documents have to state one of each. */
    const karp_requirement *requirements;
    size_t requirement_count;
    double price; /**< per hour; finite, not negative */
    int64_t reservation_capacity; /**< free slots of a reserved offering */
    uint32_t available; /**< 1 = may be launched */
    uint32_t price_from_overlay; /**< 1 = a NodeOverlay set the price */
    const karp_resource *capacity_override; /**< added to or replacing the type's capacity */
    size_t capacity_override_count;
    const karp_overhead *overhead_override; /**< NULL = none */
    uint32_t has_capacity_override; /**< 1 = present, even when empty */
    /** 1 = it is unavailable only because its price is unknown. A NodeOverlay makes it available if it has a price (no
     * adjustment) and requires nothing but the instance type (In). */
    uint32_t awaits_price;
} karp_offering;

/** How many volumes of a CSI driver a node of the type takes. */
typedef struct karp_volume_limit {
    karp_str driver;
    int64_t count;
} karp_volume_limit;

/** An instance type. The stride of an array is the size of its first element. */
typedef struct karp_instance_type {
    size_t size;
    karp_str name;
    const karp_requirement *requirements;
    size_t requirement_count;
    const karp_resource *capacity;
    size_t capacity_count;
    karp_overhead overhead;
    const karp_offering *offerings;
    size_t offering_count;
    const karp_volume_limit *volume_limits;
    size_t volume_limit_count;
    uint32_t capacity_from_overlay; /**< 1 = a NodeOverlay changed the capacity */
    /** pods that get an address of their own from its network interfaces, where `capacity` promises more pods; 0 = its
     * pods all get one, or this is unknown. Decisions do not depend on it. Since 1.0 */
    uint32_t pod_addresses;
    /* devices.h: what drivers on a new node publish */
    const struct karp_device_template *device_templates;
    size_t device_template_count;
    const struct karp_attribute_binding *attribute_bindings;
    size_t attribute_binding_count;
} karp_instance_type;

/** An immutable list of instance types. Reference counted; any thread. */
typedef struct karp_catalogue karp_catalogue;

/**
 * Copies @p count types, in their order, into a catalogue. Names may repeat: each entry is a type of its own. Errors:
 * NOMEM, LIMIT, INVALID (a quantity, price or operator; the type is named), RANGE (amounts beyond 128 bits).
 */
KARP_API karp_status karp_catalogue_new(karp_context *context, const karp_instance_type *types, size_t count,
                                        karp_catalogue **out, karp_error *error);

/** Drops a reference; the last one frees. NULL is allowed. */
KARP_API void karp_catalogue_unref(karp_catalogue *catalogue);

#ifdef __cplusplus
}
#endif
#endif
