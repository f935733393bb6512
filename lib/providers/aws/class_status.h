/* SPDX-License-Identifier: Apache-2.0 */
/* The status of an EC2NodeClass, as the controllers resolved it. */
#ifndef AWS_CLASS_STATUS_H
#define AWS_CLASS_STATUS_H

#include <providers/decode.h>
#include <providers/aws/node_class.h>

void aws_read_status(decoder *d, const tree *status, aws_node_class *out);

#endif
