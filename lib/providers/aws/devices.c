/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of new nodes. Source: release 1.15.2, pkg/cloudprovider/dynamicresources.go, pkg/providers/nvidiadra and
 * efadra. Names of devices and pools are those of the provider; drivers choose their own on the node.
 */
#include <providers/aws/devices.h>

#include <base/str.h>
#include <providers/aws/ec2_devices.h>
#include <stdio.h>

#define GPU_DRIVER "gpu.nvidia.com"

static const karp_str memory_name = TEXT("memory"), shares_name = TEXT("shares");
static const karp_str drivers[] = { [EC2_DEVICES_EFA] = TEXT("dra.net"), [EC2_DEVICES_GPU] = TEXT(GPU_DRIVER) };
static const char *const pools[] = { [EC2_DEVICES_EFA] = "network", [EC2_DEVICES_GPU] = "gpus" };
static const char *const names[] = { [EC2_DEVICES_EFA] = "efa", [EC2_DEVICES_GPU] = "gpu" };

static karp_str text_at(uint16_t offset) { return str(ec2_devices_text + offset); }

static karp_str joined(scratch *s, const char *first, karp_str second)
{
    size_t length = strlen(first), bytes = length + second.len + 2;
    char *text = scratch_alloc(s, bytes);
    if (!text) return (karp_str){ "", 0 };
    (void)snprintf(text, bytes, "%s-%.*s", first, (int)second.len, second.ptr);
    return (karp_str){ text, bytes - 1 };
}

