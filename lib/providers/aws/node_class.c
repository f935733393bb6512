/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/node_class.h>

#include <stdio.h>
#include <string.h>

#include <karp/values.h>
#include <providers/aws/capacity.h>
#include <providers/aws/class_hash.h>
#include <providers/aws/class_status.h>
#include <providers/aws/decode.h>
#include <providers/fail.h>

/* ---- family ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *alias;
    aws_family family;
} families[] = {
    { "AL2", "al2", AWS_AL2 },
    { "Ubuntu", "", AWS_AL2 }, /* of old; it never differed */
    { "AL2023", "al2023", AWS_AL2023 },
    { "Bottlerocket", "bottlerocket", AWS_BOTTLEROCKET },
    { "Custom", "", AWS_CUSTOM },
    { "Windows2019", "windows2019", AWS_WINDOWS2019 },
    { "Windows2022", "windows2022", AWS_WINDOWS2022 },
    { "Windows2025", "windows2025", AWS_WINDOWS2025 },
};

/* The family that is named; else that of the first alias; else Custom. Where nothing is said of images (the API would not
 * have it) the usual ones are meant. */
static aws_family family_at(decoder *d, const json_t *spec)
{
    const size_t known = sizeof families / sizeof *families;
    karp_str name = decode_text(d, spec, "amiFamily");
    for (size_t i = 0; name.len && i < known; i++) {
        if (match_is(name, families[i].name)) return families[i].family;
    }
    if (name.len) decode_bad(d, "amiFamily", "names no known family");
    const json_t *terms;
    size_t count = decode_list(d, spec, "amiSelectorTerms", &terms);
    if (count == 0) return AWS_AL2023;
    for (size_t i = 0; i < count; i++) {
        karp_str alias = decode_text(d, json_array_get(terms, i), "alias");
        if (alias.len == 0) continue;
        const char *at = memchr(alias.ptr, '@', alias.len);
        karp_str family = { alias.ptr, at ? (size_t)(at - alias.ptr) : alias.len };
        for (size_t k = 0; k < known; k++) {
            if (family.len && match_is(family, families[k].alias)) return families[k].family;
        }
        decode_at_element(d, "spec.amiSelectorTerms", i);
        decode_bad(d, "alias", "names no known family");
        break;
    }
    return AWS_CUSTOM;
}

/* ---- kubelet --------------------------------------------------------------------------------- */

