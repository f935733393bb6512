/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a region's instance types: the built-in table, and what was loaded since. */
#ifndef AWS_FACTS_H
#define AWS_FACTS_H

#include <stdbool.h>

#include <providers/aws/ec2_table.h>
#include <providers/fail.h>
#include <providers/scratch.h>

enum { AWS_DEVICES_MOST = 4, AWS_ZONES_MOST = 16, AWS_CARDS_MOST = 64 };

#define AWS_UNKNOWN (-1)

typedef struct aws_seen aws_seen; /* seen.h */

typedef struct aws_device {
    karp_str maker, name;
    uint32_t kind; /* EC2_GPU … */
    int64_t count;
    int64_t memory_mib; /* of a GPU */
    int64_t cores; /* of a Neuron device */
} aws_device;

/* One instance type as EC2 describes it, and how one region offers it. */
typedef struct aws_type {
    karp_str name;
    karp_str cpu_maker; /* "" = unknown */
    karp_str hypervisor; /* "" = bare metal */
    uint32_t flags; /* EC2_BARE_METAL … */
    uint32_t device_count;
    int64_t vcpus, memory_mib, clock_mhz;
    int64_t enis, ipv4_per_eni; /* of the default network card */
    int64_t network_cards, branch_enis, efas;
    int64_t limits_ipv4, network_mbps, ebs_mbps, local_gb; /* or AWS_UNKNOWN */
    const aws_seen *seen; /* memory that nodes of it had, the latest first */
    aws_device devices[AWS_DEVICES_MOST];
    uint32_t zones; /* bit i = zone i of the facts */
    bool cards_told; /* else each card takes as many interfaces as the default one */
    uint16_t card_enis[AWS_CARDS_MOST]; /* by network card, 0 = there is none */
    double on_demand; /* dollars an hour, or AWS_UNKNOWN */
    double spot[AWS_ZONES_MOST]; /* by zone, or AWS_UNKNOWN */
} aws_type;

typedef struct aws_facts {
    scratch s; /* what was loaded; built-in texts live for ever */
    karp_str region, as_of, sources;
    bool region_known; /* built in, or its offerings were loaded */
    bool seen_by_images; /* some memory counts for certain images alone */
    bool spot_known; /* else spot prices are taken to be those on demand */
    karp_str zones[AWS_ZONES_MOST]; /* "" = there is no such zone */
    aws_type *types; /* by name; NULL = those that are built in, as they are */
    size_t count;
    size_t built_in; /* number of the region in the table */
} aws_facts;

/* The names of the regions that are built in, "a, b, c", cut to the room. */
void aws_facts_regions(char *into, size_t room);

/* The built-in facts; of a region that is not built in, types without zones and prices. They stay packed. */
karp_status aws_facts_init(aws_facts *facts, karp_context *context, karp_str region, karp_error *error);
void aws_facts_free(aws_facts *facts);

/* A copy to change, in memory of its own. */
karp_status aws_facts_copy(const aws_facts *from, aws_facts *to, karp_error *error);

/* Type `index`, which is unpacked into `room` if need be. */
const aws_type *aws_facts_type(const aws_facts *facts, size_t index, aws_type *room);
/* Likewise by name; NULL = not there. */
const aws_type *aws_facts_look_up(const aws_facts *facts, karp_str name, aws_type *room);
uint32_t aws_facts_zones(const aws_facts *facts); /* all that some type is offered in; bits */
/* Of facts that were copied to be changed. */
aws_type *aws_facts_find(const aws_facts *facts, karp_str name); /* NULL = not there */
/* Traffic limits of a type that are in no description of it, from the built-in table. */
void aws_facts_add_limits(aws_type *type);
/* The number of a zone by name; AWS_ZONES_MOST = there is none. */
size_t aws_facts_zone(const aws_facts *facts, karp_str name);
/* Names the zones that some type is offered in, by letter: us-west-2a is bit 0. */
void aws_facts_name_zones(aws_facts *facts);
/* Puts the types in the order of their names. */
void aws_facts_sort(aws_facts *facts);

#endif
