/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's arithmetic as JSON lines, one instance type a line, for scripts that compare it with other sources.
 *
 *   PROGRAM REGION RESERVED_ENIS VM_OVERHEAD NODE_CLASS_JSON
 *
 * All types are printed, also those that the region does not offer. */
#ifndef PROVIDERS_AWS_DUMP_H
#define PROVIDERS_AWS_DUMP_H

#include <providers/aws/plugin.h>

int aws_dump(int argc, char **argv);

/* The types of a region under settings and a class (NULL = none) as a catalogue, by the functions that the plugin is
 * made of. */
karp_status aws_catalogue_of(karp_context *context, karp_str region, const aws_settings *settings,
                             const aws_node_class *node_class, karp_catalogue **out, karp_error *error);

#endif
