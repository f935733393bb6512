/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region's catalogue under a node class: computes instance types from facts and settings. Pure: no files, no clock.
 */
#pragma once

#include <providers/aws/labels.h>

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
