/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a region's instance types: the built-in table, and loaded facts. */
#pragma once

#include <providers/aws/ec2_table.h>
#include <providers/aws/node_class.h>

enum { AWS_DEVICES_MOST = 4, AWS_ZONES_MOST = 32, AWS_CARDS_MOST = 64 };

#define AWS_UNKNOWN (-1)

typedef struct aws_seen aws_seen; /* below */

typedef struct aws_device {
    karp_str maker, name;
    uint32_t kind; /* EC2_GPU … */
    int64_t count;
    int64_t memory_mib; /* for a GPU */
    int64_t cores; /* for a Neuron device */
} aws_device;

/* One instance type as described by EC2, and its offers in one region. */
typedef struct aws_type {
    karp_str name; /* the first member, for cloud_find() */
    karp_str cpu_maker; /* "" = unknown */
    karp_str hypervisor; /* "" = bare metal */
    uint32_t flags; /* EC2_BARE_METAL … */
    uint32_t device_count;
    int64_t vcpus, memory_mib, clock_mhz;
    int64_t enis, ipv4_per_eni; /* of the default network card */
    int64_t network_cards, branch_enis, efas;
    int64_t limits_ipv4, network_mbps, ebs_mbps, local_gb; /* or AWS_UNKNOWN */
    const aws_seen *seen; /* observed memory of its nodes, latest first */
    aws_device devices[AWS_DEVICES_MOST];
    uint32_t zones; /* bit i = zone i of the facts */
    bool cards_told; /* otherwise each card has as many interfaces as the default card */
    uint16_t card_enis[AWS_CARDS_MOST]; /* by network card, 0 = no such card */
    double on_demand; /* dollars per hour, or AWS_UNKNOWN */
    uint32_t own_prices; /* bit i = on_demand_in[i] counts in zone i, not on_demand */
    double on_demand_in[AWS_ZONES_MOST]; /* local zones have prices of their own */
    double spot[AWS_ZONES_MOST]; /* by zone, or AWS_UNKNOWN */
} aws_type;

typedef struct aws_facts {
    scratch s; /* of loaded facts; built-in texts live forever */
    karp_str region, as_of, sources;
    bool region_known; /* built in, or with loaded offerings */
    bool seen_by_images; /* some observed memory applies only to certain images */
    bool spot_known; /* otherwise spot prices equal on-demand prices */
    karp_str zones[AWS_ZONES_MOST]; /* "" = no such zone; local zones stand behind the availability zones */
    karp_str zone_ids[AWS_ZONES_MOST]; /* use1-az4; "" = the facts do not state it */
    aws_type *types; /* by name; NULL = the unchanged built-in types */
    size_t count;
    size_t built_in; /* index of the region in the table */
} aws_facts;

/* The names of the built-in regions, "a, b, c", truncated to `room`. */
void aws_facts_regions(char *into, size_t room);

/* Loads the built-in facts, which remain packed. For a region that is not built in, types have no zones and prices. */
karp_status aws_facts_init(aws_facts *facts, karp_context *context, karp_str region, karp_error *error);
void aws_facts_free(aws_facts *facts);

/* A writable copy with memory of its own. */
karp_status aws_facts_copy(const aws_facts *from, aws_facts *to, karp_error *error);

/* Type `index`, unpacked into `room` if necessary. */
const aws_type *aws_facts_type(const aws_facts *facts, size_t index, aws_type *room);
/* Likewise by name; NULL = not found. */
const aws_type *aws_facts_look_up(const aws_facts *facts, karp_str name, aws_type *room);
uint32_t aws_facts_zones(const aws_facts *facts); /* bit set of all zones in which some type is offered */
/* For facts that were copied to be changed. */
aws_type *aws_facts_find(const aws_facts *facts, karp_str name); /* NULL = not found */
/* Adds a type's network limits from the built-in table, which EC2's descriptions lack. */
void aws_facts_add_limits(aws_type *type);
double aws_on_demand(const aws_type *type, size_t zone); /* or AWS_UNKNOWN */
/* us-west-2-lax-1a is a local zone of us-west-2. */
bool aws_zone_is_local(const aws_facts *facts, karp_str name);
/* The index of a zone by name; AWS_ZONES_MOST = not found. */
size_t aws_facts_zone(const aws_facts *facts, karp_str name);
/* Sets the names of the zones in which some type is offered, by letter: us-west-2a is bit 0. */
void aws_facts_name_zones(aws_facts *facts);

/* ---- observed memory --------------------------------------------------------------------------------------------- */

/* An observation, with a link to the earlier ones. */
struct aws_seen {
    const karp_str *images; /* all images of the node's class; none = any images */
    size_t image_count;
    int64_t bytes;
    const aws_seen *next;
};

/* The least observation that applies to a class with these images; AWS_UNKNOWN = none. */
int64_t aws_seen_least(const aws_seen *seen, const aws_node_class *c);
