/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_HELM_HOOKS_H
#define IO_HELM_HOOKS_H

#include <io/reader.h>

/* Leaves out Helm's hooks with a note, or what creates pods besides the hooks of the option's phase. Errors: NOMEM. */
karp_status io_settle_hooks(karp_reader *reader);

#endif
