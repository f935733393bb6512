/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/devices.h>

#include <stdio.h>

#include <karp/values.h>
#include <providers/decode.h>
#include <providers/aws/capacity.h>

/* ---- family ------------------------------------------------------------------------------------------------------ */

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
            if (family.len && str_is(family, families[k].alias)) return k;
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
    while (named < FAMILIES && !str_is(name, families[named].name)) named++;
    if (named == FAMILIES) {
        decode_bad(d, "amiFamily", "names no known family");
        return AWS_CUSTOM;
    }
    if (alias < FAMILIES && families[named].family != AWS_CUSTOM && families[named].family != families[alias].family)
        decode_bad(d, "amiFamily", "is another family than the alias of amiSelectorTerms names");
    return families[named].family;
}

/* ---- disks and interfaces ---------------------------------------------------------------------------------------- */

static karp_str size_at(decoder *d, const tree *disk)
{
    karp_str none = TEXT("");
    const tree *value = decode_member(disk, "volumeSize");
    if (!value) return none;
    karp_str text = none;
    int64_t number;
    if (is_string(value)) text = scratch_text(d->s, tree_text(value));
    else if (tree_integer(value, &number) && number >= 0) text = scratch_uint(d->s, (uint64_t)number);
    double size = 0;
    if (!d->s->failed && (karp_quantity_double(text, &size) != KARP_OK || size < 0))
        decode_bad(d, "ebs.volumeSize", "must be a quantity");
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
    out->raid0 = decode_word(d, spec, "instanceStorePolicy", "RAID0").len > 0;
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
        list[i].efa_only = str_is(decode_word(d, interface, "interfaceType", "efa-only interface"), "efa-only");
    }
    decode_at(d, "spec");
    out->has_interfaces = interfaces != NULL;
    out->interfaces = list;
    out->interface_count = list ? count : 0;
}

/* ---- the kubelet's settings -------------------------------------------------------------------------------------- */

static const char *const reservable[] = { "cpu", "memory", "ephemeral-storage", "pid", NULL };
static const char *const signals[] = { "memory.available",
                                       "nodefs.available",
                                       "nodefs.inodesFree",
                                       "imagefs.available",
                                       "imagefs.inodesFree",
                                       "pid.available",
                                       NULL };

static bool among(const char *const *names, karp_str name)
{
    while (*names && !str_is(name, *names)) names++;
    return *names != NULL;
}

/* Reports an error at spec.kubelet.MAP["KEY"]. */
static void bad_entry(decoder *d, const char *map, karp_str key, const char *message)
{
    (void)snprintf(d->part, sizeof d->part, "spec.kubelet.%s[\"%.*s\"]", map, str_shown(key, 40), key.ptr);
    decode_bad(d, "", message);
    decode_at(d, "spec.kubelet");
}

static karp_str reserved_text(decoder *d, const tree *value)
{
    karp_str none = TEXT("");
    int64_t number;
    if (tree_integer(value, &number) && number >= 0) return scratch_uint(d->s, (uint64_t)number);
    if (!is_string(value) || str_starts(tree_text(value), "-")) return none;
    return tree_text(value);
}

static const karp_resource *reserved_at(decoder *d, const tree *kubelet, const char *name, size_t *count)
{
    *count = 0;
    const tree *map = decode_object(d, kubelet, name);
    karp_resource *list = scratch_array(d->s, members_of(map), sizeof *list);
    for (size_t i = 0; list && i < members_of(map); i++) {
        const tree_member *at = tree_member_at(map, i);
        karp_str key = tree_member_name(at), text = reserved_text(d, at->value);
        if (!among(reservable, key)) bad_entry(d, name, key, "must be of cpu, memory, ephemeral-storage or pid");
        if (text.len == 0 && !d->s->failed) bad_entry(d, name, key, "must be a quantity that is not negative");
        if (karp_quantity_check(text) != KARP_OK) continue; /* an expression */
        list[*count].name = scratch_text(d->s, key);
        list[(*count)++].text = scratch_text(d->s, text);
    }
    return list;
}

static void check_thresholds(decoder *d, const tree *kubelet, const char *name)
{
    const tree *map = decode_object(d, kubelet, name);
    for (size_t i = 0; i < members_of(map); i++) {
        const tree *value = tree_member_at(map, i)->value;
        karp_str key = tree_member_name(tree_member_at(map, i)), text = tree_text(value);
        if (!among(signals, key)) bad_entry(d, name, key, "is no signal of the kubelet");
        if (!is_string(value) || !aws_threshold_valid(text))
            bad_entry(d, name, key, "must be a quantity or a percentage that is not negative");
    }
}

