/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups about host names that select many pods but few ("those without the label x").
 *
 * Such a group is the rest of a wide group: of all that its selector would select without NotIn and DoesNotExist. It counts those that it
 * leaves out, so that counts, lists of groups, and what a placement changes are as long as the text that asks for them: many such groups
 * share one wide group. Of a wide inverse group (pods that others will not have beside them) the count is how many of its narrower groups
 * have a pod on the host.
 */
#ifndef SCHEDULE_WIDE_GROUPS_H
#define SCHEDULE_WIDE_GROUPS_H

#include <schedule/topology.h>

/* Gives a group that is being made its wide group, where that is worth it. false = out of memory. */
bool group_widen(scheduler *s, group *wanted, toleration_list tolerations);

/* Whether the group counts pods of the label group: those that it selects, or leaves out of its wide group. */
bool group_counts(const scheduler *s, const group *g, const label_group *k);

#endif
