/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a catalogue as JSON in the format that the reader accepts, as a table, or as one row per offering. */
#include "write_catalogue.h"

#include <math.h>

#include <base/admit.h>
#include <base/operators.h>
#include <base/sort.h>
#include <karp/devices.h>
#include <karp/inspect.h>
#include <karp/library.h>

#include "write_json.h"
#include "write_text.h"

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int by_name(uint32_t a, uint32_t b, const void *catalogue)
{
    return compare_str(karp_catalogue_type(catalogue, a)->name, karp_catalogue_type(catalogue, b)->name);
}

/* The type indices by name, and by position for equal names. JSON has them in their own order: where types are equally
 * good, decisions take the first. */
static uint32_t *ordered_types(karp_context *context, const karp_catalogue *catalogue, size_t count, uint32_t format)
{
    uint32_t *order = array_alloc(context, count, sizeof(*order));
    if (order == NULL) return NULL;
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    if (format == KARP_FORMAT_JSON || sort_ids(context, order, count, by_name, catalogue)) return order;
    karp_free(context, order, (count == 0 ? 1 : count) * sizeof(*order));
    return NULL;
}

/* ---- devices: an entry's member "dynamicResources" --------------------------------------------------------------- */

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
    json_member_object(j, "attributes");
    for (size_t i = 0; i < device->attribute_count; i++) {
        const karp_device_attribute *a = &device->attributes[i];
        json_key_str(j, a->name);
        json_flat_object(j);
        if (a->kind == KARP_ATTRIBUTE_INT) json_member_int(j, "int", a->number);
        else if (a->kind == KARP_ATTRIBUTE_BOOL) json_member_bool(j, "bool", a->number != 0);
        else json_member_str(j, a->kind == KARP_ATTRIBUTE_VERSION ? "version" : "string", a->text);
        json_end(j);
    }
    json_end(j);
}

static void write_policy(json_out *j, const karp_request_policy *policy)
{
    json_member_object(j, "requestPolicy");
    write_amount(j, "default", policy->default_);
    if (policy->has_range) {
        json_member_flat_object(j, "validRange");
        write_amount(j, "min", policy->minimum);
        write_amount(j, "max", policy->maximum);
        write_amount(j, "step", policy->step);
        json_end(j);
    }
    if (policy->valid_value_count > 0)
        json_member_strings(j, "validValues", policy->valid_values, policy->valid_value_count);
    json_end(j);
}

