/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded table of EC2 facts, as data/embed.py writes it. Only facts.c looks at it. */
#ifndef AWS_EC2_TABLE_H
#define AWS_EC2_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define EC2_NONE UINT32_MAX /* an amount that is not known */

enum { EC2_REGIONS = 3 };

enum { EC2_GPU, EC2_INFERENCE, EC2_NEURON };

enum {
    EC2_BARE_METAL = 1,
    EC2_ENCRYPTION = 2,
    EC2_NITRO_ENCLAVES = 4,
    EC2_TRUNKING = 8,
    EC2_NVME = 16,
    EC2_CLUSTER_PLACEMENT = 32,
    EC2_ON_DEMAND = 64,
    EC2_SPOT = 128,
    EC2_CAPACITY_BLOCK = 256,
    EC2_ARM64 = 512,
    /* Told by loaded facts alone; none of the built-in types is without the latter three. */
    EC2_NESTED_VIRTUALIZATION = 1024,
    EC2_NO_PARTITION_PLACEMENT = 2048,
    EC2_NO_SPREAD_PLACEMENT = 4096,
    EC2_NO_ENA = 8192
};

typedef struct ec2_device {
    uint32_t memory_or_cores; /* MiB of a GPU, cores of a Neuron device */
    uint16_t maker, name; /* offsets in ec2_strings */
    uint16_t count;
    uint16_t kind;
} ec2_device;

typedef struct ec2_row {
    uint32_t memory_mib;
    uint32_t network_mbps, ebs_mbps, local_gb, limits_ipv4; /* or EC2_NONE */
    uint32_t on_demand[EC2_REGIONS]; /* millionths of a dollar an hour, or EC2_NONE */
    uint16_t spot[EC2_REGIONS]; /* first in ec2_spot_prices, one a zone */
    uint16_t flags;
    uint16_t name, cpu_maker, hypervisor; /* offsets in ec2_strings */
    uint16_t vcpus, clock_mhz, enis, ipv4_per_eni, branch_enis, efas;
    uint16_t first_device;
    uint8_t device_count, network_cards;
    uint8_t zones[EC2_REGIONS]; /* bit 0 = zone a */
    uint8_t has_spot[EC2_REGIONS];
} ec2_row;

extern const uint16_t ec2_region_names[EC2_REGIONS];
extern const char ec2_as_of[], ec2_sources[];
extern const size_t ec2_row_count;
extern const ec2_row ec2_rows[]; /* by name */
extern const ec2_device ec2_devices[];
extern const uint32_t ec2_spot_prices[];
extern const char ec2_strings[];

#endif
