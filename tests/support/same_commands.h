/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two disruption passes come to the same commands. */
#ifndef SUPPORT_SAME_COMMANDS_H
#define SUPPORT_SAME_COMMANDS_H

#include <karp/disrupt.h>

/* What differs first, in words; NULL = nothing. */
const char *commands_differ(const karp_decision *a, const karp_decision *b);

#endif
