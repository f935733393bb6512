/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of EC2's instance types, region by region: the embedded table, one type at a time. */
#ifndef AWS_FACTS_H
#define AWS_FACTS_H

#include <stdbool.h>

#include <karp/base.h>
#include <providers/aws/ec2_table.h>

enum { AWS_DEVICES_MOST = 4, AWS_ZONES_MOST = 8 };

#define AWS_UNKNOWN (-1)

typedef struct aws_device {
    karp_str maker, name;
    uint32_t kind; /* EC2_GPU … */
    int64_t count;
    int64_t memory_mib; /* of a GPU */
    int64_t cores;      /* of a Neuron device */
} aws_device;

/* One instance type as EC2 describes it, and how one region offers it. */
typedef struct aws_type {
    karp_str name;
    karp_str cpu_maker;  /* "" = unknown */
    karp_str hypervisor; /* "" = bare metal */
    uint32_t flags;      /* EC2_BARE_METAL … */
    uint32_t device_count;
    int64_t vcpus, memory_mib, clock_mhz;
    int64_t enis, ipv4_per_eni; /* of the default network card */
    int64_t network_cards, branch_enis, efas;
    int64_t limits_ipv4, network_mbps, ebs_mbps, local_gb; /* or AWS_UNKNOWN */
    aws_device devices[AWS_DEVICES_MOST];
    uint32_t zones;              /* bit 0 = zone a */
    uint32_t reserved;
    double on_demand;            /* dollars an hour, or AWS_UNKNOWN */
    double spot[AWS_ZONES_MOST]; /* by zone, or AWS_UNKNOWN */
} aws_type;

/* false = there are no facts for that region */
bool aws_region_find(karp_str name, size_t *region);
/* The region and its number as text; NUL-terminated, for ever. */
karp_str aws_region_name(size_t region);
/* Zones in which the region offers anything. */
uint32_t aws_region_zones(size_t region);

size_t aws_type_count(void);
/* Type `index`, by name, as `region` offers it. Strings live for ever. */
void aws_type_get(size_t index, size_t region, aws_type *out);

#endif
