/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/aws/facts.h>

#include <string.h>

static karp_str text_at(uint16_t offset)
{
    return (karp_str){ ec2_strings + offset, strlen(ec2_strings + offset) };
}

bool aws_region_find(karp_str name, size_t *region)
{
    for (size_t i = 0; i < EC2_REGIONS; i++) {
        karp_str known = text_at(ec2_region_names[i]);
        if (known.len != name.len || memcmp(known.ptr, name.ptr, name.len) != 0) continue;
        *region = i;
        return true;
    }
    return false;
}

karp_str aws_region_name(size_t region)
{
    return text_at(ec2_region_names[region]);
}

uint32_t aws_region_zones(size_t region)
{
    uint32_t zones = 0;
    for (size_t i = 0; i < ec2_row_count; i++) zones |= ec2_rows[i].zones[region];
    return zones;
}

size_t aws_type_count(void)
{
    return ec2_row_count;
}

static int64_t amount(uint32_t value)
{
    return value == EC2_NONE ? AWS_UNKNOWN : (int64_t)value;
}

/* Whole millionths and 10^6 are both exact, so the quotient is the double nearest to the decimal price. */
static double price(uint32_t micro)
{
    return micro == EC2_NONE ? AWS_UNKNOWN : (double)micro / 1e6;
}

static void get_devices(const ec2_row *row, aws_type *out)
{
    out->device_count = row->device_count < AWS_DEVICES_MOST ? row->device_count : AWS_DEVICES_MOST;
    for (size_t i = 0; i < out->device_count; i++) {
        const ec2_device *d = &ec2_devices[row->first_device + i];
        out->devices[i] = (aws_device){
            .maker = text_at(d->maker),
            .name = text_at(d->name),
            .kind = d->kind,
            .count = d->count,
            .memory_mib = d->kind == EC2_GPU ? d->memory_or_cores : 0,
            .cores = d->kind == EC2_NEURON ? d->memory_or_cores : 0,
        };
    }
}

void aws_type_get(size_t index, size_t region, aws_type *out)
{
    const ec2_row *row = &ec2_rows[index];
    out->name = text_at(row->name);
    out->cpu_maker = text_at(row->cpu_maker);
    out->hypervisor = text_at(row->hypervisor);
    out->flags = row->flags;
    out->vcpus = row->vcpus;
    out->memory_mib = row->memory_mib;
    out->clock_mhz = row->clock_mhz;
    out->enis = row->enis;
    out->ipv4_per_eni = row->ipv4_per_eni;
    out->network_cards = row->network_cards;
    out->branch_enis = row->branch_enis;
    out->efas = row->efas;
    out->limits_ipv4 = amount(row->limits_ipv4);
    out->network_mbps = amount(row->network_mbps);
    out->ebs_mbps = amount(row->ebs_mbps);
    out->local_gb = amount(row->local_gb);
    get_devices(row, out);
    out->zones = row->zones[region];
    out->reserved = 0;
    out->on_demand = price(row->on_demand[region]);
    size_t next = row->spot[region];
    for (size_t zone = 0; zone < AWS_ZONES_MOST; zone++) {
        bool has = row->has_spot[region] && (out->zones >> zone & 1);
        out->spot[zone] = has ? price(ec2_spot_prices[next++]) : AWS_UNKNOWN;
    }
}
