/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/node_class.h>

#include <providers/decode.h>

static void read_groups(decoder *d, const tree *status, aws_node_class *out)
{
    const tree *groups;
    decode_at(d, "status");
    size_t count = decode_list(d, status, "securityGroups", &groups);
    karp_str *list = scratch_array(d->s, count, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        decode_at_element(d, "status.securityGroups", i);
        list[i] = decode_text(d, tree_item(groups, i), "id");
    }
    out->security_groups = list;
    out->security_group_count = list ? count : 0;
}

/* An operator's number; KARP_OP_UNKNOWN = invalid. */
static uint32_t operator_of(karp_str word)
{
    static const char *const words[] = { [KARP_OP_IN] = "In",         [KARP_OP_NOT_IN] = "NotIn",
                                         [KARP_OP_EXISTS] = "Exists", [KARP_OP_DOES_NOT_EXIST] = "DoesNotExist",
                                         [KARP_OP_GT] = "Gt",         [KARP_OP_LT] = "Lt" };
    for (uint32_t i = KARP_OP_IN; i < sizeof words / sizeof *words; i++) {
        if (match_is(word, words[i])) return i;
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

void aws_read_status(decoder *d, const tree *status, aws_node_class *out)
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
        r->expiring = match_is(decode_text(d, reservation, "state"), "expiring");
        if (r->id.len == 0 || r->zone.len == 0) decode_bad(d, "", "must state id and availabilityZone");
    }
    out->subnets = subnet_list;
    out->subnet_count = subnet_count;
    out->reservations = reservation_list;
    out->reservation_count = reservation_count;
    read_groups(d, status, out);
    read_images(d, status, out);
    decode_at(d, "status");
    const tree *group = decode_object(d, status, "placementGroup");
    decode_at(d, "status.placementGroup");
    out->placement_group.id = decode_text(d, group, "id");
    out->placement_group.strategy = decode_text(d, group, "strategy");
    out->placement_group.partitions = decode_count(d, group, "partitionCount");
}
