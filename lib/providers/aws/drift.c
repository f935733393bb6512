/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/plugin.h>

#include <string.h>

#include <providers/match.h>

#define MINUTES(n) (INT64_C(60000000000) * (n))

const karp_repair_policy aws_repairs[] = {
    { TEXT("Ready"), TEXT("False"), MINUTES(30) },
    { TEXT("Ready"), TEXT("Unknown"), MINUTES(30) },
    { TEXT("AcceleratedHardwareReady"), TEXT("False"), MINUTES(10) },
    { TEXT("StorageReady"), TEXT("False"), MINUTES(30) },
    { TEXT("NetworkingReady"), TEXT("False"), MINUTES(30) },
    { TEXT("KernelReady"), TEXT("False"), MINUTES(30) },
    { TEXT("ContainerRuntimeReady"), TEXT("False"), MINUTES(30) },
};
const size_t aws_repair_count = sizeof aws_repairs / sizeof *aws_repairs;

/* Hashes of different versions are not compared. Karpenter's own hash is compared with the one in the class's
 * annotations. */
static bool class_changed(const aws_node_class *c, const karp_provider_node *n)
{
    karp_str version = plugin_value_of(n->annotations, n->annotation_count, AWS_GROUP "ec2nodeclass-hash-version");
    karp_str hash = plugin_value_of(n->annotations, n->annotation_count, AWS_GROUP "ec2nodeclass-hash");
    if (hash.len == 0) return false;
    if (str_is(version, AWS_HASH_VERSION)) return !plugin_is_hash(hash, c->hash);
    return version.len && equal_str(version, c->stated_hash_version) && c->stated_hash.len &&
           !equal_str(hash, c->stated_hash);
}

/* Finds the first image whose requirements match the type, and compares it with the node's. */
static bool image_changed(const aws_node_class *c, const karp_provider_node *n, const karp_requirement *type,
                          size_t count)
{
    if (c->image_count == 0 || n->image_id.len == 0) return false;
    for (size_t i = 0; i < c->image_count; i++) {
        const aws_image *image = &c->images[i];
        if (!match_agree(image->requirements, image->requirement_count, type, count)) continue;
        return !equal_str(image->id, n->image_id);
    }
    return true;
}

static bool has(const karp_str *list, size_t count, karp_str text)
{
    for (size_t i = 0; i < count; i++) {
        if (equal_str(list[i], text)) return true;
    }
    return false;
}

static bool groups_changed(const aws_node_class *c, const karp_provider_node *n)
{
    bool same = true;
    if (c->security_group_count == 0) return false;
    for (size_t i = 0; same && i < n->security_group_count; i++)
        same = has(c->security_groups, c->security_group_count, n->security_groups[i]);
    for (size_t i = 0; same && i < c->security_group_count; i++)
        same = has(n->security_groups, n->security_group_count, c->security_groups[i]);
    return !same;
}

static bool subnet_gone(const aws_node_class *c, const karp_provider_node *n)
{
    if (c->subnet_count == 0 || n->subnet_id.len == 0) return false;
    for (size_t i = 0; i < c->subnet_count; i++) {
        if (equal_str(c->subnets[i].id, n->subnet_id)) return false;
    }
    return true;
}

static bool reservation_gone(const aws_node_class *c, const karp_provider_node *n)
{
    for (size_t i = 0; i < c->reservation_count; i++) {
        if (equal_str(c->reservations[i].id, n->reservation_id)) return false;
    }
    return n->reservation_id.len > 0;
}

static bool placement_changed(const aws_node_class *c, const karp_provider_node *n)
{
    return !equal_str(plugin_value_of(n->labels, n->label_count, AWS_GROUP "placement-group-id"),
                      c->placement_group.id);
}

karp_str aws_drift(const aws_node_class *c, const karp_provider_node *n, const karp_requirement *type, size_t count)
{
    static const karp_str none = TEXT(""), class_ = TEXT("NodeClassDrift"), image = TEXT("AMIDrift"),
                          groups = TEXT("SecurityGroupDrift"), subnet = TEXT("SubnetDrift"),
                          reservation = TEXT("CapacityReservationDrift"), placement = TEXT("PlacementGroupDrift");
    if (plugin_value_of(n->labels, n->label_count, "karpenter.sh/nodepool").len == 0) return none;
    if (class_changed(c, n)) return class_;
    if (image_changed(c, n, type, count)) return image;
    if (groups_changed(c, n)) return groups;
    if (subnet_gone(c, n)) return subnet;
    if (reservation_gone(c, n)) return reservation;
    return placement_changed(c, n) ? placement : none;
}
