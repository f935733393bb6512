/* SPDX-License-Identifier: Apache-2.0 */
/* Default values of AWS's provider. */
#pragma once

/* The default region. */
#define AWS_USUAL_REGION "us-west-2"

#include <providers/scratch.h>

/* A member of spec.metadataOptions: a text, or a number if text is NULL. */
typedef struct aws_default {
    const char *name, *text;
    int number;
} aws_default;

enum { AWS_METADATA_DEFAULTS = 4 };
extern const aws_default aws_metadata_defaults[AWS_METADATA_DEFAULTS];

enum { AWS_POOL_DEFAULTS = 5 };
/* Requirements that v1alpha5 adds to a Provisioner; v1 has none. Returns their number in `added`; the texts live
 * forever. */
size_t aws_pool_defaults(const karp_requirement *given, size_t count, karp_requirement added[AWS_POOL_DEFAULTS]);

/* The node class's document with a complete spec.metadataOptions, in the host's memory. */
uint32_t aws_class_defaults(void *handle, const karp_provider_document *document, const karp_provider_memory *memory,
                            karp_str *completed, karp_provider_problem *problem);
