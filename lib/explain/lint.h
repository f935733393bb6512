/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the rules of karp_lint_snapshot() share. A rule checks one kind of object and records findings. */
#pragma once

#include <base/nearest.h>
#include <base/strbuf.h>
#include <karp/lint.h>
#include <model/snapshot.h>

/* In alphabetical order; lint.c has the table. */
enum lint_rule {
    LINT_ANTI_AFFINITY_CANNOT_HOLD,
    LINT_BUDGET_NEVER_ACTIVE,
    LINT_BUDGET_NEVER_ALLOWS,
    LINT_BUDGET_NO_LIMIT,
    LINT_BUDGET_NO_REASON,
    LINT_BUDGET_NOT_FOR_EXPIRY,
    LINT_BUDGET_REASON_UNLIMITED,
    LINT_CONSOLIDATION_NEVER_STARTS,
    LINT_COSTLY_PREFERENCE,
    LINT_GROUP_KEY_UNKNOWN,
    LINT_GROUP_NEVER_STARTS,
    LINT_GROUP_PRIORITY_DIFFERS,
    LINT_GROUP_TOO_SMALL,
    LINT_JOB_MAY_BE_DISRUPTED,
    LINT_LIMIT_BELOW_LAUNCH,
    LINT_MAX_PODS_ABOVE_ADDRESSES,
    LINT_MEMORY_OVERCOMMIT,
    LINT_MIN_VALUES_UNMET,
    LINT_NO_INSTANCE_TYPE,
    LINT_NO_REQUESTS,
    LINT_NODE_CLASS_MISSING,
    LINT_NODES_LIMIT_EXCEEDED,
    LINT_NOT_PLACED,
    LINT_OVERLAY_VOID,
    LINT_PDB_NEVER_ALLOWS,
    LINT_PDB_OVERLAP,
    LINT_PDB_SELECTS_NOTHING,
    LINT_POD_LIMIT_BINDS,
    LINT_POOL_REFUSED,
    LINT_POOL_SHADOWED,
    LINT_RESERVATION_EXCLUDED,
    LINT_RESIZE_COUNTS,
    LINT_SELECTOR_MISSES_ITSELF,
    LINT_SPREAD_CANNOT_HOLD,
    LINT_STRANDED_CAPACITY,
    LINT_TINY_MEMORY,
    LINT_TOO_MANY_VOLUMES,
    LINT_UNDECLARED_TAINT,
    LINT_UNKNOWN_LABEL,
    LINT_UNKNOWN_TAINT,
    LINT_UNKNOWN_VALUE,
    LINT_RULES
};

/* Each suggestion compares with all known names. */
enum { MOST_GUESSES = 500 };

/* Pods that a rule treats alike: they have one shape, or shapes that differ only in their requests. Terminal pods,
 * pods of daemons and mirror pods are not included. */
enum alike { ALIKE_IN_ALL, ALIKE_IN_RULES, ALIKES };
typedef struct lint_group {
    const shape *shape;
    uint32_t pod, count; /* the first pod by name, and the number of pods */
    enum alike alike;
} lint_group;
typedef LIST_OF(lint_group) lint_groups;

typedef struct linting {
    const karp_snapshot *snapshot;
    struct karp_lint *out;
    algebra algebra; /* a copy of the snapshot's, to which rules add */
    uint32_t *pool_sets; /* by NodePool: requirements of its nodes; NO_ID = the pool is not used or has no types */
    uint64_t *known_keys; /* bits of texts that are label keys of some type, offering, node or NodePool */
    uint64_t *seen; /* bits of texts, for one rule at a time */
    uint64_t *values; /* bits of texts that are values of the label `values_of` */
    uint32_t values_of; /* NO_ID = not computed yet */
    lint_groups groups[ALIKES]; /* made when a rule first asks, for all rules; lint_drop_groups() frees them */
    bool grouped[ALIKES];
    uint32_t guesses; /* number of suggestions searched so far, at most MOST_GUESSES */
    strbuf text, remedy, field; /* parts of the current finding */
    karp_decision *plan, *plan_without_preferences; /* NULL = not made yet */
    uint32_t left, first_left; /* pods that the plan leaves and no finding names, and a pod of theirs */
    bool refused;
    karp_status unplanned; /* why a plan could not be made, described in *error; OK = memory was refused elsewhere */
    karp_error *error;
} linting;

