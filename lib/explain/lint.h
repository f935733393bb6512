/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of karp_lint_snapshot() have in common. A rule looks at one kind of object and notes what it finds. */
#ifndef EXPLAIN_LINT_H
#define EXPLAIN_LINT_H

#include <base/nearest.h>
#include <base/strbuf.h>
#include <karp/lint.h>
#include <model/snapshot.h>

/* By name; lint.c has the table. */
enum lint_rule {
    LINT_BUDGET_NEVER_ACTIVE,
    LINT_BUDGET_NEVER_ALLOWS,
    LINT_BUDGET_NO_LIMIT,
    LINT_LIMIT_BELOW_LAUNCH,
    LINT_MIN_VALUES_UNMET,
    LINT_NO_INSTANCE_TYPE,
    LINT_NODE_CLASS_MISSING,
    LINT_PDB_NEVER_ALLOWS,
    LINT_POOL_REFUSED,
    LINT_POOL_SHADOWED,
    LINT_SPREAD_CANNOT_HOLD,
    LINT_STRANDED_CAPACITY,
    LINT_UNKNOWN_LABEL,
    LINT_UNKNOWN_TAINT,
    LINT_UNKNOWN_VALUE,
    LINT_RULES
};

/* Each guess looks at all names that are known. */
enum { MOST_GUESSES = 500 };

typedef struct linting {
    const karp_snapshot *snapshot;
    struct karp_lint *out;
    algebra algebra; /* the snapshot's, and what the rules add */
    uint32_t *pool_sets; /* by pool: the requirements of its nodes; NO_ID = none is used or has types */
    uint64_t *known_keys; /* texts that are a label of some type, offering, node or pool */
    uint64_t *values; /* texts that are a value of the label `values_of` somewhere */
    uint32_t values_of; /* NO_ID = of none yet */
    uint32_t guesses; /* how often it was looked what may be meant, at most MOST_GUESSES */
    strbuf text, remedy, field; /* of the finding under construction */
    bool refused;
} linting;

/* The parts of the finding that is being made are empty after it. */
void lint_note(linting *l, enum lint_rule rule, const char *kind, karp_str named);
/* As its remedy: the name that may be meant, if one is near. */
void lint_tell_meant(linting *l, const nearest *near);
/* The same of a label that nothing has. */
void lint_tell_meant_key(linting *l, uint32_t key);

static inline const type_table *lint_table(const linting *l, uint32_t pool)
{
    return &l->snapshot->tables[l->snapshot->pool_table[pool]];
}

/* Whether a node of these requirements can be of the type: labels agree, and an offering that is available does. */
bool lint_admits(linting *l, const type_table *table, uint32_t type, uint32_t set);
/* Whether the key is a label of a type or an offering of the table, and some type there has the value. */
bool lint_has_key(const type_table *table, uint32_t key);
bool lint_has_value(linting *l, const type_table *table, uint32_t key, uint32_t value);
bool lint_key_is_known(const linting *l, uint32_t key);
/* Notes a key that nothing has, if one that is known is spelt much like it, or `must_be_known`. */
void lint_key(linting *l, uint32_t key, bool must_be_known, const char *kind, karp_str named, const char *field);
/* Notes values of a label that no type, node or pool has; of one pool, or of any when `pool` is NO_ID. */
void lint_values(linting *l, const expression *e, uint32_t pool, const char *kind, karp_str named, const char *field);

/* Marks the values of the label that launches from the pool can have, those only that the requirement allows (NO_ID: all); each
 * counts once. */
uint32_t lint_mark_values(linting *l, uint32_t pool, uint32_t key, uint32_t asked, uint64_t *seen);

/* Pods that a rule cannot tell apart: of one shape, or of shapes that differ in their requests alone. Pods that are over, and those
 * of daemons and of nodes, are in none. */
typedef struct lint_group {
    const shape *shape;
    uint32_t pod, count; /* the first by name, and how many there are */
} lint_group;
typedef LIST_OF(lint_group) lint_groups;
/* The list is to be freed in any case. */
void lint_group_pods(linting *l, bool by_rules, lint_groups *out);

/* The rules, by what they look at. */
void lint_pools(linting *l); /* lint_pools.c */
void lint_labels_of_pools(linting *l); /* lint_labels.c */
void lint_labels_of_pods(linting *l);
void lint_tolerations(linting *l); /* lint_taints.c */
void lint_budgets(linting *l); /* lint_budgets.c */
void lint_pdbs(linting *l);
void lint_spread(linting *l); /* lint_pods.c */
void lint_requests(linting *l);

#endif
