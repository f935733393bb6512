/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/node_class.h>

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <karp/values.h>
#include <providers/aws/capacity.h>
#include <providers/members.h>

karp_status aws_fail(karp_error *error, karp_status status, const char *field, const char *format, ...)
{
    if (!error) return status;
    karp_error_init(error, sizeof *error);
    error->status = status;
    error->byte_offset = KARP_NO_OFFSET;
    (void)snprintf(error->field, sizeof error->field, "%s", field);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* Decoding: the first failure is kept, later ones change nothing. */
typedef struct decoder {
    scratch *s;
    karp_error *error;
    karp_status status;
    char part[96]; /* of the object: "spec.kubelet" … */
} decoder;

static void at(decoder *d, const char *part)
{
    (void)snprintf(d->part, sizeof d->part, "%s", part);
}

static void at_element(decoder *d, const char *list, size_t index)
{
    (void)snprintf(d->part, sizeof d->part, "%s[%zu]", list, index);
}

static void bad(decoder *d, const char *name, const char *message)
{
    if (d->status) return;
    char field[160];
    (void)snprintf(field, sizeof field, "%s%s%s", d->part, *d->part && *name ? "." : "", name);
    d->status = aws_fail(d->error, KARP_E_INVALID, field, "%s", message);
}

static const json_t *member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

static const json_t *object_at(decoder *d, const json_t *object, const char *name)
{
    const json_t *value = member(object, name);
    if (!value || json_is_object(value)) return value;
    bad(d, name, "must be an object");
    return NULL;
}

static size_t list_at(decoder *d, const json_t *object, const char *name, const json_t **list)
{
    *list = member(object, name);
    if (!*list) return 0;
    if (json_is_array(*list)) return json_array_size(*list);
    bad(d, name, "must be a list");
    return 0;
}

static karp_str text_at(decoder *d, const json_t *object, const char *name)
{
    static const karp_str none = TEXT("");
    const json_t *value = member(object, name);
    if (!value) return none;
    if (json_is_string(value)) {
        return scratch_text(d->s, (karp_str){ json_string_value(value), json_string_length(value) });
    }
    bad(d, name, "must be text");
    return none;
}

static bool flag_at(decoder *d, const json_t *object, const char *name)
{
    const json_t *value = member(object, name);
    if (value && !json_is_boolean(value)) bad(d, name, "must be true or false");
    return json_is_true(value);
}

/* A count that the API keeps in 32 bits. */
static int64_t count_at(decoder *d, const json_t *object, const char *name)
{
    const json_t *value = member(object, name);
    if (!value) return 0;
    json_int_t n = json_integer_value(value);
    if (json_is_integer(value) && n >= 0 && n <= INT32_MAX) return n;
    bad(d, name, "must be a whole number that is not negative");
    return 0;
}

static bool is(karp_str a, const char *text)
{
    return a.len == strlen(text) && memcmp(a.ptr, text, a.len) == 0;
}

/* ---- family ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *alias;
    aws_family family;
} families[] = {
    { "AL2", "al2", AWS_AL2 },
    { "AL2023", "al2023", AWS_AL2023 },
    { "Bottlerocket", "bottlerocket", AWS_BOTTLEROCKET },
    { "Custom", "", AWS_CUSTOM },
    { "Windows2019", "windows2019", AWS_WINDOWS2019 },
    { "Windows2022", "windows2022", AWS_WINDOWS2022 },
    { "Windows2025", "windows2025", AWS_WINDOWS2025 },
};

/* The family that is named; else that of the first alias; else Custom. A name that is not known works like AL2.
 * Where nothing is said of images (the API would not have it) the usual ones are meant. */
static aws_family family_at(decoder *d, const json_t *spec)
{
    const size_t known = sizeof families / sizeof *families;
    karp_str name = text_at(d, spec, "amiFamily");
    for (size_t i = 0; name.len && i < known; i++) {
        if (is(name, families[i].name)) return families[i].family;
    }
    if (name.len) return AWS_AL2;
    const json_t *terms;
    size_t count = list_at(d, spec, "amiSelectorTerms", &terms);
    if (count == 0) return AWS_AL2023;
    for (size_t i = 0; i < count; i++) {
        karp_str alias = text_at(d, json_array_get(terms, i), "alias");
        if (alias.len == 0) continue;
        const char *at = memchr(alias.ptr, '@', alias.len);
        karp_str family = { alias.ptr, at ? (size_t)(at - alias.ptr) : alias.len };
        for (size_t k = 0; k < known; k++) {
            if (family.len && is(family, families[k].alias)) return families[k].family;
        }
        at_element(d, "spec.amiSelectorTerms", i);
        bad(d, "alias", "names no known family");
        break;
    }
    return AWS_CUSTOM;
}

/* ---- kubelet --------------------------------------------------------------------------------- */

static const karp_resource *reserved_at(decoder *d, const json_t *kubelet, const char *name, size_t *count)
{
    *count = 0;
    const json_t *map = object_at(d, kubelet, name);
    karp_resource *list = scratch_array(d->s, json_object_size(map), sizeof *list);
    for (void *at = map && list ? first_member(map) : NULL; at; at = next_member(map, at)) {
        const json_t *value = json_object_iter_value(at);
        const char *key = json_object_iter_key(at);
        karp_str text = { json_string_value(value), json_string_length(value) };
        if (json_is_integer(value) && json_integer_value(value) >= 0) {
            text = scratch_uint(d->s, (uint64_t)json_integer_value(value));
        } else if (!json_is_string(value)) {
            bad(d, name, "must hold quantities");
            continue;
        }
        if (karp_quantity_check(text) != KARP_OK) continue; /* an expression */
        list[*count].name = scratch_text(d->s, (karp_str){ key, strlen(key) });
        list[(*count)++].text = scratch_text(d->s, text);
    }
    return list;
}

static karp_str threshold_at(decoder *d, const json_t *thresholds, const char *name)
{
    karp_str text = text_at(d, thresholds, name);
    if (!text.len || aws_threshold_valid(text)) return text;
    (void)snprintf(d->part, sizeof d->part, "spec.kubelet.evictionHard[\"%s\"]", name);
    bad(d, "", "must be a quantity or a percentage");
    return text;
}

static void read_kubelet(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *kubelet = object_at(d, spec, "kubelet");
    at(d, "spec.kubelet");
    const json_t *max_pods = member(kubelet, "maxPods");
    out->has_max_pods = max_pods && !json_is_string(max_pods);
    if (out->has_max_pods) out->max_pods = count_at(d, kubelet, "maxPods");
    out->pods_per_core = count_at(d, kubelet, "podsPerCore");
    out->kube_reserved = reserved_at(d, kubelet, "kubeReserved", &out->kube_reserved_count);
    out->system_reserved = reserved_at(d, kubelet, "systemReserved", &out->system_reserved_count);
    const json_t *thresholds = object_at(d, kubelet, "evictionHard");
    out->evict_memory = threshold_at(d, thresholds, "memory.available");
    out->evict_nodefs = threshold_at(d, thresholds, "nodefs.available");
    at(d, "spec");
}

/* ---- disks and interfaces -------------------------------------------------------------------- */

static karp_str size_at(decoder *d, const json_t *disk)
{
    karp_str none = TEXT("");
    const json_t *value = member(disk, "volumeSize");
    if (!value) return none;
    karp_str text = none;
    if (json_is_string(value)) {
        text = scratch_text(d->s, (karp_str){ json_string_value(value), json_string_length(value) });
    } else if (json_is_integer(value) && json_integer_value(value) >= 0) {
        text = scratch_uint(d->s, (uint64_t)json_integer_value(value));
    }
    double size = 0;
    if (!d->s->failed && (karp_quantity_double(text, &size) != KARP_OK || size < 0)) {
        bad(d, "ebs.volumeSize", "must be a quantity");
    }
    return text;
}

static void read_disks(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *mappings;
    size_t count = list_at(d, spec, "blockDeviceMappings", &mappings);
    aws_block_device *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const json_t *mapping = json_array_get(mappings, i);
        at_element(d, "spec.blockDeviceMappings", i);
        list[i].device = text_at(d, mapping, "deviceName");
        list[i].size = size_at(d, object_at(d, mapping, "ebs"));
        list[i].root = flag_at(d, mapping, "rootVolume");
    }
    at(d, "spec");
    out->block_devices = list;
    out->block_device_count = list ? count : 0;
    out->raid0 = is(text_at(d, spec, "instanceStorePolicy"), "RAID0");
}

