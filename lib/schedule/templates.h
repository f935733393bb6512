/* SPDX-License-Identifier: Apache-2.0 */
/* What each NodePool can launch, before pods are considered. */
#pragma once

#include <schedule/common.h>

/* Types on which the same daemons run. */
typedef struct daemon_group {
    uint64_t *bits; /* variants */
    resource_list overhead; /* requests of the daemons; empty without daemons */
    struct port_use *ports; /* host ports of the daemons, each recorded under the daemon's name */
    uint32_t port_count, first_type;
} daemon_group;

/* What a NodePool can launch. */
typedef struct template_ {
    uint32_t pool; /* store index */
    uint32_t order; /* rank among all usable NodePools, by weight */
    const type_table *table;
    uint32_t table_number;
    uint32_t set; /* requirements */
    bool host_possible; /* whether the requirements allow a new host name */
    taint_list taints;
    uint32_t taints_id; /* equal lists have equal ids */
    const uint64_t *filtered; /* variants that passed the pre-filter */
    uint32_t types_start; /* their number of types */
    uint32_t initial; /* typeset of those that have space for their daemons */
    int64_t *space; /* [variant * dims]: free capacity, allocatable minus the overhead of its daemon group */
    struct capacity *capacity; /* capacity.h */
    uint32_t *group_of; /* variant -> daemon group */
    daemon_group *groups;
    uint32_t group_count;
    bool group_ports; /* some group has daemons with host ports */
    bool named_ports; /* some of these ports are recorded under the name of a pod */
    int64_t *largest; /* per resource that the NodePool limits, the largest capacity of any type */
    bool last_relaxed; /* the claim opened last had its minValues lowered */
    uint32_t dropped_reason; /* why no type passed the pre-filter; such templates are in templates.dropped */
} template_;

/* Limits of a NodePool: the amounts left of the limited resources. */
typedef struct pool_limit {
    uint32_t count;
    const uint32_t *resources;
    const uint32_t *columns; /* by limited resource: its column in the snapshot's vectors */
    int64_t *left, *initial;
} pool_limit;

struct templates {
    template_ *items; /* in the order in which they are tried */
    uint32_t count;
    template_ *dropped; /* templates of NodePools without a type that passed the pre-filter, for reasons */
    uint32_t dropped_count;
    pool_limit *limits; /* by store pool */
    uint32_t usable_pools;
    words taint_lists;
    uint64_t *scratch; /* scratch for variants of any template */
    size_t scratch_words;
    struct daemon_view {
        toleration_list tolerations;
        uint32_t first_term;
        demand *terms;
        uint32_t term_count;
        bool refused;
    } * daemons;
};

/* Creates templates for the usable NodePools, by weight, and applies the pre-filter. */
bool templates_init(scheduler *s);
/* A template for a static NodePool: its requirements, no types. *number is an index into s->templates. Call after the
 * run. */
bool template_of_static(scheduler *s, uint32_t pool, uint32_t *number);
/* The requests of daemons that would run on nodes of this type launched from the template. */
bool template_daemons(scheduler *s, uint32_t number, const type_table *table, uint32_t type, resource_list *out);

/* Whether the list has exactly {operator: Exists, effect: PreferNoSchedule}. */
bool tolerates_prefer_no_schedule(const scheduler *s, toleration_list tolerations);
/* Adds that toleration to the list. false = out of memory. */
bool add_prefer_no_schedule(scheduler *s, toleration_list *tolerations);

/* minValues: whether the variants in `bits` have enough values for every key of `set` with minValues. *relaxed,
 * unless NULL, receives the set with each unsatisfied minValues lowered to the number of values there are. */
bool min_values_met(scheduler *s, const template_ *t, const uint64_t *bits, uint32_t set, uint32_t *relaxed);
bool set_has_min_values(const scheduler *s, uint32_t set);

/* limits.c: fills s->limits from the NodePools and the hosts. Call after hosts_init(). */
bool limits_init(scheduler *s);
/* The template's types that the NodePool's limits still allow. NO_ID, with *reason set, when there are
 * none. */
uint32_t limits_types(scheduler *s, uint32_t template_number, uint32_t *reason);
/* Whether the NodePool's limits still allow the type. */
bool limits_allow(const scheduler *s, const template_ *t, const instance_type *type);
/* Subtracts a new claim with these types from the limits. */
void limits_take(scheduler *s, uint32_t template_number, uint32_t types, const int64_t *total);
