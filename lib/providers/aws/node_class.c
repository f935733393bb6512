/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/node_class.h>

#include <stdio.h>
#include <string.h>

#include <karp/values.h>
#include <providers/decode.h>
#include <providers/fail.h>

/* ---- family ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *alias;
    aws_family family;
} families[] = {
    { "AL2", "al2", AWS_AL2 },
    { "Ubuntu", "", AWS_AL2 }, /* from older versions; always equal to AL2 */
    { "AL2023", "al2023", AWS_AL2023 },
    { "Bottlerocket", "bottlerocket", AWS_BOTTLEROCKET },
    { "Custom", "", AWS_CUSTOM },
    { "Windows2019", "windows2019", AWS_WINDOWS2019 },
    { "Windows2022", "windows2022", AWS_WINDOWS2022 },
    { "Windows2025", "windows2025", AWS_WINDOWS2025 },
};

enum { FAMILIES = sizeof families / sizeof *families };

/* The row of the first alias; FAMILIES = none. */
static size_t alias_at(decoder *d, const tree *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        decode_at_element(d, "spec.amiSelectorTerms", i);
        karp_str alias = decode_text(d, tree_item(terms, i), "alias");
        if (alias.len == 0) continue;
        const char *at = memchr(alias.ptr, '@', alias.len);
        karp_str family = { alias.ptr, at ? (size_t)(at - alias.ptr) : alias.len };
        for (size_t k = 0; k < FAMILIES; k++) {
            if (family.len && match_is(family, families[k].alias)) return k;
        }
        decode_bad(d, "alias", "names no known family");
        break;
    }
    return FAMILIES;
}

/* The stated family; otherwise that of the first alias; otherwise Custom. Without any AMI terms, which the API would
 * reject, the default family applies. */
static aws_family family_at(decoder *d, const tree *spec)
{
    const tree *terms;
    karp_str name = decode_text(d, spec, "amiFamily");
    size_t count = decode_list(d, spec, "amiSelectorTerms", &terms), named = 0;
    size_t alias = alias_at(d, terms, count);
    decode_at(d, "spec");
    if (name.len == 0) return alias < FAMILIES ? families[alias].family : count ? AWS_CUSTOM : AWS_AL2023;
    while (named < FAMILIES && !match_is(name, families[named].name)) named++;
    if (named == FAMILIES) {
        decode_bad(d, "amiFamily", "names no known family");
        return AWS_CUSTOM;
    }
    if (alias < FAMILIES && families[named].family != AWS_CUSTOM && families[named].family != families[alias].family) {
        decode_bad(d, "amiFamily", "is another family than the alias of amiSelectorTerms names");
    }
    return families[named].family;
}

/* ---- disks and interfaces -------------------------------------------------------------------- */

/* Whether the field equals `yes`. The only other permitted value is `no` (NULL = none). */
static bool word_at(decoder *d, const tree *object, const char *name, const char *yes, const char *no)
{
    karp_str word = decode_text(d, object, name);
    if (word.len && !match_is(word, yes) && !(no && match_is(word, no))) {
        char message[64];
        (void)snprintf(message, sizeof message, "must be %s%s%s", yes, no ? " or " : "", no ? no : "");
        decode_bad(d, name, message);
    }
    return word.len && match_is(word, yes);
}

static karp_str size_at(decoder *d, const tree *disk)
{
    karp_str none = TEXT("");
    const tree *value = decode_member(disk, "volumeSize");
    if (!value) return none;
    karp_str text = none;
    int64_t number;
    if (is_string(value)) {
        text = scratch_text(d->s, tree_text(value));
    } else if (tree_integer(value, &number) && number >= 0) {
        text = scratch_uint(d->s, (uint64_t)number);
    }
    double size = 0;
    if (!d->s->failed && (karp_quantity_double(text, &size) != KARP_OK || size < 0)) {
        decode_bad(d, "ebs.volumeSize", "must be a quantity");
    }
    return text;
}

static void read_disks(decoder *d, const tree *spec, aws_node_class *out)
{
    const tree *mappings;
    size_t count = decode_list(d, spec, "blockDeviceMappings", &mappings), roots = 0;
    aws_block_device *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const tree *mapping = tree_item(mappings, i);
        decode_at_element(d, "spec.blockDeviceMappings", i);
        list[i].device = decode_text(d, mapping, "deviceName");
        list[i].size = size_at(d, decode_object(d, mapping, "ebs"));
        list[i].root = decode_flag(d, mapping, "rootVolume");
        roots += list[i].root;
    }
    decode_at(d, "spec");
    if (roots > 1) decode_bad(d, "blockDeviceMappings", "must have only one rootVolume");
    out->block_devices = list;
    out->block_device_count = list ? count : 0;
    out->raid0 = word_at(d, spec, "instanceStorePolicy", "RAID0", NULL);
}

