/* SPDX-License-Identifier: Apache-2.0 */
#include "write_catalogue.h"

#include <karp/values.h>
#include <string.h>

static void write_amount(json_out *j, const char *key, karp_str text)
{
    char canonical[KARP_VALUE_TEXT];
    if (text.len == 0) return;
    bool known = karp_quantity_canonical(text, canonical) == KARP_OK;
    json_member_str(j, key, known ? (karp_str){ canonical, strlen(canonical) } : text);
}

static void write_attributes(json_out *j, const karp_device *device)
{
    if (device->attribute_count == 0) return;
    json_key(j, "attributes");
    json_open_object(j);
    for (size_t i = 0; i < device->attribute_count; i++) {
        const karp_device_attribute *a = &device->attributes[i];
        json_key_str(j, a->name);
        json_flat_object(j);
        if (a->kind == KARP_ATTRIBUTE_INT) {
            json_key(j, "int");
            json_int(j, a->number);
        } else if (a->kind == KARP_ATTRIBUTE_BOOL) {
            json_key(j, "bool");
            json_bool(j, a->number != 0);
        } else {
            json_member_str(j, a->kind == KARP_ATTRIBUTE_VERSION ? "version" : "string", a->text);
        }
        json_end(j);
    }
    json_end(j);
}

static void write_policy(json_out *j, const karp_request_policy *policy)
{
    json_key(j, "requestPolicy");
    json_open_object(j);
    write_amount(j, "default", policy->default_);
    if (policy->has_range) {
        json_key(j, "validRange");
        json_flat_object(j);
        write_amount(j, "min", policy->minimum);
        write_amount(j, "max", policy->maximum);
        write_amount(j, "step", policy->step);
        json_end(j);
    }
    if (policy->valid_value_count > 0) {
        json_member_strings(j, "validValues", policy->valid_values, policy->valid_value_count);
    }
    json_end(j);
}

static void write_capacity(json_out *j, const karp_device *device)
{
    if (device->capacity_count == 0) return;
    json_key(j, "capacity");
    json_open_object(j);
    for (size_t i = 0; i < device->capacity_count; i++) {
        json_key_str(j, device->capacity[i].name);
        json_open_object(j);
        write_amount(j, "value", device->capacity[i].value);
        if (device->capacity[i].policy) write_policy(j, device->capacity[i].policy);
        json_end(j);
    }
    json_end(j);
}

/* `name` is the name of the member with the set's name. */
static void write_sets(json_out *j, const char *key, const char *name, const karp_counter_set *sets, size_t count)
{
    if (count == 0) return;
    json_key(j, key);
    json_open_array(j);
    for (size_t i = 0; i < count; i++) {
        json_open_object(j);
        json_member_str(j, name, sets[i].name);
        json_key(j, "counters");
        json_open_object(j);
        for (size_t k = 0; k < sets[i].counter_count; k++) {
            json_key_str(j, sets[i].counters[k].name);
            json_flat_object(j);
            write_amount(j, "value", sets[i].counters[k].value);
            json_end(j);
        }
        json_end(j);
        json_end(j);
    }
    json_end(j);
}

static void write_template(json_out *j, const karp_device_template *t)
{
    json_open_object(j);
    json_member_str(j, "driver", t->driver);
    json_member_str(j, "pool", t->pool);
    if (t->device_count > 0) {
        json_key(j, "devices");
        json_open_array(j);
        for (size_t i = 0; i < t->device_count; i++) {
            const karp_device *device = &t->devices[i];
            json_open_object(j);
            json_member_str(j, "name", device->name);
            write_attributes(j, device);
            write_capacity(j, device);
            if (device->allow_multiple) {
                json_key(j, "allowMultipleAllocations");
                json_bool(j, true);
            }
            write_sets(j, "consumesCounters", "counterSet", device->consumes, device->consume_count);
            json_end(j);
        }
        json_end(j);
    }
    write_sets(j, "sharedCounters", "name", t->shared_counters, t->shared_counter_count);
    json_end(j);
}

static void write_binding(json_out *j, const karp_attribute_binding *b)
{
    json_open_object(j);
    json_member_str(j, "attribute", b->attribute);
    json_key(j, "devices");
    json_open_array(j);
    for (size_t i = 0; i < b->device_count; i++) {
        json_flat_object(j);
        json_member_str(j, "driver", b->devices[i].driver);
        json_member_str(j, "pool", b->devices[i].pool);
        json_member_str(j, "device", b->devices[i].device);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void write_type_devices(json_out *j, const karp_instance_type *type)
{
    if (type->device_template_count == 0 && type->attribute_binding_count == 0) return;
    json_key(j, "dynamicResources");
    json_open_object(j);
    if (type->device_template_count > 0) {
        json_key(j, "resourceSlices");
        json_open_array(j);
        for (size_t i = 0; i < type->device_template_count; i++) write_template(j, &type->device_templates[i]);
        json_end(j);
    }
    if (type->attribute_binding_count > 0) {
        json_key(j, "attributeBindings");
        json_open_array(j);
        for (size_t i = 0; i < type->attribute_binding_count; i++) write_binding(j, &type->attribute_bindings[i]);
        json_end(j);
    }
    json_end(j);
}
