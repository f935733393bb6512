/* SPDX-License-Identifier: Apache-2.0 */
/* The full shape of a catalogue entry, which states every property of a type, and its shorthands. */
#include <io/catalogue_read.h>

#include <io/decode_devices.h>
#include <providers/members.h>
#include <string.h>

/* The values of one label: a list, or a single text. null is an empty list. */
static karp_requirement label(io_decoder *d, const char *key, const json_t *labels, const json_t *value)
{
    karp_requirement r = catalogue_in(io_str(key), NULL, 0);
    if (json_is_string(value)) {
        karp_str *one = io_make(d, 1, sizeof *one);
        if (!one) return r;
        *one = (karp_str){ json_string_value(value), json_string_length(value) };
        r.values = one;
        r.value_count = 1;
    } else {
        r.values = io_strings(d, labels, key, &r.value_count);
    }
    return r;
}

/* Appends "labels" to a list that has room for them. */
static void add_labels(io_decoder *d, const json_t *object, karp_requirement *list, size_t *count)
{
    const json_t *labels = io_object(d, object, "labels");
    if (!labels) return;
    io_push(d, "labels");
    for (void *at = first_member(labels); at && !d->status; at = next_member(labels, at)) {
        list[(*count)++] = label(d, json_object_iter_key(at), labels, json_object_iter_value(at));
    }
    io_pop(d);
}

static size_t label_count(const json_t *object) { return json_object_size(io_get(object, "labels")); }

static void add_text(io_decoder *d, karp_requirement *list, size_t *count, karp_str key, karp_str value)
{
    karp_str *one = value.len ? io_make(d, 1, sizeof *one) : NULL;
    if (!one) return;
    *one = value;
    list[(*count)++] = catalogue_in(key, one, 1);
}

static karp_overhead overhead_of(io_decoder *d, const json_t *object, const char *name)
{
    karp_overhead overhead;
    memset(&overhead, 0, sizeof overhead);
    const json_t *value = io_object(d, object, name);
    if (!value) return overhead;
    io_push(d, name);
    overhead.kube_reserved = io_resources(d, value, catalogue_member(value, "kubeReserved"),
                                          &overhead.kube_reserved_count);
    overhead.system_reserved = io_resources(d, value, catalogue_member(value, "systemReserved"),
                                            &overhead.system_reserved_count);
    overhead.eviction_threshold = io_resources(d, value, catalogue_member(value, "evictionThreshold"),
                                               &overhead.eviction_threshold_count);
    io_pop(d);
    return overhead;
}

static void offering_requirements(io_decoder *d, const json_t *tree, karp_offering *offering)
{
    size_t count;
    const karp_requirement *stated = catalogue_requirements(d, tree, "requirements", &count);
    karp_str zone = io_string(d, tree, "zone");
    karp_str capacity_type = io_string(d, tree, "capacityType");
    karp_str reservation = io_string(d, tree, "reservationID");
    karp_requirement *list = io_make(d, count + label_count(tree) + 3, sizeof *list);
    if (!list) return;
    if (count) memcpy(list, stated, count * sizeof *list);
    add_text(d, list, &count, catalogue_key_capacity_type, capacity_type);
    add_text(d, list, &count, catalogue_key_zone, zone);
    add_labels(d, tree, list, &count);
    add_text(d, list, &count, catalogue_key_reservation, reservation);
    if (io_get(tree, "requirements")) {
        /* Stated in full: what is not there is not meant. */
    } else if (!catalogue_find(list, count, catalogue_key_zone)) {
        io_bad_member(d, "zone", KARP_E_INVALID, "is missing");
    } else if (!catalogue_find(list, count, catalogue_key_capacity_type)) {
        io_bad_member(d, "capacityType", KARP_E_INVALID, "is missing");
    }
    offering->requirements = list;
    offering->requirement_count = count;
}

static void offering_overrides(io_decoder *d, const json_t *tree, karp_offering *offering)
{
    if (io_object(d, tree, "capacityOverride")) {
        offering->capacity_override = io_resources(d, tree, "capacityOverride", &offering->capacity_override_count);
        offering->has_capacity_override = 1;
    }
    if (io_object(d, tree, "overheadOverride")) {
        karp_overhead *overhead = io_make(d, 1, sizeof *overhead);
        if (overhead) *overhead = overhead_of(d, tree, "overheadOverride");
        offering->overhead_override = overhead;
    }
}

static void offering(io_decoder *d, const json_t *value, void *into)
{
    karp_offering *out = into;
    offering_requirements(d, value, out);
    out->price = catalogue_price(d, value, "price", NULL);
    out->awaits_price = io_boolean(d, value, "awaitsPrice", false);
    out->available = io_boolean(d, value, "available", !out->awaits_price);
    out->reservation_capacity = io_integer(d, value, "reservationCapacity", 0, INT64_MAX, 0);
    offering_overrides(d, value, out);
}

static void volume_limits(io_decoder *d, const json_t *tree, karp_instance_type *type)
{
    const json_t *limits = io_object(d, tree, "volumeAttachmentLimits");
    karp_volume_limit *list = io_make(d, json_object_size(limits), sizeof *list);
    size_t count = 0;
    io_push(d, "volumeAttachmentLimits");
    for (void *at = limits && list ? first_member(limits) : NULL; at && !d->status; at = next_member(limits, at)) {
        const char *driver = json_object_iter_key(at);
        list[count].driver = io_str(driver);
        list[count++].count = io_integer(d, limits, driver, 0, INT32_MAX, 0);
    }
    io_pop(d);
    type->volume_limits = list;
    type->volume_limit_count = count;
}

void catalogue_decode_full(io_decoder *d, const json_t *tree, catalogue_entry *entry)
{
    karp_instance_type *type = &entry->type;
    size_t count;
    type->name = io_required_string(d, tree, "name");
    const karp_requirement *stated = catalogue_requirements(d, tree, "requirements", &count);
    karp_requirement *list = io_make(d, count + label_count(tree), sizeof *list);
    if (list && count) memcpy(list, stated, count * sizeof *list);
    if (list) add_labels(d, tree, list, &count);
    type->requirements = list;
    type->requirement_count = d->status ? 0 : count;
    type->capacity = io_resources(d, tree, "capacity", &type->capacity_count);
    type->overhead = overhead_of(d, tree, "overhead");
    type->offerings = io_elements(d, tree, "offerings", sizeof(karp_offering), offering, &type->offering_count);
    volume_limits(d, tree, type);
    entry->full = true;
    entry->derive = io_get(tree, "requirements") == NULL;
    io_decode_type_devices(d, tree, type);
    if (io_object(d, tree, "allocatable")) {
        entry->allocatable = io_resources(d, tree, "allocatable", &entry->allocatable_count);
    }
}
