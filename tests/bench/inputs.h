/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of `karp bench` that are made from fixed seeds, the same on every machine. */
#ifndef BENCH_INPUTS_H
#define BENCH_INPUTS_H

#include <cli/bench.h>
#include <karp/builder.h>

/* ---- input_questions.c: what is decided for an input while it is measured ---------------------------------------- */

enum bench_ask {
    BENCH_DECIDE, /* one decision */
    BENCH_COST, /* one least-cost decision, with the default effort */
    BENCH_BOUND, /* Karpenter's plan, and a lower bound on the cost of any plan */
    BENCH_KARP, /* one decision of profile karp */
    BENCH_ADMIT, /* the answers for a queue; the decision is that of the whole queue */
    BENCH_EACH_NODE, /* what if without a node, for every node in turn */
    BENCH_EACH_ZONE, /* what if without a zone, for every zone in turn */
    /* one decision, on a snapshot in which one object was replaced: */
    BENCH_EDIT_PENDING, /* a pending pod */
    BENCH_EDIT_BOUND, /* a pod on a node */
    BENCH_EDIT_NODE /* a node */
};

karp_status bench_answer(const karp_snapshot *snapshot, bench_question question, karp_decision **out, size_t *asked,
                         karp_error *error);

/* ---- input_edits.c: the edits of inputs b7 ----------------------------------------------------------------------- */

/* Replaces one object of the input, with different values in each turn. *snapshot is released and replaced by the
 * edited one. */
karp_status bench_edit(karp_snapshot **snapshot, bench_question question, unsigned turn, karp_error *error);

/* ---- input_types.c: what inputs share: the NodePool, catalogues, existing nodes, pseudo-random numbers ----------- */

typedef struct bench_maker {
    karp_context *context;
    karp_builder *builder;
    karp_error *error;
    karp_catalogue *catalogue;
    int64_t now;
    uint64_t random;
    uint32_t pods; /* so far */
    bool fleet; /* on-demand nodes that can be consolidated, in a NodePool of on-demand nodes */
} bench_maker;

typedef struct bench_node {
    char name[16];
    double cpu, memory; /* free: cores, bytes */
} bench_node;

/* A pseudo-random number below `limit`, which must not be 0. */
uint32_t bench_below(bench_maker *maker, uint32_t limit);

/* Adds the namespace and a NodePool whose limits are never reached. */
karp_status bench_add_pool(bench_maker *maker);
/* Type i has i + 1 cores, 2(i + 1) GiB, and five offerings at one price, as in Karpenter's benchmark. */
karp_status bench_fake_types(bench_maker *maker, uint32_t count);
/* Up to `count` types of the built-in catalogue's c, m, r and t families, at regular intervals. */
karp_status bench_aws_types(bench_maker *maker, uint32_t count);
/* Adds an existing node and its NodeClaim, of a random type with this many allocatable cores. */
karp_status bench_add_node(bench_maker *maker, uint32_t number, double least_cores, double most_cores, bench_node *out);
void bench_maker_free(bench_maker *maker);

#endif