static void read_interfaces(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *interfaces;
    size_t count = list_at(d, spec, "networkInterfaces", &interfaces);
    aws_network_interface *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const json_t *interface = json_array_get(interfaces, i);
        at_element(d, "spec.networkInterfaces", i);
        list[i].card = count_at(d, interface, "networkCardIndex");
        list[i].device = count_at(d, interface, "deviceIndex");
        list[i].efa_only = is(text_at(d, interface, "interfaceType"), "efa-only");
    }
    at(d, "spec");
    out->has_interfaces = interfaces != NULL;
    out->interfaces = list;
    out->interface_count = list ? count : 0;
}

/* ---- status ---------------------------------------------------------------------------------- */

static void read_status(decoder *d, const json_t *status, aws_node_class *out)
{
    const json_t *subnets, *reservations;
    at(d, "status");
    size_t subnet_count = list_at(d, status, "subnets", &subnets);
    size_t reservation_count = list_at(d, status, "capacityReservations", &reservations);
    aws_subnet *subnet_list = scratch_array(d->s, subnet_count, sizeof *subnet_list);
    aws_reservation *reservation_list = scratch_array(d->s, reservation_count, sizeof *reservation_list);
    if (!subnet_list || !reservation_list) return;
    for (size_t i = 0; i < subnet_count; i++) {
        const json_t *subnet = json_array_get(subnets, i);
        at_element(d, "status.subnets", i);
        subnet_list[i] = (aws_subnet){ text_at(d, subnet, "zone"), text_at(d, subnet, "zoneID") };
    }
    for (size_t i = 0; i < reservation_count; i++) {
        static const karp_str usual = TEXT("default");
        const json_t *reservation = json_array_get(reservations, i);
        aws_reservation *r = &reservation_list[i];
        at_element(d, "status.capacityReservations", i);
        r->id = text_at(d, reservation, "id");
        r->instance_type = text_at(d, reservation, "instanceType");
        r->zone = text_at(d, reservation, "availabilityZone");
        r->kind = text_at(d, reservation, "reservationType");
        if (r->kind.len == 0) r->kind = usual;
        r->available_count = count_at(d, reservation, "availableInstanceCount");
        r->interruptible = flag_at(d, reservation, "interruptible");
        r->expiring = is(text_at(d, reservation, "state"), "expiring");
        if (r->id.len == 0 || r->zone.len == 0) bad(d, "", "must state id and availabilityZone");
    }
    out->subnets = subnet_list;
    out->subnet_count = subnet_count;
    out->reservations = reservation_list;
    out->reservation_count = reservation_count;
    at(d, "status");
    const json_t *group = object_at(d, status, "placementGroup");
    at(d, "status.placementGroup");
    out->placement_group.id = text_at(d, group, "id");
    out->placement_group.strategy = text_at(d, group, "strategy");
    out->placement_group.partitions = count_at(d, group, "partitionCount");
}

