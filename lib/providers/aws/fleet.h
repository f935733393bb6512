/* SPDX-License-Identifier: Apache-2.0 */
/* A launch as an EC2 request, the response, and the resulting node. Plugin calls. */
#ifndef AWS_FLEET_H
#define AWS_FLEET_H

#include <karp/provider.h>

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

#endif
