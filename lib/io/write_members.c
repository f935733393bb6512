/* SPDX-License-Identifier: Apache-2.0 */
#include "write_members.h"

void json_strings(json_out *j, const karp_str *values, size_t count)
{
    json_flat_array(j);
    for (size_t i = 0; i < count; i++) {
        json_str(j, values[i]);
    }
    json_end(j);
}

void json_member_strings(json_out *j, const char *key, const karp_str *values, size_t count)
{
    json_key(j, key);
    json_strings(j, values, count);
}

void json_member_resources(json_out *j, const char *key, const karp_resource *list, size_t count)
{
    json_key(j, key);
    json_flat_object(j);
    for (size_t i = 0; i < count; i++) {
        json_key_str(j, list[i].name);
        json_str(j, list[i].text);
    }
    json_end(j);
}

void json_member_labels(json_out *j, const char *key, const karp_label *labels, size_t count)
{
    json_key(j, key);
    json_open_object(j);
    for (size_t i = 0; i < count; i++) {
        json_key_str(j, labels[i].key);
        json_str(j, labels[i].value);
    }
    json_end(j);
}

void json_choice_members(json_out *j, const karp_choice *choice)
{
    json_member_str(j, "instanceType", choice->instance_type);
    json_member_str(j, "zone", choice->zone);
    json_member_str(j, "capacityType", choice->capacity_type);
    json_key(j, "price");
    json_price(j, choice->price);
}
