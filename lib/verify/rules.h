/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier's representation of label requirements: one rule per key, combined from any number of expressions. It
 * consists of plain lists and is independent of the scheduler's label algebra, so that an error there is not repeated
 * here.
 */
#pragma once

#include <model/snapshot.h>

/* Text ids of the snapshot, followed by ids of texts that only the plan has. */
typedef struct vocabulary {
    const karp_snapshot *snapshot;
    strings extra;
    arena data; /* values of rules */
    bool failed;
    bool *stopped; /* the caller wants to stop: set during comparisons of long lists, whose results are then invalid */
} vocabulary;

uint32_t word_of(vocabulary *w, karp_str text);
karp_str word_text(const vocabulary *w, uint32_t id);
uint32_t word_key(const vocabulary *w, uint32_t key); /* the normalized key */
bool word_well_known(const vocabulary *w, uint32_t key); /* for a text of the snapshot */

typedef struct rule {
    uint32_t key, min_values, count;
    const uint32_t *values; /* the allowed values, or the excluded ones */
    int64_t gte, lte; /* INT64_MIN and INT64_MAX = no bound */
    bool excludes;
} rule;

typedef struct rules {
    rule *items;
    uint32_t *by_key; /* indices of the rules, by ascending key */
    uint32_t count;
    size_t capacity;
} rules;

/* Parses text that consists only of digits. false = it does not, or the number is out of range. */
bool digits_number(karp_str digits, bool minus, int64_t *out);

rule rule_of_expression(vocabulary *w, const expression *e);
rule rule_of_plan(vocabulary *w, const karp_requirement *r);
rule rule_of_requirement(const requirement *r);
rule rule_one(vocabulary *w, uint32_t key, uint32_t value); /* In [value] */

/* NotIn or DoesNotExist: satisfied by nodes without the label. */
bool rule_negative(const rule *r);
bool rule_accepts(const vocabulary *w, const rule *r, uint32_t value);
/* Whether some value satisfies both rules, or both are negative. */
bool rules_agree(const vocabulary *w, const rule *x, const rule *y);
/* Whether `required` allows every value that `have` allows. */
bool rule_within(const vocabulary *w, const rule *have, const rule *required);

/* NULL = there is no rule for the key. */
const rule *rules_find(const rules *list, uint32_t key);
void rules_add(vocabulary *w, rules *list, rule one);
void rules_add_expressions(vocabulary *w, rules *list, expression_list expressions);
void rules_add_labels(vocabulary *w, rules *list, label_list labels);