/* Each soft threshold needs a grace period, and each grace period a threshold. */
static void check_soft(decoder *d, const tree *kubelet)
{
    static const char *const names[] = { "evictionSoft", "evictionSoftGracePeriod" };
    check_thresholds(d, kubelet, names[0]);
    const tree *soft = decode_object(d, kubelet, names[0]), *grace = decode_object(d, kubelet, names[1]);
    for (size_t i = 0; i < members_of(soft); i++) {
        if (!tree_find_str(grace, tree_member_name(tree_member_at(soft, i))))
            decode_bad(d, names[0], "has a threshold without a grace period");
    }
    for (size_t i = 0; i < members_of(grace); i++) {
        karp_str key = tree_member_name(tree_member_at(grace, i));
        int64_t nanoseconds = -1;
        if (!tree_find_str(soft, key)) decode_bad(d, names[1], "has a grace period without a threshold");
        (void)karp_duration_parse(tree_text(tree_member_at(grace, i)->value), &nanoseconds);
        if (nanoseconds < 0) bad_entry(d, names[1], key, "must be a duration");
    }
}

static void check_images(decoder *d, const tree *kubelet)
{
    int64_t high = decode_count(d, kubelet, "imageGCHighThresholdPercent"),
            low = decode_count(d, kubelet, "imageGCLowThresholdPercent");
    if (high > 100) decode_bad(d, "imageGCHighThresholdPercent", "must be at most 100");
    if (low > 100) decode_bad(d, "imageGCLowThresholdPercent", "must be at most 100");
    if (decode_member(kubelet, "imageGCHighThresholdPercent") && decode_member(kubelet, "imageGCLowThresholdPercent") &&
        high <= low) {
        decode_bad(d, "imageGCHighThresholdPercent", "must be more than imageGCLowThresholdPercent");
    }
}

/* Reads the kubelet settings that affect instance types, and checks the others by the API's rules. Fills a zeroed
 * class. The decoder's part is "spec" before and after. */
static void read_kubelet(decoder *d, const tree *spec, aws_node_class *out)
{
    const tree *kubelet = decode_object(d, spec, "kubelet");
    decode_at(d, "spec.kubelet");
    const tree *max_pods = decode_member(kubelet, "maxPods");
    out->has_max_pods = max_pods && !is_string(max_pods);
    if (out->has_max_pods) out->max_pods = decode_count(d, kubelet, "maxPods");
    out->pods_per_core = decode_count(d, kubelet, "podsPerCore");
    out->kube_reserved = reserved_at(d, kubelet, "kubeReserved", &out->kube_reserved_count);
    out->system_reserved = reserved_at(d, kubelet, "systemReserved", &out->system_reserved_count);
    check_thresholds(d, kubelet, "evictionHard");
    const tree *thresholds = decode_object(d, kubelet, "evictionHard");
    out->evict_memory = decode_text(d, thresholds, "memory.available");
    out->evict_nodefs = decode_text(d, thresholds, "nodefs.available");
    check_soft(d, kubelet);
    check_images(d, kubelet);
    decode_at(d, "spec");
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

/* An operator's number; KARP_OP_UNKNOWN = invalid. */
static uint32_t operator_of(karp_str word)
{
    static const char *const words[] = { [KARP_OP_IN] = "In",         [KARP_OP_NOT_IN] = "NotIn",
                                         [KARP_OP_EXISTS] = "Exists", [KARP_OP_DOES_NOT_EXIST] = "DoesNotExist",
                                         [KARP_OP_GT] = "Gt",         [KARP_OP_LT] = "Lt" };
    for (uint32_t i = KARP_OP_IN; i < sizeof words / sizeof *words; i++) {
        if (str_is(word, words[i])) return i;
    }
    return KARP_OP_UNKNOWN;
}

static void read_image(decoder *d, const tree *image, aws_image *out)
{
    const tree *requirements, *values;
    out->id = decode_text(d, image, "id");
    size_t count = decode_list(d, image, "requirements", &requirements);
    karp_requirement *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const tree *requirement = tree_item(requirements, i);
        list[i].key = decode_text(d, requirement, "key");
        list[i].op = operator_of(decode_text(d, requirement, "operator"));
        if (list[i].op == KARP_OP_UNKNOWN) decode_bad(d, "requirements", "have an unknown operator");
        list[i].value_count = decode_list(d, requirement, "values", &values);
        karp_str *texts = scratch_array(d->s, list[i].value_count, sizeof *texts);
        for (size_t k = 0; texts && k < list[i].value_count; k++) {
            const tree *value = tree_item(values, k);
            if (!is_string(value)) decode_bad(d, "requirements", "have a value that is not text");
            else texts[k] = scratch_text(d->s, tree_text(value));
        }
        list[i].values = texts;
    }
    out->requirements = list;
    out->requirement_count = list ? count : 0;
}

