/* SPDX-License-Identifier: Apache-2.0 */
/* A number for what a node was launched with: EC2NodeClass fields that nodes drift by. */
#ifndef AWS_CLASS_HASH_H
#define AWS_CLASS_HASH_H

#include <json/tree.h>

#include <providers/aws/node_class.h>

/* Not the number of Karpenter's provider, hence a version of its own: numbers of different versions are not compared. */
#define AWS_HASH_VERSION "libkarp-1"

/* Lists are sets, the order of members does not count, and what is empty is as good as absent. */
uint64_t aws_class_hash(const tree *spec, aws_family family);

#endif