static void read_interfaces(decoder *d, const tree *spec, aws_node_class *out)
{
    const tree *interfaces;
    size_t count = decode_list(d, spec, "networkInterfaces", &interfaces);
    aws_network_interface *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const tree *interface = tree_item(interfaces, i);
        decode_at_element(d, "spec.networkInterfaces", i);
        list[i].card = decode_count(d, interface, "networkCardIndex");
        list[i].device = decode_count(d, interface, "deviceIndex");
        list[i].efa_only = word_at(d, interface, "interfaceType", "efa-only", "interface");
    }
    decode_at(d, "spec");
    out->has_interfaces = interfaces != NULL;
    out->interfaces = list;
    out->interface_count = list ? count : 0;
}

static void read_class(decoder *d, const tree *root, aws_node_class *out)
{
    const tree *spec = decode_object(d, root, "spec");
    const tree *status = decode_object(d, root, "status");
    decode_at(d, "spec");
    out->family = family_at(d, spec);
    aws_read_kubelet(d, spec, out);
    read_disks(d, spec, out);
    read_interfaces(d, spec, out);
    out->connection_tracking = decode_object(d, spec, "connectionTracking") != NULL;
    decode_at(d, "spec.cpuOptions");
    out->nested_virtualization = word_at(d, decode_object(d, spec, "cpuOptions"), "nestedVirtualization", "enabled",
                                         "disabled");
    decode_at(d, "spec");
    aws_read_status(d, status, out);
    out->hash = aws_class_hash(spec, out->family);
}

/* Karpenter writes the hash of a class to the object's annotations. It can be compared although it is not computed
 * here. */
static void read_annotations(decoder *d, const tree *root, aws_node_class *out)
{
    const tree *annotations = tree_get(tree_get(root, "metadata"), "annotations");
    out->stated_hash = scratch_text(d->s, tree_get_text(annotations, "karpenter.k8s.aws/ec2nodeclass-hash"));
    out->stated_hash_version = scratch_text(d->s,
                                            tree_get_text(annotations, "karpenter.k8s.aws/ec2nodeclass-hash-version"));
}

karp_status aws_node_class_read(scratch *s, karp_str document, aws_node_class *out, karp_error *error)
{
    aws_node_class result;
    memset(&result, 0, sizeof result);
    decoder d;
    decode_begin(&d, s->context, s, error);
    const tree *root = decode_tree(&d, document, "an EC2NodeClass");
    if (root) read_class(&d, root, &result);
    if (root) read_annotations(&d, root, &result);
    decode_end(&d);
    if (d.status) return d.status;
    if (s->failed) return provider_nomem(error);
    *out = result;
    return KARP_OK;
}

/* ---- equality -------------------------------------------------------------------------------- */

static bool same_resources(const karp_resource *a, size_t a_count, const karp_resource *b, size_t b_count)
{
    bool equal = a_count == b_count;
    for (size_t i = 0; equal && i < a_count; i++)
        equal = match_same(a[i].name, b[i].name) && match_same(a[i].text, b[i].text);
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
                 a->connection_tracking == b->connection_tracking &&
                 a->nested_virtualization == b->nested_virtualization && a->subnet_count == b->subnet_count;
    for (size_t i = 0; equal && i < a->interface_count; i++) {
        const aws_network_interface *x = &a->interfaces[i], *y = &b->interfaces[i];
        equal = x->card == y->card && x->device == y->device && x->efa_only == y->efa_only;
    }
    for (size_t i = 0; equal && i < a->subnet_count; i++) {
        const aws_subnet *x = &a->subnets[i], *y = &b->subnets[i];
        equal = match_same(x->zone, y->zone) && match_same(x->zone_id, y->zone_id) &&
                match_same(x->id, y->id); /* it may be marked */
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
        equal = match_same(r->id, q->id) && match_same(r->instance_type, q->instance_type) &&
                match_same(r->zone, q->zone) && match_same(r->kind, q->kind) &&
                r->available_count == q->available_count && r->interruptible == q->interruptible &&
                r->expiring == q->expiring;
    }
    return equal;
}

bool aws_node_class_same_images(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->image_count == b->image_count;
    for (size_t i = 0; equal && i < a->image_count; i++) equal = match_same(a->images[i].id, b->images[i].id);
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
