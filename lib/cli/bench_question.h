/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided for an input while it is measured. */
#ifndef CLI_BENCH_QUESTION_H
#define CLI_BENCH_QUESTION_H

#include "cli.h"

enum bench_ask {
    BENCH_DECIDE, /* one decision */
    BENCH_COST, /* one least-cost decision, with the default effort */
    BENCH_BOUND, /* Karpenter's plan, and a lower bound on the cost of any plan */
    BENCH_EACH_NODE, /* what if without a node, for every node in turn */
    BENCH_EACH_ZONE, /* what if without a zone, for every zone in turn */
    /* one decision, on a snapshot in which one object was replaced: */
    BENCH_EDIT_PENDING, /* a pending pod */
    BENCH_EDIT_BOUND, /* a pod on a node */
    BENCH_EDIT_NODE /* a node */
};

typedef struct bench_question {
    enum bench_ask ask;
    uint32_t method; /* KARP_METHOD_*, ANY = a launch decision */
} bench_question;

/* Makes the decisions. *out receives the (last) decision, *asked the number of decisions. */
karp_status bench_answer(const karp_snapshot *snapshot, bench_question question, karp_decision **out, size_t *asked,
                         karp_error *error);

#endif
