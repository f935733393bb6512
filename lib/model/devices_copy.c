/* SPDX-License-Identifier: Apache-2.0 */
#include <model/copy.h>

#include <base/error.h>
#include <model/quantity.h>

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

static amount copy_amount(copier *c, karp_str text, const char *field)
{
    quantity q = { .value = amount_from(0) };
    if (c->status != KARP_OK) return q.value;
    int result = text.ptr != NULL ? quantity_parse(text.ptr, text.len, &q) : QUANTITY_SYNTAX;
    if (result == QUANTITY_SYNTAX) copy_blame(c, fail(c->error, KARP_E_INVALID, "not a quantity"), field);
    if (result == QUANTITY_RANGE)
        copy_blame(c, fail(c->error, KARP_E_RANGE, "too large or too fine a quantity"), field);
    return q.value;
}

static some_amount copy_some(copier *c, karp_str text, const char *field)
{
    some_amount a = { .given = text.len > 0 };
    if (a.given) a.value = copy_amount(c, text, field);
    return a;
}

named_amounts copy_shares(copier *c, const karp_resource *list, size_t count)
{
    named_amount *items = copy_alloc_list(c, list, count, sizeof *items);
    if (items == NULL) return (named_amounts){ NULL, 0 };
    for (size_t i = 0; i < count && c->status == KARP_OK; i++) {
        items[i].name = copy_text(c, list[i].name);
        if (list[i].text.ptr != NULL) {
            items[i].value = copy_amount(c, list[i].text, NULL);
            continue;
        }
        amount value = amount_from(list[i].value); /* value × 10^scale, in units of 10^-9 */
        bool fits = list[i].scale >= -9 && list[i].scale <= 18;
        for (int32_t s = -9; fits && s < list[i].scale; s++) {
            amount tenfold;
            bool negative = amount_sign(value) < 0;
            fits = amount_mul(negative ? amount_neg(value) : value, 10, &tenfold);
            value = fits && negative ? amount_neg(tenfold) : tenfold;
        }
        if (!fits) copy_blame(c, fail(c->error, KARP_E_RANGE, "the amount is out of range"), NULL);
        items[i].value = value;
    }
    return (named_amounts){ items, c->status == KARP_OK ? (uint32_t)count : 0 };
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

counter_sets copy_counter_sets(copier *c, const char *field, const karp_counter_set *list, size_t count)
{
    path_enter(c, field);
    counter_set *items = copy_alloc_list(c, list, count, sizeof *items);
    for (size_t i = 0; items != NULL && i < count && c->status == KARP_OK; i++) {
        path_at(c, i);
        items[i].name = copy_text(c, list[i].name);
        named_amount *counters = copy_alloc_list(c, list[i].counters, list[i].counter_count, sizeof *counters);
        for (size_t k = 0; counters != NULL && k < list[i].counter_count; k++) {
            counters[k].name = copy_text(c, list[i].counters[k].name);
            counters[k].value = copy_amount(c, list[i].counters[k].value, "counters");
        }
        items[i].counters = (named_amounts){ counters, counters != NULL ? (uint32_t)list[i].counter_count : 0 };
    }
    if (c->status != KARP_OK) return (counter_sets){ NULL, 0 };
    path_leave(c);
    return (counter_sets){ items, items != NULL ? (uint32_t)count : 0 };
}

static void copy_attributes(copier *c, const karp_device *given, device *out)
{
    path_enter(c, "attributes");
    device_attribute *items = copy_alloc_list(c, given->attributes, given->attribute_count, sizeof *items);
    for (size_t i = 0; items != NULL && i < given->attribute_count && c->status == KARP_OK; i++) {
        const karp_device_attribute *a = &given->attributes[i];
        path_at(c, i);
        copy_reserved(c, a->reserved, "karp_device_attribute");
        items[i].name = copy_text(c, a->name);
        items[i].kind = a->kind;
        items[i].number = a->kind == KARP_ATTRIBUTE_BOOL ? a->number != 0 : a->number;
        items[i].text = copy_text(c, a->text);
        if (c->status == KARP_OK && a->kind > KARP_ATTRIBUTE_VERSION)
            copy_blame(c, fail(c->error, KARP_E_INVALID, "unknown kind %u", (unsigned)a->kind), NULL);
    }
    path_leave(c);
    out->attributes = items;
    out->attribute_count = items != NULL ? (uint32_t)given->attribute_count : 0;
}

static const request_policy *copy_policy(copier *c, const karp_request_policy *given)
{
    if (given == NULL || c->status != KARP_OK) return NULL;
    request_policy *p = arena_zalloc(c->to, sizeof *p);
    if (p == NULL) return copy_refuse(c);
    copy_reserved(c, given->reserved, "karp_request_policy");
    p->default_ = copy_some(c, given->default_, "requestPolicy.default");
    p->minimum = copy_some(c, given->minimum, "requestPolicy.validRange.min");
    p->maximum = copy_some(c, given->maximum, "requestPolicy.validRange.max");
    p->step = copy_some(c, given->step, "requestPolicy.validRange.step");
    p->has_range = given->has_range != 0;
    amount *valid = copy_alloc_list(c, given->valid_values, given->valid_value_count, sizeof *valid);
    for (size_t i = 0; valid != NULL && i < given->valid_value_count; i++)
        valid[i] = copy_amount(c, given->valid_values[i], "requestPolicy.validValues");
    p->valid = valid;
    p->valid_count = valid != NULL ? (uint32_t)given->valid_value_count : 0;
    return p;
}

static void copy_capacity(copier *c, const karp_device *given, device *out)
{
    path_enter(c, "capacity");
    device_capacity *items = copy_alloc_list(c, given->capacity, given->capacity_count, sizeof *items);
    for (size_t i = 0; items != NULL && i < given->capacity_count && c->status == KARP_OK; i++) {
        path_at(c, i);
        items[i].name = copy_text(c, given->capacity[i].name);
        items[i].value = copy_amount(c, given->capacity[i].value, "value");
        items[i].policy = copy_policy(c, given->capacity[i].policy);
    }
    path_leave(c);
    out->capacity = items;
    out->capacity_count = items != NULL ? (uint32_t)given->capacity_count : 0;
}

device_list copy_devices(copier *c, const karp_device *list, size_t count)
{
    path_enter(c, "devices");
    device *items = copy_alloc_list(c, list, count, sizeof *items);
    for (size_t i = 0; items != NULL && i < count && c->status == KARP_OK; i++) {
        path_at(c, i);
        copy_reserved(c, list[i].reserved, "karp_device");
        items[i].name = copy_text(c, list[i].name);
        items[i].shared = list[i].allow_multiple != 0;
        copy_attributes(c, &list[i], &items[i]);
        copy_capacity(c, &list[i], &items[i]);
        items[i].consumes = copy_counter_sets(c, "consumesCounters", list[i].consumes, list[i].consume_count);
    }
    if (c->status != KARP_OK) return (device_list){ NULL, 0 };
    path_leave(c);
    return (device_list){ items, items != NULL ? (uint32_t)count : 0 };
}

/* ---- instance types ---------------------------------------------------------------------------------------------- */

static void copy_templates(copier *c, const karp_instance_type *given, struct type_devices *out)
{
    path_enter(c, "dynamicResources.resourceSlices");
    device_template *items = copy_alloc_list(c, given->device_templates, given->device_template_count, sizeof *items);
    for (size_t i = 0; items != NULL && i < given->device_template_count && c->status == KARP_OK; i++) {
        const karp_device_template *t = &given->device_templates[i];
        path_at(c, i);
        items[i].driver = copy_text(c, t->driver);
        items[i].pool = copy_text(c, t->pool);
        items[i].devices = copy_devices(c, t->devices, t->device_count);
        items[i].counters = copy_counter_sets(c, "sharedCounters", t->shared_counters, t->shared_counter_count);
        if (c->status == KARP_OK && items[i].counters.count > 0 && items[i].devices.count > 0)
            copy_blame(c, fail(c->error, KARP_E_INVALID, "a slice has shared counters or devices, not both"), NULL);
    }
    path_leave(c);
    out->templates = items;
    out->template_count = items != NULL ? (uint32_t)given->device_template_count : 0;
}

static void copy_bindings(copier *c, const karp_instance_type *given, struct type_devices *out)
{
    path_enter(c, "dynamicResources.attributeBindings");
    attribute_binding *items = copy_alloc_list(c, given->attribute_bindings, given->attribute_binding_count,
                                               sizeof *items);
    for (size_t i = 0; items != NULL && i < given->attribute_binding_count && c->status == KARP_OK; i++) {
        const karp_attribute_binding *b = &given->attribute_bindings[i];
        path_at(c, i);
        items[i].attribute = copy_text(c, b->attribute);
        device_id *ids = copy_alloc_list(c, b->devices, b->device_count, sizeof *ids);
        for (size_t k = 0; ids != NULL && k < b->device_count; k++) {
            ids[k] = (device_id){ copy_text(c, b->devices[k].driver), copy_text(c, b->devices[k].pool),
                                  copy_text(c, b->devices[k].device) };
        }
        items[i].devices = ids;
        items[i].device_count = ids != NULL ? (uint32_t)b->device_count : 0;
    }
    path_leave(c);
    out->bindings = items;
    out->binding_count = items != NULL ? (uint32_t)given->attribute_binding_count : 0;
}

const struct type_devices *copy_type_devices(copier *c, const karp_instance_type *given)
{
    if (c->status != KARP_OK || (given->device_template_count == 0 && given->attribute_binding_count == 0)) return NULL;
    struct type_devices *out = arena_zalloc(c->to, sizeof *out);
    if (out == NULL) return copy_refuse(c);
    copy_templates(c, given, out);
    copy_bindings(c, given, out);
    return out;
}

/* ---- the public form --------------------------------------------------------------------------------------------- */

/* A copy of a list whose elements still point to the caller's memory; callers replace these pointers. */
static void *shallow(copier *c, const void *list, size_t count, size_t element)
{
    if (c->status != KARP_OK || count == 0) return NULL;
    void *copy = arena_copy(c->to, list, count * element); /* the product was checked when the list was read */
    if (copy == NULL) copy_refuse(c);
    return copy;
}

static const karp_counter_set *show_sets(copier *c, const karp_counter_set *list, size_t count)
{
    karp_counter_set *sets = shallow(c, list, count, sizeof *sets);
    for (size_t i = 0; sets != NULL && i < count; i++) {
        sets[i].name = copy_string(c, list[i].name);
        karp_counter *counters = shallow(c, list[i].counters, list[i].counter_count, sizeof *counters);
        for (size_t k = 0; counters != NULL && k < list[i].counter_count; k++) {
            counters[k] = (karp_counter){ copy_string(c, list[i].counters[k].name),
                                          copy_string(c, list[i].counters[k].value) };
        }
        sets[i].counters = counters;
    }
    return sets;
}

static const karp_request_policy *show_policy(copier *c, const karp_request_policy *given)
{
    if (given == NULL) return NULL;
    karp_request_policy *p = shallow(c, given, 1, sizeof *p);
    if (p == NULL) return NULL;
    p->default_ = copy_string(c, given->default_);
    p->minimum = copy_string(c, given->minimum);
    p->maximum = copy_string(c, given->maximum);
    p->step = copy_string(c, given->step);
    karp_str *values = shallow(c, given->valid_values, given->valid_value_count, sizeof *values);
    for (size_t i = 0; values != NULL && i < given->valid_value_count; i++)
        values[i] = copy_string(c, given->valid_values[i]);
    p->valid_values = values;
    return p;
}

static const karp_device *show_devices(copier *c, const karp_device *list, size_t count)
{
    karp_device *devices = shallow(c, list, count, sizeof *devices);
    for (size_t i = 0; devices != NULL && i < count && c->status == KARP_OK; i++) {
        const karp_device *d = &list[i];
        devices[i].name = copy_string(c, d->name);
        karp_device_attribute *attributes = shallow(c, d->attributes, d->attribute_count, sizeof *attributes);
        for (size_t k = 0; attributes != NULL && k < d->attribute_count; k++) {
            attributes[k].name = copy_string(c, d->attributes[k].name);
            attributes[k].text = copy_string(c, d->attributes[k].text);
        }
        devices[i].attributes = attributes;
        karp_device_capacity *capacity = shallow(c, d->capacity, d->capacity_count, sizeof *capacity);
        for (size_t k = 0; capacity != NULL && k < d->capacity_count; k++) {
            capacity[k].name = copy_string(c, d->capacity[k].name);
            capacity[k].value = copy_string(c, d->capacity[k].value);
            capacity[k].policy = show_policy(c, d->capacity[k].policy);
        }
        devices[i].capacity = capacity;
        devices[i].consumes = show_sets(c, d->consumes, d->consume_count);
    }
    return devices;
}

void show_type_devices(copier *c, const karp_instance_type *given, karp_instance_type *shown)
{
    karp_device_template *templates = shallow(c, given->device_templates, given->device_template_count,
                                              sizeof *templates);
    for (size_t i = 0; templates != NULL && i < given->device_template_count && c->status == KARP_OK; i++) {
        const karp_device_template *t = &given->device_templates[i];
        templates[i].driver = copy_string(c, t->driver);
        templates[i].pool = copy_string(c, t->pool);
        templates[i].devices = show_devices(c, t->devices, t->device_count);
        templates[i].shared_counters = show_sets(c, t->shared_counters, t->shared_counter_count);
    }
    karp_attribute_binding *bindings = shallow(c, given->attribute_bindings, given->attribute_binding_count,
                                               sizeof *bindings);
    for (size_t i = 0; bindings != NULL && i < given->attribute_binding_count && c->status == KARP_OK; i++) {
        const karp_attribute_binding *b = &given->attribute_bindings[i];
        bindings[i].attribute = copy_string(c, b->attribute);
        karp_device_id *ids = shallow(c, b->devices, b->device_count, sizeof *ids);
        for (size_t k = 0; ids != NULL && k < b->device_count; k++) {
            ids[k] = (karp_device_id){ copy_string(c, b->devices[k].driver), copy_string(c, b->devices[k].pool),
                                       copy_string(c, b->devices[k].device) };
        }
        bindings[i].devices = ids;
    }
    shown->device_templates = templates;
    shown->device_template_count = c->status == KARP_OK ? given->device_template_count : 0;
    shown->attribute_bindings = bindings;
    shown->attribute_binding_count = c->status == KARP_OK ? given->attribute_binding_count : 0;
}
