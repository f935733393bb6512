/* SPDX-License-Identifier: Apache-2.0 */
/* An open aws provider, and the parts of the plugin. */
#pragma once

#include <providers/aws/catalogue.h>
#include <providers/plugin.h>

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
