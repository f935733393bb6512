/* SPDX-License-Identifier: Apache-2.0 */
/* The observed memory of a type's nodes, by the images of the nodes. */
#ifndef AWS_SEEN_H
#define AWS_SEEN_H

#include <providers/aws/facts.h>
#include <providers/aws/node_class.h>

/* An observation, with a link to the earlier ones. */
struct aws_seen {
    const karp_str *images; /* all images of the node's class; none = any images */
    size_t image_count;
    int64_t bytes;
    const aws_seen *next;
};

/* The least observation that applies to a class with these images; AWS_UNKNOWN = none. */
int64_t aws_seen_least(const aws_seen *seen, const aws_node_class *c);
/* A copy in the same order, in memory of `s`. */
const aws_seen *aws_seen_copy(scratch *s, const aws_seen *seen);

#endif
