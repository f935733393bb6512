/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a label may be, for the verifier: one rule a key, folded from any number of expressions. Plain lists, written
 * for the verifier alone, so that a mistake in the scheduler's algebra does not repeat itself here.
 */
#ifndef EXPLAIN_VERIFY_RULES_H
#define EXPLAIN_VERIFY_RULES_H

#include <model/snapshot.h>

/* Texts of the snapshot by their id there; texts that only the plan has follow after them. */
typedef struct vocabulary {
    const karp_snapshot *snapshot;
    strings extra;
    arena data; /* values of rules */
    bool failed;
    bool *stopped; /* the caller wants to stop: set while long lists are compared, whose answer is then of no use */
} vocabulary;

uint32_t word_of(vocabulary *w, karp_str text);
karp_str word_text(const vocabulary *w, uint32_t id);
uint32_t word_key(const vocabulary *w, uint32_t key); /* the key it stands for */
bool word_well_known(const vocabulary *w, uint32_t key); /* of a word that the snapshot has */

typedef struct rule {
    uint32_t key, min_values, count;
    const uint32_t *values; /* the allowed ones, or the excluded ones */
    int64_t gte, lte; /* INT64_MIN and INT64_MAX: none */
    bool excludes;
} rule;

typedef struct rules {
    rule *items;
    uint32_t *by_key; /* their numbers, by ascending key */
    uint32_t count;
    size_t capacity;
} rules;

/* Nothing but digits, and the number fits. */
bool digits_number(karp_str digits, bool minus, int64_t *out);

rule rule_of_expression(vocabulary *w, const expression *e);
rule rule_of_plan(vocabulary *w, const karp_requirement *r);
rule rule_of_requirement(const requirement *r);
rule rule_one(vocabulary *w, uint32_t key, uint32_t value); /* In [value] */

/* NotIn or DoesNotExist: a node without the label is fine. */
bool rule_negative(const rule *r);
bool rule_accepts(const vocabulary *w, const rule *r, uint32_t value);
/* Whether some value satisfies both, or both only exclude. */
bool rules_agree(const vocabulary *w, const rule *x, const rule *y);
/* Whether every label that `have` allows is one that `asked` allows. */
bool rule_within(const vocabulary *w, const rule *have, const rule *asked);
rule rule_meet(vocabulary *w, const rule *x, const rule *y);

/* NULL = the key is free. */
const rule *rules_find(const rules *list, uint32_t key);
void rules_add(vocabulary *w, rules *list, rule one);
void rules_add_expressions(vocabulary *w, rules *list, expression_list expressions);
void rules_add_labels(vocabulary *w, rules *list, label_list labels);

#endif