karp_status aws_node_class_read(scratch *s, karp_str document, aws_node_class *out, karp_error *error)
{
    json_error_t why;
    memset(&why, 0, sizeof why);
    json_t *tree = json_loadb(document.ptr ? document.ptr : "", document.len, 0, &why);
    if (!tree) {
        /* jansson leaves the text empty when memory was refused. */
        if (!why.text[0]) return aws_fail(error, KARP_E_NOMEM, "", "out of memory");
        return aws_fail(error, KARP_E_SYNTAX, "", "not JSON: %s", why.text);
    }
    aws_node_class result;
    memset(&result, 0, sizeof result);
    decoder d = { .s = s, .error = error };
    if (!json_is_object(tree)) bad(&d, "", "an EC2NodeClass must be an object");
    const json_t *spec = object_at(&d, tree, "spec");
    const json_t *status = object_at(&d, tree, "status");
    at(&d, "spec");
    result.family = family_at(&d, spec);
    read_kubelet(&d, spec, &result);
    read_disks(&d, spec, &result);
    read_interfaces(&d, spec, &result);
    result.connection_tracking = object_at(&d, spec, "connectionTracking") != NULL;
    read_status(&d, status, &result);
    json_decref(tree);
    if (d.status) return d.status;
    if (s->failed) return aws_fail(error, KARP_E_NOMEM, "", "out of memory");
    *out = result;
    return KARP_OK;
}

