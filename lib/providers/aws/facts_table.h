/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region's facts as a text table, which can be loaded again, and the commands that print other facts with AWS's
 * tools.
 */
#ifndef AWS_FACTS_TABLE_H
#define AWS_FACTS_TABLE_H

#include <providers/aws/facts.h>

/* Replaces everything in `into` except the observed memory of nodes; after a failure it is discarded. */
karp_status aws_table_read(aws_facts *into, karp_str text, karp_error *error);
uint32_t aws_table_write(const aws_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);
uint32_t aws_table_about(const aws_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem);

#endif
