/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPPORT_NODE_CLASS_H
#define SUPPORT_NODE_CLASS_H

#include <providers/aws/node_class.h>

/* Reads an EC2NodeClass from JSON, as the plugin does. */
karp_status read_node_class(scratch *s, karp_str text, aws_node_class *out, karp_error *error);

#endif
