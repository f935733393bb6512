/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of pods, for checks of topology: the pods of each, whom a selector selects, and what is asked of nodes once for all. A kind is
 * the pods that no constraint can tell apart. What is selected is found by the labels that a selector names, so that constraints about
 * a few pods cost little in a large cluster.
 */
#ifndef EXPLAIN_VERIFY_KINDS_H
#define EXPLAIN_VERIFY_KINDS_H

#include <explain/verify.h>

typedef struct kind_list {
    const uint32_t *items;
    uint32_t count;
} kind_list;

typedef struct kinds {
    uint32_t *pod_first; /* [kind + 1] into pods */
    uint32_t *pods; /* of each kind, by namespace and name */
    uint32_t *all; /* every kind */
    map64 labels; /* (key, value) -> number of a label that pods have */
    uint32_t *label_first; /* [label + 1] into label_kinds */
    uint32_t *label_kinds; /* ascending, by label */
    map64 anti_keys; /* topology keys of required anti-affinity */
    bool soft_pools; /* a pool has a taint that only asks to be avoided */
    target *nodes; /* Node objects as targets; NULL = nobody has asked */
    uint32_t *selected; /* kinds that the selector at hand selects … */
    uint32_t selected_count;
    uint8_t *is_selected; /* … and by kind */
} kinds;

/* In the verifier's memory but for the maps, which kinds_free() frees. A refusal is noted, and false. */
bool kinds_init(verifier *v, kinds *k);
void kinds_free(kinds *k);

static inline kind_list pods_of_kind(const kinds *k, uint32_t kind)
{
    return (kind_list){ k->pods + k->pod_first[kind], k->pod_first[kind + 1] - k->pod_first[kind] };
}
/* Those that the selector might select: with a label that it names, or all. */
kind_list kinds_near(const verifier *v, const kinds *k, const selector *x);

/* A selection begins with none. */
void kinds_select_none(kinds *k);
void kinds_select(kinds *k, uint32_t kind);

/* What makes two constraints equal, word by word. */
typedef struct saying {
    verifier *v;
    LIST_OF(uint32_t) list;
} saying;

void say(saying *x, uint32_t word);
void say_labels(saying *x, label_list labels);
void say_selector(saying *x, const selector *selector_); /* NULL is one, too */
/* The number of what was said, in the table; the next begins. NO_ID = refused, which is noted. */
uint32_t said(saying *x, words *table);
void saying_free(saying *x);

/* A kind with a term or a constraint. Those that say the same are checked together. */
typedef struct asking {
    uint32_t kind, same; /* same: equal for what is equal */
    const pod_term *term; /* one of these two */
    const spread_constraint *constraint;
} asking;

typedef struct askings {
    saying at_hand;
    words different;
    LIST_OF(asking) list;
    uint32_t *first; /* [same + 1] into ordered */
    asking *ordered;
} askings;

void askings_init(askings *a, verifier *v);
/* What is at hand has been said; `one` says of whom, and its number is filled in. */
void askings_note(askings *a, asking one);
/* Those that say the same one after the other, in the order in which it was first said. How many differ; 0 = refused, too. */
size_t askings_order(askings *a);
void askings_free(askings *a);

/* The Node object itself, as a target; NULL = refused, which is noted. */
const target *kinds_node(verifier *v, kinds *k, uint32_t node_index);

#endif