/* lint_plan.c: the volumes of the launch, if they are more than most types attach of their driver, where the provider
 * states no limit; 0 = they are not. */
uint32_t crowded_volumes(const karp_snapshot *s, const karp_launch *launch, const char **driver, uint32_t *most);
/* Records the current finding and clears its parts. */
void lint_note(linting *l, enum lint_rule rule, const char *kind, karp_str named);
/* Sets the remedy to the most similar name, if there is one. */
void lint_suggest(linting *l, const nearest *near);
/* The same for an unknown label key. */
void lint_suggest_key(linting *l, uint32_t key);

/* What karp_provision() decides on the snapshot; made once. NULL when `refused`. */
const karp_decision *lint_plan(linting *l);
/* The same with preference policy Ignore. */
const karp_decision *lint_plan_without_preferences(linting *l);

static inline const type_table *lint_table(const linting *l, uint32_t pool)
{
    return &l->snapshot->tables[l->snapshot->pool_table[pool]];
}

/* Whether a node with these requirements can be of the type: its labels match, and an available offering does. */
bool lint_admits(linting *l, const type_table *table, uint32_t type, uint32_t set);
/* Whether the key is a label of a type or offering of the table. */
bool lint_has_key(const type_table *table, uint32_t key);
bool lint_key_is_known(const linting *l, uint32_t key);

/* Marks the label's values that launches of the NodePool can have and that the requirement allows (NO_ID = all), and
 * returns the number of newly marked values. */
uint32_t lint_mark_values(linting *l, uint32_t pool, uint32_t key, uint32_t required, uint64_t *seen);

/* The same for the values that existing nodes have. */
uint32_t lint_mark_nodes(linting *l, uint32_t key, uint64_t *seen);
/* Whether there is a node, or a NodePool that could launch one; else the possible values are unknown. */
bool lint_has_nodes(const linting *l);

uint32_t lint_group_id(const karp_snapshot *s, const pod *p, enum alike alike); /* pods of equal numbers are alike */
/* The number of its pods that the plan leaves pending (*first, unless NULL: one of them), and ": the plan leaves 3 of 5
 * pods pending". A rule that says what nodes pods get must ask: only the plan decides that they get one. */
uint32_t lint_left_pending(linting *l, const lint_group *g, uint32_t *first);
void lint_add_left(linting *l, uint32_t left, const lint_group *g);
/* Lets the rule look at each group, in the order of their first pods, until something is refused. */
void lint_each_group(linting *l, enum alike alike, void (*rule)(linting *l, const lint_group *g)); /* lint_walk.c */
void lint_drop_groups(linting *l);

/* The rules, by the objects they check. */
void lint_pools(linting *l); /* lint_pools.c */
void lint_labels_of_pools(linting *l); /* lint_labels.c */
void lint_labels_of_pods(linting *l);
void lint_tolerations(linting *l); /* lint_pods.c */
void lint_budgets(linting *l); /* lint_budgets.c */
void lint_pdbs(linting *l);
void lint_spread(linting *l); /* lint_pods.c */
void lint_requests(linting *l);
void lint_nodes(linting *l); /* lint_nodes.c */
void lint_workloads(linting *l); /* lint_workloads.c */
void lint_pdb_overlaps(linting *l);
void lint_pod_groups(linting *l); /* lint_groups.c */
void lint_launches(linting *l); /* lint_plan.c */
void lint_resizes(linting *l); /* resizes.c */
