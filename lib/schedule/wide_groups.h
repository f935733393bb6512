/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wide groups, for groups about host names that select nearly all pods ("those without the label x").
 *
 * Such a group is stored as a difference. Its wide group has the same selector without NotIn and DoesNotExist, and is
 * shared by all groups of this kind. The group itself counts the pods that it excludes from the wide group. So its
 * counts, its lists and the work of a placement are proportional to the length of its selector. For a wide inverse
 * group (anti-affinity of other pods) the count of a host is the number of its narrower groups that have a pod there.
 */
#ifndef SCHEDULE_WIDE_GROUPS_H
#define SCHEDULE_WIDE_GROUPS_H

#include <schedule/topology.h>

/* Determines the wide group of a group that is being created, if that saves work. false = out of memory. */
bool group_widen(scheduler *s, group *wanted, toleration_list tolerations);

/* Whether the group counts pods of the label group: pods that it selects, or that it excludes from its wide group. */
bool group_counts(const scheduler *s, const group *g, const label_group *k);

#endif
