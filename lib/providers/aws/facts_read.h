/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in EC2's own JSON, from its API and its price list. */
#pragma once

#include <providers/decode.h>
#include <providers/aws/facts.h>

/* Kinds:
 *   all                a table of facts: facts_table.c
 *   types              DescribeInstanceTypes
 *   offerings          DescribeInstanceTypeOfferings, by availability zone
 *   on-demand-prices   the price list's GetProducts, or a file of its bulk interface
 *   spot-prices        DescribeSpotPriceHistory
 *   limits             {"m5.large": {"isTrunkingCompatible", "branchInterface", "ipv4PerInterface",
 *                       "networkBandwidthMbps"}}
 *   discovered-memory  {"m5.large": "7577Mi"}
 *   skypilot           zones and prices of many regions: facts_skypilot.c
 * `into` is a copy that is discarded after a failure. Errors: INVALID, SYNTAX, LIMIT, NOMEM. */
karp_status aws_facts_read(aws_facts *into, karp_str kind, karp_str text, karp_error *error);

/* Each reads one kind from a parsed tree. The decoder records failures. */
void aws_read_types(aws_facts *into, decoder *d, const tree *root); /* facts_types.c */
void aws_read_on_demand(aws_facts *into, decoder *d, const tree *root); /* facts_prices.c */
void aws_read_spot(aws_facts *into, decoder *d, const tree *root);
karp_status aws_read_skypilot(aws_facts *into, karp_str text, karp_error *error); /* facts_skypilot.c */

/* ---- facts_table.c: a region's facts as a text table, which can be loaded again ---------------------------------- */

/* Replaces everything in `into` except the observed memory of nodes; after a failure it is discarded. */
karp_status aws_table_read(aws_facts *into, karp_str text, karp_error *error);
uint32_t aws_table_write(const aws_facts *facts, const karp_provider_memory *memory, karp_str *text,
                         karp_provider_problem *problem);
uint32_t aws_table_about(const aws_facts *facts, const karp_provider_memory *memory, karp_provider_facts_info *info,
                         karp_provider_problem *problem);