static void read_images(decoder *d, const tree *status, aws_node_class *out)
{
    const tree *images;
    decode_at(d, "status");
    size_t count = decode_list(d, status, "amis", &images);
    aws_image *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        decode_at_element(d, "status.amis", i);
        read_image(d, tree_item(images, i), &list[i]);
    }
    out->images = list;
    out->image_count = list ? count : 0;
}

static void read_status(decoder *d, const tree *status, aws_node_class *out)
{
    const tree *subnets, *reservations;
    decode_at(d, "status");
    size_t subnet_count = decode_list(d, status, "subnets", &subnets);
    size_t reservation_count = decode_list(d, status, "capacityReservations", &reservations);
    aws_subnet *subnet_list = scratch_array(d->s, subnet_count, sizeof *subnet_list);
    aws_reservation *reservation_list = scratch_array(d->s, reservation_count, sizeof *reservation_list);
    if (!subnet_list || !reservation_list) return;
    for (size_t i = 0; i < subnet_count; i++) {
        const tree *subnet = tree_item(subnets, i);
        decode_at_element(d, "status.subnets", i);
        subnet_list[i] = (aws_subnet){ decode_text(d, subnet, "zone"), decode_text(d, subnet, "zoneID"),
                                       decode_text(d, subnet, "id"),
                                       decode_count(d, subnet, "availableIPAddressCount") };
    }
    for (size_t i = 0; i < reservation_count; i++) {
        static const karp_str usual = TEXT("default");
        const tree *reservation = tree_item(reservations, i);
        aws_reservation *r = &reservation_list[i];
        decode_at_element(d, "status.capacityReservations", i);
        r->id = decode_text(d, reservation, "id");
        r->instance_type = decode_text(d, reservation, "instanceType");
        r->zone = decode_text(d, reservation, "availabilityZone");
        r->kind = decode_text(d, reservation, "reservationType");
        if (r->kind.len == 0) r->kind = usual;
        r->available_count = decode_count(d, reservation, "availableInstanceCount");
        r->interruptible = decode_flag(d, reservation, "interruptible");
        r->expiring = str_is(decode_text(d, reservation, "state"), "expiring");
        if (r->id.len == 0 || r->zone.len == 0) decode_bad(d, "", "must state id and availabilityZone");
    }
    out->subnets = subnet_list;
    out->subnet_count = subnet_count;
    out->reservations = reservation_list;
    out->reservation_count = reservation_count;
    decode_at(d, "status");
    out->security_groups = decode_texts(d, status, "securityGroups", "status.securityGroups", "id",
                                        &out->security_group_count);
    read_images(d, status, out);
    decode_at(d, "status");
    const tree *group = decode_object(d, status, "placementGroup");
    decode_at(d, "status.placementGroup");
    out->placement_group.id = decode_text(d, group, "id");
    out->placement_group.strategy = decode_text(d, group, "strategy");
    out->placement_group.partitions = decode_count(d, group, "partitionCount");
}

/* ---- the whole class --------------------------------------------------------------------------------------------- */

static void read_class(decoder *d, const tree *root, aws_node_class *out)
{
    const tree *spec = decode_object(d, root, "spec");
    const tree *status = decode_object(d, root, "status");
    decode_at(d, "spec");
    out->family = family_at(d, spec);
    read_kubelet(d, spec, out);
    read_disks(d, spec, out);
    read_interfaces(d, spec, out);
    out->connection_tracking = decode_object(d, spec, "connectionTracking") != NULL;
    decode_at(d, "spec.cpuOptions");
    const tree *cpu = decode_object(d, spec, "cpuOptions");
    out->nested_virtualization = str_is(decode_word(d, cpu, "nestedVirtualization", "enabled disabled"), "enabled");
    decode_at(d, "spec.enclaveOptions");
    out->enclaves = decode_flag(d, decode_object(d, spec, "enclaveOptions"), "enabled");
    decode_at(d, "spec");
    read_status(d, status, out);
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
    (void)aws_gpu_sharing_parse(tree_get_text(annotations, AWS_GPU_SHARING), &out->gpu_sharing, &out->gpu_shares);
}

