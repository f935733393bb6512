/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kubelet settings of an EC2NodeClass: reads those that affect instance types, and checks the others by the API's
 * rules.
 */
#ifndef AWS_CLASS_KUBELET_H
#define AWS_CLASS_KUBELET_H

#include <providers/decode.h>
#include <providers/aws/node_class.h>

/* Fills a zeroed class. The decoder's part is "spec" before and after. */
void aws_read_kubelet(decoder *d, const tree *spec, aws_node_class *out);

#endif
