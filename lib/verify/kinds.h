/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of pods, for checks of topology. A kind is the pods that no constraint distinguishes. For each kind there are
 * its pods, and the node requirements evaluated once for all of them. Selected kinds are found through the labels in
 * a selector, so that constraints about a few pods are cheap in a large cluster.
 */
#pragma once

#include <verify/verify.h>

typedef struct kind_list {
    const uint32_t *items;
    uint32_t count;
} kind_list;

typedef struct kinds {
    uint32_t *pod_first; /* [kind + 1] into pods */
    uint32_t *pods; /* grouped by kind, sorted by namespace and name */
    uint32_t *all; /* every kind */
    map64 labels; /* (key, value) -> number of a label that some pod has */
    uint32_t *label_first; /* [label + 1] into label_kinds */
    uint32_t *label_kinds; /* kinds with the label, ascending */
    map64 anti_keys; /* topology keys of required anti-affinity */
    bool soft_pools; /* some NodePool has a PreferNoSchedule taint */
    target *nodes; /* Node objects as targets; NULL = not computed yet */
    uint32_t *selected; /* kinds selected by the current selector */
    uint32_t selected_count;
    uint8_t *is_selected; /* the same, by kind */
} kinds;

/* Memory belongs to the verifier, except the maps, which kinds_free() frees. false = out of memory, which is
 * recorded. */
bool kinds_init(verifier *v, kinds *k);
void kinds_free(kinds *k);

static inline kind_list pods_of_kind(const kinds *k, uint32_t kind)
{
    return (kind_list){ k->pods + k->pod_first[kind], k->pod_first[kind + 1] - k->pod_first[kind] };
}
/* The kinds that the selector may select: those with a label that it requires, or all. */
kind_list kinds_near(const verifier *v, const kinds *k, const selector *x);

/* Clears the selection. */
void kinds_select_none(kinds *k);
void kinds_select(kinds *k, uint32_t kind);

/* A key for comparing constraints: two constraints are equal if their words are. */
typedef struct key_builder {
    verifier *v;
    LIST_OF(uint32_t) list;
} key_builder;

void key_add(key_builder *x, uint32_t word);
void key_add_labels(key_builder *x, label_list labels);
void key_add_selector(key_builder *x, const selector *selector_); /* NULL is a valid selector here */
/* Returns the number of the key in the table and starts a new key. NO_ID = out of memory, which is recorded. */
uint32_t key_number(key_builder *x, words *table);
void key_free(key_builder *x);

/* A kind with one of its terms or constraints. Equal ones are checked together. */
typedef struct constraint_use {
    uint32_t kind, same; /* same: number of the key, equal for equal constraints */
    const pod_term *term; /* either this or `constraint` */
    const spread_constraint *constraint;
} constraint_use;

typedef struct constraint_uses {
    key_builder key;
    words keys;
    LIST_OF(constraint_use) list;
    uint32_t *first; /* [same + 1] into ordered */
    constraint_use *ordered;
} constraint_uses;

void constraint_uses_init(constraint_uses *a, verifier *v);
/* Adds `one`, whose key is in `key`, and sets its number. */
void constraint_uses_add(constraint_uses *a, constraint_use one);
/* Groups equal ones, in the order in which each key first occurred, and returns the number of different keys. 0 also
 * = out of memory. */
size_t constraint_uses_group(constraint_uses *a);
void constraint_uses_free(constraint_uses *a);

/* A Node object as a target; NULL = out of memory, which is recorded. */
const target *kinds_node(verifier *v, kinds *k, uint32_t node_index);

/* ---- what verify_topology.c and verify_spread.c share ------------------------------------------------------------ */

/* The possible values of a target's label. */
typedef struct spot_domains {
    const uint32_t *values; /* NULL = `one` is the only value */
    uint32_t one, count; /* count 0 = the label is absent, unless open */
    bool open; /* any value is possible */
} spot_domains;

static inline uint32_t domain_at(const spot_domains *d, uint32_t index)
{
    return d->values != NULL ? d->values[index] : d->one;
}

spot_domains domains_of(const verifier *v, const target *t, uint32_t key);

/* verify_spread.c */
void check_spread(verifier *v);

/* verify_topology.c */
uint32_t kind_of(const verifier *v, uint32_t pod_number);
bool constrained(const verifier *v, uint32_t kind);
label_list kind_labels(const verifier *v, uint32_t kind);
uint32_t bound_domain(const verifier *v, uint32_t pod_number, uint32_t key, bool name_serves);
bool usable_target(const verifier *v, uint32_t number);
bool counts_where_it_runs(const verifier *v, uint32_t pod_number);
bool label_imagined(const verifier *v, const target *t, uint32_t key);
bool key_as_written(const verifier *v, uint32_t key);