static const karp_resource *reserved_at(decoder *d, const json_t *kubelet, const char *name, size_t *count)
{
    *count = 0;
    const json_t *map = decode_object(d, kubelet, name);
    karp_resource *list = scratch_array(d->s, json_object_size(map), sizeof *list);
    for (void *at = map && list ? first_member(map) : NULL; at; at = next_member(map, at)) {
        const json_t *value = json_object_iter_value(at);
        const char *key = json_object_iter_key(at);
        karp_str text = { json_string_value(value), json_string_length(value) };
        if (json_is_integer(value) && json_integer_value(value) >= 0) {
            text = scratch_uint(d->s, (uint64_t)json_integer_value(value));
        } else if (!json_is_string(value)) {
            decode_bad(d, name, "must hold quantities");
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
    karp_str text = decode_text(d, thresholds, name);
    if (!text.len || aws_threshold_valid(text)) return text;
    (void)snprintf(d->part, sizeof d->part, "spec.kubelet.evictionHard[\"%s\"]", name);
    decode_bad(d, "", "must be a quantity or a percentage");
    return text;
}

/* Each soft threshold has a grace period, and each grace period a threshold. */
static void check_soft(decoder *d, const json_t *kubelet)
{
    static const char *const names[] = { "evictionSoft", "evictionSoftGracePeriod" };
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = decode_object(d, kubelet, names[i]), *other = decode_object(d, kubelet, names[1 - i]);
        for (void *at = one ? first_member(one) : NULL; at; at = next_member(one, at)) {
            if (json_object_get(other, json_object_iter_key(at))) continue;
            decode_bad(d, names[i], i == 0 ? "has a threshold without a grace period" : "has a grace period without a threshold");
        }
    }
}

static void check_images(decoder *d, const json_t *kubelet)
{
    int64_t high = decode_count(d, kubelet, "imageGCHighThresholdPercent"), low = decode_count(d, kubelet, "imageGCLowThresholdPercent");
    if (high > 100) decode_bad(d, "imageGCHighThresholdPercent", "must be at most 100");
    if (low > 100) decode_bad(d, "imageGCLowThresholdPercent", "must be at most 100");
    if (decode_member(kubelet, "imageGCHighThresholdPercent") && decode_member(kubelet, "imageGCLowThresholdPercent") && high <= low) {
        decode_bad(d, "imageGCHighThresholdPercent", "must be more than imageGCLowThresholdPercent");
    }
}

static void read_kubelet(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *kubelet = decode_object(d, spec, "kubelet");
    decode_at(d, "spec.kubelet");
    const json_t *max_pods = decode_member(kubelet, "maxPods");
    out->has_max_pods = max_pods && !json_is_string(max_pods);
    if (out->has_max_pods) out->max_pods = decode_count(d, kubelet, "maxPods");
    out->pods_per_core = decode_count(d, kubelet, "podsPerCore");
    out->kube_reserved = reserved_at(d, kubelet, "kubeReserved", &out->kube_reserved_count);
    out->system_reserved = reserved_at(d, kubelet, "systemReserved", &out->system_reserved_count);
    const json_t *thresholds = decode_object(d, kubelet, "evictionHard");
    out->evict_memory = threshold_at(d, thresholds, "memory.available");
    out->evict_nodefs = threshold_at(d, thresholds, "nodefs.available");
    check_soft(d, kubelet);
    check_images(d, kubelet);
    decode_at(d, "spec");
}

/* ---- disks and interfaces -------------------------------------------------------------------- */

static karp_str size_at(decoder *d, const json_t *disk)
{
    karp_str none = TEXT("");
    const json_t *value = decode_member(disk, "volumeSize");
    if (!value) return none;
    karp_str text = none;
    if (json_is_string(value)) {
        text = scratch_text(d->s, (karp_str){ json_string_value(value), json_string_length(value) });
    } else if (json_is_integer(value) && json_integer_value(value) >= 0) {
        text = scratch_uint(d->s, (uint64_t)json_integer_value(value));
    }
    double size = 0;
    if (!d->s->failed && (karp_quantity_double(text, &size) != KARP_OK || size < 0)) {
        decode_bad(d, "ebs.volumeSize", "must be a quantity");
    }
    return text;
}

static void read_disks(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *mappings;
    size_t count = decode_list(d, spec, "blockDeviceMappings", &mappings);
    aws_block_device *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const json_t *mapping = json_array_get(mappings, i);
        decode_at_element(d, "spec.blockDeviceMappings", i);
        list[i].device = decode_text(d, mapping, "deviceName");
        list[i].size = size_at(d, decode_object(d, mapping, "ebs"));
        list[i].root = decode_flag(d, mapping, "rootVolume");
    }
    decode_at(d, "spec");
    out->block_devices = list;
    out->block_device_count = list ? count : 0;
    out->raid0 = match_is(decode_text(d, spec, "instanceStorePolicy"), "RAID0");
}

static void read_interfaces(decoder *d, const json_t *spec, aws_node_class *out)
{
    const json_t *interfaces;
    size_t count = decode_list(d, spec, "networkInterfaces", &interfaces);
    aws_network_interface *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const json_t *interface = json_array_get(interfaces, i);
        decode_at_element(d, "spec.networkInterfaces", i);
        list[i].card = decode_count(d, interface, "networkCardIndex");
        list[i].device = decode_count(d, interface, "deviceIndex");
        list[i].efa_only = match_is(decode_text(d, interface, "interfaceType"), "efa-only");
    }
    decode_at(d, "spec");
    out->has_interfaces = interfaces != NULL;
    out->interfaces = list;
    out->interface_count = list ? count : 0;
}

