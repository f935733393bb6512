/* SPDX-License-Identifier: Apache-2.0 */
/* An open aws provider, and the parts of the plugin. */
#pragma once

#include <providers/plugin.h>
#include <providers/aws/capacity.h>

/* Recent insufficient-capacity errors of EC2, by the caller's clock. */

#define AWS_MARK_TTL (INT64_C(180) * 1000000000)

typedef struct aws_mark {
    karp_str capacity_type, instance_type, zone, group, partition, subnet, reservation; /* "" = any */
    int64_t until;
    char *text; /* the text of all these members */
    size_t bytes;
} aws_mark;

typedef struct aws_marks {
    karp_context *context; /* not a reference */
    aws_mark *list;
    size_t count, capacity;
} aws_marks;

void aws_marks_free(aws_marks *marks);
/* Adds a mark, or extends it. A scope of EC2 is one of: a type in a zone with a capacity type (optionally in a
 * placement group, and in a partition of it), a capacity type, a subnet, a reservation that has no free capacity, a
 * reservation with its type and zone that cannot be used for another reason, or a zone that launches are shifted away
 * from, by name or id. Anything else is INVALID. */
uint32_t aws_marks_add(aws_marks *marks, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                       karp_provider_problem *problem);
/* Removes expired marks; true = there were some. */
bool aws_marks_expire(aws_marks *marks, int64_t now);

/* Whether this is marked as unavailable. "" = without a reservation, a group, or a partition. */
bool aws_marked(const aws_marks *marks, karp_str capacity_type, karp_str instance_type, karp_str zone,
                karp_str reservation, karp_str group, karp_str partition);
/* Whether any mark concerns the type, or all types. If not, individual offerings need no check. */
bool aws_marks_concern(const aws_marks *marks, karp_str instance_type);
bool aws_subnet_marked(const aws_marks *marks, karp_str subnet);
bool aws_reservation_full(const aws_marks *marks, karp_str id);
bool aws_zone_shifted(const aws_marks *marks, karp_str name, karp_str id); /* id "" = unknown */

/* The labels of a type, as requirements: all labels of AWS's provider, some as DoesNotExist. */

#define AWS_GROUP "karpenter.k8s.aws/"

/* A zone of the region, with its state for the node class. */
typedef struct aws_zone {
    karp_str name; /* us-west-2a */
    karp_str id; /* usw2-az1; "" = unknown */
    bool in_class; /* permits launches */
    bool out; /* temporarily excluded: shifted away, or all subnets there are marked */
} aws_zone;

/* Data shared by all types of a catalogue. */
typedef struct aws_place {
    karp_str region;
    const aws_marks *marks;
    karp_str group; /* the placement group's id; "" = none */
    aws_zone zones[AWS_ZONES_MOST];
    uint32_t zones_in_class; /* bits */
    bool full_is_unavailable; /* a reservation without a free instance, as before release 1.15 */
    const karp_str *partitions; /* "1" … of a partition placement group */
    size_t partition_count;
} aws_place;

extern const karp_str aws_key_zone, aws_key_zone_id, aws_key_capacity_type, aws_key_reservation_id,
    aws_key_reservation_type, aws_key_reservation_interruptible, aws_key_partition;

/* The number of the node class's reservations for this type. */
size_t aws_reservation_count(const aws_node_class *node_class, const aws_type *type);

/* Fills the requirements of `out`, whose name is set. They refer to constants and to `s`, which must also own the texts
 * of `place`. A refused allocation sets s->failed. `shared` must be for the same scratch and place. */
void aws_labels(scratch *s, const aws_type *type, const aws_node_class *node_class, const aws_place *place,
                aws_shared *shared, karp_instance_type *out);

/* ---- label tables ------------------------------------------------------------------------------------------------ */

/* Sets only the tables of `into`; the lists live forever. Well-known labels are sorted. */
void aws_label_tables(karp_provider_labels *into);

/* A region's catalogue under a node class: computes instance types from facts and settings. Pure: no files, no clock.
 */

typedef struct aws_settings {
    aws_options options;
    uint32_t zones; /* bit 0 = the first: zones for launches if the node class has no subnets */
    karp_str zone_names; /* with commas: zones besides those; if `zones` is 0, the only ones */
    bool release_1_14_3; /* offerings of reservations as in that release of the provider */
    uint32_t device_gates; /* KARP_GATE_DRA_* */
    bool all_types; /* also types that the region does not offer or that have no known price */
} aws_settings;

/* The first three zones, a VM overhead of 7.5 %, and no reserved interfaces. */
aws_settings aws_settings_default(void);

/* Lists the types by name, in `s`. `node_class` may be NULL. Zones with subnets of the class have available offerings,
 * and other zones of the region have unavailable ones. Without subnets only the zones of the settings are listed.
 * Marked offerings are unavailable. Errors: NOT_FOUND (the region), INVALID (a setting), NOMEM. */
karp_status aws_instance_types(scratch *s, const aws_facts *facts, const aws_marks *marks, const aws_settings *settings,
                               const aws_node_class *node_class, const karp_instance_type **types, size_t *count,
                               karp_error *error);

typedef struct aws_handle {
    plugin_handle base;
    aws_settings settings;
    scratch texts;
    karp_str region;
    aws_facts facts; /* count 0 = not loaded yet */
    aws_marks marks;
} aws_handle;

/* The class from aws_plugin.class_parse; the defaults for NULL. */
const aws_node_class *aws_class_of(const void *node_class);

/* ---- fleet.c: a launch as an EC2 request, the response, and the resulting node; calls of the plugin  */

/* CreateFleet's JSON, with one override for each type and zone. */
uint32_t aws_launch_request(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                            const karp_provider_memory *memory, karp_str *request, karp_provider_problem *problem);
/* The first instance in CreateFleet's response; capacity errors are marked. */
uint32_t aws_launch_result(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str answer,
                           int64_t now, const karp_provider_memory *memory, karp_provider_node *node,
                           karp_provider_problem *problem);
uint32_t aws_node_of(void *handle, const void *node_class, const karp_provider_launch *launch,
                     karp_provider_candidate candidate, const karp_provider_memory *memory, karp_provider_node *node,
                     karp_provider_problem *problem);

/* ---- filters.c: the steps before a launch request to EC2 --------------------------------------------------------- */

/* CreateFleet's maximum number of types. */
enum { AWS_TYPES_MOST = 60 };

/* Resources whose types are only launched for pods that request them. */
enum { AWS_EXOTIC = 5 };
extern const karp_str aws_exotic[AWS_EXOTIC];

/* Each step is public, for tests. */
typedef void (*aws_filter)(karp_provider_launch *launch);
typedef struct aws_filter_step {
    const char *name;
    aws_filter run;
} aws_filter_step;
enum { AWS_FILTERS = 5 };
extern const aws_filter_step aws_filters[AWS_FILTERS];

/* Runs all steps, keeps the 60 cheapest types, and sets capacity type and tenancy. A plugin call. */
uint32_t aws_filter_launch(void *handle, const void *node_class, const karp_provider_memory *memory,
                           karp_provider_launch *launch, karp_provider_problem *problem);
uint32_t aws_pick(void *handle, const void *node_class, const karp_provider_launch *launch,
                  karp_provider_candidate *picked, karp_provider_problem *problem);
