/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of AWS's provider, applied step by step before a launch request to EC2. */
#ifndef AWS_FILTERS_H
#define AWS_FILTERS_H

#include <providers/launch.h>

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

#endif
