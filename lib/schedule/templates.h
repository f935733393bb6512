/* SPDX-License-Identifier: Apache-2.0 */
/* What each pool could start, before any pod is looked at (scheduling.md §11, §12, §23). */
#ifndef SCHEDULE_TEMPLATES_H
#define SCHEDULE_TEMPLATES_H

#include <schedule/scheduler.h>

/* Pools that may serve pods, by weight; their templates after the pre-filter. */
bool templates_init(scheduler *s);
/* What a static pool starts: its requirements, no types. A number for s->templates, once the run is over. */
bool template_of_static(scheduler *s, uint32_t pool, uint32_t *number);

/* Whether a list of tolerations tolerates every taint; *first receives the index of the first that is not. */
bool taints_tolerated(const scheduler *s, toleration_list tolerations, taint_list taints, uint32_t *first);
/* {operator Exists, effect PreferNoSchedule} is in the list, word for word. */
bool tolerates_prefer_no_schedule(const scheduler *s, toleration_list tolerations);
/* The list with that toleration added; false = refused. */
bool add_prefer_no_schedule(scheduler *s, toleration_list *tolerations);

/* minValues (§24): whether the variants in `bits` offer enough values for every key of `set` that asks for some.
 * `relaxed`, when not NULL, receives the set with each unsatisfied minValues lowered to what there is. */
bool min_values_met(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t set, uint32_t *relaxed);
bool set_has_min_values(const scheduler *s, uint32_t set);

/* limits.c: fills s->limits from the pools and the hosts; call when the hosts are known. */
bool limits_init(scheduler *s);
/* The template's types that the pool's limits still allow (§20 step 1); NO_ID with *reason when none. */
uint32_t limits_types(scheduler *s, uint32_t template_number, uint32_t *reason);
/* A claim with these types was opened. */
void limits_take(scheduler *s, uint32_t template_number, uint32_t types, const int64_t *total);

/* Whether the pool is offered to pods (§11.1). */
bool pool_usable(const karp_snapshot *s, const node_pool *p);

#endif