static void write_capacity(json_out *j, const karp_device *device)
{
    if (device->capacity_count == 0) return;
    json_member_object(j, "capacity");
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
    json_member_array(j, key);
    for (size_t i = 0; i < count; i++) {
        json_open_object(j);
        json_member_str(j, name, sets[i].name);
        json_member_object(j, "counters");
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
        json_member_array(j, "devices");
        for (size_t i = 0; i < t->device_count; i++) {
            const karp_device *device = &t->devices[i];
            json_open_object(j);
            json_member_str(j, "name", device->name);
            write_attributes(j, device);
            write_capacity(j, device);
            if (device->allow_multiple) json_member_bool(j, "allowMultipleAllocations", true);
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
    json_member_array(j, "devices");
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

/* Writes nothing if the type has none. */
static void write_type_devices(json_out *j, const karp_instance_type *type)
{
    if (type->device_template_count == 0 && type->attribute_binding_count == 0) return;
    json_member_object(j, "dynamicResources");
    if (type->device_template_count > 0) {
        json_member_array(j, "resourceSlices");
        for (size_t i = 0; i < type->device_template_count; i++) write_template(j, &type->device_templates[i]);
        json_end(j);
    }
    if (type->attribute_binding_count > 0) {
        json_member_array(j, "attributeBindings");
        for (size_t i = 0; i < type->attribute_binding_count; i++) write_binding(j, &type->attribute_bindings[i]);
        json_end(j);
    }
    json_end(j);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Whether "labels" can contain the requirement: it is a plain In, and the last on its key, because the reader adds
 * labels after requirements. */
static bool is_label(const karp_requirement *list, size_t count, size_t index)
{
    if (list[index].op != KARP_OP_IN || list[index].min_values > 0) return false;
    return !requirement_find(list + index + 1, count - index - 1, list[index].key);
}

static void write_labels(json_out *j, const karp_requirement *list, size_t count)
{
    json_member_object(j, "labels");
    for (size_t i = 0; i < count; i++) {
        if (is_label(list, count, i)) {
            json_key_str(j, list[i].key);
            json_strings(j, list[i].values, list[i].value_count);
        }
    }
    json_end(j);
}

/* Writes the requirements that are not in "labels". They are written for every type, even if there are none, because
 * then the reader derives nothing. */
static void write_requirements(json_out *j, const karp_requirement *list, size_t count)
{
    json_member_array(j, "requirements");
    for (size_t i = 0; i < count; i++) {
        if (is_label(list, count, i)) continue;
        json_flat_object(j);
        json_member_str(j, "key", list[i].key);
        json_member_text(j, "operator", operator_name(list[i].op));
        if (list[i].value_count > 0) json_member_strings(j, "values", list[i].values, list[i].value_count);
        json_end(j);
    }
    json_end(j);
}

static void write_overhead(json_out *j, const char *key, const karp_overhead *overhead)
{
    json_member_object(j, key);
    json_member_resources(j, "kubeReserved", overhead->kube_reserved, overhead->kube_reserved_count);
    json_member_resources(j, "systemReserved", overhead->system_reserved, overhead->system_reserved_count);
    json_member_resources(j, "evictionThreshold", overhead->eviction_threshold, overhead->eviction_threshold_count);
    json_end(j);
}

/* How an offering is written: zone and capacity type have short names if they are plain requirements. */
typedef struct offering_form {
    const karp_str *zone;
    const karp_str *capacity_type;
    size_t labels; /* number of labels without a short name */
    size_t others;
} offering_form;

static const karp_str **short_name(offering_form *form, const karp_offering *offering, size_t index)
{
    const karp_requirement *r = &offering->requirements[index];
    if (!is_label(offering->requirements, offering->requirement_count, index) || r->value_count != 1 ||
        r->values[0].len == 0)
        return NULL;
    if (str_is(r->key, LABEL_ZONE)) return &form->zone;
    return str_is(r->key, LABEL_CAPACITY_TYPE) ? &form->capacity_type : NULL;
}

static offering_form form_of(const karp_offering *offering)
{
    offering_form form = { 0 };
    for (size_t i = 0; i < offering->requirement_count; i++) {
        const karp_str **name = short_name(&form, offering, i);
        if (name != NULL) *name = &offering->requirements[i].values[0];
        else if (is_label(offering->requirements, offering->requirement_count, i)) form.labels++;
        else form.others++;
    }
    return form;
}

static void write_offering_labels(json_out *j, const karp_offering *offering)
{
    offering_form unused = { 0 };
    json_member_flat_object(j, "labels");
    for (size_t i = 0; i < offering->requirement_count; i++) {
        if (is_label(offering->requirements, offering->requirement_count, i) &&
            short_name(&unused, offering, i) == NULL) {
            json_key_str(j, offering->requirements[i].key);
            json_strings(j, offering->requirements[i].values, offering->requirements[i].value_count);
        }
    }
    json_end(j);
}

static void write_offering(json_out *j, const karp_offering *offering)
{
    offering_form form = form_of(offering);
    if (form.others > 0 || offering->has_capacity_override || offering->overhead_override != NULL) json_open_object(j);
    else json_flat_object(j);
    if (form.zone != NULL) json_member_str(j, "zone", *form.zone);
    if (form.capacity_type != NULL) json_member_str(j, "capacityType", *form.capacity_type);
    if (form.labels > 0) write_offering_labels(j, offering);
    /* If "requirements" is present, even if empty, the reader derives nothing. */
    if (form.others > 0 || form.zone == NULL || form.capacity_type == NULL)
        write_requirements(j, offering->requirements, offering->requirement_count);
    json_member_double(j, "price", offering->price > 0 ? offering->price : (double)INFINITY); /* null = unknown */
    json_member_bool(j, "available", offering->available != 0);
    if (offering->awaits_price) json_member_bool(j, "awaitsPrice", true);
    if (offering->reservation_capacity != 0) json_member_int(j, "reservationCapacity", offering->reservation_capacity);
    if (offering->has_capacity_override)
        json_member_resources(j, "capacityOverride", offering->capacity_override, offering->capacity_override_count);
    if (offering->overhead_override != NULL) write_overhead(j, "overheadOverride", offering->overhead_override);
    json_end(j);
}

static void write_type(json_out *j, const karp_catalogue *catalogue, size_t index)
{
    const karp_instance_type *type = karp_catalogue_type(catalogue, index);
    json_open_object(j);
    json_member_str(j, "name", type->name);
    write_labels(j, type->requirements, type->requirement_count);
    write_requirements(j, type->requirements, type->requirement_count);
    json_member_resources(j, "capacity", type->capacity, type->capacity_count);
    write_overhead(j, "overhead", &type->overhead);
    size_t count = 0;
    const karp_resource *allocatable = karp_catalogue_allocatable(catalogue, index, &count);
    json_member_resources(j, "allocatable", allocatable, allocatable == NULL ? 0 : count);
    json_member_array(j, "offerings");
    for (size_t i = 0; i < type->offering_count; i++) write_offering(j, &type->offerings[i]);
    json_end(j);
    if (type->volume_limit_count > 0) {
        json_member_flat_object(j, "volumeAttachmentLimits");
        for (size_t i = 0; i < type->volume_limit_count; i++) {
            json_key_str(j, type->volume_limits[i].driver);
            json_int(j, type->volume_limits[i].count);
        }
        json_end(j);
    }
    if (type->pod_addresses > 0) json_member_uint(j, "podAddresses", type->pod_addresses);
    write_type_devices(j, type);
    json_end(j);
}

static void catalogue_as_json(const catalogue_job *job)
{
    json_out json;
    json_init(&json, job->out, job->options->compact != 0);
    json_open_array(&json);
    for (size_t i = 0; i < job->count; i++) write_type(&json, job->catalogue, job->order[i]);
    json_close(&json);
}

karp_status write_catalogue_pieces(karp_context *context, const karp_catalogue *catalogue, const io_text_sink *sink,
                                   karp_error *error)
{
    json_out json;
    write_buffer out = buffer_on(context);
    json_init(&json, &out, true);
    json_open_array(&json);
    for (size_t i = 0; i < karp_catalogue_count(catalogue) && !out.text.failed; i++) {
        write_type(&json, catalogue, i);
        sink->add(sink->to, buffer_content(&out).ptr, buffer_content(&out).len);
        buffer_cut(&out, 0);
    }
    json_end(&json);
    sink->add(sink->to, buffer_content(&out).ptr, buffer_content(&out).len);
    karp_status status = out.text.failed ? KARP_E_NOMEM : out.status;
    buffer_free(&out);
    return status == KARP_E_NOMEM ? fail_nomem(error) : status;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

karp_str requirement_value(const karp_requirement *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(list[i].key, key) && list[i].op == KARP_OP_IN && list[i].value_count > 0) return list[i].values[0];
    }
    return (karp_str){ "", 0 };
}

static karp_str amount_text(const karp_resource *list, size_t count, const char *name)
{
    for (size_t i = 0; list != NULL && i < count; i++) {
        if (str_is(list[i].name, name)) return list[i].text;
    }
    return (karp_str){ "0", 1 };
}

static void catalogue_as_csv(const catalogue_job *job)
{
    write_buffer *b = job->out;
    buffer_text(b, "instance_type,arch,zone,capacity_type,price,available,cpu,memory,ephemeral_storage,pods\n");
    for (size_t i = 0; i < job->count; i++) {
        const karp_instance_type *type = karp_catalogue_type(job->catalogue, job->order[i]);
        size_t count = 0;
        const karp_resource *list = karp_catalogue_allocatable(job->catalogue, job->order[i], &count);
        for (size_t k = 0; k < type->offering_count; k++) {
            const karp_offering *offering = &type->offerings[k];
            csv_field(b, type->name);
            buffer_char(b, ',');
            csv_field(b, requirement_value(type->requirements, type->requirement_count, LABEL_ARCH));
            buffer_char(b, ',');
            csv_field(b, requirement_value(offering->requirements, offering->requirement_count, LABEL_ZONE));
            buffer_char(b, ',');
            csv_field(b, requirement_value(offering->requirements, offering->requirement_count, LABEL_CAPACITY_TYPE));
            buffer_char(b, ',');
            if (offering->price > 0) buffer_double(b, offering->price);
            buffer_text(b, offering->available ? ",true" : ",false");
            static const char *const columns[] = { "cpu", "memory", "ephemeral-storage", "pods" };
            for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
                buffer_char(b, ',');
                csv_field(b, amount_text(list, count, columns[c]));
            }
            buffer_char(b, '\n');
        }
    }
}

/* ---- the public function ----------------------------------------------------------------------------------------- */

karp_status karp_write_catalogue(karp_context *context, const karp_catalogue *catalogue,
                                 const karp_write_options *options, karp_text *out, karp_error *error)
{
    static void (*const formats[])(const catalogue_job *) = {
        [KARP_FORMAT_JSON] = catalogue_as_json,
        [KARP_FORMAT_TEXT] = catalogue_as_text,
        [KARP_FORMAT_CSV] = catalogue_as_csv,
    };
    uint32_t known = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT | 1u << KARP_FORMAT_CSV;
    write_call call = { .context = context, .out = out, .error = error };
    karp_status status = write_begin(&call, options, catalogue, "a catalogue", known);
    if (status != KARP_OK) return status;
    size_t count = karp_catalogue_count(catalogue);
    if (count > UINT32_MAX) return fail(error, KARP_E_LIMIT, "too many instance types");
    uint32_t *order = ordered_types(context, catalogue, count, call.options.format);
    if (order == NULL) return fail_nomem(error);
    catalogue_job job = { context, catalogue, order, count, &call.options, &call.buffer, error };
    formats[call.options.format](&job);
    karp_free(context, order, (count == 0 ? 1 : count) * sizeof(*order));
    return write_end(&call);
}
