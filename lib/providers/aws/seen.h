/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that nodes of a type were seen to have, by the images they ran. */
#ifndef AWS_SEEN_H
#define AWS_SEEN_H

#include <providers/aws/facts.h>
#include <providers/aws/node_class.h>

/* One observation, and those before it. */
struct aws_seen {
    const karp_str *images; /* all that the node's class had; none = whatever they are */
    size_t image_count;
    int64_t bytes;
    const aws_seen *next;
};

/* The least that counts under the images of a class; AWS_UNKNOWN = nothing was seen. */
int64_t aws_seen_least(const aws_seen *seen, const aws_node_class *c);
/* In the order they were, in memory of `s`. */
const aws_seen *aws_seen_copy(scratch *s, const aws_seen *seen);

#endif