/* As Go's strconv.ParseInt() reads a positive number in base 10. */
static bool parse_shares(karp_str value, int64_t *out)
{
    int64_t number = 0;
    size_t i = value.len > 0 && value.ptr[0] == '+' ? 1 : 0;
    if (i == value.len) return false;
    for (; i < value.len; i++) {
        int digit = value.ptr[i] - '0';
        if (digit < 0 || digit > 9 || number > (INT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
    }
    *out = number;
    return number > 0;
}

bool aws_gpu_sharing_parse(karp_str value, aws_gpu_sharing *sharing, int64_t *shares)
{
    *sharing = AWS_SHARE_NOTHING;
    *shares = 0;
    if (value.len == 0 || str_is(value, "disabled")) return true;
    if (str_is(value, "memory")) *sharing = AWS_SHARE_MEMORY;
    else if (str_is(value, "unlimited")) *sharing = AWS_SHARE_UNLIMITED;
    else if (parse_shares(value, shares)) *sharing = AWS_SHARE_COUNT;
    return *sharing != AWS_SHARE_NOTHING;
}

/* ---- a device ---------------------------------------------------------------------------------------------------- */

static void add_attributes(scratch *s, const ec2_unit *unit, karp_device *out)
{
    const ec2_model *model = &ec2_models[unit->model];
    karp_device_attribute *list = scratch_array(s, model->count + 1U, sizeof *list);
    size_t n = 0;
    for (; list && n < model->count; n++) {
        const ec2_model_attribute *a = &ec2_model_attributes[model->first + n];
        list[n] = (karp_device_attribute){
            .name = text_at(a->name), .text = text_at(a->text), .number = a->number, .kind = a->kind
        };
    }
    if (list && unit->pcie_root)
        list[n++] = (karp_device_attribute){ .name = TEXT("resource.kubernetes.io/pcieRoot"),
                                             .text = text_at(unit->pcie_root) };
    out->attributes = list;
    out->attribute_count = n;
}

static const karp_request_policy *policy(scratch *s, karp_str usual, karp_str least, karp_str most, karp_str step)
{
    karp_request_policy *p = scratch_array(s, 1, sizeof *p);
    if (p)
        *p = (karp_request_policy){
            .default_ = usual, .minimum = least, .maximum = most, .step = step, .has_range = 1
        };
    return p;
}

/* What NVIDIA's driver publishes with consumable capacity, by the node class's annotation. */
static void share(scratch *s, const aws_node_class *c, karp_device *d, karp_device_capacity *memory)
{
    static const karp_str zero = TEXT("0"), one = TEXT("1"), mebi = TEXT("1Mi");
    bool whole = c->gpu_sharing == AWS_SHARE_MEMORY;
    memory->policy = policy(s, whole ? memory->value : zero, whole ? mebi : zero, memory->value, mebi);
    d->allow_multiple = 1;
    if (c->gpu_sharing != AWS_SHARE_COUNT) return;
    karp_str shares = scratch_uint(s, (uint64_t)c->gpu_shares);
    memory[1] = (karp_device_capacity){ .name = shares_name,
                                        .value = shares,
                                        .policy = policy(s, one, one, shares, one) };
    d->capacity_count = 2;
}

static void fill_device(scratch *s, const ec2_devices_row *row, size_t index, const aws_node_class *c, karp_device *out)
{
    const ec2_unit *unit = &ec2_units[row->first + index];
    out->name = joined(s, names[row->kind], scratch_uint(s, index));
    add_attributes(s, unit, out);
    uint16_t memory = ec2_models[unit->model].memory;
    karp_device_capacity *capacity = memory ? scratch_array(s, 2, sizeof *capacity) : NULL;
    if (!capacity) return;
    capacity[0] = (karp_device_capacity){ .name = memory_name, .value = text_at(memory) };
    out->capacity = capacity;
    out->capacity_count = 1;
    if (c->gpu_sharing != AWS_SHARE_NOTHING) share(s, c, out, capacity);
}

/* ---- a type ------------------------------------------------------------------------------------------------------ */

static void fill_template(scratch *s, const ec2_devices_row *row, const aws_node_class *c, karp_device_template *out)
{
    karp_device *devices = scratch_array(s, row->count, sizeof *devices);
    for (size_t i = 0; devices && i < row->count; i++) fill_device(s, row, i, c, &devices[i]);
    *out = (karp_device_template){ .driver = drivers[row->kind],
                                   .pool = joined(s, pools[row->kind], text_at(row->type)),
                                   .devices = devices,
                                   .device_count = row->count };
}

/* Versions that only the node knows, equal for all its GPUs. */
static void bind_versions(scratch *s, const karp_device_template *gpus, karp_instance_type *out)
{
    static const karp_str versions[] = { TEXT(GPU_DRIVER "/driverVersion"), TEXT(GPU_DRIVER "/cudaDriverVersion") };
    karp_attribute_binding *list = scratch_array(s, 2, sizeof *list);
    karp_device_id *ids = scratch_array(s, gpus->device_count, sizeof *ids);
    if (!list || !ids) return;
    for (size_t i = 0; i < gpus->device_count; i++)
        ids[i] = (karp_device_id){ gpus->driver, gpus->pool, gpus->devices[i].name };
    for (size_t i = 0; i < 2; i++) list[i] = (karp_attribute_binding){ versions[i], ids, gpus->device_count };
    out->attribute_bindings = list;
    out->attribute_binding_count = 2;
}

/* The first row of the type; the end if there is none. */
static size_t first_row(karp_str type)
{
    size_t low = 0, high = ec2_devices_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_str(text_at(ec2_devices_rows[middle].type), type) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

void aws_type_devices(scratch *s, uint32_t gates, const aws_node_class *c, karp_instance_type *out)
{
    static const uint32_t wanted[] = {
        [EC2_DEVICES_EFA] = KARP_GATE_DRA_EFA, [EC2_DEVICES_GPU] = KARP_GATE_DRA_NVIDIA_GPU
    };
    const ec2_devices_row *found[2] = { NULL, NULL };
    size_t count = 0;
    if (!(gates & (KARP_GATE_DRA_EFA | KARP_GATE_DRA_NVIDIA_GPU))) return;
    for (size_t i = first_row(out->name); i < ec2_devices_count; i++) {
        const ec2_devices_row *row = &ec2_devices_rows[i];
        if (!equal_str(text_at(row->type), out->name)) break;
        if (gates & wanted[row->kind]) found[row->kind] = row;
    }
    karp_device_template *templates = scratch_array(s, 2, sizeof *templates);
    if (!templates) return;
    /* GPUs come first. */
    for (size_t kind = 2; kind-- > 0;) {
        if (!found[kind]) continue;
        fill_template(s, found[kind], c, &templates[count]);
        if (kind == EC2_DEVICES_GPU && !s->failed) bind_versions(s, &templates[count], out);
        count++;
    }
    if (count == 0 || s->failed) return;
    out->device_templates = templates;
    out->device_template_count = count;
}
