/* SPDX-License-Identifier: Apache-2.0 */
/* AWS's arithmetic as JSON lines, one instance type a line, for scripts that compare it with other sources.
 *
 *   PROGRAM REGION RESERVED_ENIS VM_OVERHEAD NODE_CLASS_JSON
 *
 * All types are printed, also those that the region does not offer. */
#ifndef PROVIDERS_AWS_DUMP_H
#define PROVIDERS_AWS_DUMP_H

int aws_dump(int argc, char **argv);

#endif
