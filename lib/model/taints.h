/* SPDX-License-Identifier: Apache-2.0 */
/* Which taints the tolerations of a snapshot's pods tolerate. */
#pragma once

#include <model/snapshot.h>

bool taint_tolerated(const karp_snapshot *s, toleration_list tolerations, const taint *t);
/* Whether the list has a taint of the same key and effect, with any value. */
bool has_such_taint(taint_list list, const taint *wanted);
/* The index of the first taint that is not tolerated; NO_ID = none. */
uint32_t first_untolerated(const karp_snapshot *s, toleration_list tolerations, taint_list taints);
static inline bool taints_tolerated(const karp_snapshot *s, toleration_list tolerations, taint_list taints)
{
    return first_untolerated(s, tolerations, taints) == NO_ID;
}
