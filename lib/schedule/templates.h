/* SPDX-License-Identifier: Apache-2.0 */
/* What each pool could start, before any pod is looked at (scheduling.md §11, §12, §23). */
#ifndef SCHEDULE_TEMPLATES_H
#define SCHEDULE_TEMPLATES_H

#include <schedule/common.h>

/* Types with the same daemons (§12.2). */
typedef struct daemon_group {
    uint64_t *bits; /* variants */
    resource_list overhead; /* empty for no daemons */
    struct port_use *ports; /* of the daemons, each recorded under the daemon's name */
    uint32_t port_count, first_type;
} daemon_group;

/* What a pool could start (§11). */
typedef struct template_ {
    uint32_t pool; /* store index */
    uint32_t order; /* among all usable pools, by weight */
    const type_table *table;
    uint32_t table_number;
    uint32_t set; /* requirements */
    bool host_possible; /* the requirements allow a new host name */
    taint_list taints;
    uint32_t taints_id; /* equal lists have equal ids */
    const uint64_t *filtered; /* variants left by the pre-filter */
    uint32_t types_start; /* how many types that is */
    uint32_t initial; /* typeset of those that hold their daemons */
    int64_t *room; /* [variant * dims]: allocatable minus the overhead of its daemon group */
    struct capacity *capacity; /* capacity.h */
    uint32_t *group_of; /* variant -> daemon group */
    daemon_group *groups;
    uint32_t group_count;
    bool group_ports; /* some group's daemons use host ports … */
    bool named_ports; /* … under a name that a pod has */
    int64_t *largest; /* per limited resource of the pool, the most capacity of any type */
    bool last_relaxed; /* the claim opened last had a minValues lowered */
    uint32_t dropped_reason; /* why the pre-filter left nothing; such templates are kept aside */
} template_;

/* Limits of a pool (§23): what is left, for the resources it limits. */
typedef struct pool_limit {
    uint32_t count;
    const uint32_t *resources;
    const uint32_t *columns; /* of each, in the snapshot's vectors */
    int64_t *left, *initial;
} pool_limit;

struct templates {
    template_ *items; /* in the order they are tried */
    uint32_t count;
    template_ *dropped; /* pools whose types the pre-filter removed, for reasons */
    uint32_t dropped_count;
    pool_limit *limits; /* by store pool */
    uint32_t usable_pools;
    words taint_lists;
    uint64_t *scratch; /* variants of any template */
    size_t scratch_words;
    struct daemon_view {
        toleration_list tolerations;
        uint32_t first_term;
        demand *terms;
        uint32_t term_count;
        bool refused;
    } * daemons;
};

/* Pools that may serve pods, by weight; their templates after the pre-filter. */
bool templates_init(scheduler *s);
/* What a static pool starts: its requirements, no types. A number for s->templates, once the run is over. */
bool template_of_static(scheduler *s, uint32_t pool, uint32_t *number);
/* What the daemons request that run on nodes of the template that are of this type. */
bool template_daemons(scheduler *s, uint32_t number, const type_table *table, uint32_t type, resource_list *out);

/* Whether a list of tolerations tolerates every taint; *first receives the index of the first that is not. */
bool taints_tolerated(const scheduler *s, toleration_list tolerations, taint_list taints, uint32_t *first);
/* {operator Exists, effect PreferNoSchedule} is in the list, word for word. */
bool tolerates_prefer_no_schedule(const scheduler *s, toleration_list tolerations);
/* The list with that toleration added; false = out of memory. */
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

#endif