karp_status aws_node_class_read(scratch *s, karp_str document, aws_node_class *out, karp_error *error)
{
    aws_node_class result;
    memset(&result, 0, sizeof result);
    decoder d = { .s = s, .error = error };
    json_t *tree = decode_tree(&d, document, "an EC2NodeClass");
    if (!tree) return d.status;
    const json_t *spec = decode_object(&d, tree, "spec");
    const json_t *status = decode_object(&d, tree, "status");
    decode_at(&d, "spec");
    result.family = family_at(&d, spec);
    read_kubelet(&d, spec, &result);
    read_disks(&d, spec, &result);
    read_interfaces(&d, spec, &result);
    result.connection_tracking = decode_object(&d, spec, "connectionTracking") != NULL;
    result.nested_virtualization = match_is(decode_text(&d, decode_object(&d, spec, "cpuOptions"), "nestedVirtualization"), "enabled");
    aws_read_status(&d, status, &result);
    result.hash = aws_class_hash(spec, result.family);
    json_decref(tree);
    if (d.status) return d.status;
    if (s->failed) return provider_nomem(error);
    *out = result;
    return KARP_OK;
}

/* ---- equality -------------------------------------------------------------------------------- */

static bool same_resources(const karp_resource *a, size_t a_count, const karp_resource *b, size_t b_count)
{
    bool equal = a_count == b_count;
    for (size_t i = 0; equal && i < a_count; i++) equal = match_same(a[i].name, b[i].name) && match_same(a[i].text, b[i].text);
    return equal;
}

static bool same_disks(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->raid0 == b->raid0 && a->block_device_count == b->block_device_count;
    for (size_t i = 0; equal && i < a->block_device_count; i++) {
        const aws_block_device *x = &a->block_devices[i], *y = &b->block_devices[i];
        equal = match_same(x->device, y->device) && match_same(x->size, y->size) && x->root == y->root;
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
        equal = match_same(a->subnets[i].zone, b->subnets[i].zone) && match_same(a->subnets[i].zone_id, b->subnets[i].zone_id);
    }
    return equal;
}

static bool same_capacity(const aws_node_class *a, const aws_node_class *b)
{
    const aws_placement_group *x = &a->placement_group, *y = &b->placement_group;
    bool equal = match_same(x->id, y->id) && match_same(x->strategy, y->strategy) && x->partitions == y->partitions &&
                 a->reservation_count == b->reservation_count;
    for (size_t i = 0; equal && i < a->reservation_count; i++) {
        const aws_reservation *r = &a->reservations[i], *q = &b->reservations[i];
        equal = match_same(r->id, q->id) && match_same(r->instance_type, q->instance_type) && match_same(r->zone, q->zone) &&
                match_same(r->kind, q->kind) && r->available_count == q->available_count &&
                r->interruptible == q->interruptible && r->expiring == q->expiring;
    }
    return equal;
}

bool aws_node_class_equal(const aws_node_class *a, const aws_node_class *b)
{
    return a->family == b->family && a->has_max_pods == b->has_max_pods && a->max_pods == b->max_pods &&
           a->pods_per_core == b->pods_per_core && match_same(a->evict_memory, b->evict_memory) &&
           match_same(a->evict_nodefs, b->evict_nodefs) &&
           same_resources(a->kube_reserved, a->kube_reserved_count, b->kube_reserved, b->kube_reserved_count) &&
           same_resources(a->system_reserved, a->system_reserved_count, b->system_reserved, b->system_reserved_count) &&
           same_disks(a, b) && same_network(a, b) && same_capacity(a, b);
}
