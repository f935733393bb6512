/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the full format of a catalogue entry, which states every property of a type, and its short forms. */
#include <io/catalogue_read.h>
#include <base/admit.h>

#include <io/decode_fields.h>

/* The values of a label: a list, or a single string. null is an empty list. */
static karp_requirement label(io_decoder *d, karp_str key, const tree *labels, const tree *value)
{
    karp_requirement r = catalogue_in(key, NULL, 0);
    if (tree_is(value, TREE_STRING)) {
        karp_str *one = io_make(d, 1, sizeof *one);
        if (!one) return r;
        *one = tree_text(value);
        r.values = one;
        r.value_count = 1;
    } else {
        r.values = io_strings(d, labels, io_c_string(d, key), &r.value_count);
    }
    return r;
}

/* Appends "labels" to the list, which has enough room. */
static void add_labels(io_decoder *d, const tree *object, karp_requirement *list, size_t *count)
{
    const tree *labels = io_object(d, object, "labels");
    if (!labels) return;
    io_push(d, "labels");
    for (size_t i = 0; i < tree_count(labels) && !d->status; i++) {
        const tree_member *member = tree_member_at(labels, i);
        list[(*count)++] = label(d, tree_member_name(member), labels, member->value);
    }
    io_pop(d);
}

static size_t label_count(const tree *object) { return tree_count(tree_get(object, "labels")); }

static void add_text(io_decoder *d, karp_requirement *list, size_t *count, karp_str key, karp_str value)
{
    karp_str *one = value.len ? io_make(d, 1, sizeof *one) : NULL;
    if (!one) return;
    *one = value;
    list[(*count)++] = catalogue_in(key, one, 1);
}

static karp_overhead overhead_of(io_decoder *d, const tree *object, const char *name)
{
    karp_overhead overhead;
    memset(&overhead, 0, sizeof overhead);
    const tree *value = io_object(d, object, name);
    if (!value) return overhead;
    io_push(d, name);
    overhead.kube_reserved = io_resources(d, value, catalogue_member(d, value, "kubeReserved"),
                                          &overhead.kube_reserved_count);
    overhead.system_reserved = io_resources(d, value, catalogue_member(d, value, "systemReserved"),
                                            &overhead.system_reserved_count);
    overhead.eviction_threshold = io_resources(d, value, catalogue_member(d, value, "evictionThreshold"),
                                               &overhead.eviction_threshold_count);
    io_pop(d);
    return overhead;
}

static void offering_requirements(io_decoder *d, const tree *root, karp_offering *offering)
{
    size_t count;
    const karp_requirement *stated = catalogue_requirements(d, root, "requirements", &count);
    karp_str zone = io_string(d, root, "zone");
    karp_str capacity_type = io_string(d, root, "capacityType");
    karp_str reservation = io_string(d, root, "reservationID");
    karp_requirement *list = io_make(d, count + label_count(root) + 3, sizeof *list);
    if (!list) return;
    if (count) memcpy(list, stated, count * sizeof *list);
    add_text(d, list, &count, catalogue_key_capacity_type, capacity_type);
    add_text(d, list, &count, catalogue_key_zone, zone);
    add_labels(d, root, list, &count);
    add_text(d, list, &count, catalogue_key_reservation, reservation);
    if (tree_get(root, "requirements")) {
        /* With "requirements" nothing is derived: a missing label is missing. */
    } else if (!requirement_find(list, count, catalogue_key_zone)) {
        io_bad_member(d, "zone", KARP_E_INVALID, "is missing");
    } else if (!requirement_find(list, count, catalogue_key_capacity_type)) {
        io_bad_member(d, "capacityType", KARP_E_INVALID, "is missing");
    }
    offering->requirements = list;
    offering->requirement_count = count;
}

static void offering_overrides(io_decoder *d, const tree *root, karp_offering *offering)
{
    if (io_object(d, root, "capacityOverride")) {
        offering->capacity_override = io_resources(d, root, "capacityOverride", &offering->capacity_override_count);
        offering->has_capacity_override = 1;
    }
    if (io_object(d, root, "overheadOverride")) {
        karp_overhead *overhead = io_make(d, 1, sizeof *overhead);
        if (overhead) *overhead = overhead_of(d, root, "overheadOverride");
        offering->overhead_override = overhead;
    }
}

static void offering(io_decoder *d, const tree *value, void *into)
{
    karp_offering *out = into;
    offering_requirements(d, value, out);
    out->price = catalogue_price(d, value, "price", NULL);
    out->awaits_price = io_boolean(d, value, "awaitsPrice", false);
    out->available = io_boolean(d, value, "available", !out->awaits_price);
    out->reservation_capacity = io_integer(d, value, "reservationCapacity", 0, INT64_MAX, 0);
    offering_overrides(d, value, out);
}

static void volume_limits(io_decoder *d, const tree *root, karp_instance_type *type)
{
    const tree *limits = io_object(d, root, "volumeAttachmentLimits");
    karp_volume_limit *list = io_make(d, tree_count(limits), sizeof *list);
    size_t count = 0;
    io_push(d, "volumeAttachmentLimits");
    for (size_t i = 0; list && i < tree_count(limits) && !d->status; i++) {
        list[count].driver = tree_member_name(tree_member_at(limits, i));
        list[count++].count = io_integer(d, limits, io_c_string(d, list[i].driver), 0, INT32_MAX, 0);
    }
    io_pop(d);
    type->volume_limits = list;
    type->volume_limit_count = count;
}

void catalogue_decode_full(io_decoder *d, const tree *root, catalogue_entry *entry)
{
    karp_instance_type *type = &entry->type;
    size_t count;
    type->name = io_required_string(d, root, "name");
    const karp_requirement *stated = catalogue_requirements(d, root, "requirements", &count);
    karp_requirement *list = io_make(d, count + label_count(root), sizeof *list);
    if (list && count) memcpy(list, stated, count * sizeof *list);
    if (list) add_labels(d, root, list, &count);
    type->requirements = list;
    type->requirement_count = d->status ? 0 : count;
    type->capacity = io_resources(d, root, "capacity", &type->capacity_count);
    type->overhead = overhead_of(d, root, "overhead");
    type->offerings = io_elements(d, root, "offerings", sizeof(karp_offering), offering, &type->offering_count);
    volume_limits(d, root, type);
    type->pod_addresses = (uint32_t)io_integer(d, root, "podAddresses", 0, UINT32_MAX, 0);
    entry->full = true;
    entry->derive = tree_get(root, "requirements") == NULL;
    io_decode_type_devices(d, root, type);
    if (io_object(d, root, "allocatable"))
        entry->allocatable = io_resources(d, root, "allocatable", &entry->allocatable_count);
}
