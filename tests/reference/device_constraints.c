/* SPDX-License-Identifier: Apache-2.0 */
/* matchAttribute, and attributes that are known only on the node (dra.md D1, D7). */
#include <string.h>

#include "devices.h"
#include "memory.h"

/* ------------------------------------------------------------------------------------------------ bindings */

/** Bindings do not tell devices of a type from published ones. */
static bool is_named(const json_t *entry, const struct device_id *id)
{
    return strcmp(ref_text(entry, "driver"), id->driver) == 0 && strcmp(ref_text(entry, "pool"), id->pool) == 0 &&
           strcmp(ref_text(entry, "device"), id->device) == 0;
}

static bool lists(const json_t *binding, const struct device_id *id)
{
    for (size_t i = 0; i < ref_length(binding, "devices"); i++) {
        if (is_named(ref_item(binding, "devices", i), id)) {
            return true;
        }
    }
    return false;
}

/** Groups of one device mean nothing. */
static bool applies(const json_t *binding, const char *attribute)
{
    return strcmp(ref_text(binding, "attribute"), attribute) == 0 && ref_length(binding, "devices") >= 2;
}

static bool is_bound(const json_t *bindings, const char *attribute, const struct device_id *id)
{
    for (size_t i = 0; i < json_array_size(bindings); i++) {
        if (applies(json_array_get(bindings, i), attribute) && lists(json_array_get(bindings, i), id)) {
            return true;
        }
    }
    return false;
}

static bool meet(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < ref_length(a, "devices"); i++) {
        const json_t *d = ref_item(a, "devices", i);
        struct device_id id = { ref_text(d, "driver"), ref_text(d, "pool"), ref_text(d, "device"), false };
        if (lists(b, &id)) {
            return true;
        }
    }
    return false;
}

/** Groups that share a device are one. */
static bool bound_together(const json_t *bindings, const char *attribute, const struct device_id *a,
                           const struct device_id *b)
{
    size_t count = json_array_size(bindings);
    bool *reached = ref_alloc(count + 1), grows = true;
    for (size_t i = 0; i < count; i++) {
        reached[i] = applies(json_array_get(bindings, i), attribute) && lists(json_array_get(bindings, i), a);
    }
    while (grows) {
        grows = false;
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; !reached[i] && j < count && applies(json_array_get(bindings, i), attribute); j++) {
                reached[i] = reached[j] && meet(json_array_get(bindings, i), json_array_get(bindings, j));
                grows = grows || reached[i];
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (reached[i] && lists(json_array_get(bindings, i), b)) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ the constraint */

static bool concerns(const struct constraint *c, const struct request_name *name)
{
    return c->requests.count == 0 || ref_names_has(c->requests, name->parent) ||
           (name->sub != NULL && ref_names_has(c->requests, ref_format("%s/%s", name->parent, name->sub)));
}

static const json_t *value_of(const struct device *device, const char *attribute)
{
    const json_t *value = ref_at(device->attributes, attribute);
    const char *slash = strchr(attribute, '/');
    size_t length = slash != NULL ? (size_t)(slash - attribute) : 0;
    if (value == NULL && slash != NULL && strlen(device->id.driver) == length &&
        strncmp(attribute, device->id.driver, length) == 0) {
        value = ref_at(device->attributes, slash + 1);
    }
    return value;
}

static bool same_value(const json_t *a, const json_t *b)
{
    static const char *const types[] = { "string", "int", "bool", "version" };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (ref_at(a, types[i]) != NULL && ref_at(b, types[i]) != NULL) {
            return json_equal(json_object_get(a, types[i]), json_object_get(b, types[i]));
        }
    }
    return false;
}

bool ref_constraint_add(struct constraint *c, const struct candidate_type *type, const struct request_name *name,
                        const struct device *device)
{
    if (!concerns(c, name)) {
        return true;
    }
    const json_t *value = value_of(device, c->attribute);
    if (value != NULL) {
        if (c->by_bindings || (c->added > 0 && !same_value(c->value, value))) {
            return false;
        }
    } else {
        const json_t *bindings = type->known != NULL ? type->known->devices->bindings : NULL;
        if ((c->added > 0 && !c->by_bindings) || !is_bound(bindings, c->attribute, &device->id) ||
            (c->added > 0 && !bound_together(bindings, c->attribute, &c->first, &device->id))) {
            return false;
        }
    }
    if (c->added++ == 0) {
        c->value = value;
        c->by_bindings = value == NULL;
        c->first = device->id;
    }
    return true;
}

void ref_constraint_remove(struct constraint *c, const struct request_name *name)
{
    if (concerns(c, name) && --c->added == 0) {
        c->value = NULL;
        c->by_bindings = false;
    }
}
