/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <io/reader.h>

/* Leaves out Helm's hooks with a note, or what creates pods besides the hooks of the option's phase. Errors: NOMEM. */
karp_status io_settle_hooks(karp_reader *reader);
