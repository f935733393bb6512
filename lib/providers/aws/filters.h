/* SPDX-License-Identifier: Apache-2.0 */
/* What AWS's provider leaves out of a launch, step by step, before it asks EC2. */
#ifndef AWS_FILTERS_H
#define AWS_FILTERS_H

#include <providers/launch.h>

/* CreateFleet takes no more types. */
enum { AWS_TYPES_MOST = 60 };

/* Resources for whose sake nobody launches a type without asking for them. */
enum { AWS_EXOTIC = 5 };
extern const karp_str aws_exotic[AWS_EXOTIC];

/* Tests ask what is left after each step. */
typedef void (*aws_filter)(karp_provider_launch *launch);
typedef struct aws_filter_step {
    const char *name;
    aws_filter run;
} aws_filter_step;
enum { AWS_FILTERS = 5 };
extern const aws_filter_step aws_filters[AWS_FILTERS];

/* All steps, the 60 cheapest types, and capacity type and tenancy. A vtable entry. */
uint32_t aws_filter_launch(void *handle, const void *node_class, const karp_provider_memory *memory,
                           karp_provider_launch *launch, karp_provider_problem *problem);
uint32_t aws_pick(void *handle, const void *node_class, const karp_provider_launch *launch,
                  karp_provider_candidate *picked, karp_provider_problem *problem);

#endif
