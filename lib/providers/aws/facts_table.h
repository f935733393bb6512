/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a region as a table of text, which can be read again, and how AWS's own tools print others. */
#ifndef AWS_FACTS_TABLE_H
#define AWS_FACTS_TABLE_H

#include <providers/aws/facts.h>

/* Replaces all that `into` knows but the memory that nodes were seen to have; it is thrown away on failure. */
karp_status aws_table_read(aws_facts *into, karp_str text, karp_error *error);
uint32_t aws_table_write(const aws_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);
uint32_t aws_table_about(const aws_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem);

#endif
