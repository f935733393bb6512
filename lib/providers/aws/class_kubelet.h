/* SPDX-License-Identifier: Apache-2.0 */
/* The kubelet's settings in an EC2NodeClass: those that instance types depend on, and the rules of the API for the others. */
#ifndef AWS_CLASS_KUBELET_H
#define AWS_CLASS_KUBELET_H

#include <providers/decode.h>
#include <providers/aws/node_class.h>

/* Into a class that is zeroed. The part of the decoder is "spec" before and after. */
void aws_read_kubelet(decoder *d, const tree *spec, aws_node_class *out);

#endif
