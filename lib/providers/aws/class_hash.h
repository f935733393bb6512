/* SPDX-License-Identifier: Apache-2.0 */
/* A hash of the EC2NodeClass fields that cause drift. */
#ifndef AWS_CLASS_HASH_H
#define AWS_CLASS_HASH_H

#include <json/tree.h>

#include <providers/aws/node_class.h>

/* The hash differs from that of Karpenter's provider, so it has its own version: hashes of different versions are not
 * compared. */
#define AWS_HASH_VERSION "libkarp-1"

/* Lists are sets, the order of members does not matter, and empty values equal absent ones. */
uint64_t aws_class_hash(const tree *spec, aws_family family);

#endif