/* ---- equality -------------------------------------------------------------------------------- */

static bool same(karp_str a, karp_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static bool same_resources(const karp_resource *a, size_t a_count, const karp_resource *b, size_t b_count)
{
    bool equal = a_count == b_count;
    for (size_t i = 0; equal && i < a_count; i++) equal = same(a[i].name, b[i].name) && same(a[i].text, b[i].text);
    return equal;
}

static bool same_disks(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->raid0 == b->raid0 && a->block_device_count == b->block_device_count;
    for (size_t i = 0; equal && i < a->block_device_count; i++) {
        const aws_block_device *x = &a->block_devices[i], *y = &b->block_devices[i];
        equal = same(x->device, y->device) && same(x->size, y->size) && x->root == y->root;
    }
    return equal;
}

static bool same_network(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->has_interfaces == b->has_interfaces && a->interface_count == b->interface_count &&
                 a->connection_tracking == b->connection_tracking && a->subnet_count == b->subnet_count;
    for (size_t i = 0; equal && i < a->interface_count; i++) {
        const aws_network_interface *x = &a->interfaces[i], *y = &b->interfaces[i];
        equal = x->card == y->card && x->device == y->device && x->efa_only == y->efa_only;
    }
    for (size_t i = 0; equal && i < a->subnet_count; i++) {
        equal = same(a->subnets[i].zone, b->subnets[i].zone) && same(a->subnets[i].zone_id, b->subnets[i].zone_id);
    }
    return equal;
}

static bool same_capacity(const aws_node_class *a, const aws_node_class *b)
{
    const aws_placement_group *x = &a->placement_group, *y = &b->placement_group;
    bool equal = same(x->id, y->id) && same(x->strategy, y->strategy) && x->partitions == y->partitions &&
                 a->reservation_count == b->reservation_count;
    for (size_t i = 0; equal && i < a->reservation_count; i++) {
        const aws_reservation *r = &a->reservations[i], *q = &b->reservations[i];
        equal = same(r->id, q->id) && same(r->instance_type, q->instance_type) && same(r->zone, q->zone) &&
                same(r->kind, q->kind) && r->available_count == q->available_count &&
                r->interruptible == q->interruptible && r->expiring == q->expiring;
    }
    return equal;
}

bool aws_node_class_equal(const aws_node_class *a, const aws_node_class *b)
{
    return a->family == b->family && a->has_max_pods == b->has_max_pods && a->max_pods == b->max_pods &&
           a->pods_per_core == b->pods_per_core && same(a->evict_memory, b->evict_memory) &&
           same(a->evict_nodefs, b->evict_nodefs) &&
           same_resources(a->kube_reserved, a->kube_reserved_count, b->kube_reserved, b->kube_reserved_count) &&
           same_resources(a->system_reserved, a->system_reserved_count, b->system_reserved, b->system_reserved_count) &&
           same_disks(a, b) && same_network(a, b) && same_capacity(a, b);
}
