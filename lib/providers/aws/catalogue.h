/* SPDX-License-Identifier: Apache-2.0 */
/* A region's catalogue under a node class: facts and settings in, instance types out. Pure: no files, no clock. */
#ifndef AWS_CATALOGUE_H
#define AWS_CATALOGUE_H

#include <providers/aws/capacity.h>
#include <providers/aws/facts.h>
#include <providers/aws/marks.h>
#include <providers/aws/node_class.h>

typedef struct aws_settings {
    aws_options options;
    uint32_t zones; /* bit 0 = the first: where launches may go when the node class has no subnets */
    bool all_types; /* also types the region does not offer, or for which no price is known */
} aws_settings;

/* The first three zones; a VM overhead of 7.5 %; no reserved interfaces. */
aws_settings aws_settings_default(void);

/* The types by name, in `s`. `node_class` may be NULL. Offerings: zones of the class's subnets are available, other zones
 * of the region are listed as unavailable; without subnets only zones of the settings are listed. What is marked is not
 * available. Errors: NOT_FOUND (the region), INVALID (a setting), NOMEM. */
karp_status aws_instance_types(scratch *s, const aws_facts *facts, const aws_marks *marks, const aws_settings *settings,
                               const aws_node_class *node_class, const karp_instance_type **types, size_t *count,
                               karp_error *error);

#endif
