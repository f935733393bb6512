/* SPDX-License-Identifier: Apache-2.0 */
/* An open aws provider. */
#ifndef AWS_PLUGIN_H
#define AWS_PLUGIN_H

#include <providers/aws/catalogue.h>

typedef struct aws_handle {
    karp_context *context; /* on the host's allocator */
    aws_settings settings;
    scratch texts;
    karp_str region;
    aws_facts facts; /* count 0 = not loaded yet */
    aws_marks marks;
    uint64_t generation;
} aws_handle;

/* The class from aws_plugin.class_parse; the defaults for NULL. */
const aws_node_class *aws_class_of(const void *node_class);

#endif
