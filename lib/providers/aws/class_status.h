/* SPDX-License-Identifier: Apache-2.0 */
/* What the controllers have found for an EC2NodeClass: its status. */
#ifndef AWS_CLASS_STATUS_H
#define AWS_CLASS_STATUS_H

#include <providers/decode.h>
#include <providers/aws/node_class.h>

void aws_read_status(decoder *d, const tree *status, aws_node_class *out);

#endif