karp_status aws_node_class_read(scratch *s, const tree *root, aws_node_class *out, karp_error *error)
{
    aws_node_class result;
    memset(&result, 0, sizeof result);
    decoder d;
    decode_begin(&d, s->context, s, error);
    if (decode_root(&d, root, "an EC2NodeClass")) {
        read_class(&d, root, &result);
        read_annotations(&d, root, &result);
    }
    decode_end(&d);
    if (d.status) return d.status;
    if (s->failed) return fail_nomem(error);
    *out = result;
    return KARP_OK;
}

/* ---- equality ---------------------------------------------------------------------------------------------------- */

static bool same_resources(const karp_resource *a, size_t a_count, const karp_resource *b, size_t b_count)
{
    bool equal = a_count == b_count;
    for (size_t i = 0; equal && i < a_count; i++)
        equal = equal_str(a[i].name, b[i].name) && equal_str(a[i].text, b[i].text);
    return equal;
}

static bool same_disks(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->raid0 == b->raid0 && a->block_device_count == b->block_device_count;
    for (size_t i = 0; equal && i < a->block_device_count; i++) {
        const aws_block_device *x = &a->block_devices[i], *y = &b->block_devices[i];
        equal = equal_str(x->device, y->device) && equal_str(x->size, y->size) && x->root == y->root;
    }
    return equal;
}

static bool same_network(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->has_interfaces == b->has_interfaces && a->interface_count == b->interface_count &&
                 a->connection_tracking == b->connection_tracking &&
                 a->nested_virtualization == b->nested_virtualization && a->enclaves == b->enclaves &&
                 a->subnet_count == b->subnet_count;
    for (size_t i = 0; equal && i < a->interface_count; i++) {
        const aws_network_interface *x = &a->interfaces[i], *y = &b->interfaces[i];
        equal = x->card == y->card && x->device == y->device && x->efa_only == y->efa_only;
    }
    for (size_t i = 0; equal && i < a->subnet_count; i++) {
        const aws_subnet *x = &a->subnets[i], *y = &b->subnets[i];
        equal = equal_str(x->zone, y->zone) && equal_str(x->zone_id, y->zone_id) &&
                equal_str(x->id, y->id); /* it may be marked */
    }
    return equal;
}

static bool same_capacity(const aws_node_class *a, const aws_node_class *b)
{
    const aws_placement_group *x = &a->placement_group, *y = &b->placement_group;
    bool equal = equal_str(x->id, y->id) && equal_str(x->strategy, y->strategy) && x->partitions == y->partitions &&
                 a->reservation_count == b->reservation_count;
    for (size_t i = 0; equal && i < a->reservation_count; i++) {
        const aws_reservation *r = &a->reservations[i], *q = &b->reservations[i];
        equal = equal_str(r->id, q->id) && equal_str(r->instance_type, q->instance_type) &&
                equal_str(r->zone, q->zone) && equal_str(r->kind, q->kind) &&
                r->available_count == q->available_count && r->interruptible == q->interruptible &&
                r->expiring == q->expiring;
    }
    return equal;
}

bool aws_node_class_same_images(const aws_node_class *a, const aws_node_class *b)
{
    bool equal = a->image_count == b->image_count;
    for (size_t i = 0; equal && i < a->image_count; i++) equal = equal_str(a->images[i].id, b->images[i].id);
    return equal;
}

bool aws_node_class_equal(const aws_node_class *a, const aws_node_class *b)
{
    return a->family == b->family && a->has_max_pods == b->has_max_pods && a->max_pods == b->max_pods &&
           a->pods_per_core == b->pods_per_core && equal_str(a->evict_memory, b->evict_memory) &&
           equal_str(a->evict_nodefs, b->evict_nodefs) &&
           same_resources(a->kube_reserved, a->kube_reserved_count, b->kube_reserved, b->kube_reserved_count) &&
           same_resources(a->system_reserved, a->system_reserved_count, b->system_reserved, b->system_reserved_count) &&
           a->gpu_sharing == b->gpu_sharing && a->gpu_shares == b->gpu_shares && same_disks(a, b) &&
           same_network(a, b) && same_capacity(a, b);
}
